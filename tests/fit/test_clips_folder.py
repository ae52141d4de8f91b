"""Folders of clips: what is found, what is left out and why; arrays and image sequences."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from identify.errors import InputError
from identify.fit.clips.folder import Clips, find_clips
from identify.fit.clips.source import Source
from tests.fit.clips_making import noise, write_image, write_sound, write_video


def at_30(name: str) -> tuple[float, None]:
    return 30.0, None


def grey(source: Source) -> np.ndarray:
    return np.array([pixels for _, pixels in source.read(colour=False)])


def times(source: Source) -> list[float]:
    return [time for time, _ in source.read(colour=False)]


def names(clips: Clips) -> list[str]:
    return [source.name for source in clips]


def test_all_kinds_in_natural_order(tmp_path: Path) -> None:
    frames = noise(4)
    for name in ("pull10.mkv", "pull2.mkv", "Pull1.mkv"):
        write_video(tmp_path / name, frames)
    np.savez(tmp_path / "pull3.npz", frames=frames, fps=30)
    (tmp_path / "pull4").mkdir()
    for index, pixels in enumerate(frames):
        write_image(tmp_path / "pull4" / f"{index}.png", pixels)
    for other in ("experiment.yaml", "reference.csv", "notes.txt", ".hidden.mkv", "_old.mkv"):
        (tmp_path / other).write_text("x")
    clips = find_clips(tmp_path, at_30)
    assert names(clips) == ["Pull1", "pull2", "pull3", "pull4", "pull10"]
    assert clips.skipped == ()
    for source in clips:
        assert np.array_equal(grey(source), frames)


def test_runs_and_the_arrays_beside_videos_are_no_clips(tmp_path: Path) -> None:
    write_video(tmp_path / "one.mkv", noise(4))
    np.savez(tmp_path / "one.npz", frames=noise(4), fps=30)
    (tmp_path / "arrays").mkdir()
    np.savez(tmp_path / "arrays" / "one.npz", frames=noise(4), fps=30)
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "report.json").write_text("{}")
    for index in range(3):
        write_image(tmp_path / "run" / f"frame{index}.png", noise(1)[0])
    clips = find_clips(tmp_path)
    assert [source.path.name for source in clips] == ["one.mkv"]


def test_two_videos_of_one_stem_keep_their_extensions(tmp_path: Path) -> None:
    write_video(tmp_path / "a.mkv", noise(3))
    write_video(tmp_path / "a.avi", noise(3))
    assert names(find_clips(tmp_path)) == ["a.avi", "a.mkv"]


def test_a_single_file_and_a_folder_of_images(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.mkv", noise(3))
    assert names(find_clips(path)) == ["a"]
    folder = tmp_path / "sequence"
    folder.mkdir()
    for number in (1, 2, 3, 5, 9, 10, 11):
        write_image(folder / f"im{number}.png", noise(12)[number])
    (source,) = find_clips(folder, at_30)
    assert source.name == "sequence"
    assert np.allclose(np.array(times(source)) * 30, [0, 1, 2, 4, 8, 9, 10])
    assert "4 numbers are missing" in source.info.notes[0]
    assert source.info.duration == pytest.approx(11 / 30)


def test_images_of_other_sizes_and_broken_ones_are_left_out_with_a_note(tmp_path: Path) -> None:
    for index in range(6):
        write_image(tmp_path / f"{index}.png", noise(6)[index])
    write_image(tmp_path / "2.png", noise(1, height=16)[0])
    (tmp_path / "4.png").write_bytes(b"not a png")
    (source,) = find_clips(tmp_path, at_30)
    assert np.allclose(np.array(times(source)) * 30, [0, 1, 3, 5])
    assert any("another size" in note for note in source.notes)
    assert any("4.png is not an image" in note for note in source.notes)


def test_images_and_arrays_without_a_rate_ask_for_one(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", noise(4))
    for index in range(3):
        (tmp_path / "b").mkdir(exist_ok=True)
        write_image(tmp_path / "b" / f"{index}.png", noise(1)[0])
    clips = find_clips(tmp_path)
    assert names(clips) == []
    assert {skipped.hint for skipped in clips.skipped} == {"give fps, as in fps: 60"}


def test_broken_clips_are_stated_and_stop_no_other(tmp_path: Path) -> None:
    write_video(tmp_path / "good.mkv", noise(4))
    write_video(tmp_path / "single.mkv", noise(1))
    write_sound(tmp_path / "sound.mp4")
    (tmp_path / "empty.mp4").touch()
    (tmp_path / "words.mov").write_text("hello " * 1000)
    write_image(tmp_path / "picture.png", noise(1)[0]).rename(tmp_path / "picture.mp4")
    np.savez(tmp_path / "objects.npz", frames=np.array([{}, {}], dtype=object))
    np.savez(tmp_path / "flat.npz", a=np.arange(5))
    (tmp_path / "folder.mp4").mkdir()
    clips = find_clips(tmp_path)
    assert names(clips) == ["good"]
    reasons = {skipped.name: skipped.reason for skipped in clips.skipped}
    assert set(reasons) == {"single", "sound", "empty", "words", "picture", "objects", "flat"}
    assert "empty file" in reasons["empty"]
    assert "single frame" in reasons["single"]
    assert "sound and no pictures" in reasons["sound"]
    assert "objects" in reasons["objects"]
    assert "no frames in it (a (5,))" in reasons["flat"]


def test_a_folder_without_clips_says_what_a_clip_is(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no clips"):
        find_clips(tmp_path)
    with pytest.raises(InputError, match="no file or folder"):
        find_clips(tmp_path / "absent")


def test_pipes_are_not_waited_for(tmp_path: Path) -> None:
    write_video(tmp_path / "a.mkv", noise(3))
    os.mkfifo(tmp_path / "b.mp4")
    os.mkfifo(tmp_path / "c.npz")
    assert names(find_clips(tmp_path)) == ["a"]
    with pytest.raises(InputError, match="neither a file nor a folder"):
        find_clips(tmp_path / "b.mp4")


def test_clips_of_mixed_sizes_are_all_read(tmp_path: Path) -> None:
    write_video(tmp_path / "a.mkv", noise(3))
    write_video(tmp_path / "b.mkv", noise(3, height=20, width=22))
    assert [(s.info.width, s.info.height) for s in find_clips(tmp_path)] == [(48, 32), (22, 20)]


LAYOUTS = [
    ("frames", (6, 10, 12), np.uint8, 1),
    ("frames", (6, 10, 12, 3), np.uint8, 1),
    ("frames", (6, 10, 12, 1), np.uint8, 1),
    ("frames", (6, 3, 10, 12), np.uint8, 1),
    ("whatever", (4, 6, 10, 12), np.uint8, 4),
    ("whatever", (4, 6, 10, 12, 3), np.uint8, 4),
    ("whatever", (6, 10, 12), np.float32, 1),
    ("whatever", (4, 6, 10, 12), np.float64, 4),
    ("whatever", (6, 10, 12), np.uint16, 1),
    ("whatever", (6, 10, 12), np.bool_, 1),
]


@pytest.mark.parametrize(("name", "shape", "kind", "count"), LAYOUTS)
@pytest.mark.parametrize("packed", [False, True])
def test_arrays_of_every_layout(
    tmp_path: Path, name: str, shape: tuple[int, ...], kind: type, count: int, packed: bool
) -> None:
    frames = np.random.default_rng(0).random(shape)
    top = {np.uint8: 255, np.uint16: 65535}.get(kind, 1)
    frames = (frames > 0.5) if kind is np.bool_ else np.rint(frames * top).astype(kind) if top > 1 else frames
    save = np.savez_compressed if packed else np.savez
    save(tmp_path / "a.npz", **{name: frames.astype(kind), "t": np.arange(6) / 50, "z": np.arange(6.0)})
    clips = find_clips(tmp_path)
    assert len(clips) == count
    for source in clips:
        assert (source.info.width, source.info.height, source.info.frames) == (12, 10, 6)
        found = list(source.read())
        assert np.allclose([time for time, _ in found], np.arange(6) / 50)
        assert all(pixels.shape == (10, 12, 3) for _, pixels in found)
        assert source.reference is not None
        assert np.allclose(source.reference.at(np.array([0.01, 0.05])), [0.5, 2.5])


def test_floats_keep_their_brightness_in_either_scale(tmp_path: Path) -> None:
    frames = noise(5)
    np.savez(tmp_path / "unit.npz", frames=frames / 255.0, fps=30)
    np.savez(tmp_path / "bytes.npz", frames=frames.astype(np.float32), dt=0.1)
    np.save(tmp_path / "fortran.npy", np.asfortranarray(frames))
    clips = find_clips(tmp_path, at_30)
    assert len(clips) == 3
    for source in clips:
        assert np.array_equal(grey(source), frames)


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e6, -50.0])
def test_pixels_that_are_no_brightness_are_refused(tmp_path: Path, value: float) -> None:
    frames = noise(5) / 255.0
    frames[3, 4, 5] = value
    np.savez(tmp_path / "a.npz", frames=frames, fps=30)
    (skipped,) = find_clips(tmp_path).skipped
    assert "pixels" in skipped.reason


def test_times_of_the_wrong_length_are_named(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", frames=noise(5), times=np.arange(4))
    (skipped,) = find_clips(tmp_path).skipped
    assert skipped.reason == "a.npz: times has shape (4,), (5,) was expected"


def test_array_times_that_go_back_or_are_missing(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", frames=noise(6), times=[0, 0.1, 0.1, np.nan, 0.3, 0.4])
    (source,) = find_clips(tmp_path)
    assert np.allclose(times(source), [0, 0.1, 0.1 + 1 / source.info.rate, 0.3, 0.4])
    assert len(source.notes) == 2
