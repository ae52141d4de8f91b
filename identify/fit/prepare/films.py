"""The frames of a window: cut from the survey where it has them, read in a second pass where it has not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from identify.fit.film import Array, Pixels
from identify.fit.prepare.prepared import Channel, Source, Trim, Window
from identify.fit.prepare.survey import Survey, luma, saturation
from identify.fit.prepare.window import surveyed

_COLOURS = ("red", "green", "blue")


@dataclass(frozen=True)
class Footage:
    """The frames of one stretch in the window: brightness, and saturation or colour where wanted."""

    time: Array
    grey: Pixels
    saturation: Pixels | None = None
    colour: Pixels | None = None

    def channel(self, name: Channel) -> Pixels:
        """The frames of one channel, or all three of a colour film."""
        if name == "saturation" and self.saturation is not None:
            return self.saturation
        if name == "colour" and self.colour is not None:
            return self.colour
        if name in _COLOURS and self.colour is not None:
            return np.ascontiguousarray(self.colour[..., _COLOURS.index(name)])
        return self.grey


def at_hand(clip: Survey, trim: Trim, window: Window) -> Footage | None:
    """The stretch in grey as far as the survey has it."""
    if not surveyed(window, clip):
        return None
    frames = clip.grey
    if window.size and clip.fine is not None and window.size == clip.fine.shape[2:0:-1]:
        frames = clip.fine
    part = slice(trim.first, trim.last)
    return Footage(clip.time[part], window.of_all(frames[part]))


def read_stretch(
    source: Source,
    window: Window,
    span: tuple[float, float],
    colour: str | None,
    tick: Callable[[int], None],
    every: int = 1,
) -> Footage:
    """The frames with ``span[0] <= time <= span[1]``; ``colour`` is None, "saturation" or "colour"."""
    times, greys, saturations, colours = [], [], [], []
    edge = 1e-6  # seconds
    stream = source.read(
        crop=window.crop,
        size=window.size,
        start=span[0] - edge,
        stop=span[1] + edge,
        every=every,
        colour=colour is not None,
    )
    for number, (time, whole) in enumerate(stream):
        frame = window.of(whole)
        times.append(time)
        greys.append(luma(frame) if frame.ndim == 3 else frame.copy())
        if colour == "saturation":
            saturations.append(saturation(frame))
        if colour == "colour":
            colours.append(frame.copy())
        tick(number)
    return Footage(
        np.array(times, dtype=np.float64),
        np.stack(greys),
        np.stack(saturations) if saturations else None,
        np.stack(colours) if colours else None,
    )
