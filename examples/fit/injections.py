"""Nuisances: each function takes the frames of a clip (n, height, width), 0 to 255, and gives disturbed ones.

``strength`` is what the table of ``nuisances.py`` states; ``random`` belongs to the clip, so that the same
clip is always disturbed in the same way.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

Real = NDArray[np.float32]
Random = np.random.Generator
Injection = Callable[[Real, float, Random], Real]


def brightness_drift(frames: Real, strength: float, random: Random) -> Real:
    """The light fades by ``strength`` of its brightness in the course of the clip."""
    return frames * _each(np.linspace(1, 1 - strength, len(frames)))


def flicker(frames: Real, strength: float, random: Random) -> Real:
    """The gain changes from frame to frame, with standard deviation ``strength``."""
    return frames * _each(1 + strength * random.standard_normal(len(frames)))


def soft_shadow(frames: Real, strength: float, random: Random) -> Real:
    """A broad shadow of depth ``strength`` goes over the picture, back and forth."""
    _, height, width = frames.shape
    x, y = np.arange(width) / width, np.arange(height)[:, None] / height
    turns = np.sin(np.linspace(0, 9, len(frames)) + random.uniform(0, 6))
    away = x + 0.3 * y - 0.65 - 0.5 * turns[:, None, None]
    return (frames * (1 - strength * np.exp(-(away**2) / 0.08))).astype(np.float32)


def hand(frames: Real, strength: float, random: Random) -> Real:
    """An arm reaches in from below for the first ``strength`` of the clip and is drawn back."""
    frames = frames.copy()
    _, height, width = frames.shape
    last = round(strength * len(frames))
    left = round(random.uniform(0.45, 0.6) * width)
    for number in range(last):
        top = 0.4 * height + max(0, number - (last - 8)) * 0.08 * height
        frames[number, min(height, round(top)) :, left : left + round(0.16 * width)] = 110
    return frames


def hand_midway(frames: Real, strength: float, random: Random) -> Real:
    """The same arm, for ``strength`` of the clip about its middle."""
    first = round((0.5 - strength / 2) * len(frames))
    return np.concatenate([frames[:first], hand(frames[first:], strength / (0.5 + strength / 2), random)])


def second_mover(frames: Real, strength: float, random: Random) -> Real:
    """A disc swings in the upper corner with a period of its own; ``strength`` is its contrast."""
    _, height, width = frames.shape
    swing = 0.18 * width * np.sin(np.linspace(0, 23, len(frames)) + random.uniform(0, 6))
    return _with_disc(frames, 0.72 * width + swing, np.full(len(frames), 0.12 * height), strength)


def overlapping_mover(frames: Real, strength: float, random: Random) -> Real:
    """The same disc in the middle of the picture, before and behind what moves there."""
    _, height, width = frames.shape
    swing = 0.3 * width * np.sin(np.linspace(0, 23, len(frames)) + random.uniform(0, 6))
    return _with_disc(frames, 0.5 * width + swing, np.full(len(frames), 0.55 * height), strength)


def camera_drift(frames: Real, strength: float, random: Random) -> Real:
    """The picture goes aside by ``strength`` pixels in the course of the clip."""
    path = np.linspace(0, strength, len(frames))
    return _moved(frames, 0.6 * path, 0.8 * path)


def camera_shake(frames: Real, strength: float, random: Random) -> Real:
    """The picture trembles by ``strength`` pixels from frame to frame, smooth over some frames."""
    path = ndimage.gaussian_filter1d(random.standard_normal((2, len(frames))), 3, axis=1)
    return _moved(frames, *(strength * path / path.std()))


def camera_roll(frames: Real, strength: float, random: Random) -> Real:
    """The camera rolls by ``strength`` degrees and back."""
    angles = strength * np.sin(np.linspace(0, 5, len(frames)))
    turned = [
        ndimage.rotate(f, a, reshape=False, order=1, mode="nearest")
        for f, a in zip(frames, angles, strict=True)
    ]
    return np.stack(turned)


def compression(frames: Real, strength: float, random: Random) -> Real:
    """H.264 at constant rate factor ``strength`` (23 is usual, 51 the worst), decoded again."""
    import av

    store = io.BytesIO()
    with av.open(store, "w", format="mp4") as container:
        stream = container.add_stream("libx264", rate=Fraction(30), options={"crf": str(round(strength))})
        stream.height, stream.width, stream.pix_fmt = frames.shape[1], frames.shape[2], "yuv420p"
        for frame in _bytes(frames):
            picture = av.VideoFrame.from_ndarray(frame, format="gray").reformat(format="yuv420p")
            container.mux(stream.encode(picture))
        container.mux(stream.encode())
    store.seek(0)
    with av.open(store) as container:
        return np.stack([f.to_ndarray(format="gray") for f in container.decode(video=0)]).astype(np.float32)


def defocus(frames: Real, strength: float, random: Random) -> Real:
    """Out of focus: a Gaussian of ``strength`` pixels."""
    return ndimage.gaussian_filter(frames, (0, strength, strength))


def long_exposure(frames: Real, strength: float, random: Random) -> Real:
    """Each frame is the mean of ``strength`` frames about it."""
    return ndimage.uniform_filter1d(frames, round(strength), axis=0, mode="nearest")


def leaves_the_frame(frames: Real, strength: float, random: Random) -> Real:
    """The picture ends ``strength`` of its width earlier on the right, where the object goes."""
    return np.ascontiguousarray(frames[:, :, : round((1 - strength) * frames.shape[2] / 2) * 2])


def duplicated_frames(frames: Real, strength: float, random: Random) -> Real:
    """A share ``strength`` of the frames shows the one before; the times stay."""
    stale = random.random(len(frames)) < strength
    stale[0] = False
    shown = np.maximum.accumulate(np.where(stale, 0, np.arange(len(frames))))
    return frames[shown]


def noise(frames: Real, strength: float, random: Random) -> Real:
    """Pixel noise of ``strength`` grey levels."""
    return frames + np.float32(strength) * random.standard_normal(frames.shape, dtype=np.float32)


def occlusion(frames: Real, strength: float, random: Random) -> Real:
    """A post of width ``strength`` of the picture stands before the scene."""
    frames, width = frames.copy(), frames.shape[2]
    left = round(0.55 * width)
    frames[:, :, left : left + max(1, round(strength * width))] = 140
    return frames


def _each(values: NDArray[np.float64]) -> Real:
    return values.astype(np.float32)[:, None, None]


def _with_disc(frames: Real, x: NDArray[np.float64], y: NDArray[np.float64], contrast: float) -> Real:
    _, height, width = frames.shape
    across = np.arange(width)[None, None, :] - x[:, None, None]
    down = np.arange(height)[None, :, None] - y[:, None, None]
    cover = contrast * (0.5 - 0.5 * np.clip(np.hypot(across, down) - 0.06 * height, -1, 1))
    return (frames + (40 - frames) * cover).astype(np.float32)


def _moved(frames: Real, x: NDArray[np.float64], y: NDArray[np.float64]) -> Real:
    pairs = zip(frames, y, x, strict=True)
    return np.stack([ndimage.shift(f, (b, a), order=1, mode="nearest") for f, b, a in pairs])


def _bytes(frames: Real) -> NDArray[np.uint8]:
    return np.clip(np.rint(frames), 0, 255).astype(np.uint8)
