"""An hour of 1080p: what a long clip costs in memory and time.

    python examples/fit/hour.py [--minutes 60] [--rate 30] [--keep DIR]

Writes one clip of a disc on a spring before a textured wall, then runs ``identify fit`` with and without
``--dry-run`` on it, each in a process of its own, and prints seconds and the peak of memory.  Exit code 1
where a process needs 2 GB or more.  One minute is encoded and its packets are repeated.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray

WIDTH, HEIGHT = 1920, 1080
RADIUS, REACH, PERIOD = 60, 500, 60 / 29  # an odd part of a minute, so that no two frames of it are alike
LAW = "z''+a*z=0"
MOST_BYTES = 2_000_000_000


def frames(rate: int, seconds: int) -> Iterator[NDArray[np.uint8]]:
    """Planar 4:2:0 frames of a bright disc that swings across a wall of coarse random squares."""
    rng = np.random.default_rng(0)
    squares = rng.integers(40, 110, (HEIGHT // 20, WIDTH // 20), dtype=np.uint8)
    empty = np.full((HEIGHT * 3 // 2, WIDTH), 128, np.uint8)
    empty[:HEIGHT] = np.kron(squares, np.ones((20, 20), np.uint8))
    rows = np.arange(HEIGHT // 2 - RADIUS - 2, HEIGHT // 2 + RADIUS + 2)
    columns = np.arange(WIDTH)
    for number in range(rate * seconds):
        frame = empty.copy()
        centre = WIDTH / 2 + REACH * np.cos(2 * np.pi * number / rate / PERIOD)
        away = np.hypot(columns - centre, (rows - HEIGHT / 2)[:, None])
        edge = np.clip(RADIUS - away, 0, 1)
        frame[rows] = np.rint(frame[rows] * (1 - edge) + 230 * edge)
        yield frame


def write_minute(file: Path, rate: int, seconds: int = 60) -> None:
    """One minute, encoded as fast as possible and without frames that refer to later ones."""
    with av.open(str(file), "w") as container:
        options = {"preset": "ultrafast", "bf": "0", "crf": "23"}
        stream: Any = container.add_stream("libx264", rate=rate, options=options)
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        for pixels in frames(rate, seconds):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(pixels, format="yuv420p")))
        container.mux(stream.encode())


def repeat(minute: Path, file: Path, times: int, rate: int) -> None:
    """The packets of a minute, again and again with later stamps."""
    with av.open(str(file), "w") as target:
        stream: Any = None
        number = 0
        for _ in range(times):
            with av.open(str(minute)) as source:
                stream = stream or target.add_stream_from_template(source.streams.video[0])
                for packet in source.demux(video=0):
                    if packet.size:
                        packet.stream, packet.time_base = stream, Fraction(1, rate)
                        packet.pts = packet.dts = number
                        number += 1
                        target.mux(packet)


def measured(*arguments: str) -> tuple[int, float, float, int]:
    """Exit code, wall and processor seconds, and the peak of memory in bytes."""
    begin = time.perf_counter()
    started = subprocess.Popen([sys.executable, "-m", "identify", *arguments])
    _, status, used = os.wait4(started.pid, 0)
    started.returncode = os.waitstatus_to_exitcode(status)
    unit = 1 if sys.platform == "darwin" else 1024
    seconds = time.perf_counter() - begin
    return started.returncode, seconds, used.ru_utime + used.ru_stime, used.ru_maxrss * unit


def main() -> int:
    """Write the clip, run both commands, print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--minutes", type=int, default=60)
    parser.add_argument("--rate", type=int, default=30)
    parser.add_argument("--keep", type=Path, help="a folder for the clip and the run")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.keep or Path(temporary)
        clip = folder / "clips" / "hour.mp4"
        if not clip.exists():
            clip.parent.mkdir(parents=True, exist_ok=True)
            write_minute(folder / "minute.mp4", asked.rate)
            repeat(folder / "minute.mp4", clip, asked.minutes, asked.rate)
        print(f"{asked.minutes} minutes of {WIDTH} x {HEIGHT} at {asked.rate} frames a second", flush=True)
        common = ("fit", str(clip.parent), "--law", LAW, "--out", str(folder / "run"))
        found = {"dry run": measured(*common, "--dry-run"), "fit": measured(*common)}
    for name, (code, wall, cpu, peak) in found.items():
        print(f"{name}: exit code {code}, {wall:.0f} s ({cpu:.0f} s of processor), {peak / 1e6:.0f} MB")
    return int(any(peak >= MOST_BYTES for *_, peak in found.values()))


if __name__ == "__main__":
    raise SystemExit(main())
