"""One clip: ``info`` without reading it, ``read`` as a stream of (true time, pixels)."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from identify.fit.clips.clock import Clock
from identify.fit.clips.footage import Footage, Header, Shot
from identify.fit.clips.info import ClipError, ClipInfo, Reading, check_size
from identify.fit.clips.picture import Shaper, Size, check_crop, rotation_of
from identify.fit.clips.reference import Reference
from identify.fit.film import Crop, Pixels
from identify.motion.extra import need

_DISAGREE = 0.05  # relative difference at which a recorded capture rate is worth a note


@dataclass(frozen=True)
class Source:
    """A clip that can be read any number of times; true time is the file's time times ``time_scale``.

    With ``fps`` frames are evenly spaced at that rate whatever the file says.  ``reading`` tells what the
    latest complete reading met.
    """

    name: str
    path: Path
    footage: Footage
    fps: float | None = None
    time_scale: float = 1.0
    _readings: list[Reading] = field(default_factory=list, compare=False, repr=False)

    def timed(self, fps: float | None = None, time_scale: float | None = None) -> Source:
        """The same clip with another rate or time scale; None keeps what it has."""
        for word, value in (("fps", fps), ("time_scale", time_scale)):
            if value is not None and not (math.isfinite(value) and value > 0):
                raise ClipError(
                    f"{word} must be a positive number, not {value}",
                    hint="leave it out where the file's own times are right",
                )
        scale = self.time_scale if time_scale is None else time_scale
        return replace(self, fps=self.fps if fps is None else fps, time_scale=scale, _readings=[])

    @cached_property
    def info(self) -> ClipInfo:
        """Upright size, length and rate in true time; raises ClipError where the clip cannot be used."""
        header = self.footage.header
        width, height = header.pose.upright(header.width, header.height)
        rate = self._rate / self.time_scale
        duration = (header.span or header.frames) / self.fps if self.fps else header.duration
        duration *= self.time_scale
        clock = self._clock_doubt(header)
        notes = (*header.notes, *([clock] if clock else []))
        degrees, noted = header.pose.degrees, header.capture_rate
        return ClipInfo(width, height, header.frames, duration, rate, noted, degrees, notes, clock)

    @cached_property
    def reference(self) -> Reference | None:
        """The physical states that came inside the clip's own file, at true times."""
        truth = self.footage.truth
        if truth is None:
            return None
        time = np.arange(len(truth.state)) / self._rate
        if truth.time is not None and not self.fps:
            time = truth.time
        good = np.isfinite(time) & np.isfinite(truth.state)
        good[1:] &= time[1:] > np.maximum.accumulate(np.where(np.isfinite(time), time, -np.inf))[:-1]
        velocity = None if truth.velocity is None else truth.velocity[good] / self.time_scale
        return Reference(time[good] * self.time_scale, truth.state[good], velocity)

    @property
    def reading(self) -> Reading | None:
        """What the latest complete reading met; None before the first."""
        return self._readings[-1] if self._readings else None

    @property
    def notes(self) -> tuple[str, ...]:
        """All that is odd about the clip as far as it is known by now."""
        return self.info.notes + (self.reading.notes if self.reading else ())

    def read(
        self,
        *,
        crop: Crop | None = None,
        size: Size | None = None,
        start: float | None = None,
        stop: float | None = None,
        every: int = 1,
        colour: bool = True,
    ) -> Iterator[tuple[float, Pixels]]:
        """Stream (time, pixels) with strictly increasing times, start <= time < stop.

        ``crop`` is in upright full-frame pixels; ``size`` is (width, height) after it; ``every`` keeps one
        frame in that many, counted from the first inside.  Pixels are (h, w, 3), or (h, w) without colour.
        """
        info = self.info
        if crop:
            check_crop(crop, info.width, info.height)
        if size:
            check_size(*size, what="the wanted size")
        shaper = Shaper(self.footage.header.pose, crop, size, colour)
        return self._stream(shaper, start, stop, max(1, every))

    def _stream(
        self, shaper: Shaper, start: float | None, stop: float | None, every: int
    ) -> Iterator[tuple[float, Pixels]]:
        notes: list[str] = []
        repeats = _Repeats()
        inside = 0
        with closing(self._timed(start, notes)) as shots:
            for time, shot in shots:
                if start is not None and time < start:
                    continue
                if stop is not None and time >= stop:
                    break
                inside += 1
                if (inside - 1) % every:
                    continue
                pixels = shaper(shot.frame)
                repeats.see(pixels)
                yield time, pixels
        self._readings[:] = [repeats.reading(notes)]

    def _timed(self, start: float | None, notes: list[str]) -> Generator[tuple[float, Shot], None, None]:
        """Shots with true times, of the clip's one size."""
        clock = Clock(1.0 / self._rate)
        header, strays = self.footage.header, 0
        try:
            for shot in self.footage.shots(self._first(start), notes):
                if not _like(shot, header):
                    strays += 1
                    continue
                time = clock.time(shot.index / self.fps if self.fps else shot.stamp)
                if time is not None:
                    yield time * self.time_scale, shot
        finally:
            if strays:
                notes.append(f"{strays} frames left out: of another size or orientation than the first")
            notes += clock.notes()

    def _first(self, start: float | None) -> int:
        """A place safely before ``start`` in the file."""
        if start is None or start <= 0:
            return 0
        return max(0, int(0.9 * start / self.time_scale * self._rate) - 10)

    @property
    def _rate(self) -> float:
        rate = self.fps or self.footage.header.rate
        if rate is None or not math.isfinite(rate) or rate <= 0:
            raise ClipError(
                f"{self.name} does not say how many frames it has in a second", "give fps, as in fps: 60"
            )
        return rate

    def _clock_doubt(self, header: Header) -> str | None:
        """What the camera noted, where the times contradict it."""
        capture, file_rate = header.capture_rate, header.rate
        if capture is None:
            return None
        rate = self._rate / self.time_scale
        if abs(capture / rate - 1) < _DISAGREE:
            return None
        shown = self._rate if file_rate is None else file_rate
        return (
            f"the camera noted {capture:g} frames a second, but its times give {rate:g}: "
            f"if it is slow motion, set time_scale: {shown / capture:.6g}"
        )


def _like(shot: Shot, header: Header) -> bool:
    """Whether a picture has the size and orientation of the clip's first one."""
    size = (shot.frame.width, shot.frame.height)
    return size == (header.width, header.height) and rotation_of(shot.frame) == header.pose.degrees


class _Repeats:
    """Counts frames whose pixels equal those of the frame before."""

    def __init__(self) -> None:
        self.count = 0
        self.places: list[int] = []
        self.before: Pixels | None = None

    def see(self, pixels: Pixels) -> None:
        if self.before is not None and np.array_equal(self.before, pixels):
            self.places.append(self.count)
        self.before = pixels
        self.count += 1

    def reading(self, notes: list[str]) -> Reading:
        if self.places:
            notes = [*notes, f"{len(self.places)} of {self.count} frames repeat the one before exactly"]
        return Reading(self.count, tuple(self.places), tuple(notes))


def open_video(path: Path, name: str | None = None) -> Source:
    """A video file as a source; nothing is read before it is asked for."""
    from identify.fit.clips.video import Video

    need("reading clips", "av")
    return Source(name or path.stem, path, Video(path))


def open_images(folder: Path, files: Sequence[Path], name: str | None = None) -> Source:
    """Image files, in the order given, as a source; it needs ``fps``."""
    from identify.fit.clips.images import Images

    need("reading clips", "av")
    return Source(name or folder.name, folder, Images(folder, tuple(files)))


def open_arrays(path: Path, name: str | None = None) -> list[Source]:
    """The clips of a file of arrays; with several they are called NAME-1, NAME-2, ..."""
    from identify.fit.clips.arrays import read_arrays

    need("reading clips", "av")
    name = name or path.stem
    clips = read_arrays(path)
    if len(clips) == 1:
        return [Source(name, path, clips[0])]
    return [Source(f"{name}-{number}", path, clip) for number, clip in enumerate(clips, 1)]
