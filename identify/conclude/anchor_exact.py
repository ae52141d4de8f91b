"""Fast exact tests at rational points: equality, dependence, and witnesses of realness.

The search for anchors asks hundreds of such questions; evaluating at a few exact points costs a tenth of
compiling a function for each.
"""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Expr, Rational, S, Symbol

from identify.orbit.branch import Branch
from identify.orbit.sampling import Point, Sampler

_TINY = Rational(1, 10**15)
_TRIALS = tuple(map(Rational, ("2", "1/2", "-1", "1", "-2")))


def equal(left: Expr, right: Expr) -> bool:
    """Whether two expressions agree at two generic points (positive ones, where all of them are real)."""
    if left == right:
        return True
    difference = left - right
    symbols = sorted(difference.free_symbols, key=lambda s: s.name)
    for a, b in ((31, 17), (47, 29)):
        table = {s: Rational(a + 13 * i, b + 7 * i + i * i) for i, s in enumerate(symbols)}
        if not _vanishes(difference.xreplace(table)):
            return False
    return True


def _vanishes(value: Expr) -> bool:
    if isinstance(value, Rational):
        return bool(value == 0)
    if not value.is_finite:
        return True  # a pole of both sides: the other point decides
    return bool(abs(value.evalf(20)) < _TINY)


def depends(expression: Expr, free: Sequence[Symbol]) -> bool:
    """Whether the expression changes with one of the free symbols."""
    used = [s for s in free if expression.has(s)]
    if not used:
        return False
    return not equal(expression, expression.xreplace({s: 2 * s + 3 for s in used}))


def witnessed(branch: Branch, points: Sequence[Point], sampler: Sampler) -> bool:
    """Whether the branch is a real report, inside every condition, at one of the points."""
    return any(
        _admissible(branch, p, t, sampler) for p in points for t in (_TRIALS if branch.free else (S.One,))
    )


def _admissible(branch: Branch, point: Point, trial: Rational, sampler: Sampler) -> bool:
    if branch.algebraic:
        return False
    table: dict[Symbol, Expr] = {**point.parameters, **dict.fromkeys(branch.free, trial)}
    table.update(dict.fromkeys(branch.integers, S.One))
    reported = {p: e.xreplace(table) for p, e in branch.parameters.items()}
    if not all(v.is_finite and v.is_real for v in reported.values()):
        return False
    flat = [e for e in branch.positive if not e.has(sampler.state)]
    if not all(_holds(e.xreplace(table), ">") for e in flat):
        return False
    if not all(_holds(e.xreplace(table), "!=") for e in branch.nonzero):
        return False
    if not all(_holds(c.expression.xreplace(reported), c.relation) for c in sampler.assumptions):
        return False
    return all(_inside(branch, u, table, reported, sampler) for u in (*point.states, *point.extremes))


def _inside(
    branch: Branch, state: Rational, table: dict[Symbol, Expr], reported: dict[Symbol, Expr], sampler: Sampler
) -> bool:
    here = {**table, sampler.state: state}
    if not all(_holds(e.xreplace(here), ">") for e in branch.positive if e.has(sampler.state)):
        return False
    if branch.map is None or (not sampler.domain and branch.scale is not None):
        return True
    image = branch.map.xreplace(here)
    if not image.is_real:
        return False
    at = {**reported, sampler.state: image}
    return all(_holds(c.expression.xreplace(at), c.relation) for c in sampler.domain)


def _holds(value: Expr, relation: str) -> bool:
    if not value.is_real:
        return False
    if relation == "==":
        return _vanishes(value)
    number = value if isinstance(value, Rational) else value.evalf(20)
    if relation == "!=":
        return bool(abs(number) > _TINY)
    return bool(number > _TINY) if relation == ">" else bool(number > -_TINY)
