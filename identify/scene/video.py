"""Lossless video files: decoding one to its own format gives back the same bytes at the same times."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from identify.scene.recording import Array, Pixels

CODECS = {"h264": ".mp4", "ffv1": ".mkv"}
_CLOCKS = (90_000, 1_000_000)  # ticks in a second: the usual ones, else microseconds


def write_video(path: Path, frames: Pixels, time: Array, codec: str = "h264") -> None:
    """Write the frames at their times.

    H.264 without quantisation keeps every value, in grey of full range or in RGB; it plays wherever FFmpeg
    does the decoding, though not in every browser.  Matroska, which holds FFV1, rounds times to milliseconds.
    """
    import av

    colour = frames.ndim == 4
    clock = _clock(time)
    with av.open(str(path), "w", format=_container(codec)) as container:
        stream: Any = container.add_stream(_encoder(codec, colour), rate=_rate(time))
        stream.height, stream.width = frames.shape[1:3]
        stream.pix_fmt = ("bgr0" if codec == "ffv1" else "rgb24") if colour else "gray"
        stream.codec_context.color_range = 2  # full range: 0 is black and 255 is white
        stream.codec_context.time_base = stream.time_base = Fraction(1, clock)
        stream.options = {} if codec == "ffv1" else {"qp": "0", "preset": "ultrafast"}
        for pixels, moment in zip(frames, time - time[0], strict=True):
            picture: Any = av.VideoFrame.from_ndarray(pixels, format="rgb24" if colour else "gray")
            if picture.format.name != stream.pix_fmt:
                picture = picture.reformat(format=stream.pix_fmt)
            picture.color_range = 2
            picture.pts, picture.time_base = round(float(moment) * clock), Fraction(1, clock)
            container.mux(stream.encode(picture))
        container.mux(stream.encode())


def read_video(path: Path) -> tuple[Pixels, Array]:
    """All frames and their times, in grey, or in RGB where the file has colour."""
    import av

    pictures, moments = [], []
    with av.open(str(path)) as container:
        for picture in container.decode(video=0):
            colour = any(name in picture.format.name for name in ("rgb", "gbr", "bgr"))
            pictures.append(picture.to_ndarray(format="rgb24" if colour else "gray"))
            moments.append(picture.time or 0.0)
    return np.stack(pictures), np.asarray(moments)


def _encoder(codec: str, colour: bool) -> str:
    return "ffv1" if codec == "ffv1" else "libx264rgb" if colour else "libx264"


def _container(codec: str) -> str:
    return "matroska" if codec == "ffv1" else "mp4"


def _clock(time: Array) -> int:
    """The coarsest clock that tells the times exactly."""
    ticks = (time - time[0]) * _CLOCKS[0]
    return _CLOCKS[0] if np.abs(ticks - np.rint(ticks)).max() < 1e-6 else _CLOCKS[1]


def _rate(time: Array) -> Fraction:
    """The usual rate, for players."""
    step = float(np.median(np.diff(time))) if len(time) > 1 else 1 / 60
    return Fraction(1 / step).limit_denominator(1001)
