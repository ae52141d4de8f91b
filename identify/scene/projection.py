"""Experiments in which the camera bends the state: projections of a pendulum and of falling balls."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from identify.errors import InputError
from identify.scene.camera import Look, photograph
from identify.scene.collection import Ask, times
from identify.scene.motion import dynamics_of, travel
from identify.scene.recording import Array, Pixels, Recording, Role, Shot
from identify.scene.stage import BALL, OverheadFall, ProjectedPendulum, SideFall

GRAVITY = 9.81
CAMERA = 2.0  # m above the floor
_RATE = 60.0
_NOISE = 0.01  # of a pixel of the camera; a frame is reduced from many more of them, which averages it
_SIDE_PIXELS, _OVERHEAD_PIXELS = 800, 960  # rows of the camera's picture that are seen (app:exp-real)

_PROJECTED_LAW = "z''=-d*z'-k*(z-b)*sqrt(1-((z-b)/s)**2)-rho*(z-b)/(s**2-(z-b)**2)*z'**2"


def projected_pendulum(seed: int, ask: Ask) -> Recording:
    """Releases from rest, seen along the vertical: three to train on, three others filmed four times each."""
    chance = np.random.default_rng(np.random.SeedSequence([seed, 0]))
    angles = [float(a) for a in np.radians([45, 60, 70, 40, 55, 65]) * chance.uniform(0.97, 1.03, 6)]
    planned: list[Swing] = [Swing(angle, "train") for angle in angles[:3][: ask.clips]]
    planned += [Swing(angle, "test") for angle in angles[3:] for _ in range(4)]
    return swings(planned, seed, ask)


@dataclass(frozen=True)
class Swing:
    """A release from rest at an angle in rad; with ``passages`` the clip ends at that turning point."""

    angle: float
    role: Role
    passages: int | None = None


def swings(planned: Sequence[Swing], seed: int, ask: Ask) -> Recording:
    """Swings of the pendulum that is seen along the vertical, each with noise and brightness of its own."""
    from identify.law import read_law

    stage = ProjectedPendulum(ask.size or (96, 96))
    dynamics = dynamics_of(read_law("q''+d*q'+k*sin(q)=0"), {"d": 0.15, "k": 4.0})
    look = ask.seen(Look(brightness=0.05))
    shots = []
    for index, swing in enumerate(planned):
        longest = 4.8 if swing.passages is None else 2.2 * swing.passages  # half a swing takes up to 1.9 s
        time = times(ask.duration or longest, ask.rate or 30.0)
        angle, speed = travel(dynamics, (swing.angle, 0.0), time)
        if swing.passages is not None:
            turns = np.flatnonzero(speed[1:-1] * speed[2:] <= 0) + 2
            time, angle, speed = (x[: turns[swing.passages - 1] + 1] for x in (time, angle, speed))
        state, velocity = np.sin(angle), np.cos(angle) * speed
        frames = photograph(stage, look, time, state, velocity, (seed, index))
        shots.append(Shot(f"{swing.role}-{index + 1:02d}", time, frames, state, velocity, swing.role, angle))
    return Recording(
        "projected-pendulum",
        "projected-pendulum",
        _PROJECTED_LAW,
        tuple(shots),
        {"d": 0.15, "k": 4.0, "rho": 1.0, "s": 1.0, "b": 0.0},
        ("k > 0", "s > 0"),
        ("b - s < z < b + s",),
        physical="angle in rad",
    )


@dataclass(frozen=True)
class _Release:
    height: float
    role: Role


def side_fall(seed: int, ask: Ask) -> Recording:
    """A ball that falls past a fixed interval: two clips from each of three heights."""
    _no_duration(ask)
    stage = SideFall(ask.size or (192, 72))
    planned = [_Release(h, "train") for h in (0.8, 1.0, 1.2) for _ in range(2)][: ask.clips]
    planned += [_Release(h, "test") for h, n in ((0.8, 2), (1.0, 2), (1.2, 3), (1.4, 7)) for _ in range(n)]
    chance = np.random.default_rng(np.random.SeedSequence([seed, 0]))
    shots = []
    for index, release in enumerate(planned):
        drop = release.height + float(chance.uniform(-0.01, 0.01)) - stage.metres
        seen = (
            math.sqrt(2 * (drop + BALL / 2) / GRAVITY),
            math.sqrt(2 * (drop + stage.metres - BALL / 2) / GRAVITY),
        )
        time = _stamps(seen[0], seen[1], ask.rate or _RATE, chance)
        state, velocity = GRAVITY * time**2 / 2 - drop, GRAVITY * time
        name = f"{release.role}-{index + 1:02d}"
        motion = time, state, velocity, None
        look = ask.seen(_reduced(stage.size[0], _SIDE_PIXELS))
        shots.append(_shot(stage, look, (seed, index), name, release.role, motion))
    return Recording(
        "side-fall",
        "side-fall",
        "z''=A",
        tuple(shots),
        {"A": GRAVITY},
        ("A != 0",),
        anchors=(f"size={BALL:g} m over {BALL * stage.pixels:.4g} px",),
        units={"z": "m"},
        ruler=stage.pixels,
    )


def overhead_fall(seed: int, ask: Ask) -> Recording:
    """A ball that falls away below a camera: its radius is C/(H - h), and only short clips are kept."""
    _no_duration(ask)
    stage = OverheadFall(ask.size or (64, 64))
    constant = _constant(stage)
    look = ask.seen(_reduced(stage.size[0], _OVERHEAD_PIXELS))
    shots = []
    for index, (release, start, time) in enumerate(_overhead_plan(seed, ask)):
        height, speed = start - GRAVITY * time**2 / 2, -GRAVITY * time
        radius = constant / (CAMERA - height)
        motion = time, radius, radius**2 / constant * speed, height
        name = f"{release.role}-{index + 1:02d}"
        shots.append(_shot(stage, look, (seed, index), name, release.role, motion))
    return Recording(
        "overhead-fall",
        "overhead-fall",
        "z''=rho*z'**2/z-k*z**2",
        tuple(shots),
        {"rho": 2.0, "k": GRAVITY / constant},
        ("k > 0",),
        ("z > 0",),
        _heights(shots),
        physical="height in m",
    )


def release_frames(seed: int, ask: Ask) -> tuple[Pixels, Array]:
    """The first frames of seven of the overhead recordings, and the heights noted for them.

    A height is noted as it was meant; the ball was let go up to a centimetre above or below.
    """
    stage = OverheadFall(ask.size or (64, 64))
    plan = list(enumerate(_overhead_plan(seed, ask)))
    chosen = [
        (index, release.height, start)
        for height, count in ((1.0, 2), (1.2, 2), (1.4, 3))
        for index, (release, start, _) in [p for p in plan if p[1][0].height == height][:count]
    ]
    look = ask.seen(_reduced(stage.size[0], _OVERHEAD_PIXELS))
    still = np.zeros(1)
    frames = [
        photograph(
            stage, look, still, _constant(stage) / (CAMERA - np.array([start])), still, (seed, 100 + i)
        )
        for i, _, start in chosen
    ]
    return np.concatenate(frames), np.array([height for _, height, _ in chosen])


def _constant(stage: OverheadFall) -> float:
    """Focal length times radius of the ball, in px m."""
    return 130 / 64 * min(stage.size) * BALL / 2


def _overhead_plan(seed: int, ask: Ask) -> list[tuple[_Release, float, Array]]:
    """The releases, the heights from which the ball really fell, and the times of the frames."""
    kept = {0.8: (4, 1), 1.0: (4, 1), 1.2: (4, 1), 1.4: (2, 3)}
    planned = [_Release(h, "train") for h, (n, _) in kept.items() for _ in range(n)][: ask.clips]
    planned += [_Release(h, "test") for h, (_, n) in kept.items() for _ in range(n)]
    chance = np.random.default_rng(np.random.SeedSequence([seed, 0]))
    found = []
    for release in planned:
        start = release.height + float(chance.uniform(-0.01, 0.01))
        found.append((release, start, _kept(start, release.role, ask.rate or _RATE, chance)))
    return found


def _reduced(pixels: int, rows: int) -> Look:
    """The look of a picture reduced from that many rows of the camera's."""
    return Look(noise=_NOISE * min(1.0, pixels / rows))


def _heights(shots: list[Shot]) -> tuple[str, ...]:
    """What a person with a tape would know: the height at the first and the last frame of one clip."""
    shot = next((s for s in shots if s.role == "train"), shots[0])
    assert shot.physical is not None
    ends = ((shot.physical[i], shot.time[i]) for i in (0, -1))
    return tuple(f"height={height:.4f} m at clip {shot.name} t={at:.4f}" for height, at in ends)


Motion = tuple[Array, Array, Array, Array | None]


def _shot(
    stage: SideFall | OverheadFall, look: Look, seed: tuple[int, int], name: str, role: Role, motion: Motion
) -> Shot:
    time, state, velocity, physical = motion
    frames = photograph(stage, look, time, state, velocity, seed)
    return Shot(name, time - time[0], frames, state, velocity, role, physical)


def _stamps(first: float, last: float, rate: float, chance: np.random.Generator) -> Array:
    """Time stamps at about the rate with a jitter of 2 % of the interval, inside the given time."""
    begin = first + float(chance.uniform(0.1, 0.9)) / rate
    count = max(int((last - begin) * rate), 4)
    jitter = np.clip(chance.normal(0, 0.02, count + 1), -0.08, 0.08)
    time = begin + (np.arange(count + 1) + jitter) / rate
    return time[(time > first) & (time < last)]


def _kept(start: float, role: Role, rate: float, chance: np.random.Generator) -> Array:
    """The part of a fall that is kept: 13 to 23 frames to train on, 7 to 18 to test on, at 60 Hz."""
    landing = math.sqrt(2 * (start - BALL / 2) / GRAVITY)
    fewest, most = (13, 23) if role == "train" else (7, 18)
    begin = float(chance.uniform(0.0, 0.06 if role == "train" else 0.15))
    length = float(chance.integers(fewest, most + 1)) / _RATE
    return _stamps(begin, min(begin + length, landing), rate, chance)


def _no_duration(ask: Ask) -> None:
    if ask.duration is not None:
        raise InputError("the fall itself sets how long a clip is", hint="leave out --duration")
