"""Tasks on a Dask cluster: its workers each start the same process that a sweep on one machine uses."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from identify.errors import IdentifyError, InputError
from identify.sweep.local import Started
from identify.sweep.row import Row, failed
from identify.sweep.task import Task
from identify.sweep.worker import Worker

_PATIENCE = 15.0  # seconds to find the scheduler
_AHEAD = 2  # tasks for each thread of the cluster that wait there, so that none is idle
_own = threading.local()


class LostCluster(IdentifyError):
    """The scheduler went away: what was finished is in the store."""

    exit_code = 3


def run_cluster(tasks: Sequence[Task], address: str, started: Started) -> Iterator[Row]:
    """The rows of the tasks as they come from the cluster; closing the iterator cancels the rest."""
    from identify.motion.extra import need

    need("--scheduler", "distributed", extra="cluster")
    client = _client(address)
    try:
        yield from _rows(client, tasks, started)
    finally:
        client.close()  # the scheduler forgets what nobody waits for


def _client(address: str) -> Any:
    from distributed import Client

    try:
        return Client(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        words = " ".join(str(error).split())[:200]
        hint = "start one with: dask scheduler; then dask worker ADDRESS"
        raise InputError(f"no Dask scheduler answers at {address[:200]}: {words}", hint=hint) from None


def _rows(client: Any, tasks: Sequence[Task], started: Started) -> Iterator[Row]:
    """Few tasks ahead of what is running: the scheduler's memory stays small, and workers may join."""
    from distributed import as_completed

    waiting = iter(tasks)
    sent: dict[str, Task] = {}
    running = as_completed([], loop=client.loop)

    def send(count: int) -> None:
        for task in islice(waiting, count):
            future = client.submit(perform, task.text, key=f"identify-{task.key}", pure=False)
            sent[future.key] = task
            running.add(future)
            started(task)

    send(_room(client))
    for future in running:
        task = sent.pop(future.key)
        yield _answer(future, task)
        send(max(0, _room(client) - len(sent)))


def _room(client: Any) -> int:
    threads: int = sum(client.nthreads().values())
    return max(1, threads) * (1 + _AHEAD)


def _answer(future: Any, task: Task) -> Row:
    """The row; a worker that died with it too often is a failure, a lost scheduler ends the run."""
    if future.status == "finished":
        row: Row = future.result()
        return row
    if future.status == "error":
        error = future.exception()
        words = " ".join(str(error).split())[:500]
        return failed(task, f"the cluster gave it up: {type(error).__name__}: {words}")
    raise LostCluster("the Dask scheduler is gone\nhint: run the same command again; it resumes")


def perform(text: str) -> Row | None:
    """On the cluster: the row of a task, from a process that belongs to this thread."""
    if not hasattr(_own, "worker"):
        _own.worker = Worker()
    worker: Worker = _own.worker
    return worker.run(Task.read(text))
