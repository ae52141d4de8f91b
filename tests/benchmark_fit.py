"""Fits of the paper's synthetic protocols over fresh seeds: errors, CPU seconds, undetected failures.

    python tests/benchmark_fit.py [NAME,NAME] [--seeds A:B]

An undetected failure is an accepted fit without a warning whose parameters are off by more than 1 %.
"""

from __future__ import annotations

import argparse
import statistics
import time

import torch

import identify
from identify.fit.film import Film, LawFit, View
from identify.fit.results.metrics import Truth, measure
from identify.fit.solve import Settings, fit_views
from identify.law import read_law
from identify.scene.protocol import paper_protocol
from identify.scene.recording import Recording

NAMES = "lti pendulum van-der-pol cubic quintic quadratic".split()
LIMITS = {  # e_theta and e_map in percent
    "lti": (0.05, 0.25), "pendulum": (0.02, 0.25), "van-der-pol": (0.02, 0.25),
    "cubic": (0.05, 0.25), "quintic": (0.2, 0.25), "quadratic": (0.05, 0.25),
}  # fmt: skip


def view_of(recording: Recording) -> View:
    """The whole frames, with the true states as references."""
    films = [Film(s.name, s.time, s.frames, s.role, s.state) for s in recording.shots]
    return View("whole", tuple(films))


def one(name: str, seed: int) -> tuple[LawFit, dict[str, float], float]:
    """A fit, its errors in percent, and the CPU seconds it took."""
    recording = paper_protocol(name, seed)
    law = read_law(recording.law, recording.assume, recording.domain)
    analysis = identify.analyze(law)
    start = time.process_time()
    fit = fit_views(law, analysis, [view_of(recording)], Settings(seed=seed), lambda fraction, text: None)
    spent = time.process_time() - start
    errors = measure(law, analysis, fit, Truth(dict(recording.truth))) or {}
    return fit, {k: v for k, v in errors.items() if isinstance(v, float)}, spent


def main() -> None:
    """Print a line for each fit and a summary for each protocol."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="?", default=",".join(NAMES))
    parser.add_argument("--seeds", default="0:10")
    given = parser.parse_args()
    torch.set_num_threads(1)
    first, last = (int(x) for x in given.seeds.split(":"))
    for name in given.names.split(","):
        rows = []
        for seed in range(first, last):
            fit, errors, spent = one(name, seed)
            rows.append((fit, errors, spent))
            told = " ".join(f"{k} {v:.4f}" for k, v in errors.items() if k.startswith("e_"))
            print(
                f"{name} {seed}: accepted {fit.accepted} {told} cpu {spent:.2f} {fit.reason or ''}",
                *fit.warnings,
                flush=True,
            )
        _summary(name, rows)


def _summary(name: str, rows: list[tuple[LawFit, dict[str, float], float]]) -> None:
    def middle(key: str) -> float:
        found = [errors[key] for _, errors, _ in rows if key in errors]
        return statistics.median(found) if found else float("nan")

    wrong = sum(f.accepted and not f.warnings and e.get("e_theta", 0.0) > 1.0 for f, e, _ in rows)
    worst = max((e.get("e_theta", float("nan")) for f, e, _ in rows if f.accepted), default=float("nan"))
    limit = LIMITS.get(name)
    print(
        f"== {name}: {len(rows)} fits, e_theta {middle('e_theta'):.4f} (worst {worst:.4f}), "
        f"e_map {middle('e_map'):.4f}, e_dyn {middle('e_dyn'):.4f}, "
        f"cpu {statistics.median(s for *_, s in rows):.2f} s, "
        f"accepted {sum(f.accepted for f, *_ in rows)}, undetected failures {wrong}"
        + (f"; limits {limit[0]} and {limit[1]}" if limit else ""),
        flush=True,
    )


if __name__ == "__main__":
    main()
