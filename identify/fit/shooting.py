"""Motions of a law through given initial states, with their derivatives by state and parameters.

All clips are integrated side by side with the same number of steps of the classical Runge-Kutta method.  The
steps are not taken one after the other: from a guess of all nodes (the last motion, or what was observed)
Newton's method solves for all of them at once, each round a few large operations and a scan.  Where that does
not settle, the steps are taken in order.  Frames between nodes come from quintic Hermite interpolation.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import torch
from torch import Tensor

from identify.fit.curve import interpolate
from identify.fit.torch_law import TorchLaw

_MOST_STEPS = 4000
_ROUNDS = 12
_SETTLED = 1e-11
_CLOSE = 1e-3  # relative: one more round of Newton squares it
_ESCAPE = 1e8


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
        self.nodes: Tensor | None = None  # (steps + 1, m, 2), the last motion or a guess
        self.known = False  # whether the nodes are a motion

    def guess(self, time: Tensor, clip: Tensor, state: Tensor, velocity: Tensor) -> None:
        """Take observed states and velocities as the first guess of the nodes."""
        nodes = torch.empty(self.steps + 1, len(self.step), 2).to(state)
        at = torch.arange(self.steps + 1).to(state)
        for c in range(len(self.step)):
            own = clip == c
            for column, values in enumerate((state, velocity)):
                nodes[:, c, column] = interpolate(at * self.step[c], time[own], values[own])
        self.nodes, self.known = nodes, False

    def finer(self, law_time: Tensor, duration: Tensor) -> Shooting:
        """The same clips with half the step, its nodes guessed from these."""
        other = Shooting(self.law, law_time, self.clip, duration, float(self.step.max()) / 2)
        if self.nodes is not None:
            share = torch.linspace(0, self.steps, other.steps + 1).to(self.nodes)
            left = share.floor().long().clamp_max(self.steps - 1)
            part = (share - left).view(-1, 1, 1)
            other.nodes = self.nodes[left] * (1 - part) + self.nodes[left + 1] * part
        return other

    def run(self, start: Tensor, theta: Tensor, derivatives: bool = True) -> Motion | None:
        """The motions through ``start`` (m, 2); None where one is not finite."""
        found = self._newton(start, theta, derivatives) if self.nodes is not None else None
        if found is None and not self.known:  # later a step that Newton cannot follow is too long a step
            self.nodes = self._in_order(start, theta)
            found = None if self.nodes is None else self._newton(start, theta, derivatives)
        if found is None:
            return None
        nodes, sensitivity = found
        self.nodes, self.known = nodes, True
        z, v = nodes[..., 0], nodes[..., 1]
        if not derivatives:
            return Motion(*self._at_frames(z, v, self.law.acceleration(z, v, theta)), None)
        a, by_state, by_velocity, by_theta = self.law.with_gradients(z, v, theta)
        dz, dv = sensitivity[..., 0, :], sensitivity[..., 1, :]
        da = by_state.unsqueeze(-1) * dz + by_velocity.unsqueeze(-1) * dv
        if by_theta:
            da[..., 2:] += torch.stack(by_theta, -1)
        state_by = self._interpolated(dz, dv, da)
        if not bool(torch.isfinite(state_by).all()):
            return None
        return Motion(*self._at_frames(z, v, a), state_by)

    def _newton(self, start: Tensor, theta: Tensor, derivatives: bool) -> tuple[Tensor, Tensor] | None:
        """All nodes of the scheme and their derivatives, from the guess; None where it does not settle.

        Derivatives by theta are carried along only once the nodes are close.
        """
        nodes = self.nodes
        assert nodes is not None
        last, all_of = float("inf"), not derivatives
        for _ in range(_ROUNDS):
            after, maps = self._one_step(nodes[:-1], theta, derivatives and all_of)
            linear = maps[..., :2]
            offset = after - _applied(linear, nodes[:-1])
            chained = _chained(torch.cat([maps, offset.unsqueeze(-1)], -1))
            new = _applied(chained[..., :2], start) + chained[..., -1]
            change = float((new - nodes).abs().max())
            size = float(new.abs().max())
            if not change < _ESCAPE or size > _ESCAPE:  # nan compares false
                return None
            nodes = new
            if all_of and change <= _SETTLED * max(size, 1e-12):
                return nodes, chained[..., :-1]
            all_of = all_of or change <= _CLOSE * max(size, 1e-12)
            if change > 1e3 * last:
                return None
            last = change
        return None

    def _in_order(self, start: Tensor, theta: Tensor) -> Tensor | None:
        """The nodes one after the other; None where they leave all bounds."""
        f, h = self.law.acceleration, self.step
        z, v = start[:, 0], start[:, 1]
        half, sixth = h / 2, h / 6
        nodes = [start]
        for _ in range(self.steps):
            a1 = f(z, v, theta)
            v2 = v + half * a1
            a2 = f(z + half * v, v2, theta)
            v3 = v + half * a2
            a3 = f(z + half * v2, v3, theta)
            v4 = v + h * a3
            a4 = f(z + h * v3, v4, theta)
            z, v = z + sixth * (v + 2 * (v2 + v3) + v4), v + sixth * (a1 + 2 * (a2 + a3) + a4)
            nodes.append(torch.stack([z, v], -1))
        found = torch.stack(nodes)
        return found if bool((found.abs() < _ESCAPE).all()) else None

    def _one_step(self, nodes: Tensor, theta: Tensor, by_all: bool) -> tuple[Tensor, Tensor]:
        """One step from every node at once, and its derivatives by (z, v), theta: (steps, m, 2, 2 + p)."""
        h = self.step.unsqueeze(-1)
        width = 2 + by_all * len(self.law.names)
        unit = torch.zeros(*nodes.shape, width).to(nodes)
        unit[..., 0, 0] = unit[..., 1, 1] = 1
        point, by = nodes, unit
        total, total_by = torch.zeros_like(nodes), torch.zeros_like(unit)
        for share, weight in ((0.5, 1.0), (0.5, 2.0), (1.0, 2.0), (0.0, 1.0)):
            z, v = point[..., 0], point[..., 1]
            a, by_state, by_velocity, by_theta = self.law.with_gradients(z, v, theta)
            slope = torch.stack([v, a], -1)
            force = by_state.unsqueeze(-1) * by[..., 0, :] + by_velocity.unsqueeze(-1) * by[..., 1, :]
            if by_all and by_theta:
                force[..., 2:] += torch.stack(by_theta, -1)
            slope_by = torch.stack([by[..., 1, :], force], -2)
            total, total_by = total + weight * slope, total_by + weight * slope_by
            point, by = nodes + share * h * slope, unit + share * h.unsqueeze(-1) * slope_by
        return nodes + h / 6 * total, unit + h.unsqueeze(-1) / 6 * total_by

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


def _applied(maps: Tensor, points: Tensor) -> Tensor:
    return maps[..., 0] * points[..., :1] + maps[..., 1] * points[..., 1:]


def _chained(step: Tensor) -> Tensor:
    """All prefix products of affine maps: within blocks, all blocks at once, and then from block to block."""
    steps, clips, _, width = step.shape
    unit = torch.zeros(1, clips, 2, width).to(step)
    unit[..., 0, 0] = unit[..., 1, 1] = 1
    length = math.isqrt(steps) + 1
    blocks = -(-steps // length)
    filled = torch.cat([step, unit.expand(blocks * length - steps, -1, -1, -1)])
    apart = filled.view(blocks, length, clips, 2, width).unbind(1)
    within = list(itertools.accumulate(apart, _after))
    ends = itertools.accumulate(within[-1].unbind(0)[:-1], _after, initial=unit[0])
    total = _after(torch.stack(list(ends)).unsqueeze(1), torch.stack(within, 1))
    return torch.cat([unit, total.reshape(-1, clips, 2, width)[:steps]])


def _after(earlier: Tensor, later: Tensor) -> Tensor:
    """One affine map after another; spelled out, as batched products of matrices this small are slow."""
    joined = later[..., :1] * earlier[..., :1, :]
    joined.addcmul_(later[..., 1:2], earlier[..., 1:2, :])
    joined[..., 2:] += later[..., 2:]
    return joined


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
