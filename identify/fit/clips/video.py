"""Video files through PyAV: the container's own times, every frame that decodes, and nothing else opened.

Formats are limited to plain containers and protocols to files: a playlist that calls itself .mp4 could
otherwise read other files or the network.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from identify.fit.clips.footage import Header, Shot, Truth
from identify.fit.clips.info import LEAST_FRAMES, MOST_FRAMES, MOST_PIXELS, ClipError, check_size
from identify.fit.clips.monochrome import is_monochrome
from identify.fit.clips.picture import UPRIGHT, Shaper, pose_of
from identify.fit.clips.timing import Timing, timing_of

EXTENSIONS = tuple(
    ".mp4 .mov .m4v .avi .mkv .webm .gif .mts .m2ts .ts .mpg .mpeg .wmv .3gp .ogv .flv".split()
)
_OPTIONS = {
    "format_whitelist": "mov,mp4,m4a,3gp,3g2,mj2,avi,matroska,webm,gif,mpegts,mpeg,asf,flv,ogg",
    "protocol_whitelist": "file",
    "max_pixels": str(MOST_PIXELS),
}
_MOST_BAD = 200  # broken packets in a row before the rest is given up
_MOST_STAMP = 2**60  # larger ones are damage, and their differences would overflow
_THREAD_BYTES = 400_000_000  # frames in flight, one or two for each decoding thread
_CAPTURE = re.compile(r"captur\w*[._ -]*(frame)?[._ -]*(fps|rate)|original[._ -]*frame[._ -]*rate")


@dataclass(frozen=True)
class Scan:
    """The packets of a video stream: distinct presentation stamps in order, and how many there were."""

    stamps: NDArray[np.int64]
    packets: int
    base: Fraction
    nominal: Fraction | None
    broken: str | None


@dataclass(frozen=True)
class Video:
    """Footage from one video file."""

    path: Path

    @cached_property
    def header(self) -> Header:
        """Size, pose and timing from the first picture and all packets; ClipError where there is no film."""
        if self.scan.packets == 1:
            raise ClipError(f"{self.path.name} has a single frame", "a clip needs motion: many frames")
        with self._open() as container:
            stream = _video_stream(container, self.path)
            first = list(islice(_decoded(container, stream, []), LEAST_FRAMES))
            if len(first) < LEAST_FRAMES:
                raise ClipError(f"{self.path.name}: {len(first) or 'no'} picture can be decoded", _damaged)
            check_size(first[0].width, first[0].height, self.path.name)
            Shaper(UPRIGHT, None, (8, 8), True)(first[0])  # a pixel format that cannot be shown is found here
            return _header(self.path, container, stream, first[0], self)

    @property
    def truth(self) -> Truth | None:
        """A video has no states beside it."""
        return None

    @cached_property
    def scan(self) -> Scan:
        """All packets, read once and not decoded."""
        with self._open() as container:
            return _scan(container, _video_stream(container, self.path), self.path)

    def shots(self, first: int, notes: list[str]) -> Iterator[Shot]:
        """The pictures from about the ``first`` on, in the order of their presentation."""
        with self._open() as container:
            stream = _video_stream(container, self.path)
            _prepare(stream)
            index = self._seek(container, stream, first)
            for frame in _decoded(container, stream, notes):
                if index is None:  # the first picture after a seek tells where it landed
                    index = self._index(frame.pts)
                yield Shot(index, self._time(frame.pts, index), frame)
                index += 1

    def _seek(self, container: Any, stream: Any, first: int) -> int | None:
        """Go to a key frame before ``first``; the index of the next picture, None if it must be looked up."""
        import av

        if first < 1 or self.timing is None or len(self.scan.stamps) < self.scan.packets:
            return 0
        try:
            container.seek(int(self.scan.stamps[min(first, len(self.scan.stamps) - 1)]), stream=stream)
        except (av.FFmpegError, OSError):
            return 0
        return None

    def _index(self, stamp: int | None) -> int:
        return 0 if stamp is None else int(np.searchsorted(self.scan.stamps, stamp))

    def _time(self, stamp: int | None, index: int) -> float | None:
        if self.timing is None:
            rate = self.header.rate
            return index / rate if rate else None
        if stamp is None:
            return None
        place = self._index(stamp)
        if place < len(self.scan.stamps) and self.scan.stamps[place] == stamp:
            return float(self.timing.time[place])
        return float((stamp - int(self.scan.stamps[0])) * self.scan.base)

    @cached_property
    def timing(self) -> Timing | None:
        """The times of the stamps; None where the container's stamps cannot be used."""
        scan = self.scan
        if len(scan.stamps) < LEAST_FRAMES or 2 * len(scan.stamps) <= scan.packets:
            return None
        return timing_of(scan.stamps, scan.base, scan.nominal, scan.packets - len(scan.stamps))

    def _open(self) -> Any:
        import av

        if self.path.is_file() and not self.path.stat().st_size:
            raise ClipError(f"{self.path.name} is an empty file", _damaged)
        try:
            return av.open(str(self.path.resolve()), metadata_errors="replace", options=dict(_OPTIONS))
        except (av.FFmpegError, OSError, ValueError) as error:
            raise ClipError(f"{self.path.name} cannot be opened: {_reason(error)}", _damaged) from None


_damaged = "the file is damaged, cut off or not a video; copy it again from the camera"


def _reason(error: Exception) -> str:
    """FFmpeg's own words without the name of its function."""
    words = getattr(error, "strerror", None) or str(error).split(": '")[0]
    return " ".join(str(words).split())[:160]


def _video_stream(container: Any, path: Path) -> Any:
    """The first stream of moving pictures; cover art does not count."""
    from av.stream import Disposition

    films = [s for s in container.streams.video if not s.disposition & Disposition.attached_pic]
    if films and films[0].codec_context is None:
        raise ClipError(f"{path.name} is stored in a way that FFmpeg does not know", _damaged)
    if films:
        return films[0]
    if len(container.streams.audio):
        raise ClipError(f"{path.name} has sound and no pictures", hint="give a file that has a video in it")
    raise ClipError(f"{path.name} has no video in it", _damaged)


def _prepare(stream: Any) -> None:
    """Decode on several threads, fewer for large pictures: each thread holds some of them."""
    import os

    stream.thread_type = "AUTO"
    bytes_each = 6 * max(1, stream.codec_context.width * stream.codec_context.height)
    stream.codec_context.thread_count = max(1, min(os.cpu_count() or 1, 16, _THREAD_BYTES // bytes_each))


def _decoded(container: Any, stream: Any, notes: list[str]) -> Iterator[Any]:
    """Every picture that decodes; broken packets and pictures are counted, and too many end the film."""
    import av

    bad = run = corrupt = 0
    monochrome = is_monochrome(stream)
    try:
        for packet in container.demux(stream):
            try:
                frames = packet.decode()
                run = 0
            except (av.FFmpegError, ValueError):
                bad, run = bad + 1, run + 1
                if run > _MOST_BAD:
                    break
                continue
            for frame in frames:
                if frame.is_corrupt:
                    corrupt += 1
                    continue
                if monochrome and not frame.color_range:
                    frame.color_range = 2  # grey stored as it is, though the stream does not say so
                yield frame
    except (av.FFmpegError, OSError) as error:
        notes.append(f"reading stopped early: {_reason(error)}")
    finally:
        if bad:
            notes.append(f"{bad} packets could not be decoded")
        if corrupt:
            notes.append(f"{corrupt} damaged frames left out")


def _scan(container: Any, stream: Any, path: Path) -> Scan:
    import av

    stamps: list[int] = []
    packets, broken = 0, None
    try:
        for packet in container.demux(stream):
            if packet.size == 0 or packet.is_discard:
                continue
            packets += 1
            if packets > MOST_FRAMES:
                raise ClipError(f"{path.name} has more than {MOST_FRAMES} frames", "cut the clip first")
            stamp = packet.pts if packet.pts is not None else packet.dts
            if stamp is not None and abs(stamp) < _MOST_STAMP:
                stamps.append(stamp)
    except (av.FFmpegError, OSError) as error:
        broken = _reason(error)
    nominal = stream.average_rate or stream.guessed_rate or None
    return Scan(np.unique(np.asarray(stamps, np.int64)), packets, stream.time_base, nominal, broken)


def _header(path: Path, container: Any, stream: Any, first: Any, video: Video) -> Header:
    pose, scan, timing = pose_of(first), video.scan, video.timing
    notes = [pose.note] if pose.note else []
    if timing:
        rate: float | None = timing.rate
        duration = timing.duration
        notes += timing.notes
    else:
        rate = float(scan.nominal) if scan.nominal else None
        duration = scan.packets / rate if rate else 0.0
        notes.append("its frames have no usable times: they are spaced evenly by the rate in the header")
    notes += _damage_notes(scan, stream.frames, duration, _announced(container, stream))
    notes += _picture_notes(stream, first)
    notes += _name_notes(path, container.format.name)
    capture = _capture_rate({**container.metadata, **stream.metadata})
    return Header(first.width, first.height, scan.packets, duration, rate, capture, pose, tuple(notes))


def _damage_notes(scan: Scan, frames: int, duration: float, announced: float) -> list[str]:
    if scan.broken:
        return [f"cut off or damaged ({scan.broken}): {scan.packets} frames can be read"]
    if frames > scan.packets + 1:
        return [f"cut off: {scan.packets} of the {frames} frames that it announces are there"]
    if announced > 1.02 * duration + 5 * duration / scan.packets:
        return [f"cut off: {duration:.2f} s of the {announced:.2f} s that it announces are there"]
    return []


def _announced(container: Any, stream: Any) -> float:
    """The film's length by its header; 0 where the header speaks of sound too or of nothing."""
    if stream.duration:
        return float(stream.duration * stream.time_base)
    return float(container.duration or 0) / 1e6 if len(container.streams) == 1 else 0.0


def _picture_notes(stream: Any, first: Any) -> list[str]:
    notes = []
    aspect = stream.sample_aspect_ratio
    if aspect and abs(float(aspect) - 1) > 0.01:
        notes.append(f"pixels are not square ({float(aspect):.3g} times as wide as high)")
    if first.interlaced_frame:
        notes.append("interlaced: rows of two moments are in each frame")
    return notes


def _name_notes(path: Path, form: str) -> list[str]:
    kinds = {".mp4": "mp4", ".mov": "mov", ".avi": "avi", ".mkv": "matroska", ".webm": "webm", ".gif": "gif"}
    kind = kinds.get(path.suffix.lower())
    return [f"named {path.suffix} but stored as {form}"] if kind and kind not in form.split(",") else []


def _capture_rate(metadata: dict[str, str]) -> float | None:
    """The rate at which the camera says it recorded, where it says so."""
    for key, value in metadata.items():
        if _CAPTURE.search(key.lower()):
            try:
                rate = float(value)
            except ValueError:
                continue
            if 0.1 < rate < 1e6:
                return rate
    return None
