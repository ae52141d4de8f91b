"""Dimensions of the compatible set at the identity, by linear algebra.

Linearise with ``f = u + eps*phi(u)`` and ``eta = theta + eps*dtheta``.  Raw routes: ``phi = l*u + s``.
Canonical route: ``phi'' = c_2'*phi + c_2*phi' + dc_2``, so phi is fixed by its value and slope at one
state.  The other channels give linear equations, evaluated at exact random parameters to many
digits; a rank is accepted only across a wide gap.
"""

from __future__ import annotations

from dataclasses import dataclass

import mpmath
from sympy import Expr, Symbol

from identify.orbit.branch import Family
from identify.orbit.generators import elementary
from identify.orbit.sampling import Number, Point, compiled, to_number

_DIGITS = 80


@dataclass(frozen=True)
class Dimensions:
    """Of the lifted set (map and parameters), of its parameter projection, of the redundancy."""

    lifted: int
    orbit: int
    redundancy: int


def dimensions(family: Family, canonical: bool, point: Point) -> Dimensions | None:
    """The dimensions at one point, or None where the rank has no clear gap."""
    with mpmath.workdps(_DIGITS):
        try:
            rows = _canonical_rows(family, point) if canonical else _raw_rows(family, point)
        except (ValueError, ZeroDivisionError, OverflowError):
            return None
        count = len(family.independent)
        total, shape = rank(rows), rank([row[:2] for row in rows])
        pure = rank(_gradients(family, point))
    if total is None or shape is None or pure is None:
        return None
    lifted = count + 2 - total
    return Dimensions(lifted, lifted - (2 - shape), count - pure)


def moves_alone(family: Family, parameter: Symbol, point: Point) -> bool | None:
    """Whether the parameter can change while coordinate and law stay; None without a clear rank."""
    value = family.eliminated.get(parameter, parameter)
    with mpmath.workdps(_DIGITS):
        try:
            rows = _gradients(family, point)
            numbers = [to_number(point.parameters[p]) for p in family.independent]
            slope = compiled(family.independent, [value.diff(p) for p in family.independent])(*numbers)
        except (ValueError, ZeroDivisionError, OverflowError):
            return None
        without, beside = rank(rows), rank([*rows, slope])
    return None if without is None or beside is None else beside > without


def leaves(family: Family, canonical: bool, condition: Expr, point: Point) -> bool | None:
    """Whether compatible reports near the point change the condition's value; None without a clear rank."""
    slopes = [condition.diff(p) for p in family.independent]
    with mpmath.workdps(_DIGITS):
        try:
            rows = _canonical_rows(family, point) if canonical else _raw_rows(family, point)
            numbers = [to_number(point.parameters[p]) for p in family.independent]
            slope = compiled(family.independent, slopes)(*numbers)
        except (ValueError, ZeroDivisionError, OverflowError):
            return None
        without, beside = rank(rows), rank([*rows, [mpmath.mpf(0), mpmath.mpf(0), *slope]])
    return None if without is None or beside is None else beside > without


def _raw_rows(family: Family, point: Point) -> list[list[Number]]:
    """Rows ``(l, s, dtheta)`` of the linearised orbit equations at several states."""
    rows = []
    z, parameters = family.state, family.independent
    values = [to_number(point.parameters[p]) for p in parameters]
    for feature, channel in family.channels:
        c = elementary(channel, z)  # sign(z) as z/|z|, whose derivative is a function
        parts = [c, c.diff(z), *(c.diff(p) for p in parameters)]
        function = compiled((z, *parameters), parts)
        for u in _states(point, len(parameters) + 6):
            here, slope, *gradient = function(u, *values)
            weight = 1 - mpmath.mpf(int(feature.power.p)) / int(feature.power.q)
            rows.append([u * slope - weight * here, slope, *gradient])
    return rows


def _gradients(family: Family, point: Point) -> list[list[Number]]:
    """The derivatives of all channels by the parameters, at several states."""
    values = [to_number(point.parameters[p]) for p in family.independent]
    rows = []
    for _, channel in family.channels:
        parts = [channel.diff(p) for p in family.independent]
        function = compiled((family.state, *family.independent), parts)
        rows += [function(u, *values) for u in _states(point, len(parts) + 6)]
    return rows


def _states(point: Point, count: int) -> list[Number]:
    """States between the sampled ones, inside the domain (an interval)."""
    low, high = (to_number(f(point.states)) for f in (min, max))
    if low == high:
        high = low * (1 + mpmath.mpf(1) / 97)
    return [low + (high - low) * (i + mpmath.mpf(1) / 3) / count for i in range(count)]


def _canonical_rows(family: Family, point: Point) -> list[list[Number]]:
    """Rows ``(phi'(u0), phi(u0), dtheta)`` from the Taylor coefficients of every channel."""
    z, parameters = family.state, family.independent
    values = [to_number(point.parameters[p]) for p in parameters]
    u0, order = to_number(point.states[0]), len(parameters) + 5
    series: dict[int, list[list[Number]]] = {}
    for feature, c in family.channels:
        parts = [c, *(c.diff(p) for p in parameters)]
        series[int(feature.power)] = [_taylor(part, z, parameters, values, u0, order) for part in parts]
    width = 2 + len(parameters)
    phi = _flow(series.get(2), order, width)
    rows = []
    for r, parts_series in series.items():
        if r == 2:
            continue
        c, gradients = parts_series[0], parts_series[1:]
        for k in range(order - 2):
            row = [mpmath.mpf(0)] * width
            for j in range(k + 1):
                slope = (j + 1) * c[j + 1]
                for i in range(width):
                    row[i] += phi[k - j][i] * slope + (r - 1) * (k - j + 1) * phi[k - j + 1][i] * c[j]
            for i, gradient in enumerate(gradients):
                row[2 + i] += gradient[k]
            rows.append(row)
    return rows


def _flow(square: list[list[Number]] | None, order: int, width: int) -> list[list[Number]]:
    """Taylor coefficients of phi, each linear in ``(phi'(u0), phi(u0), dtheta)``."""
    zero = [mpmath.mpf(0)] * width
    phi = [list(zero) for _ in range(order + 2)]
    phi[0][1], phi[1][0] = mpmath.mpf(1), mpmath.mpf(1)
    for k in range(order - 1):
        row = list(zero)
        if square is not None:
            c, gradients = square[0], square[1:]
            for j in range(k + 1):
                for i in range(width):
                    row[i] += (j + 1) * c[j + 1] * phi[k - j][i] + c[j] * (k - j + 1) * phi[k - j + 1][i]
            for i, gradient in enumerate(gradients):
                row[2 + i] += gradient[k]
        phi[k + 2] = [x / ((k + 1) * (k + 2)) for x in row]
    return phi


def _taylor(
    expression: Expr, z: Symbol, parameters: tuple[Symbol, ...], values: list[Number], u0: Number, order: int
) -> list[Number]:
    if not expression.has(z):
        return [compiled(parameters, [expression])(*values)[0]] + [mpmath.mpf(0)] * order
    function = compiled((z, *parameters), [expression])
    return list(mpmath.taylor(lambda u: function(u, *values)[0], u0, order))


def rank(rows: list[list[Number]]) -> int | None:
    """The numerical rank by complete pivoting; None without a gap of fifteen digits."""
    matrix = []
    for row in rows:
        size = max((abs(x) for x in row), default=0)
        if size > mpmath.mpf(10) ** -50:
            matrix.append([x / size for x in row])
    found, width = 0, len(rows[0]) if rows else 0
    while matrix:
        i, j = max(
            ((i, j) for i in range(len(matrix)) for j in range(width)),
            key=lambda ij: abs(matrix[ij[0]][ij[1]]),
        )
        pivot = matrix[i][j]
        if abs(pivot) < mpmath.mpf(10) ** -30:
            return found
        if abs(pivot) < mpmath.mpf(10) ** -14:
            return None
        top = matrix.pop(i)
        matrix = [[x - row[j] / pivot * y for x, y in zip(row, top, strict=True)] for row in matrix]
        found += 1
    return found
