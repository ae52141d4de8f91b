"""Reference states: what the physical state was, for evaluation only, at the times of the frames."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from identify.fit.film import Array
from identify.motion.table import DataError, read_clips

_GAP = 3.5  # usual steps between samples beyond which nothing is filled in


@dataclass(frozen=True)
class Reference:
    """A clip's physical states at times of their own, strictly increasing."""

    time: Array
    state: Array
    velocity: Array | None = None

    def at(self, time: Array) -> Array:
        """The states at those times: cubic between samples, nan outside them and inside gaps."""
        from scipy.interpolate import CubicHermiteSpline, CubicSpline

        if len(self.time) < 4:
            return np.full(len(time), np.nan)
        curve = (
            CubicSpline(self.time, self.state)
            if self.velocity is None
            else CubicHermiteSpline(self.time, self.state, self.velocity)
        )
        after = np.clip(np.searchsorted(self.time, time), 1, len(self.time) - 1)
        steps = np.diff(self.time)
        usual = float(np.median(steps))
        slack = 0.05 * usual  # a container rounds times
        inside = (time >= self.time[0] - slack) & (time <= self.time[-1] + slack)
        inside &= steps[after - 1] <= _GAP * usual
        found: Array = np.where(inside, curve(time), np.nan)
        return found


def read_references(file: Path) -> dict[str, Reference]:
    """References by clip from a table with columns clip, time, state; DataError names row and column."""
    found: dict[str, Reference] = {}
    for clip in read_clips(file):
        found[clip.name] = Reference(clip.time, clip.state, clip.velocity)
    return found


def bare(name: str) -> str:
    """A clip's name without the extension of a file; other dots belong to the name."""
    known = "mp4 mov m4v avi mkv webm gif npz npy mts mpg mpeg wmv 3gp ogv flv csv".split()
    stem, _, extension = name.rpartition(".")
    return stem if stem and extension.lower() in known else name


def reference_for(references: Mapping[str, Reference], name: str, alone: bool) -> Reference | None:
    """The reference of the clip called ``name``, with or without its extension.

    A table without a column for the clip belongs to the only clip there is.
    """
    for written, reference in references.items():
        if written == name or bare(written) == bare(name):
            return reference
    return next(iter(references.values())) if alone and list(references) == ["1"] else None


__all__ = ["DataError", "Reference", "read_references", "reference_for"]
