"""Fits in a second with one process and with one for each core; two cores should bring at least 1.8.

    python examples/sweep/throughput.py [--fits 16] [--jobs 2]

Wall time means little while others use the machine.  So a second figure leaves out the time in which a
process could have run but had to wait for a processor, as Linux counts it, and the first fit of a process,
which loads the libraries: the rate of a long sweep on a machine of its own, but for caches and memory that
others use too.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from identify.sweep.row import Row
from identify.sweep.run import cores, run_tasks
from identify.sweep.task import Task


def timed(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The job: a simulated fit, and the seconds it waited for a processor."""
    from identify.sweep.simulated import run

    before = _waited()
    return {**run(settings), "waited": _waited() - before, "process": os.getpid()}


def _waited() -> float:
    path = Path("/proc/self/schedstat")
    return int(path.read_text().split()[1]) / 1e9 if path.exists() else 0.0


def main() -> None:
    """Print a line for each number of processes, and the ratios."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--fits", type=int, default=16)
    parser.add_argument("--jobs", type=int, default=cores())
    given = parser.parse_args()
    known = os.environ.get("PYTHONPATH")  # where the processes find the job
    os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parent), *([known] if known else [])])
    tasks = [Task("throughput:timed", _settings(c)) for c in range(given.fits)]
    load = os.getloadavg()[0]
    one, several = (_measured(tasks, jobs) for jobs in (1, given.jobs))
    print(
        f"ratio {several[0] / one[0]:.2f} by the clock, {several[1] / one[1]:.2f} without waiting", end="; "
    )
    print(f"{cores()} cores, load {load:.1f} at the start")


def _settings(collection: int) -> dict[str, Any]:
    return {"experiment": "quadratic", "collection": collection}


def _measured(tasks: Sequence[Task], jobs: int) -> tuple[float, float]:
    """Fits in a second, by the clock and without waiting for a processor."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        rows = run_tasks(tasks, Path(folder) / "store", jobs=jobs)
        rate = len(rows) / (time.perf_counter() - start)
    warm = _later(rows)
    cpu, own = _mean(warm, "cpu_seconds"), _mean(warm, "wall_seconds") - _mean(warm, "waited")
    print(f"{jobs} processes: {rate:.3f} fits/s; a fit takes {own:.2f} s without waiting, {cpu:.2f} s of CPU")
    return rate, jobs / own


def _later(rows: Sequence[Row]) -> list[Row]:
    """The rows but for the first of each process."""
    in_order = sorted(rows, key=lambda row: float(row["finished"]))
    first = {row["process"]: row["key"] for row in reversed(in_order)}
    return [row for row in rows if row["key"] != first[row["process"]]]


def _mean(rows: Sequence[Row], name: str) -> float:
    return sum(float(row[name]) for row in rows) / len(rows)


if __name__ == "__main__":
    main()
