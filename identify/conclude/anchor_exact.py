"""Fast exact tests at rational points: equality, dependence, and witnesses of realness.

The search for anchors asks hundreds of such questions; evaluating at a few exact points costs a tenth of
compiling a function for each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import mpmath
from sympy import Expr, Rational, S, Symbol

from identify.orbit.branch import Branch
from identify.orbit.real import Evaluation
from identify.orbit.sampling import DIGITS, Number, Point, Sampler, compiled, to_number

_POINTS = ((31, 17), (47, 29))
_TINY = Rational(1, 10**15)
_TRIALS = tuple(map(Rational, ("2", "1/2", "-1", "1", "-2")))


def equal(left: Expr, right: Expr) -> bool:
    """Whether two expressions agree at two generic points (positive ones, where all of them are real)."""
    if left == right:
        return True
    difference = left - right
    symbols = sorted(difference.free_symbols, key=lambda s: s.name)
    points = [[Rational(a + 13 * i, b + 7 * i + i * i) for i in range(len(symbols))] for a, b in _POINTS]
    if difference.is_rational_function(*symbols):
        return all(_vanishes(difference.xreplace(dict(zip(symbols, p, strict=True)))) for p in points)
    if difference.has(S.ComplexInfinity, S.NaN, S.Infinity, S.NegativeInfinity):
        return True  # singular on both sides, which decides nothing
    # Roots of rationals are slow exactly: on nested ones 400 ms a point, against 10 ms compiled.
    function = compiled(symbols, [difference])
    with mpmath.workdps(DIGITS):
        return all(_small(function, [to_number(x) for x in p]) for p in points)


def _small(function: Callable[..., list[Number]], values: list[Number]) -> bool:
    try:
        (value,) = function(*values)
    except (ValueError, ZeroDivisionError, OverflowError):
        return True  # a pole of both sides: the other point decides
    return not mpmath.isfinite(value) or bool(abs(value) < _TINY)


def _vanishes(value: Expr) -> bool:
    if isinstance(value, Rational):
        return bool(value == 0)
    if not value.is_finite:
        return True
    return bool(abs(value.evalf(20)) < _TINY)


def depends(expression: Expr, free: Sequence[Symbol]) -> bool:
    """Whether the expression changes with one of the free symbols."""
    used = [s for s in free if expression.has(s)]
    if not used:
        return False
    return not equal(expression, expression.xreplace({s: 2 * s + 3 for s in used}))


def witnessed(branch: Branch, points: Sequence[Point], sampler: Sampler) -> bool:
    """Whether the branch is a real report, inside every condition, at one of the points."""
    if any(e.has(S.ComplexInfinity, S.NaN) for e in branch.parameters.values()):
        return False
    evaluation = Evaluation(sampler, branch)
    trials = [(t,) * len(branch.free) for t in (_TRIALS if branch.free else (S.One,))]
    return any(evaluation.admissible(p, t) for p in points for t in trials)
