"""Collections: the clips of one experiment, from its nominal initial states and a data seed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from identify.errors import InputError
from identify.scene.camera import Look, photograph
from identify.scene.motion import dynamics_of, travel
from identify.scene.recording import Array, Recording, Role, Shot
from identify.scene.stage import Cart, Pendulum, Size, Stage

USUAL = Look()
_MOST_FRAMES, _MOST_BYTES, _FASTEST = 20_000, 2_000_000_000, 1e5
Initial = tuple[float, float]
Start = tuple[Initial, Role, int]  # the number is that of the clip's noise


@dataclass(frozen=True)
class Ask:
    """What the user wants otherwise; None keeps what the experiment has."""

    size: Size | None = None
    rate: float | None = None
    duration: float | None = None
    clips: int | None = None  # training clips
    look: Mapping[str, Any] = field(default_factory=dict)  # fields of Look

    def seen(self, usual: Look) -> Look:
        """The usual look with what the user wants otherwise."""
        return replace(usual, **self.look)


def check_amount(ask: Ask) -> None:
    """Refuse more frames than a machine holds."""
    for name, value in (("rate", ask.rate), ("duration", ask.duration)):
        if value is not None and not (math.isfinite(value) and value > 0):
            raise InputError(f"the {name} must be positive", hint="leave it out for the usual one")
    if ask.rate is not None and ask.rate > _FASTEST:
        raise InputError(f"the rate is at most {_FASTEST:g}", hint="a file has no finer times")
    frames = (ask.duration or 1.0) * (ask.rate or 60.0)
    if frames > _MOST_FRAMES:
        raise InputError(
            f"a clip has at most {_MOST_FRAMES} frames, not {frames:.0f}",
            hint="lower the rate or the duration",
        )
    height, width = ask.size or (64, 64)
    pixels = height * width * (3 if ask.look.get("colour") else 1)
    if max(frames, 400) * (ask.clips or 24) * pixels > _MOST_BYTES:
        hint = "lower the size, the clips, the rate or the duration"
        raise InputError("that is more than 2 GB of frames", hint=hint)


@dataclass(frozen=True)
class Protocol:
    """One experiment of the paper before its initial states are perturbed (tab:exp-synth-data)."""

    name: str
    law: str
    truth: Mapping[str, float]
    train: tuple[Initial, ...]
    test: tuple[Initial, ...]
    duration: float
    reach: tuple[float, float]  # the states that stay in view
    assume: tuple[str, ...] = ()
    size: Size = (64, 64)
    rate: float = 60.0
    angles: bool = False  # a pendulum: its initial angles are not perturbed
    centred: bool = False  # the initial condition is the middle of the clip
    look: Look = USUAL

    def asked(self, ask: Ask) -> Protocol:
        """The same experiment as the user wants it."""
        return replace(
            self,
            size=ask.size or self.size,
            rate=ask.rate or self.rate,
            duration=ask.duration or self.duration,
            look=ask.seen(self.look),
        )


def perturbed(protocol: Protocol, seed: int, spread: float = 0.05) -> list[Start]:
    """The initial states of one collection: each number times its own factor, drawn by the data seed."""
    chance = np.random.default_rng(np.random.SeedSequence([seed, 0]))
    planned: list[tuple[Initial, Role]] = [(pair, "train") for pair in protocol.train]
    planned += [(pair, "test") for pair in protocol.test]
    found: list[Start] = []
    for index, ((u, v), role) in enumerate(planned):
        first, second = chance.uniform(1 - spread, 1 + spread, 2)
        found.append(((u if protocol.angles else u * float(first), v * float(second)), role, index))
    return found


def render(protocol: Protocol, starts: list[Start], seed: int) -> Recording:
    """The clips from these initial states."""
    from identify.law import read_law

    stage: Stage = Pendulum(protocol.size) if protocol.angles else Cart(protocol.size, *protocol.reach)
    dynamics = dynamics_of(read_law(protocol.law, protocol.assume, ()), protocol.truth)
    time = times(protocol.duration, protocol.rate, centred=protocol.centred)
    shots: list[Shot] = []
    for initial, role, number in starts:
        state, velocity = travel(dynamics, initial, time)
        if len(state) < len(time):
            raise InputError(
                f"the motion from ({initial[0]:g}, {initial[1]:g}) does not last the clip",
                hint="choose a shorter --duration, or another --initial",
            )
        frames = photograph(stage, protocol.look, time, state, velocity, (seed, number))
        name = f"{role}-{len(shots) + 1:02d}"
        shots.append(Shot(name, time - time[0], frames, state, velocity, role))
    return Recording(
        protocol.name,
        "pendulum" if protocol.angles else "cart",
        protocol.law,
        tuple(shots),
        protocol.truth,
        protocol.assume,
        ruler=stage.pixels if isinstance(stage, Cart) else None,
    )


def times(duration: float, rate: float, *, centred: bool = False) -> Array:
    """The times of the frames, both ends included; 0 is the start, or the middle of a centred clip."""
    count = max(1, round(duration * rate))
    return (np.arange(count + 1) - (count // 2 if centred else 0)) / rate
