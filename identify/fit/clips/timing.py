"""The presentation stamps of a film -> its times: even where a constant rate explains them within rounding.

Matroska rounds times to milliseconds and GIF to hundredths of a second: at 60 frames a second that alone is a
jitter of 3 % of a frame, which differencing would turn into an error of the state.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from identify.fit.film import Array


@dataclass(frozen=True)
class Timing:
    """Times of the distinct stamps from 0, the mean rate, and what is odd about them."""

    time: Array
    rate: float
    notes: tuple[str, ...] = ()

    @property
    def duration(self) -> float:
        """From the first frame to the end of the last, which is taken to last as long as usual."""
        return float(self.time[-1] + np.median(np.diff(self.time)))


def timing_of(stamps: NDArray[np.int64], base: Fraction, nominal: Fraction | None, repeats: int) -> Timing:
    """At least two distinct stamps in order, counted in ``base``; ``nominal`` is the header's rate."""
    ticks = (stamps - stamps[0]).astype(np.float64)
    even = _even(ticks, float(base), float(nominal) if nominal else None)
    time = ticks * float(base) if even is None else even
    notes = [f"{repeats} frames share a time with another one"] if repeats > 0 else []
    return Timing(time, (len(time) - 1) / float(time[-1]), (*notes, *_irregular(np.diff(time))))


def _even(ticks: Array, base: float, nominal: float | None) -> Array | None:
    """Evenly spaced times that round to the stamps, by the header's rate, a whole one or the best line."""
    count = np.arange(len(ticks))
    steps = [1.0 / (nominal * base)] if nominal else []
    if len(ticks) > 10:
        line = float(np.polyfit(count, ticks, 1)[0])
        whole = max(1, round(1.0 / (line * base)))  # of the rates that explain the stamps, the likeliest
        steps += [1.0 / (whole * base), line]
    for step in steps:
        off = ticks - count * step
        if float(off.max() - off.min()) <= 1.01:
            even: Array = count * np.float64(step * base)
            return even
    return None


def _irregular(steps: Array) -> list[str]:
    usual = float(np.median(steps))
    gaps = steps > 1.5 * usual
    if float((np.abs(steps - usual) > 0.2 * usual).mean()) > 0.1:
        low, high = 1000 * steps.min(), 1000 * steps.max()
        return [f"variable frame rate: frames are {low:.1f} to {high:.1f} ms apart"]
    if gaps.any():
        missing = int(np.round(steps[gaps] / usual - 1).sum())
        return [f"about {missing} frames are missing in {int(gaps.sum())} gaps"]
    return []
