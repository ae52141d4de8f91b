"""Fits of the paper's synthetic protocols over fresh seeds: errors, CPU seconds, undetected failures.

    python tests/benchmark_fit.py [NAME,NAME] [--seeds A:B] [--jobs N]

An undetected failure is an accepted fit without a warning whose parameters are off by more than 1 %.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path

from identify.sweep.row import Row
from identify.sweep.run import cores, run_tasks
from identify.sweep.simulated import Simulated

NAMES = "lti pendulum van-der-pol cubic quintic quadratic".split()
LIMITS = {  # e_theta and e_map in percent
    "lti": (0.05, 0.25), "pendulum": (0.02, 0.25), "van-der-pol": (0.02, 0.25),
    "cubic": (0.05, 0.25), "quintic": (0.2, 0.25), "quadratic": (0.05, 0.25),
}  # fmt: skip


def main() -> None:
    """Print a line for each fit and a summary for each protocol."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="?", default=",".join(NAMES))
    parser.add_argument("--seeds", default="0:10")
    parser.add_argument("--jobs", type=int, default=cores())
    given = parser.parse_args()
    first, last = (int(x) for x in given.seeds.split(":"))
    for name in given.names.split(","):
        tasks = [Simulated(experiment=name, collection=seed, seed=seed).task() for seed in range(first, last)]
        with tempfile.TemporaryDirectory() as folder:
            rows = run_tasks(tasks, Path(folder) / "store", jobs=given.jobs)
        for row in rows:
            print(_line(row), flush=True)
        _summary(name, rows)


def _line(row: Row) -> str:
    told = f"{row['task']['experiment']} {row['task']['seed']}:"
    if row["outcome"] != "done":
        return f"{told} FAILED {row['failure']}"
    errors = " ".join(
        f"{key} {row[key]:.4f}" for key in ("e_map", "e_theta", "e_dyn") if row[key] is not None
    )
    words = " ".join([row["reason"] or "", *row["warnings"]])
    return f"{told} accepted {row['accepted']} {errors} cpu {row['fit_seconds']:.2f} {words}"


def _summary(name: str, rows: Sequence[Row]) -> None:
    done = [row for row in rows if row["outcome"] == "done"]

    def middle(key: str) -> float:
        found = [row[key] for row in done if row[key] is not None]
        return statistics.median(found) if found else float("nan")

    accepted = [row for row in done if row["accepted"]]
    wrong = sum(not row["warnings"] and (row["e_theta"] or 0.0) > 1.0 for row in accepted)
    worst = max((row["e_theta"] or 0.0 for row in accepted), default=float("nan"))
    limit = LIMITS.get(name)
    print(
        f"== {name}: {len(rows)} fits, e_theta {middle('e_theta'):.4f} (worst {worst:.4f}), "
        f"e_map {middle('e_map'):.4f}, e_dyn {middle('e_dyn'):.4f}, cpu {middle('fit_seconds'):.2f} s, "
        f"accepted {len(accepted)}, failed {len(rows) - len(done)}, undetected failures {wrong}"
        + (f"; limits {limit[0]} and {limit[1]}" if limit else ""),
        flush=True,
    )


if __name__ == "__main__":
    main()
