"""``experiment.yaml``: defaults, split, trims, references, and errors with their place."""

from __future__ import annotations

import contextlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from identify.errors import IdentifyError, InputError
from identify.fit.clips.experiment import Experiment, open_clips, read_experiment
from identify.fit.clips.experiment_reading import ExperimentError, read_settings
from identify.scene.folder import write_recording
from identify.scene.protocol import paper_protocol
from tests.fit.clips_making import noise, write_video

WHOLE = """\
# a spring
law: "z'' + d*z' + a*z = 0"
assume: [a > 0, d > 0]
domain: z > -1
crop: [600, 60, 240, 960]
resize: 96
channel: saturation
time_scale: 0.5
clips:
  pull_03cm:
    trim: [1.5, 9]
    role: test
  pull_05cm.mp4: {fps: 30, time_scale: 1, trim: [2]}
train: [pull_05cm, "pull_1*"]
test: pull_08cm
anchors: ["displacement 0.4 m = 713 px"]
units: {z: m, a: 1/s^2}
reference: reference.csv
truth: {a: 33.7, d: 0}
"""


def written(folder: Path, text: str) -> Experiment:
    (folder / "experiment.yaml").write_text(text)
    return read_experiment(folder)


def test_a_bare_folder_has_defaults(tmp_path: Path) -> None:
    experiment = read_experiment(tmp_path)
    assert experiment.settings.channel == "auto"
    assert experiment.settings.law is None
    assert experiment.crop is None
    assert experiment.role("anything") == "train"
    assert experiment.trim("anything") == (None, None)
    assert experiment.timing("anything") == (None, None)


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing yet\n"])
def test_an_empty_file_has_defaults(tmp_path: Path, text: str) -> None:
    assert written(tmp_path, text).settings == read_experiment(tmp_path / "none").settings


def test_every_key_is_read(tmp_path: Path) -> None:
    experiment = written(tmp_path, WHOLE)
    assert experiment.settings.law == "z'' + d*z' + a*z = 0"
    assert experiment.settings.assume == ["a > 0", "d > 0"]
    assert experiment.settings.domain == ["z > -1"]
    assert experiment.settings.anchors == ["displacement 0.4 m = 713 px"]
    assert experiment.settings.units == {"z": "m", "a": "1/s^2"}
    assert experiment.settings.truth == {"a": 33.7, "d": 0}
    assert experiment.crop == (600, 60, 240, 960)
    assert experiment.size(240, 960) == (24, 96)
    assert experiment.trim("pull_03cm") == (1.5, 9)
    assert experiment.trim("pull_05cm") == (2, None)
    assert experiment.timing("pull_03cm") == (None, 0.5)
    assert experiment.timing("pull_05cm") == (30, 1)


def test_the_split_is_by_role_then_by_pattern(tmp_path: Path) -> None:
    experiment = written(tmp_path, WHOLE)
    roles = {
        name: experiment.role(name) for name in "pull_03cm pull_05cm pull_08cm pull_10cm pull_20cm".split()
    }
    assert list(roles.values()) == ["test", "train", "test", "train", "skip"]
    assert written(tmp_path, "train: [a]").role("b") == "test"
    assert written(tmp_path, "test: [a]").role("b") == "train"


def test_a_typed_role_takes_a_clip_from_the_files_list(tmp_path: Path) -> None:
    (tmp_path / "experiment.yaml").write_text('train: ["pull-*"]\n')
    experiment = read_experiment(tmp_path, test=["pull-2"])
    experiment.check_names(["pull-1", "pull-2"])
    assert [experiment.role(name) for name in ("pull-1", "pull-2")] == ["train", "test"]
    (tmp_path / "experiment.yaml").write_text('test: ["pull-*"]\nclips: {pull-2: {role: test}}\n')
    assert read_experiment(tmp_path, train=["pull-2"]).role("pull-2") == "train"


def test_dots_in_names_are_no_extensions(tmp_path: Path) -> None:
    experiment = written(tmp_path, "test: [pull_0.5]")
    assert (experiment.role("pull_0"), experiment.role("pull_0.5")) == ("train", "test")


def test_options_replace_what_the_file_says(tmp_path: Path) -> None:
    written(tmp_path, WHOLE)
    experiment = read_experiment(tmp_path, family="pendulum", fps=None, channel="red")
    assert (experiment.settings.law, experiment.settings.family) == (None, "pendulum")
    assert experiment.settings.channel == "red"
    with pytest.raises(InputError, match="channel"):
        read_experiment(tmp_path, channel="purple")


WRONG = [
    ("channl: grey\n", 1, 1, "unknown key 'channl'", "did you mean 'channel'?"),
    ("law: a\nxyzzy: 1\n", 2, 1, "unknown key 'xyzzy'", "the keys here are law"),
    ("clips:\n  a: {rol: test}\n", 2, 7, "unknown key 'rol'", "did you mean 'role'?"),
    ("channel: gray\n", 1, 10, "'gray' is not one of auto, grey", "did you mean grey?"),
    ("clips:\n  a:\n    role: tset\n", 3, 11, "'tset' is not one of train, test, skip", "did you mean test?"),
    ("fps: fast\n", 1, 6, "'fps' must be a number", "without quotes"),
    ("fps: 0\n", 1, 6, "greater than 0", None),
    ("fps: 1e999\n", 1, 6, "too large", None),
    ("crop: [1, 2, 3]\n", 1, 1, "must be [x, y, width, height]", None),
    ("crop: [1, 2, 3, 0]\n", 1, 1, "must be [x, y, width, height]", None),
    ("crop: [1, 2, 3, x]\n", 1, 17, "must be a whole number", None),
    ("crop: 5\n", 1, 7, "'crop' must be a list", "write [a, b]"),
    ("resize: 2\n", 1, 9, "must be [width, height] or the longer side", None),
    ("clips:\n  a: {trim: [5, 2]}\n", 2, 7, "the stop after the start", None),
    ("clips: [a]\n", 1, 1, "'clips' must be a mapping", None),
    ("units: {1x: m}\n", 1, 9, "'1x' cannot be a name", "a letter followed by"),
    ("law: a\nfamily: b\n", 2, 1, "one of them is enough", None),
    ("law: a\nlaw: b\n", 2, 1, "given twice", "keep one"),
    ("law: [\n", 2, 1, "not YAML", None),
    ("law: *a\n", 1, 6, "an alias", None),
    ("- a\n- b\n", 1, 1, "key: value", None),
    ("\tlaw: a\n", 1, 1, "a tab", None),
]


@pytest.mark.parametrize(("text", "line", "column", "message", "hint"), WRONG)
def test_errors_say_where_and_what_to_type(
    tmp_path: Path, text: str, line: int, column: int, message: str, hint: str | None
) -> None:
    with pytest.raises(ExperimentError) as caught:
        written(tmp_path, text)
    assert caught.value.position == (line, column)
    assert f"experiment.yaml, line {line}, column {column}: " in caught.value.message
    assert message in caught.value.message
    assert "family" not in caught.value.message.replace("a law and a family", "")
    if hint:
        assert hint in (caught.value.hint or "")


def test_all_errors_are_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(ExperimentError) as caught:
        written(tmp_path, "fps: x\nchannel: y\nfoo: 1\n")
    assert len(caught.value.findings) == 3


def test_not_text_and_too_much_of_it(tmp_path: Path) -> None:
    for content in (b"law: \xff\xfe", b"a" * 70_000):
        (tmp_path / "experiment.yaml").write_bytes(content)
        with pytest.raises(ExperimentError):
            read_experiment(tmp_path)


@given(
    st.binary(max_size=200)
    | st.text(alphabet="law:clips trim[]{},.'\"\n- 0123#&*!|>", max_size=80).map(str.encode)
)
def test_any_bytes_are_settings_or_an_error(content: bytes) -> None:
    with contextlib.suppress(ExperimentError):
        read_settings(content, "experiment.yaml")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a1", "a2", "b1"):
        write_video(tmp_path / f"{name}.mkv", noise(6))
    (tmp_path / "broken.mp4").touch()
    return tmp_path


def test_clips_come_with_their_timing_and_without_the_skipped(folder: Path) -> None:
    experiment = written(
        folder, "time_scale: 0.5\nclips: {a2: {role: skip}, b1: {fps: 10}, broken: {role: test}}\n"
    )
    clips = open_clips(experiment)
    assert [(source.name, source.info.rate) for source in clips] == [("a1", pytest.approx(60)), ("b1", 20)]
    assert {skipped.name for skipped in clips.skipped} == {"a2", "broken"}


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("clips:\n  a3: {role: test}\n", 2, 3, "there is no clip 'a3'"),
        ("train: [a1, 'c*']\n", 1, 13, "there is no clip 'c*'"),
        ("train: ['a*']\ntest: [a2, b1]\n", 2, 1, "'a2' is in train and in test"),
    ],
)
def test_names_without_a_clip_are_errors(
    folder: Path, text: str, line: int, column: int, message: str
) -> None:
    with pytest.raises(ExperimentError, match="experiment") as caught:
        open_clips(written(folder, text))
    assert caught.value.position == (line, column)
    assert message in caught.value.message


def test_references_are_interpolated_to_the_frames(folder: Path) -> None:
    time = np.arange(0, 0.5, 0.02)
    rows = [f"a1.mkv,{t},{np.sin(3 * t)}" for t in time] + [f"b1,{t},{t}" for t in time]
    (folder / "reference.csv").write_text("clip,time,state\n" + "\n".join(rows))
    experiment = written(folder, "reference: reference.csv\n")
    clips = open_clips(experiment)
    references = experiment.references(clips)
    assert set(references) == {"a1", "b1"}
    frames = np.array([frame for frame, _ in clips[0].read()])
    assert np.allclose(references["a1"].at(frames), np.sin(3 * frames), atol=1e-5)
    outside = references["a1"].at(np.array([-0.1, 0.1, 0.7]))
    assert list(np.isnan(outside)) == [True, False, True]


def test_a_gap_in_the_reference_is_not_filled(folder: Path) -> None:
    time = np.array([0, 1, 2, 3, 10, 11, 12]) / 10
    (folder / "r.csv").write_text("clip,time,state\n" + "\n".join(f"a1,{t},{t}" for t in time))
    experiment = written(folder, "reference: r.csv\n")
    reference = experiment.references(open_clips(experiment))["a1"]
    assert list(np.isnan(reference.at(np.array([0.25, 0.6, 1.05])))) == [False, True, False]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("clip,time,state\na1,0,1\na1,x,2\n", "row 2 (line 3), column time: 'x' is not a number"),
        ("clip,time\na1,0\n", "no column for the state"),
        ("clip,time,state\n" + "".join(f"a1,{t},0\n" for t in (0, 1, 1, 2)), "time does not increase"),
        (None, "there is no file r.csv"),
    ],
)
def test_a_wrong_reference_says_where(folder: Path, table: str | None, message: str) -> None:
    if table is not None:
        (folder / "r.csv").write_text(table)
    experiment = written(folder, "reference: r.csv\n")
    with pytest.raises(IdentifyError) as caught:
        experiment.references(open_clips(experiment))
    assert message in str(caught.value)


@pytest.mark.parametrize(("codec", "error"), [("h264", 1e-5), ("ffv1", 4e-3)])
def test_a_simulated_folder_is_read_as_it_was_rendered(tmp_path: Path, codec: str, error: float) -> None:
    """Pixels exactly, states within what the container's rounding of times allows."""
    recording = paper_protocol("side-fall", 3)
    write_recording(recording, tmp_path, codec)
    experiment = read_experiment(tmp_path)
    clips = open_clips(experiment)
    references = experiment.references(clips)
    assert dict(experiment.settings.truth) == pytest.approx(dict(recording.truth))
    assert {source.name for source in clips} == {shot.name for shot in recording.shots}
    for shot in recording.shots[:4]:
        source = next(source for source in clips if source.name == shot.name)
        found = list(source.read(colour=shot.frames.ndim == 4))
        assert np.array_equal([pixels for _, pixels in found], shot.frames)
        states = references[shot.name].at(np.array([time for time, _ in found]))
        assert np.allclose(states, shot.state, atol=error)
        assert experiment.role(shot.name) == shot.role


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ({"law": "z''+d*z'+a*z=0"}, True),
        ({"law": "z''+d*z'+c*z**3=0"}, False),
        ({"family": "lti"}, False),
        ({"crop": [0, 0, 9, 9]}, True),
    ],
)
def test_conditions_belong_to_the_law_of_the_file(
    tmp_path: Path, typed: dict[str, object], kept: bool
) -> None:
    written(tmp_path, WHOLE)
    settings = read_experiment(tmp_path, **typed).settings
    assert (settings.assume, settings.domain) == ((["a > 0", "d > 0"], ["z > -1"]) if kept else ([], []))
