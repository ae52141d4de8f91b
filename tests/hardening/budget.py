"""Laws that ask for more than there is: how long after the deadline, and with how much memory, each ends.

python tests/hardening/budget.py --seconds 2 --memory 400
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import identify
from identify.errors import BudgetExceeded, InputError
from identify.isolation import within
from tests.hardening.test_isolation import PATHOLOGICAL, factor, flint_memory, python_memory, spin

WORK = {
    "factoring inside flint": (factor, ("",)),
    "Python that catches every signal": (spin, ()),
    "3 GB in Python": (python_memory, ()),
    "3 GB in flint": (flint_memory, ()),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--memory", type=int, default=400)
    chosen = parser.parse_args()
    late = 0.0
    for name, law in PATHOLOGICAL.items():
        start = time.monotonic()
        try:
            outcome = identify.analyze(
                law, timeout=chosen.seconds, memory=chosen.memory, isolated=True
            ).outcome
        except InputError:
            outcome = "refused"
        except BudgetExceeded:
            outcome = "undecided"
        late = max(late, _told(name, outcome, time.monotonic() - start) - chosen.seconds)
    for name, (work, arguments) in WORK.items():
        start = time.monotonic()
        ended = within(chosen.seconds, chosen.memory, work, *arguments)
        late = max(late, _told(name, ended.because or "done", time.monotonic() - start) - chosen.seconds)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    figures = {
        "tried": len(PATHOLOGICAL) + len(WORK),
        "longest after the deadline, seconds": round(late, 1),
        "peak memory of a worker, MB": peak,
    }
    print(json.dumps(figures))
    return 0


def _told(name: str, outcome: str, seconds: float) -> float:
    print(f"{name}: {outcome}, {seconds:.1f} s", flush=True)
    return seconds


if __name__ == "__main__":
    sys.exit(main())
