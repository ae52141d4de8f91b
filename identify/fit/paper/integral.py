"""The integral residual of the canonical law (eq:exp-real-overhead-integral), for laws up to ``v**2``.

With ``r = psi(z)`` and ``psi'' + c2*psi' = 0`` the law is ``r'' = psi'*c0(z) + (psi'*c1(z))*z'``.  Integrated
twice, with ``G' = psi'*c1``:

    r(t) = r0 + v0*t + int (t - s)*psi'(z)*c0(z) ds + int G(z(s)) ds

No encoder output is differentiated.  psi and G are integrals along the path of z, whose unknown constants
go into r0 and v0, so neither needs a closed form and nothing is singular at rho = 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from sympy import Expr, S, Symbol
from torch import Tensor

from identify.fit.film import Array
from identify.fit.law_terms import Terms, law_terms
from identify.fit.paper.windows import Encoded
from identify.fit.torch_expression import Program, Value, compile_expressions
from identify.fit.torch_law import TorchLaw
from identify.law import Law
from identify.routes.classify import classify
from identify.routes.normalizer import canonical_law
from identify.routes.route import LINEAR, ONE, SQUARE

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(5)
_SMALL = 1e-10
_RIDGE = 1e-12


@dataclass(frozen=True)
class IntegralForm:
    """Slope psi', and ``psi'*c0`` and ``psi'*c1`` as known part plus coefficients times features of z.

    ``still`` and ``moving`` list the known part first, then one feature per coefficient of ``terms``.
    """

    terms: Terms
    slope: Program
    still: Program
    moving: Program


def integral_form(law: Law) -> IntegralForm | None:
    """The form, or None for a law with other velocity features or without a closed slope."""
    route = classify(law)
    channels = dict(route.channels)
    if (not channels and law.acceleration != 0) or not channels.keys() <= {ONE, LINEAR, SQUARE}:
        return None
    slope = canonical_law(law, route).slope if SQUARE in channels else S.One
    if slope is None:
        return None
    held = frozenset(slope.free_symbols & set(law.parameters))
    rest = channels.get(ONE, S.Zero) + channels.get(LINEAR, S.Zero) * law.velocity
    terms = law_terms(replace(law, acceleration=rest), held)
    parts = (terms.known, *terms.features)
    symbols = (law.state, *law.parameters)
    still = [slope * part.subs(law.velocity, 0) for part in parts]
    moving = [slope * _slope_in(part, law.velocity) for part in parts]
    return IntegralForm(
        terms,
        compile_expressions([slope], symbols),
        compile_expressions(still, symbols),
        compile_expressions(moving, symbols),
    )


def _slope_in(part: Expr, velocity: Symbol) -> Expr:
    return part.diff(velocity).subs(velocity, 0)


@dataclass(frozen=True)
class Profile:
    """The least-squares solution: coefficients, relative squared residual, and residuals per window."""

    coefficients: Tensor
    relative: Tensor
    residuals: Sequence[Tensor]


class IntegralObjective:
    """``min over coefficients and initial states of |residual|^2 / |r - mean r|^2``, over whole windows."""

    def __init__(
        self, compiled: TorchLaw, form: IntegralForm, times: list[Array], device: torch.device
    ) -> None:
        self.compiled = compiled
        self.form = form
        self.times = [torch.from_numpy(np.asarray(t, dtype=float) - t[0]).to(device) for t in times]

    def __call__(self, windows: list[Encoded], theta: Tensor) -> Tensor:
        """The loss of eq:exp-real-overhead-integral-loss."""
        return self.profile(windows, theta).relative

    def profile(self, windows: list[Encoded], theta: Tensor) -> Profile:
        """Solve for the shared coefficients after r0 and v0 of each window are projected out."""
        designs, targets, spread = [], [], theta.new_zeros(())
        for encoded in windows:
            if encoded.window.count < 3:
                continue
            r, known, features = self._integrals(encoded, theta)
            remove = _without_lines(self._time(encoded))
            targets.append(remove(r - known))
            designs.append(remove(features))
            spread = spread + (r - r.mean()).square().sum()
        target, design = torch.cat(targets), torch.cat(designs)
        coefficients = _solved(design, target)
        residual = target - design @ coefficients
        relative = residual.square().sum() / (spread + _SMALL)
        return Profile(coefficients, relative, torch.split(residual, [len(t) for t in targets]))

    def _time(self, encoded: Encoded) -> Tensor:
        time = self.times[encoded.window.clip][encoded.window.start : encoded.window.stop]
        return time - time[0]

    def _integrals(self, encoded: Encoded, theta: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """r, the integrated known part, and the integrated features as columns."""
        z, time = encoded.latent, self._time(encoded)
        still = _columns(self.form.still([z, *theta]), z)
        twice = _twice(time, still)
        r = _along(z, self.form.slope, theta)[:, 0]
        once = _once(time, _along(z, self.form.moving, theta))
        total = twice + once
        return r, total[:, 0], total[:, 1:]


def _columns(values: list[Value], z: Tensor) -> Tensor:
    full = [v.expand(z.shape) if isinstance(v, Tensor) else torch.full_like(z, v) for v in values]
    return torch.stack(full, dim=-1)


def _along(z: Tensor, program: Program, theta: Tensor) -> Tensor:
    """``int f(z) dz`` along the path from the first frame, by Gauss's rule between frames."""
    half = (z[1:] - z[:-1]) / 2
    middle = (z[1:] + z[:-1]) / 2
    nodes = torch.as_tensor(_NODES, dtype=z.dtype, device=z.device)
    weights = torch.as_tensor(_WEIGHTS, dtype=z.dtype, device=z.device)
    places = middle[:, None] + half[:, None] * nodes
    values = _columns(program([places, *theta]), places)
    steps = (values * (half[:, None] * weights)[..., None]).sum(1)
    return torch.cat([torch.zeros_like(steps[:1]), steps.cumsum(0)])


def _once(time: Tensor, f: Tensor) -> Tensor:
    """``int_0^t f`` for f piecewise linear."""
    step = (time[1:] - time[:-1])[:, None]
    parts = step * (f[1:] + f[:-1]) / 2
    return torch.cat([torch.zeros_like(f[:1]), parts.cumsum(0)])


def _twice(time: Tensor, f: Tensor) -> Tensor:
    """``int_0^t (t - s) f(s) ds`` for f piecewise linear, exactly."""
    step = (time[1:] - time[:-1])[:, None]
    speed = _once(time, f)
    parts = step * speed[:-1] + step**2 * (f[:-1] / 3 + f[1:] / 6)
    return torch.cat([torch.zeros_like(f[:1]), parts.cumsum(0)])


def _without_lines(time: Tensor) -> _Remover:
    scaled = time / time[-1]
    basis, _ = torch.linalg.qr(torch.stack([torch.ones_like(scaled), scaled], dim=-1))
    return _Remover(basis)


@dataclass(frozen=True)
class _Remover:
    """Removes the best constant and line in time: the profiled r0 and v0."""

    basis: Tensor

    def __call__(self, values: Tensor) -> Tensor:
        return values - self.basis @ (self.basis.T @ values)


def _solved(design: Tensor, target: Tensor) -> Tensor:
    """Least squares through scaled normal equations: stays differentiable where columns coincide."""
    if design.shape[1] == 0:
        return target.new_zeros(0)
    size = design.square().sum(0).sqrt().detach() + 1e-300
    scaled = design / size
    gram = scaled.T @ scaled + _RIDGE * torch.eye(len(size), dtype=design.dtype, device=design.device)
    solution: Tensor = torch.linalg.solve(gram, scaled.T @ target)
    return solution / size
