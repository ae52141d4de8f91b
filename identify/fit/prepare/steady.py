"""Gain and offset of every frame from static pixels alone, by one linear fit for all frames.

The prior keeps what the scene cannot show (the gain of a blank wall) at nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from identify.fit.film import Array, Pixels
from identify.fit.prepare.prepared import Mask, Real

_PRIOR = np.array([0.2, 30.0])  # gain, and grey levels of offset
_MOST_PIXELS = 4_000
_LEAST_CONTRAST = 5.0  # grey levels among static pixels: with less, gain and offset look alike
_MOST_NUMBERS = 8_000_000  # frames times pixels
_CHUNK = 2000


@dataclass(frozen=True)
class Steadiness:
    """Per frame: gain (0 is none), offset in grey levels; ``left`` is the rms they leave, clipped."""

    gain: Array
    offset: Array
    left: Array


class Static:
    """The static pixels of one camera, ready to fit any frame."""

    def __init__(self, background: Real, static: Mask, noise: float, frames: int) -> None:
        usable = static & (background > 3) & (background < 252)
        usable = usable if usable.sum() >= 50 else static
        places = np.flatnonzero(usable.ravel())
        most = max(200, min(_MOST_PIXELS, _MOST_NUMBERS // max(frames, 1)))
        self.places = places[:: max(1, -(-len(places) // most))]
        self.background = background.ravel()[self.places]
        self.mean = float(self.background.mean())
        contrast = self.background - self.mean
        self.told_apart = float(contrast.std()) >= _LEAST_CONTRAST
        contrast = contrast if self.told_apart else np.zeros_like(contrast)
        self.design = np.stack([contrast, np.ones_like(contrast)], axis=1)
        weight = 1.0 / max(noise, 1.0) ** 2
        normal = self.design.T @ self.design * weight + np.diag(1 / _PRIOR**2)
        self.solve = np.linalg.solve(normal, self.design.T * weight).astype(np.float32)

    def fit(self, frames: Pixels) -> Steadiness:
        """Gain and offset of every frame; a second look leaves pixels with large residuals aside."""
        flat = frames.reshape(len(frames), -1)
        numbers, left = np.empty((len(flat), 2), np.float32), np.empty(len(flat))
        for start in range(0, len(flat), _CHUNK):
            part = slice(start, start + _CHUNK)
            change = flat[part].take(self.places, axis=1) - self.background
            first = change @ self.solve.T
            change -= first @ self.design.T
            left[part] = np.sqrt(np.einsum("np,np->n", change, change) / max(change.shape[1], 1))
            bound = np.float32(3 * max(0.5, float(np.median(left[part]))))
            np.clip(change, -bound, bound, out=change)
            numbers[part] = first + change @ self.solve.T
            left[part] = np.sqrt(np.einsum("np,np->n", change, change) / max(change.shape[1], 1))
        gain, level = numbers.astype(np.float64).T
        if not self.told_apart:  # a change of light is mostly one of gain
            gain = level / max(self.mean, 1.0)
            return Steadiness(gain, np.where(self.mean < 1, level, 0.0), left)
        return Steadiness(gain, level - gain * self.mean, left)


def levelled(frames: Pixels, gain: Array, offset: Array) -> Pixels:
    """The frames at the background's brightness; those within half a grey level of it as they are."""
    wrong = np.abs(gain * 128 + offset) + np.abs(gain * 64) > 0.5
    if not wrong.any():
        return frames
    gain = np.clip(gain, -0.9, 9.0)
    levels = (np.arange(256) - offset[:, None]) / (1 + gain[:, None])
    tables = np.clip(np.rint(levels), 0, 255).astype(np.uint8)
    result = frames.copy()
    for place in np.flatnonzero(wrong):
        tables[place].take(frames[place], out=result[place])
    return result
