"""The law's parameters as unconstrained numbers: softplus and sigmoid keep them inside their bounds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import islice, product

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from identify.errors import InputError
from identify.fit.film import Array
from identify.fit.law_terms import Terms
from identify.fit.torch_expression import compile_expressions
from identify.fit.torch_law import TorchLaw

Bounds = tuple[float, float]
_TRIALS = 4000
_CHOICES = (1.0, 0.5, 2.0, -1.0, 0.25, 4.0, -0.5, -2.0)
_NUDGE = 1e-3


class Bounded:
    """``theta = inside(raw)`` with ``raw`` any real numbers."""

    def __init__(self, bounds: list[Bounds]) -> None:
        self.bounds = bounds

    def inside(self, raw: Tensor) -> Tensor:
        """The parameters, each inside its bounds."""
        return (
            torch.stack([_into(raw[i], *bound) for i, bound in enumerate(self.bounds)])
            if self.bounds
            else raw
        )

    def raw(self, theta: Array) -> Tensor:
        """The raw numbers of the parameters; a value on a bound is nudged inside."""
        values = [_out_of(float(t), *bound) for t, bound in zip(theta, self.bounds, strict=True)]
        return torch.tensor(values, dtype=torch.float64)


def bounded(compiled: TorchLaw, positive: bool) -> Bounded:
    """Bounds from the assumptions; ``positive`` adds positivity of parameters that have no bound."""
    found = []
    for low, high in compiled.bounds().values():
        found.append((0.0, math.inf) if positive and low == -math.inf and high == math.inf else (low, high))
    return Bounded(found)


def starting_values(compiled: TorchLaw, given: Mapping[str, float], bounds: Bounded) -> Array:
    """Damping at 0.1, everything else at 1, the given values, moved where an assumption fails."""
    guesses = [given.get(name, 0.1 if _is_damping(compiled, name) else 1.0) for name in compiled.names]
    clipped = [_clip(guess, *bound) for guess, bound in zip(guesses, bounds.bounds, strict=True)]
    if _admissible(compiled, clipped):
        return np.array(clipped)
    free = [i for i, name in enumerate(compiled.names) if name not in given]
    for factors in islice(product(_CHOICES, repeat=min(len(free), 6)), _TRIALS):
        trial = list(clipped)
        for i, factor in zip(free, factors, strict=False):
            trial[i] = _clip(clipped[i] * factor, *bounds.bounds[i])
        if _admissible(compiled, trial):
            return np.array(trial)
    raise InputError(
        "no starting values were found that satisfy the assumptions",
        hint="give starting values with initial, or relax the assumptions",
    )


def recovered(terms: Terms, compiled: TorchLaw, coefficients: Array, theta: Array, bounds: Bounded) -> Array:
    """The parameters whose coefficients come nearest to the profiled ones, from ``theta`` on."""
    from scipy.optimize import least_squares

    linear = [compiled.names.index(symbol.name) for symbol in terms.linear]
    if not linear:
        return theta
    program = compile_expressions(terms.coefficients, compiled.law.parameters)
    scale = np.maximum(np.abs(coefficients), 1e-8)

    def gap(values: Array) -> Array:
        full = theta.copy()
        full[linear] = values
        found = np.array([float(value) for value in program(list(torch.from_numpy(full)))])
        return np.nan_to_num((found - coefficients) / scale, nan=1e6, posinf=1e6, neginf=-1e6)

    low, high = np.array([bounds.bounds[i] for i in linear]).T
    start = np.clip(theta[linear], low + _NUDGE * (low > -np.inf), high - _NUDGE * (high < np.inf))
    solution = least_squares(gap, start, bounds=(low, high), x_scale="jac", max_nfev=500)
    result = theta.copy()
    result[linear] = solution.x
    return result


def _is_damping(compiled: TorchLaw, name: str) -> bool:
    """Whether the parameter occurs only in coefficients of features with the velocity."""
    terms = compiled.terms()
    velocity = compiled.law.velocity
    pairs = zip(terms.coefficients, terms.features, strict=True)
    features = [phi for p, phi in pairs if name in {symbol.name for symbol in p.free_symbols}]
    return bool(features) and all(velocity in phi.free_symbols for phi in features)


def _admissible(compiled: TorchLaw, values: list[float]) -> bool:
    return compiled.admissible(torch.tensor(values, dtype=torch.float64))


def _clip(value: float, low: float, high: float) -> float:
    if low == high:
        return low
    if math.isfinite(low) and math.isfinite(high):
        edge = _NUDGE * (high - low)
        return min(max(value, low + edge), high - edge) if low < value < high else (low + high) / 2
    return min(max(value, low + _NUDGE), high - _NUDGE)


def _into(raw: Tensor, low: float, high: float) -> Tensor:
    if low == high:
        return raw * 0 + low
    if math.isfinite(low) and math.isfinite(high):
        return low + (high - low) * torch.sigmoid(raw)
    if math.isfinite(low):
        return low + functional.softplus(raw)
    return high - functional.softplus(raw) if math.isfinite(high) else raw


def _out_of(value: float, low: float, high: float) -> float:
    if low == high:
        return 0.0
    if math.isfinite(low) and math.isfinite(high):
        share = min(max((value - low) / (high - low), 1e-6), 1 - 1e-6)
        return math.log(share / (1 - share))
    if math.isfinite(low):
        return _inverse_softplus(value - low)
    return _inverse_softplus(high - value) if math.isfinite(high) else value


def _inverse_softplus(value: float) -> float:
    value = max(value, 1e-6)
    return value + math.log(-math.expm1(-value))
