"""The coordinate map of a branch: its value and two derivatives at a state.

A map is explicit, given by a relation between ``z`` and ``zhat``, or given by the flow
``f' = F_eta(f, 0) / F_theta(u, 0)``; the last two may offer several real values at one state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import mpmath
from sympy import Expr, Symbol, diff

from identify.certificate.evaluation import Point, Value, evaluate
from identify.certificate.problem import Problem, Theta
from identify.certificate.series import Series

WINDOW = tuple(mpmath.mpf(k) * abs(k) / 50 + mpmath.mpf(1) / 701 for k in range(-30, 31))


@dataclass(frozen=True)
class Jet:
    """``f(u), f'(u), f''(u)``."""

    value: Value
    first: Value
    second: Value


class CoordinateMap(Protocol):
    """The jets that the map may have at a state, given theta and free symbols in ``point``."""

    def jets(self, point: Point, eta: Theta, state: Value) -> Iterator[Jet]:
        """All candidate jets."""


@dataclass(frozen=True)
class ExplicitMap:
    """``f`` as an expression in the state."""

    state: Symbol
    expression: Expr

    def jets(self, point: Point, eta: Theta, state: Value) -> Iterator[Jet]:
        """The one jet, from the Taylor series of the expression."""
        value = evaluate(self.expression, {**point, self.state: Series.variable(state, 3)})
        if isinstance(value, Series):
            a, b, c = value.coefficients
            yield Jet(a, b, 2 * c)


@dataclass(frozen=True)
class RelationMap:
    """``f`` as a solution zhat of ``relation(z, zhat) = 0``."""

    state: Symbol
    image: Symbol
    relation: Expr

    def jets(self, point: Point, eta: Theta, state: Value) -> Iterator[Jet]:
        """One jet for each real root found, by implicit differentiation."""
        here = {**point, self.state: state}
        for root in real_roots(lambda w: evaluate(self.relation, {**here, self.image: w})):
            yield self._jet({**here, self.image: root}, root)

    def _jet(self, at: Point, root: Value) -> Jet:
        def partial(*variables: Symbol) -> Value:
            return evaluate(diff(self.relation, *variables), at)

        u, w = self.state, self.image
        slope = -partial(u) / partial(w)
        bend = partial(u, u) + 2 * partial(u, w) * slope + partial(w, w) * slope**2
        return Jet(root, slope, -bend / partial(w))


@dataclass(frozen=True)
class FlowMap:
    """``f`` as a solution of ``f' = F_eta(f, 0) / F_theta(u, 0)``, started where the laws agree."""

    problem: Problem

    def jets(self, point: Point, eta: Theta, state: Value) -> Iterator[Jet]:
        """A jet for each start at which the laws agree at one velocity and the flow keeps it so."""
        theta = {p: point[p] for p in self.problem.parameters}
        probe = mpmath.mpf(7) / 5
        gap = self._gap(theta, eta, probe)
        if _vanishes(lambda w: gap(state, w)):
            yield self._jet(theta, eta, state, state * 11 / 10)
            return
        for start in real_roots(lambda w: gap(state, w)):
            jet = self._jet(theta, eta, state, start)
            drift = mpmath.diff(lambda s, start=start, jet=jet: gap(state + s, start + jet.first * s), 0)
            if abs(drift) < mpmath.mpf(10) ** (-mpmath.mp.dps // 3):
                yield jet

    def _gap(self, theta: Theta, eta: Theta, velocity: Value) -> Callable[[Value, Value], Value]:
        def gap(state: Value, image: Value) -> Value:
            jet = self._jet(theta, eta, state, image)
            law = jet.first * self.problem.force(theta, state, velocity) + jet.second * velocity**2
            return self.problem.force(eta, image, jet.first * velocity) - law

        return gap

    def _jet(self, theta: Theta, eta: Theta, state: Value, image: Value) -> Jet:
        zero = mpmath.mpf(0)
        below = _linear(self.problem.force(theta, Series.variable(state, 2), zero))
        above = _linear(self.problem.force(eta, Series.variable(image, 2), zero))
        slope = above[0] / below[0]
        return Jet(image, slope, (above[1] * slope - slope * below[1]) / below[0])


def _linear(value: Any) -> tuple[Value, Value]:
    """Value and slope of a series of length two, or of a constant."""
    if isinstance(value, Series):
        return value.coefficients[0], value.coefficients[1]
    return value, mpmath.mpf(0)


def _vanishes(function: Callable[[Value], Value]) -> bool:
    values = [_value(function, w) for w in WINDOW[20:41:4]]
    known = [v for v in values if v is not None]
    return len(known) > 2 and all(abs(v) < mpmath.mpf(10) ** (-mpmath.mp.dps // 2) for v in known)


def _value(function: Callable[[Value], Value], at: Value) -> Value | None:
    try:
        return function(at)
    except ArithmeticError:
        return None


def real_roots(function: Callable[[Value], Value]) -> Iterator[Value]:
    """Real roots between sign changes on a fixed window, to working precision."""
    values = [_value(function, w) for w in WINDOW]
    for left, right, a, b in zip(WINDOW, WINDOW[1:], values, values[1:], strict=False):
        if a is not None and b is not None and a * b < 0:
            root = _polished(function, left, right)
            if root is not None:
                yield root


def _polished(function: Callable[[Value], Value], left: Value, right: Value) -> Value | None:
    try:
        return mpmath.findroot(function, (left, right), solver="anderson", maxsteps=100, verify=True)
    except (ArithmeticError, ValueError):
        return None
