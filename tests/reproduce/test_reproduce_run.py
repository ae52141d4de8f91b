"""From the command to tables, pictures and record; tiny cohorts of the cheapest experiments."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from identify.command.program import app
from identify.reproduce import canonical, coverage, fitting, overhead_fall
from identify.reproduce.experiments import EXPERIMENTS
from identify.reproduce.figures import PICTURES, draw
from identify.reproduce.plan import Cohort, Plan
from identify.reproduce.position import fit_position
from identify.reproduce.readout import affine, binned, coordinate_error, relative_error
from identify.reproduce.run import RECORD, STORE
from identify.scene.collection import Ask
from identify.scene.projection import release_frames
from identify.scene.protocol import paper_protocol
from tests.reproduce.reproduce_rows import RESULTS, rows_of

runner = CliRunner()


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_pictures_are_written(name: str, tmp_path: Path) -> None:
    result = dict(RESULTS[name])
    written = draw(name, rows_of(EXPERIMENTS[name], Plan(Cohort(2, 1)), result), tmp_path)
    assert len(written) == 2 * len(PICTURES[name])
    for file in written:
        head = (tmp_path / file).read_bytes()[:200]
        assert head.startswith(b"\x89PNG") or b"<?xml" in head


def test_pictures_do_without_fits_that_gave_nothing(tmp_path: Path) -> None:
    for name, experiment in EXPERIMENTS.items():
        draw(name, rows_of(experiment, Plan(Cohort(1, 1)), {"accepted": False, "rank": 1}), tmp_path)


def test_a_run_resumes_and_its_record_says_what_made_it(tmp_path: Path) -> None:
    command = ["reproduce", "side-fall", "--cohort", "1x1", "--jobs", "1", "--out", str(tmp_path)]
    first = runner.invoke(app, [*command, "--check"])
    assert first.exit_code == 0, first.output
    assert "tab:exp-real-parameters" in first.stdout
    record = json.loads((tmp_path / RECORD).read_text())
    assert record["schema"] == "identify/reproduce/1"
    assert record["fits"][0]["task"]["seed"] == 0
    assert record["versions"][0]["identify"]
    assert abs(record["fits"][0]["g"] - 9.81) < 0.02 * 9.81
    assert (tmp_path / "side-fall.png").exists()
    again = runner.invoke(app, [*command, "--resume", "--json", "--no-pictures"])
    assert again.exit_code == 0, again.output
    assert json.loads(again.stdout)["fits"] == record["fits"]  # the very rows, with the time they took
    assert (tmp_path / STORE).exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["seven-family"], "no table"),
        (["six-family", "--cohort", "many"], "no cohort"),
        (["six-family", "--method", "best"], "no method"),
        (["pendulum-real", "--videos", "no-such-folder"], "no folder"),
        (["six-family", "--jobs", "1", "--scheduler", "tcp://host:1"], "--jobs"),
    ],
)
def test_bad_input_is_told(arguments: list[str], told: str, tmp_path: Path) -> None:
    result = runner.invoke(app, ["reproduce", *arguments, "--out", str(tmp_path / "out")])
    assert result.exit_code == 2
    assert told in result.output


@pytest.mark.parametrize(
    ("design", "rank"), [("one-way-1", 1), ("one-way-6", 3), ("two-way-1", 2), ("two-way-2", 4)]
)
def test_the_rank_is_known_before_any_fit(design: str, rank: int) -> None:
    recording = paper_protocol(design, 1, Ask(size=(16, 16)))
    assert coverage.least_rank(recording) == rank


def test_rho_is_found_from_a_start_that_the_paper_missed() -> None:
    row = overhead_fall.fit(
        {
            "experiment": "overhead-fall",
            "collection": 0,
            "group": "IC5",
            "start": 3.0,
            "method": "default",
            "seed": 0,
        }
    )
    assert row["rho"] == pytest.approx(2.0, rel=0.01)
    assert row["g"] == pytest.approx(9.81, rel=0.02)
    assert row["canonical"] < 5.57 / 2


def test_the_conventional_tracker_finds_gravity_where_the_picture_is_straight() -> None:
    recording = paper_protocol("side-fall", 0, Ask(clips=4))
    view = fitting.whole(fitting.film(shot) for shot in recording.shots)
    fitted = fit_position(fitting.law_of(recording), view)
    scale = affine(*fitting.used(fitted.tracks("train"))).slope
    assert fitted.parameters()["A"] / scale == pytest.approx(9.81, rel=0.02)


def test_release_frames_are_those_of_the_recordings() -> None:
    frames, heights = release_frames(0, Ask())
    again, _ = release_frames(0, Ask())
    assert frames.shape == (7, 64, 64)
    assert sorted(heights) == [1.0, 1.0, 1.2, 1.2, 1.4, 1.4, 1.4]
    assert np.array_equal(frames, again)
    bright = frames.astype(float).sum((1, 2))  # the ball grows towards the camera
    assert bright[heights == 1.4].min() > bright[heights == 1.0].max()


def test_controls_pass_as_often_as_they_say() -> None:
    for control, (angles, passages, renderings) in canonical.CONTROLS.items():
        shots = [s for s in canonical.control_recording(control, 0).shots if s.role == "train"]
        assert len(shots) == len(angles) * renderings
        for shot in shots:
            assert shot.physical is not None
            crossings = np.count_nonzero(np.diff(np.sign(shot.physical)))
            assert crossings == passages


def test_readouts_take_back_what_an_affine_map_did() -> None:
    q = np.linspace(-1, 2, 40)
    found = affine(q, 3 * q - 5)
    assert np.allclose(found.back(3 * q - 5), q)
    assert coordinate_error([(q, q)]) == pytest.approx(0.0)
    assert coordinate_error([(q + 0.1 * np.std(q), q)]) == pytest.approx(10.0)
    assert coordinate_error([]) is None
    assert relative_error(1.02 * q, q) == pytest.approx(2.0)
    assert len(binned(q, q, 4)) == 4
