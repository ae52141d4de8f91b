"""Two runs on the same clips: which law explains the frames better, by the same yardsticks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from identify.fit.film import LawFit
from identify.fit.results.folder import Run
from identify.fit.results.words import told

SCHEMA = "identify/compare/1"
_CLEAR = 1.2  # a residual this many times larger is worse beyond what clips differ by


@dataclass(frozen=True)
class Comparison:
    """Residuals relative to the spread of the latent, so that the latent's own scale does not matter."""

    document: dict[str, Any]

    @property
    def comparable(self) -> bool:
        """Whether both runs saw the same clips."""
        return bool(self.document["same_clips"])


def compare(first: Run, second: Run) -> Comparison:
    """The document of the comparison."""
    runs = (first, second)
    clips = [{t.name for t in run.fit.tracks} for run in runs]
    folders = [str(run.config.get("folder", "")) for run in runs]
    both = sorted(clips[0] & clips[1])
    each = [_one(run, both) for run in runs]
    residuals = [e["residual"] for e in each]
    better, why = _verdict(each, residuals)
    return Comparison(
        {
            "schema": SCHEMA,
            "same_clips": clips[0] == clips[1],
            "folders": folders,
            "clips": both,
            "only_in_one": sorted(clips[0] ^ clips[1]),
            "runs": each,
            "better": better,
            "why": why,
        }
    )


def _one(run: Run, clips: list[str]) -> dict[str, Any]:
    by_clip = {name: _residual(run.fit, name) for name in clips}
    known = [r for r in by_clip.values() if r is not None]
    return {
        "run": str(run.folder),
        "law": run.law.text,
        "method": run.fit.method,
        "accepted": run.document["accepted"],
        "reason": run.document["reason"],
        "residual": float(np.median(known)) if known else None,
        "residual_by_clip": by_clip,
        "evidence": dict(run.fit.evidence),
        "metrics": run.document["metrics"],
        "parameters": {n: told(p) for n, p in run.document["parameters"].items()},
        "count": len(run.law.parameters),
    }


def _residual(fit: LawFit, name: str) -> float | None:
    """RMS of latent minus solution over the standard deviation of the latent."""
    track = next(t for t in fit.tracks if t.name == name)
    good = np.isfinite(track.latent) & np.isfinite(track.fitted)
    if good.sum() < 4:
        return None
    spread = float(np.std(track.latent[good]))
    return float(np.sqrt(np.mean((track.latent - track.fitted)[good] ** 2)) / spread) if spread > 0 else None


def _verdict(each: list[dict[str, Any]], residuals: list[float | None]) -> tuple[int | None, str]:
    accepted = [bool(e["accepted"]) for e in each]
    if accepted[0] != accepted[1]:
        better = 0 if accepted[0] else 1
        return better + 1, f"only run {better + 1} was accepted"
    if residuals[0] is None or residuals[1] is None:
        return None, "one of the runs has no solution to compare on the common clips"
    ratio = max(residuals[0], 1e-12) / max(residuals[1], 1e-12)
    if max(ratio, 1 / ratio) < _CLEAR:
        fewer = (
            None if each[0]["count"] == each[1]["count"] else 1 if each[0]["count"] < each[1]["count"] else 2
        )
        simpler = f"; run {fewer} has fewer parameters" if fewer else ""
        return None, f"both explain the frames about as well (residuals within {_CLEAR} times){simpler}"
    better = 1 if ratio < 1 else 2
    return better, f"run {better} leaves {max(ratio, 1 / ratio):.2g} times less residual"
