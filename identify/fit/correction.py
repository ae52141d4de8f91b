"""The fine structure between place and latent: pixels, and what else changes within a pixel's motion.

The places follow the motion but for a wobble, a function of the place alone.  It is found from the residual
of the fitted law and taken out of the places, so that the map from latent to place itself can stay smooth: a
map free to follow the wobble would also trade its bend against the law's parameters.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from identify.fit.curve import regress
from identify.fit.splines import Spline

_FINE, _FRAMES_PER_COEFFICIENT = 120, 5
_FEWEST_FRAMES = 2
_LEAST_SLOPE = 0.2  # of the corrected place by the place: it must not fold


@dataclass(frozen=True)
class Correction:
    """``place + wobble(place)``."""

    spline: Spline
    wobble: Tensor

    def __call__(self, place: Tensor) -> Tensor:
        """The corrected places; outside the fitted range the wobble stays what it is at the border."""
        inside = place.clamp(self.spline.low, self.spline.high)
        return place + self.spline.basis(inside) @ self.wobble


def find_correction(place: Tensor, wanted: Tensor, least: int = 0) -> Correction | None:
    """The correction that brings the places near ``wanted``, as smooth as cross-validation finds best.

    It has a coefficient for every five frames; up to ``least`` for every two, where the motion is known.
    """
    size = min(_FINE, max(len(place) // _FRAMES_PER_COEFFICIENT, min(least, len(place) // _FEWEST_FRAMES)))
    if size < 12:
        return None
    gap = wanted - place
    limit = 4 * float(gap.square().mean().sqrt())
    spline = Spline(float(place.min()), float(place.max()), size)
    wobble = regress(spline, place, gap.clamp(-limit, limit).unsqueeze(1)).squeeze(1)
    grid = torch.linspace(spline.low, spline.high, 8 * size).to(place)
    steepest = float((spline.basis_and_slope(grid)[1] @ wobble).abs().max())
    share = min(1.0, (1 - _LEAST_SLOPE) / max(steepest, 1e-12))
    return Correction(spline, share * wobble)
