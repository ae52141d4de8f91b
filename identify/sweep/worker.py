"""A worker: a process that does tasks, replaced and asked again where it dies, ended where it hangs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from identify.sweep.row import Row, failed
from identify.sweep.task import Task

RETRIES = 3  # of a task whose process died
GRACE = 300.0  # seconds beyond its limit for what a fit does not time: loading, rendering, the analysis
_THREADS = "OMP_NUM_THREADS MKL_NUM_THREADS OPENBLAS_NUM_THREADS VECLIB_MAXIMUM_THREADS NUMEXPR_NUM_THREADS"
_LAST_WORDS = 300  # characters of a dead process that are kept


class Worker:
    """One process with one thread, started with the first task; the same wherever a sweep runs.

    A process that is killed takes only its own task with it: the task is done again, at most ``RETRIES``
    times, and then it is a failure.  A task with a ``time_limit`` that is not over ``GRACE`` seconds after
    it is killed, and is a failure at once: another attempt would hang as well.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._errors: IO[bytes] | None = None
        self._closed = False
        self._late = threading.Event()

    def run(self, task: Task) -> Row | None:
        """The row of the task; None where the worker was closed meanwhile."""
        told = ""
        for attempt in range(1, RETRIES + 2):
            line = self._ask(task)
            if self._closed:
                return None
            if line.endswith("\n"):
                row: Row = json.loads(line)
                return {**row, "attempts": attempt}
            told = self._ended()
            if self._late.is_set():
                words = f"it was ended {GRACE:g} s after its time limit of {task.time_limit:g} s"
                return failed(task, words, attempts=attempt)
        words = f"the process that did it ended {RETRIES + 1} times: {told}"
        return failed(task, words, attempts=RETRIES + 1)

    def close(self) -> None:
        """End the process, whatever it is doing; from any thread."""
        self._closed = True
        if self._process is not None:
            self._process.kill()

    def end(self) -> None:
        """Wait for the process and free its files; from the thread that used it."""
        self.close()
        self._ended()

    def _ask(self, task: Task) -> str:
        """The answer, or a part of it where the process died."""
        process = self._alive()
        assert process.stdin is not None
        assert process.stdout is not None
        with self._deadline(process, task.time_limit):
            with suppress(OSError):
                process.stdin.write(task.text + "\n")
                process.stdin.flush()
            return process.stdout.readline()

    @contextmanager
    def _deadline(self, process: subprocess.Popen[str], limit: float | None) -> Iterator[None]:
        """Kill the process ``GRACE`` after the limit: whatever it is doing, its answer then ends."""
        self._late.clear()
        if limit is None:
            yield
            return

        def end() -> None:
            self._late.set()
            process.kill()

        timer = threading.Timer(min(limit + GRACE, threading.TIMEOUT_MAX), end)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _alive(self) -> subprocess.Popen[str]:
        if self._process is None:
            self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "identify.sweep.serve"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                encoding="utf-8",
                env=environment(),
            )
            if self._closed:  # by another thread, before there was a process to kill
                self._process.kill()
        return self._process

    def _ended(self) -> str:
        """How the process ended; the next task starts another."""
        process, self._process = self._process, None
        if process is None:
            return ""
        process.kill()
        code = process.wait()
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):
                pipe.close()  # type: ignore[union-attr]
        return f"{f'signal {-code}' if code < 0 else f'exit code {code}'}{self._last_words()}"

    def _last_words(self) -> str:
        assert self._errors is not None
        with self._errors as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _LAST_WORDS))
            words = " ".join(file.read().decode("utf-8", "replace").split())
        return f"; its last words: {words}" if words else ""


def environment() -> dict[str, str]:
    """One thread for each library, and one order of sets: both change the last digits of a fit."""
    package = str(Path(__file__).parents[2])
    known = os.environ.get("PYTHONPATH")
    path = os.pathsep.join([known, package] if known else [package])
    return {**os.environ, **dict.fromkeys(_THREADS.split(), "1"), "PYTHONHASHSEED": "0", "PYTHONPATH": path}
