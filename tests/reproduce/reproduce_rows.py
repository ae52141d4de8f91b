"""Rows made by hand: what workers would have kept, with numbers whose statistics are known."""

from __future__ import annotations

from typing import Any

from identify.reproduce.experiments import Experiment
from identify.reproduce.plan import Plan
from identify.sweep.row import Row, done


def rows_of(experiment: Experiment, plan: Plan, result: dict[str, Any]) -> list[Row]:
    """A row with this result for each task of the experiment."""
    return [done(task, result, cpu_seconds=1.0) for task in experiment.tasks(plan)]


RESULTS: dict[str, dict[str, Any]] = {
    "six-family": {
        "accepted": True,
        "e_theta": 0.1,
        "e_map": 0.2,
        "e_dyn": 0.3,
        "scale": -2.0,
        "orbit": {"d": 1.0, "a": 1.0, "b": 0.25},
        "coordinate": [[-1.0, 2.0], [0.0, 0.0], [1.0, -2.0]],
    },
    "coverage": {"accepted": True, "rank": 4, "e_theta": 0.1, "e_map": 0.2, "drag": 0.22},
    "canonical": {
        "accepted": True,
        "raw": 5.6,
        "canonical": 0.1,
        "force": 0.05,
        "errors": {"d": 0.1, "k": 0.1, "rho": 0.5},
        "residuals": {name: [[-1.0, 0.1], [1.0, -0.1]] for name in ("raw", "canonical", "force")},
    },
    "side-fall": {
        "accepted": True,
        "g": 9.8,
        "e_theta": 0.1,
        "e_orbit": 0.1,
        "e_map": 0.1,
        "scale": 0.005,
        "acceleration": 60.0,
        "pixel_acceleration": 12860.0,
    },
    "overhead-fall": {
        "accepted": True,
        "rho": 2.01,
        "g": 9.9,
        "raw": 20.0,
        "canonical": 0.5,
        "e_theta": 0.9,
        "e_dyn": 1.0,
        "residuals": {name: [[0.2, 0.01], [0.4, -0.01]] for name in ("raw", "canonical")},
    },
    "pendulum-real": {"accepted": True, "length": 0.5, "e_theta": 0.01, "affine": 0.1, "angle": 0.1},
}
RESULTS["matched-lti"] = RESULTS["six-family"]
RESULTS["canonical-controls"] = RESULTS["canonical"]
