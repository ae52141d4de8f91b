"""``identify sweep``: the summary, the documents and the exit codes."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("torch")

from identify.command import main
from identify.sweep.row import done, failed
from identify.sweep.store import Store
from identify.sweep.task import Task

SPEC = """
title: Springs
grids:
  - laws:
      law: "z''+d*z'+a*z=0"
      parameters: {d: 0.3, a: 4}
    clips: 2
    size: 24
    rate: 20
    collections: 0:2
"""


def run(*arguments: object) -> int:
    with pytest.raises(SystemExit) as leaving:
        main([str(argument) for argument in arguments])
    return int(leaving.value.code or 0)


def test_fits_are_run_summarised_exported_and_resumed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec, store, table = tmp_path / "springs.yaml", tmp_path / "springs.sqlite", tmp_path / "springs.csv"
    spec.write_text(SPEC)
    assert run("sweep", spec, "--dry-run") == 0
    assert not store.exists()
    listed = capsys.readouterr().out.splitlines()
    assert len(listed) == 2
    assert "collection 1" in listed[1]
    assert run("sweep", spec, "--jobs", 1, "--export", table) == 0
    told = capsys.readouterr()
    assert "2 of 2 fits done, 0 failed" in told.out
    assert "2/2 z''+d*z'+a*z=0" in told.err
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert [row["key"] for row in rows] == [line.split()[0] for line in listed]
    assert all(abs(float(row["parameters.a.value"]) / 4 - 1) < 0.05 for row in rows)
    assert all(float(row["parameters.a.se"]) > 0 and row["parameters.a.truth"] == "4.0" for row in rows)
    assert run("sweep", spec, "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "identify/sweep/1"
    assert (document["tasks"], document["done"], document["known"], document["failed"]) == (2, 2, 2, 0)
    assert document["groups"][0]["e_theta"] < 5
    assert run("sweep", "--show", store, "--export", tmp_path / "s.parquet") == 0
    import pyarrow.parquet

    assert pyarrow.parquet.read_table(tmp_path / "s.parquet").num_rows == 2


def test_failures_and_mixed_versions_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Store(tmp_path / "s") as store:
        store.add(done(Task("simulated", {"law": "A"}), {"accepted": True}, versions={"torch": "1"}))
        store.add(done(Task("simulated", {"law": "B"}), {"accepted": False}, versions={"torch": "2"}))
        store.add(failed(Task("simulated", {"law": "C"}), "it burst"))
    assert run("sweep", "--show", tmp_path / "s") == 3
    told = capsys.readouterr()
    assert "2 of 3 fits done" in told.out
    assert "it burst" in told.err
    assert "different versions" in told.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "give a file of grids"),
        (["none.yaml"], "cannot be read"),
        (["--show", "none"], "there is no store"),
        (["SPEC", "--export", "x.xlsx"], ".csv or .parquet"),
        (["SPEC", "--scheduler", "tcp://x:1", "--jobs", "2"], "the cluster decides"),
        (["SPEC", "--show", "none"], "give a file of grids"),
        (["SPEC", "--store", "/nowhere/x"], "cannot use the store"),
    ],
)
def test_bad_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    (tmp_path / "spec.yaml").write_text(SPEC)
    given = [str(tmp_path / "spec.yaml") if a == "SPEC" else a for a in arguments]
    assert run("sweep", *given) == 2
    assert words in capsys.readouterr().err


def test_an_interrupt_leaves_a_usable_store(tmp_path: Path) -> None:
    spec, store = tmp_path / "spec.yaml", tmp_path / "spec.sqlite"
    spec.write_text(SPEC.replace("0:2", "0:500"))
    heard = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"  # ignored in background
    program = f"{heard}; from identify.command import main; main()"
    command = [sys.executable, "-c", program, "sweep", str(spec), "--jobs", "1"]
    driver = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ
    )
    assert driver.stderr is not None
    assert driver.stderr.readline().startswith("1/500")
    driver.send_signal(signal.SIGINT)
    start = time.monotonic()
    _, told = driver.communicate(timeout=60)
    assert time.monotonic() - start < 30
    assert driver.returncode == 130
    assert "the same command goes on" in told
    with Store(store, make=False) as opened:
        assert 1 <= len(opened.done()) < 500


def test_folders_of_clips_are_fitted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("av")
    options = ["--clips", 2, "--size", 24, "--rate", 20, "--parameters", "d=0.3,a=4"]
    assert run("simulate", tmp_path / "clips", "--law", "z''+d*z'+a*z=0", *options) == 0
    (tmp_path / "bad").mkdir()
    (tmp_path / "spec.yaml").write_text("grids:\n  - videos: [clips, bad]\n")
    capsys.readouterr()
    assert run("sweep", tmp_path / "spec.yaml", "--jobs", 1, "--json") == 3
    document = json.loads(capsys.readouterr().out)
    assert (document["done"], document["failed"]) == (1, 1)
    assert "which law?" in document["failures"][0]["failure"]
    with Store(tmp_path / "spec.sqlite", make=False) as store:
        (row,) = store.done().values()
    assert row["accepted"]
    assert abs(row["parameters"]["a"]["value"] / 4 - 1) < 0.05


def test_more_frames_than_a_machine_holds_are_a_failure_and_not_a_crash() -> None:
    from identify.sweep.serve import perform
    from identify.sweep.simulated import Simulated

    row = perform(Simulated(experiment="cubic", rate=1000.0, duration=1e6).task())
    assert row["outcome"] == "failed"
    assert "at most 20000 frames" in row["failure"]
