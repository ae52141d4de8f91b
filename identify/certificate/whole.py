"""Whether a map sends the whole declared domain into the declared domain.

Only such maps are reports, so only they may refute a claim about signs.  The domain is explored at
states of all sizes and close to its ends.
"""

from __future__ import annotations

from collections.abc import Callable

import mpmath

from identify.certificate.evaluation import Value
from identify.certificate.problem import Problem, Theta

SIZES = ("1e-9", "1e-3", "0.05", "0.2", "0.45", "0.7", "0.95", "1.05", "1.7", "3", "8", "40", "1e3", "1e6")
GRID = tuple(sorted(sign * mpmath.mpf(size) for size in SIZES for sign in (1, -1)))
HALVINGS = 50


def spread(problem: Problem, theta: Theta) -> list[Value]:
    """States of the declared domain of all sizes, and one near each of its ends; none without a domain."""
    if not problem.domain:
        return []
    marks = [_inside(problem, theta, u) for u in GRID]
    found = [u for u, good in zip(GRID, marks, strict=True) if good]
    for left, right, a, b in zip(GRID, GRID[1:], marks, marks[1:], strict=False):
        if a != b:
            found.append(_end(problem, theta, left if a else right, right if a else left))
    return [u for u in found if _defined(problem, theta, u)]


def keeps_domain(
    problem: Problem, eta: Theta, states: list[Value], image: Callable[[Value], Value | None]
) -> bool:
    """Whether every one of the states goes into the domain declared for eta."""
    for state in states:
        value = image(state)
        if value is None or not _inside(problem, eta, value):
            return False
    return True


def _inside(problem: Problem, parameters: Theta, state: Value) -> bool:
    try:
        return problem.inside(parameters, state)
    except ArithmeticError:
        return False


def _defined(problem: Problem, theta: Theta, state: Value) -> bool:
    try:
        problem.force(theta, state, mpmath.mpf(1) / 3)
    except ArithmeticError:
        return False
    return True


def _end(problem: Problem, theta: Theta, inner: Value, outer: Value) -> Value:
    """A state inside, close to where the domain ends."""
    for _ in range(HALVINGS):
        middle = (inner + outer) / 2
        if _inside(problem, theta, middle):
            inner = middle
        else:
            outer = middle
    return inner
