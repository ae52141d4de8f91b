"""Given anchors re-checked: verdicts, surviving branches, sensitivities and uncertainties."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction

import mpmath
from sympy import Expr, Symbol

from identify.certificate.anchored import AnchoredSearch, Found, differ
from identify.certificate.anchors import Anchor, equations, given_anchors, place_names
from identify.certificate.branch import UNDECIDED, Branch, read_branch
from identify.certificate.conclusions import value_at
from identify.certificate.document import (
    BranchClaim,
    CalibratedClaim,
    CalibrationClaim,
    GivenAnchorClaim,
    GivenClaim,
)
from identify.certificate.evaluation import Point, Unreadable, Value, evaluate
from identify.certificate.linear import Row
from identify.certificate.problem import Problem
from identify.certificate.reading import Comparison, evaluable
from identify.certificate.reports import Trial, try_branch
from identify.certificate.sampling import Sampler
from identify.certificate.verification import Check

CLOSE = mpmath.mpf(10) ** -18
ROUNDED = 1e-6  # of an uncertainty written as a machine number


def check_given(
    problem: Problem, branches: Iterable[BranchClaim], claim: CalibrationClaim, sampler: Sampler
) -> list[Check]:
    """All checks of the given anchors; none where none were given."""
    given = claim.given
    if given is None:
        return []
    try:
        placed = _placed(problem, given.anchors)
        anchors = given_anchors(given.anchors, placed)
        _values(given.anchors)
        few = replace(sampler, samples=2, pools={})
        claims = [b for b in branches if UNDECIDED not in b.conditions]
        trials = [try_branch(placed, read_branch(placed, b, str(k)), few) for k, b in enumerate(claims, 1)]
        return _Given(placed, anchors, given, claim, AnchoredSearch(placed, trials, few), few).checks()
    except Unreadable as refusal:
        return [Check("given anchors", "can be read", False, str(refusal))]


def _placed(problem: Problem, anchors: Sequence[GivenAnchorClaim]) -> Problem:
    """The problem with the anchored states; known signs and equilibria restrict the truth."""
    bare = problem.with_places(place_names([a.at for a in anchors]))
    symbols = {p.name: p for p in bare.places}
    more = []
    for anchor in anchors:
        if anchor.kind not in ("state", "equilibrium") or not anchor.at or anchor.at[0] == "0":
            continue
        place = symbols[anchor.at[0]]
        if anchor.value is not None:
            more.append(Comparison(place if _number(anchor.value) > 0 else -place, ">"))
        if anchor.kind == "equilibrium":
            rest = problem.acceleration.xreplace({problem.velocity: place * 0, problem.state: place})
            more.append(Comparison(evaluable(rest), "=="))
    return replace(bare, truth=(*bare.truth, *more))


def _number(text: str) -> Fraction:
    try:
        value = Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise Unreadable(f"{text[:40]!r} is not a number") from None
    if len(text) > 40 or "/" in text:
        raise Unreadable(f"{text[:40]!r} is not a decimal")
    return value


def _values(anchors: Sequence[GivenAnchorClaim]) -> dict[str, Fraction]:
    """The anchored states whose value is known; a name stands for one value."""
    found: dict[str, Fraction] = {}
    for anchor in anchors:
        value = None if anchor.value is None else _number(anchor.value)
        if anchor.uncertainty is not None and _number(anchor.uncertainty) < 0:
            raise Unreadable("an uncertainty is negative")
        if anchor.kind in ("state", "equilibrium") and value is not None and anchor.at:
            known = Fraction(0) if anchor.at[0] == "0" else found.setdefault(anchor.at[0], value)
            if known != value:
                raise Unreadable(f"{anchor.at[0]} stands for two values")
    return found


class _Given:
    """The checks of one list of given anchors."""

    def __init__(
        self,
        problem: Problem,
        anchors: tuple[Anchor, ...],
        given: GivenClaim,
        claim: CalibrationClaim,
        search: AnchoredSearch,
        sampler: Sampler,
    ) -> None:
        self.problem, self.anchors, self.given, self.claim = problem, anchors, given, claim
        self.search, self.sampler = search, sampler
        self.found: Found = search.reports(anchors)

    def checks(self) -> list[Check]:
        checks = [self._rank()]
        if set(self.given.parameters) != {p.name for p in self.problem.declared}:
            return [*checks, Check("given verdicts", "are about the law's parameters", False)]
        trials, told = self._branches()
        checks += told
        if self.given.scope == "global":
            checks.append(self._listed(trials))
        for p in self.problem.declared:
            verdict = self.given.parameters[p.name]
            checks.append(self._verdict(p, verdict))
            checks += self._values(p, verdict, trials)
            checks += self._uncertainty(p, verdict)
        return checks

    def _rank(self) -> Check:
        claim = f"the given anchors have the anchor rank {self.given.rank}"
        found = self.search.rank(self.anchors)
        if found is None or self.given.rank is None:
            return Check("given rank", claim, None, "the map is implicit or the rank unclear")
        return Check("given rank", claim, found == self.given.rank, f"rank {found}")

    # -- branches ---------------------------------------------------------------------------------

    def _branches(self) -> tuple[list[Trial], list[Check]]:
        """Each surviving branch is compatible and agrees with the anchors."""
        trials, checks = [], []
        for number, claim in enumerate(self.given.branches, 1):
            if UNDECIDED in claim.conditions:
                continue
            name = f"given branch {number} ({(claim.map or claim.relation or '?')[:40]})"
            try:
                trial = try_branch(self.problem, read_branch(self.problem, claim, str(number)), self.sampler)
            except Unreadable as refusal:
                checks.append(Check(name, "can be read", False, str(refusal)))
                continue
            trials.append(trial)
            check = trial.check(self.sampler.digits)
            agrees, detail = self._agrees(trial) if check.passed else (check.passed, check.detail)
            checks.append(Check(name, "is compatible and agrees with the anchors", agrees, detail))
        return trials, checks

    def _agrees(self, trial: Trial) -> tuple[bool | None, str]:
        systems = list(equations(self.anchors, trial.branch, self.problem))
        if not systems:
            return None, "the map is implicit"
        for report in trial.reports:
            gaps = [[value_at(e, report.point) for e in system] for system in systems]
            if not any(all(x is not None and abs(x) < CLOSE for x in gap) for gap in gaps):
                return False, "it does not agree with the anchors"
        return True, f"at {len(trial.reports)} reports"

    def _listed(self, trials: Sequence[Trial]) -> Check:
        """No report that agrees with the anchors is missing from the list."""
        claim = "the surviving branches are all that agree with the anchors"
        fixed = [t.branch for t in trials if not t.branch.free and not t.branch.integers]
        loose = len(fixed) < len(self.given.branches)
        missing = [r for r in self.found.reports if not any(self._same(b, r.theta, r.eta) for b in fixed)]
        if missing and not loose:
            return Check("given branches", claim, False, "a report that agrees is on none of them")
        if not self.found.whole:
            return Check("given branches", claim, None, "not every branch could be searched")
        detail = f"{len(self.found.reports)} reports found; a search, not a proof"
        return Check("given branches", claim, True, detail)

    def _same(self, branch: Branch, theta: Point, eta: Point) -> bool:
        try:
            points = list(branch.with_roots(theta))
        except ArithmeticError:
            return False
        for point in points:
            values = {p: value_at(e, point) for p, e in branch.parameters.items()}
            if all(x is not None and not differ(x, eta[p]) for p, x in values.items()):
                return True
        return False

    # -- verdicts ---------------------------------------------------------------------------------

    def _verdict(self, parameter: Symbol, verdict: CalibratedClaim) -> Check:
        name, claim = f"given {parameter}", f"is {verdict.status} with the anchors"
        passed, detail = self._status(parameter, verdict.status)
        if verdict.unit is not None and (self.claim.units or {}).get(parameter.name) != verdict.unit:
            passed, detail = False, "its unit is not the one derived from the law"
        return Check(name, claim, passed, detail)

    def _status(self, parameter: Symbol, status: str) -> tuple[bool | None, str]:
        near = self.search.determines(self.anchors, parameter)
        moved = [r for r in self.found.reports if not r.keeps(parameter)]
        flipped = [r for r in moved if r.eta[parameter] * r.theta[parameter] <= 0]
        whole = self.found.whole
        if status == "undecided":
            return True, "nothing is claimed"
        if status == "identified":
            if near is False:
                return False, "the anchor rank does not fix it, even near the truth"
            if moved and self.given.scope == "global":
                return False, "a report that agrees with the anchors gives another value"
            known = near is not None and (whole or self.given.scope != "global")
            return (True if known else None), f"{len(self.found.reports)} reports found, all agree"
        if status == "finite":
            if near is False:
                return False, "it varies continuously"
            return (True, "another value was found") if moved else (None, "no other value was found")
        if near is True and not moved and whole:
            return False, "the anchors fix it on every branch"
        if status == "sign":
            return (False, "a report has another sign") if flipped else (whole or None, "kept where found")
        return (
            (True, "another sign was found") if flipped else (None, "no report with another sign was found")
        )

    def _values(self, parameter: Symbol, verdict: CalibratedClaim, trials: Sequence[Trial]) -> list[Check]:
        """Transform and alternatives are attained on a surviving branch."""
        checks = []
        told = [verdict.transform] if verdict.transform is not None else []
        for text in (*told, *verdict.alternatives) if trials else ():
            passed = any(self._attained(trial, parameter, text) for trial in trials if trial.reports)
            claim = f"a report may give {text[:80]}"
            checks.append(Check(f"given value {parameter}", claim, passed))
        return checks

    def _attained(self, trial: Trial, parameter: Symbol, text: str) -> bool:
        try:
            expression = trial.branch.reader.expression(text)
        except Unreadable:
            return False
        pairs = [(value_at(expression, r.point), r.eta[parameter]) for r in trial.reports]
        return all(value is not None and not differ(value, told) for value, told in pairs)

    # -- uncertainties ----------------------------------------------------------------------------

    def _uncertainty(self, parameter: Symbol, verdict: CalibratedClaim) -> list[Check]:
        """``d log eta = sum c_i d log A_i`` at the identity, and the total that follows from it."""
        if not verdict.sensitivity and verdict.relative_uncertainty is None:
            return []
        name, claim = f"uncertainty {parameter}", "follows from the anchors' own"
        try:
            passed, detail = self._sensitive(parameter, verdict)
        except (Unreadable, ArithmeticError) as refusal:
            passed, detail = False, str(refusal)[:160]
        return [Check(name, claim, passed, detail)]

    def _sensitive(self, parameter: Symbol, verdict: CalibratedClaim) -> tuple[bool | None, str]:
        texts = [a.text for a in self.given.anchors]
        if set(verdict.sensitivity) - set(texts):
            return False, "a sensitivity belongs to no given anchor"
        read = {t: self.problem.reader.expression(e) for t, e in verdict.sensitivity.items()}
        base, rows = self.search.base(), self.search.rows(self.anchors)
        own = None if base is None else self.search.row(base[0].parameters[parameter])
        if base is None or rows is None or own is None or base[0].roots:
            return None, "the map is implicit"
        point = base[1]
        gap: Row = [x / point[parameter] for x in own]
        for anchor, row, text in zip(self.anchors, rows, texts, strict=True):
            if text not in read:
                continue
            true = evaluate(anchor.true(), point)
            weight = evaluate(read[text], point) / (true if true else mpmath.mpf(1))
            gap = [g - weight * x for g, x in zip(gap, row, strict=True)]
        if any(abs(x) > CLOSE * (1 + max(map(abs, own))) for x in gap):
            return False, "the sensitivities do not reproduce the parameter's change"
        return self._total(verdict, read)

    def _total(self, verdict: CalibratedClaim, read: dict[str, Expr]) -> tuple[bool | None, str]:
        if verdict.relative_uncertainty is None:
            return True, "sensitivities only"
        known = _values(self.given.anchors)
        at: dict[Symbol, Value] = {}
        for place in self.problem.places:
            if place.name in known:
                value = known[place.name]
                at[place] = mpmath.mpf(value.numerator) / value.denominator
        total = mpmath.mpf(0)
        for anchor in self.given.anchors:
            expression = read.get(anchor.text)
            if expression is None or anchor.uncertainty is None or anchor.value is None:
                continue
            value, error = _number(anchor.value), _number(anchor.uncertainty)
            if value == 0:
                continue
            factor = evaluate(expression, at)
            total += (factor * mpmath.mpf(error.numerator) / error.denominator * value.denominator
                      / value.numerator) ** 2  # fmt: skip
        found = float(mpmath.sqrt(total))
        good = abs(found - verdict.relative_uncertainty) <= ROUNDED * (found + 1e-12)
        return good, "" if good else f"it is {found:.6g}"
