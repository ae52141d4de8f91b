"""The second pass: only the motion region, at the size the encoder works on, only the frames in use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from identify.fit.film import Array, Crop, Pixels
from identify.fit.prepare.prepared import Channel, Source
from identify.fit.prepare.survey import luma, saturation

LONGEST = 160
_USUAL = 128
_BYTES = 120_000_000  # of one view's films


@dataclass(frozen=True)
class Footage:
    """The frames of one stretch in the region: brightness, and saturation or colour where wanted."""

    time: Array
    grey: Pixels
    saturation: Pixels | None
    colour: Pixels | None

    def channel(self, name: Channel) -> Pixels:
        """The frames of one channel, or all three of a colour film."""
        if name == "saturation" and self.saturation is not None:
            return self.saturation
        if name == "colour" and self.colour is not None:
            return self.colour
        if name in ("red", "green", "blue") and self.colour is not None:
            return np.ascontiguousarray(self.colour[..., ("red", "green", "blue").index(name)])
        return self.grey


def working_size(region: Crop, frames: int, wanted: int | None) -> tuple[int, int]:
    """Width and height of the films: the region's own size or smaller, so that all frames fit in memory."""
    _, _, width, height = region
    longer, shorter = max(width, height), min(width, height)
    side = wanted or (LONGEST if longer > 1.8 * shorter else _USUAL)
    room = (_BYTES / max(frames, 1) * longer / shorter) ** 0.5
    side = int(max(32, min(side, longer, room)))
    return max(4, round(width * side / longer)), max(4, round(height * side / longer))


def read_stretch(
    source: Source,
    region: Crop | None,
    size: tuple[int, int] | None,
    span: tuple[float, float],
    coloured: bool,
    keep_colour: bool,
    tick: Callable[[int], None],
) -> Footage:
    """The frames with ``span[0] <= time <= span[1]`` of the region, scaled."""
    times, greys, saturations, colours = [], [], [], []
    step = 1e-6
    stream = source.read(
        crop=region, size=size, start=span[0] - step, stop=span[1] + step, colour=coloured or keep_colour
    )
    for number, (time, frame) in enumerate(stream):
        times.append(time)
        if frame.ndim == 3:
            greys.append(luma(frame))
            if coloured:
                saturations.append(saturation(frame))
            if keep_colour:
                colours.append(frame)
        else:
            greys.append(frame)
        tick(number)
    return Footage(
        np.array(times, dtype=np.float64),
        np.stack(greys),
        np.stack(saturations) if saturations else None,
        np.stack(colours) if colours else None,
    )
