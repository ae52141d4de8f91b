"""``identify simulate``: a folder to fit, or a refusal in words."""

from __future__ import annotations

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

pytest.importorskip("av")
pytest.importorskip("matplotlib")

from identify.command.simulate import simulate
from identify.scene.video import read_video

app = typer.Typer()
app.command()(simulate)
SMALL = ["--size", "16", "--duration", "0.5"]


def run(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments])


def test_an_experiment_of_the_paper(tmp_path):
    """The command writes the folder, names what is in it and says what comes next."""
    out = tmp_path / "clips"
    result = run("cubic", out, *SMALL, "--clips", 2, "--seed", 3)
    assert result.exit_code == 0
    assert f"next: identify fit {out}" in result.stdout
    assert "2 to train on, 4 to test on; 31 frames, 16 x 16" in result.stdout
    assert "6 clips written" in result.stderr
    assert len(list(out.glob("*.mp4"))) == 6
    again = tmp_path / "again"
    assert run("cubic", again, *SMALL, "--clips", 2, "--seed", 3).exit_code == 0
    for clip in out.glob("*.mp4"):
        assert np.array_equal(read_video(clip)[0], read_video(again / clip.name)[0])
    assert (out / "truth.csv").read_bytes() == (again / "truth.csv").read_bytes()


def test_a_law(tmp_path):
    """A law with its own values and states; the folder is then the only argument."""
    law = "q''+d*q'+a*q=0"
    given = ["--law", law, "--parameters", "d=0.1,a=20", "--initial=-1,0", "--initial", "0,3"]
    result = run(tmp_path / "a b", *given, *SMALL, "--codec", "ffv1", "--colour", "--blur", "0.5")
    assert result.exit_code == 0
    assert f"identify fit '{tmp_path / 'a b'}'" in result.stdout
    frames, _ = read_video(tmp_path / "a b" / "train-02.mkv")
    assert frames.shape == (31, 16, 16, 3)
    assert f'law: "{law}"' in (tmp_path / "a b" / "experiment.yaml").read_text(encoding="utf-8")


def test_a_family(tmp_path):
    """A family of the catalogue with its example values, and with others."""
    assert run("helmholtz", tmp_path / "one", "--size", 16, "--clips", 2).exit_code == 0
    result = run("lti", tmp_path / "two", "--parameters", "d=0.3,a=9", "--size", 16, "--clips", 1)
    assert result.exit_code == 0
    assert "truth: {d: 0.3, a: 9}" in (tmp_path / "two" / "experiment.yaml").read_text(encoding="utf-8")


def test_force(tmp_path):
    """A folder with something in it is written to with --force only."""
    (tmp_path / "mine").write_text("", encoding="utf-8")
    refused = run("cubic", tmp_path, *SMALL, "--clips", 1)
    assert refused.exit_code == 2
    assert "--force" in refused.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["mine"]
    assert run("cubic", tmp_path, *SMALL, "--clips", 1, "--force").exit_code == 0
    assert (tmp_path / "mine").exists()


HOSTILE = [
    ([], "which family"),
    (["cubic"], "where to"),
    (["--law", "z''+z=0"], "where to"),
    (["no-such-family", "OUT"], "no family"),
    (["../no/such/file", "OUT"], "no file"),
    (["cubic", "OUT", "--law", "z''+z=0"], "contradict"),
    (["cubic", "OUT", "--size", "9"], "16 to 1080"),
    (["cubic", "OUT", "--size", "64x"], "no size"),
    (["cubic", "OUT", "--size", "999999999999"], "no size"),
    (["cubic", "OUT", "--size", "1080"], "2 GB"),
    (["cubic", "OUT", "--rate", "0"], "positive"),
    (["cubic", "OUT", "--rate", "nan"], "positive"),
    (["cubic", "OUT", "--duration", "inf"], "positive"),
    (["cubic", "OUT", "--duration", "1e9"], "at most"),
    (["cubic", "OUT", "--rate", "1e6", "--duration", "1e-3"], "at most"),
    (["cubic", "OUT", "--codec", "mpeg"], "codec"),
    (["cubic", "OUT", "--initial", "1,0"], "--law"),
    (["side-fall", "OUT", "--duration", "2"], "--duration"),
    (["helmholtz", "OUT", "--assume", "a > 0"], "--law"),
    (["helmholtz", "OUT", "--scene", "moon"], "scene"),
    (["OUT", "--law", "z''+a*z=0", "--parameters", "a=x"], "error"),
    (["OUT", "--law", "__import__('os')=0"], "error"),
    (["OUT", "--law", "z''+z=0", "--initial", "1"], "2 numbers"),
    (["OUT", "--law", "z''=-1", "--domain", "z > 0", "--initial=-1,0"], "domain"),
    (["josephson-junction", "OUT"], "camera"),
]


@pytest.mark.parametrize(("arguments", "words"), HOSTILE, ids=lambda value: str(value)[:40])
def test_refusals(arguments, words, tmp_path):
    """What cannot be is refused in words, with nothing written and no traceback."""
    out = tmp_path / "out"
    result = run(*[str(out) if a == "OUT" else a for a in arguments])
    assert result.exit_code == 2
    assert words in result.stderr
    assert "Traceback" not in result.stderr
    assert not out.exists()


def test_a_folder_that_cannot_be_written(tmp_path):
    """A path below a file is refused in words."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    result = run("cubic", tmp_path / "file" / "out", *SMALL, "--clips", 1)
    assert result.exit_code == 2
    assert "cannot write" in result.stderr
