"""Which stretches of a clip show free motion: not the hand that lets go, not rest, not a thing leaving."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from identify.fit.film import Array
from identify.fit.prepare.prepared import Mask

LEAST_FRAMES = 15  # of a clip beside long ones, or alone
FEWEST_FRAMES = 5  # of a clip beside others that are short, too
LEAST_TOTAL = 30  # of several clips to train on
_LEAST_TEST = 2
_SHORT = 0.1  # of the longest clip
_EXTRA = 1.25  # something that enters adds at least this much foreground
_LESS = 0.75  # something that leaves takes at least this much away
_REST_SHARE = 0.03  # of the largest change: below it a thing counts as at rest
_REST_SECONDS = 0.15
_HELD_SECONDS = 0.3
_HELD_FRAMES = 10
_NO_MORE = 1.25  # times the noise of a pixel: a thing at rest differs by no more
_ABRUPT = 0.35  # of the rest: a slow start takes three quarters of it to twice the noise
_HELD_TIMES = 1.15  # the usual distance between two frames at rest
_PART_SHARE = 0.2  # of all usable frames: a shorter part after a hand is not worth a film

_TOO_OFTEN = 3  # times out of the frame
_TOO_LONG = 0.1  # of the clip

HAND = "a hand or another thing is in the picture"
LEAVES = "the object is at the border of the frame"
REST = "nothing moves"
_CUT_TIMES = 4  # the usual change from frame to frame
_CUT_LEVELS = 2.0  # and so many grey levels more
_LEAST_AROUND = 6  # frames
_VISIBLE = 2.5  # times the least change: what counts as motion
_LEAST_CHANGE = 0.15  # grey levels, on the average
_ALIKE = 0.15  # of the change around
_FURTHER = 0.7
_JUMP = 0.05
_CLOSE = 4  # frames from one repeat to the next in a series
_SERIES = 4  # repeats
_LEAST_STEP = 3  # frames from one repeat to the next: of every two nothing tells which is in time
_CLEAR_JUMP = 0.1  # a third where one frame of three is lost, none where frames are evenly apart
_MOST_MARKED = 0.4  # of the frames
CUT = "the picture changes all at once"
SERIES = "every few frames one is repeated"


@dataclass(frozen=True)
class Stretch:
    """Frames ``first <= i < last`` of free motion, with the reason on either side."""

    first: int
    last: int
    begins: str
    ends: str


@dataclass(frozen=True)
class Repeats:
    """Frames at a wrong time, and spans ``first <= i < last`` with a clock of their own.

    In such a span every few frames one is repeated: its other frames keep time among themselves, but perhaps
    not with those around it.
    """

    frames: Mask
    spans: tuple[tuple[int, int], ...] = ()


def least_frames(role: str, longest: int, clips: int) -> int:
    """The frames a clip must have: any pair to test on; fewer to train on where all clips are short."""
    if role == "test":
        return _LEAST_TEST
    return LEAST_FRAMES if clips < 2 else min(LEAST_FRAMES, max(FEWEST_FRAMES, int(_SHORT * longest)))


def intruded(
    extent: Array, border: Array, pooled: float, usual: float, perimeter: int, rate: float
) -> tuple[Mask, Mask]:
    """Frames with a thing that reaches in over the border, and frames in which the object leaves over it.

    Both touch the border more than is usual for the clip or, if less, for all clips; the first adds
    foreground, the second loses it.
    """
    middle = min(pooled, float(np.median(border)))
    spread = 1.4826 * float(np.median(np.abs(border - middle)))
    touching = border > middle + max(6 * spread, 0.012 * perimeter, 2.0)
    entered = _widened(touching & (extent > _EXTRA * usual), rate)
    left = touching & (extent < _LESS * usual) & ~entered
    return entered, _with_absence(left, extent < 0.35 * usual)


def _widened(mask: Mask, rate: float) -> Mask:
    """Gaps shorter than 0.3 s closed and 0.1 s added on both sides: the edge of a hand is faint."""
    if not mask.any():
        return mask
    gap, margin = max(1, round(0.3 * rate)), max(1, round(0.1 * rate))
    padded = np.pad(mask, gap)
    closed = ndimage.binary_closing(padded, np.ones(gap + 1))[gap:-gap] | mask
    opened = ndimage.binary_opening(closed, np.ones(2)) if len(mask) > 3 else closed
    result: Mask = ndimage.binary_dilation(opened, np.ones(2 * margin + 1))
    return result


def _with_absence(left: Mask, absent: Mask) -> Mask:
    """Frames in which the object leaves, and those beside them in which it is gone."""
    labels, count = ndimage.label(left | absent)
    if not count:
        return left
    touching = np.unique(labels[left])
    return np.isin(labels, touching[touching > 0])


def resting(pixels: Array, noise: float, rate: float) -> tuple[int, int, Array]:
    """Frames at rest at the start and at the end, and how far each frame is from rest in units of noise."""
    ends = max(2, min(len(pixels) // 4, round(0.08 * rate)))
    from_start = _distance(pixels, pixels[:ends].mean(0))
    from_end = _distance(pixels, pixels[-ends:].mean(0))
    largest = float(np.percentile(np.maximum(from_start, from_end), 98))
    floor = max(2 * noise, _REST_SHARE * largest)
    still = max(5, round(_REST_SECONDS * rate))
    begins, ends_at = _first(from_start > floor), _first(from_end[::-1] > floor)
    start = begins if begins >= still else 0
    stop = ends_at if ends_at >= max(still, round(0.5 * rate), len(pixels) // 10) else 0
    return start, stop, from_end / max(noise, 1e-9)


def held(pixels: Array, noise: float, rate: float) -> int:
    """Frames at the start in which nothing at all changes, as before a release; 0 where it is no clear case.

    A free motion that sets out slowly is already under way after a few frames.
    """
    least = max(_HELD_FRAMES, round(_HELD_SECONDS * rate))
    if len(pixels) < 2 * least or not pixels.shape[1]:
        return 0
    away = _distance(pixels, pixels[: least // 2].mean(0))
    usual = float(np.median(away[least // 2 : least])) + 1e-6
    if usual > _NO_MORE * noise:
        return 0
    still, gone = _first(away > _HELD_TIMES * usual), _first(away > 2 * usual)
    return still if least <= still < gone < min(len(away), (1 + _ABRUPT) * still + 1) else 0


def _distance(pixels: Array, rest: Array) -> Array:
    return np.asarray(np.sqrt(np.mean((pixels - rest) ** 2, axis=1)), dtype=np.float64)


def _first(mask: Mask) -> int:
    """The place of the first true, or the length if there is none."""
    return int(np.argmax(mask)) if mask.any() else len(mask)


def stretches(
    hand: Mask, leaves: Mask, other: Mask, start: int, stop: int, repeats: Repeats
) -> tuple[Stretch, ...]:
    """The clean parts of a clip that are long enough for a film; ``other`` are frames beyond a cut.

    A motion that goes out of the frame again and again has none: its widest part is never seen.
    """
    if ndimage.label(leaves)[1] >= _TOO_OFTEN and leaves.mean() > _TOO_LONG:
        return ()
    count = len(hand)
    rest = np.zeros(count, dtype=bool)
    rest[:start] = True
    rest[count - stop :] = stop > 0
    clean = ~(hand | leaves | rest | other)
    clock = np.zeros(count, dtype=np.intp)
    for number, (first, last) in enumerate(repeats.spans):
        clock[first:last] = number + 1
    changes = np.diff(clean.astype(np.int8), prepend=0, append=0) != 0
    changes[1:-1] |= np.diff(clock) != 0
    parts = [(int(a), int(b)) for a, b in pairwise(np.flatnonzero(changes)) if clean[a]]
    least = max(
        min(LEAST_FRAMES, max(count // 2, _LEAST_TEST)),
        _PART_SHARE * max((b - a for a, b in parts), default=0),
    )

    def reason(place: int, side: str) -> str:
        if not 0 <= place < count:
            return f"the clip's {side}"
        names = ((HAND, hand), (LEAVES, leaves), (REST, rest), (CUT, other))
        return next((name for name, mask in names if mask[place]), SERIES)

    def enough(first: int, last: int) -> bool:
        if clock[first]:
            return int(np.count_nonzero(~repeats.frames[first:last])) >= LEAST_FRAMES
        return last - first >= least

    return tuple(Stretch(a, b, reason(a - 1, "start"), reason(b, "end")) for a, b in parts if enough(a, b))


def beyond_cuts(few: NDArray[np.int16], times: float = 1.0) -> Mask:
    """Frames outside the longest stretch without a cut, from a few pixels of each frame (n, pixels).

    ``times`` is how much clearer a cut must be than usual.
    """
    jump = np.diff(few, axis=0)
    jump -= np.median(jump, axis=1, keepdims=True).astype(np.int16)
    usual = np.median(np.abs(jump), axis=1)  # of most pixels, whatever one object does
    cuts = np.flatnonzero(usual > times * (_CUT_TIMES * np.median(usual) + _CUT_LEVELS)) + 1
    edges = [0, *cuts.tolist(), len(few)]
    first, last = max(pairwise(edges), key=lambda pair: pair[1] - pair[0])
    result = np.ones(len(few), dtype=bool)
    result[first:last] = False
    return result


def find_repeats(pixels: Array) -> Repeats:
    """Frames out of time: of two equal ones in a row, while things move, the one that should differ.

    ``pixels`` are (n, pixels) of what moves.  Where a motion turns back two frames may be alike, too: but
    then so are the frames before and after them, in which a motion that goes on has got further.
    """
    count = len(pixels)
    if count < _LEAST_AROUND or not pixels.shape[1]:
        return Repeats(np.zeros(count, dtype=bool))
    change, across = _changes(pixels, 1), _changes(pixels, 3)
    floor = float(np.percentile(change[1:], 2))
    before, after = np.zeros(count), np.zeros(count)
    before[3:] = np.maximum(change[2:-1], change[1:-2])  # two of them: a frame may be repeated twice
    after[1:-2] = np.maximum(change[2:-1], change[3:])
    before[2], after[-2] = change[1], change[-1]
    further = np.zeros(count)
    further[2:-1] = across[3:]
    moving = np.minimum(before, after) > max(_VISIBLE * floor, _LEAST_CHANGE)
    alike = change - floor < _ALIKE * (np.minimum(before, after) - floor)
    found = moving & alike & (further - floor > _FURTHER * (np.maximum(before, after) - floor))
    found[:2] = found[-1:] = False
    groups = [group for group in _series(np.flatnonzero(found)) if len(group)]
    if sum(group[-1] + 1 - (group[0] - 1) for group in groups) > _MOST_MARKED * count:
        groups = []  # the clip as a whole has that clock
    wrong, alone, spans = np.zeros(count, dtype=bool), found.copy(), []
    for group in groups:
        first, last = int(group[0]) - 1, int(group[-1]) + 1
        alone[first:last] = False
        wrong[first:last] = _wrong_in_series(group, change)
        spans.append((first, last))
    return Repeats(wrong | _out_of_time(alone, before, after), tuple(spans))


def _out_of_time(found: Mask, before: Array, after: Array) -> Mask:
    """Frames at a wrong time: of each equal pair the second where the motion jumps after it, for want of a
    lost frame; the first where it has jumped, being shown early; both where that cannot be told.
    """
    early = np.zeros_like(found)
    early[:-1] = found[1:]
    jump = _jump(before[found], after[found])
    if abs(jump) <= _JUMP:
        return np.asarray(found | early)
    return found if jump > 0 else early


def _jump(before: Array, after: Array) -> float:
    """How much faster things move after equal pairs than before them, by both together."""
    return float((after - before).sum() / max((after + before).sum(), 1e-9))


def _series(places: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """Repeats that follow one another closely."""
    groups = np.split(places, np.flatnonzero(np.diff(places) > 2 * _CLOSE) + 1)
    return [g for g in groups if len(g) >= _SERIES and np.median(np.diff(g)) <= _CLOSE]


def _wrong_in_series(group: NDArray[np.intp], change: Array) -> Mask:
    """Frames at a wrong time from before the first of a series of repeats up to the last.

    Where they come evenly and the motion jumps on the same side of all of them, one of each pair; a repeat
    near a turning point is not seen, and is where the others say.  Else frames between may be wrong, too.
    """
    first, last = int(group[0]) - 1, int(group[-1]) + 1
    gaps = np.diff(group)
    step = int(gaps.min())
    jump = _jump(change[group - 1], change[group + 1])
    if step < _LEAST_STEP or (gaps % step).any() or abs(jump) <= _CLEAR_JUMP:
        return np.ones(last - first, dtype=bool)
    result = np.zeros(last - first, dtype=bool)
    result[(1 if jump > 0 else 0) :: step] = True
    return result


def _changes(pixels: Array, step: int) -> Array:
    """The mean change of each frame from the one ``step`` before; nothing for the first ones."""
    result = np.zeros(len(pixels))
    result[step:] = np.abs(pixels[step:] - pixels[:-step]).mean(1)
    return result
