"""Dimensions, weights and the translation lock, re-checked on the linearised identity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import mpmath
from sympy import Expr

from identify.certificate.branch import Branch
from identify.certificate.conclusions import Evidence
from identify.certificate.document import LockClaim
from identify.certificate.evaluation import Point, Unreadable, Value, evaluate
from identify.certificate.least_squares import descend
from identify.certificate.linear import Row, rank
from identify.certificate.linearisation import Tangent
from identify.certificate.maps import ExplicitMap
from identify.certificate.problem import Problem
from identify.certificate.reading import derivative
from identify.certificate.reports import Report, Trial
from identify.certificate.sampling import Sampler
from identify.certificate.verification import Check

Target = tuple[Expr, Point, Value]

TINY = mpmath.mpf(10) ** -20


def check_dimensions(evidence: Evidence, lifted: int | None, orbit: int | None) -> list[Check]:
    """The claimed dimensions equal those of the linearised compatible set."""
    found = [(t.elimination.nullity, t.orbit_dimension) for t in evidence.tangents]
    return [
        _compare(evidence, "gauge dimension", "lifted compatible set", lifted, [n for n, _ in found]),
        _compare(evidence, "orbit dimension", "compatible parameter set", orbit, [m for _, m in found]),
    ]


def _compare(evidence: Evidence, name: str, noun: str, claimed: int | None, found: list[int | None]) -> Check:
    claim = f"the {noun} has dimension {claimed}"
    known = [dimension for dimension in found if dimension is not None]
    if claimed is None or not known:
        return Check(name, claim, None, "not claimed" if claimed is None else "no clear rank")
    least = min(known)  # a kernel can only be too large at an unlucky point
    if least > claimed and not evidence.generic:
        # On a stratum the tangent space may exceed the set itself.
        return Check(name, claim, None, f"the linearised identity only bounds it by {least}")
    return Check(name, claim, least == claimed, f"the linearised identity gives {least}")


def check_identity_branch(evidence: Evidence, lifted: int | None) -> Check:
    """Some branch passes through the identity and fills the compatible set near it."""
    claim = f"an identity branch depends on its free symbols with rank {lifted}"
    trials = [t for t in evidence.trials if t.branch.kind == "identity" and t.reports]
    if not trials or lifted is None:
        absent = not any(t.branch.kind == "identity" for t in evidence.trials)
        return Check("identity branch", claim, False if absent else None, "there is none to test")
    ranks = [r for trial in trials if (r := _branch_rank(evidence, trial)) is not None]
    if not ranks:
        return Check("identity branch", claim, None, "the map is implicit or the rank unclear")
    return Check("identity branch", claim, max(ranks) == lifted, f"rank {max(ranks)}")


def check_through_identity(evidence: Evidence, sampler: Sampler) -> list[Check]:
    """Each branch of kind "identity" returns the identity for suitable free values."""
    trials = [t for t in evidence.trials if t.branch.kind == "identity" and t.reports]
    return [_through_identity(evidence, trial, sampler) for trial in trials]


def _through_identity(evidence: Evidence, trial: Trial, sampler: Sampler) -> Check:
    branch = trial.branch
    name, claim = f"identity {branch.label}", "the branch passes through the identity"
    if not isinstance(branch.map, ExplicitMap) or branch.roots:
        return Check(name, claim, None, "the map is implicit")
    good: bool | None = None
    for report in trial.reports:  # a root may single out one sign of theta
        good = _identity_at(evidence, branch, _at_zero(branch, report), sampler)
        if good is not None:
            break
    details = {False: "a value that no free symbol can change differs from the truth", True: ""}
    return Check(name, claim, good, "no free values found" if good is None else details[good])


def _identity_at(evidence: Evidence, branch: Branch, report: Report, sampler: Sampler) -> bool | None:
    """Whether free values return the identity at this theta; None if none were found."""
    if not isinstance(branch.map, ExplicitMap):
        return None
    states = [u for u, _ in report.jets]
    targets = [(branch.map.expression, {evidence.problem.state: u}, u) for u in states]
    targets += [(e, {}, report.theta[p]) for p, e in branch.parameters.items()]
    if any(_fixed_elsewhere(branch, report, *target) for target in targets):
        return False
    starts = _starts(branch, report, sampler)
    return any(_reached(branch, report, targets, start) is not None for start in starts) or None


def identity_point(problem: Problem, branch: Branch, report: Report, sampler: Sampler) -> Point | None:
    """The symbols of a branch at its identity report, where that is found."""
    if not isinstance(branch.map, ExplicitMap):
        return None
    at = _at_zero(branch, report)
    targets = [(branch.map.expression, {problem.state: u}, u) for u, _ in report.jets]
    targets += [(e, {}, report.theta[p]) for p, e in branch.parameters.items()]
    if branch.roots:
        return _by_name(branch, at, targets)
    for start in _starts(branch, at, sampler):
        found = _reached(branch, at, targets, start)
        if found is not None:
            return {**at.point, **dict(zip(branch.free, found, strict=True))}
    return None


def _by_name(branch: Branch, report: Report, targets: Sequence[Target]) -> Point | None:
    """The identity where the names of the free symbols tell it, with the algebraic numbers that fit."""
    guess = {s: _likely(s.name, report) for s in branch.free}
    base = {s: value for s, value in report.point.items() if s not in dict(branch.roots)}
    try:
        for point in branch.with_roots({**base, **guess}):
            gaps = [abs(evaluate(e, {**point, **at}) - target) for e, at, target in targets]
            if max(gaps) < TINY:
                return point
    except ArithmeticError:
        pass
    return None


def _at_zero(branch: Branch, report: Report) -> Report:
    """The report with its integers set to zero: the identity lies there."""
    return replace(report, point={**report.point, **{s: mpmath.mpf(0) for s in branch.integers}})


def _fixed_elsewhere(branch: Branch, report: Report, expression: Expr, at: Point, target: Value) -> bool:
    if expression.free_symbols & set(branch.free):
        return False
    return bool(abs(evaluate(expression, {**report.point, **at}) - target) > TINY * (1 + abs(target)))


def _starts(branch: Branch, report: Report, sampler: Sampler) -> list[list[Value]]:
    """Likely values of the free symbols at the identity, then random ones."""
    one, zero, count = mpmath.mpf(1), mpmath.mpf(0), len(branch.free)
    likely = [[one] * count, [one, *[zero] * (count - 1)], [*[zero] * (count - 1), one], [zero] * count]
    near = [[x * (1 if k % 2 else -1) for x in sampler.values(branch.free).values()] for k in range(8)]
    guess = [_likely(s.name, report) for s in branch.free]
    return ([guess, *likely] if count else [[]]) + [[report.point[s] for s in branch.free], *near]


def _likely(name: str, report: Report) -> Value:
    """The value of a free symbol at the identity, by its name: p_hat reports p, tau shifts."""
    truth = {s.name: value for s, value in report.theta.items()}
    if "_hat" in name:
        return truth.get(name.rsplit("_hat", 1)[0], mpmath.mpf(1))
    return mpmath.mpf(0 if name.startswith("tau") else 1)


def _reached(branch: Branch, report: Report, targets: Sequence[Target], start: Row) -> Row | None:
    """The free values that return the identity, where they are found from this start."""

    def system(x: Row) -> tuple[Row, list[Row]]:
        point = {**report.point, **dict(zip(branch.free, x, strict=True))}
        residuals = [evaluate(e, {**point, **at}) - target for e, at, target in targets]
        rows = [[evaluate(derivative(e, s), {**point, **at}) for s in branch.free] for e, at, _ in targets]
        return residuals, rows

    try:
        if branch.free:
            return descend(system, start)
        zero = all(abs(x) <= TINY * (1 + abs(t[2])) for x, t in zip(system([])[0], targets, strict=True))
        return [] if zero else None
    except (ArithmeticError, ValueError):
        return None


def _branch_rank(evidence: Evidence, trial: Trial) -> int | None:
    """The rank of (f(u1), f(u2), eta) as a function of the free symbols."""
    if not isinstance(trial.branch.map, ExplicitMap) or trial.branch.roots:
        return None
    report, state = trial.reports[0], evidence.problem.state
    try:
        rows = [
            [evaluate(derivative(trial.branch.map.expression, s), {**report.point, state: u})
             for s in trial.branch.free]
            for u, _ in report.jets
        ]  # fmt: skip
        parameters = trial.branch.parameters.values()
        rows += [[evaluate(derivative(e, s), report.point) for s in trial.branch.free] for e in parameters]
    except (Unreadable, ArithmeticError):
        return None
    return rank(rows) if trial.branch.free else 0


def check_weights(evidence: Evidence, weights: Mapping[str, int | str] | None) -> list[Check]:
    """The scaling ``f = lambda*u, eta = lambda**(-w) theta`` is compatible to first order."""
    if weights is None:
        return []
    claim = "parameters scale with the stated weights"
    names = [p.name for p in evidence.problem.declared]
    if set(weights) != set(names):
        return [Check("weights", claim, False, "the weights name other parameters than the law")]
    if not evidence.tangents:
        return [Check("weights", claim, None, "no tangent could be computed")]
    try:
        read = {n: evidence.problem.reader.expression(str(weight)) for n, weight in weights.items()}
        good = all(_scales(evidence, tangent, read) for tangent in evidence.tangents)
    except (Unreadable, ArithmeticError) as refusal:
        return [Check("weights", claim, False, str(refusal))]
    return [Check("weights", claim, good, "" if good else "the scaling is not compatible")]


def _scales(evidence: Evidence, tangent: Tangent, weights: Mapping[str, Expr]) -> bool:
    one = mpmath.mpf(1)
    phi = [mpmath.mpf(0), one] if tangent.maps == 2 else [tangent.base, one]
    theta = tangent.theta
    dp: Row = [-evaluate(weights[p.name], theta) * theta[p] for p in evidence.problem.declared]
    if evidence.problem.clock is None:
        return tangent.contains(phi, dp)
    return any(tangent.contains(phi, [*dp, tempo]) for tempo in _tempos(tangent, phi, dp))


def _tempos(tangent: Tangent, phi: Row, dp: Row) -> list[Value]:
    """How an unknown clock may move along with the scaling: not at all, or as the first equation says."""
    still = [*phi, *([mpmath.mpf(0)] * (tangent.maps - len(phi))), *dp]
    for row in tangent.matrix:
        if abs(row[-1]) > TINY * (1 + max(map(abs, row))):
            gap = sum(a * b for a, b in zip(row[:-1], still, strict=True))
            return [mpmath.mpf(0), -gap / row[-1]]
    return [mpmath.mpf(0)]


def check_lock(evidence: Evidence, lock: LockClaim | None, raw: bool) -> list[Check]:
    """Raw routes: with a lock no branch translates; without one some branch does."""
    if lock is None or not raw:
        return []
    claim = "no compatible map translates" if lock.locked else "some compatible map translates"
    moved = any(_translates(evidence, trial) for trial in evidence.trials) or _slides(evidence)
    if lock.locked:
        return [Check("translation lock", claim, not moved, "a branch translates" if moved else "")]
    return [Check("translation lock", claim, True if moved else None, "" if moved else "none is shown")]


def _slides(evidence: Evidence) -> bool:
    """Whether the linearised set contains a translation at u = 0."""
    vectors = [vector for t in evidence.tangents for vector in t.elimination.kernel()]
    return any(abs(vector[0]) > TINY for vector in vectors)


def _translates(evidence: Evidence, trial: Trial) -> bool:
    if not isinstance(trial.branch.map, ExplicitMap):
        return False
    for report in trial.reports:
        at_zero = {**report.point, evidence.problem.state: mpmath.mpf(0)}
        try:
            if abs(evaluate(trial.branch.map.expression, at_zero)) > TINY:
                return True
        except ArithmeticError:
            continue
    return False
