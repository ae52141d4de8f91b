"""Cost and accuracy of three ways to the same parameters, in one run.

    python examples/reproduce/benchmark.py [SETS] [--collections N] [--updates N]

The default method; the paper's method, with few updates unless told otherwise (the published numbers are
2,000 to 8,000, hours on one core); and a conventional tracker (a template, followed to parts of a pixel) with
the law integrated and fitted to its positions by least squares, which takes for granted what the others find:
that the coordinate is straight in the picture.  Errors in percent on held-out clips, as in the paper; seconds
of processor time for the fit alone.  The paper's own errors stand beside them.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable

import torch

from identify.fit.results.metrics import Truth, measure
from identify.reproduce import fitting, six_family
from identify.reproduce.position import fit_position
from identify.scene.protocol import paper_protocol
from identify.scene.recording import Recording

SETS = "van-der-pol cubic quadratic side-fall".split()
Way = Callable[[Recording], fitting.Fitted]


def main() -> None:
    """Print a line for each set and way."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sets", nargs="?", default=",".join(SETS))
    parser.add_argument("--collections", type=int, default=1)
    parser.add_argument(
        "--updates", type=int, default=20, help="of the paper's method; 0 for the published number"
    )
    given = parser.parse_args()
    torch.set_num_threads(1)
    ways = {
        "default": _by("default"),
        f"paper, {given.updates or 'all'} updates": _by("paper", given.updates or None),
        "tracker, least squares": _tracked,
    }
    print(f"{'set':14}{'way':26}{'e_theta':>10}{'e_map':>10}{'CPU s':>8}")
    for name in given.sets.split(","):
        recordings = [paper_protocol(name, collection) for collection in range(given.collections)]
        for way, fit in ways.items():
            print(_line(name, way, [_errors(recording, fit) for recording in recordings]), flush=True)
        if name in six_family.PAPER:
            theta, place = (paper.median for paper in six_family.PAPER[name])
            print(f"{name:14}{'the paper reports':26}{theta:>10.3g}{place:>10.3g}{'-':>8}")


def _by(method: str, updates: int | None = None) -> Way:
    settings = {"method": method, "seed": 0, "updates": updates}
    return lambda recording: fitting.fit(fitting.law_of(recording), _view(recording), settings)


def _tracked(recording: Recording) -> fitting.Fitted:
    return fit_position(fitting.law_of(recording), _view(recording))


def _view(recording: Recording) -> fitting.View:
    return fitting.whole(fitting.film(shot) for shot in recording.shots)


def _errors(recording: Recording, way: Way) -> tuple[float | None, float | None, float]:
    fitted = way(recording)
    found = measure(fitted.law, fitted.analysis, fitted.fit, Truth(dict(recording.truth))) or {}
    return found.get("e_theta"), found.get("e_map"), fitted.seconds


def _line(name: str, way: str, found: list[tuple[float | None, float | None, float]]) -> str:
    def middle(column: int) -> str:
        known = [row[column] for row in found if row[column] is not None]
        return f"{statistics.median(known):.3g}" if known else "-"

    return f"{name:14}{way:26}{middle(0):>10}{middle(1):>10}{middle(2):>8}"


if __name__ == "__main__":
    main()
