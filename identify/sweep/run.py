"""``tasks -> rows``: what the store does not have is run, here or on a cluster, and kept as it comes."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from identify.sweep.local import Started, run_local
from identify.sweep.row import Row
from identify.sweep.store import Store
from identify.sweep.task import Task


@dataclass(frozen=True)
class Step:
    """What just happened to a task: it was in the store already, was started, or has its row."""

    what: Literal["known", "started", "finished"]
    task: Task
    row: Row | None = None


Progress = Callable[[Step], object]


def run_tasks(
    tasks: Sequence[Task],
    store: Store | Path,
    jobs: int | None = None,
    scheduler: str | None = None,
    resume: bool = True,
    progress: Progress | None = None,
) -> list[Row]:
    """The rows of the tasks in their order; with ``resume`` those that are done come from the store.

    ``jobs`` are processes of this machine, one for each core unless told otherwise; ``scheduler`` is the
    address of a Dask cluster, which then does the work.  A task that fails has a row that says so; it is
    tried again the next time.  An interrupt leaves the store with everything that was finished.
    """
    if isinstance(store, Store):
        return _run(tasks, store, jobs or cores(), scheduler, resume, progress or _silent)
    with Store(store) as opened:
        return _run(tasks, opened, jobs or cores(), scheduler, resume, progress or _silent)


def cores() -> int:
    """The cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


def _run(
    tasks: Sequence[Task], store: Store, jobs: int, scheduler: str | None, resume: bool, progress: Progress
) -> list[Row]:
    by_key = {task.key: task for task in tasks}
    known = {key: row for key, row in store.done().items() if key in by_key} if resume else {}
    for key, row in known.items():
        progress(Step("known", by_key[key], row))
    left = [task for key, task in by_key.items() if key not in known]
    with closing(_rows(left, jobs, scheduler, lambda task: progress(Step("started", task)))) as rows:
        for row in rows:
            known[row["key"]] = kept = store.add(row)
            progress(Step("finished", by_key[row["key"]], kept))
    return [known[task.key] for task in tasks]


def _rows(
    tasks: Sequence[Task], jobs: int, scheduler: str | None, started: Started
) -> Generator[Row, None, None]:
    if not tasks:
        return
    if scheduler is None:
        yield from run_local(tasks, jobs, started)
        return
    from identify.sweep.cluster import run_cluster

    yield from run_cluster(tasks, scheduler, started)


def _silent(step: Step) -> None:
    pass
