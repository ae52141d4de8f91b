"""Starts: initial conditions for a law that nobody gave any for, and the time in which it moves."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from identify.errors import InputError
from identify.motion.dynamics import Dynamics
from identify.scene.recording import Array

Initial = tuple[float, float]

FILMABLE = (0.02, 1e4)  # seconds for a swing: what a camera can follow and a person wait for
_SCALES = (1.0, 0.1, 10.0, 0.01, 100.0, 1e-3, 1e3, 1e-4, 1e-5, 1e6)
_GRID = 241
# In units of the reach and of the speed: releases on both sides and throws both ways; the test lies between.
_TRAIN = ((1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0), (0.6, 0.0), (-0.6, 0.0), (0.0, 0.6), (0.0, -0.6))
_TEST = ((0.8, 0.0), (0.0, -0.8))


@dataclass(frozen=True)
class Place:
    """Where a law moves: around ``centre`` by about ``reach``, at about ``speed``."""

    centre: float
    reach: float
    speed: float

    @property
    def period(self) -> float:
        """About the time of one swing, or of a passage."""
        return 2 * math.pi * self.reach / self.speed

    @property
    def view(self) -> tuple[float, float]:
        """The states that a camera at the place would show."""
        return self.centre - 3.5 * self.reach, self.centre + 3.5 * self.reach


@dataclass(frozen=True)
class _Stretch:
    """The acceleration at rest over a stretch of states; nan outside the domain."""

    dynamics: Dynamics
    states: Array
    force: Array

    @property
    def step(self) -> float:
        return float(self.states[1] - self.states[0])


def find_place(dynamics: Dynamics) -> Place:
    """A stable equilibrium of ordinary size, else an ordinary stretch of the domain, that can be filmed."""
    stretches = [_stretch(dynamics, scale) for scale in _SCALES]
    searches: tuple[Callable[[_Stretch], Place | None], ...] = (_swing, _passage)
    found = [place for search in searches for place in map(search, stretches) if place is not None]
    for place in found:
        if FILMABLE[0] <= place.period <= FILMABLE[1]:
            return place
    if found:
        raise InputError(
            f"the law moves within {found[0].period:.1g} time units at these values; no camera films that",
            hint="give values in other units with --parameters, or the motions with --initial, --duration "
            "and --rate",
        )
    raise InputError(
        "no ordinary states were found at which the law moves",
        hint="give other values with --parameters, or the motions with --initial Z,V and --duration",
    )


def starts(place: Place, clips: int) -> tuple[list[Initial], list[Initial]]:
    """Initial conditions to train on and to test on, in the order of their use."""

    def at(pair: Initial, share: float = 1.0) -> Initial:
        return place.centre + share * pair[0] * place.reach, share * pair[1] * place.speed

    train = [at(_TRAIN[i % len(_TRAIN)], 0.85 ** (i // len(_TRAIN))) for i in range(clips)]
    return train, [at(pair) for pair in _TEST]


def _stretch(dynamics: Dynamics, scale: float) -> _Stretch:
    states = np.linspace(-4, 4, _GRID) * scale + 1e-9 * scale
    return _Stretch(dynamics, states, np.asarray([_force(dynamics, float(u)) for u in states]))


def _force(dynamics: Dynamics, state: float, velocity: float = 0.0) -> float:
    if not dynamics.inside(state):
        return math.nan
    with np.errstate(all="ignore"):
        return float(dynamics.acceleration(state, velocity))


def _swing(stretch: _Stretch) -> Place | None:
    """Around the zero of the force, from positive to negative, that is nearest to the origin."""
    states, force, step = stretch.states, stretch.force, stretch.step
    falls = np.flatnonzero((force[:-1] > 0) & (force[1:] <= 0))
    for i in sorted(falls, key=lambda i: abs(float(states[i]))):
        centre = float(states[i] + step * force[i] / (force[i] - force[i + 1]))
        centre = 0.0 if abs(centre) < 1e-3 * step else centre
        reach = _room(stretch, int(i))
        if reach > 4 * step and _attracts(stretch.dynamics, centre, reach):
            # The stiffness over the reach, not at the point: a cubic spring has none there.
            near = np.abs(states - centre) <= reach
            stiffness = float(np.nanmax(np.abs(force[near]))) / reach
            return Place(centre, reach, reach * math.sqrt(stiffness))
    return None


def _room(stretch: _Stretch, index: int) -> float:
    """How far the force points back on both sides, less a margin; an eighth of the stretch at most."""
    above, below = stretch.force[index + 1 :] <= 0, stretch.force[index::-1] > 0
    right = len(above) if above.all() else int(np.argmin(above))
    left = len(below) if below.all() else int(np.argmin(below))
    return min(0.6 * min(left, right), (_GRID - 1) / 8) * stretch.step


def _attracts(dynamics: Dynamics, centre: float, reach: float) -> bool:
    """Whether the force points back between the grid points too: a coarse grid sees no oscillation."""
    offsets = np.linspace(0.0137, 0.9871, 23) * reach
    return all(_force(dynamics, centre + u) < 0 < _force(dynamics, centre - u) for u in offsets)


def _passage(stretch: _Stretch) -> Place | None:
    """The longest stretch of the domain where the law is a number, if a passage feels the law there."""
    good = np.isfinite(stretch.force)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], good, [False]]).astype(int)))
    spans = list(zip(edges[::2], edges[1::2], strict=True))
    first, last = max(spans, key=lambda pair: int(pair[1] - pair[0]), default=(0, 0))
    if last - first < 20:
        return None
    low, high = float(stretch.states[first]), float(stretch.states[last - 1])
    centre, reach = (low + high) / 2, (high - low) / 8
    near = [centre + share * reach for share in np.linspace(-0.95, 0.95, 15)]
    rest = _typical(stretch.dynamics, near, 0.0)
    place = Place(centre, reach, max(math.sqrt(2 * rest * reach), 0.5 * reach))
    felt = max(rest, *(_typical(stretch.dynamics, near, sign * place.speed) for sign in (1, -1)))
    return place if felt * place.period**2 > 0.5 * reach else None


def _typical(dynamics: Dynamics, states: list[float], velocity: float) -> float:
    size = float(np.nanmedian([abs(_force(dynamics, u, velocity)) for u in states]))
    return size if math.isfinite(size) else 0.0
