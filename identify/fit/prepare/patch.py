"""Patches of a reference frame and where they are found in other frames, by normalised correlation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import fft, ndimage

from identify.fit.film import Array, Pixels
from identify.fit.prepare.prepared import Mask, Real

_MOST = 12
_LEAST_RADIUS, _MOST_RADIUS = 3, 10
_CHANGED = 0.3  # of the largest change: what belongs to the thing that moves


@dataclass(frozen=True)
class Match:
    """A patch (its middle and radius in the reference frame), its shift (x, y) and likeness in each frame."""

    x: int
    y: int
    radius: int
    shift: NDArray[np.intp]
    likeness: Array


def find_matches(frames: Pixels, where: Mask) -> list[Match]:
    """The patches of the first frame that differ most from the mean picture, looked for in all frames."""
    real = frames.astype(np.float32)
    change = np.abs(real[0] - real.mean(0)) * where
    area = int((change > _CHANGED * change.max()).sum())
    most = min(_MOST_RADIUS, (min(change.shape) - 3) // 4)
    radius = max(_LEAST_RADIUS, min(most, round(0.35 * np.sqrt(area))))
    side = 2 * radius + 1
    mean = ndimage.uniform_filter(real, (0, side, side))
    energy = ndimage.uniform_filter((real - real.mean()) ** 2, (0, side, side))
    spread = np.sqrt(np.maximum(energy - (mean - real.mean()) ** 2, 1.0)) * side
    spectrum = fft.rfft2(real - real.mean())
    return [_match(real, spectrum, spread, x, y, radius) for x, y in _middles(change, radius)]


def _middles(change: Real, radius: int) -> list[tuple[int, int]]:
    """Where the change around is largest, at least a radius apart and inside the frame."""
    around = ndimage.uniform_filter(change**2, 2 * radius + 1, mode="constant")
    inside = np.zeros_like(around)
    inside[radius:-radius, radius:-radius] = around[radius:-radius, radius:-radius]
    found: list[tuple[int, int]] = []
    top = float(inside.max())
    while len(found) < _MOST and top > 0:
        y, x = np.unravel_index(int(np.argmax(inside)), inside.shape)
        if inside[y, x] < 0.02 * top:
            break
        found.append((int(x), int(y)))
        apart = max(2, radius)
        inside[max(0, y - apart) : y + apart + 1, max(0, x - apart) : x + apart + 1] = 0
    return found


def _match(real: Real, spectrum: NDArray[np.complex64], spread: Real, x: int, y: int, radius: int) -> Match:
    height, width = real.shape[1:]
    patch = real[0, y - radius : y + radius + 1, x - radius : x + radius + 1]
    patch = patch - patch.mean()
    template = np.zeros((height, width), np.float32)
    template[: 2 * radius + 1, : 2 * radius + 1] = patch / max(float(np.linalg.norm(patch)), 1e-6)
    template = np.roll(template, (-radius, -radius), axis=(0, 1))
    likeness = fft.irfft2(spectrum * np.conj(fft.rfft2(template)), s=(height, width)) / spread
    inner = likeness[:, radius : height - radius, radius : width - radius].reshape(len(real), -1)
    best = inner.argmax(1)
    down, across = np.divmod(best, width - 2 * radius)
    shift = np.stack([across + radius - x, down + radius - y], axis=1)
    return Match(x, y, radius, shift, inner.max(1).astype(np.float64))
