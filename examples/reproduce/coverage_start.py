"""What two-way motion at one speed tells of drag: where the law started.

    python examples/reproduce/coverage_start.py [--collections N]

The clips of the row K=1 are fitted from several starts, each thought to be right to 25 %.  Motion of full
rank, K=2, gives the same drag from all of them.
"""

from __future__ import annotations

import argparse

from identify.reproduce import fitting
from identify.reproduce.coverage import DRAG, errors
from identify.scene.protocol import paper_protocol

DESIGNS = ("two-way-1", "two-way-2")
SHARES = (0.5, 0.8, 1.25, 2.0)  # of the true parameters


def main() -> None:
    """Print the drag and the errors from each start."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--collections", type=int, default=2)
    given = parser.parse_args()
    for design in DESIGNS:
        for collection in range(given.collections):
            recording = paper_protocol(design, collection)
            law, view = fitting.law_of(recording), fitting.whole(fitting.film(s) for s in recording.shots)
            for share in SHARES:
                start = {name: share * value for name, value in recording.truth.items()}
                found = errors(fitting.fit(law, view, {}, start))
                print(
                    f"{design}, collection {collection}, start {share:g} times the truth: drag "
                    f"{found['drag']:.3g} (true {DRAG}), off by {found['e_theta']:.3g} %, "
                    f"e_map {found['e_map']:.3g} %",
                    flush=True,
                )


if __name__ == "__main__":
    main()
