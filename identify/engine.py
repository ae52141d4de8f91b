"""``analyze``: text -> Law -> Route -> compatible set -> conclusions -> Analysis."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import cast

from sympy import Expr, Symbol

from identify.algebra.budget import Budget
from identify.analysis import Analysis, Calibration, CanonicalInfo, Coverage, Outcome, RouteInfo
from identify.conclude import document
from identify.conclude.anchor_kinds import KAPPA
from identify.conclude.calibration import Request, calibration, read_request
from identify.conclude.clock import Clocked, with_unknown_clock
from identify.conclude.coverage import coverage
from identify.conclude.invariants import invariants
from identify.conclude.lock import translation_lock, weights
from identify.conclude.names import Names
from identify.conclude.strata import special_conditions, with_answers, without_answers
from identify.conclude.verdict import Verdict, verdicts
from identify.errors import BudgetExceeded, InputError, NotPrintable
from identify.law import read_law
from identify.law.law import Law
from identify.orbit.canonical import canonical_set
from identify.orbit.compatible import CompatibleSet, raw_set
from identify.orbit.generators import Unhandled
from identify.orbit.problem import Problem, pose
from identify.routes.normalizer import canonical_step

DEFAULT_TIMEOUT = 60.0
_NO_TIME = "the time given was not enough"


def analyze(
    law: str | Law,
    assume: str | Iterable[str] = (),
    domain: str | Iterable[str] = (),
    *,
    strata: bool = False,
    timeout: float | None = None,
    memory: int | None = None,
    isolated: bool = False,
    anchors: Iterable[str] = (),
    unknown_clock: bool = False,
    units: Mapping[str, str] | None = None,
) -> Analysis:
    """Which parameters of the law video can identify, with proof.

    ``assume`` and ``domain`` are conditions such as ``"b != 0"`` and ``"z > 0"``; ``strata`` asks for the
    answer on every special case too; after ``timeout`` seconds what is open is undecided.  ``isolated``
    makes that certain: the work is done in a process that is killed when it exceeds the time, or ``memory``
    megabytes; without it a timer interrupts Python, which a long step inside a library can outlast.
    ``anchors`` are physical facts such as ``"displacement=0.400+-0.002 m"``, whose effect is told in
    ``calibration``; ``units`` maps names to units; ``unknown_clock`` admits footage of unknown time scale.
    """
    seconds = DEFAULT_TIMEOUT if timeout is None else timeout
    question = _Question(
        law, _texts(assume), _texts(domain), strata, seconds, tuple(anchors), unknown_clock, dict(units or {})
    )
    if not isolated:
        return _analysed(None, question)
    from identify.isolation import MEMORY, within

    ended = within(seconds, MEMORY if memory is None else memory, _analysed, question)
    analysis = cast("Analysis | None", ended.value)
    if analysis is None:
        raise BudgetExceeded(ended.because or _NO_TIME)
    return analysis if ended.because is None else replace(analysis, undecided_because=ended.because)


@dataclass(frozen=True)
class _Question:
    """What ``analyze`` was asked."""

    law: str | Law
    assume: tuple[str, ...]
    domain: tuple[str, ...]
    strata: bool
    seconds: float
    anchors: tuple[str, ...]
    unknown_clock: bool
    units: dict[str, str]


def _texts(conditions: str | Iterable[str]) -> tuple[str, ...]:
    return (conditions,) if isinstance(conditions, str) else tuple(conditions)


def _analysed(keep: Callable[[Analysis], None] | None, question: _Question) -> Analysis:
    """The answer; ``keep`` gets what can be said without it, as soon as it can."""
    budget = Budget.seconds(question.seconds)
    law = question.law
    read = (
        law if isinstance(law, Law) else read_law(law, question.assume, question.domain)
    )  # bounded by limits
    if keep is not None:
        keep(_unposed(read, _NO_TIME))
    try:
        with budget.enforced():
            problem = pose(read)
            clocked = _clocked(problem) if question.unknown_clock else None
            scale = None if clocked is None else clocked.scale
            request = read_request(read, question.anchors, question.units, scale)
    except Unhandled as error:
        raise InputError(
            f"the tool does not treat {error}",
            read.text,
            hint="declare a law without it; docs/method.md lists what is not decided",
        ) from error
    except BudgetExceeded as error:
        return _unposed(read, error.reason)
    if problem.route.name == "unsupported":
        return _without_answer(problem, "unsupported", None)
    if keep is not None:
        keep(_without_answer(problem, "undecided", _NO_TIME))
    try:
        with budget.enforced():
            posed = problem if clocked is None else clocked.problem
            solve = canonical_set if problem.route.name == "canonical" else raw_set
            compatible = solve(posed.family, posed.sampler, budget)
            if clocked is not None:
                compatible = clocked.at_true_clock(compatible)
            return _answer(posed, compatible, question.strata, budget, request, clocked)
    except BudgetExceeded as error:
        return _without_answer(problem, "undecided", error.reason)
    except Unhandled as error:
        return _without_answer(problem, "undecided", f"the method does not treat {error}")
    except NotPrintable as error:
        return _without_answer(problem, "undecided", f"a result cannot be written down: {error}")


def _clocked(problem: Problem) -> Clocked:
    try:
        return with_unknown_clock(problem)
    except Unhandled as error:
        raise InputError(
            f"the tool does not treat {error} on an unknown clock",
            problem.law.text,
            hint="declare a law without it; docs/method.md lists what is not decided",
        ) from error


def _calibration(
    problem: Problem,
    compatible: CompatibleSet,
    found: dict[Symbol, Verdict],
    canonical: CanonicalInfo | None,
    request: Request,
    names: Names,
    budget: Budget,
) -> Calibration | None:
    """The calibration, or None where time ran out: the answer itself stands without it."""
    try:
        return calibration(problem, compatible, found, canonical, request, names, budget)
    except BudgetExceeded:
        return None


def _answer(
    problem: Problem,
    compatible: CompatibleSet,
    strata: bool,
    budget: Budget,
    request: Request,
    clocked: Clocked | None,
) -> Analysis:
    names = Names(problem.law.parameters, problem.law.state, problem.hidden)
    if request.clock is not None:
        names.with_clock(request.clock, KAPPA)
        strata = strata and problem.route.name != "canonical"  # strata there are posed on a known clock
    found = {p: v for p, v in verdicts(compatible).items() if p in problem.law.parameters}
    functions = invariants(compatible, found)
    lock = translation_lock(compatible, problem.route)
    scale = weights(compatible, lock)
    law = document.law_info(problem.law)
    special = special_conditions(problem, compatible)
    turned = None if clocked is None else clocked.at_true_clock
    answers = (
        with_answers(problem, special, names, budget, turned) if strata else without_answers(special, names)
    )
    undecided = [p.name for p, v in found.items() if v.status == "undecided"]
    reason = f"{', '.join(undecided)}: " + next(
        (v.why for v in found.values() if v.status == "undecided"), ""
    )
    canonical = canonical_step(problem.law, problem.route) if problem.route.name == "canonical" else None
    return Analysis(
        law=law,
        outcome="undecided" if undecided else "done",
        route=document.route_info(problem.route),
        coverage=coverage(problem.route),
        gauge=document.gauge(compatible, problem.route, problem.law.parameters, names),
        weights=_weights(scale, problem, names),
        orbit_dimension=None if compatible.dimensions is None else compatible.dimensions.orbit,
        invariants=tuple(names.text(_declared(f, problem)) for f in functions.functions),
        sign_invariants=tuple(f"sign({names.text(f)})" for f in functions.signs),
        parameters=document.parameter_verdicts(found, names),
        redundancy=redundancy(found, compatible),
        canonical=canonical,
        strata=answers,
        guarantee=document.guarantee(compatible, problem.route, answers, True),
        certificate=document.certificate(law, compatible, functions, names),
        warnings=tuple(warnings(compatible, functions.complete)),
        undecided_because=reason if undecided else None,
        calibration=_calibration(problem, compatible, found, canonical, request, names, budget),
    )


def _declared(function: Expr, problem: Problem) -> Expr:
    """The declared parameter where a hidden one is an invariant, or what is under its root."""
    return next((h.plain for h in problem.hidden if h.symbol == function), function)


def _weights(scale: dict[Symbol, Expr] | None, problem: Problem, names: Names) -> dict[str, int | str] | None:
    """The weights of the declared parameters."""
    if scale is None:
        return None
    return {p.name: _weight(scale[p], names) for p in problem.law.parameters}


def _weight(weight: Expr, names: Names) -> int | str:
    """A weight as an integer where it is one."""
    return int(weight) if weight.is_Integer else names.text(weight)


def redundancy(found: dict[Symbol, Verdict], compatible: CompatibleSet) -> tuple[str, ...]:
    """Parameters that the law contains only in combinations, whatever the coordinate."""
    if compatible.dimensions is None or compatible.dimensions.redundancy == 0:
        return ()
    together = [p.name for p, v in found.items() if v.redundant]
    return (f"{', '.join(together)} enter the law only in combinations",) if together else ()


def warnings(compatible: CompatibleSet, complete: bool) -> list[str]:
    """What a reader should know before relying on the answer."""
    found = list(compatible.gaps)
    if not complete:
        found.append("the list of invariants is not complete")
    return found


def _without_answer(problem: Problem, outcome: Outcome, because: str | None) -> Analysis:
    cover: Coverage | None = None if outcome == "unsupported" else coverage(problem.route)
    return _empty(problem.law, outcome, document.route_info(problem.route), cover, because)


def _unposed(law: Law, because: str) -> Analysis:
    """The analysis of a law whose route was not found in time."""
    return _empty(law, "undecided", RouteInfo("undecided", (), None, None, None), None, because)


def _empty(
    law: Law, outcome: Outcome, route: RouteInfo, cover: Coverage | None, because: str | None
) -> Analysis:
    return Analysis(
        law=document.law_info(law),
        outcome=outcome,
        route=route,
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
