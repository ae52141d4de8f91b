"""A conventional tracker: where the foreground's weight is, along rows and columns, in every frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from identify.fit.film import Array, Pixels
from identify.fit.prepare.prepared import Real

_ROUNDS = 12


@dataclass(frozen=True)
class Places:
    """The object's place in film pixels, (n, 2) as x and y, nan where it was not seen; and its size."""

    points: Array
    size: tuple[float, float]


def track(frames: Pixels) -> Places:
    """The place of the foreground in each frame of a foreground film, by a window that follows its weight."""
    columns, rows = frames.sum(1, dtype=np.float32), frames.sum(2, dtype=np.float32)
    across, width = _follow(columns)
    down, height = _follow(rows)
    weight = columns.sum(1)
    seen = weight > 0.2 * np.median(weight)
    points = np.stack([np.where(seen, across, np.nan), np.where(seen, down, np.nan)], axis=1)
    return Places(points.astype(np.float64), (width, height))


def _follow(profile: Real) -> tuple[Array, float]:
    """Weighted centres of a profile (n, m) under a Gaussian window of twice the object's own width."""
    profile = np.maximum(profile - np.percentile(profile, 25, axis=1, keepdims=True), 0)
    place = np.arange(profile.shape[1], dtype=np.float32)
    total = profile.sum(1) + 1e-9
    centre = profile[:, :] @ place / total
    peak = profile.argmax(1).astype(np.float32)
    spread = float(np.median(np.sqrt((profile * (place - centre[:, None]) ** 2).sum(1) / total)))
    centre = np.where(np.abs(centre - peak) > 2 * spread, peak, centre)
    width = max(2.0, spread)
    for _ in range(_ROUNDS):
        window = np.exp(-0.5 * ((place - centre[:, None]) / (2 * width)) ** 2) * profile
        total = window.sum(1) + 1e-9
        centre = window @ place / total
        width = max(1.0, float(np.median(np.sqrt((window * (place - centre[:, None]) ** 2).sum(1) / total))))
    return np.asarray(centre, dtype=np.float64), width


def main_axis(points: Array) -> tuple[tuple[float, float], Array]:
    """The direction, to the right or down, along which points spread most, and their middle."""
    known = points[np.isfinite(points).all(1)]
    if len(known) < 2:
        return (1.0, 0.0), np.zeros(2)
    middle = np.median(known, axis=0)
    _, vectors = np.linalg.eigh(np.cov((known - middle).T))
    x, y = vectors[:, -1]
    sign = 1.0 if (x if abs(x) >= abs(y) else y) >= 0 else -1.0
    return (float(sign * x), float(sign * y)), middle
