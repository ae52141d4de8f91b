"""The paper's synthetic experiments: coefficients, initial states, durations, rates, sizes and splits."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from identify.errors import InputError
from identify.scene.camera import Look, photograph
from identify.scene.motion import dynamics_of, travel
from identify.scene.recording import Array, Recording, Role, Shot
from identify.scene.stage import Cart, Pendulum, Stage

Initial = tuple[float, float]


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
    size: int = 64
    rate: float = 60.0
    spread: float = 0.05
    angles: bool = False  # a pendulum: its initial angles are not perturbed
    centred: bool = False  # the initial condition is the middle of the clip
    brightness: float = 0.0


def _both(pairs: list[Initial]) -> tuple[Initial, ...]:
    return tuple(p for u, v in pairs for p in ((u, v), (-u, -v)))


_OSCILLATOR = {
    "train": _both([(a, 0.0) for a in (0.25, 0.55, 0.85, 1.15)] + [(0.0, b) for b in (0.8, 1.8, 2.8, 3.4)]),
    "test": _both([(a, 0.0) for a in (0.65, 1.0)] + [(0.0, b) for b in (0.4, 1.0)]),
}


def _crossing(p: float) -> Initial:
    """The velocity at the origin that carries the undamped cubic oscillator to ``p``."""
    return 0.0, math.sqrt(4 * p**2 + 2 * p**4)


SIX = (
    Protocol(
        "lti",
        "z''+d*z'+a*(z-c)=0",
        {"d": 0.2, "a": 4.0, "c": 0.0},
        _OSCILLATOR["train"],
        _OSCILLATOR["test"],
        6.0,
        (-1.7, 1.7),
        ("a > 0",),
    ),
    Protocol(
        "pendulum",
        "z''+d*z'+k*sin(z)=0",
        {"d": 0.15, "k": 4.0},
        tuple((s * math.pi / 2, math.pi * h) for s in (1, -1) for h in (-0.5, -0.25, 0.0, 0.25, 0.5)),
        tuple((s * math.pi / 2, r * math.pi / 8) for s in (1, -1) for r in (1, -1)),
        8.0,
        (-math.pi, math.pi),
        ("k > 0",),
        angles=True,
    ),
    Protocol(
        "van-der-pol",
        "z''-mu*(1-z**2)*z'+z=0",
        {"mu": 1.5},
        ((0.0, 0.5), (0.0, -0.5), (0.0, 2.5), (0.0, -2.5), (3.0, 0.0), (-3.0, 0.0)),
        ((0.0, 1.25), (0.0, -1.25), (2.75, 0.0), (-2.75, 0.0)),
        12.0,
        (-3.2, 3.2),
        ("mu != 0",),
    ),
    Protocol(
        "cubic",
        "z''+d*z'+a*z+b*z**3=0",
        {"d": 0.2, "a": 4.0, "b": 4.0},
        _both([_crossing(p) for p in (0.4, 0.55, 0.7, 0.85, 1.0)]),
        _both([_crossing(p) for p in (0.625, 0.925)]),
        8.0,
        (-1.05, 1.05),
        ("b != 0",),
    ),
    Protocol(
        "quintic",
        "z''+d*z'+a*z+b*z**3+g*z**5=0",
        {"d": 0.2, "a": 4.0, "b": 3.0, "g": 2.0},
        _OSCILLATOR["train"],
        _OSCILLATOR["test"],
        3.0,
        (-1.27, 1.27),
        ("b != 0", "g != 0"),
    ),
    Protocol(
        "quadratic",
        "z''+d*z'+a*z+b*z**2=0",
        {"d": 0.18, "a": 1.6, "b": 0.8},
        ((0.0, -1.2), (0.0, 0.8), (0.0, 1.2)),
        ((-0.4, 0.65), (0.4, -0.65), (-0.15, 1.0), (0.15, -1.0)),
        8.0,
        (-1.15, 0.9),
        ("a > 0", "b != 0"),
    ),
)


def perturbed(protocol: Protocol, seed: int) -> list[tuple[Initial, Role]]:
    """The initial states of one collection: each number times its own factor, drawn by the data seed."""
    chance = np.random.default_rng(np.random.SeedSequence([abs(seed), 0]))
    planned: list[tuple[Initial, Role]] = [(pair, "train") for pair in protocol.train]
    planned += [(pair, "test") for pair in protocol.test]
    found: list[tuple[Initial, Role]] = []
    for (u, v), role in planned:
        first, second = chance.uniform(1 - protocol.spread, 1 + protocol.spread, 2)
        found.append(((u if protocol.angles else u * float(first), v * float(second)), role))
    return found


def render(protocol: Protocol, seed: int, look: Look) -> Recording:
    """The clips of one collection of initial states."""
    from identify.law import read_law

    size = (protocol.size, protocol.size)
    stage: Stage = Pendulum(size) if protocol.angles else Cart(size, *protocol.reach)
    dynamics = dynamics_of(read_law(protocol.law, protocol.assume, ()), dict(protocol.truth))
    time = _times(protocol)
    shots = []
    for index, (initial, role) in enumerate(perturbed(protocol, seed)):
        state, velocity = travel(dynamics, initial, time)
        frames = photograph(stage, look, time, state, velocity, (seed, index))
        shots.append(Shot(f"{role}-{index + 1:02d}", time - time[0], frames, state, velocity, role))
    scene = "pendulum" if protocol.angles else "cart"
    return Recording(protocol.name, scene, protocol.law, tuple(shots), protocol.truth, protocol.assume)


def _times(protocol: Protocol) -> Array:
    count = round(protocol.duration * protocol.rate)
    start = count // 2 if protocol.centred else 0
    return (np.arange(count + 1) - start) / protocol.rate


def paper_protocol(name: str, seed: int, look: Look | None = None) -> Recording:
    """The recording of one experiment of the paper; the seed stands for a collection of initial states."""
    known = builders()
    if name not in known:
        raise InputError(f"the paper has no experiment '{name[:80]}'", hint=f"one of {', '.join(known)}")
    return known[name](seed, look)


def builders() -> dict[str, Callable[[int, Look | None], Recording]]:
    """What makes the recording of each experiment, by name."""
    return {p.name: _builder(p) for p in SIX}


def _builder(protocol: Protocol) -> Callable[[int, Look | None], Recording]:
    def build(seed: int, look: Look | None) -> Recording:
        usual = replace(Look(), brightness=protocol.brightness)
        return render(protocol, seed, look or usual)

    return build
