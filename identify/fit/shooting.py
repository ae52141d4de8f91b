"""Motions of a law through given initial states, with their derivatives by state and parameters.

All clips are integrated side by side with the same number of Runge-Kutta steps; the derivatives follow from
the stages by linear recursion, and frames between steps by quintic Hermite interpolation (state, velocity
and acceleration at both ends).
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from identify.fit.torch_law import TorchLaw

_MOST_STEPS = 6000


@dataclass(frozen=True)
class Motion:
    """State and velocity at the frames, and the derivatives by (z0, v0, theta) along the last axis."""

    state: Tensor  # (n,)
    velocity: Tensor  # (n,)
    state_by: Tensor | None  # (n, 2 + p)


class Shooting:
    """Integrates clips of given durations; frames are given once."""

    def __init__(self, law: TorchLaw, time: Tensor, clip: Tensor, duration: Tensor, step: float) -> None:
        self.law = law
        self.steps = max(8, min(_MOST_STEPS, int(float(duration.max()) / step) + 1))
        self.step = duration.clamp_min(1e-9) / self.steps  # (m,)
        where = time / self.step[clip]
        self.cell = where.floor().clamp(0, self.steps - 1).long()
        self.clip = clip
        self.hermite, self.hermite_slope = _hermite(where - self.cell), _hermite_slope(where - self.cell)

    def run(self, start: Tensor, theta: Tensor, derivatives: bool = True) -> Motion | None:
        """The motions through ``start`` (m, 2); None where one is not finite."""
        z, v, stages = self._integrate(start, theta)
        if not bool(torch.isfinite(z).all() & torch.isfinite(v).all()):
            return None
        if not derivatives:
            a = self.law.acceleration(z, v, theta)
            state, velocity = self._at_frames(z, v, a)
            return Motion(state, velocity, None)
        sensitivity = self._sensitivity(stages, theta, len(start))
        a, by_state, by_velocity, by_theta = self.law.with_gradients(z, v, theta)
        dz, dv = sensitivity[..., 0, :], sensitivity[..., 1, :]
        da = by_state.unsqueeze(-1) * dz + by_velocity.unsqueeze(-1) * dv
        if by_theta:
            da[..., 2:] += torch.stack(by_theta, -1)
        state, velocity = self._at_frames(z, v, a)
        state_by = self._interpolated(dz, dv, da)
        if not bool(torch.isfinite(state_by).all()):
            return None
        return Motion(state, velocity, state_by)

    def _integrate(self, start: Tensor, theta: Tensor) -> tuple[Tensor, Tensor, tuple[Tensor, Tensor]]:
        """Nodes (steps+1, m) and stage points (steps, 4, m) of the classical fourth-order method."""
        f, h = self.law.acceleration, self.step
        z, v = start[:, 0], start[:, 1]
        half = h / 2
        nodes_z, nodes_v, stage_z, stage_v = [z], [v], [], []
        for _ in range(self.steps):
            a1 = f(z, v, theta)
            z2, v2 = z + half * v, v + half * a1
            a2 = f(z2, v2, theta)
            z3, v3 = z + half * v2, v + half * a2
            a3 = f(z3, v3, theta)
            z4, v4 = z + h * v3, v + h * a3
            a4 = f(z4, v4, theta)
            stage_z += [z, z2, z3, z4]
            stage_v += [v, v2, v3, v4]
            z = z + h / 6 * (v + 2 * (v2 + v3) + v4)
            v = v + h / 6 * (a1 + 2 * (a2 + a3) + a4)
            nodes_z.append(z)
            nodes_v.append(v)
        shape = (self.steps, 4, len(start))
        stages = torch.stack(stage_z).view(shape), torch.stack(stage_v).view(shape)
        return torch.stack(nodes_z), torch.stack(nodes_v), stages

    def _sensitivity(self, stages: tuple[Tensor, Tensor], theta: Tensor, clips: int) -> Tensor:
        """Derivatives of the nodes (steps+1, m, 2, 2+p): products of the steps' linear maps."""
        _, by_state, by_velocity, by_theta = self.law.with_gradients(*stages, theta)
        count = len(by_theta)
        width = 2 + count
        # Stage i maps (dz, dv, 1) to the slope (dv_i, F_z dz_i + F_v dv_i + F_theta): exact for the scheme.
        h = self.step.view(1, -1, 1)
        unit = torch.zeros(self.steps, clips, 2, 2 + count).to(by_state)
        unit[..., 0, 0] = unit[..., 1, 1] = 1
        force = torch.zeros(self.steps, 4, clips, width).to(by_state)
        if count:
            force[..., 2:] = torch.stack(by_theta, -1)
        point, slopes = unit, []
        for i, share in enumerate((0.5, 0.5, 1.0, 0.0)):
            slope_z = point[..., 1, :]
            slope_v = (
                by_state[:, i].unsqueeze(-1) * point[..., 0, :]
                + by_velocity[:, i].unsqueeze(-1) * point[..., 1, :]
                + force[:, i]
            )
            slopes.append(torch.stack([slope_z, slope_v], -2))
            point = unit + share * h.unsqueeze(-1) * slopes[-1]
        total = slopes[0] + 2 * (slopes[1] + slopes[2]) + slopes[3]
        step = unit + h.unsqueeze(-1) / 6 * total  # (steps, m, 2, 2+p)
        return _chained(step)

    def _at_frames(self, z: Tensor, v: Tensor, a: Tensor) -> tuple[Tensor, Tensor]:
        state = self._interpolated(z.unsqueeze(-1), v.unsqueeze(-1), a.unsqueeze(-1)).squeeze(-1)
        return state, self._velocity(z, v, a)

    def _velocity(self, z: Tensor, v: Tensor, a: Tensor) -> Tensor:
        """The derivative of the interpolating quintic."""
        h = self.step[self.clip]
        left, right = (self.cell, self.clip), (self.cell + 1, self.clip)
        weight = self.hermite_slope
        value = weight[:, 0] * z[left] + weight[:, 3] * z[right]
        value = value + h * (weight[:, 1] * v[left] + weight[:, 4] * v[right])
        value = value + h**2 * (weight[:, 2] * a[left] + weight[:, 5] * a[right])
        return value / h

    def _interpolated(self, z: Tensor, v: Tensor, a: Tensor) -> Tensor:
        h = self.step[self.clip].unsqueeze(1)
        left, right = (self.cell, self.clip), (self.cell + 1, self.clip)
        w = self.hermite.unsqueeze(-1)
        value = w[:, 0] * z[left] + w[:, 3] * z[right]
        value = value + h * (w[:, 1] * v[left] + w[:, 4] * v[right])
        return value + h**2 * (w[:, 2] * a[left] + w[:, 5] * a[right])


def _chained(step: Tensor) -> Tensor:
    """All prefix products of affine maps by doubling: a few large operations in place of many small ones."""
    steps, clips, _, width = step.shape
    total = step
    reach = 1
    while reach < steps:
        later, earlier = total[reach:], total[:-reach]
        joined = later[..., :2] @ earlier
        joined = torch.cat([joined[..., :2], joined[..., 2:] + later[..., 2:]], -1)
        total = torch.cat([total[:reach], joined])
        reach *= 2
    unit = torch.zeros(1, clips, 2, width).to(step)
    unit[..., 0, 0] = unit[..., 1, 1] = 1
    return torch.cat([unit, total])


def _hermite(u: Tensor) -> Tensor:
    """Weights of (z, h v, h^2 a) at the left end and at the right."""
    u2, u3, u4, u5 = u**2, u**3, u**4, u**5
    return torch.stack(
        [
            1 - 10 * u3 + 15 * u4 - 6 * u5,
            u - 6 * u3 + 8 * u4 - 3 * u5,
            0.5 * u2 - 1.5 * u3 + 1.5 * u4 - 0.5 * u5,
            10 * u3 - 15 * u4 + 6 * u5,
            -4 * u3 + 7 * u4 - 3 * u5,
            0.5 * u3 - u4 + 0.5 * u5,
        ],
        1,
    )


def _hermite_slope(u: Tensor) -> Tensor:
    """Derivatives of the weights by ``u``."""
    u2, u3, u4 = u**2, u**3, u**4
    return torch.stack(
        [
            -30 * u2 + 60 * u3 - 30 * u4,
            1 - 18 * u2 + 32 * u3 - 15 * u4,
            u - 4.5 * u2 + 6 * u3 - 2.5 * u4,
            30 * u2 - 60 * u3 + 30 * u4,
            -12 * u2 + 28 * u3 - 15 * u4,
            1.5 * u2 - 4 * u3 + 2.5 * u4,
        ],
        1,
    )
