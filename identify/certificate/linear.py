"""Rank and kernel of a real matrix in high precision, with a demand for a clear gap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mpmath

Row = list[Any]

SURELY_NONZERO = 14  # a pivot above 10**-14 counts
MARGIN = 3  # a pivot below 10**-(dps - dps/MARGIN) is rounding; between the two nothing is claimed


@dataclass(frozen=True)
class Elimination:
    """Reduced row echelon form up to column order; ``rank`` is None without a clear gap."""

    rank: int | None
    pivots: tuple[int, ...]
    rows: tuple[Row, ...]
    columns: int

    @property
    def nullity(self) -> int | None:
        """The dimension of the kernel."""
        return None if self.rank is None else self.columns - self.rank

    def kernel(self) -> list[Row]:
        """A basis of the kernel."""
        free = [c for c in range(self.columns) if c not in self.pivots]
        return [self._kernel_vector(column) for column in free]

    def _kernel_vector(self, column: int) -> Row:
        vector = [mpmath.mpf(0)] * self.columns
        vector[column] = mpmath.mpf(1)
        for row, pivot in zip(self.rows, self.pivots, strict=True):
            vector[pivot] = -row[column]
        return vector


def eliminate(matrix: list[Row], columns: int) -> Elimination:
    """Gauss-Jordan elimination with full pivoting on rows scaled to one."""
    rows = _scaled(matrix)
    done: list[Row] = []
    pivots: list[int] = []
    rounding = mpmath.mpf(10) ** -(mpmath.mp.dps - mpmath.mp.dps // MARGIN)
    while len(pivots) < columns:
        size, index, column = _largest(rows, pivots, columns)
        if size < rounding:
            break
        if size < mpmath.mpf(10) ** -SURELY_NONZERO:
            return Elimination(None, tuple(pivots), tuple(done), columns)
        pivot = [x / rows[index][column] for x in rows[index]]
        rows = [_cleared(row, pivot, column) for k, row in enumerate(rows) if k != index]
        done = [_cleared(row, pivot, column) for row in done] + [pivot]
        pivots.append(column)
    return Elimination(len(pivots), tuple(pivots), tuple(done), columns)


def rank(matrix: list[Row]) -> int | None:
    """The rank, or None without a clear gap."""
    return eliminate(matrix, len(matrix[0]) if matrix else 0).rank


def _scaled(matrix: list[Row]) -> list[Row]:
    """The rows scaled to one; a row that is rounding beside the others is dropped, not blown up."""
    sizes = [max((abs(x) for x in row), default=mpmath.mpf(0)) for row in matrix]
    noise = max(sizes, default=mpmath.mpf(0)) * mpmath.mpf(10) ** -(mpmath.mp.dps * 3 // 4)
    return [[x / size for x in row] for row, size in zip(matrix, sizes, strict=True) if size > noise]


def _largest(rows: list[Row], used: list[int], columns: int) -> tuple[Any, int, int]:
    free = [c for c in range(columns) if c not in used]
    entries = ((abs(row[c]), k, c) for k, row in enumerate(rows) for c in free)
    return max(entries, default=(mpmath.mpf(0), 0, 0), key=lambda entry: entry[0])


def _cleared(row: Row, pivot: Row, column: int) -> Row:
    factor = row[column]
    return [x - factor * y for x, y in zip(row, pivot, strict=True)] if factor else row
