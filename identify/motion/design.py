"""The velocity design at one state level: its distinct velocities, its feature matrix, its rank."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from identify.motion.trajectory import Array
from identify.routes.route import Feature

RANK_TOLERANCE = 1e-8


def distinct(velocities: Iterable[float], separation: float) -> tuple[float, ...]:
    """One velocity for each group closer than ``separation``; a group about zero counts as rest.

    Without this, the scatter of a repeated motion would pass for coverage, and a turning point at -1e-9
    for motion in the other direction.
    """
    groups: list[list[float]] = []
    for velocity in sorted(velocities):
        if groups and velocity - groups[-1][0] <= separation:
            groups[-1].append(velocity)
        else:
            groups.append([velocity])
    means = (sum(group) / len(group) for group in groups)
    return tuple(0.0 if abs(mean) <= separation / 2 else mean for mean in means)


def feature_matrix(features: Sequence[Feature], velocities: Sequence[float]) -> Array:
    """``[phi_k(v_i)]``, one row for each velocity (eq:feature-rank-matrix)."""
    v = np.asarray(velocities, dtype=float).reshape(-1, 1)
    powers = np.array([float(feature.power) for feature in features])
    odd = np.array([feature.odd for feature in features])
    matrix: Array = np.abs(v) ** powers * np.where(odd, np.sign(v), 1.0)
    return matrix


def normalised_singular_values(matrix: Array) -> Array:
    """Singular values after every nonzero column is scaled to norm 1, one for each column.

    They do not change when the state is rescaled (the column-normalised diagnostic of app:proofs-robust).
    """
    columns = matrix.shape[1]
    found = np.zeros(columns)
    if matrix.shape[0]:
        norms = np.linalg.norm(matrix, axis=0)
        values = np.linalg.svd(matrix / np.where(norms > 0, norms, 1.0), compute_uv=False)
        found[: len(values)] = values
    return found


def rank_and_smallest(
    features: Sequence[Feature], velocities: Sequence[float], tolerance: float = RANK_TOLERANCE
) -> tuple[int, float]:
    """The numerical rank of the feature matrix and its smallest column-normalised singular value."""
    values = normalised_singular_values(feature_matrix(features, velocities))
    rank = int((values > tolerance).sum())
    return rank, float(values[-1]) if rank == len(features) else 0.0
