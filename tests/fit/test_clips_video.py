"""Video files: every container, exact greys, true times, upright pictures."""

from __future__ import annotations

import os
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from identify.fit.clips.info import ClipError
from identify.fit.clips.source import Source, open_video
from tests.fit.clips_making import HEIGHT, WIDTH, noise, remux, turn, write_video

FORMATS = [
    ("a.mkv", "ffv1", "gray", {}, 0),
    ("a.mkv", "ffv1", "bgr0", {}, 0),
    ("a.avi", "ffv1", "gray", {}, 0),
    ("a.avi", "png", "gray", {}, 0),
    ("a.mov", "png", "rgb24", {}, 0),
    ("a.gif", "gif", "gray", {}, 0),
    ("a.mp4", "libx264", "gray", {"qp": "0"}, 0),
    ("a.mkv", "libx264", "gray", {"qp": "0"}, 0),
    ("a.mp4", "libx264", "yuvj420p", {"qp": "0"}, 0),
    ("a.mp4", "libx264", "yuv420p", {"qp": "0"}, 1),  # 220 levels cannot hold 256
    ("a.webm", "libvpx-vp9", "yuv420p", {"lossless": "1"}, 1),
]


def grey(source: Source, **options: object) -> tuple[np.ndarray, np.ndarray]:
    found = list(source.read(colour=False, **options))  # type: ignore[arg-type]
    return np.array([time for time, _ in found]), np.array([pixels for _, pixels in found])


@pytest.mark.parametrize(("name", "codec", "pixels", "options", "error"), FORMATS)
def test_greys_and_times_come_out_as_they_went_in(
    tmp_path: Path, name: str, codec: str, pixels: str, options: dict[str, str], error: int
) -> None:
    frames = noise(15)
    source = open_video(write_video(tmp_path / name, frames, codec, pixels, **options))
    time, found = grey(source)
    assert np.abs(found.astype(int) - frames).max() <= error
    assert np.allclose(time, np.arange(15) / 30, atol=1e-9)
    assert source.info.rate == pytest.approx(30, rel=2e-3)
    assert (source.info.width, source.info.height, source.info.frames) == (WIDTH, HEIGHT, 15)
    assert source.info.notes == source.notes == ()


def test_colour_keeps_the_channels_apart(tmp_path: Path) -> None:
    frames = np.random.default_rng(1).integers(0, 256, (4, 32, 48, 3), dtype=np.uint8)
    source = open_video(write_video(tmp_path / "a.mkv", frames, "ffv1", "bgr0"))
    assert np.array_equal(np.array([pixels for _, pixels in source.read()]), frames)


def test_crop_size_and_every_are_those_of_the_whole_frames(tmp_path: Path) -> None:
    frames = noise(9)
    source = open_video(write_video(tmp_path / "a.mkv", frames))
    _, cropped = grey(source, crop=(4, 3, 24, 16), every=2)
    assert np.array_equal(cropped, frames[::2, 3:19, 4:28])
    _, small = grey(source, crop=(4, 3, 24, 16), size=(6, 4))
    means = frames[:, 3:19, 4:28].reshape(9, 4, 4, 6, 4).mean((2, 4))
    assert np.abs(small - means).max() <= 1


@pytest.mark.parametrize("crop", [(-1, 0, 4, 4), (0, 0, 49, 4), (0, 0, 0, 4), (40, 30, 9, 2)])
def test_a_crop_outside_the_picture_is_refused(tmp_path: Path, crop: tuple[int, int, int, int]) -> None:
    source = open_video(write_video(tmp_path / "a.mkv", noise(3)))
    with pytest.raises(ClipError, match="not inside the 48 x 32 picture"):
        source.read(crop=crop)


@pytest.mark.parametrize(("codec", "options"), [("ffv1", {}), ("libx264", {"qp": "0", "g": "12", "bf": "2"})])
def test_start_and_stop_give_the_same_frames_as_the_whole(
    tmp_path: Path, codec: str, options: dict[str, str]
) -> None:
    source = open_video(write_video(tmp_path / "a.mkv", noise(90), codec, **options))
    time, whole = grey(source)
    part_time, part = grey(source, start=1.5, stop=2.0)
    inside = (time >= 1.5) & (time < 2.0)
    assert inside.sum() == 15
    assert np.array_equal(part_time, time[inside])
    assert np.array_equal(part, whole[inside])


def test_variable_frame_rate_is_honoured_and_said(tmp_path: Path) -> None:
    stamps = [0, 10, 35, 40, 70, 71, 90, 130]
    path = write_video(tmp_path / "a.mkv", noise(8), stamps=stamps, base=Fraction(1, 1000))
    source = open_video(path)
    assert np.allclose(grey(source)[0], np.array(stamps) / 1000, atol=1e-12)
    assert source.info.rate == pytest.approx(7 / 0.130)
    assert "variable frame rate" in source.info.notes[0]


def test_rounded_times_of_a_constant_rate_are_made_even(tmp_path: Path) -> None:
    """Matroska stores milliseconds: 60 frames a second become 17, 16, 17, ... apart."""
    source = open_video(write_video(tmp_path / "a.mkv", noise(60), rate=60))
    assert np.allclose(grey(source)[0], np.arange(60) / 60, atol=1e-9)


def test_missing_frames_leave_a_gap_and_a_note(tmp_path: Path) -> None:
    stamps = [n for n in range(30) if n not in (7, 8, 20)]
    path = write_video(tmp_path / "a.mp4", noise(27), "libx264", stamps=stamps, base=Fraction(1, 30))
    source = open_video(path)
    assert np.allclose(grey(source)[0], np.array(stamps) / 30)
    assert source.info.notes == ("about 3 frames are missing in 2 gaps",)


@pytest.mark.parametrize(
    ("stamps", "kept", "word"),
    [
        ([0, 33, 67, 50, 133, 167], [0, 33, 67, 133, 167], "1 frames dropped"),
        ([0, 33, 667, 0, 700, 733], [0, 33, 667, 700, 733], "1 frames dropped"),
        ([0, 33, 67, 67, 133, 167], [0, 33, 67, 133, 167], "1 frames dropped"),
    ],
)
def test_times_that_go_back_are_dropped_with_a_note(
    tmp_path: Path, stamps: list[int], kept: list[int], word: str
) -> None:
    plain = write_video(tmp_path / "plain.mkv", noise(6))
    source = open_video(remux(plain, tmp_path / "a.mkv", stamps, Fraction(1, 1000)))
    time, _ = grey(source)
    assert np.allclose(time, np.array(kept) / 1000, atol=1e-3)
    assert np.all(np.diff(time) > 0)
    assert any(word in note for note in source.notes)


def test_repeated_frames_are_counted(tmp_path: Path) -> None:
    source = open_video(write_video(tmp_path / "a.mkv", np.repeat(noise(5), 3, axis=0)))
    assert source.reading is None
    grey(source)
    assert source.reading is not None
    assert source.reading.repeated == (1, 2, 4, 5, 7, 8, 10, 11, 13, 14)
    assert "10 of 15 frames repeat" in source.notes[-1]


MATRICES = [
    ((1, 0, 0, 1), lambda a: a, 0),
    ((0, 1, -1, 0), lambda a: np.rot90(a, -1), -90),
    ((-1, 0, 0, -1), lambda a: np.rot90(a, 2), -180),
    ((0, -1, 1, 0), lambda a: np.rot90(a, 1), 90),
    ((-1, 0, 0, 1), lambda a: a[:, ::-1], -180),
    ((0, 1, 1, 0), lambda a: a.T, -90),
]


@pytest.mark.parametrize(("matrix", "upright", "degrees"), MATRICES)
def test_the_display_matrix_is_honoured(tmp_path: Path, matrix, upright, degrees: int) -> None:  # type: ignore[no-untyped-def]
    frames = noise(4)
    source = open_video(turn(write_video(tmp_path / "a.mp4", frames, "libx264", qp="0"), *matrix))
    _, found = grey(source)
    expected = upright(frames[2])
    assert np.array_equal(found[2], expected)
    assert (source.info.height, source.info.width) == expected.shape
    assert source.info.rotation == degrees
    _, cropped = grey(source, crop=(2, 5, 12, 20))
    assert np.array_equal(cropped[2], expected[5:25, 2:14])
    _, small = grey(source, crop=(0, 0, 24, 16), size=(12, 8))
    assert small.shape[1:] == (8, 12)


def test_fps_and_time_scale(tmp_path: Path) -> None:
    source = open_video(write_video(tmp_path / "a.mp4", noise(9), "libx264"))
    assert np.allclose(grey(source.timed(fps=240))[0], np.arange(9) / 240)
    slow = source.timed(time_scale=0.125)
    assert np.allclose(grey(slow)[0], np.arange(9) / 240)
    assert slow.info.rate == pytest.approx(240)
    assert slow.info.duration == pytest.approx(9 / 240)
    assert len(grey(slow, start=2 / 240, stop=4.5 / 240)[0]) == 3
    with pytest.raises(ClipError, match="positive"):
        source.timed(fps=0)
    with pytest.raises(ClipError, match="positive"):
        source.timed(time_scale=float("nan"))


def test_a_capture_rate_that_disagrees_is_said_and_not_used(tmp_path: Path) -> None:
    tags = {"com.android.capture.fps": "240.000000"}
    source = open_video(write_video(tmp_path / "a.mp4", noise(9), "libx264", metadata=tags))
    assert source.info.capture_rate == 240
    assert source.info.rate == pytest.approx(30)
    assert "time_scale: 0.125" in source.info.notes[0]
    assert source.timed(time_scale=0.125).info.notes == ()
    agreeing = write_video(tmp_path / "b.mp4", noise(9), "libx264", rate=240, metadata=tags)
    assert open_video(agreeing).info.notes == ()


def test_a_name_that_hides_the_format_is_read_and_said(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.mp4", noise(5), "libx264").rename(tmp_path / "a.avi")
    source = open_video(path)
    assert len(grey(source)[0]) == 5
    assert any("named .avi" in note for note in source.info.notes)


def test_reading_can_stop_early_and_start_again(tmp_path: Path) -> None:
    source = open_video(write_video(tmp_path / "a.mkv", noise(20)))
    frames = source.read()
    next(frames)
    frames.close()  # type: ignore[attr-defined]
    assert len(list(source.read())) == 20


def test_a_playlist_that_calls_itself_a_video_opens_nothing(tmp_path: Path) -> None:
    write_video(tmp_path / "real.mkv", noise(5))
    for text in ("ffconcat version 1.0\nfile real.mkv\n", "#EXTM3U\n#EXTINF:1,\nreal.mkv\n#EXT-X-ENDLIST\n"):
        (tmp_path / "a.mp4").write_text(text)
        with pytest.raises(ClipError, match="cannot be opened"):
            assert open_video(tmp_path / "a.mp4").info


def test_real_footage_is_read_whole() -> None:
    folder = Path(os.environ.get("IDENTIFY_REAL_VIDEOS", Path(__file__).parents[3] / "shared" / "data"))
    path = folder / "apple_pendulum" / "apple.mp4"
    if not path.exists():
        pytest.skip(f"no real videos in {folder}")
    source = open_video(path)
    assert (source.info.width, source.info.height, source.info.frames) == (640, 360, 1299)
    assert source.info.rate == pytest.approx(60 / 1.001)
    time, found = grey(source, start=10, stop=10.5, size=(160, 90))
    assert found.shape == (30, 90, 160)
    assert np.all(np.diff(time) > 0)
