"""Landmarks: a few frames that stand for all places of a motion, and the landmark nearest to every frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from identify.fit.film import Pixels
from identify.fit.prepare.prepared import Mask, Real

_COUNT = 96
_POOL = 1200  # frames from which they are chosen
_WATCHED = 300  # pixels that tell frames apart
_CHUNK = 4000


@dataclass(frozen=True)
class Landmarks:
    """The chosen frames (the first in the middle of the others), and for each film its frames' landmarks."""

    frames: Pixels
    nearest: tuple[NDArray[np.intp], ...]


def find_landmarks(parts: Sequence[Pixels], where: Mask) -> Landmarks:
    """Frames as different as possible, by what the pixels in the mask show."""
    places = np.flatnonzero(where.ravel())
    places = places[:: max(1, len(places) // _WATCHED)]
    seen = [_seen(part, places) for part in parts]
    every = np.concatenate(seen)
    pool = np.unique(np.linspace(0, len(every) - 1, min(len(every), _POOL)).astype(int))
    chosen = pool[_far_apart(every[pool])]
    owner = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    start = np.cumsum([0, *(len(part) for part in parts)])
    frames = np.stack([parts[owner[k]][k - start[owner[k]]] for k in chosen])
    return Landmarks(frames, tuple(_nearest(one, every[chosen]) for one in seen))


def _seen(part: Pixels, places: NDArray[np.intp]) -> Real:
    return part.reshape(len(part), -1).take(places, axis=1).astype(np.float32)


def _far_apart(points: Real) -> NDArray[np.intp]:
    """The point nearest to the middle, then again and again the one furthest from those chosen."""
    first = int(np.argmin(((points - np.median(points, axis=0)) ** 2).sum(1)))
    chosen, away = [first], ((points - points[first]) ** 2).sum(1)
    while len(chosen) < min(_COUNT, len(points)):
        chosen.append(int(np.argmax(away)))
        away = np.minimum(away, ((points - points[chosen[-1]]) ** 2).sum(1))
    return np.array(chosen, dtype=np.intp)


def _nearest(points: Real, landmarks: Real) -> NDArray[np.intp]:
    size = (landmarks**2).sum(1)
    found = [
        np.argmin(size - 2 * points[k : k + _CHUNK] @ landmarks.T, axis=1)
        for k in range(0, len(points), _CHUNK)
    ]
    return np.concatenate(found).astype(np.intp)
