"""Clips: sampled motions of one state, and the smooth path through the samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline

Array = NDArray[np.float64]

LEAST_SAMPLES = 4  # a cubic spline without an assumption at its ends


@dataclass(frozen=True)
class Clip:
    """One clip: times that increase, the state at them, and the velocity where it was measured."""

    name: str
    time: Array
    state: Array
    velocity: Array | None = None

    @cached_property
    def path(self) -> Path:
        """The smooth path through the samples."""
        return Path(self)

    @property
    def frames(self) -> int:
        """The number of samples."""
        return len(self.time)


@dataclass(frozen=True)
class Crossing:
    """An interior point of a path at a level, and the interior frame beside it.

    ``nearest_frame`` is that frame's distance from the level, ``frame_velocity`` the velocity there.
    """

    time: float
    velocity: float
    nearest_frame: float
    frame_velocity: float


class Path:
    """Cubic splines through state and velocity; without a measured velocity it is the state's derivative."""

    def __init__(self, clip: Clip) -> None:
        self.clip = clip
        self._state = CubicSpline(clip.time, clip.state)
        self._velocity = (
            self._state.derivative() if clip.velocity is None else CubicSpline(clip.time, clip.velocity)
        )

    @cached_property
    def velocity(self) -> Array:
        """The velocity at the frames."""
        return np.asarray(self._velocity(self.clip.time), dtype=float)

    def crossings(self, level: float, tolerance: float = 0.0) -> list[Crossing]:
        """Where the path meets the level between its first and last frame.

        With a tolerance, a turning point that misses the level by no more than that counts too.
        """
        state = self.clip.state
        margin = (
            float(state.max() - state.min()) * 0.1 + tolerance
        )  # a spline overshoots its samples a little
        if not state.min() - margin <= level <= state.max() + margin:
            return []
        times = self._interior(self._state.solve(level, extrapolate=False))
        if tolerance > 0:
            times = [*times, *self._near(level, tolerance, times)]
        return [Crossing(t, float(self._velocity(t)), *self._nearest_frame(t, level)) for t in times]

    def _interior(self, times: Array) -> list[float]:
        """Real interior times; a stretch at rest on the level (marked by nan) counts as its first time."""
        first, last = float(self.clip.time[0]), float(self.clip.time[-1])
        slack = 1e-9 * (last - first)
        found = [float(t) for t in np.unique(times[np.isfinite(times)]) if first + slack < t < last - slack]
        distinct: list[float] = []
        for time in found:
            if not distinct or time - distinct[-1] > slack:
                distinct.append(time)
        return distinct

    def _near(self, level: float, tolerance: float, met: Sequence[float]) -> list[float]:
        away = np.abs(self.clip.state - level)
        inner = np.arange(1, self.clip.frames - 1)
        least = inner[(away[inner] <= away[inner - 1]) & (away[inner] <= away[inner + 1])]
        near = [int(i) for i in least if away[i] <= tolerance]
        time = self.clip.time
        return [float(time[i]) for i in near if not any(time[i - 1] <= t <= time[i + 1] for t in met)]

    def _nearest_frame(self, time: float, level: float) -> tuple[float, float]:
        after = int(np.searchsorted(self.clip.time, time))
        inner = (int(np.clip(i, 1, self.clip.frames - 2)) for i in (after - 1, after))
        away, index = min((abs(float(self.clip.state[i]) - level), i) for i in inner)
        return away, float(self.velocity[index])


def smooth(clip: Clip, window: int) -> Clip:
    """State and velocity from a degree-two local polynomial over ``window`` frames (odd).

    Frames without a full window on both sides are dropped, as no endpoint derivative is used.
    """
    half = window // 2
    rows = range(half, clip.frames - half)
    fits = [_local_fit(clip, i - half, i + half + 1, i) for i in rows]
    state, velocity = np.array([f[0] for f in fits]), np.array([f[1] for f in fits])
    return Clip(clip.name, clip.time[half : clip.frames - half], state, velocity)


def _local_fit(clip: Clip, start: int, stop: int, centre: int) -> tuple[float, float]:
    shift = clip.time[start:stop] - clip.time[centre]
    basis = np.vander(shift, 3, increasing=True)
    value, slope, _ = np.linalg.lstsq(basis, clip.state[start:stop], rcond=None)[0]
    return float(value), float(slope)
