"""Trials: clips of any law, from given initial conditions or from ones that cover its states."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from identify.errors import InputError
from identify.law import Law
from identify.motion.dynamics import Dynamics
from identify.scene.camera import Look, photograph
from identify.scene.collection import Ask, Initial, times
from identify.scene.motion import dynamics_of, travel
from identify.scene.recording import Array, Recording, Role, Shot
from identify.scene.stage import Cart, OverheadFall, Pendulum, ProjectedPendulum, SideFall, Size, Stage
from identify.scene.starts import Place, find_place, starts

SCENES = ("cart", "pendulum", "projected-pendulum", "side-fall", "overhead-fall")
_SIZES: dict[str, Size] = {"projected-pendulum": (96, 96), "side-fall": (192, 72)}
_CLIPS, _FRAMES, _FEWEST = 6, 360, 12
_LEAST = 0.05  # of the reach: a clip that moves less shows nothing


@dataclass(frozen=True)
class Trial:
    """A law with everything that the simulation has to know about it."""

    name: str
    law: Law
    text: str
    truth: dict[str, float]
    assume: tuple[str, ...]
    domain: tuple[str, ...]
    scene: str


@dataclass(frozen=True)
class _Motion:
    role: Role
    time: Array
    state: Array
    velocity: Array


def film(trial: Trial, initial: Sequence[Initial], seed: int, ask: Ask) -> Recording:
    """The clips of a trial; without initial conditions some are chosen and perturbed by the seed."""
    dynamics = dynamics_of(trial.law, trial.truth)
    motions = _given(dynamics, initial, ask) if initial else _chosen(dynamics, seed, ask)
    stage = _stage(trial.scene, ask.size or _SIZES.get(trial.scene, (64, 64)), motions)
    look = ask.seen(Look())
    shots = []
    for index, m in enumerate(motions):
        frames = photograph(stage, look, m.time, m.state, m.velocity, (seed, index))
        shots.append(Shot(f"{m.role}-{index + 1:02d}", m.time, frames, m.state, m.velocity, m.role))
    return Recording(
        trial.name,
        trial.scene,
        trial.text,
        tuple(shots),
        trial.truth,
        trial.assume,
        trial.domain,
        ruler=stage.pixels if isinstance(stage, Cart | SideFall) else None,
    )


def _given(dynamics: Dynamics, initial: Sequence[Initial], ask: Ask) -> list[_Motion]:
    """The motions the user asked for: all to train on, and each must last."""
    time = times(ask.duration or 6.0, ask.rate or 60.0)
    motions = []
    for pair in initial:
        state, velocity = travel(dynamics, pair, time)
        if len(state) < _FEWEST:
            raise InputError(
                f"the motion from ({pair[0]:g}, {pair[1]:g}) leaves the domain or ends after "
                f"{len(state)} of {len(time)} frames",
                hint="start elsewhere, or raise --rate",
            )
        motions.append(_Motion("train", time[: len(state)], state, velocity))
    return motions


def _chosen(dynamics: Dynamics, seed: int, ask: Ask) -> list[_Motion]:
    place = find_place(dynamics)
    time = _clock(place, ask)
    train, test = starts(place, ask.clips or _CLIPS)
    chance = np.random.default_rng(np.random.SeedSequence([seed, 0]))
    planned: list[tuple[Initial, Role]] = [(pair, "train") for pair in train]
    planned += [(pair, "test") for pair in test]
    found = []
    for pair, role in planned:
        factors = chance.uniform(0.95, 1.05, 2)
        shifted = place.centre + (pair[0] - place.centre) * float(factors[0]), pair[1] * float(factors[1])
        motion = _seen(dynamics, shifted, time, place, role)
        if motion is not None:
            found.append(motion)
    if not any(m.role == "train" for m in found):
        raise InputError(
            "every motion that was tried leaves the domain or the picture at once, or stands still",
            hint="give the motions with --initial Z,V, and perhaps --duration and --rate",
        )
    return found


def _seen(dynamics: Dynamics, initial: Initial, time: Array, place: Place, role: Role) -> _Motion | None:
    """The motion while it stays in view, or None where that is too short to be of use."""
    if not dynamics.inside(initial[0]):
        return None
    state, velocity = travel(dynamics, initial, time)
    low, high = place.view
    out = (state < low) | (state > high)
    count = int(np.argmax(out)) if out.any() else len(state)
    if count < _FEWEST or np.ptp(state[:count]) < _LEAST * place.reach:
        return None
    return _Motion(role, time[:count], state[:count], velocity[:count])


def _clock(place: Place, ask: Ask) -> Array:
    """Three swings in some 360 frames, at a rate with two digits, unless the user knows better."""
    duration = ask.duration or (3.0 * place.period if ask.rate is None else _FRAMES / ask.rate)
    rate = ask.rate or _rounded(_FRAMES / duration)
    return times(duration, rate)


def _rounded(rate: float) -> float:
    digits = 1 - math.floor(math.log10(rate))
    return round(rate, digits)


def _stage(scene: str, size: Size, motions: Sequence[_Motion]) -> Stage:
    """The scene, with every state that occurs in view."""
    low = min(float(m.state.min()) for m in motions)
    high = max(float(m.state.max()) for m in motions)
    match scene:
        case "cart":
            margin = 0.04 * (high - low) or 0.5
            return Cart(size, low - margin, high + margin)
        case "pendulum":
            return Pendulum(size)
        case "projected-pendulum":
            _within(scene, low, high, -1.0, 1.0, "the state is the sine of the angle")
            return ProjectedPendulum(size)
        case "side-fall":
            stage = SideFall(size)
            _within(
                scene, low, high, 0.0, stage.metres, "the state is the depth below the top edge in metres"
            )
            return stage
        case "overhead-fall":
            _within(scene, low, high, 1.0, min(size) / 2, "the state is the radius in pixels")
            return OverheadFall(size)
    raise InputError(f"there is no scene '{scene[:40]}'", hint=f"one of {', '.join(SCENES)}")


def _within(scene: str, low: float, high: float, least: float, most: float, what: str) -> None:
    if low < least or high > most:
        raise InputError(
            f"the states from {low:.4g} to {high:.4g} do not fit the scene {scene}, which shows "
            f"{least:g} to {most:g}: {what}",
            hint="choose other initial conditions, or --scene cart, which shows any range",
        )
