"""How well rho can be known from the clips of the overhead fall: its Cramer-Rao bound.

    python examples/reproduce/overhead_bound.py [--sessions N]

Each frame tells the radius of the ball no better than the noise of its pixels allows.  With that error, the
law, the initial states and a free map from latent to radius are fitted from the truth; the standard error of
rho at the minimum is what no unbiased method with a free encoder can beat.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import numpy as np
import torch

from identify.engine import analyze
from identify.fit.held import held
from identify.fit.refine import OutputError
from identify.fit.samples import Samples
from identify.fit.splines import Spline
from identify.fit.torch_law import TorchLaw
from identify.reproduce.fitting import law_of
from identify.scene.camera import Look, photograph
from identify.scene.protocol import paper_protocol
from identify.scene.recording import Recording
from identify.scene.stage import OverheadFall

STEP = 0.25  # px, for the derivative of a frame by the radius: frames have whole grey values
NOISES = {
    "0.01 in every pixel of the 64x64 frame": 0.01,
    "0.01 in every pixel of the camera": 0.01 * 64 / 960,
}


def main() -> None:
    """Print the bound for each session and noise."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sessions", type=int, default=2)
    given = parser.parse_args()
    torch.set_num_threads(1)
    for words, noise in NOISES.items():
        for session in range(given.sessions):
            bound = standard_error(paper_protocol("overhead-fall", session), noise, session)
            print(f"{words}: session {session}, standard error of rho {bound:.4f}", flush=True)


def standard_error(recording: Recording, noise: float, seed: int) -> float:
    """The standard error of rho from the training clips."""
    shots = [shot for shot in recording.shots if shot.role == "train"]
    radius = np.concatenate([shot.state for shot in shots])
    error = radius_error(radius, noise)
    place = radius + error * np.random.default_rng(seed).standard_normal(len(radius))
    clip = torch.cat([torch.full((len(shot.time),), i) for i, shot in enumerate(shots)])
    time = torch.cat([torch.from_numpy(shot.time) for shot in shots])
    samples = Samples(time, torch.from_numpy(place), clip, len(shots))
    law = law_of(recording)
    compiled = TorchLaw(law)
    problem = OutputError(compiled, samples, samples.tempo(), held(analyze(law)))
    start = torch.tensor([[shot.state[0], shot.velocity[0]] for shot in shots])
    theta = torch.tensor([recording.truth[name] for name in compiled.names], dtype=torch.float64)
    spline = Spline(float(radius.min()) - 0.1, float(radius.max()) + 0.1, 16)
    straight = spline.straight(0.0, 1.0, samples.place)
    found = problem.refine(theta, start, spline, straight, 25)
    assert found is not None
    return float(found.formal[compiled.names.index("rho")][compiled.names.index("rho")].sqrt())


def radius_error(radius: np.ndarray, noise: float) -> np.ndarray:
    """The least standard error with which one frame tells the radius, with 8 bits a pixel."""
    stage, look, still = OverheadFall((64, 64)), replace(Look(), noise=0.0), np.zeros(len(radius))
    high, low = (
        photograph(stage, look, still, radius + s * STEP, still, (0, 0)).astype(float) / 255 for s in (1, -1)
    )
    slope = (high - low) / (2 * STEP)
    return np.asarray(np.sqrt((noise**2 + 1 / 255**2 / 12) / (slope**2).sum((1, 2))))


if __name__ == "__main__":
    main()
