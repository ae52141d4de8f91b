"""The gate: several diagnostics together decide whether a fit is warranted; none of them suffices alone.

Thresholds come from `examples/fit/nuisances.py`, which tries right and wrong laws and injected nuisances.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

_CAUSES = ("off_curve_share", "other_change", "stumbles", "outliers")  # why a motion may not follow the law
_QUIET = 3e-4  # of the places' spread: less noise than this is exceeded by the curve's own error


@dataclass(frozen=True)
class Check:
    """A diagnostic, the value from which on a fit is doubtful, from which on it is refused, and the words."""

    name: str
    doubtful: float
    refused: float
    reason: str
    advice: str
    least: bool = False  # whether small values are the bad ones

    def level(self, value: float) -> int:
        """0 good, 1 doubtful, 2 refused; a value that is no number is refused."""
        if value != value:
            return 2
        sign = -1.0 if self.least else 1.0
        beyond = [sign * value > sign * limit for limit in (self.doubtful, self.refused)]
        return 2 if beyond[1] else 1 if beyond[0] else 0


CHECKS = (
    Check(
        "motion_over_noise", 60, 15,
        "there is too little motion: it hardly stands out of the noise",
        "film a larger motion, from nearer, or in better light", least=True,
    ),
    Check(
        "off_curve_share", 0.1, 0.3,
        "the frames do not lie along one curve: more than one thing changes in the picture",
        "give the region of the one moving object with --crop, or film it alone",
    ),
    Check(
        "curve_spread", 0.25, 0.5,
        "the frames do not lie along one curve: more than one thing changes in the picture",
        "give the region of the one moving object with --crop, or film it alone",
    ),
    Check(
        "periods", 2.5, 0.35,
        "too little motion was filmed: few swings in all",
        "film longer, or more clips", least=True,
    ),
    Check(
        "weak_residual", 0.08, 0.4,
        "the motion does not follow the declared law",
        "check the law and its assumptions, or compare another law; look for impacts and touches",
    ),
    Check(
        "structured_residual", 0.03, 0.07,
        "the motion does not follow the declared law",
        "check the law and its assumptions, or compare another law; look for impacts and touches",
    ),
    Check(
        "least_slope", 0.2, 0.02,
        "the coordinate folds: different positions look alike",
        "film so that every position looks different, or give the region with --crop", least=True,
    ),
    Check(
        "stray_over_noise", 1.2, 15.0,
        "the motion strays from the declared law by more than noise",
        "a term may be missing, or something else changes in the picture: compare another law",
    ),
    Check(
        "other_change", 0.03, 0.45,
        "more than one thing changes in the picture",
        "give the region of the one moving object with --crop, or film it alone, with the camera at rest",
    ),
    Check(
        "stumbles", 0.01, 0.15,
        "the motion jumps: frames are missing or repeated, and the times do not say so",
        "copy the file again from the camera, without converting it; give its true times",
    ),
    Check(
        "outliers", 0.05, 0.15,
        "many frames jump away from the motion",
        "look for a hand, a flash, compression or frames that are missing; trim the clip",
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Verdict:
    """Whether the fit passes, why not, and what else a reader should know."""

    accepted: bool
    reason: str | None
    advice: str | None
    warnings: tuple[str, ...]
    doubts: int


def judge(evidence: Mapping[str, float]) -> Verdict:
    """The verdict on a fit's diagnostics."""
    evidence = {**evidence, **_derived(evidence)}
    levels = [(check, check.level(evidence[check.name])) for check in CHECKS if check.name in evidence]
    refused = [check for check, level in levels if level == 2]
    doubtful = [check for check, level in levels if level == 1]
    told = tuple(dict.fromkeys(f"{c.reason} ({_said(c, evidence, c.doubtful)})" for c in doubtful))
    if refused:
        worst = refused[0]
        causes = [c for c in (*refused, *doubtful) if c.name in _CAUSES and c.reason != worst.reason]
        also = "".join(f"; {c.reason} ({_said(c, evidence, c.doubtful)})" for c in causes)
        reason = f"{worst.reason} ({_said(worst, evidence, worst.refused)}){also}"
        return Verdict(False, reason, worst.advice, told, len(doubtful))
    return Verdict(True, None, None, tuple(f"doubtful: perhaps {text}" for text in told), len(doubtful))


def too_short(evidence: Mapping[str, float]) -> bool:
    """Whether so little was filmed that no other look at the frames can help."""
    return any(c.name == "periods" and c.level(evidence.get(c.name, c.doubtful)) == 2 for c in CHECKS)


def causes(evidence: Mapping[str, float]) -> str:
    """What else is seen in the clips that may keep them from following a law, to be added to a reason."""
    found = [c for c in CHECKS if c.name in _CAUSES and c.name in evidence and c.level(evidence[c.name])]
    return "".join(f"; {c.reason} ({_said(c, evidence, c.doubtful)})" for c in found)


def _derived(evidence: Mapping[str, float]) -> dict[str, float]:
    if "structured_residual" not in evidence or "place_noise" not in evidence:
        return {}
    return {"stray_over_noise": stray_over_noise(evidence)}


def stray_over_noise(evidence: Mapping[str, float]) -> float:
    """How far the residual exceeds what chance leaves of it when it is smoothed, in units of the noise.

    A right law leaves 0.1 to 0.6, however noisy the clips are, and up to 1.1 with long exposures: a missing
    term or another motion leaves more.
    """
    return evidence["structured_residual"] / max(evidence["place_noise"], _QUIET)


def _said(check: Check, evidence: Mapping[str, float], limit: float) -> str:
    return f"{check.name.replace('_', ' ')} {evidence[check.name]:.3g}, limit {limit:g}"
