"""Footage: what a video file, an image folder and an array have in common for the reader."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from identify.fit.clips.picture import UPRIGHT, Pose
from identify.fit.film import Array

if TYPE_CHECKING:
    from av import VideoFrame


@dataclass(frozen=True)
class Header:
    """What the file says: stored size, frames, and time as the file counts it (rate None if it has none).

    ``frames`` is the number to expect, exact unless the file is damaged; ``span`` is the number of places
    that they take up in time where some are missing.
    """

    width: int
    height: int
    frames: int
    duration: float
    rate: float | None
    capture_rate: float | None = None
    pose: Pose = UPRIGHT
    notes: tuple[str, ...] = ()
    span: int | None = None


@dataclass(frozen=True)
class Shot:
    """One decoded picture, its place in the file from 0, and its time by the file's own clock, if any."""

    index: int
    stamp: float | None
    frame: VideoFrame


@dataclass(frozen=True)
class Truth:
    """Physical states that came with the pixels, one for each frame, and the file's own times if any."""

    time: Array | None
    state: Array
    velocity: Array | None = None


class Footage(Protocol):
    """A file whose pictures can be streamed from any place, as often as needed."""

    @property
    def header(self) -> Header:
        """What is known without decoding everything."""

    @property
    def truth(self) -> Truth | None:
        """The states of the frames, where the file has them."""

    def shots(self, first: int, notes: list[str]) -> Iterator[Shot]:
        """The pictures from about the ``first`` on; what went wrong is added to ``notes``."""
