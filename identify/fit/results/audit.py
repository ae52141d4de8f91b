"""The audit: six questions of the paper's table of empirical checks, each with verdict, evidence and scope.

A verdict says what finite data supported; none of them certifies the premise for all time.  ``evidence`` is
read from the fit by name; what a method did not measure is left out of the sentence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from identify.analysis import Analysis
from identify.fit.film import LawFit
from identify.fit.results.figures import percent
from identify.fit.results.physical import Physical
from identify.fit.results.seen import Seen

Verdict = Literal["supported", "weak", "failed", "not checked"]

_WORDS = {
    "weak_residual": "relative weak residual {:.2g}",
    "output_ratio": "error of the law's own solution over that of a free curve {:.2f}",
    "test_residual": "law error on held-out clips {} of the spread",
    "lti_ratio": "an affine-linear law on the same frames leaves {:.3g} times the residual",
    "structured_residual": "structure left in the residual {} of the spread",
    "output_residual": "the law's own solution misses the places by {} of their spread",
    "outliers": "{} of the frames are outliers",
    "curve_spread": "frames lie off one curve by {} of its length",
    "off_curve_share": "{} of the frames are far from it",
    "least_slope": "least slope of the map {} of the usual one",
    "motion_over_noise": "motion {:.3g} times the noise",
    "curve_residual": "frames lie off the curve by {:.2g}",
    "monotone": "share of the curve that is monotone in the latent {:.3g}",
    "jumps": "jumps of the latent {:.3g}",
    "clip_spread": "parameters spread by {} over clips",
    "part_spread": "parameters spread by {} over parts of the clip",
    "candidate_spread": "parameters spread by {} over accepted candidates",
    "periods": "{:.3g} periods filmed",
    "off_curve": "out-of-curve score {:.2f} (1 is usual)",
}
_LTI_CLEAR = 1.5
_WEAK_RIGHT, _WEAK_WRONG = 0.05, 0.3  # relative weak residual of right fits, and of most failures
_OFF_CURVE = 3.0
_WIDE = 0.5  # of a parameter: fits that differ so much recover nothing of it
_MAP_GOOD, _MAP_BAD = 5.0, 20.0  # percent of the clip's standard deviation


@dataclass(frozen=True)
class Row:
    """One question of the audit."""

    question: str
    verdict: Verdict
    evidence: str
    scope: str


@dataclass(frozen=True)
class Findings:
    """What the rows are judged by."""

    analysis: Analysis
    fit: LawFit
    seen: Seen
    metrics: Mapping[str, Any] | None
    physical: Physical
    off_curve: float | None
    in_chart: bool | None = None  # whether the fitted law normalizes over the latents; None where it need not


def audit(found: Findings) -> list[dict[str, Any]]:
    """The six rows in the paper's order."""
    rows = (
        _family(found),
        _state_map(found),
        _coverage(found),
        _normalization(found),
        _recovery(found),
        _calibration(found),
    )
    return [asdict(row) for row in rows]


def _said(evidence: Mapping[str, float], *names: str) -> list[str]:
    known = [(n, evidence.get(n)) for n in names]
    return [_worded(n, v) for n, v in known if v is not None and np.isfinite(v)]


def _worded(name: str, value: float) -> str:
    """The sentence of one diagnostic; shares in percent."""
    return _WORDS[name].format(f"{100 * value:.2g} %" if "{}" in _WORDS[name] else value)


def _sentence(parts: list[str], otherwise: str) -> str:
    text = "; ".join(parts) or otherwise
    return text[0].upper() + text[1:] + "."


def _family(found: Findings) -> Row:
    evidence = found.fit.evidence
    parts = _said(
        evidence,
        "weak_residual",
        "structured_residual",
        "output_ratio",
        "test_residual",
        *(() if is_linear(found.analysis) else ("lti_ratio",)),  # a linear law would be compared with itself
        "outliers",
        "periods",
    )
    metrics = found.metrics or {}
    if metrics.get("e_dyn") is not None:
        parts.append(f"acceleration error {percent(metrics['e_dyn'])} against the known law")
    scope = (
        "A small residual alone does not show that the declared family contains the physical law: another "
        "law may fit these frames as well."
    )
    return Row("declared family", _family_verdict(found), _sentence(parts, "nothing was measured"), scope)


def _family_verdict(found: Findings) -> Verdict:
    weak, ratio = found.fit.evidence.get("weak_residual"), found.fit.evidence.get("lti_ratio")
    measured = weak is not None or ratio is not None
    if found.fit.estimate is None and not measured:
        return "not checked"
    if found.fit.estimate is None or not found.fit.accepted or (weak is not None and weak >= _WEAK_WRONG):
        return "failed"
    if not measured:
        return "not checked"
    clear = ratio is None or ratio >= _LTI_CLEAR or is_linear(found.analysis)
    return "supported" if clear and (weak is None or weak <= _WEAK_RIGHT) else "weak"


def is_linear(analysis: Analysis) -> bool:
    """Whether the declared law is itself affine-linear, so that the comparison is with itself."""
    from sympy import diff

    from identify.law import read_expression

    info = analysis.law
    names = [info.state, info.velocity, *info.parameters]
    force = read_expression(info.acceleration, names)
    variables = [s for s in force.free_symbols if s.name in (info.state, info.velocity)]
    return all(diff(force, a, b) == 0 for a in variables for b in variables)


def _state_map(found: Findings) -> Row:
    parts, metrics = [], found.metrics or {}
    held_out = [t for t in found.fit.tracks if t.role == "test"]
    error = metrics.get("e_map")
    if error is not None:
        parts.append(f"coordinate error {percent(error)} on {metrics.get('on')} with a frozen map")
    count = len(held_out)
    parts.append(f"{count} held-out clip{'s' if count != 1 else ''}" if count else "no held-out clip")
    parts += _said(
        found.fit.evidence,
        "curve_spread",
        "off_curve_share",
        "least_slope",
        "monotone",
        "jumps",
        "test_residual",
    )
    if found.off_curve is not None:
        parts.append(_WORDS["off_curve"].format(found.off_curve))
    verdict: Verdict
    if error is not None and metrics.get("on") == "held-out clips":
        verdict = "supported" if error <= _MAP_GOOD else "weak" if error <= _MAP_BAD else "failed"
    elif found.off_curve is None:
        verdict = "not checked"
    else:
        verdict = "weak"
    if found.off_curve is not None and found.off_curve > _OFF_CURVE and verdict == "supported":
        verdict = "weak"
    scope = (
        "Agreement on clips that took no part in the fit supports that one map serves all clips. That the "
        "encoder is shared does not show it by itself."
    )
    return Row("shared state map", verdict, _sentence(parts, "nothing was measured"), scope)


def _coverage(found: Findings) -> Row:
    report = found.seen.report
    scope = (
        "The theorem behind the verdicts asks for this rank at every state of an interval; it was checked at "
        "the levels, in the latent coordinate. A failed rank condition is no proof that a parameter cannot "
        "be identified."
    )
    if report is None or not report.levels:
        told = _sentence([found.seen.doubt or "no theorem applies"], "")
        return Row("velocity coverage", "not checked", told, scope)
    full = sum(level.rank == report.needed_rank for level in report.levels)
    worst = [x.smallest_singular_value for x in report.levels if x.rank == report.needed_rank]
    parts = [
        f"rank {report.needed_rank} of [{', '.join(report.features)}] at {full}/{len(report.levels)} levels",
        f"velocities {'in one direction' if found.seen.one_way else 'in both directions'}",
    ]
    if worst:
        parts.append(f"smallest singular value there {min(worst):.2g}")
    if report.tolerance is not None:
        parts.append(f"velocities closer than {report.tolerance.velocity:.2g} count once")
    if found.seen.doubt:
        parts.append(found.seen.doubt)
    verdict: Verdict = "failed" if found.seen.doubt else "supported" if found.seen.share >= 0.5 else "weak"
    return Row("velocity coverage", verdict, _sentence(parts, ""), scope)


def _normalization(found: Findings) -> Row:
    scope = (
        "Holds on the regular interval only. Normalization removes the squared-velocity channel; it does not "
        "give physical units."
    )
    canonical = found.analysis.canonical
    if canonical is None:
        told = "The law has no squared-velocity channel, so that nothing is normalized."
        return Row("canonical normalization", "not checked", told, scope)
    if found.in_chart is None:
        return Row("canonical normalization", "not checked", "There is no fitted law to normalize.", scope)
    parts = [f"coefficient of the squared velocity c_2 = {canonical.c2}, chart {canonical.chart}"]
    metrics = found.metrics or {}
    raw, mapped = metrics.get("e_map_raw"), metrics.get("e_map")
    if raw is not None and mapped is not None:
        parts.append(f"coordinate error {percent(raw)} raw, {percent(mapped)} canonical")
    parts.append(
        "the fitted law normalizes over all latents" if found.in_chart else "the latents leave the chart"
    )
    verdict: Verdict = "weak"
    if not found.in_chart:
        verdict = "failed"
    elif raw is not None and mapped is not None:
        verdict = "supported" if mapped <= max(raw, 1.0) else "weak"
    else:
        parts.append("no reference to compare with")
    return Row("canonical normalization", verdict, _sentence(parts, ""), scope)


def _recovery(found: Findings) -> Row:
    scope = (
        "Told are the parameters and invariants that every compatible report shares. Their agreement does "
        "not identify the parameters that depend on the coordinate. Seconds are those of the clips' times: "
        "no picture shows whether it was stored in slow motion."
    )
    if found.fit.estimate is None:
        return Row("parameter recovery", "not checked", "There is no estimate.", scope)
    analysis, metrics = found.analysis, found.metrics or {}
    if not analysis.law.parameters:
        return Row("parameter recovery", "not checked", "The law has no parameters to recover.", scope)
    parts = []
    if analysis.gauge is not None:
        maps = dict.fromkeys(b.map or "an implicit map" for b in analysis.gauge.branches)
        parts.append(f"permitted maps {'; '.join(list(maps)[:4])}")
    if analysis.invariants:
        parts.append(f"invariants {', '.join(analysis.invariants)}")
    parts += _spreads(found.fit)
    error = metrics.get("e_theta")
    if error is not None:
        parts.append(f"largest parameter error {percent(error)} at the frozen map")
    verdict: Verdict
    if analysis.outcome != "done" or found.seen.doubt:
        verdict = "failed" if found.seen.refusal or not found.fit.accepted else "weak"
    elif error is not None:
        verdict = "supported" if error <= 5.0 else "weak" if error <= 20.0 else "failed"
    else:
        verdict = "supported" if found.fit.accepted else "failed"
    spread = _spread(found.fit.evidence)
    if error is None and verdict == "supported" and (spread is None or spread > _WIDE):
        verdict = "weak"
    return Row("parameter recovery", verdict, _sentence(parts, "no permitted maps are known"), scope)


def _spreads(fit: LawFit) -> list[str]:
    """How far parameters differ over clips and candidates, where there are several to differ."""
    evidence = dict(fit.evidence)
    if sum(track.role == "train" for track in fit.tracks) == 1 and "clip_spread" in evidence:
        evidence["part_spread"] = evidence.pop("clip_spread")
    accepted = sum(bool(candidate.get("accepted")) for candidate in fit.candidates)
    if fit.candidates and accepted < 2:
        evidence.pop("candidate_spread", None)
    told = _said(evidence, "clip_spread", "part_spread", "candidate_spread")
    return [*told, *(["only one candidate was accepted"] if accepted == 1 else [])]


def _spread(evidence: Mapping[str, float]) -> float | None:
    return max((evidence[n] for n in ("clip_spread", "candidate_spread") if n in evidence), default=None)


def _calibration(found: Findings) -> Row:
    scope = (
        "Calibrated values rest on the anchors as well as on the video. Full anchor rank gives them uniquely "
        "nearby; other branches are checked one by one."
    )
    physical = found.physical
    if not physical.anchors:
        needed = found.analysis.calibration is not None and found.analysis.calibration.needed
        told = "No anchor was given" + (
            "; without one some parameters stay open." if needed else "; none is needed."
        )
        return Row("physical calibration", "not checked", told, scope)
    parts = [f"anchors: {', '.join(a.text.strip() for a in physical.anchors)}"]
    if physical.rank is not None:
        parts.append(f"anchor rank {physical.rank} of {physical.needed}")
    parts += physical.warnings
    verdict: Verdict
    if physical.consistent is False or not physical.table:
        verdict = "failed"
    elif physical.rank is not None and physical.rank < (physical.needed or 0):  # redundancy does not count
        verdict = "weak"
    else:
        verdict = "weak" if physical.warnings else "supported"
    return Row("physical calibration", verdict, _sentence(parts, ""), scope)
