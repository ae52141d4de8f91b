"""Random points inside the assumptions: theta, free symbols, states and velocities."""

from __future__ import annotations

import random
import time
from collections.abc import Iterable
from dataclasses import dataclass, field

import mpmath
from sympy import Expr, Symbol, diff

from identify.certificate.evaluation import Point, Unreadable, Value, evaluate
from identify.certificate.problem import Problem
from identify.certificate.reading import Comparison, evaluable

TRIES = 400


@dataclass
class Sampler:
    """Draws reproducible points; ``deadline`` is a monotonic time after which it gives up."""

    digits: int
    samples: int
    random: random.Random
    deadline: float
    pools: dict[Problem, list[dict[Symbol, Value]]] = field(default_factory=dict)

    @property
    def late(self) -> bool:
        """Whether the time is used up."""
        return time.monotonic() > self.deadline

    def real(self, attempt: int = 0) -> Value:
        """A rational of either sign without small factors; late attempts range wider."""
        size = mpmath.mpf(self.random.randint(101, 2999)) / 997 * self.random.choice((1, -1))
        return size * self.random.choice((0.02, 0.3, 1, 8, 60)) if attempt > TRIES // 4 else size

    def values(self, symbols: Iterable[Symbol], attempt: int = 0) -> dict[Symbol, Value]:
        """A random value for each symbol."""
        return {symbol: self.real(attempt) for symbol in symbols}

    def theta(self, problem: Problem, fresh: bool = False) -> dict[Symbol, Value] | None:
        """Admissible true parameters, on the stratum if there is one; None where none was found.

        Points are pooled, so that all checks of one document see the same few thetas.
        """
        pool = self.pools.setdefault(problem, [])
        if not fresh and len(pool) >= 2 * self.samples:
            return dict(self.random.choice(pool))
        for attempt in range(TRIES):
            point = self._theta(problem, attempt)
            if point is not None:
                pool.append(point)
                return dict(point)
            if self.late:
                break
        return None

    def _theta(self, problem: Problem, attempt: int) -> dict[Symbol, Value] | None:
        point = self.values(problem.parameters, attempt)
        conditions = (*problem.assumptions, *problem.truth)
        try:
            for condition in conditions:
                if condition.relation == "==":
                    point = solve_equality(condition.expression, point, attempt)
            return point if all(condition.holds(point) for condition in conditions) else None
        except (ArithmeticError, ValueError):
            return None

    def states(self, problem: Problem, theta: Point, count: int) -> list[Value]:
        """Up to ``count`` states of the declared domain at which F is real for slow and fast motion."""
        found: list[Value] = []
        for attempt in range(TRIES):
            state = self.real(0 if found else attempt)
            if _usable(problem, theta, state):
                found.append(state)
            if len(found) == count or self.late:
                break
        return found

    def velocities(self, count: int) -> list[Value]:
        """Distinct velocities of alternating direction."""
        return [abs(self.real()) * (-1) ** k + mpmath.mpf(k) / 7 * (-1) ** k for k in range(count)]


def _usable(problem: Problem, theta: Point, state: Value) -> bool:
    try:
        if not problem.inside(theta, state):
            return False
        for velocity in (mpmath.mpf(13) / 11, mpmath.mpf(-7) / 9):
            problem.force(theta, state, velocity)
    except ArithmeticError:
        return False
    return True


def solve_equality(expression: Expr, point: dict[Symbol, Value], attempt: int = 0) -> dict[Symbol, Value]:
    """The point moved along one coordinate so that the expression vanishes; attempts take them in turn."""
    symbols = sorted(expression.free_symbols, key=str)
    turn = attempt % len(symbols) if symbols else 0
    symbols = symbols[turn:] + symbols[:turn]  # k*(z1 - r) vanishes with k, which may be excluded
    for symbol in symbols:
        slope = diff(expression, symbol)
        if symbol not in slope.free_symbols and abs(evaluate(slope, point)) > 1e-6:
            return {**point, symbol: point[symbol] - evaluate(expression, point) / evaluate(slope, point)}
    for symbol in symbols:
        root = mpmath.findroot(lambda x, s=symbol: evaluate(expression, {**point, s: x}), point[symbol])
        if not isinstance(root, mpmath.mpc):
            return {**point, symbol: root}
    raise Unreadable("an equality without unknowns")


def equalities(problem: Problem) -> tuple[Expr, ...]:
    """The expressions that the assumptions set to zero, for every report."""
    conditions: tuple[Comparison, ...] = problem.assumptions
    return tuple(evaluable(c.expression) for c in conditions if c.relation == "==")
