"""The velocity coverage of the fitted motions, and what follows where it fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from identify.fit.film import Array, Track
from identify.law import Law
from identify.motion.coverage import CoverageReport, measure
from identify.motion.run import pieces, solution
from identify.motion.trajectory import LEAST_SAMPLES, Clip

# Of all levels, in a row: the paper's design of two speeds both ways covers a third of them, while a single
# release covers a few by its decay, and that is no design.
_LEAST_SHARE = 0.25
_AGAINST = 0.03  # a part of the largest speed: slower backward motion is noise about a turning point


@dataclass(frozen=True)
class Seen:
    """Coverage of the training motions; ``doubt`` is why the theorem does not apply, None where it does."""

    clips: tuple[Clip, ...]
    report: CoverageReport | None
    one_way: bool
    doubt: str | None
    refusal: str | None

    @property
    def share(self) -> float:
        """The part of the levels with full rank."""
        if self.report is None or not self.report.levels:
            return 0.0
        full = sum(level.rank == self.report.needed_rank for level in self.report.levels)
        return full / len(self.report.levels)


def motions(tracks: Sequence[Track]) -> tuple[Clip, ...]:
    """The frames that took part in the fit as clips, as ``identify coverage RUN`` reads them back."""
    found: list[Clip] = []
    chosen = [
        (t, t.used & np.isfinite(t.latent) & np.isfinite(t.velocity)) for t in tracks if t.role == "train"
    ]
    solved = all(np.isfinite(track.fitted[good]).all() for track, good in chosen)
    for track, good in chosen:
        if good.sum() < LEAST_SAMPLES:
            continue
        state = track.fitted if solved else track.latent
        clip = Clip(track.name, track.time[good], state[good], track.velocity[good])
        found += pieces(solution(clip) if solved else clip)
    return tuple(found)


def seen(law: Law, tracks: Sequence[Track]) -> Seen:
    """The coverage of the training motions."""
    clips = motions(tracks)
    if not clips:
        told = "no motion was fitted, so that the velocity coverage cannot be measured"
        return Seen((), None, False, told, None)
    report = measure(law, clips, source="latent tracks", fitted=True)
    one_way = goes_one_way([clip.path.velocity for clip in clips])
    if report.answer == "undecided":
        reason = report.advice[0] if report.advice else "no theorem gives a rank condition"
        return Seen(clips, report, one_way, reason, None)
    if one_way and report.one_direction_rank < report.needed_rank:
        most, full = report.one_direction_rank, report.needed_rank
        told = (
            f"every motion goes one way: one direction never gives more than rank {most} of the {full} that "
            "the theorem asks for, and no residual can tell"
        )
        return Seen(clips, report, True, told, told)
    if _widest(report) < _LEAST_SHARE * len(report.levels):
        why = "; ".join(report.advice) or "the rank is not full on an interval"
        told = f"the velocity coverage holds at {_widest(report)} of {len(report.levels)} levels only: {why}"
        return Seen(clips, report, one_way, told, None)
    return Seen(clips, report, one_way, None, None)


def _widest(report: CoverageReport) -> int:
    """The largest number of neighbouring levels with full rank."""
    best = run = 0
    for level in report.levels:
        run = run + 1 if level.rank == report.needed_rank else 0
        best = max(best, run)
    return best


def goes_one_way(velocities: Sequence[Array]) -> bool:
    """Whether no motion of a speed worth the name goes against the others."""
    low = min(float(v.min()) for v in velocities)
    high = max(float(v.max()) for v in velocities)
    return min(-low, high) <= _AGAINST * max(-low, high, 1e-300)
