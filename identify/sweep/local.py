"""Tasks on this machine: a few workers, each asked by a thread of its own."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence

from identify.sweep.row import Row
from identify.sweep.task import Task
from identify.sweep.worker import Worker

Started = Callable[[Task], object]


def run_local(tasks: Sequence[Task], jobs: int, started: Started) -> Iterator[Row]:
    """The rows of the tasks as they come; closing the iterator ends the processes."""
    pool = _Pool(tasks, max(1, min(jobs, len(tasks))))
    try:
        yield from pool.rows(started)
    finally:
        pool.close()


class _Pool:
    def __init__(self, tasks: Sequence[Task], jobs: int) -> None:
        self.waiting = deque(tasks)
        self.heard: queue.SimpleQueue[Task | Row | BaseException] = queue.SimpleQueue()
        self.workers = [Worker() for _ in range(jobs)]
        self.threads = [threading.Thread(target=self._serve, args=(w,), daemon=True) for w in self.workers]

    def rows(self, started: Started) -> Iterator[Row]:
        """Everything the threads hear, until all tasks are answered."""
        left = len(self.waiting)
        for thread in self.threads:
            thread.start()
        while left:
            message = self.heard.get()
            if isinstance(message, Task):
                started(message)
            elif isinstance(message, BaseException):
                raise message
            else:
                left -= 1
                yield message

    def _serve(self, worker: Worker) -> None:
        try:
            while True:
                try:
                    task = self.waiting.popleft()
                except IndexError:
                    return
                self.heard.put(task)
                row = worker.run(task)
                if row is None:
                    return
                self.heard.put(row)
        except BaseException as error:  # noqa: BLE001 - told to the thread that waits, such as a full disk
            self.heard.put(error)
        finally:
            worker.end()

    def close(self) -> None:
        self.waiting.clear()
        for worker in self.workers:
            worker.close()
        for thread in self.threads:
            if thread.ident is not None:
                thread.join()
