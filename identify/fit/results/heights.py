"""Known heights in the canonical route: the scale of the canonical coordinate and the acceleration it gives.

``h = s*psi(z) + b_h`` by least squares over the known heights (eq:exp-real-overhead-anchor); the physical
acceleration is ``s*psi'(z)*F(z, 0)``, averaged over the training frames.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from identify.analysis import Analysis
from identify.fit.film import Array
from identify.fit.results.anchor import Anchor
from identify.fit.results.normalizer import normalizer
from identify.fit.results.warrant import Values
from identify.law import Law
from identify.motion.dynamics import compiled


@dataclass(frozen=True)
class Heights:
    """The physical acceleration, its standard error, and how much it varies over the training frames."""

    acceleration: float
    se: float
    variation: float
    scale: float
    misfit: float


def heights(
    law: Law, analysis: Analysis, anchors: Sequence[Anchor], values: Values, states: Array
) -> Heights | None:
    """The acceleration that two or more known heights give; None where they do not."""
    if len(anchors) < 2 or not len(states):
        return None
    force = compiled(law.acceleration.subs(law.velocity, 0), law.state, *law.parameters)

    def physical(parameters: Array, known: Array, latents: Array) -> tuple[float, float, float, float] | None:
        psi = normalizer(law, analysis, parameters, np.concatenate([states, latents]))
        if psi is None:
            return None
        design = np.stack([psi(latents), np.ones(len(latents))], axis=1)
        (scale, level), *_ = np.linalg.lstsq(design, known, rcond=None)
        along = scale * psi.derivative(states) * np.asarray(force(states, *parameters), dtype=float)
        rest = known - design @ np.array([scale, level])
        mean = float(np.mean(along))
        variation = float(np.std(along)) / max(abs(mean), 1e-300)
        return mean, variation, float(scale), float(np.sqrt(np.mean(rest**2)))

    known = np.array([a.value for a in anchors])
    latents = np.array([a.latents[0] for a in anchors])
    found = physical(values.values, known, latents)
    if found is None or not np.isfinite(found).all():
        return None
    inputs = np.concatenate([values.values, known, latents])
    count, many = len(values.values), len(anchors)
    gradient = np.zeros(len(inputs))
    for i in range(len(inputs)):
        step = 1e-5 * max(abs(float(inputs[i])), 1e-3)
        ends = []
        for sign in (1, -1):
            moved = inputs.copy()
            moved[i] += sign * step
            at = physical(moved[:count], moved[count : count + many], moved[count + many :])
            ends.append(np.nan if at is None else at[0])
        gradient[i] = (ends[0] - ends[1]) / (2 * step)
    spread = np.zeros((len(inputs), len(inputs)))
    spread[:count, :count] = np.nan_to_num(values.covariance)
    for i, anchor in enumerate(anchors):
        spread[count + i, count + i] = max(anchor.sigma**2, found[3] ** 2)
        spread[count + many + i, count + many + i] = anchor.latent_sigma**2
    gradient = np.nan_to_num(gradient)
    se = float(np.sqrt(max(float(gradient @ spread @ gradient), 0.0)))
    return Heights(found[0], se, found[1], found[2], found[3])
