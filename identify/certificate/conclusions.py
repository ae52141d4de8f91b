"""Invariants, sign invariants and verdicts, re-checked on drawn reports and on the tangent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

import mpmath
from sympy import Expr, Symbol, sign

from identify.certificate.branch import Branch
from identify.certificate.document import VerdictClaim
from identify.certificate.evaluation import Point, Unreadable, Value, evaluate
from identify.certificate.linear import eliminate
from identify.certificate.linearisation import Tangent, gradient
from identify.certificate.problem import Problem, Theta
from identify.certificate.reports import Report, Trial
from identify.certificate.sampling import equalities
from identify.certificate.verification import Check

Test = Callable[["Evidence", Expr], tuple[bool | None, str]]

MOVED = mpmath.mpf(10) ** -12


@dataclass(frozen=True)
class Evidence:
    """Everything that was drawn for one stratum: reports by branch, and the linearised orbit."""

    problem: Problem
    trials: tuple[Trial, ...]
    tangents: tuple[Tangent, ...]
    digits: int
    generic: bool

    @property
    def reports(self) -> list[tuple[Branch, Report]]:
        """All reports with their branch."""
        return [(trial.branch, report) for trial in self.trials for report in trial.reports]

    def same(self, left: Value, right: Value) -> bool:
        """Whether two values agree to the digits asked for."""
        return bool(abs(left - right) <= mpmath.mpf(10) ** -self.digits * (1 + abs(left) + abs(right)))


def check_invariants(evidence: Evidence, invariants: Iterable[str], signs: Iterable[str]) -> list[Check]:
    """Each invariant is constant on every report, and along the linearised orbit."""
    checks = [_guarded(evidence, f"invariant {text}", text, _check_invariant) for text in invariants]
    return checks + [_guarded(evidence, f"sign invariant {text}", text, _check_sign) for text in signs]


def _guarded(evidence: Evidence, name: str, text: str, check: Test) -> Check:
    claim = f"{text} has the same value for every admissible report"
    try:
        passed, detail = check(evidence, evidence.problem.reader.expression(text))
    except Unreadable as refusal:
        passed, detail = False, str(refusal)
    return Check(name, claim, passed, detail)


def _check_invariant(evidence: Evidence, expression: Expr) -> tuple[bool | None, str]:
    constant, detail = _constant(evidence, expression)
    if constant and not expression.has(sign):
        constant, detail = _flat(evidence, expression, detail)
    drawn = [r.theta for _, r in evidence.reports] + [t.theta for t in evidence.tangents]
    if constant and any(value_at(expression, theta) is None for theta in drawn):
        return None, f"{detail}, but it has no real value at some admissible parameters"
    return constant, detail


def _check_sign(evidence: Evidence, expression: Expr) -> tuple[bool | None, str]:
    return _sign_kept(evidence, expression if expression.func is sign else sign(expression))


def _sign_kept(evidence: Evidence, expression: Expr) -> tuple[bool | None, str]:
    """Whether the sign is the same on all reports, and far along each branch as well."""
    for trial in evidence.trials:
        for theta, eta in trial.far:
            before, after = value_at(expression, theta), value_at(expression, eta)
            if before is not None and after is not None and before != after:
                return False, f"the sign changes far along branch {trial.branch.label}"
    kept, detail = _constant(evidence, expression, whole=True)
    far = sum(len(trial.far) for trial in evidence.trials)
    return (True, f"kept at {far} points far along the branches") if kept is None and far else (kept, detail)


def _constant(evidence: Evidence, expression: Expr, whole: bool = False) -> tuple[bool | None, str]:
    """Whether the value at theta equals the value at eta for all reports, or all that keep the domain."""
    seen = 0
    for branch, report in evidence.reports:
        if whole and not report.whole:
            continue
        before, after = value_at(expression, report.theta), value_at(expression, report.eta)
        if before is None or after is None:
            continue
        if not evidence.same(before, after):
            return False, f"{_short(before)} becomes {_short(after)} on branch {branch.label}"
        seen += 1
    return (True, f"equal at {seen} reports") if seen else (None, "no report to test it on")


def _flat(evidence: Evidence, expression: Expr, detail: str) -> tuple[bool | None, str]:
    """Whether the gradient annihilates the linearised orbit."""
    if not evidence.generic:
        return True, detail
    for tangent in evidence.tangents:
        try:
            slope = gradient(expression, evidence.problem, tangent.theta)
        except (Unreadable, ArithmeticError):
            continue
        for direction in tangent.directions:
            change = sum(a * b for a, b in zip(slope, direction, strict=True))
            if abs(change) > MOVED * (1 + max(map(abs, slope)) * max(map(abs, direction))):
                return False, "it varies along the linearised orbit"
    return True, detail


def check_independence(
    evidence: Evidence, invariants: Iterable[str], orbit: int | None, complete: bool
) -> Check:
    """The invariants are as many independent functions as the orbit leaves: complete locally."""
    claim = "the invariants separate nearby orbits (rank = parameters - orbit dimension)"
    if orbit is None or not evidence.tangents:
        return Check("completeness", claim, None, "no orbit dimension to compare with")
    count = len(evidence.problem.declared)
    fixed, both, refusal = None, None, "the rank has no clear gap"
    for tangent in evidence.tangents:
        try:
            fixed, both = _ranks(evidence.problem, invariants, tangent.theta)
        except (Unreadable, ArithmeticError) as undefined:
            refusal = str(undefined)
    if fixed is None or both is None:
        return Check("completeness", claim, None, refusal)
    needed, found = count - fixed - orbit, both - fixed
    if found < needed and not complete:
        return Check("completeness", claim, None, f"rank {found} of {needed}; the document says so itself")
    return Check("completeness", claim, found == needed, f"rank {found}, needed {needed}")


def _ranks(problem: Problem, invariants: Iterable[str], theta: Theta) -> tuple[int | None, int | None]:
    """The ranks of the declared equalities alone, and with the invariants."""
    ties = [gradient(e, problem, theta) for e in equalities(problem)]
    rows = [gradient(e, problem, theta) for e in _smooth(problem, invariants)]
    count = len(problem.parameters)
    return eliminate(ties, count).rank, eliminate(ties + rows, count).rank


def _smooth(problem: Problem, invariants: Iterable[str]) -> list[Expr]:
    expressions = [problem.reader.expression(text) for text in invariants]
    return [expression for expression in expressions if expression.func is not sign]


def check_verdicts(evidence: Evidence, verdicts: Mapping[str, VerdictClaim], done: bool) -> list[Check]:
    """The verdict on each parameter, its transformation and its alternatives; all are given if done."""
    checks = []
    for index, parameter in enumerate(evidence.problem.declared):
        verdict = verdicts.get(parameter.name)
        name = f"parameter {parameter.name}"
        if verdict is None or verdict.status == "undecided":
            if done:
                checks.append(Check(name, "has a verdict", False, "the document gives none"))
            continue
        passed, detail = _verdict(evidence, index, parameter, verdict.status)
        checks.append(Check(name, f"is {verdict.status}", passed, detail))
        checks.extend(_redundancy(evidence, index, parameter, verdict.redundant))
        checks.extend(_transform_checks(evidence, parameter, verdict))
    known = {p.name for p in evidence.problem.declared}
    strange = sorted(set(verdicts) - known)
    return checks + [Check(f"parameter {n}", "belongs to the law", False, "unknown") for n in strange]


def _verdict(evidence: Evidence, index: int, parameter: Symbol, status: str) -> tuple[bool | None, str]:
    moves = _moves(evidence, index)
    constant, detail = _constant(evidence, parameter)
    if constant is None or moves is None:
        return None, detail if constant is None else "no tangent could be computed"
    if status == "identified":
        return (constant and not moves), detail if not constant else _motion(moves)
    if status == "finite":
        return _finite(evidence, parameter, constant, moves)
    if not moves:
        return False, "no continuous change found: neither on the branches nor on the tangent"
    if status == "sign":
        return _sign_kept(evidence, sign(parameter))
    kept, detail = _sign_kept(evidence, sign(parameter))
    return (True, detail) if kept is False else (None, "it varies, but no report with another sign was found")


def _redundancy(evidence: Evidence, index: int, parameter: Symbol, claimed: bool) -> list[Check]:
    """Whether the parameter varies although the coordinate stays as it is."""
    found = [t.redundant(index) for t in evidence.tangents] if evidence.generic else []
    known = [answer for answer in found if answer is not None]
    if not known:
        return []
    claim = f"{parameter} {'varies' if claimed else 'does not vary'} with the coordinate fixed"
    return [Check(f"redundancy {parameter}", claim, any(known) == claimed)]


def _moves(evidence: Evidence, index: int) -> bool | None:
    """Whether the parameter varies continuously: by the tangent, on a stratum by the branches."""
    if evidence.generic:
        return any(t.moves(index) for t in evidence.tangents) if evidence.tangents else None
    parameter = evidence.problem.parameters[index]
    return _varies_with_free(evidence, parameter)


def _motion(moves: bool | None) -> str:
    return "varies along the orbit" if moves else "constant along the orbit and equal on every branch"


def _finite(evidence: Evidence, parameter: Symbol, constant: bool, moves: bool) -> tuple[bool | None, str]:
    if moves or _varies_with_free(evidence, parameter):
        return False, "it varies continuously"
    if constant and any(_turns_outside(trial, parameter) for trial in evidence.trials):
        return None, "at the points drawn, the other values lie outside the assumptions"
    if constant:
        return False, "no branch of the document returns another value"
    return True, "constant along each branch, and another branch returns another value"


def _turns_outside(trial: Trial, parameter: Symbol) -> bool:
    """Whether a branch that runs through the integers has other values, which no draw admitted."""
    value = trial.branch.parameters.get(parameter)
    runs = value is not None and value.free_symbols & set(trial.branch.integers)
    return bool(runs) and trial.dropped["outside the assumptions"] > 0


def _varies_with_free(evidence: Evidence, parameter: Symbol) -> bool:
    """Whether two reports of one branch with the same theta disagree."""
    for trial in evidence.trials:
        if trial.branch.roots:
            continue
        for one, two in _pairs(trial.reports):
            turned = any(one.point[n] != two.point[n] for n in trial.branch.integers)
            if not turned and not evidence.same(one.eta[parameter], two.eta[parameter]):
                return True
    return False


def _pairs(reports: list[Report]) -> Iterator[tuple[Report, Report]]:
    for k, one in enumerate(reports):
        yield from ((one, two) for two in reports[k + 1 :] if two.theta == one.theta)


def _transform_checks(evidence: Evidence, parameter: Symbol, verdict: VerdictClaim) -> list[Check]:
    checks = []
    if verdict.transform is not None:
        claim = f"{parameter} is reported as {verdict.transform[:80]}"
        passed = _attained(evidence, parameter, verdict.transform)
        checks.append(Check(f"transform {parameter}", claim, passed, _attained_detail(passed)))
    for text in verdict.alternatives:
        passed = _attained(evidence, parameter, text)
        claim = f"{text[:80]} is another possible value of {parameter}"
        checks.append(Check(f"alternative {parameter}", claim, passed, _attained_detail(passed)))
    return checks


def _attained_detail(passed: bool | None) -> str:
    return {True: "", False: "no branch reports this value", None: "cannot be read or tested"}[passed]


def _attained(evidence: Evidence, parameter: Symbol, text: str) -> bool | None:
    """Whether some branch reports this expression at all its points; None if no branch can read it."""
    answers = [_attained_on(evidence, trial, parameter, text) for trial in evidence.trials]
    if any(answers):
        return True
    return None if None in answers or not answers else False


def _attained_on(evidence: Evidence, trial: Trial, parameter: Symbol, text: str) -> bool | None:
    try:
        expression = trial.branch.reader.expression(text)
    except Unreadable:
        return None
    if not trial.reports:
        return None
    pairs = [(value_at(expression, r.point), r.eta[parameter]) for r in trial.reports]
    return all(value is not None and evidence.same(value, reported) for value, reported in pairs)


def value_at(expression: Expr, point: Point) -> Value | None:
    """The value, or None where there is no real one."""
    try:
        return evaluate(expression, point)
    except ArithmeticError:
        return None


def _short(value: Value) -> str:
    return str(mpmath.nstr(value, 8))
