"""The calibration section re-checked: that listed sets of anchors suffice, and how a fit's value converts.

Nothing here knows how the sets were found.  Near the truth the anchor rank decides (prop:anchor-rank);
elsewhere reports that agree with the anchors are sought on every branch, and one with another parameter
value refutes the set.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import mpmath
from sympy import Symbol

from identify.certificate.anchored import AnchoredSearch, differ
from identify.certificate.anchors import Anchor, anchors_of, place_names
from identify.certificate.branch import UNDECIDED, read_branch
from identify.certificate.conclusions import Evidence, value_at
from identify.certificate.document import AnchorSetClaim, BranchClaim, CalibrationClaim, ClockClaim, Document
from identify.certificate.evaluation import Unreadable, evaluate
from identify.certificate.given import check_given
from identify.certificate.maps import ExplicitMap
from identify.certificate.problem import Problem
from identify.certificate.reading import Reader
from identify.certificate.reports import Trial, try_branch
from identify.certificate.sampling import Sampler
from identify.certificate.units import check_units
from identify.certificate.verification import Check

TWO = ("z1", "z2")
FREEDOMS = ("reflection ", "coordinate ", "clock ", "branch ", "parameters ", "another ")


def check_calibration(evidence: Evidence, document: Document, sampler: Sampler) -> list[Check]:
    """All checks of the calibration section; none where the document has none."""
    claim = document.calibration
    if claim is None or document.outcome != "done":
        return []
    branches = document.gauge.branches if document.gauge else ()
    checks = [_summary(claim, document, evidence.problem)]
    try:
        search = _placed(evidence.problem, branches, _names(claim, evidence.problem), sampler)
        checks += _sets(search, claim)
        checks += [_most(search, claim, sampler)] if claim.rank is not None else []
        checks += _clock(evidence, search, claim.clock)
    except Unreadable as refusal:
        checks.append(Check("anchors", "the sets of anchors can be read", False, str(refusal)))
    checks += _conversion(evidence, claim)
    checks += check_units(evidence.problem, claim, sampler)
    return checks + check_given(evidence.problem, branches, claim, sampler)


def _summary(claim: CalibrationClaim, document: Document, problem: Problem) -> Check:
    """Which parameters need anchors, the dimension and the scope follow from the rest of the document."""
    moving = [n for n, v in document.parameters.items() if v.status != "identified"]
    lifted = document.gauge.dimension if document.gauge else None
    whole = document.guarantee is not None and document.guarantee.scope == "global"
    sets = [s for many in (*claim.parameters.values(), claim.everything) for s in many]
    searched = bool(claim.parameters or claim.everything)
    wrong = [
        ("needed", claim.needed != bool(moving)),
        ("parameters", searched and set(claim.parameters) != set(moving)),
        ("dimension", claim.dimension != lifted),
        ("clock", (claim.clock is None) != (problem.clock is None)),
        ("scope", claim.scope == "global" and not whole),
        ("scope", any(s.scope == "global" for s in sets) and not whole),
        ("scope", claim.given is not None and claim.given.scope == "global" and not whole),
    ]
    bad = sorted({name for name, fault in wrong if fault})
    statement = "the calibration is about this answer and reaches no further"
    return Check("calibration", statement, not bad, ", ".join(bad))


def _names(claim: CalibrationClaim, problem: Problem) -> list[str]:
    sets = [s for many in (*claim.parameters.values(), claim.everything) for s in many]
    named = place_names([at for s in sets for at in s.at])
    taken = {problem.state.name, *(p.name for p in problem.parameters)}
    spare = [f"{problem.state.name}{k}" for k in range(1, 99)]
    return (named + [n for n in spare if n not in taken and n not in named])[: max(2, len(named))]


def _placed(
    problem: Problem, branches: Iterable[BranchClaim], names: Sequence[str], sampler: Sampler
) -> AnchoredSearch:
    """The search on the document's branches, with anchored states of these names."""
    placed = problem.with_places(names)
    few = replace(sampler, samples=2, pools={})
    trials: list[Trial] = []
    for number, branch in enumerate(branches, 1):
        if UNDECIDED in branch.conditions:  # not a claim
            continue
        trials.append(try_branch(placed, read_branch(placed, branch, str(number)), few))
    return AnchoredSearch(placed, trials, few)


# -- sets -----------------------------------------------------------------------------------------


def _sets(search: AnchoredSearch, claim: CalibrationClaim) -> list[Check]:
    declared = {p.name: p for p in search.problem.declared}
    unknown = sorted(set(claim.parameters) - set(declared))
    if unknown:
        return [Check("anchors", "the parameters belong to the law", False, ", ".join(unknown)[:80])]
    checks = [_target(search, n, [declared[n]], sets) for n, sets in claim.parameters.items()]
    if claim.everything:
        moving = [declared[n] for n in claim.parameters]
        checks.append(_target(search, "all parameters", moving, claim.everything))
    return checks


def _target(
    search: AnchoredSearch, name: str, targets: Sequence[Symbol], sets: Sequence[AnchorSetClaim]
) -> Check:
    """Every set listed for these parameters suffices; the first that does not is named."""
    label, claim = f"anchors for {name}", f"each of {len(sets)} sets of anchors suffices"
    if not sets:
        return Check(label, "no set of three or fewer anchors is known", True, "nothing is claimed")
    open_details, reports = [], 0
    for one in sets:
        told = ", ".join(one.anchors)[:80]
        passed, detail, found = _suffices(search, one, targets)
        if passed is False:
            return Check(label, claim, False, f"{told}: {detail}")
        if passed is None:
            open_details.append(f"{told}: {detail}")
        reports += found
    if open_details:
        return Check(label, claim, None, open_details[0])
    return Check(label, claim, True, f"by rank, and all {reports} reports found agree; a search, not a proof")


def _suffices(
    search: AnchoredSearch, claim: AnchorSetClaim, targets: Sequence[Symbol]
) -> tuple[bool | None, str, int]:
    anchors = anchors_of(claim, search.problem)
    fault = _rank_fault(search, anchors, claim.rank)
    if fault:
        return False, fault, 0
    near = [search.determines(anchors, p) for p in targets]
    if False in near:
        return False, "the anchor rank does not fix it, even near the truth", 0
    if claim.scope != "global":
        return (None, "no rank could be computed", 0) if None in near else (True, "", 0)
    found = search.reports(anchors)
    for report in found.reports:
        moved = next((p for p in targets if not report.keeps(p)), None)
        if moved is not None:
            return (
                False,
                f"a report that agrees gives {_told(moved, report.theta[moved], report.eta[moved])}",
                0,
            )
    fault = _open_fault(search, anchors, claim.open)
    if fault:
        return False, fault, 0
    if not found.whole:
        return None, "not every branch could be searched", 0
    if _reflected(claim.open) and not any(report.is_map(-1) for report in found.reports):
        return None, "the reflection that is said to stay open was not found", 0
    return True, "", len(found.reports)


def _rank_fault(search: AnchoredSearch, anchors: Sequence[Anchor], claimed: int | None) -> str:
    found = search.rank(anchors)
    if claimed is None or found is None or found == claimed:
        return ""
    return f"the anchor rank is {found}, not {claimed}"


def _open_fault(search: AnchoredSearch, anchors: tuple[Anchor, ...], told: Sequence[str]) -> str:
    """What is said to stay open of the coordinate, against the reports found."""
    strange = [text for text in told if not text.startswith(FREEDOMS)]
    if strange:
        return f"{strange[0][:40]!r} is no freedom of the coordinate"
    others = [r for r in search.reports(anchors).reports if not r.is_map(1)]
    if not told and others:
        return "another coordinate agrees with the anchors, though nothing is said to stay open"
    signed = [a for a in anchors if a.parameter is None and not a.unsigned and a.true() != 0]
    if _reflected(told) and signed:
        return f"a reflection is said to stay open, which {signed[0].kind} excludes"
    return ""


def _reflected(told: Sequence[str]) -> bool:
    return any(text.startswith("reflection") for text in told)


def _most(search: AnchoredSearch, claim: CalibrationClaim, sampler: Sampler) -> Check:
    """The largest rank that known positions reach."""
    statement = f"known positions reach the anchor rank {claim.rank}"
    places = search.problem.places
    anchors = [Anchor("state", (place,)) for place in places[:2]]
    if _has_zero(search.problem, sampler):
        anchors.append(Anchor("origin"))
    found = search.rank(anchors)
    if found is None:
        return Check("anchor rank", statement, None, "the map is implicit or the rank unclear")
    return Check("anchor rank", statement, found == claim.rank, f"rank {found}")


def _has_zero(problem: Problem, sampler: Sampler) -> bool:
    theta = sampler.theta(problem)
    try:
        return theta is not None and problem.inside(theta, mpmath.mpf(0))
    except ArithmeticError:
        return False


def _told(parameter: Symbol, before: object, after: object) -> str:
    return f"{parameter} = {mpmath.nstr(after, 6)} for a true {mpmath.nstr(before, 6)}"


# -- conversion and clock -------------------------------------------------------------------------


def _conversion(evidence: Evidence, claim: CalibrationClaim) -> list[Check]:
    """``p = formula(p_hat, scale)`` holds for every report through the identity."""
    if not claim.conversion:
        return []
    statement = "the formulas give the true value from a fit's value and the scale"
    try:
        passed, detail = _converts(evidence, claim)
    except Unreadable as refusal:
        passed, detail = False, str(refusal)
    return [Check("conversion", statement, passed, detail)]


def _converts(evidence: Evidence, claim: CalibrationClaim) -> tuple[bool | None, str]:
    problem, seen = evidence.problem, 0
    z = problem.state.name
    names = [f"{z}hat", f"{z}hat1", f"{z}hat2", f"{z}1", f"{z}2", "scale"]
    names += [f"{p.name}_hat" for p in problem.declared]
    reader = problem.reader
    wide = Reader({**reader.symbols, z: problem.state}).with_names(
        n for n in names if n not in reader.symbols
    )
    scale = wide.expression(claim.scale or "")
    formulas = {n: wide.expression(text) for n, text in claim.conversion.items()}
    known = {p.name: p for p in problem.declared}
    if set(formulas) - set(known):
        raise Unreadable("a formula is for no parameter of the law")
    for branch, report in evidence.reports:
        if branch.kind != "identity" or not isinstance(branch.map, ExplicitMap) or len(report.jets) < 2:
            continue
        (u, first), (w, second) = report.jets[:2]
        table = {z: u, f"{z}hat": first.value, f"{z}1": u, f"{z}2": w}
        table |= {f"{z}hat1": first.value, f"{z}hat2": second.value}
        point = {**report.theta, **{wide.symbols[n]: x for n, x in table.items()}}
        factor = value_at(scale, point)
        if factor is None:
            continue
        for name, formula in formulas.items():
            hatted = wide.symbols[f"{name}_hat"]
            value = value_at(formula, {hatted: report.eta[known[name]], wide.symbols["scale"]: factor})
            if value is None or differ(value, report.theta[known[name]]):
                return False, f"{name} is not returned on branch {branch.label}"
        seen += 1
    return (True, f"at {seen} reports") if seen else (None, "no report to test it on")


def _clock(evidence: Evidence, search: AnchoredSearch, claim: ClockClaim | None) -> list[Check]:
    """The weights in both scales, and what restores an unknown clock."""
    clock = search.problem.clock
    if claim is None or clock is None:
        return []
    checks = [_restored(search, claim, clock)]
    if claim.weights is not None:
        checks.append(_two_weights(evidence, claim, clock))
    return checks


def _two_weights(evidence: Evidence, claim: ClockClaim, clock: Symbol) -> Check:
    """``eta = lambda**-w * kappa**-k * theta`` on every report through the identity."""
    statement = "parameters scale with the stated weights in coordinate and clock"
    declared, weights, seen = evidence.problem.declared, claim.weights or {}, 0
    if set(weights) != {p.name for p in declared}:
        return Check("clock weights", statement, False, "the weights name other parameters than the law")
    try:
        read = {n: [evidence.problem.reader.expression(x) for x in pair] for n, pair in weights.items()}
        for branch, report in evidence.reports:
            if branch.kind != "identity" or any(report.point[n] for n in branch.integers):
                continue
            scale = next((report.point[s] for s in branch.free if s.name == "lambda"), mpmath.mpf(1))
            tempo = report.eta[clock]
            for p in declared:
                w, k = (evaluate(e, report.theta) for e in read[p.name])
                value, true = report.eta[p] * abs(scale) ** w * tempo**k, report.theta[p]
                if differ(value, true) and (scale > 0 or differ(-value, true)):
                    return Check("clock weights", statement, False, f"{p} does not")
            seen += 1
    except (Unreadable, ArithmeticError, ValueError, OverflowError) as refusal:
        return Check("clock weights", statement, False, str(refusal)[:160])
    return Check("clock weights", statement, bool(seen) or None, f"at {seen} reports")


def _restored(search: AnchoredSearch, claim: ClockClaim, clock: Symbol) -> Check:
    """Each fact that is said to restore the clock does; without any, the clock never moves."""
    statement = "the clock is restored by " + (", ".join(claim.restored_by)[:120] or "the law itself")
    lists: list[tuple[Anchor, ...]] = [] if claim.restored_by else [()]
    for text in claim.restored_by:
        kind, _, name = text.partition(" ")
        if kind == "parameter":
            lists.append(_known(search.problem, name))
        elif text not in ("frame-rate", "period"):
            return Check("clock", statement, False, f"{text[:40]!r} restores no clock")
    unclear = False
    for anchors in lists:
        found = search.reports(anchors)
        if search.determines(anchors, clock) is False or not all(r.keeps(clock) for r in found.reports):
            told = f"a known {anchors[0].parameter}" if anchors else "the law"
            return Check("clock", statement, False, f"{told} leaves another clock possible")
        unclear = unclear or not found.whole
    return Check("clock", statement, None if unclear else True, "a search, not a proof" if lists else "")


def _known(problem: Problem, name: str) -> tuple[Anchor, ...]:
    parameter = next((p for p in problem.declared if p.name == name), None)
    if parameter is None:
        raise Unreadable(f"{name[:40]!r} is no parameter of the law")
    return (Anchor("parameter", parameter=parameter),)
