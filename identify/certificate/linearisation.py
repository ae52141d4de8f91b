"""The compatibility identity linearised at the identity map: its kernel is the tangent of the orbit.

With ``f = u + eps*phi(u)`` and ``eta = theta + eps*dp`` the identity of ``reports`` becomes

    phi F_u + phi' (v F_v - F) - phi'' v**2 + sum dp_i F_{p_i} = 0   for all u, v.

Its Taylor coefficients in ``u`` at a few velocities are linear equations for the Taylor
coefficients of ``phi`` and for ``dp``.  In the raw routes ``phi`` is affine; in the canonical route
``phi''`` is an unknown that the ``v**2`` channel determines, so that truncation after as many orders
as there are unknowns loses nothing at a generic state (Wronskian argument).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mpmath
from sympy import Expr, Symbol

from identify.certificate.evaluation import Point, Value, evaluate
from identify.certificate.linear import Elimination, Row, eliminate
from identify.certificate.problem import Problem, Theta
from identify.certificate.reading import derivative
from identify.certificate.sampling import Sampler, equalities
from identify.certificate.series import Series

NEGLIGIBLE = mpmath.mpf(10) ** -20


@dataclass(frozen=True)
class Tangent:
    """The kernel at one theta: vectors ``(phi..., dp...)`` with ``maps`` entries for phi.

    The last ``clocks`` entries (one or none) belong to the scale of an unknown clock.
    """

    theta: Theta
    matrix: list[Row]
    elimination: Elimination
    maps: int
    base: Value
    clocks: int = 0

    @property
    def directions(self) -> list[Row]:
        """The parameter parts dp of a basis of the kernel, cleared of rounding."""
        zero = mpmath.mpf(0)
        parts = [vector[self.maps :] for vector in self.elimination.kernel()]
        return [[x if abs(x) > NEGLIGIBLE else zero for x in part] for part in parts]

    @property
    def orbit_dimension(self) -> int | None:
        """The dimension of the parameter parts of the kernel, without the clock."""
        directions = [d[: len(d) - self.clocks] for d in self.directions]
        return eliminate(directions, len(directions[0])).rank if directions else 0

    def moves(self, index: int) -> bool:
        """Whether the parameter with this index varies along the orbit."""
        return any(abs(direction[index]) > NEGLIGIBLE for direction in self.directions)

    def redundant(self, index: int) -> bool | None:
        """Whether the parameter varies with map and clock held fixed; None without a clear rank."""
        end = len(self.matrix[0]) - self.clocks
        held = eliminate([row[self.maps : end] for row in self.matrix], end - self.maps)
        if held.rank is None:
            return None
        return any(abs(vector[index]) > NEGLIGIBLE for vector in held.kernel())

    def contains(self, phi: Row, dp: Row) -> bool:
        """Whether the vector lies in the kernel."""
        vector = [*phi, *([mpmath.mpf(0)] * (self.maps - len(phi))), *dp]
        size = 1 + max(abs(x) for x in vector)
        return all(_dot(row, vector) < NEGLIGIBLE * size * (1 + _size(row)) for row in self.matrix)


def tangent(problem: Problem, sampler: Sampler, canonical: bool, features: int) -> Tangent | None:
    """The linearised compatible set at a random theta; None where no good point was found."""
    theta = sampler.theta(problem)
    states = sampler.states(problem, theta, 1 if canonical else 3) if theta is not None else []
    if theta is None or not states:
        return None
    orders = len(problem.parameters) + (4 if canonical else 2)
    maps = orders + 2 if canonical else 2
    rows: list[Row] = []
    for state in states:
        for velocity in sampler.velocities(features + 2):
            rows += _equations(problem, theta, state, velocity, orders, maps, canonical)
    rows += _equality_rows(problem, theta, maps)
    if max(map(_size, rows)) > mpmath.mpf(10) ** (mpmath.mp.dps // 4):
        return None  # beside exp(60) the other terms would pass for rounding
    found = eliminate(rows, maps + len(problem.parameters))
    return Tangent(theta, rows, found, maps, states[0], int(problem.clock is not None))


def _equations(
    problem: Problem, theta: Theta, state: Value, velocity: Value, orders: int, maps: int, canonical: bool
) -> list[Row]:
    """The equations of orders 0.. at one state and velocity."""
    point = {**theta, problem.state: Series.variable(state, orders), problem.velocity: velocity}
    force = _series(problem.acceleration, point, orders)
    along = _series(_partial(problem, problem.state), point, orders)
    across = _series(_partial(problem, problem.velocity), point, orders)
    stretch = [velocity * b - f for b, f in zip(across, force, strict=True)]
    columns = [_column(along, stretch, velocity, j, orders) for j in range(maps)]
    if not canonical:
        columns = [columns[0], [state * a + b for a, b in zip(columns[0], columns[1], strict=True)]]
    columns += [_series(_partial(problem, p), point, orders) for p in problem.parameters]
    return [list(row) for row in zip(*columns, strict=True)]


def _column(along: Row, stretch: Row, velocity: Value, power: int, orders: int) -> Row:
    """What ``phi = h**power`` contributes to each order."""

    def entry(order: int) -> Any:
        total = along[order - power] if order >= power else mpmath.mpf(0)
        if power and order >= power - 1:
            total += power * stretch[order - power + 1]
        return total - (power * (power - 1) * velocity**2 if order == power - 2 else 0)

    return [entry(order) for order in range(orders)]


def _partial(problem: Problem, symbol: Symbol) -> Expr:
    return derivative(problem.acceleration, symbol)


def _series(expression: Expr, point: Point, orders: int) -> Row:
    value = evaluate(expression, point)
    return list(value.coefficients) if isinstance(value, Series) else [value, *[mpmath.mpf(0)] * (orders - 1)]


def _equality_rows(problem: Problem, theta: Theta, maps: int) -> list[Row]:
    """Tangency to the equalities among the assumptions, which reports obey as well."""
    empty = [mpmath.mpf(0)] * maps
    return [[*empty, *gradient(e, problem, theta)] for e in equalities(problem)]


def gradient(expression: Expr, problem: Problem, theta: Theta) -> Row:
    """The derivatives of an expression by the parameters at theta."""
    return [evaluate(derivative(expression, p), theta) for p in problem.parameters]


def _dot(row: Row, vector: Row) -> Any:
    return abs(sum(a * b for a, b in zip(row, vector, strict=True)))


def _size(row: Row) -> Any:
    return max(abs(x) for x in row)
