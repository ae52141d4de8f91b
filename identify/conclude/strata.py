"""The special cases that a generic answer leaves out, and their own answers.

The truth is put on the stratum, the report may lie anywhere in the family.  In the canonical route reports
off the stratum are looked for among affine maps only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from sympy import Expr, S, Symbol

from identify.algebra.budget import Budget
from identify.analysis import Stratum
from identify.conclude import document
from identify.conclude.invariants import invariants
from identify.conclude.names import Names
from identify.conclude.verdict import varies, verdicts
from identify.law.law import Condition
from identify.orbit.affine import affine_branches
from identify.orbit.canonical import canonical_set
from identify.orbit.compatible import CompatibleSet, judged, raw_set
from identify.orbit.equality import same
from identify.orbit.generators import Unhandled
from identify.orbit.infinitesimal import leaves
from identify.orbit.problem import Problem, pose, solve_for_parameter
from identify.orbit.real import RealFilter, Realness

MOST_STRATA = 24


def special_conditions(problem: Problem, compatible: CompatibleSet) -> list[Expr]:
    """The conditions that the generic answer used and the assumptions do not already exclude."""
    facts = compatible.filter.facts
    found: list[Expr] = []
    for condition in compatible.conditions:
        if not condition.free_symbols <= set(problem.law.parameters):
            continue
        if facts.sign(condition) not in ("+", "-", "!=") and condition not in found:
            found.append(condition)
    found += [p for p in _stilled(problem, compatible) if p not in found]
    return [c for c in found if _union_of_orbits(c, problem)][:MOST_STRATA]


def _stilled(problem: Problem, compatible: CompatibleSet) -> list[Symbol]:
    """Parameters that may vanish, where another one that varies then no longer does."""
    identity, known = compatible.identity, compatible.family.known
    if identity is None:
        return []
    free = identity.branch.free
    moving = {p: e for p, e in identity.branch.parameters.items() if varies(e, free)}
    facts = compatible.filter.facts
    return [
        p
        for p in known
        if p in problem.law.parameters
        and facts.sign(p) not in ("+", "-", "!=")
        and any(q != p and e.has(p) and not varies(e.subs(p, S.Zero), free) for q, e in moving.items())
    ]


def _union_of_orbits(condition: Expr, problem: Problem) -> bool:
    """Whether reports near a truth on the stratum stay on it; otherwise it is special only to the method."""
    solved = solve_for_parameter(condition, problem.family.known)
    if solved is None:
        return True
    points = problem.on({solved[0]: solved[1]}).sampler.points(1)
    canonical = problem.route.name == "canonical"
    return not points or leaves(problem.family, canonical, condition, points[0]) is not True


def without_answers(conditions: Sequence[Expr], names: Names) -> tuple[Stratum, ...]:
    """The conditions alone."""
    return tuple(Stratum(condition=_text(c, names)) for c in conditions)


def with_answers(
    problem: Problem,
    conditions: Sequence[Expr],
    names: Names,
    budget: Budget,
    clocked: Callable[[CompatibleSet], CompatibleSet] | None = None,
) -> tuple[Stratum, ...]:
    """The answer on each stratum; ``clocked`` puts the true clock right where it is unknown."""
    return tuple(_answer(problem, c, names, budget, clocked) for c in conditions)


def _text(condition: Expr, names: Names) -> str:
    solved = solve_for_parameter(condition, tuple(condition.free_symbols & set(names.parameters)))
    if solved is not None:
        return f"{solved[0]} == {names.text(solved[1])}"
    return f"{names.text(condition)} == 0"


def _answer(
    problem: Problem,
    condition: Expr,
    names: Names,
    budget: Budget,
    clocked: Callable[[CompatibleSet], CompatibleSet] | None,
) -> Stratum:
    budget.check("answering the special cases")
    text = _text(condition, names)
    try:
        compatible = _compatible(problem, condition, text, budget)
    except Unhandled:
        return Stratum(condition=text, outcome="undecided")
    if compatible is None or compatible.scope == "none":
        return Stratum(condition=text, outcome="undecided")
    compatible = compatible if clocked is None else clocked(compatible)
    found = {p: v for p, v in verdicts(compatible).items() if p in problem.law.parameters}
    size = compatible.dimensions
    undecided = any(v.status == "undecided" for v in found.values())
    return Stratum(
        condition=text,
        outcome="undecided" if undecided else "done",
        gauge_dimension=None if size is None else size.lifted,
        orbit_dimension=None if size is None else size.orbit,
        invariants=tuple(names.text(f) for f in invariants(compatible, found).functions),
        parameters=document.parameter_verdicts(found, names),
        branches=tuple(document.branch_info(r, problem.law.parameters, names) for r in compatible.branches),
    )


def _compatible(problem: Problem, condition: Expr, text: str, budget: Budget) -> CompatibleSet | None:
    """The compatible set of a truth on the stratum; None where no parameter can be solved for."""
    solved = solve_for_parameter(condition, problem.family.known)
    if solved is None:
        return None
    if problem.route.name != "canonical":
        there = problem.on({solved[0]: solved[1]})
        return raw_set(there.family, there.sampler, budget)
    law = problem.law
    equality = Condition(condition, "==", text)
    inside = pose(replace(law, assumptions=(*law.assumptions, equality)))
    solve = canonical_set if inside.route.name == "canonical" else raw_set
    compatible = solve(inside.family, inside.sampler, budget)
    off = _off_the_stratum(problem.on({solved[0]: solved[1]}), condition, budget)
    return replace(compatible, branches=(*compatible.branches, *off))


def _off_the_stratum(there: Problem, condition: Expr, budget: Budget) -> list[Realness]:
    """The affine reports, real or undecided, that do not lie on the stratum."""
    judge = RealFilter(there.sampler)
    found = affine_branches(there.family, budget, judge.facts).branches
    away = [b for b in found if not same(condition.xreplace(b.parameters), S.Zero)]
    return list(judged(away, there.family, judge)[0])
