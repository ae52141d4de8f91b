"""The derivative residual ``D2 z - F(z, D1 z)`` of eq:setup_sampled_residual, and its mean square."""

from __future__ import annotations

import torch
from torch import Tensor

from identify.errors import InputError
from identify.fit.film import Array
from identify.fit.paper.settings import PaperSettings
from identify.fit.paper.stencil import fitting_window, stencil
from identify.fit.paper.windows import Encoded
from identify.fit.torch_law import TorchLaw

_STABLE = 1e-8


class ResidualObjective:
    """Mean squared residual over the interior frames of windows, relative to the local spread if set.

    States outside the law's domain, or where F is not finite, are left out; the penalty on the domain
    brings them back.
    """

    def __init__(
        self, compiled: TorchLaw, settings: PaperSettings, times: list[Array], device: torch.device
    ) -> None:
        self.compiled = compiled
        self.relative = settings.local_scale
        self.stencils: list[tuple[int, Tensor, Tensor] | None] = []
        for time in times:
            size = fitting_window(len(time), settings.window, settings.degree)
            if size is None:
                self.stencils.append(None)
                continue
            weights = stencil(time, *size)
            first, second = (torch.from_numpy(a).to(device) for a in (weights.first, weights.second))
            self.stencils.append((weights.window, first, second))
        if all(found is None for found in self.stencils):
            raise InputError("no training clip has three frames", hint="give longer clips")

    def residual(self, encoded: Encoded, theta: Tensor) -> Tensor:
        """The residual at the frames of the window that have a full stencil and lie in the domain."""
        found = self.stencils[encoded.window.clip]
        if found is None or encoded.window.count < found[0]:
            return encoded.latent.new_zeros(0)
        size, first, second = found
        start, rows = encoded.window.start, encoded.window.count - size + 1
        pieces = encoded.latent.unfold(0, size, 1)
        velocity = (pieces * first[start : start + rows]).sum(-1)
        bend = (pieces * second[start : start + rows]).sum(-1)
        state = encoded.latent[size // 2 : size // 2 + rows]
        force, inside = guarded_force(self.compiled, state, velocity, theta)
        residual = (bend - force)[inside]
        if self.relative:
            residual = residual / torch.sqrt(encoded.latent.var(unbiased=False) + _STABLE)
        return residual

    def __call__(self, windows: list[Encoded], theta: Tensor) -> Tensor:
        """The mean over all interior frames (eq:direct_objective)."""
        residual = torch.cat([self.residual(encoded, theta) for encoded in windows])
        return residual.square().mean() if len(residual) else theta.new_zeros(())


def guarded_force(
    compiled: TorchLaw, state: Tensor, velocity: Tensor, theta: Tensor
) -> tuple[Tensor, Tensor]:
    """F and the mask where it counts; elsewhere F is evaluated at a good state, so no gradient is nan."""
    with torch.no_grad():
        inside = compiled.domain_ok(state, theta)
        inside &= torch.isfinite(compiled.acceleration(state, velocity, theta))
    if bool(inside.all()):
        return compiled.acceleration(state, velocity, theta), inside
    if not bool(inside.any()):
        return torch.zeros_like(state), inside
    good = state.detach()[inside][0]
    state = torch.where(inside, state, good)
    return compiled.acceleration(
        state, torch.where(inside, velocity, velocity.detach()[inside][0]), theta
    ), inside
