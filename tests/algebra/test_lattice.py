"""Integer lattices: the defining identities of bases and kernels."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from sympy import Matrix

from identify.algebra.lattice import integer_kernel, lattice_basis, lattice_symmetries

WIDTH = 4
rows = st.lists(st.lists(st.integers(-6, 6), min_size=WIDTH, max_size=WIDTH), min_size=1, max_size=3)
vectors = rows.map(lambda rs: [r for r in rs if any(r)]).filter(bool)


@given(rows)
def test_kernel_is_a_kernel(matrix: list[list[int]]) -> None:
    """Every vector is annihilated, and there are as many as the nullity."""
    kernel = integer_kernel(matrix, WIDTH)
    for x in kernel:
        assert all(sum(a * b for a, b in zip(row, x, strict=True)) == 0 for row in matrix)
    assert len(kernel) == WIDTH - Matrix(matrix).rank()
    assert not kernel or Matrix(kernel).rank() == len(kernel)


@given(rows, st.lists(st.integers(-3, 3), min_size=WIDTH, max_size=WIDTH))
def test_kernel_is_saturated(matrix: list[list[int]], weights: list[int]) -> None:
    """The kernel holds every integer solution, not a sublattice of them: its minors have gcd one."""
    kernel = integer_kernel(matrix, WIDTH)
    if not kernel:
        return
    combination = [sum(w * v[i] for w, v in zip(weights, kernel, strict=False)) for i in range(WIDTH)]
    common = 0
    for x in combination:
        common = abs(x) if not common else _gcd(common, abs(x))
    if common > 1:
        primitive = [x // common for x in combination]
        solution = Matrix(kernel).T.gauss_jordan_solve(Matrix(primitive))[0]
        assert all(x.is_Integer for x in solution)


def _gcd(a: int, b: int) -> int:
    return a if b == 0 else _gcd(b, a % b)


def test_kernel_without_equations_is_everything() -> None:
    assert integer_kernel([], 2) == [[1, 0], [0, 1]]


def test_duffing_weights() -> None:
    """Weights 2 and 4 leave the one short monomial g/b**2."""
    assert integer_kernel([[2, 4]], 2) in ([[2, -1]], [[-2, 1]])


@given(vectors)
def test_basis_generates(given_vectors: list[list[int]]) -> None:
    """Each vector is its integer coordinates times the basis, and the basis is independent."""
    basis, coordinates = lattice_basis(given_vectors)
    for vector, coordinate in zip(given_vectors, coordinates, strict=True):
        rebuilt = [sum(c * b[i] for c, b in zip(coordinate, basis, strict=True)) for i in range(WIDTH)]
        assert rebuilt == vector
    assert Matrix(basis).rank() == len(basis) == Matrix(given_vectors).rank()


def test_basis_keeps_the_given_directions() -> None:
    """Frequencies 1, 2 and k give 1 and k, not a mixture."""
    basis, _ = lattice_basis([[1, 0], [2, 0], [0, 1]])
    assert [list(map(int, b)) for b in basis] == [[1, 0], [0, 1]]


def test_symmetries_exchange_the_frequencies() -> None:
    """The frequencies 1, m and 2-m allow the exchange of the last two, and all signs at once."""
    found = lattice_symmetries([(1, 0), (0, 1), (2, -1)])
    assert ((1, 0), (2, -1)) in found
    assert ((-1, 0), (0, -1)) in found
    assert all(abs(Matrix(rows).det()) == 1 for rows in found)
