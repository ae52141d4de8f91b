"""The canonical coordinate psi(z) of a fitted law, by quadrature over the states that occur.

``psi'' + c_2 psi' = 0``: psi is the integral of the declared derivative, from a basepoint; no anchor enters.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.integrate import cumulative_simpson

from identify.analysis import Analysis
from identify.errors import InputError
from identify.fit.film import Array
from identify.law import Condition, Law, read_expression
from identify.motion.dynamics import compiled

_NODES = 20_001


@dataclass(frozen=True)
class Normalizer:
    """``psi`` on nodes; ``slope`` its derivative there.  Monotone, so that it can be inverted."""

    nodes: Array
    values: Array
    slope: Array

    def __call__(self, state: Array) -> Array:
        return np.interp(state, self.nodes, self.values, left=np.nan, right=np.nan)

    def derivative(self, state: Array) -> Array:
        """psi' at states."""
        return np.interp(state, self.nodes, self.slope, left=np.nan, right=np.nan)

    def inverse(self, canonical: Array) -> Array:
        """The state with this canonical coordinate; nan outside the interval."""
        rising = self.values[-1] > self.values[0]
        values, nodes = (self.values, self.nodes) if rising else (self.values[::-1], self.nodes[::-1])
        return np.interp(canonical, values, nodes, left=np.nan, right=np.nan)


def normalizer(law: Law, analysis: Analysis, parameters: Array, states: Array) -> Normalizer | None:
    """The normalizer over the range of the states; None outside the canonical route or its chart."""
    if analysis.canonical is None or not len(states):
        return None
    try:
        slope = read_expression(analysis.canonical.normalizer_derivative, [law.state, *law.parameters])
    except InputError:
        return None
    low, high = float(np.min(states)), float(np.max(states))
    nodes = np.linspace(low, high, _NODES)
    values = np.broadcast_to(compiled(slope, law.state, *law.parameters)(nodes, *parameters), nodes.shape)
    values = np.asarray(values, dtype=float)
    if not high > low or not np.isfinite(values).all() or not (values > 0).all():
        return None
    if not all(_inside(condition, law, nodes, parameters) for condition in law.domain):
        return None
    return Normalizer(nodes, np.asarray(cumulative_simpson(values, x=nodes, initial=0.0)), values)


def _inside(condition: Condition, law: Law, nodes: Array, parameters: Array) -> bool:
    """Whether the whole interval keeps a condition of the domain."""
    value = np.asarray(compiled(condition.expression, law.state, *law.parameters)(nodes, *parameters))
    match condition.relation:
        case ">":
            return bool((value > 0).all())
        case ">=":
            return bool((value >= 0).all())
        case "!=":
            return bool((value > 0).all() or (value < 0).all())
        case _:
            return True
