"""Many family files checked: the cache first, then processes for what it does not have."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from identify.checked import Checked, CheckReport, Finding
from identify.families.cache import Cache
from identify.families.task import Task
from identify.isolation import MEMORY

Advance = Callable[[int, int, str], None]


def check_files(
    files: Sequence[Path],
    *,
    jobs: int,
    timeout: float,
    cache: Cache,
    advance: Advance | None = None,
    memory: int = MEMORY,
) -> CheckReport:
    """Check every file; ``advance(done, of, name)`` is called as results come."""
    start = time.monotonic()
    results: list[Checked | None] = []
    tasks: list[Task] = []
    for file in files:
        result, task = _from_cache(file, timeout, cache)
        results.append(result)
        if task is not None:
            tasks.append(task)
    if tasks:
        _analyse(tasks, results, jobs, cache, advance, memory)
    done = tuple(result for result in results if result is not None)
    return CheckReport(done, time.monotonic() - start)


def _from_cache(file: Path, timeout: float, cache: Cache) -> tuple[Checked | None, Task | None]:
    """What is known of the file already, else the task to find out."""
    path = str(file)
    try:
        with file.open("rb") as opened:
            content = opened.read(_MOST_READ)
    except OSError as error:
        finding = Finding("input", f"cannot be read: {error.strerror or error}")
        return Checked(path, file.stem, "invalid", (finding,), 0.0), None
    kept = cache.get(path, content)
    return kept, None if kept is not None else Task(path, content, timeout)


_MOST_READ = 4 * 1024 * 1024  # enough to say that a file is too large


def _analyse(
    tasks: list[Task],
    results: list[Checked | None],
    jobs: int,
    cache: Cache,
    advance: Advance | None,
    memory: int,
) -> None:
    from identify.families import workers

    places = [index for index, result in enumerate(results) if result is None]
    for count, (index, (checked, tried)) in enumerate(workers.run(tasks, jobs, memory), 1):
        task = tasks[index]
        results[places[index]] = checked
        cache.put(task.path, task.content, checked, tried)
        if advance is not None:
            advance(count, len(tasks), checked.name)
    cache.prune()
