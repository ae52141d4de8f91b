"""Frames in .npy and .npz arrays as footage: frames x h x w, with colour last or first, or clips of them.

Beside the frames an .npz file may have times (or fps), and states for evaluation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from identify.fit.clips.footage import Header, Shot, Truth
from identify.fit.clips.info import LEAST_FRAMES, MOST_FRAMES, ClipError, check_size
from identify.fit.clips.stack import Stack, read_headers
from identify.fit.film import Array, Pixels

EXTENSIONS = (".npz", ".npy")
_FRAMES = ("frames", "images", "video", "pixels", "clips", "x")
_TIMES = ("time", "times", "t", "timestamps", "time_s", "seconds")
_RATES = ("fps", "rate", "frame_rate", "framerate")
_STEPS = ("dt", "step")
_STATES = ("state", "states", "z", "q", "position", "truth", "theta")
_VELOCITIES = ("velocity", "velocities", "v", "zdot", "qdot")
_CHANNELS = {1, 3, 4}
_MOST_CLIPS = 10_000


@dataclass(frozen=True)
class Layout:
    """How an array is cut into clips of pictures; ``picture`` is the shape of each as it is stored."""

    clips: int
    frames: int
    picture: tuple[int, ...]
    channel_first: bool = False

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of a picture."""
        down, across = self.picture[1:] if self.channel_first else self.picture[:2]
        return across, down


def layout_of(shape: tuple[int, ...]) -> Layout | None:
    """The layout of an array of that shape; None where it holds no pictures."""
    if len(shape) == 3:
        return Layout(1, shape[0], shape[1:])
    if len(shape) == 4 and shape[3] in _CHANNELS:
        return Layout(1, shape[0], shape[1:])
    if len(shape) == 4 and shape[1] in _CHANNELS:  # clips of 1, 3 or 4 frames would be no use
        return Layout(1, shape[0], shape[1:], True)
    if len(shape) == 4:
        return Layout(shape[0], shape[1], shape[2:])
    if len(shape) == 5 and shape[4] in _CHANNELS:
        return Layout(shape[0], shape[1], shape[2:])
    if len(shape) == 5 and shape[2] in _CHANNELS:
        return Layout(shape[0], shape[1], shape[2:], True)
    return None


@dataclass(frozen=True)
class Film:
    """The frames array of a file, shared by all its clips, with one scale of brightness for all of them."""

    stack: Stack
    layout: Layout

    @cached_property
    def scale(self) -> tuple[float, str | None]:
        """What pixel values are multiplied by to reach 0..255, and a note if that had to be guessed."""
        kind = self.stack.dtype.kind
        if self.stack.dtype == np.uint8:
            return 1.0, None
        if kind == "b":
            return 255.0, None
        if kind not in "iuf":
            raise ClipError(
                f"{self.stack.path.name}: pixels of type {self.stack.dtype} are not brightness",
                hint="store the pixels as numbers: 0 to 255, or 0 to 1",
            )
        low, high = self._range()
        if kind == "f" and high <= 2.0 and low >= -1.0:
            return 255.0, None if low >= 0 and high <= 1 else "pixel values beyond 0..1 were clipped"
        if high <= 256 and low >= -1.0:
            return 1.0, None
        top = next((top for top in (1023, 4095, 16383, 65535) if high <= top), None)
        if kind == "f" or top is None or low < 0:
            raise ClipError(
                f"{self.stack.path.name}: pixels from {low:g} to {high:g}", "scale them to 0..1 or to 0..255"
            )
        return 255.0 / top, f"pixel values up to {high:g} were read as 0..{top}"

    def _range(self) -> tuple[float, float]:
        low, high = np.inf, -np.inf
        for picture in self.pictures(0, self.layout.clips * self.layout.frames):
            least, most = float(picture.min()), float(picture.max())
            low, high = min(low, least), max(high, most)
            if not np.isfinite(least + most):
                raise ClipError(
                    f"{self.stack.path.name}: some pixels are not finite numbers",
                    hint="replace them, or leave these frames out",
                )
        return low, high

    def pictures(self, start: int, stop: int) -> Iterator[NDArray[Any]]:
        """Stored pictures, counted through all clips."""
        return self.stack.rows(self.layout.picture, start, stop)

    def pixels(self, picture: NDArray[Any]) -> Pixels:
        """A stored picture as 8 bits, (h, w) or (h, w, 3)."""
        scale, _ = self.scale
        if picture.dtype != np.uint8:
            picture = np.clip(np.rint(picture.astype(np.float64) * scale), 0, 255).astype(np.uint8)
        if self.layout.channel_first:
            picture = np.moveaxis(picture, 0, 2)
        if picture.ndim == 3:
            picture = picture[..., 0] if picture.shape[2] == 1 else picture[..., :3]
        return np.ascontiguousarray(picture)


@dataclass(frozen=True)
class Frames:
    """Footage from one clip of an array; ``time`` by frame, or None with a ``rate``, or neither."""

    film: Film
    clip: int
    time: Array | None
    rate: float | None
    states: Truth | None

    @cached_property
    def header(self) -> Header:
        """Size and timing; pixel values are looked through once where they are not 8 bits."""
        layout, name = self.film.layout, self.film.stack.path.name
        check_size(*layout.size, what=name)
        if layout.frames < LEAST_FRAMES:
            raise ClipError(f"{name} has {layout.frames} frames", "a clip needs motion: many frames")
        note = self.film.scale[1]
        rate = self.rate
        if self.time is not None:
            steps = np.diff(self.time)
            usual = steps[np.isfinite(steps) & (steps > 0)]
            if not len(usual):
                raise ClipError(
                    f"{name}: its times do not increase", "times are in seconds, one for each frame"
                )
            rate = 1.0 / float(usual.mean())
        duration = layout.frames / rate if rate else 0.0
        return Header(*layout.size, layout.frames, duration, rate, notes=(note,) if note else ())

    @property
    def truth(self) -> Truth | None:
        """The states of the frames, where the file has them."""
        return self.states

    def shots(self, first: int, notes: list[str]) -> Iterator[Shot]:
        """The pictures from the ``first`` on; a file that is cut off ends there, with a note."""
        from av import VideoFrame

        frames = self.film.layout.frames
        start = self.clip * frames
        try:
            for index, picture in enumerate(self.film.pictures(start + first, start + frames), first):
                pixels = self.film.pixels(picture)
                frame = VideoFrame.from_ndarray(pixels, format="gray" if pixels.ndim == 2 else "rgb24")
                yield Shot(index, self._stamp(index), frame)
        except ClipError as error:
            notes.append(f"reading stopped early: {error.message}")

    def _stamp(self, index: int) -> float | None:
        if self.time is not None:
            return float(self.time[index]) if np.isfinite(self.time[index]) else None
        return index / self.rate if self.rate else None


def read_arrays(path: Path) -> list[Frames]:
    """The clips of a file of arrays; ClipError where it has none."""
    stacks = read_headers(path)
    film = _film(path, stacks)
    layout = film.layout
    if layout.clips > _MOST_CLIPS or layout.frames > MOST_FRAMES:
        raise ClipError(
            f"{path.name} announces {layout.clips} clips of {layout.frames} frames",
            hint="write it with numpy.savez(FILE, frames=..., time=...)",
        )
    times = _beside(path, stacks, _TIMES, layout)
    states = _beside(path, stacks, _STATES, layout)
    velocities = _beside(path, stacks, _VELOCITIES, layout)
    rate = _rate(stacks)
    found = []
    for clip in range(layout.clips):
        time, state, velocity = (_of(numbers, clip) for numbers in (times, states, velocities))
        found.append(Frames(film, clip, time, rate, _truth(time, state, velocity)))
    return found


def _film(path: Path, stacks: Mapping[str, Stack]) -> Film:
    """The frames: by name, else the largest array that can hold pictures."""
    films = [
        (name.lower() in _FRAMES, stack.announced, stack, layout)
        for name, stack in stacks.items()
        if (layout := layout_of(stack.shape))
    ]
    if not films:
        shapes = ", ".join(f"{name or 'array'} {stack.shape}" for name, stack in list(stacks.items())[:8])
        raise ClipError(
            f"{path.name} has no frames in it ({shapes or 'no arrays'})",
            "frames are an array of frames x height x width, with 3 colours after that if any",
        )
    _, _, stack, layout = max(films, key=lambda film: film[:2])
    return Film(stack, layout)


def _beside(path: Path, stacks: Mapping[str, Stack], names: tuple[str, ...], layout: Layout) -> Array | None:
    """Numbers for each frame: for all clips alike, or clips x frames."""
    lower = {name.lower(): name for name in stacks}
    found = next((lower[name] for name in names if name in lower), None)
    if found is None or layout_of(stacks[found].shape):
        return None
    stack = stacks[found]
    shape = tuple(n for n in stack.shape if n != 1) if len(stack.shape) > 1 else stack.shape
    if stack.dtype.kind not in "iuf" or shape not in {
        (layout.frames,),
        (layout.clips, layout.frames),
        (layout.clips * layout.frames,),
    }:
        wanted = f"({layout.frames},)" if layout.clips == 1 else f"({layout.clips}, {layout.frames})"
        raise ClipError(
            f"{path.name}: {found} has shape {stack.shape}, {wanted} was expected",
            hint="store the frames as an array of frames by height by width",
        )
    numbers = stack.whole().astype(np.float64)
    return numbers.reshape(shape if shape == (layout.frames,) else (layout.clips, layout.frames))


def _of(numbers: Array | None, clip: int) -> Array | None:
    return numbers if numbers is None or numbers.ndim == 1 else numbers[clip]


def _truth(time: Array | None, state: Array | None, velocity: Array | None) -> Truth | None:
    return None if state is None else Truth(time, state, velocity)


def _rate(stacks: Mapping[str, Stack]) -> float | None:
    for name, stack in stacks.items():
        word = name.lower()
        if word in _RATES + _STEPS and np.prod(stack.shape) == 1 and stack.dtype.kind in "iuf":
            value = float(stack.whole().reshape(-1)[0])
            if np.isfinite(value) and value > 0:
                return value if word in _RATES else 1.0 / value
    return None
