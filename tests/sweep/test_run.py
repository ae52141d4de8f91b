"""No finished task is lost and none is done twice, whoever is killed; failures are rows."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from identify.sweep.row import same
from identify.sweep.run import Step, run_tasks
from identify.sweep.store import Store
from identify.sweep.task import Task
from identify.sweep.worker import RETRIES

DRIVER = """
import signal
import sys
from pathlib import Path
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background would ignore it
from identify.sweep.run import run_tasks
from identify.sweep.task import Task
folder = Path(sys.argv[1])
log = str(folder / "log")
tasks = [Task("sweep_jobs:square", {"number": n, "log": log, "seconds": 0.1}) for n in range(40)]
run_tasks(tasks, folder / "store.sqlite", jobs=2)
"""


def squares(log: Path, count: int, **more: float) -> list[Task]:
    return [Task("sweep_jobs:square", {"number": n, "log": str(log), **more}) for n in range(count)]


def lines(log: Path) -> list[str]:
    return log.read_text().splitlines() if log.exists() else []


def until(true: Callable[[], object], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)


def test_rows_come_in_the_order_of_the_tasks_and_are_kept(tmp_path: Path) -> None:
    tasks = squares(tmp_path / "log", 7)
    steps: list[Step] = []
    rows = run_tasks(tasks, tmp_path / "store", jobs=2, progress=steps.append)
    assert [row["square"] for row in rows] == [n * n for n in range(7)]
    assert [row["key"] for row in rows] == [task.key for task in tasks]
    assert all(row["nothing"] is None and row["threads"] == "1" and row["attempts"] == 1 for row in rows)
    assert sorted(step.what for step in steps) == ["finished"] * 7 + ["started"] * 7
    with Store(tmp_path / "store", make=False) as store:
        assert {row["key"]: row for row in store.rows()} == {row["key"]: row for row in rows}


def test_what_is_done_is_not_done_again_unless_asked(tmp_path: Path) -> None:
    log, store = tmp_path / "log", tmp_path / "store"
    run_tasks(squares(log, 2), store, jobs=1)
    steps: list[Step] = []
    rows = run_tasks(squares(log, 3), store, jobs=1, progress=steps.append)
    assert lines(log) == ["0", "1", "2"]
    assert [step.what for step in steps] == ["known", "known", "started", "finished"]
    again = run_tasks(squares(log, 3), store, jobs=1, resume=False)
    assert len(lines(log)) == 6
    assert all(map(same, rows, again))


def test_failures_are_rows_and_are_tried_again(tmp_path: Path) -> None:
    tasks = [Task(f"sweep_jobs:{name}", {}) for name in ("refuse", "stumble", "missing")]
    good = squares(tmp_path / "log", 1)
    rows = run_tasks([*tasks, *good], tmp_path / "store", jobs=1)
    assert [row["outcome"] for row in rows] == ["failed"] * 3 + ["done"]
    assert rows[0]["failure"] == "this cannot be done\nhint: do something else"
    assert rows[1]["failure"].startswith("internal error: ZeroDivisionError: one over nothing (sweep_jobs.py")
    steps: list[Step] = []
    run_tasks([*tasks, *good], tmp_path / "store", jobs=1, progress=steps.append)
    assert sorted(step.what for step in steps) == ["finished"] * 3 + ["known"] + ["started"] * 3


def test_a_killed_worker_is_noticed_and_its_task_retried(tmp_path: Path) -> None:
    """By itself once, from outside once, and without end."""
    once = Task("sweep_jobs:die", {"log": str(tmp_path / "once"), "times": 1})
    always = Task("sweep_jobs:die", {"log": str(tmp_path / "always"), "times": 99})
    outside = Task("sweep_jobs:wait", {"log": str(tmp_path / "outside")})

    def kill(step: Step) -> None:
        if step.what == "started" and step.task is outside:
            until(lambda: lines(tmp_path / "outside"))
            os.kill(int(lines(tmp_path / "outside")[0]), signal.SIGKILL)

    tasks = [once, outside, *squares(tmp_path / "log", 3), always]
    rows = run_tasks(tasks, tmp_path / "store", jobs=2, progress=kill)
    assert [row["outcome"] for row in rows] == ["done"] * 5 + ["failed"]
    assert rows[0]["attempts"] == rows[1]["attempts"] == 2
    assert rows[-1]["attempts"] == len(lines(tmp_path / "always")) == RETRIES + 1
    assert "signal 9" in rows[-1]["failure"]


def test_a_task_that_hangs_is_ended_after_its_limit_and_not_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither a signal of Python nor an end of its input stops it; the same worker's next task is done."""
    monkeypatch.setattr("identify.sweep.worker.GRACE", 0.5)
    hung = Task("sweep_jobs:hang", {"log": str(tmp_path / "hung"), "time_limit": 1.5})
    rows = run_tasks([hung, *squares(tmp_path / "log", 1, time_limit=60)], tmp_path / "store", jobs=1)
    assert [row["outcome"] for row in rows] == ["failed", "done"]
    assert rows[0]["failure"] == "it was ended 0.5 s after its time limit of 1.5 s"
    assert rows[0]["attempts"] == 1
    assert len(lines(tmp_path / "hung")) <= 1  # a slow start may not have come so far
    process = lines(tmp_path / "hung")
    assert not process or not Path(f"/proc/{process[0]}").exists()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_driver_that_is_killed_has_lost_nothing_that_was_finished(tmp_path: Path, number: int) -> None:
    log, place = tmp_path / "log", tmp_path / "store.sqlite"
    driver = subprocess.Popen([sys.executable, "-c", DRIVER, str(tmp_path)], stderr=subprocess.DEVNULL)
    until(lambda: len(lines(log)) >= 6)
    driver.send_signal(number)
    driver.wait()
    with Store(place, make=False) as store:
        kept = list(store.rows())
    finished = len(lines(log))
    # A task that was finished in the moment of the kill may still be on its way: one for each worker.
    assert finished - 2 <= len(kept) <= finished < 40
    time.sleep(0.5)
    assert len(lines(log)) <= finished + 2, "the workers went on"
    tasks = squares(log, 40, seconds=0.1)
    rows = run_tasks(tasks, place, jobs=2)
    assert [row["square"] for row in rows] == [n * n for n in range(40)]
    assert all(row in rows for row in kept)
    assert len(lines(log)) <= 40 + 4
