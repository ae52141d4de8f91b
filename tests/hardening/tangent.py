"""The tangent space of the compatible set at the identity, by the rank of one matrix.

A report near the truth is ``f = u + e*phi(u)``, ``eta = theta + e*dp``.  To first order in e

    F_u*phi + F_v*phi'*v + F_p*dp = phi''*v**2 + phi'*F        for all u, v.

The unknowns are the Taylor coefficients of phi at a base point, and dp; in the raw routes phi is affine.
Each velocity gives one row for each order in u.  Written from the equation above alone: it shares no code
with the engine or the checker, and knows nothing of routes but whether phi may bend.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mpmath
from sympy import Expr, Symbol

from tests.hardening.laws import STATE, VELOCITY
from tests.hardening.series import Series, expand

DIGITS = 60
ZERO = mpmath.mpf(10) ** -25
VELOCITIES = ("3/7", "-5/4", "2", "-9/11", "13/5", "-17/6")


@dataclass(frozen=True)
class Tangent:
    """``lifted`` and ``orbit`` dimensions, and the parameters that move along the orbit."""

    lifted: int
    orbit: int
    moving: frozenset[str]


def tangent(
    acceleration: Expr, parameters: Sequence[Symbol], point: dict[Symbol, Any], state: Any, *, bent: bool
) -> Tangent:
    """The tangent space at a parameter point, expanded about ``state``."""
    order = 2 * len(parameters) + 10
    with mpmath.workdps(DIGITS):
        rows = []
        for text in VELOCITIES:
            a, b = (mpmath.mpf(part) for part in (*text.split("/"), "1")[:2])
            rows += _rows(acceleration, parameters, {**point, VELOCITY: a / b}, state, order, bent)
        return _dimensions(rows, parameters, order + 1 if bent else 2)


def _rows(
    acceleration: Expr,
    parameters: Sequence[Symbol],
    point: dict[Symbol, Any],
    state: Any,
    order: int,
    bent: bool,
) -> list[list[Any]]:
    """The coefficients of u**k, k up to order - 2, in the identity at one velocity."""
    v = point[VELOCITY]

    def series(expression: Expr) -> list[Any]:
        return expand(expression, {**point, STATE: Series.variable(state, order + 1)}, order + 1).terms

    f, f_u, f_v = (series(e) for e in (acceleration, acceleration.diff(STATE), acceleration.diff(VELOCITY)))
    moved = [series(acceleration.diff(p)) for p in parameters]
    slope = [v * b - a for a, b in zip(f, f_v, strict=True)]  # what multiplies phi'
    unknown = order + 1 if bent else 2
    rows = []
    for k in range(order - 1):
        row = [mpmath.mpf(0)] * unknown
        for j in range(unknown):
            if j <= k:
                row[j] += f_u[k - j]
            if 1 <= j <= k + 1:
                row[j] += j * slope[k - j + 1]
            if j == k + 2:
                row[j] -= j * (j - 1) * v**2
        rows.append(row + [m[k] for m in moved])
    return rows


def _dimensions(rows: list[list[Any]], parameters: Sequence[Symbol], unknown: int) -> Tangent:
    columns = unknown + len(parameters)
    whole = _reduced(rows)
    lifted = columns - len(whole)
    orbit = lifted - (unknown - len(_reduced([row[:unknown] for row in rows])))
    moving = set()
    for index, parameter in enumerate(parameters):
        unit = [mpmath.mpf(int(column == unknown + index)) for column in range(columns)]
        if len(_reduced([*whole, unit])) > len(whole):
            moving.add(parameter.name)
    return Tangent(lifted, orbit, frozenset(moving))


def _reduced(rows: list[list[Any]]) -> list[list[Any]]:
    """Independent rows that span the same space, by elimination with the largest pivot."""
    left = [_scaled(row) for row in rows]
    kept: list[list[Any]] = []
    while left:
        size, index, column = max(
            ((abs(x), i, j) for i, row in enumerate(left) for j, x in enumerate(row)), key=lambda t: t[0]
        )
        if size < ZERO:
            break
        pivot = left.pop(index)
        pivot = [x / pivot[column] for x in pivot]
        left = [_minus(row, pivot, column) for row in left]
        kept.append(pivot)
    return kept


def _minus(row: list[Any], pivot: list[Any], column: int) -> list[Any]:
    factor = row[column]
    return row if factor == 0 else [a - factor * b for a, b in zip(row, pivot, strict=True)]


def _scaled(row: list[Any]) -> list[Any]:
    size = max(map(abs, row))
    return [x / size for x in row] if size > ZERO else [mpmath.mpf(0)] * len(row)
