"""What preparing takes and gives: options, trims, the signals behind them, views or a refusal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from identify.fit.film import Array, Crop, Pixels, Role, View

Channel = Literal["grey", "red", "green", "blue", "saturation", "difference", "colour"]
Mask = NDArray[np.bool_]
Real = NDArray[np.float32]


class Info(Protocol):
    """What preparing needs to know of a clip before it is read."""

    @property
    def width(self) -> int: ...
    @property
    def height(self) -> int: ...
    @property
    def frames(self) -> int: ...


class Source(Protocol):
    """A clip that streams its frames, upright, 8-bit, cropped and then scaled."""

    @property
    def name(self) -> str: ...
    @property
    def info(self) -> Info: ...
    def read(
        self,
        *,
        crop: Crop | None = None,
        size: tuple[int, int] | None = None,
        start: float | None = None,
        stop: float | None = None,
        every: int = 1,
        colour: bool = True,
    ) -> Iterator[tuple[float, Pixels]]: ...


@dataclass(frozen=True)
class Options:
    """What the user decided; everything left out is found from the clips.

    ``size`` is the longer side of the films in pixels; ``trims`` gives start and end in seconds by clip.
    """

    crop: Crop | None = None
    size: int | None = None
    channel: Channel | None = None
    trims: Mapping[str, tuple[float | None, float | None]] = field(default_factory=dict)
    roles: Mapping[str, Role] = field(default_factory=dict)


@dataclass(frozen=True)
class Trim:
    """The stretch of a clip that one film shows: frames ``first <= i < last``, and why it begins and ends."""

    clip: str
    film: str
    first: int
    last: int
    start: float
    stop: float
    begins: str
    ends: str


@dataclass(frozen=True)
class Signals:
    """One number per frame of a whole clip, from the low-resolution pass.

    ``extent`` is the moving foreground in full-frame pixels, ``border`` how much of the frame's border it
    touches, ``motion`` how far the moving pixels are from rest in units of noise; ``gain``, ``offset`` (grey
    levels), ``shift`` (x and y in full-frame pixels) and ``roll`` (radians) come from static pixels.
    """

    name: str
    time: Array
    extent: Array
    border: Array
    motion: Array
    gain: Array
    offset: Array
    shift: Array
    roll: Array
    repeated: Mask
    hand: Mask
    leaves: Mask


@dataclass(frozen=True)
class Window:
    """Which pixels films show: a clip is read with ``crop`` at ``size``, and then cut to ``cut``.

    ``region`` is what is left in pixels of the upright full frame, ``pixel`` the size of a film pixel in
    them, across and down; the whole clip as it is where ``crop``, ``size`` and ``cut`` are None.
    """

    region: Crop
    crop: Crop | None = None
    size: tuple[int, int] | None = None
    cut: Crop | None = None
    pixel: tuple[float, float] = (1.0, 1.0)

    def of(self, frame: Pixels) -> Pixels:
        """The part of one frame that was read at ``size``."""
        if self.cut is None:
            return frame
        x, y, width, height = self.cut
        return frame[y : y + height, x : x + width]

    def of_all(self, frames: Pixels) -> Pixels:
        """The same part of many frames."""
        if self.cut is None:
            return frames
        x, y, width, height = self.cut
        return frames[:, y : y + height, x : x + width]


@dataclass(frozen=True)
class Recipe:
    """How a view is made from the frames of its region, so that a new clip can be seen the same way."""

    name: str
    channel: Channel
    kind: Literal["plain", "foreground", "profile", "high-pass"]
    window: Window
    background: Real | None = None
    polarity: int = 0
    across: int = 0
    gain: float = 1.0
    level: float = 0.0
    untouched: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Prepared:
    """Films in every view, and what was found on the way; films, trims, marks and positions go together.

    ``background`` is the empty scene, its pixels ``scale`` of the upright full frame's, from ``corner`` on;
    ``region`` the motion region in full-frame pixels.  ``bad`` marks frames to leave out (repeated, flashes),
    ``doubted`` those that may show a hand; ``position`` is the displacement along the main motion and
    ``points`` the place of the moving object, both in full-frame pixels, nan where unknown.
    """

    views: tuple[View, ...]
    recipes: tuple[Recipe, ...]
    background: Pixels
    scale: float
    corner: tuple[int, int]
    region: Crop
    axis: tuple[float, float]
    trims: tuple[Trim, ...]
    bad: tuple[Mask, ...]
    doubted: tuple[Mask, ...]
    position: tuple[Array, ...]
    points: tuple[Array, ...]
    signals: tuple[Signals, ...]
    warnings: tuple[str, ...]
    evidence: Mapping[str, float]


@dataclass(frozen=True)
class Refused:
    """Why no film could be made, in a word and in a sentence, and what to try next."""

    cause: str
    reason: str
    advice: str
    warnings: tuple[str, ...] = ()
    evidence: Mapping[str, float] = field(default_factory=dict)
    background: Pixels | None = None
    signals: tuple[Signals, ...] = ()


Progress = Any  # a callable (fraction, text), or None
