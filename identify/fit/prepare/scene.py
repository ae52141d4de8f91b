"""One fixed camera: the empty scene behind every clip, its noise, and which pixels never change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from identify.fit.film import Pixels
from identify.fit.prepare.prepared import Mask, Real
from identify.fit.prepare.steady import Static, Steadiness, levelled
from identify.fit.prepare.survey import Survey, sample

POOLED = 320  # frames of all clips that stand for the whole footage
_SHARE_OF_CONTRAST = 0.35  # a soft shadow has less of the moving thing's contrast than this
_LEAST_LEVELS = 4.0


@dataclass(frozen=True)
class Scene:
    """The background, the noise and the grey levels from which a pixel counts as foreground.

    ``spread`` is the range of grey levels a pixel goes through, the largest of the clips'; ``contrast`` how
    far the moving thing stands out; ``steadiness`` belongs to the clips in order.
    """

    background: Real
    spread: Real
    static: Mask
    noise: float
    contrast: float
    threshold: float
    steadiness: tuple[Steadiness, ...]


def find_scene(surveys: Sequence[Survey], used: Sequence[Mask]) -> Scene:
    """The scene of clips filmed by one camera, from the frames marked as used."""
    places = sample(surveys, used, POOLED)
    parts = [clip.grey[place] for clip, place in zip(surveys, places, strict=True)]
    first = _median(np.concatenate(parts))
    static = _unchanging(_ranges(parts), first)
    rough = Static(first, static, 1.0, POOLED)
    parts = [_level(part, rough) for part in parts]
    background, ranges = _median(np.concatenate(parts)), _ranges(parts)
    static = _unchanging(ranges, background)
    pool = np.concatenate(parts)
    noise = _noise(pool, background, static)
    contrast = _contrast(pool, background)
    threshold = max(_LEAST_LEVELS, 5 * noise, _SHARE_OF_CONTRAST * contrast)
    fine = Static(background, static, noise, sum(clip.count for clip in surveys))
    steadiness = tuple(fine.fit(clip.grey) for clip in surveys)
    return Scene(background, ranges, static, noise, contrast, threshold, steadiness)


def foreground(frames: Pixels, scene: Scene) -> Mask:
    """Which pixels of levelled frames differ from the background by more than the threshold."""
    low = np.clip(np.ceil(scene.background - scene.threshold), 0, 255).astype(np.uint8)
    high = np.clip(np.floor(scene.background + scene.threshold), 0, 255).astype(np.uint8)
    found: Mask = frames < low
    found |= frames > high
    return found


def _level(frames: Pixels, static: Static) -> Pixels:
    steadiness = static.fit(frames)
    return levelled(frames, steadiness.gain, steadiness.offset)


def _median(frames: Pixels) -> Real:
    middle = len(frames) // 2
    return np.asarray(np.partition(frames, middle, axis=0)[middle], dtype=np.float32)


def _ranges(parts: Sequence[Pixels]) -> Real:
    """From the 3rd to the 97th percentile within a clip: a small motion counts beside a large one."""
    result = np.zeros(parts[0].shape[1:], np.float32)
    for part in parts:
        if len(part):
            low, high = int(0.03 * (len(part) - 1)), int(np.ceil(0.97 * (len(part) - 1)))
            ordered = np.partition(part, (low, high), axis=0)
            np.maximum(result, ordered[high].astype(np.float32) - ordered[low], out=result)
    return result


def _unchanging(spread: Real, background: Real) -> Mask:
    """Pixels that change no more than the quieter third, or than a shaking camera would make them."""
    down, across = np.gradient(background)
    return np.asarray(spread <= 1.5 * float(np.percentile(spread, 30)) + 2 + np.hypot(down, across))


def _noise(pool: Pixels, background: Real, static: Mask) -> float:
    """The standard deviation of a static pixel, at least that of rounding."""
    change = pool[:, static].astype(np.float32) - background[static]
    return max(0.3, float(np.sqrt(np.mean(np.minimum(change**2, 400)))))


def _contrast(pool: Pixels, background: Real) -> float:
    """How far the pixels that differ most stand out, in the frames in which something does."""
    change = np.abs(pool - background).reshape(len(pool), -1)
    top = max(4, change.shape[1] // 500)
    strongest = np.partition(change, -top, axis=1)[:, -top:].mean(1)
    return float(np.percentile(strongest, 75))
