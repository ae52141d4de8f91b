"""Tiny clips of every kind, written for the tests of the readers."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np

HEIGHT, WIDTH = 32, 48


def noise(count: int = 12, seed: int = 0, height: int = HEIGHT, width: int = WIDTH) -> np.ndarray:
    """Grey frames that all differ."""
    return np.random.default_rng(seed).integers(0, 256, (count, height, width), dtype=np.uint8)


def write_video(
    path: Path,
    frames: np.ndarray,
    codec: str = "ffv1",
    pixels: str = "gray",
    rate: int = 30,
    stamps: Sequence[int] | None = None,
    base: Fraction | None = None,
    form: str | None = None,
    metadata: dict[str, str] | None = None,
    **options: str,
) -> Path:
    """Encode grey (n, h, w) or RGB frames; ``stamps`` are presentation times counted in ``base``."""
    settings = {"movflags": "+use_metadata_tags+faststart"} if path.suffix == ".mp4" else {}
    with av.open(str(path), "w", format=form, options=settings) as container:
        container.metadata.update(metadata or {})
        stream: Any = container.add_stream(codec, rate=rate, options=options)
        stream.height, stream.width = frames.shape[1:3]
        stream.pix_fmt = pixels
        if base:
            stream.time_base = stream.codec_context.time_base = base
        for index, pixels_now in enumerate(frames):
            frame = av.VideoFrame.from_ndarray(pixels_now, format="gray" if pixels_now.ndim == 2 else "rgb24")
            frame.pts = index if stamps is None else stamps[index]
            frame.time_base = base or Fraction(1, rate)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


def remux(path: Path, out: Path, stamps: Sequence[int], base: Fraction) -> Path:
    """The same packets with other stamps, in the order in which they are stored."""
    with av.open(str(path)) as source, av.open(str(out), "w") as target:
        stream = target.add_stream_from_template(source.streams.video[0])
        packets = [packet for packet in source.demux(video=0) if packet.size]
        for index, (packet, stamp) in enumerate(zip(packets, stamps, strict=True)):
            packet.stream, packet.time_base, packet.pts, packet.dts = stream, base, stamp, index - 1000
            target.mux(packet)
    return out


def write_image(path: Path, pixels: np.ndarray, codec: str = "png", form: str = "gray") -> Path:
    """One grey or RGB image file."""
    with av.open(str(path), "w", format="image2") as container:
        stream: Any = container.add_stream(codec, rate=1, options={"update": "1"})
        stream.height, stream.width = pixels.shape[:2]
        stream.pix_fmt = form
        container.mux(stream.encode(av.VideoFrame.from_ndarray(pixels, format="gray")))
        container.mux(stream.encode())
    return path


def write_sound(path: Path) -> Path:
    """A file with sound and no pictures."""
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream("aac", rate=44100)
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), format="fltp", layout="mono")
        frame.sample_rate = 44100
        container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


def turn(path: Path, a: int, b: int, c: int, d: int) -> Path:
    """Overwrite the display matrix in the track header of an mp4 file."""
    content = bytearray(path.read_bytes())
    start = content.index(b"tkhd") + 4
    start += 40 if content[start] == 0 else 52
    matrix = struct.pack(">9i", a << 16, b << 16, 0, c << 16, d << 16, 0, 0, 0, 1 << 30)
    content[start : start + 36] = matrix
    path.write_bytes(bytes(content))
    return path
