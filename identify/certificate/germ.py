"""A coordinate map of which the document says only that it exists, found again as a germ.

In the canonical route ``f'' = c2_eta(f) f'**2 - c2_theta(u) f'`` gives all of ``f`` from its value and
slope at one state.  These two are sought by least squares, so that the compatibility identity holds
to several orders in the state and at several velocities.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import mpmath
from sympy import Expr

from identify.certificate.evaluation import Point, Value, evaluate
from identify.certificate.least_squares import Vector, descend, newton_step
from identify.certificate.maps import Jet
from identify.certificate.problem import Problem, Theta
from identify.certificate.series import Series

LENGTH = 4
STARTS = ((1, 1), (1, -1), (1, 4), (-1, -4))  # of f(u)/u and f'(u)
VELOCITIES = (mpmath.mpf(7) / 5, mpmath.mpf(-3) / 4, mpmath.mpf(1) / 3)
DAMPING = mpmath.mpf(1) / 100
NUDGE = mpmath.mpf(10) ** -32


@dataclass(frozen=True)
class GermMap:
    """``f`` as any germ that the identity admits; ``square`` is the coefficient c2 of v**2."""

    problem: Problem
    square: Expr

    def jets(self, point: Point, eta: Theta, state: Value) -> Iterator[Jet]:
        """The first germ found."""
        theta = {p: point[p] for p in self.problem.parameters}

        def system(x: Vector) -> tuple[Vector, list[Vector]]:
            here = self._defects(theta, eta, state, x)
            moved = [self._defects(theta, eta, state, _nudged(x, k)) for k in range(2)]
            return here, [[(m[i] - here[i]) / NUDGE for m in moved] for i in range(len(here))]

        for place, slope in STARTS:
            found = descend(system, [state * place * 11 / 10, mpmath.mpf(slope) * 9 / 10], DAMPING)
            for _ in range(2):
                found = newton_step(found, *system(found), NUDGE) if found is not None else None
            if found is not None:
                second = 2 * self._series(theta, eta, state, found).coefficients[2]
                yield Jet(found[0], found[1], second)
                return

    def _series(self, theta: Theta, eta: Theta, state: Value, x: Vector) -> Series:
        """The Taylor series of f at the state."""
        known = [x[0], x[1], *[mpmath.mpf(0)] * (LENGTH - 2)]
        below = evaluate(self.square, {**theta, self.problem.state: Series.variable(state, LENGTH)})
        for k in range(LENGTH - 2):
            f = Series(tuple(known))
            slope = f.derivative()
            above = evaluate(self.square, {**eta, self.problem.state: f})
            bend = slope * slope * above + slope * below * -1
            known[k + 2] = bend.coefficients[k] / ((k + 1) * (k + 2))
        return Series(tuple(known))

    def _defects(self, theta: Theta, eta: Theta, state: Value, x: Vector) -> Vector:
        """The Taylor coefficients of the identity at the velocities."""
        f = self._series(theta, eta, state, x)
        slope, found = f.derivative(), []
        bend = slope.derivative()
        for velocity in VELOCITIES:
            left = self.problem.force(eta, f, slope * velocity)
            right = self.problem.force(theta, Series.variable(state, LENGTH), velocity)
            defect = f.lifted(left) + slope * right * -1 + bend * (-(velocity**2))
            found += list(defect.coefficients[: LENGTH - 2])
        return found


def _nudged(x: Vector, index: int) -> Vector:
    return [value + (NUDGE if k == index else 0) for k, value in enumerate(x)]
