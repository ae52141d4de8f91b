"""New clips seen as the training clips were: at the scene's brightness, moved back where the camera moved.

The run keeps the empty scene at the survey's resolution.  Of a new clip the pixels that stay as they are tell
gain, offset, shift and roll against it, frame by frame, as they did in the preparation of the training clips.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from identify.errors import InputError
from identify.fit.film import Array, Crop, LawFit, Pixels
from identify.fit.prepare.prepared import Mask, Real, Window
from identify.fit.prepare.scene import find_scene
from identify.fit.prepare.shake import SHAKEN, calmed, find_shake, stabilised
from identify.fit.prepare.signals import rate_of
from identify.fit.prepare.steady import Static, levelled
from identify.fit.prepare.survey import Survey, small_size

WEIGHT, SETTING = "recipe.scene", "scene"
_SAMPLE = 240  # frames that stand for a clip
_PIECE = 256
_CALMER = 0.95  # of the static pixels' deviation: what moving back must reach to be kept


@dataclass(frozen=True)
class Scene:
    """The empty scene of the training clips: its pixels cover ``crop`` (or all) of frames of ``size``."""

    background: Real
    size: tuple[int, int]
    crop: Crop | None

    @property
    def pixel(self) -> Array:
        """The size of its pixels in full-frame pixels, across and down."""
        width, height = self.size if self.crop is None else self.crop[2:]
        rows, columns = self.background.shape
        return np.array([width / columns, height / rows])

    @property
    def read(self) -> dict[str, Any]:
        """How a clip is read at the scene's resolution."""
        width, height = self.size if self.crop is None else self.crop[2:]
        return {"crop": self.crop, "size": small_size(width, height), "colour": False}


@dataclass(frozen=True)
class Unevenness:
    """Gain, offset, shift (in full-frame pixels) and roll of every frame of one clip."""

    gain: Array
    offset: Array
    shift: Array
    roll: Array
    moved: bool

    def removed(self, frames: Pixels, first: int, scene: Scene, window: Window, level: bool) -> Pixels:
        """Frames of the window from the ``first`` on, as an even camera that stands still has them."""
        part = slice(first, first + len(frames))
        if level:
            frames = levelled(frames, self.gain[part], self.offset[part])
        if not self.moved:
            return frames
        middle = np.array(window.region[:2]) + np.array(window.region[2:]) / 2
        corner = np.array((0, 0) if scene.crop is None else scene.crop[:2])
        rows, columns = scene.background.shape
        x, y = middle - corner - scene.pixel * np.array([columns, rows]) / 2
        roll = self.roll[part]
        shift = self.shift[part] + np.stack([-roll * y, roll * x], axis=1)
        return stabilised(frames, shift / np.array(window.pixel), roll)


def kept(background: Pixels, size: tuple[int, int], crop: Crop | None) -> tuple[Pixels, dict[str, Any]]:
    """The scene as weights and settings have it."""
    return np.asarray(background), {"size": list(size), "crop": None if crop is None else list(crop)}


def scene_of(fit: LawFit) -> Scene | None:
    """The scene that a run keeps; None in runs without one, and for views of frames as they are."""
    told, background = fit.settings.get(SETTING), fit.weights.get(WEIGHT)
    if told is None or background is None:
        return None
    crop = None if told["crop"] is None else tuple(int(n) for n in told["crop"])
    width, height = (int(n) for n in told["size"])
    return Scene(np.asarray(background, dtype=np.float32), (width, height), crop)  # type: ignore[arg-type]


def check_size(scene: Scene | None, source: Any) -> None:
    """Refuse a clip whose frames are not those of the training clips' camera."""
    size = (source.info.width, source.info.height)
    if scene is not None and size != scene.size:
        raise InputError(
            f"{source.name} has {size[0]} x {size[1]} pixels, and the clips of the fit "
            f"{scene.size[0]} x {scene.size[1]}",
            hint="film with the same camera and settings, or fit again with this clip among the others",
        )


def unevenness(scene: Scene, source: Any) -> Unevenness | None:
    """How the clip differs from the scene, from one pass; None where the clip is too short to tell."""
    every = max(1, source.info.frames // _SAMPLE)
    some = [frame for _, frame in itertools.islice(source.read(every=every, **scene.read), 2 * _SAMPLE)]
    if len(some) < 8 or some[0].shape != scene.background.shape:
        return None
    static, noise = _still(np.stack(some))
    shaken = _shaken(np.stack(some), scene, static, noise)
    even = Static(scene.background, static, noise, source.info.frames)
    times, gains, offsets, shifts, rolls = [], [], [], [], []
    for time, frames in _pieces(source, scene):
        found = even.fit(frames)
        times.append(time)
        gains.append(found.gain)
        offsets.append(found.offset)
        if shaken:
            shake = find_shake(frames, scene.background, static, noise)
            shifts.append(shake.shift * scene.pixel)
            rolls.append(shake.roll)
    rate = rate_of(np.concatenate(times))
    if not shaken:
        nothing = np.zeros((0, 2))
        return Unevenness(np.concatenate(gains), np.concatenate(offsets), nothing, nothing[:, 0], False)
    shift, roll = (calmed(np.concatenate(part), rate) for part in (shifts, rolls))
    return Unevenness(np.concatenate(gains), np.concatenate(offsets), shift, roll, True)


def _pieces(source: Any, scene: Scene) -> Iterator[tuple[Array, Pixels]]:
    stream = source.read(**scene.read)
    while piece := list(itertools.islice(stream, _PIECE)):
        yield np.array([time for time, _ in piece], dtype=float), np.stack([frame for _, frame in piece])


def _still(frames: Pixels) -> tuple[Mask, float]:
    """Which pixels of the new clip stay as they are, and their noise."""
    whole = Survey("", np.arange(len(frames), dtype=float), frames, None, False, (1.0, 1.0), (0, 0))
    own = find_scene([whole], [np.ones(len(frames), dtype=bool)])
    return own.static, own.noise


def _shaken(frames: Pixels, scene: Scene, static: Mask, noise: float) -> bool:
    """Whether the camera stands elsewhere than it did, or moves, and moving the frames back helps."""
    found = Static(scene.background, static, noise, len(frames)).fit(frames)
    even = levelled(frames, found.gain, found.offset)
    shake = find_shake(even, scene.background, static, noise)
    if float(np.percentile(np.hypot(*shake.shift.T), 90)) <= SHAKEN:
        return False
    before = _restless(even, scene, static)
    return _restless(stabilised(even, shake.shift, shake.roll), scene, static) < _CALMER * before


def _restless(frames: Pixels, scene: Scene, static: Mask) -> float:
    change = frames[:, static].astype(np.float32) - scene.background[static]
    return float(np.sqrt(np.mean(np.minimum(change**2, 400))))
