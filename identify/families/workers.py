"""Checks in processes of their own, so that one that takes too long or dies takes nothing with it.

Processes are spawned, not forked: the parent may have threads, and never loads sympy itself.
"""

from __future__ import annotations

import multiprocessing
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from identify.checked import Checked, Finding
from identify.families.task import Task
from identify.isolation import MEMORY, bound

GRACE = 3.0  # seconds beyond the time limit before a process is ended, for the comparison after the analysis

Answer = tuple[Checked, dict[str, str | None]]
_READY = "ready"
_BROKEN = "undecided: the analysis broke down; it may have needed more than {} MB of memory"


def run(tasks: Sequence[Task], jobs: int, memory: int = MEMORY) -> Iterator[tuple[int, Answer]]:
    """The answers to the tasks with their indices, as they come; ``memory`` megabytes to each process."""
    pool = _Pool(tasks, max(1, min(jobs, len(tasks))), memory)
    try:
        yield from pool.answers()
    finally:
        pool.close()


@dataclass
class _Worker:
    process: Any
    pipe: Connection
    task: int | None = None
    ready: bool = False
    deadline: float = float("inf")


class _Pool:
    def __init__(self, tasks: Sequence[Task], jobs: int, memory: int) -> None:
        self.tasks = tasks
        self.waiting = deque(range(len(tasks)))
        self.memory = memory
        self.context = multiprocessing.get_context("spawn")
        self.workers = [self.worker() for _ in range(jobs)] if tasks else []

    def worker(self) -> _Worker:
        here, there = self.context.Pipe()
        process = self.context.Process(target=_serve, args=(there, self.memory), daemon=True)
        process.start()
        there.close()
        return _Worker(process, here)

    def answers(self) -> Iterator[tuple[int, Answer]]:
        for worker in self.workers:
            self.give(worker)
        while any(worker.task is not None for worker in self.workers):
            busy = {worker.pipe: worker for worker in self.workers if worker.task is not None}
            remaining = min(worker.deadline for worker in busy.values()) - time.monotonic()
            for pipe in wait(list(busy), timeout=max(0.0, min(remaining, 60.0))):
                yield from self.hear(busy[pipe])  # type: ignore[index]
            for worker in list(self.workers):
                if worker.task is not None and time.monotonic() > worker.deadline:
                    yield from self.end(worker, "undecided: it took more than the time limit")

    def give(self, worker: _Worker) -> None:
        """The next task; the clock starts when the process has loaded the engine."""
        if not self.waiting:
            worker.task = None
            return
        worker.task = self.waiting.popleft()
        task = self.tasks[worker.task]
        worker.deadline = self.limit(task) if worker.ready else float("inf")
        with suppress(OSError):  # a process that died is noticed when its pipe is read
            worker.pipe.send(task)

    @staticmethod
    def limit(task: Task) -> float:
        return time.monotonic() + task.timeout * 1.25 + GRACE

    def hear(self, worker: _Worker) -> Iterator[tuple[int, Answer]]:
        assert worker.task is not None
        try:
            message = worker.pipe.recv()
        except (EOFError, OSError):
            yield from self.end(worker, _BROKEN.format(self.memory))
            return
        if message == _READY:
            worker.ready, worker.deadline = True, self.limit(self.tasks[worker.task])
            return
        yield worker.task, message
        self.give(worker)

    def end(self, worker: _Worker, message: str) -> Iterator[tuple[int, Answer]]:
        """Give up on a task, and replace its process."""
        assert worker.task is not None
        task = self.tasks[worker.task]
        yield worker.task, (given_up(task, message), {})
        self.stop(worker)
        self.workers.remove(worker)
        if self.waiting:
            fresh = self.worker()
            self.workers.append(fresh)
            self.give(fresh)

    @staticmethod
    def stop(worker: _Worker) -> None:
        worker.pipe.close()
        if worker.process.is_alive():
            worker.process.kill()
        worker.process.join()

    def close(self) -> None:
        for worker in self.workers:
            self.stop(worker)


def given_up(task: Task, message: str) -> Checked:
    """The result of a check that was ended from outside; it points at the law."""
    line, column = 1, 1
    for number, text in enumerate(task.content.decode("utf-8", "replace").splitlines(), 1):
        if text.startswith(("law:", "extends:")):
            line, column = number, text.index(":") + 3
            break
    hint = "give it more time with --timeout, or simplify the law"
    finding = Finding("undecided", message, line, column, "law", hint)
    return Checked(task.path, Path(task.path).stem, "undecided", (finding,), task.timeout)


def _serve(pipe: Connection, memory: int) -> None:
    """A process: load the engine, say so, then answer one task after the other."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends its processes itself
    import identify.engine  # noqa: F401 - loaded before the clock of the first task starts
    from identify.families.checking import check

    bound(memory)
    with suppress(EOFError, OSError):
        pipe.send(_READY)
        while True:
            task = pipe.recv()
            pipe.send(_guarded(check, task))


def _guarded(check: Callable[[Task], Answer], task: Task) -> Answer:
    try:
        return check(task)
    except MemoryError:
        return given_up(task, "undecided: the memory allowed was not enough"), {}
    except Exception as error:  # noqa: BLE001 - an error of the engine must not end the run
        words = " ".join(str(error).split())[:200]
        message = f"undecided, because of an internal error: {type(error).__name__}: {words}"
        return given_up(task, message), {}
