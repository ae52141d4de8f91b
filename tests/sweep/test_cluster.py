"""A real Dask scheduler with four workers gives what processes give, to the last digit."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from identify.errors import InputError
from identify.sweep.row import same
from identify.sweep.run import run_tasks
from identify.sweep.simulated import Simulated
from identify.sweep.task import Task

pytest.importorskip("torch")
pytest.importorskip("distributed")

SPRING = "z''+d*z'+a*z=0"


def small(collection: int, **more: Any) -> Task:
    camera = {"clips": 2, "size": (24, 24), "rate": 20.0, "look": {"noise": 0.005}}
    return Simulated(
        law=SPRING, parameters={"d": 0.3, "a": 4.0}, collection=collection, **camera, **more
    ).task()


@contextmanager
def cluster(folder: Path, workers: int) -> Iterator[tuple[str, list[int]]]:
    """The address of a scheduler on this machine, and the processes of its workers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    dask = [
        sys.executable,
        "-m",
        "distributed.cli.dask_scheduler",
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
    ]
    worker = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--no-nanny", "--nthreads", "1"]
    place = ["--local-directory", str(folder)]
    commands = [[*dask, "--no-dashboard"], *[[*worker, *place, "--no-dashboard"]] * workers]
    with (folder / "dask.log").open("w") as log:
        started = [subprocess.Popen(c, stdout=log, stderr=log, cwd=folder) for c in commands]
        try:
            yield address, [process.pid for process in started[1:]]
        finally:
            for process in reversed(started):
                process.kill()
                process.wait()


def test_four_workers_give_the_rows_of_one_machine_to_the_last_digit(tmp_path: Path) -> None:
    tasks = [small(c) for c in range(3)] + [small(0, method="paper", updates=3)]
    with cluster(tmp_path, 4) as (address, _):
        far = run_tasks(tasks, tmp_path / "far", scheduler=address)
    near = run_tasks(tasks, tmp_path / "near", jobs=1)
    assert [row["failure"] for row in near] == [None] * 4
    assert all(row["e_theta"] is not None for row in near)
    for one, other in zip(far, near, strict=True):
        assert same(one, other), {k: (one[k], other[k]) for k in one if one[k] != other.get(k)}


def test_a_killed_worker_of_the_cluster_loses_nothing(tmp_path: Path) -> None:
    log = tmp_path / "log"
    tasks = [Task("sweep_jobs:square", {"number": n, "log": str(log), "seconds": 0.2}) for n in range(12)]
    with cluster(tmp_path, 2) as (address, workers):
        finished = 0

        def kill(step: object) -> None:
            nonlocal finished
            finished += getattr(step, "what", "") == "finished"
            if finished == 3:
                os.kill(workers[0], signal.SIGKILL)

        rows = run_tasks(
            [*tasks, Task("sweep_jobs:refuse", {})], tmp_path / "s", scheduler=address, progress=kill
        )
    assert [row.get("square") for row in rows] == [*(n * n for n in range(12)), None]
    assert rows[-1]["failure"].startswith("this cannot be done")


def test_a_scheduler_that_does_not_answer_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from identify.sweep import cluster as module

    monkeypatch.setattr(module, "_PATIENCE", 0.5)
    for address in ("tcp://127.0.0.1:9", "nonsense://x", "tcp://127.0.0.1:notaport"):
        with pytest.raises(InputError, match="no Dask scheduler answers"):
            run_tasks([Task("sweep_jobs:refuse", {})], tmp_path / "s", scheduler=address)


def test_a_process_ends_with_the_one_that_started_it(tmp_path: Path) -> None:
    """So a killed worker of a cluster leaves no fit running beside the one that replaces it."""
    log = tmp_path / "log"
    text = Task("sweep_jobs:wait", {"log": str(log)}).text
    program = f"from identify.sweep.cluster import perform; perform({text!r})"
    parent = subprocess.Popen([sys.executable, "-c", program])
    end = time.monotonic() + 60
    while not (log.exists() and log.read_text()) and time.monotonic() < end:
        time.sleep(0.05)
    child = int(log.read_text())
    parent.kill()
    parent.wait()
    with suppress(ProcessLookupError):
        while time.monotonic() < end:
            os.kill(child, 0)
            if _is_zombie(child):  # in a container nobody may collect it
                return
            time.sleep(0.05)
        pytest.fail("the process went on")


def _is_zombie(process: int) -> bool:
    status = Path(f"/proc/{process}/stat")
    return status.exists() and status.read_text().rsplit(")", 1)[1].split()[0] == "Z"
