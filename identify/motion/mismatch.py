"""The residual coefficients c(u) of thm:near-level-stability, estimated from the residuals of a fit.

At a level u the residual is ``c_1(u) v**2 + c_2(u) v + c_3(u)``; a polynomial in u for each coefficient is
fitted to the residuals at all frames.  Its largest slope estimates L_c, and c_1 = f'' tells how far the
slope of the map strays from the scale at which the data were calibrated.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from identify.motion.trajectory import Array

DEGREE = 3
GRID = 201
LEAST_FRAMES = 40
WORST = 1e6  # a condition number beyond which the fit says nothing
SPREAD = 2.0  # standard errors that are added


@dataclass(frozen=True)
class Mismatch:
    """``lipschitz`` estimates L_c; ``bend`` the integral of |f''| over the interval."""

    lipschitz: float
    bend: float

    @property
    def slope(self) -> float | None:
        """c_0 where f' is 1 somewhere on the interval; None where the bend may use all of it up."""
        return 1 - self.bend if self.bend < 1 else None


def mismatch(samples: Iterable[tuple[Array, Array, Array]], low: float, high: float) -> Mismatch | None:
    """From state, velocity and residual at frames; None where they are too few or too much alike."""
    parts = list(samples)
    state, velocity, residual = (np.concatenate([part[i] for part in parts]) for i in range(3))
    inside = (state >= low) & (state <= high) & np.isfinite(residual)
    state, velocity, residual = state[inside], velocity[inside], residual[inside]
    speed = float(np.abs(velocity).max()) if len(velocity) else 0.0
    if len(state) < LEAST_FRAMES or not speed > 0:
        return None
    place = 2 * (state - low) / (high - low) - 1
    features = np.stack([(velocity / speed) ** 2, velocity / speed, np.ones_like(velocity)], axis=1)
    basis = np.polynomial.chebyshev.chebvander(place, DEGREE)
    design = np.einsum("nf,nk->nfk", features, basis).reshape(len(state), -1)
    if np.linalg.cond(design) > WORST:
        return None
    found, *_ = np.linalg.lstsq(design, residual, rcond=None)
    freedom = max(len(state) - design.shape[1], 1)
    noise = float(((design @ found - residual) ** 2).sum()) / freedom
    covariance = noise * np.linalg.inv(design.T @ design)
    units = np.array([1 / speed**2, 1 / speed, 1.0])
    return _summary(found.reshape(3, -1), covariance, units, low, high)


def _summary(found: Array, covariance: Array, units: Array, low: float, high: float) -> Mismatch:
    at = np.linspace(-1, 1, GRID)
    values = np.polynomial.chebyshev.chebvander(at, DEGREE)
    slopes = _derivatives(at) * 2 / (high - low)
    width = DEGREE + 1
    blocks = [covariance[i * width : (i + 1) * width, i * width : (i + 1) * width] for i in range(3)]
    steep = np.zeros(GRID)
    for row, block, unit in zip(found, blocks, units, strict=True):
        error = np.sqrt(np.maximum(np.einsum("nk,kl,nl->n", slopes, block, slopes), 0))
        steep += ((np.abs(slopes @ row) + SPREAD * error) * unit) ** 2
    error = np.sqrt(np.maximum(np.einsum("nk,kl,nl->n", values, blocks[0], values), 0))
    curvature = (np.abs(values @ found[0]) + SPREAD * error) * units[0]
    return Mismatch(float(np.sqrt(steep).max()), float(curvature.mean() * (high - low)))


def _derivatives(at: Array) -> Array:
    """The derivatives of the Chebyshev polynomials at the places, a column each."""
    columns = []
    for degree in range(DEGREE + 1):
        unit = np.zeros(DEGREE + 1)
        unit[degree] = 1
        columns.append(np.polynomial.chebyshev.chebval(at, np.polynomial.chebyshev.chebder(unit)))
    return np.stack(columns, axis=1)
