"""A process that does one task after another: a line of JSON in, a line of JSON out.

    python -m identify.sweep.serve

Started by ``Worker`` with one thread for each numerical library.  It ends as soon as whoever started it
is gone, so that a killed driver leaves nothing running.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from identify.errors import IdentifyError
from identify.sweep.row import Row, done, failed
from identify.sweep.task import KINDS, Task

Job = Callable[[Mapping[str, Any]], Mapping[str, Any]]


def main() -> None:
    """Answer every task on standard input until it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started the process ends it
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints must not be taken for an answer
    waiting: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(waiting,), daemon=True).start()
    while True:
        row = perform(Task.read(waiting.get()))
        answers.write(json.dumps(row, allow_nan=False) + "\n")
        answers.flush()


def perform(task: Task) -> Row:
    """The row of a task; an error is a row as well."""
    from identify.fit.versions import versions

    wall, cpu = time.perf_counter(), time.process_time()
    words: str | None = None
    result: Mapping[str, Any] = {}
    try:
        result = _job(task.kind)(task.settings)
    except IdentifyError as error:
        words = str(error)
    except Exception as error:  # noqa: BLE001 - a failure is a row, not a crash
        words = _internal(error)
    spent = {
        "cpu_seconds": round(time.process_time() - cpu, 4),
        "wall_seconds": round(time.perf_counter() - wall, 4),
        "versions": versions(),
    }
    return done(task, result, **spent) if words is None else failed(task, words, **spent)


def _job(kind: str) -> Job:
    module, _, name = KINDS.get(kind, kind).partition(":")
    job: Job = getattr(import_module(module), name)
    return job


def _internal(error: Exception) -> str:
    """The error and where in the code it came from."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    where = f" ({os.path.basename(at.tb_frame.f_code.co_filename)}, line {at.tb_lineno})" if at else ""
    return f"internal error: {type(error).__name__}: {' '.join(str(error).split())[:500]}{where}"


def _listen(waiting: queue.SimpleQueue[str]) -> None:
    """Pass tasks on; at the end of the input end the process, whatever it is doing."""
    for line in sys.stdin:
        waiting.put(line)
    os._exit(0)


if __name__ == "__main__":
    main()
