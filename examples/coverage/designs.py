"""The six velocity designs of the coverage experiment (app:exp-synth-coverage), as CSV files.

    python examples/coverage/designs.py FOLDER [--seed N]

A spring cart ``q'' = -k q - delta q' - kappa q'|q'|`` passes q = 0 in the middle of 1 s clips at 60 Hz, at
prescribed velocities; 24 clips in every design, so motions repeat.  A seed stands for one collection of
initial conditions: it perturbs the base magnitudes by factors in [0.97, 1.03].
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import numpy as np

from identify.law import read_law
from identify.motion.dynamics import Dynamics, simulate
from identify.motion.trajectory import Clip
from identify.motion.values import read_parameters

LAW = "q'' = -k*q - delta*q' - kappa*q'*abs(q')"
PARAMETERS = "k=0.8,delta=0.18,kappa=0.22"
INTERVAL, LEVELS = (-0.2, 0.2), 21
BASE = (0.8, 1.35, 1.95)
CLIPS, DURATION, RATE = 24, 1.0, 60.0

# Rank of [1, v, v|v|, v**2].  tab:exp-coverage prints one-way-6, two-way-1 and two-way-2, and the text says
# that two-way-3 is full; one-way-1 and one-way-3 are only in a figure, and their ranks here are derived: one
# velocity gives 1, three of one sign give 3.
RANKS = {
    "one-way-1": 1,
    "one-way-3": 3,
    "one-way-6": 3,
    "two-way-1": 2,
    "two-way-2": 4,
    "two-way-3": 4,
}


def crossing_velocities(seed: int) -> dict[str, list[float]]:
    """The velocities at q = 0 of each design, for one collection of initial conditions."""
    generator = np.random.default_rng(seed)
    slow, middle, fast = (float(m * f) for m, f in zip(BASE, generator.uniform(0.97, 1.03, 3), strict=True))
    both = {"two-way-1": [middle], "two-way-2": [slow, fast], "two-way-3": [slow, middle, fast]}
    return {
        "one-way-1": [middle],
        "one-way-3": [slow, middle, fast],
        "one-way-6": [float(v) for v in np.linspace(slow, fast, 6)],
        **{name: [s * v for v in speeds for s in (1, -1)] for name, speeds in both.items()},
    }


def clips(velocities: list[float]) -> list[Clip]:
    """24 clips that pass q = 0 at these velocities, each motion as often as the others."""
    law = read_law(LAW)
    dynamics = Dynamics(law, read_parameters(PARAMETERS, law))
    motions = [simulate(dynamics, (0.0, v), DURATION, RATE, centred=True) for v in velocities]
    repeated = (motions[i % len(motions)] for i in range(CLIPS))
    return [Clip(str(i + 1), c.time, c.state, c.velocity) for i, c in enumerate(repeated)]


def write(file: Path, filmed: list[Clip], *, with_velocity: bool = True) -> None:
    """The clips as a table with the columns clip, t, q and v."""
    with file.open("w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out)
        writer.writerow(["clip", "t", "q", "v"] if with_velocity else ["clip", "t", "q"])
        for clip in filmed:
            assert clip.velocity is not None
            for t, q, v in zip(clip.time, clip.state, clip.velocity, strict=True):
                row = [clip.name, f"{t:.9g}", f"{q:.12g}", f"{v:.12g}"]
                writer.writerow(row if with_velocity else row[:3])


def main() -> None:
    """Write one file for each design."""
    parser = argparse.ArgumentParser(description="The velocity designs of the coverage experiment")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=0, help="which collection of initial conditions")
    parser.add_argument("--no-velocity", action="store_true", help="leave the velocity to be estimated")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for name, velocities in crossing_velocities(arguments.seed).items():
        file = arguments.folder / f"{name}.csv"
        write(file, clips(velocities), with_velocity=not arguments.no_velocity)


if __name__ == "__main__":
    main()
