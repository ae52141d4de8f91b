"""``analyze``: text -> Law -> Route -> compatible set -> conclusions -> Analysis."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from sympy import Abs, Expr, Symbol

from identify.algebra.budget import Budget
from identify.analysis import Analysis, Coverage, Stratum
from identify.conclude import document
from identify.conclude.coverage import coverage
from identify.conclude.invariants import invariants
from identify.conclude.lock import translation_lock, weights
from identify.conclude.names import Names
from identify.conclude.verdict import verdicts
from identify.errors import BudgetExceeded
from identify.law import read_law
from identify.law.law import Law
from identify.orbit.branch import Family
from identify.orbit.canonical import canonical_set
from identify.orbit.compatible import CompatibleSet, raw_set
from identify.orbit.generators import Unhandled
from identify.orbit.real import declared_facts
from identify.orbit.sampling import Sampler
from identify.routes.classify import classify
from identify.routes.normalizer import canonical_step
from identify.routes.route import Route

DEFAULT_TIMEOUT = 60.0


def analyze(
    law: str | Law,
    assume: str | Iterable[str] = (),
    domain: str | Iterable[str] = (),
    *,
    strata: bool = False,
    timeout: float | None = None,
) -> Analysis:
    """Which parameters of the law video can identify, with proof.

    ``assume`` and ``domain`` are conditions such as ``"b != 0"`` and ``"z > 0"``; ``strata`` asks for the
    answer on every special case too; after ``timeout`` seconds what is open is undecided.
    """
    read = law if isinstance(law, Law) else read_law(law, assume, domain)
    budget = Budget.seconds(DEFAULT_TIMEOUT if timeout is None else timeout)
    problem = pose(read)
    if problem.route.name == "unsupported":
        return _without_answer(problem, "unsupported", None)
    try:
        solve = canonical_set if problem.route.name == "canonical" else raw_set
        compatible = solve(problem.family, problem.sampler, budget)
        return _answer(problem, compatible, strata, budget)
    except BudgetExceeded as error:
        return _without_answer(problem, "undecided", error.reason)
    except Unhandled as error:
        return _without_answer(problem, "undecided", f"the method does not treat {error}")


@dataclass(frozen=True)
class Problem:
    """A law ready for the orbit stage: equalities eliminated, absolute values resolved."""

    law: Law
    route: Route
    family: Family
    sampler: Sampler


def pose(law: Law) -> Problem:
    """Classify the law and set up its family."""
    truth = eliminations(law)
    acceleration = law.acceleration.xreplace(truth)
    facts = declared_facts((*law.assumptions, *law.domain))
    acceleration = resolve_absolute_values(acceleration, lambda e: facts.sign(e))
    route = classify(replace(law, acceleration=acceleration))
    nonzero = tuple(c.expression.xreplace(truth) for c in law.assumptions if c.relation in ("!=", ">"))
    family = Family(law.state, law.parameters, route.channels, truth, nonzero)
    sampler = Sampler(law.state, law.parameters, truth, law.assumptions, law.domain)
    return Problem(law, route, family, sampler)


def eliminations(law: Law) -> dict[Symbol, Expr]:
    """Declared equalities solved for a parameter that enters linearly."""
    found: dict[Symbol, Expr] = {}
    for condition in law.assumptions:
        if condition.relation != "==":
            continue
        expression = condition.expression.xreplace(found)
        for parameter in reversed(law.parameters):
            slope = expression.diff(parameter)
            if slope.is_number and slope != 0:
                value = (parameter - expression / slope).expand()
                found = {p: e.xreplace({parameter: value}) for p, e in found.items()}
                found[parameter] = value
                break
        else:
            raise Unhandled(f"the equality {condition.text}, which no parameter enters linearly")
    return found


def resolve_absolute_values(expression: Expr, sign) -> Expr:  # type: ignore[no-untyped-def]
    """``|x|`` replaced by x or -x where the declared conditions decide the sign."""
    for atom in expression.atoms(Abs):
        found = sign(atom.args[0])
        if found in ("+", ">="):
            expression = expression.xreplace({atom: atom.args[0]})
        elif found in ("-", "<="):
            expression = expression.xreplace({atom: -atom.args[0]})
    return expression


def _answer(problem: Problem, compatible: CompatibleSet, strata: bool, budget: Budget) -> Analysis:
    names = Names(problem.law.parameters, problem.law.state)
    found = verdicts(compatible)
    functions = invariants(compatible, found)
    lock = translation_lock(compatible, problem.route)
    scale = weights(compatible, lock)
    law = document.law_info(problem.law)
    special = conditions_as_strata(problem, compatible)
    undecided = [p.name for p, v in found.items() if v.status == "undecided"]
    reason = f"{', '.join(undecided)}: " + next(
        (v.why for v in found.values() if v.status == "undecided"), ""
    )
    return Analysis(
        law=law,
        outcome="undecided" if undecided else "done",
        route=document.route_info(problem.route),
        coverage=coverage(problem.route),
        gauge=document.gauge(compatible, problem.route, names),
        weights=None if scale is None else {p.name: _weight(w, names) for p, w in scale.items()},
        orbit_dimension=None if compatible.dimensions is None else compatible.dimensions.orbit,
        invariants=tuple(names.text(f) for f in functions.functions),
        sign_invariants=tuple(f"sign({names.text(f)})" for f in functions.signs),
        parameters=document.parameter_verdicts(found, names),
        redundancy=redundancy(problem, compatible),
        canonical=canonical_step(problem.law, problem.route) if problem.route.name == "canonical" else None,
        strata=special,
        guarantee=document.guarantee(compatible, problem.route, special, True),
        certificate=document.certificate(law, compatible, functions, names),
        warnings=tuple(warnings(compatible, functions.complete)),
        undecided_because=reason if undecided else None,
    )


def _weight(weight: Expr, names: Names) -> int | str:
    """A weight as an integer where it is one."""
    return int(weight) if weight.is_Integer else names.text(weight)


def conditions_as_strata(problem: Problem, compatible: CompatibleSet) -> tuple[Stratum, ...]:
    """The conditions that the generic answer used and the assumptions do not already exclude."""
    facts = compatible.filter.facts
    names = Names(problem.law.parameters, problem.law.state)
    found = []
    for condition in compatible.conditions:
        if facts.sign(condition) not in ("+", "-", "!=") and condition.free_symbols:
            found.append(Stratum(condition=f"{names.text(condition)} == 0"))
    return tuple(found)


def redundancy(problem: Problem, compatible: CompatibleSet) -> tuple[str, ...]:
    """Parameters that the law contains only in combinations, whatever the coordinate."""
    if compatible.dimensions is None or compatible.dimensions.redundancy == 0:
        return ()
    found = verdicts(compatible)
    together = [p.name for p, v in found.items() if v.redundant]
    return (f"{', '.join(together)} enter the law only in combinations",) if together else ()


def warnings(compatible: CompatibleSet, complete: bool) -> list[str]:
    """What a reader should know before relying on the answer."""
    found = list(compatible.gaps)
    if not complete:
        found.append("the list of invariants is not complete")
    return found


def _without_answer(problem: Problem, outcome: str, because: str | None) -> Analysis:
    law = document.law_info(problem.law)
    cover: Coverage | None = None if outcome == "unsupported" else coverage(problem.route)
    return Analysis(
        law=law,
        outcome=outcome,  # type: ignore[arg-type]
        route=document.route_info(problem.route),
        coverage=cover,
        gauge=None,
        weights=None,
        orbit_dimension=None,
        invariants=(),
        sign_invariants=(),
        parameters={},
        redundancy=(),
        canonical=None,
        strata=(),
        guarantee=None,
        certificate={},
        warnings=(),
        undecided_because=because,
    )
