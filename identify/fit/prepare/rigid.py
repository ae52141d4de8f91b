"""The rigid thing that moves: found as the patch whose shift explains most, followed to parts of a pixel.

A spring stretches and a rod turns while the thing they carry keeps its looks: frames moved back by the shift
of the right patch agree in all of that thing, and only there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from identify.fit.film import Array, Pixels
from identify.fit.prepare.landmarks import find_landmarks
from identify.fit.prepare.patch import Match, find_matches
from identify.fit.prepare.prepared import Mask
from identify.fit.prepare.register import Placed, Template, register

_AGREES = 0.3  # variance of the frames moved back over that of the frames as they are
_LEAST_PIXELS = 12
_MOST_PIXELS = 500
_ROUNDS = 3
_LIKE = 0.6  # correlation below which a patch was not found in a frame
_LEAST_LIKE = 0.75  # of the usual frame, or nothing rigid was found
_UNLIKE = 0.9  # of the usual likeness: a frame below it may have been matched in a wrong place
_HIDDEN = 0.8  # of the usual likeness: a frame below it does not show the thing
_BLURRED = 0.7  # likeness of the worse frames: fast ones are blurred, and their edges tell no place
_OPPOSITE = -0.3  # a part that goes the other way: the thing grows, or turns about its middle
_WEIGHTY = 0.4  # of the best explanation: what a part must explain to count


@dataclass(frozen=True)
class _Explained:
    match: Match
    template: Template
    energy: float


@dataclass(frozen=True)
class Followed:
    """Where the rigid thing is in every frame of every film, in film pixels, nan where it is not seen.

    None where nothing rigid is found, as when the thing grows; ``blurred`` where motion takes its looks.
    """

    points: list[Array] | None
    blurred: bool = False


def follow(parts: Sequence[Pixels], where: Mask) -> Followed:
    """The rigid thing that explains most of what changes, followed through all films."""
    landmarks = find_landmarks(parts, where)
    if len(landmarks.frames) < 4:
        return Followed(None)
    matches = find_matches(landmarks.frames, where)
    if matches and all(_stands_still(match) for match in matches):
        place = float(matches[0].x), float(matches[0].y)
        return Followed([np.tile(place, (len(part), 1)) for part in parts])
    explained = [_explained(landmarks.frames, match) for match in matches]
    found = sorted((e for e in explained if e is not None), key=lambda e: -e.energy)
    if not found or _grows(found):
        return Followed(None)
    best = found[0]
    template, shift = best.template, best.match.shift.astype(np.float64)
    for _ in range(_ROUNDS):
        placed = register(landmarks.frames, template, shift)
        shift = np.where(np.isfinite(placed.shift), placed.shift, shift)
        good = placed.likeness > _LIKE
        again = _template(landmarks.frames, template.centre, template.reach, shift, good)
        if again is None:
            break
        template = again[0]
    if float(np.median(placed.likeness)) < _LEAST_LIKE:
        return Followed(None, True)
    placed_parts = [
        _again(part, template, register(part, template, shift[near]))
        for part, near in zip(parts, landmarks.nearest, strict=True)
    ]
    likeness = np.concatenate([one.likeness for one in placed_parts])
    if float(np.percentile(likeness, 10)) < _BLURRED:
        return Followed(None, True)
    least = _HIDDEN * float(np.median(likeness))
    middle = np.array(template.middle)
    return Followed(
        [middle + np.where(one.likeness[:, None] < least, np.nan, one.shift) for one in placed_parts]
    )


def _again(part: Pixels, template: Template, placed: Placed) -> Placed:
    """The same with frames that came out unlike the template looked at again, between their neighbours."""
    for _ in range(_ROUNDS):
        good = (placed.likeness > _UNLIKE * float(np.median(placed.likeness))) & np.isfinite(
            placed.shift
        ).all(1)
        doubtful = np.flatnonzero(~good)
        known = np.flatnonzero(good)
        if not len(doubtful) or len(known) < 2:
            return placed
        start = np.stack([np.interp(doubtful, known, placed.shift[known, k]) for k in (0, 1)], axis=1)
        second = register(part[doubtful], template, start)
        better = second.likeness > placed.likeness[doubtful] + 0.02
        if not better.any():
            return placed
        shift, likeness = placed.shift.copy(), placed.likeness.copy()
        shift[doubtful[better]] = second.shift[better]
        likeness[doubtful[better]] = second.likeness[better]
        placed = Placed(shift, likeness)
    return placed


def _stands_still(match: Match) -> bool:
    """Whether the patch is found where it was in all frames: it moves by less than a pixel."""
    return bool(match.likeness.min() > _LEAST_LIKE and np.ptp(match.shift, axis=0).max() == 0)


def _explained(frames: Pixels, match: Match) -> _Explained | None:
    """What moving frames back by a patch's shift explains of all change around it."""
    good = match.likeness > _LIKE
    if good.mean() < 0.6 or not np.ptp(match.shift[good], axis=0).any():  # it stands still
        return None
    reach = min(3 * match.radius, min(frames.shape[1:]) // 2)
    made = _template(frames, (match.x, match.y), reach, match.shift.astype(np.float64), good)
    return None if made is None else _Explained(match, made[0], made[1] * float(good.mean()))


def _template(
    frames: Pixels, centre: tuple[int, int], reach: int, shift: Array, good: NDArray[np.bool_]
) -> tuple[Template, float] | None:
    """The mean of frames moved back, the pixels in which they agree, and how much change that explains."""
    if good.sum() < 4:
        return None
    side = np.arange(-reach, reach + 1)
    offset_x, offset_y = np.meshgrid(side, side)
    whole = np.rint(shift[good]).astype(int)
    x = centre[0] + offset_x + whole[:, 0, None, None]
    y = centre[1] + offset_y + whole[:, 1, None, None]
    height, width = frames.shape[1:]
    valid = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    x, y = x.clip(0, width - 1), y.clip(0, height - 1)
    number = np.flatnonzero(good)[:, None, None]
    seen = frames[number, y, x].astype(np.float32)
    usual = frames.mean(0, dtype=np.float32)[y, x]
    count = np.maximum(valid.sum(0), 1)
    mean = (seen * valid).sum(0) / count
    aligned = (((seen - mean) ** 2) * valid).sum(0) / count
    before = (((seen - usual) ** 2) * valid).sum(0) / count
    gain = np.where(valid.sum(0) >= 0.6 * len(whole), before - aligned, 0.0)
    agrees = (gain > 0) & (aligned < _AGREES * before) & (before > 9.0)
    if agrees.sum() < _LEAST_PIXELS:
        return None
    ranked = np.sort(np.where(agrees, gain, 0).ravel())[::-1]
    agrees &= gain >= ranked[min(_MOST_PIXELS, len(ranked) - 1)]
    return Template(mean, agrees, centre, reach), float(np.where(agrees, gain, 0).sum())


def _grows(found: Sequence[_Explained]) -> bool:
    """Whether some part that counts goes against the main one."""
    best = found[0]
    axis = np.linalg.svd(best.match.shift - best.match.shift.mean(0), full_matrices=False)[2][0]
    main = best.match.shift @ axis
    for other in found[1:]:
        good = (best.match.likeness > _LIKE) & (other.match.likeness > _LIKE)
        if other.energy < _WEIGHTY * best.energy or good.sum() < 8:
            continue
        along = (other.match.shift @ axis)[good]
        if np.std(along) < 0.3 or np.std(main[good]) < 0.3:
            continue
        slope = np.cov(main[good], along)[0, 1] / np.var(main[good], ddof=1)
        if slope < _OPPOSITE and np.corrcoef(main[good], along)[0, 1] < -0.8:
            return True
    return False
