"""The gate: several diagnostics together decide whether a fit is warranted; none of them suffices alone.

Thresholds come from `examples/fit/nuisances.py`, which tries right and wrong laws and injected nuisances.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

# What is seen before any law is tried, and what else may keep a motion from following one.
_LAWLESS = ("closed", "off_curve_share", "curve_spread", "other_change", "stumbles")
_CAUSES = (*_LAWLESS, "outliers")
_CHANCE = 0.6  # of the places' noise: what smoothing leaves of it in the residual of a right law
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
        "closed", 0.45, 0.6,
        "the frames go round in a loop: the object turns full circle, or two things move",
        "film swings that turn back before they close the circle; or give the region of one object, --crop",
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
        "structured_residual", 0.015, 0.05,
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
        "stumbles", 0.01, 0.09,
        "the motion jumps: frames are missing or repeated and the times do not say so, or the camera shakes",
        "copy the file again from the camera, without converting it; give its true times; film from a tripod",
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
    told = tuple(dict.fromkeys(_told(c, evidence) for c in doubtful))
    if refused:
        reason, advice = explained(_told(refused[0], evidence), refused[0].advice, evidence)
        return Verdict(False, reason, advice, told, len(doubtful))
    return Verdict(True, None, None, tuple(f"doubtful: perhaps {text}" for text in told), len(doubtful))


def explained(reason: str, advice: str, evidence: Mapping[str, float]) -> tuple[str, str]:
    """Reason and advice with what else is seen that may keep the motion from following a law.

    What spoils the clips whatever the law is said first.
    """
    found = [(c, c.level(evidence[c.name])) for c in CHECKS if c.name in _CAUSES and c.name in evidence]
    before = [c for c, level in found if level == 2 and c.name in _LAWLESS]
    after = [c for c, level in found if level and c not in before]
    reasons = [*(_told(c, evidence) for c in before), reason, *(_told(c, evidence) for c in after)]
    advices = [*(c.advice for c in before), advice, *(c.advice for c in after)]
    return "; ".join(dict.fromkeys(reasons)), "; ".join(dict.fromkeys(advices))


def too_short(evidence: Mapping[str, float]) -> bool:
    """Whether so little was filmed that no other look at the frames can help."""
    return any(c.name == "periods" and c.level(evidence.get(c.name, c.doubtful)) == 2 for c in CHECKS)


def strays(evidence: Mapping[str, float]) -> str | None:
    """What the law leaves beyond noise where that is doubtful, in words; None where it is not."""
    found = {**evidence, **_derived(evidence)}
    check = next(c for c in CHECKS if c.name == "structured_residual")
    return _told(check, found) if check.name in found and check.level(found[check.name]) else None


def _derived(evidence: Mapping[str, float]) -> dict[str, float]:
    if "structured_residual" not in evidence or "place_noise" not in evidence:
        return {}
    structure, chance = evidence["structured_residual"], _CHANCE * evidence["place_noise"]
    beyond = 0.0 if structure <= chance else math.sqrt(structure * structure - chance * chance)
    return {"stray_over_noise": stray_over_noise(evidence), "structured_residual": beyond}


def stray_over_noise(evidence: Mapping[str, float]) -> float:
    """How far the residual exceeds what chance leaves of it when it is smoothed, in units of the noise.

    A right law leaves 0.1 to 0.6, however noisy the clips are, and up to 1.1 with long exposures: a missing
    term or another motion leaves more.
    """
    return evidence["structured_residual"] / max(evidence["place_noise"], _QUIET)


def unexplained(evidence: Mapping[str, float]) -> float:
    """How many times larger errors are than noise makes them: 1 where noise is all that the law leaves.

    Of another change only the part along the motion moves the places, so that its root counts.
    """
    limits = {check.name: check.doubtful for check in CHECKS}
    other = evidence.get("other_change", 0.0) / limits["other_change"]
    return max(1.0, stray_over_noise(evidence), math.sqrt(other))


def _told(check: Check, evidence: Mapping[str, float]) -> str:
    value = evidence[check.name]
    limit = check.refused if check.level(value) == 2 else check.doubtful
    return f"{check.reason} ({check.name.replace('_', ' ')} {value:.3g}, limit {limit:g})"
