"""Per-frame signals of surveyed clips, in two rounds: with everything in view, then without what intruded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from identify.fit.film import Array, Pixels
from identify.fit.prepare.prepared import Mask, Signals
from identify.fit.prepare.region import Mover, find_movers, joined, reached
from identify.fit.prepare.scene import POOLED, Scene, find_scene, foreground
from identify.fit.prepare.shake import Shake, calmed, confined, find_shake, stabilised
from identify.fit.prepare.steady import levelled
from identify.fit.prepare.survey import Survey, sample
from identify.fit.prepare.trim import Stretch, beyond_cuts, find_repeats, held, intruded, resting, stretches

_RING = 2  # survey pixels: how near the border counts as touching it
_CHUNK = 1000
_WATCHED = 1500  # changing pixels that stand for all of them
_FEW = 400  # pixels that show a cut
_CALMER = 0.95  # of the static pixels' deviation: what stabilising must reach to be kept
_MUCH_CALMER = 0.8  # of small clips, which are better left as they are
_CLEAR, _GONE = 0.15, 0.3  # of the noise's variance: what is more than noise; of that: what may be left
_SMALL_CUT = 3.0
_FAR = 6.0  # survey pixels: a camera that moves further is not a fixed one


@dataclass(frozen=True)
class Surveyed:
    """Clips of one camera with their scene, movers, signals and clean stretches."""

    clips: tuple[Survey, ...]
    scene: Scene
    movers: tuple[Mover, ...]
    main: Mask
    others: tuple[Mover, ...]
    signals: tuple[Signals, ...]
    stretches: tuple[tuple[Stretch, ...], ...]
    flashes: tuple[Mask, ...]
    steadied: bool
    unsteady: bool


def examine(clips: Sequence[Survey]) -> Surveyed:
    """What moves, when, and how steady the camera is.

    Where the only detail in the picture is one small thing, it moves and not the camera.
    """
    found = _examined(clips, shaking=True)
    if found.steadied and not found.movers and confined(found.scene.background):
        return _examined(clips, shaking=False)
    return found


def _examined(clips: Sequence[Survey], shaking: bool) -> Surveyed:
    clearly = _SMALL_CUT if clips[0].small else 1.0
    cut_off = [beyond_cuts(_few_pixels(clip.grey), clearly) for clip in clips]
    shown = [~mask for mask in cut_off]
    scene = find_scene(clips, shown)
    shakes = _shakes(clips, shown, scene) if shaking else []
    unsteady = False
    if shakes:
        unsteady = max(shake.size for shake in shakes) > _FAR
        calm = [_steadied(clip, shake) for clip, shake in zip(clips, shakes, strict=True)]
        calmer = find_scene(calm, shown)
        if _calms(clips, scene, scene.noise, calmer.noise):
            clips, scene = calm, calmer
        else:  # what was found does not explain what static pixels do
            shakes = []
    hands, leaves, counts = _intrusions(clips, scene, shown)
    if any(hand.any() for hand in hands):
        scene = find_scene(clips, [_unless_all(a & ~b) for a, b in zip(shown, hands, strict=True)])
        again, leaves, counts = _intrusions(clips, scene, shown)
        hands = [first | second for first, second in zip(hands, again, strict=True)]
    used = [_unless_all(a & ~(b | c)) for a, b, c in zip(shown, hands, leaves, strict=True)]
    movers = find_movers(_levelled_sample(clips, used, scene), scene)
    main, others = joined(movers) if movers else (np.zeros(scene.static.shape, dtype=bool), ())
    if movers:
        visits = sum(_visits(clip, scene, k, used[k]) for k, clip in enumerate(clips))
        main = reached(main, np.asarray(visits))
    parts = [
        _finish(
            clip,
            scene,
            k,
            main,
            (hands[k], leaves[k], cut_off[k]),
            counts[k],
            shakes[k] if shakes else None,
        )
        for k, clip in enumerate(clips)
    ]
    return Surveyed(
        tuple(clips),
        scene,
        movers,
        main,
        others,
        tuple(p[0] for p in parts),
        tuple(p[1] for p in parts),
        tuple(p[2] for p in parts),
        bool(shakes),
        unsteady,
    )


def _few_pixels(grey: Pixels) -> NDArray[np.int16]:
    flat = grey.reshape(len(grey), -1)
    return flat[:, :: max(1, flat.shape[1] // _FEW)].astype(np.int16)


def _visits(clip: Survey, scene: Scene, place: int, used: Mask) -> Array:
    """In how many used frames each pixel is foreground."""
    steady = scene.steadiness[place]
    total = np.zeros(scene.static.shape)
    for start in range(0, clip.count, _CHUNK):
        chosen = start + np.flatnonzero(used[start : start + _CHUNK])
        frames = levelled(clip.grey[chosen], steady.gain[chosen], steady.offset[chosen])
        total += np.count_nonzero(foreground(frames, scene), axis=0)
    return total


def _some(clips: Sequence[Survey], shown: Sequence[Mask]) -> Pixels:
    return np.concatenate(
        [clip.grey[place] for clip, place in zip(clips, sample(clips, shown, 120), strict=True)]
    )


def _shakes(clips: Sequence[Survey], shown: Sequence[Mask], scene: Scene) -> list[Shake]:
    """The camera's motion in every clip, or nothing where a sample of frames shows none that matters."""
    some = _some(clips, shown)
    shake = find_shake(some, scene.background, scene.static, scene.noise)
    if not shake.matters:
        return []
    before, after = some, stabilised(some, shake.shift, shake.roll)
    if not _calms(clips, scene, _restless(before, scene), _restless(after, scene)):
        return []
    result = []
    for clip in clips:
        shake = find_shake(clip.grey, scene.background, scene.static, scene.noise)
        rate = rate_of(clip.time)
        result.append(Shake(calmed(shake.shift, rate), calmed(shake.roll, rate), shake.sure))
    return result


def _calms(clips: Sequence[Survey], scene: Scene, before: float, after: float) -> bool:
    """Whether stabilising brings the deviation of static pixels so much down that it explains it.

    Small clips are better left as they are unless it does: where there is more than noise, most of that goes.
    """
    if not clips[0].small:
        return after < _CALMER * before
    noise = _flicker(clips, scene)
    more, left = before**2 - noise**2, after**2 - noise**2
    return after < _MUCH_CALMER * before or (more > _CLEAR * noise**2 and left < _GONE * more)


def _flicker(clips: Sequence[Survey], scene: Scene) -> float:
    """The deviation of static pixels from one frame to the next, in the calmest clip."""
    steps = []
    for clip in clips:
        pixels = clip.grey[:_FEW][:, scene.static].astype(np.int16)
        steps.append(0.886 * float(np.abs(np.diff(pixels, axis=0)).mean()))  # mean |difference| -> deviation
    return max(min(steps), 0.3)


def _restless(frames: Pixels, scene: Scene) -> float:
    """The deviation of static pixels, the most restless ones left aside."""
    change = frames[:, scene.static].astype(np.float32) - scene.background[scene.static]
    return float(np.sqrt(np.mean(np.minimum(change**2, 400))))


def _steadied(clip: Survey, shake: Shake) -> Survey:
    return replace(clip, grey=stabilised(clip.grey, shake.shift, shake.roll))


def _unless_all(mask: Mask) -> Mask:
    """The mask, or everything where it leaves too little to look at."""
    return mask if mask.sum() >= min(15, len(mask)) else np.ones_like(mask)


def _levelled_sample(clips: Sequence[Survey], used: Sequence[Mask], scene: Scene) -> Pixels:
    places = sample(clips, used, POOLED)
    return np.concatenate(
        [
            levelled(clip.grey[place], steady.gain[place], steady.offset[place])
            for clip, place, steady in zip(clips, places, scene.steadiness, strict=True)
        ]
    )


def _intrusions(
    clips: Sequence[Survey], scene: Scene, shown: Sequence[Mask]
) -> tuple[list[Mask], list[Mask], list[tuple[Array, Array]]]:
    """Hand and leaving marks by clip, and the foreground's extent and border contact behind them."""
    counts = [_extents(clip, scene, k) for k, clip in enumerate(clips)]
    counts = [(a * mask, b * mask) for (a, b), mask in zip(counts, shown, strict=True)]
    pooled = float(np.median(np.concatenate([c[1][mask] for c, mask in zip(counts, shown, strict=True)])))
    quiet = [
        extent[mask & (border <= max(np.median(border), pooled))]
        for (extent, border), mask in zip(counts, shown, strict=True)
    ]
    middle = float(np.median(np.concatenate(quiet)))
    perimeter = 2 * sum(scene.static.shape)
    marks = []
    for clip, (extent, border), calm in zip(clips, counts, quiet, strict=True):
        usual = min(middle, float(np.median(calm))) if len(calm) else middle
        marks.append(intruded(extent, border, pooled, max(usual, 1.0), perimeter, rate_of(clip.time)))
    return [m[0] for m in marks], [m[1] for m in marks], counts


def _extents(clip: Survey, scene: Scene, place: int) -> tuple[Array, Array]:
    steady = scene.steadiness[place]
    ring = np.ones(scene.static.shape, dtype=bool)
    ring[_RING:-_RING, _RING:-_RING] = False
    extent, border = np.empty(clip.count), np.empty(clip.count)
    for start in range(0, clip.count, _CHUNK):
        part = slice(start, start + _CHUNK)
        found = foreground(levelled(clip.grey[part], steady.gain[part], steady.offset[part]), scene)
        flat = found.reshape(len(found), -1)
        extent[part] = np.count_nonzero(flat, axis=1)
        border[part] = np.count_nonzero(flat[:, ring.ravel()], axis=1)
    return extent, border


def _finish(
    clip: Survey,
    scene: Scene,
    place: int,
    main: Mask,
    marks: tuple[Mask, Mask, Mask],
    counts: tuple[Array, Array],
    shake: Shake | None,
) -> tuple[Signals, tuple[Stretch, ...], Mask]:
    """Signals, stretches and flashes of one clip."""
    hand, leaves, cut_off = marks
    steady = scene.steadiness[place]
    raw = _watched(clip.grey, main if main.any() else ~scene.static)
    pixels = (raw - steady.offset[:, None]) / (1 + steady.gain[:, None])
    clean = ~(hand | leaves | cut_off)
    edges = np.flatnonzero(clean)
    rate = rate_of(clip.time)
    start = stop = 0
    motion = np.zeros(clip.count)
    if len(edges) >= 8 and raw.shape[1]:
        first, last = int(edges[0]), int(edges[-1]) + 1
        start, stop, motion[first:last] = resting(pixels[first:last], scene.noise, rate)
        start, stop = (start + first if start else 0), (stop + clip.count - last if stop else 0)
    area = clip.pixel[0] * clip.pixel[1]
    repeats = find_repeats(pixels)
    signals = Signals(
        clip.name,
        clip.time,
        counts[0] * area,
        counts[1] * max(clip.pixel),
        motion,
        steady.gain,
        steady.offset,
        shake.shift * np.array(clip.pixel) if shake else np.zeros((clip.count, 2)),
        shake.roll if shake else np.zeros(clip.count),
        repeats.frames,
        hand,
        leaves,
    )
    if clip.small:
        nothing = np.zeros(clip.count, dtype=bool)
        whole = stretches(nothing, nothing, cut_off, held(pixels, scene.noise, rate), 0, repeats)
        return signals, whole, _flashes(steady.left)
    return signals, stretches(hand, leaves, cut_off, start, stop, repeats), _flashes(steady.left)


def _watched(grey: Pixels, mask: Mask) -> Array:
    places = np.flatnonzero(mask.ravel())
    places = places[:: max(1, len(places) // _WATCHED)]
    return grey.reshape(len(grey), -1).take(places, axis=1).astype(np.float32)


def _flashes(left: Array) -> Mask:
    """Single frames whose static pixels are unlike those of all others."""
    middle = float(np.median(left))
    spread = 1.4826 * float(np.median(np.abs(left - middle)))
    return np.asarray(left > middle + max(8 * spread, middle))


def rate_of(time: Array) -> float:
    """Frames in a second, by the usual step."""
    steps = np.diff(time)
    return 1.0 / float(np.median(steps)) if len(steps) and np.median(steps) > 0 else 30.0
