"""Where to start: affine encoders and parameter values tried in the weak form, the best kept.

The curve gives the latent up to a monotone map; a straight map ``z = scale*(s - s0)`` is a good first guess.
Coefficients that enter the law linearly are profiled by least squares, everything else is searched.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from identify.fit.held import Held
from identify.fit.least_squares import linear_solution, minimise
from identify.fit.torch_law import TorchLaw
from identify.fit.weak import WeakForm

_SCALES = (1.0, 0.5, 1.6, 0.25, 2.5, 0.1, 4.0)
_CENTRES = (0.0, -0.2, 0.2, -0.5, 0.5, -0.9, 0.9, -1.15, 1.15, -1.6, 1.6, -2.5, 2.5)
_SIZES = (1.0, 0.3, 3.0, 0.1, 10.0)
_MOST = 300  # trials
_SOLVED = 40  # of which the parameters are solved for


@dataclass(frozen=True)
class Start:
    """An encoder, parameter values, and the relative weak residual they leave."""

    encoder: Tensor
    theta: Tensor
    residual: float


def search(
    weak: WeakForm, held: Held, count: int, seed: int, stop: Callable[[], bool] = lambda: False
) -> list[Start]:
    """The ``count`` best starts that differ in their encoder, best first; of those tried until ``stop``."""
    profiled = []
    for trial in _trials(weak, held, seed):
        one = _profiled(weak, *trial)
        profiled += [] if one is None else [one]
        if profiled and stop():
            break
    profiled.sort(key=lambda trial: trial[0])
    found: list[Start] = []
    for _, encoder, theta, coefficients in profiled[:_SOLVED]:
        if len(found) == count:
            break
        if all(_apart(encoder, other.encoder) for other in found):
            start = _solved(weak, encoder, theta, coefficients)
            found += [] if start is None else [start]
        if found and stop():
            break
    return sorted(found, key=lambda start: start.residual)


def _apart(encoder: Tensor, other: Tensor) -> bool:
    return float((encoder - other).abs().max()) > 0.1 * float(encoder.std())


def _trials(weak: WeakForm, held: Held, seed: int) -> Iterator[tuple[float, float, Tensor]]:
    """Scales (of both signs), centres and values of the parameters that cannot be profiled."""
    law = weak.law
    scales = (1.0,) if held.scale else _SCALES
    centres = (0.0,) if held.origin else _CENTRES
    signs = (1,) if _odd(law) else (1, -1)
    signed = [sign * scale for scale in scales for sign in signs]
    affine = list(itertools.product(signed, centres))
    inner = [law.names.index(p.name) for p in law.terms().nonlinear]
    values = _inner_values(law, inner)
    trials = [(scale, centre, value) for value in values for scale, centre in affine]
    if len(trials) > _MOST:
        generator = torch.Generator().manual_seed(seed)
        order = torch.randperm(len(trials), generator=generator)[:_MOST].tolist()
        trials = [trials[i] for i in sorted(order)]
    for scale, centre, value in trials:
        theta = torch.ones(len(law.names), dtype=weak.place.dtype, device=weak.place.device)
        for position, number in zip(inner, value, strict=True):
            theta[position] = number
        yield scale, centre, theta


def _odd(law: TorchLaw) -> bool:
    """Whether a reflection of the latent leaves the law as it is."""
    state, velocity, force = law.law.state, law.law.velocity, law.law.acceleration
    return bool((force.subs({state: -state, velocity: -velocity}, simultaneous=True) + force).expand() == 0)


def _inner_values(law: TorchLaw, inner: Sequence[int]) -> list[tuple[float, ...]]:
    bounds = law.bounds()
    choices = []
    for position in inner:
        low, high = bounds[law.names[position]]
        numbers = [s * x for x in _SIZES for s in (1, -1)] + ([0.0] if low < 0 < high else [])
        if math.isfinite(low) and math.isfinite(high):
            numbers = [low + (high - low) * share for share in (0.5, 0.2, 0.8)]
        elif math.isfinite(low):
            numbers = [low + x for x in _SIZES]
        elif math.isfinite(high):
            numbers = [high - x for x in _SIZES]
        choices.append(numbers[:6] if len(inner) > 1 else numbers)
    return list(itertools.islice(itertools.product(*choices), 4000))


def _profiled(
    weak: WeakForm, scale: float, centre: float, theta: Tensor
) -> tuple[float, Tensor, Tensor, Tensor] | None:
    """The straight encoder with the best coefficients; None outside the domain."""
    spline = weak.spline
    middle, half = (spline.low + spline.high) / 2, (spline.high - spline.low) / 2
    encoder = spline.straight(-scale * (middle / half + centre), scale / half, weak.place)
    if not bool(weak.law.domain_ok(weak.latent(encoder)[0], theta).all()):
        return None
    found = weak.profile(encoder, theta)
    return None if found is None else (found[1], encoder, theta, found[0])


def _solved(weak: WeakForm, encoder: Tensor, theta: Tensor, coefficients: Tensor) -> Start | None:
    """The profiled start with parameter values; None where the assumptions forbid them."""
    solved = parameters_of(weak.law, coefficients, theta)
    if solved is None:
        return None
    residual = weak.residual(encoder, solved[0])
    return None if residual is None else Start(encoder, solved[0], float(residual.norm()))


def parameters_of(law: TorchLaw, coefficients: Tensor, theta: Tensor) -> tuple[Tensor, bool] | None:
    """Admissible parameters whose terms have (nearly) these coefficients; whether exactly.

    Parameters inside the features keep their values.  None where no admissible values were found.
    """
    inner = {p.name for p in law.terms().nonlinear}
    free = [i for i, name in enumerate(law.names) if name not in inner]
    if not free:
        gap = (law.coefficients(theta) - coefficients).norm()
        return (theta, bool(gap <= 1e-9 * coefficients.norm())) if law.admissible(theta) else None
    place = torch.tensor(free, device=theta.device)

    def filled(x: Tensor) -> Tensor:
        return theta.index_copy(0, place, x)

    if len(law.linear_parameters()) == len(free):
        return _linear_solution(law, coefficients, theta, place)
    size = float(coefficients.abs().max().clamp_min(1e-12))
    scale = coefficients.abs().clamp_min(1e-6 * size)

    def problem(x: Tensor) -> tuple[Tensor, Tensor] | None:
        if not law.admissible(filled(x)):
            return None
        residual = (law.coefficients(filled(x)) - coefficients) / scale
        slope = _differences(lambda y: law.coefficients(filled(y)), x) / scale.unsqueeze(1)
        good = torch.isfinite(residual).all() & torch.isfinite(slope).all()
        return (residual, slope) if bool(good) else None

    for first in _first_values(law, free, theta):
        found = minimise(problem, first, 40, 1e-14)
        if found is not None and found.cost < 0.02:
            return filled(found.point), found.cost < 1e-12
    return None


def _differences(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The Jacobian by central differences: the coefficients are a few cheap numbers."""
    columns = []
    for i, size in enumerate(x.abs().clamp_min(1e-3).tolist()):
        step = torch.zeros_like(x)
        step[i] = 1e-6 * size
        columns.append((function(x + step) - function(x - step)) / (2e-6 * size))
    return torch.stack(columns, 1)


def _linear_solution(
    law: TorchLaw, coefficients: Tensor, theta: Tensor, place: Tensor
) -> tuple[Tensor, bool] | None:
    """The same where the coefficients are linear in the parameters: one system of equations."""
    zero = theta.index_fill(0, place, 0.0)
    shift = law.coefficients(zero)
    columns = [law.coefficients(zero.index_fill(0, p.reshape(1), 1.0)) - shift for p in place]
    matrix = torch.stack(columns, 1)
    found = linear_solution(matrix, coefficients - shift)
    solved = theta.index_copy(0, place, found)
    gap = (matrix @ found + shift - coefficients).norm()
    if not bool(torch.isfinite(solved).all()) or not law.admissible(solved):
        return None
    return solved, bool(gap <= 1e-9 * coefficients.norm().clamp_min(1e-300))


def _first_values(law: TorchLaw, free: Sequence[int], theta: Tensor) -> Iterator[Tensor]:
    """Values inside the single bounds from which the coefficients are solved."""
    bounds = [law.bounds()[law.names[i]] for i in free]
    for sign in (1.0, -1.0):
        values = []
        for low, high in bounds:
            if math.isfinite(low) and math.isfinite(high):
                values.append((low + high) / 2)
            elif math.isfinite(low):
                values.append(low + 1.0)
            elif math.isfinite(high):
                values.append(high - 1.0)
            else:
                values.append(sign)
        yield torch.tensor(values, dtype=theta.dtype, device=theta.device)
