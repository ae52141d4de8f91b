"""Takes: clean simulated clips in memory, with the motions behind them, so that either can be disturbed."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from identify.fit.clips.info import ClipInfo
from identify.law import read_law
from identify.scene.camera import Look, photograph
from identify.scene.collection import perturbed
from identify.scene.motion import dynamics_of, travel
from identify.scene.shapes import rod
from identify.scene.six import SIX
from identify.scene.stage import Cart, Pendulum, Stage, axes, column

Array = NDArray[np.float64]
Pixels = NDArray[np.uint8]


@dataclass(frozen=True)
class Clip:
    """Frames in memory that read like the source of a clip."""

    name: str
    frames: Pixels
    time: Array
    notes: tuple[str, ...] = ()

    @property
    def info(self) -> ClipInfo:
        """Size, length and rate."""
        rate = (len(self.time) - 1) / float(self.time[-1] - self.time[0])
        return ClipInfo(
            self.frames.shape[2], self.frames.shape[1], len(self.time), len(self.time) / rate, rate
        )

    def read(
        self,
        *,
        crop: Any = None,
        size: Any = None,
        start: Any = None,
        stop: Any = None,
        every: int = 1,
        colour: bool = True,
    ) -> Iterator[tuple[float, Pixels]]:
        """Stream (time, pixels) as a file would."""
        inside = (self.time >= (start or -np.inf)) & (self.time < (stop or np.inf))
        for number in np.flatnonzero(inside)[::every]:
            frame = self.frames[number]
            if crop:
                x, y, width, height = crop
                frame = frame[y : y + height, x : x + width]
            frame = _scaled(frame, size)
            yield float(self.time[number]), np.repeat(frame[..., None], 3, 2) if colour else frame


def _scaled(frame: Pixels, size: tuple[int, int] | None) -> Pixels:
    if not size or (frame.shape[1], frame.shape[0]) == tuple(size):
        return frame
    zoom = size[1] / frame.shape[0], size[0] / frame.shape[1]
    soft = ndimage.uniform_filter(frame.astype(np.float32), [max(1, round(1 / z)) for z in zoom])
    return np.clip(np.rint(ndimage.zoom(soft, zoom, order=1)), 0, 255).astype(np.uint8)


@dataclass(frozen=True)
class Motion:
    """One motion: when the frames are taken, what they show, and the times that the file claims."""

    time: Array
    state: Array
    velocity: Array
    claimed: Array


@dataclass(frozen=True)
class Take:
    """A law with its true parameters, the motions, and how they are seen."""

    name: str
    law: str
    assume: tuple[str, ...]
    truth: Mapping[str, float]
    stage: Stage
    look: Look
    motions: tuple[Motion, ...]
    seed: int = 0

    def clips(self) -> list[Clip]:
        """The clips as a camera would give them."""
        found = []
        for number, m in enumerate(self.motions):
            frames = photograph(self.stage, self.look, m.time, m.state, m.velocity, (self.seed, number))
            found.append(Clip(f"clip-{number + 1}", frames, m.claimed))
        return found


def protocol_take(name: str, clips: int, duration: float, seed: int = 0, look: Look | None = None) -> Take:
    """Some clips of one of the paper's six families."""
    protocol = next(p for p in SIX if p.name == name)
    starts = [s[0] for s in perturbed(protocol, seed) if s[1] == "train"]
    chosen = [starts[i] for i in np.linspace(0, len(starts) - 1, clips).round().astype(int)]
    stage: Stage = Pendulum((64, 64)) if protocol.angles else Cart((64, 64), *protocol.reach)
    return make_take(
        name,
        protocol.law,
        protocol.assume,
        protocol.truth,
        stage,
        look or Look(),
        chosen,
        duration,
        60.0,
        seed,
    )


def room_take(clips: int = 3, duration: float = 5.0, seed: int = 0) -> Take:
    """A picture more like a room: 160 x 120, 30 frames a second, texture, noise, a stiff spring."""
    law, truth = "z''+d*z'+a*z+b*z**3=0", {"d": 0.3, "a": 25.0, "b": 25.0}
    chosen = [(0.9, 0.0), (-0.7, 0.0), (0.5, 1.0), (-0.3, 2.0)][:clips]
    look = Look(noise=0.012, texture=0.06, blur=0.3)
    return make_take(
        "room", law, ("b != 0",), truth, Cart((120, 160), -1.1, 1.1), look, chosen, duration, 30.0, seed
    )


def make_take(
    name: str,
    law: str,
    assume: tuple[str, ...],
    truth: Mapping[str, float],
    stage: Stage,
    look: Look,
    starts: list[tuple[float, float]],
    duration: float,
    rate: float,
    seed: int,
) -> Take:
    time = np.arange(round(duration * rate) + 1) / rate
    dynamics = dynamics_of(read_law(law, assume, ()), truth)
    motions = [Motion(time, *travel(dynamics, start, time), time) for start in starts]
    return Take(name, law, assume, truth, stage, look, tuple(motions), seed)


def sampled(take: Take, moments: list[Array], claimed: list[Array]) -> Take:
    """The same motions filmed at other moments, with the times that the file claims."""
    dynamics = dynamics_of(read_law(take.law, take.assume, ()), take.truth)
    motions = []
    for m, at, said in zip(take.motions, moments, claimed, strict=True):
        state, velocity = travel(dynamics, (float(m.state[0]), float(m.velocity[0])), at)
        motions.append(Motion(at, state, velocity, said))
    return dataclasses.replace(take, motions=tuple(motions))


def walled(take: Take, share: float, bounce: float = 0.8) -> Take:
    """The motions with a wall at ``share`` of the largest state, off which the object bounces."""
    wall = share * max(float(m.state.max()) for m in take.motions)
    field = dynamics_of(read_law(take.law, take.assume, ()), take.truth).field
    motions = []
    for m in take.motions:
        path = _bouncing(field, (float(m.state[0]), float(m.velocity[0])), m.time, wall, bounce)
        motions.append(Motion(m.time, path[:, 0], path[:, 1], m.claimed))
    return dataclasses.replace(take, motions=tuple(motions))


def _bouncing(field: Any, start: tuple[float, float], time: Array, wall: float, bounce: float) -> Array:
    state = np.array([min(start[0], 2 * wall - start[0]), start[1]])
    rows = [state]
    for before, after in pairwise(time):
        step = (after - before) / 20
        for _ in range(20):
            first = np.asarray(field(0.0, state))
            second = np.asarray(field(0.0, state + step / 2 * first))
            state = state + step * second
            if state[0] > wall:
                state = np.array([2 * wall - state[0], -bounce * abs(state[1])])
        rows.append(state)
    return np.array(rows)


def spun(take: Take, turns: float) -> list[Clip]:
    """The clips with a dark hand on the object that turns ``turns`` times a second, whatever the motion."""
    x, y = axes(take.stage.size)
    least, found = min(take.stage.size), []
    for clip, m in zip(take.clips(), take.motions, strict=True):
        middle, level = _object(take.stage, m.state)
        angle = 2 * np.pi * turns * m.time
        along = column(np.sin(angle)), column(np.cos(angle))
        cover = rod(x - column(middle), y - column(level), along, np.float32(0.1 * least), 0.05 * least)
        frames = np.rint(clip.frames + (255.0 - clip.frames) * cover).clip(0, 255).astype(np.uint8)
        found.append(dataclasses.replace(clip, frames=frames))
    return found


def _object(stage: Stage, state: Array) -> tuple[Array, Array]:
    """The middle of the moving object in pixels."""
    if isinstance(stage, Cart):
        return stage.centre(state), np.full(len(state), 0.55 * stage.size[0])
    assert isinstance(stage, Pendulum)
    length = stage.length * min(stage.size)
    return (
        (stage.size[1] - 1) / 2 + length * np.sin(state),
        (stage.size[0] - 1) / 2 + length * np.cos(state),
    )
