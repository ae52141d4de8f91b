"""The folder of a recording: exact videos, arrays, the truth, and settings that the fit reads."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("av")
pytest.importorskip("matplotlib")

from identify.errors import InputError
from identify.scene.collection import Ask
from identify.scene.contact import chosen_frames
from identify.scene.folder import check_folder, experiment_text, write_recording
from identify.scene.protocol import paper_protocol
from identify.scene.video import CODECS, read_video, write_video

RANDOM = np.random.default_rng(0)


def pixels(*shape):
    return RANDOM.integers(0, 256, shape, dtype=np.uint8)


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("shape", [(20, 64, 64), (7, 31, 53), (5, 16, 16), (9, 33, 47, 3), (1, 24, 24)])
def test_video_round_trip(tmp_path, codec, shape):
    """Decoding gives back every byte of any frames, even of noise, in grey and in colour, of any size."""
    frames, time = pixels(*shape), np.arange(shape[0]) / 60
    file = tmp_path / f"clip{CODECS[codec]}"
    write_video(file, frames, time, codec)
    found, moments = read_video(file)
    assert np.array_equal(found, frames)
    assert np.abs(moments - time).max() <= (1e-9 if codec == "h264" else 6e-4)


def test_uneven_times(tmp_path):
    """Times of any spacing are kept to a microsecond."""
    time = np.cumsum(RANDOM.uniform(0.9, 1.1, 40)) / 60
    write_video(tmp_path / "clip.mp4", pixels(40, 32, 32), time)
    assert np.abs(read_video(tmp_path / "clip.mp4")[1] - (time - time[0])).max() < 1e-6


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """An overhead fall as a folder, with its recording."""
    folder = tmp_path_factory.mktemp("simulated") / "fall"
    recording = paper_protocol("overhead-fall", 2, Ask(size=(32, 32), clips=2))
    names = write_recording(recording, folder)
    return recording, folder, names


def test_everything_is_there(written):
    """Every named file is written, and nothing else."""
    recording, folder, names = written
    found = {p.name + ("/" if p.is_dir() else "") for p in folder.iterdir()}
    assert found == set(names)
    assert {p.stem for p in (folder / "arrays").iterdir()} == {shot.name for shot in recording.shots}


def test_videos_arrays_and_truth_agree(written):
    """The three forms of a clip hold the same frames, times and states."""
    recording, folder, _ = written
    with (folder / "truth.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for shot in recording.shots:
        frames, time = read_video(folder / f"{shot.name}.mp4")
        with np.load(folder / "arrays" / f"{shot.name}.npz", allow_pickle=False) as arrays:
            assert np.array_equal(arrays["frames"], frames)
            assert np.allclose(arrays["time"], time, atol=1e-6)
            mine = [row for row in rows if row["clip"] == shot.name]
            for column in ("time", "state", "velocity", "physical"):
                assert np.allclose([float(row[column]) for row in mine], arrays[column], rtol=1e-10)


def test_contact_sheet(written):
    """The contact sheet is a PNG picture that is not blank."""
    from matplotlib.image import imread

    picture = imread(written[1] / "contact.png")
    assert min(picture.shape[:2]) > 200
    assert picture[..., :3].std() > 0.05


def test_chosen_frames(written):
    """Frames of the sheet are different ones of the clip, in order."""
    for shot in written[0].shots:
        frames = chosen_frames(shot)
        assert frames == sorted(set(frames))
        assert frames[-1] < len(shot.time)


@pytest.mark.parametrize("name", ["cubic", "projected-pendulum", "side-fall", "overhead-fall"])
def test_settings_are_readable(name, tmp_path):
    """The settings are YAML with the law, the roles, the anchors and the true values."""
    from ruamel.yaml import YAML

    recording = paper_protocol(name, 0, Ask(size=(16, 16), clips=1))
    read = YAML(typ="safe").load(experiment_text(recording, "h264"))
    assert read["law"] == recording.law
    assert read["truth"] == pytest.approx(dict(recording.truth))
    assert read["reference"] == "truth.csv"
    assert (read["train"], read["test"]) == (["train-*"], ["test-*"])
    assert tuple(read.get("anchors", ())) == recording.anchors


def test_matroska_settings_give_the_rate():
    """Where the container rounds times, the settings say the rate."""
    recording = paper_protocol("cubic", 0, Ask(size=(16, 16), clips=1, duration=0.5))
    assert "fps: 60 " in experiment_text(recording, "ffv1")
    assert "fps" not in experiment_text(recording, "h264")


def test_the_fit_reads_the_folder(written):
    """The reader of the fit finds every clip with its role, times and reference."""
    experiment = pytest.importorskip("identify.fit.clips.experiment")
    read = experiment.read_experiment(written[1])
    clips = experiment.open_clips(read)
    assert not clips.skipped
    assert {clip.name: read.role(clip.name) for clip in clips} == {s.name: s.role for s in written[0].shots}
    assert len(read.references(clips)) == len(clips)


def test_an_earlier_simulation_is_replaced(tmp_path):
    """Writing again removes the clips of before and leaves other files alone."""
    few = Ask(size=(16, 16), clips=1, duration=0.2)
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    (tmp_path / "train-1.mp4").write_text("mine too", encoding="utf-8")
    write_recording(paper_protocol("quadratic", 0, Ask(size=(16, 16), duration=0.2)), tmp_path)
    assert (tmp_path / "test-07.mp4").exists()
    write_recording(paper_protocol("quadratic", 0, few), tmp_path)
    assert {p.name for p in tmp_path.glob("*.mp4")} == {
        "train-1.mp4",
        "train-01.mp4",
        *(f"test-0{i}.mp4" for i in range(2, 6)),
    }
    assert len(list((tmp_path / "arrays").iterdir())) == 5
    assert (tmp_path / "notes.txt").read_text(encoding="utf-8") == "mine"


def test_folders_that_are_refused(tmp_path):
    """A file, and a folder with something in it, are refused; an empty or a new one is not."""
    check_folder(tmp_path, force=False)
    check_folder(tmp_path / "new", force=False)
    file = tmp_path / "file"
    file.write_text("", encoding="utf-8")
    for folder, force in ((file, True), (tmp_path, False)):
        with pytest.raises(InputError):
            check_folder(Path(folder), force)
    check_folder(tmp_path, force=True)
