"""The first pass: every clip once, small and grey, in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from identify.fit.film import Array, Crop, Pixels
from identify.fit.prepare.prepared import Mask, Source

SIDE = 160  # the longer side of a surveyed frame
SMALL = 200  # the longer side up to which a clip is surveyed and filmed as it is
MOST_FRAMES = 20_000  # of all clips together
_BYTES = 300_000_000
_COLOURFUL = 24  # saturation, in grey levels, from which a scene counts as coloured


@dataclass(frozen=True)
class Survey:
    """A clip at low resolution; ``pixel`` is the size of its pixels in full-frame pixels, across and down.

    ``fine`` has the same frames at twice that resolution where memory allows, else it is None.
    """

    name: str
    time: Array
    grey: Pixels
    fine: Pixels | None
    coloured: bool
    pixel: tuple[float, float]
    origin: tuple[int, int]

    @property
    def count(self) -> int:
        """The number of frames surveyed."""
        return len(self.time)

    @property
    def small(self) -> bool:
        """Whether the clip is so small that it is filmed whole and as it is."""
        return self.pixel == (1.0, 1.0) and max(self.grey.shape[1:]) <= SMALL


def survey(source: Source, crop: Crop | None, most: int, room: int, tick: Callable[[int], None]) -> Survey:
    """The clip's first ``most`` frames, averaged over areas down to about SIDE pixels; a small clip as it is.

    ``room`` is how many frames of all clips have to be held at once.
    """
    x, y, width, height = crop or (0, 0, source.info.width, source.info.height)
    size = small_size(width, height)
    doubled = size is not None and max(width, height) >= 2 * max(size) and _fits(size, room)
    wanted = (2 * size[0], 2 * size[1]) if size and doubled else size
    times, greys, fines = [], [], []
    for number, (time, frame) in enumerate(source.read(crop=crop, size=wanted, colour=False)):
        if number == most:
            break
        times.append(time)
        greys.append(_halved(frame) if doubled else frame)
        if doubled:
            fines.append(frame)
        tick(number)
    across, down = size or (width, height)
    return Survey(
        source.name,
        np.array(times, dtype=np.float64),
        np.stack(greys) if greys else np.zeros((0, down, across), np.uint8),
        np.stack(fines) if fines else None,
        _coloured(source, crop, size),
        (width / across, height / down),
        (x, y),
    )


def small_size(width: int, height: int) -> tuple[int, int] | None:
    """The size to survey at, close to SIDE pixels with nearly square pixels; None for the clip's own."""
    longer = max(width, height)
    if longer <= SMALL:
        return None

    def rounded(side: int) -> tuple[int, int]:
        return max(4, round(width * side / longer)), max(4, round(height * side / longer))

    def unequal(side: int) -> float:
        across, down = rounded(side)
        return abs(width / across / (height / down) - 1) + 1e-4 * abs(side - SIDE)

    return rounded(min(range(SIDE - 16, SIDE + 9), key=unequal))


def _fits(size: tuple[int, int], frames: int) -> bool:
    return 4 * size[0] * size[1] * frames <= _BYTES


def _halved(frame: Pixels) -> Pixels:
    """The mean of every two by two pixels."""
    rows = frame[::2].astype(np.uint16)
    rows += frame[1::2]
    total = rows[:, ::2] + rows[:, 1::2]
    return ((total + 2) >> 2).astype(np.uint8)


def luma(frame: Pixels) -> Pixels:
    """The brightness of colour pixels; greys keep their value."""
    parts = frame.astype(np.uint16)
    return ((77 * parts[..., 0] + 150 * parts[..., 1] + 29 * parts[..., 2] + 128) >> 8).astype(np.uint8)


def saturation(frame: Pixels) -> Pixels:
    """The largest channel less the smallest: nothing for a shadow, much for a coloured thing."""
    red, green, blue = frame[..., 0], frame[..., 1], frame[..., 2]
    top: Pixels = np.maximum(np.maximum(red, green), blue)
    top -= np.minimum(np.minimum(red, green), blue)
    return top


def _coloured(source: Source, crop: Crop | None, size: tuple[int, int] | None) -> bool:
    """Whether the first frames have any colour worth a second channel."""
    few = islice(source.read(crop=crop, size=size, colour=True), 3)
    return any(float(np.percentile(saturation(frame), 99.5)) >= _COLOURFUL for _, frame in few)


def sample(surveys: Sequence[Survey], used: Sequence[Mask], total: int) -> list[NDArray[np.intp]]:
    """Evenly spaced usable frames of each clip, about ``total`` in all, every clip counting alike."""
    share = max(8, total // max(len(surveys), 1))
    places = [np.flatnonzero(mask) for mask in used]
    return [p[np.unique(np.linspace(0, len(p) - 1, min(len(p), share)).astype(int))] for p in places]
