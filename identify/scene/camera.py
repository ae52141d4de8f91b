"""The camera: layers to 8-bit frames, with the nuisances that were asked for and no others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from identify.scene.recording import Array, Pixels
from identify.scene.shapes import Plane
from identify.scene.stage import Colour, Layer, Stage, axes

_BATCH = 1 << 17  # pixels painted at once: what stays in the cache
_EXPOSURES = 9  # pictures averaged for motion blur
_LUMA = (0.299, 0.587, 0.114)


@dataclass(frozen=True)
class Look:
    """How the camera sees: nuisances as shares of full scale, all but the noise off by default.

    ``noise`` is the standard deviation of a pixel; ``brightness`` the largest change of gain from clip to
    clip; ``texture`` the depth of a static pattern behind the scene; ``blur`` the exposure as a share of the
    frame interval; ``flicker`` the standard deviation of the gain from frame to frame; ``shade`` the depth of
    a broad soft shadow that crosses the picture once a clip.
    """

    noise: float = 0.01
    brightness: float = 0.0
    texture: float = 0.0
    blur: float = 0.0
    flicker: float = 0.0
    shade: float = 0.0
    colour: bool = False


def photograph(
    stage: Stage, look: Look, time: Array, position: Array, velocity: Array, seed: tuple[int, int]
) -> Pixels:
    """The frames of one clip; ``seed`` is that of the recording and the number of the clip.

    The texture belongs to the recording, everything else to the clip.
    """
    chance = np.random.default_rng(np.random.SeedSequence([seed[0], 1, seed[1]]))
    scene = _backdrop(stage, look, seed[0])
    gains = _gains(look, len(time), chance)
    exposed = _exposed(look, time, position, velocity)
    channels = 3 if look.colour else 1
    frames = np.empty((len(time), *stage.size, channels), dtype=np.uint8)
    step = max(1, _BATCH // (stage.size[0] * stage.size[1]))
    for start in range(0, len(time), step):
        part = slice(start, start + step)
        seen = _mean([_painted(scene, stage, look, at[part]) for at in exposed])
        seen *= gains[part, None, None, None]
        if look.shade:
            seen *= _shadow(stage, look, start, len(seen), len(time))
        if look.noise:
            seen += np.float32(look.noise) * chance.standard_normal(seen.shape, dtype=np.float32)
        frames[part] = np.clip(np.rint(seen * np.float32(255)), 0, 255).astype(np.uint8)
    return frames if look.colour else frames[..., 0]


def tones(colour: Colour, look: Look) -> Plane:
    """The colour as the camera records it: three channels, or its brightness."""
    if look.colour:
        return np.asarray(colour, dtype=np.float32)
    return np.asarray([sum(c * share for c, share in zip(colour, _LUMA, strict=True))], dtype=np.float32)


def _backdrop(stage: Stage, look: Look, seed: int) -> Plane:
    """What stands still, of shape (1, height, width, channels)."""
    canvas = np.broadcast_to(tones(stage.background, look), (1, *stage.size, 3 if look.colour else 1)).copy()
    if look.texture:
        canvas += np.float32(look.texture) * _pattern(stage, seed)[None, :, :, None]
    return _over(canvas, stage.fixed(), look)


def _painted(scene: Plane, stage: Stage, look: Look, position: Array) -> Plane:
    canvas = np.repeat(scene, len(position), axis=0)
    return _over(canvas, stage.moving(position), look)


def _over(canvas: Plane, layers: Iterator[Layer], look: Look) -> Plane:
    for coverage, colour in layers:
        canvas += coverage[..., None] * (tones(colour, look) - canvas)
    return canvas


def _mean(pictures: list[Plane]) -> Plane:
    total = pictures[0]
    for picture in pictures[1:]:
        total += picture
    return total / np.float32(len(pictures)) if len(pictures) > 1 else total


def _exposed(look: Look, time: Array, position: Array, velocity: Array) -> list[Array]:
    """The positions during the exposure, which is centred on the time stamp of the frame."""
    if not look.blur or len(time) < 2:
        return [position]
    interval = np.gradient(time)
    force = np.gradient(velocity, time)
    shares = (np.arange(_EXPOSURES) + 0.5) / _EXPOSURES - 0.5
    lags = [look.blur * share * interval for share in shares]
    return [position + lag * velocity + lag * lag / 2 * force for lag in lags]


def _gains(look: Look, count: int, chance: np.random.Generator) -> Plane:
    """One gain for each frame: the clip's own times the flicker."""
    clip = 1 + look.brightness * chance.uniform(-1, 1)
    flicker = 1 + look.flicker * chance.standard_normal(count)
    return np.asarray(clip * flicker, dtype=np.float32)


def _pattern(stage: Stage, seed: int) -> Plane:
    """A static pattern with mean 0 and spread 1: noise smoothed over a few pixels."""
    chance = np.random.default_rng(np.random.SeedSequence([seed, 2]))
    height, width = stage.size
    waves = np.fft.rfft2(chance.standard_normal((height, width)))
    down, across = np.fft.fftfreq(height)[:, None], np.fft.rfftfreq(width)[None, :]
    waves *= np.exp(-2 * (np.pi * 2.0) ** 2 * (down**2 + across**2))
    waves[0, 0] = 0
    pattern = np.fft.irfft2(waves, s=(height, width))
    return np.asarray(pattern / max(float(pattern.std()), 1e-9), dtype=np.float32)


def _shadow(stage: Stage, look: Look, start: int, count: int, total: int) -> Plane:
    """The gain under a broad shadow that goes from left to right in the course of the clip."""
    x, y = axes(stage.size)
    height, width = stage.size
    share = ((np.arange(count) + start) / max(total - 1, 1)).astype(np.float32)[:, None, None]
    away = (x + np.float32(0.3) * y) / np.float32(width) - np.float32(1.6) * share + np.float32(0.15)
    gain: Plane = 1 - np.float32(look.shade) * np.exp(-(away**2) / np.float32(2 * 0.2**2))
    return gain[..., None] * np.ones((1, height, 1, 1), dtype=np.float32)
