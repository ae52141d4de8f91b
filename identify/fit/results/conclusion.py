"""``LawFit -> Conclusion``: everything a report says, as one document and the objects behind it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from identify.analysis import Analysis
from identify.fit.film import LawFit
from identify.fit.results import warrant
from identify.fit.results.audit import Findings, audit, is_linear
from identify.fit.results.derived import read_derivations, read_known
from identify.fit.results.dimension import dimensions
from identify.fit.results.figures import finite, plain
from identify.fit.results.metrics import Truth, measure
from identify.fit.results.normalizer import normalizer
from identify.fit.results.outstanding import outstanding
from identify.fit.results.physical import Physical, calibrate
from identify.fit.results.seen import Seen, seen
from identify.fit.results.special import special_cases
from identify.fit.results.special import warning as special_warning
from identify.fit.results.warrant import values_of
from identify.fit.versions import versions
from identify.law import Law

SCHEMA = "identify/fit/1"
_AS_LINEAR = 1.1  # the residual of a linear law over the law's own
_NAMED = 4  # clips in one sentence
_MUCH_UNLIKE, _MUCH_OUTSIDE = 0.05, 0.02  # of a held-out clip
_FAR = 3.0  # an off-curve score above this is a frame unlike those the encoder was trained on


@dataclass(frozen=True)
class Asked:
    """What the user asked for beside the law: anchors, units, known quantities, derived ones."""

    anchors: tuple[str, ...] = ()
    units: Mapping[str, str] = field(default_factory=dict)
    known: tuple[str, ...] = ()
    derive: tuple[str, ...] = ()


@dataclass(frozen=True)
class Conclusion:
    """The document, and what pictures and tables are made from."""

    law: Law
    analysis: Analysis
    fit: LawFit
    asked: Asked
    seen: Seen
    physical: Physical
    document: dict[str, Any]

    @property
    def accepted(self) -> bool:
        """Whether the fit may be relied on."""
        return bool(self.document["accepted"])


def conclude(
    law: Law,
    analysis: Analysis,
    fit: LawFit,
    asked: Asked | None = None,
    *,
    truth: Truth | None = None,
    data: Mapping[str, Any] | None = None,
    seconds: Mapping[str, float] | None = None,
    seed: int | None = None,
    interrupted: bool = False,
) -> Conclusion:
    """All that the fit warrants, with the audit."""
    asked = asked or Asked()
    coverage = seen(law, fit.tracks)
    known = read_known(asked.known, law)
    wanted = read_derivations(asked.derive, law, known)
    physical = calibrate(law, analysis, fit, asked.anchors, dict(asked.units), known, wanted)
    units = physical.units or dimensions(law, [], asked.units)
    accepted, reason, advice = _decision(fit, coverage)
    doubt = _doubt(analysis, coverage)
    limit = doubt if accepted or doubt else "the fit was refused"
    metrics = measure(law, analysis, fit, truth)
    off_curve = _off_curve(fit)
    in_chart = _in_chart(law, analysis, fit)
    findings = Findings(analysis, fit, coverage, metrics, physical, off_curve, in_chart)
    document = {
        "schema": SCHEMA,
        "law": law.text,
        "assume": list(dict.fromkeys(c.text for c in law.assumptions)),
        "domain": list(dict.fromkeys(c.text for c in law.domain)),  # a < z < b is two conditions in one text
        "accepted": accepted,
        "reason": reason,
        "advice": advice,
        "interrupted": interrupted,
        "method": fit.method,
        "parameters": warrant.table(warrant.warranted(law, analysis, fit.estimate, units, limit)),
        "invariants": {
            text: dataclasses.asdict(found)
            for text, found in warrant.invariants(law, analysis, fit.estimate, units).items()
        },
        "calibrated": _limited(physical.table, limit),
        "metrics": metrics,
        "audit": audit(findings),
        "warnings": [
            *_warnings(analysis, fit, coverage, physical, doubt, interrupted),
            *_special(law, analysis, fit),
        ],
        "seconds": dict(seconds or {}),
        "data": _data(data, fit),
        "anchors": list(asked.anchors),
        "coverage": _coverage(coverage),
        "evidence": dict(fit.evidence),
        "fit_warnings": list(fit.warnings),
        "fit": _point(fit),
        "versions": versions(),
        "seed": seed,
    }
    return Conclusion(law, analysis, fit, asked, coverage, physical, plain(document))


def _special(law: Law, analysis: Analysis, fit: LawFit) -> list[str]:
    if fit.estimate is None:
        return []
    cases = special_cases(law, analysis, values_of(law, fit.estimate))
    return [special_warning(cases)] if cases else []


def _limited(table: Mapping[str, dict[str, Any]], limit: str | None) -> dict[str, dict[str, Any]]:
    """Calibrated values are no better founded than the fit they come from."""
    if limit is None:
        return dict(table)
    weaker = {"status": warrant.NOT_GUARANTEED, "why": limit}
    return {n: {**entry, **weaker} if entry["status"] != "free" else entry for n, entry in table.items()}


def _in_chart(law: Law, analysis: Analysis, fit: LawFit) -> bool | None:
    if analysis.canonical is None or fit.estimate is None:
        return None
    low, high = trained_range(fit)
    return normalizer(law, analysis, values_of(law, fit.estimate).values, np.array([low, high])) is not None


def _decision(fit: LawFit, coverage: Seen) -> tuple[bool, str | None, str | None]:
    if not fit.accepted:
        return False, fit.reason or "the fit was refused", fit.advice
    if coverage.refusal is not None:
        advice = "film the other direction too; identify plan proposes what to film"
        return False, coverage.refusal, advice
    return True, None, fit.advice


def _doubt(analysis: Analysis, coverage: Seen) -> str | None:
    """Why no parameter is guaranteed, None where the theorem applies."""
    if analysis.outcome == "unsupported":
        return f"no theorem covers this law: {analysis.route.reason or 'unsupported'}"
    if analysis.outcome == "undecided" and not analysis.parameters:
        return f"the analysis is undecided: {analysis.undecided_because}"
    return coverage.doubt


def _off_curve(fit: LawFit) -> float | None:
    """The largest of the clips' median scores; frames that were left out do not count."""
    each = []
    for track in fit.tracks:
        chosen = track.used if track.role == "train" else np.ones(len(track.time), dtype=bool)
        scores = track.off_curve[chosen & np.isfinite(track.off_curve)]
        if len(scores):
            each.append(float(np.median(scores)))
    return max(each, default=None)


def _warnings(
    analysis: Analysis,
    fit: LawFit,
    coverage: Seen,
    physical: Physical,
    doubt: str | None,
    interrupted: bool,
) -> list[str]:
    partial = interrupted and fit.estimate is not None and not any("interrupted" in w for w in fit.warnings)
    found = ["the fit was interrupted: this is the best result so far"] if partial else []
    found += [*fit.warnings]
    if not fit.accepted or any("doubtful" in warning for warning in fit.warnings):
        found += outstanding(fit)
    if doubt is not None and fit.estimate is not None:
        found.append(f"not guaranteed: {doubt}")
    ratio = fit.evidence.get("lti_ratio")
    if ratio is not None and ratio < _AS_LINEAR and fit.estimate is not None and not is_linear(analysis):
        found.append(
            "a linear law explains these frames about as well: what only the nonlinear terms tell is barely "
            "determined; film a larger motion, or give an anchor"
        )
    if coverage.one_way and coverage.refusal is None:
        found.append("all motion goes one way")
    found += [*physical.warnings, *analysis.warnings]
    held_out = [track for track in fit.tracks if track.role == "test"]
    far = {track.name: _unlike(track) for track in held_out}
    found += _listed(far, _MUCH_UNLIKE, "of the frames of {} look unlike the training frames")
    outside = {track.name: _outside(track, fit) for track in held_out}
    found += _listed(outside, _MUCH_OUTSIDE, "of the latents of {} lie outside the trained range")
    return list(dict.fromkeys(found))


def _listed(shares: Mapping[str, float], least: float, words: str) -> list[str]:
    """One sentence for all clips of which too large a share is wrong, the worst first; none where none is."""
    wrong = sorted((name for name, share in shares.items() if share > least), key=lambda n: -shares[n])
    if not wrong:
        return []
    more = f" and {len(wrong) - _NAMED} more clips" if len(wrong) > _NAMED else ""
    most = f"{'up to ' if len(wrong) > 1 else ''}{100 * shares[wrong[0]]:.0f} %"
    return [f"{most} {words.format(', '.join(wrong[:_NAMED]) + more)}"]


def _unlike(track: Any) -> float:
    scores = track.off_curve[np.isfinite(track.off_curve)]
    return float(np.mean(scores > _FAR)) if len(scores) else 0.0


def _outside(track: Any, fit: LawFit) -> float:
    low, high = trained_range(fit)
    latent = track.latent[np.isfinite(track.latent)]
    margin = 0.02 * (high - low)
    if not len(latent) or not high > low:
        return 0.0
    return float(np.mean((latent < low - margin) | (latent > high + margin)))


def trained_range(fit: LawFit) -> tuple[float, float]:
    """The latents of the frames that took part in the fit; (0, 0) where there are none."""
    chosen = [t.latent[t.used & np.isfinite(t.latent)] for t in fit.tracks if t.role == "train"]
    chosen = [c for c in chosen if len(c)]
    if not chosen:
        return 0.0, 0.0
    return float(min(c.min() for c in chosen)), float(max(c.max() for c in chosen))


def _data(data: Mapping[str, Any] | None, fit: LawFit) -> dict[str, Any]:
    """The clips as they were prepared, with the number of frames that took part in the fit."""
    clips = {track.name: _clip(track) for track in fit.tracks}
    if not data:
        return {"clips": list(clips.values())}
    used = {name: clip["used"] for name, clip in clips.items()}
    given = [{**clip, "used": used.get(clip["name"], 0)} for clip in data.get("clips", ())]
    return {**data, "clips": given}


def _clip(track: Any) -> dict[str, Any]:
    return {
        "name": track.name,
        "role": track.role,
        "frames": len(track.time),
        "used": int(track.used.sum()),
        "from": finite(float(track.time[0])) if len(track.time) else None,
        "to": finite(float(track.time[-1])) if len(track.time) else None,
    }


def _coverage(coverage: Seen) -> dict[str, Any] | None:
    report = coverage.report
    if report is None:
        return None
    return {
        "answer": report.answer,
        "needed_rank": report.needed_rank,
        "least_rank": report.least_rank,
        "share": coverage.share,
        "intervals": [list(i) for i in report.intervals],
        "one_way": coverage.one_way,
    }


def _point(fit: LawFit) -> dict[str, Any] | None:
    """The fitted point of the orbit: what calibration starts from, no result by itself."""
    if fit.estimate is None:
        return None
    estimate = fit.estimate
    return {
        "note": "a point of the orbit in the latent's own scale; only warranted values are results",
        "names": list(estimate.names),
        "values": estimate.values,
        "covariance": estimate.covariance,
        "formal": estimate.formal,
        "pixel_track": None if fit.pixel_track is None else [list(a) for a in fit.pixel_track],
        "candidates": [dict(c) for c in fit.candidates],
    }


def clip_names(fit: LawFit) -> Sequence[str]:
    """The clips in the order of the fit."""
    return [track.name for track in fit.tracks]
