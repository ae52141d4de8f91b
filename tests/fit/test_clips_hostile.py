"""Damaged and malicious clips: a stated reason, bounded memory, and what decodes is used."""

from __future__ import annotations

import gc
import io
import resource
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from identify.fit.clips.folder import find_clips
from identify.fit.clips.info import ClipError
from identify.fit.clips.source import open_arrays, open_video
from tests.fit.clips_making import noise, write_image, write_video

KINDS = ("a.mp4", "a.mkv", "a.avi", "a.webm", "a.gif", "a.mov", "a.npz", "a.npy")


@pytest.fixture(autouse=True)
def bounded() -> Iterator[None]:
    """No test of this file lets the process grow by more than 300 MB."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000


@cache
def content(name: str) -> bytes:
    """A sound clip of 24 frames of each kind."""
    codecs = {".mp4": "libx264", ".mov": "png", ".webm": "libvpx-vp9", ".gif": "gif"}
    frames = noise(24)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        if path.suffix == ".npz":
            np.savez_compressed(path, frames=frames, times=np.arange(24) / 30, z=np.zeros(24))
        elif path.suffix == ".npy":
            np.save(path, frames)
        else:
            codec = codecs.get(path.suffix, "ffv1")
            pixels = {"libvpx-vp9": "yuv420p"}.get(codec, "gray")
            write_video(path, frames, codec, pixels)
        return path.read_bytes()


def usable(name: str, data: bytes) -> int:
    """How many frames such a file gives; 0 where it is skipped with a reason."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / name).write_bytes(data)
        clips = find_clips(Path(folder), lambda name: (30.0, None))
        assert len(clips) + len(clips.skipped) >= 1
        assert all(skipped.reason for skipped in clips.skipped)
        count = 0
        for source in clips[:3]:
            try:
                times = [time for time, _ in source.read(size=(16, 8), colour=False)]
            except ClipError:
                continue
            assert np.all(np.diff(times) > 0)
            count = len(times)
        return count


@settings(max_examples=40)
@given(st.sampled_from(KINDS), st.floats(0, 1))
def test_a_clip_cut_off_anywhere_gives_what_decodes_or_a_reason(name: str, part: float) -> None:
    whole = content(name)
    assert usable(name, whole[: int(part * len(whole))]) <= 24


@settings(max_examples=40)
@given(st.sampled_from(KINDS), st.integers(0, 2**32), st.integers(1, 60))
def test_scattered_damage_gives_what_decodes_or_a_reason(name: str, seed: int, hits: int) -> None:
    damaged = bytearray(content(name))
    random = np.random.default_rng(seed)
    for place in random.integers(0, len(damaged), hits):
        damaged[place] = random.integers(256)
    usable(name, bytes(damaged))


@settings(max_examples=40)
@given(st.sampled_from(KINDS), st.binary(max_size=2000))
def test_random_bytes_are_skipped_with_a_reason(name: str, data: bytes) -> None:
    assert usable(name, data) == 0


@pytest.mark.parametrize("name", ["a.mkv", "a.avi"])
def test_most_of_a_truncated_film_is_used_and_said(tmp_path: Path, name: str) -> None:
    whole = content(name)
    (tmp_path / name).write_bytes(whole[: len(whole) * 3 // 4])
    source = open_video(tmp_path / name)
    assert 14 <= len(list(source.read())) <= 18
    assert source.notes


def test_a_truncated_mp4_says_how_much_is_there(tmp_path: Path) -> None:
    whole = content("a.mp4")
    (tmp_path / "a.mp4").write_bytes(whole[: len(whole) * 3 // 4])
    source = open_video(tmp_path / "a.mp4")
    assert 5 <= len(list(source.read())) <= 20
    assert any("cut off" in note for note in source.info.notes)


def array_header(shape: tuple[int, ...], dtype: str = "|u1") -> bytes:
    file = io.BytesIO()
    header = {"descr": dtype, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(file, header)
    return file.getvalue()


@pytest.mark.parametrize(
    "shape",
    [
        (3, 10**5, 10**5),
        (10**9, 8, 8),
        (10**30, 2, 2),
        (-5, 8, 8),
        (5, 0, 8),
        (10**6, 5, 8, 8),
        (2, 2**31, 1),
    ],
)
@pytest.mark.parametrize("dtype", ["|u1", "<f8", "|O", "<U9", "|V0"])
def test_array_headers_that_announce_too_much(tmp_path: Path, shape: tuple[int, ...], dtype: str) -> None:
    (tmp_path / "a.npy").write_bytes(array_header(shape, dtype) + b"\0" * 500)
    with zipfile.ZipFile(tmp_path / "b.npz", "w") as archive:
        archive.writestr("frames.npy", array_header(shape, dtype) + b"\0" * 500)
        archive.writestr("fps.npy", array_header((), "<f8") + struct.pack("<d", 30))
    clips = find_clips(tmp_path, lambda name: (30.0, None))
    assert list(clips) == []
    assert len(clips.skipped) >= 2


def test_a_compressed_bomb_is_streamed(tmp_path: Path) -> None:
    """400 MB of zeros in 0.4 MB: read picture by picture, never held."""
    shape = (400, 1000, 1000)
    with zipfile.ZipFile(tmp_path / "a.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("frames.npy", "w", force_zip64=True) as member:
            member.write(array_header(shape))
            for _ in range(400):
                member.write(bytes(1_000_000))
        archive.writestr("fps.npy", array_header((), "<f8") + struct.pack("<d", 30))
    (source,) = open_arrays(tmp_path / "a.npz")
    assert len(list(source.read(size=(10, 10), every=50, colour=False))) == 8


def test_a_time_array_that_announces_too_much(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("frames.npy", array_header((10**6, 2, 2)))
        archive.writestr("times.npy", array_header((10**6,), "<f8"))
    (skipped,) = find_clips(tmp_path).skipped
    assert "cut off" in skipped.reason


def test_pictures_that_announce_too_many_pixels(tmp_path: Path) -> None:
    gif = bytearray(content("a.gif"))
    gif[6:10] = struct.pack("<HH", 65535, 65535)
    (tmp_path / "a.gif").write_bytes(bytes(gif))
    folder = tmp_path / "images"
    folder.mkdir()
    png = bytearray(write_image(folder / "1.png", noise(1)[0]).read_bytes())
    png[16:24] = struct.pack(">II", 100_000, 100_000)
    png[29:33] = struct.pack(">I", zlib.crc32(bytes(png[12:29])))
    for number in range(3):
        (folder / f"{number}.png").write_bytes(bytes(png))
    clips = find_clips(tmp_path, lambda name: (30.0, None))
    assert list(clips) == []
    assert {skipped.name for skipped in clips.skipped} == {"a", "images"}


def test_ten_thousand_frames_are_streamed(tmp_path: Path) -> None:
    frames = np.broadcast_to(noise(1, height=16, width=16), (10_000, 16, 16))
    source = open_video(write_video(tmp_path / "a.mp4", frames, "libx264", preset="ultrafast"))
    assert source.info.frames == 10_000
    assert sum(1 for _ in source.read(colour=False)) == 10_000


def test_a_4k_film_is_read_small(tmp_path: Path) -> None:
    frames = np.zeros((3, 2160, 3840), np.uint8)
    frames[:, 540:1620, 960:2880] = 200
    source = open_video(write_video(tmp_path / "a.mp4", frames, "libx264", preset="ultrafast"))
    found = [pixels for _, pixels in source.read(size=(384, 216), colour=False)]
    assert len(found) == 3
    assert abs(int(found[1][108, 192]) - 200) < 4


def test_frames_that_were_read_are_let_go(tmp_path: Path) -> None:
    """180 frames of 1080p would be 560 MB."""
    frames = np.broadcast_to(np.uint8(90), (180, 1080, 1920))
    source = open_video(write_video(tmp_path / "a.mp4", frames, "libx264", preset="ultrafast"))
    gc.disable()  # what is let go only by the collector is held for too long
    try:
        assert sum(1 for _ in source.read(size=(48, 27), colour=False)) == 180
    finally:
        gc.enable()
