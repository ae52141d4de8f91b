"""Integer lattices: bases, kernels, short vectors."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import gcd

from flint import fmpq_mat, fmpz_mat
from sympy import Rational


def lattice_basis(vectors: Sequence[Sequence[int]]) -> tuple[list[list[Rational]], list[list[int]]]:
    """A basis of the lattice the vectors generate, and each vector's integer coordinates.

    Where the vectors fall into as many classes of proportional ones as the rank, the basis takes one
    from each class (so that frequencies 1, 2 and k give 1 and k).
    """
    classes = _proportional_classes(vectors)
    rank = fmpz_mat([list(v) for v in vectors]).rank()
    if len(classes) == rank:
        rows = [_gcd_vector([vectors[i] for i in members]) for members in classes]
    else:
        hermite = fmpz_mat([list(v) for v in vectors]).hnf().tolist()
        rows = [[int(x) for x in row] for row in hermite[:rank]]
    coordinates = [_coordinates(rows, v) for v in vectors]
    return [[Rational(x) for x in row] for row in rows], coordinates


def _proportional_classes(vectors: Sequence[Sequence[int]]) -> list[list[int]]:
    classes: dict[tuple[int, ...], list[int]] = {}
    for i, vector in enumerate(vectors):
        primitive = _primitive(vector)
        lead = next(x for x in primitive if x)
        classes.setdefault(tuple(x if lead > 0 else -x for x in primitive), []).append(i)
    return list(classes.values())


def _primitive(vector: Sequence[int]) -> list[int]:
    content = gcd(*vector)
    return [x // content for x in vector]


def _gcd_vector(vectors: Sequence[Sequence[int]]) -> list[int]:
    """The generator of the rank-one lattice of proportional vectors, with the sign of the first."""
    content = gcd(*(gcd(*vector) for vector in vectors))
    return [x * content for x in _primitive(vectors[0])]


def _coordinates(basis: Sequence[Sequence[int]], vector: Sequence[int]) -> list[int]:
    gram = fmpq_mat([[sum(a * b for a, b in zip(r, s, strict=True)) for s in basis] for r in basis])
    right = fmpq_mat([[sum(a * b for a, b in zip(r, vector, strict=True))] for r in basis])
    return [int(x[0].p) for x in gram.solve(right).tolist()]


def integer_kernel(matrix: Sequence[Sequence[int]], width: int) -> list[list[int]]:
    """A short (LLL-reduced) basis of the integer vectors x with ``matrix x = 0``."""
    if not matrix:
        return [[1 if i == j else 0 for j in range(width)] for i in range(width)]
    scale = 10**6
    rows = [
        [1 if i == j else 0 for j in range(width)] + [scale * row[i] for row in matrix] for i in range(width)
    ]
    reduced = fmpz_mat(rows).lll().tolist()
    return [[int(x) for x in row[:width]] for row in reduced if not any(row[width:])]


def lattice_symmetries(vectors: Sequence[Sequence[int]]) -> list[tuple[tuple[int, ...], ...]]:
    """Unimodular integer matrices A with ``v A`` among plus or minus the vectors, for each of them.

    The vectors generate Z**r; the rows of A are the images of the unit vectors.
    """
    unique = list(dict.fromkeys(tuple(v) for v in vectors))
    basis = _independent(unique)
    targets = [*unique, *(tuple(-x for x in v) for v in unique)]
    allowed = set(targets)
    inverse = fmpq_mat([list(v) for v in basis]).inv()
    found: list[tuple[tuple[int, ...], ...]] = []
    for images in product(targets, repeat=len(basis)):
        rows = (inverse * fmpq_mat([list(w) for w in images])).tolist()
        if any(x.q != 1 for row in rows for x in row):
            continue
        matrix = tuple(tuple(int(x.p) for x in row) for row in rows)
        if abs(fmpz_mat([list(r) for r in matrix]).det()) == 1 and _preserves(matrix, unique, allowed):
            found.append(matrix)
    return found


def _independent(vectors: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    chosen: list[tuple[int, ...]] = []
    for vector in vectors:
        if fmpz_mat([list(v) for v in (*chosen, vector)]).rank() == len(chosen) + 1:
            chosen.append(vector)
    return chosen


def _preserves(
    matrix: Sequence[Sequence[int]], vectors: Sequence[tuple[int, ...]], allowed: set[tuple[int, ...]]
) -> bool:
    images = (
        tuple(sum(x * row[j] for x, row in zip(v, matrix, strict=True)) for j in range(len(matrix)))
        for v in vectors
    )
    return all(image in allowed for image in images)
