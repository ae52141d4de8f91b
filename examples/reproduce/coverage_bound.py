"""How well drag can be known from two-way motion, even if the coordinate were known: its Cramer-Rao bound.

    python examples/reproduce/coverage_bound.py [--collections N]

Each frame tells the position of the cart no better than the noise of its pixels allows.  Law and initial
states are fitted to positions of that error, first with the positions themselves as the coordinate, then with
a cubic bend of it left free.  No method whose law starts nowhere in particular can beat these errors.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import numpy as np
import torch

from identify.fit.samples import Samples
from identify.fit.shooting import Shooting
from identify.fit.torch_law import TorchLaw
from identify.reproduce.coverage import DRAG
from identify.reproduce.fitting import law_of
from identify.scene.camera import Look, photograph
from identify.scene.protocol import paper_protocol
from identify.scene.recording import Array, Recording
from identify.scene.stage import Cart

STEP = 0.01  # of the state, for the derivative of a frame by it: frames have whole grey values
DESIGNS = ("two-way-1", "two-way-2", "two-way-3")
REACH = (-1.15, 1.15)  # states that fill the track
MEDIAN = 0.6745  # of the size of a normal error, by its standard deviation
STEPS_PER_SECOND = 200


def main() -> None:
    """Print the bound for each design and collection."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--collections", type=int, default=2)
    given = parser.parse_args()
    torch.set_num_threads(1)
    for design in DESIGNS:
        for collection in range(given.collections):
            straight, bent = bounds(paper_protocol(design, collection))
            print(
                f"{design}, collection {collection}: median error of drag at least {straight:.3g} % with the "
                f"coordinate known, {bent:.3g} % with a cubic bend of it free",
                flush=True,
            )


def bounds(recording: Recording) -> tuple[float, float]:
    """The least median error of drag in percent, with the coordinate known and with a cubic bend free."""
    shots = [shot for shot in recording.shots if shot.role == "train"]
    state = np.concatenate([shot.state for shot in shots])
    clip = torch.cat([torch.full((len(shot.time),), i) for i, shot in enumerate(shots)])
    time = torch.cat([torch.from_numpy(shot.time - shot.time[0]) for shot in shots])
    samples = Samples(time, torch.from_numpy(state), clip, len(shots))
    law = TorchLaw(law_of(recording))
    shooting = Shooting(law, time, clip, samples.duration(), 1 / STEPS_PER_SECOND)
    start = torch.tensor([[shot.state[0], shot.velocity[0]] for shot in shots])
    theta = torch.tensor([recording.truth[name] for name in law.names], dtype=torch.float64)
    motion = shooting.run(start, theta)
    assert motion is not None
    assert motion.state_by is not None
    by = motion.state_by.numpy()
    starts = np.zeros((len(state), 2 * len(shots)))
    for column in (0, 1):
        starts[np.arange(len(state)), 2 * clip.numpy() + column] = by[:, column]
    known = np.concatenate([by[:, 2:], starts], axis=1)
    free = np.concatenate([known, state[:, None] ** np.arange(4)], axis=1)
    drag, error = law.names.index("c"), position_error(recording, state)[:, None]
    return _median_error(known / error, drag), _median_error(free / error, drag)


def _median_error(design: Array, place: int) -> float:
    """The median error of one parameter in percent of the drag."""
    size = np.linalg.norm(design, axis=0)
    covariance = np.linalg.pinv((design / size).T @ (design / size), rcond=1e-14)
    return 100 * MEDIAN * float(np.sqrt(covariance[place, place])) / size[place] / DRAG


def position_error(recording: Recording, state: Array) -> Array:
    """The least standard error with which one frame tells the state, with 8 bits a pixel."""
    size = recording.shots[0].frames.shape[1:]
    stage, look, still = Cart((size[0], size[1]), *REACH), replace(Look(), noise=0.0), np.zeros(len(state))
    high, low = (
        photograph(stage, look, still, state + s * STEP, still, (0, 0)).astype(float) / 255 for s in (1, -1)
    )
    slope = (high - low) / (2 * STEP)
    return np.asarray(np.sqrt((Look().noise ** 2 + 1 / 255**2 / 12) / (slope**2).sum((1, 2))))


if __name__ == "__main__":
    main()
