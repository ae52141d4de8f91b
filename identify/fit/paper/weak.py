"""Evidence that needs no second derivative: the weak residual, and the law's own solution through a clip."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from identify.fit.film import Array
from identify.fit.paper.stencil import full_derivatives
from identify.fit.torch_law import TorchLaw

_LONGEST = 61
_SHORTEST = 9
MOST_FRAMES = 1000  # of a clip that are integrated
_ROUNDS = 6


@dataclass(frozen=True)
class Weak:
    """Residuals against bumps that overlap by half, the scale ``int w'' z``, and the residuals' gradients."""

    residual: Array
    scale: Array
    gradient: Array

    @property
    def relative(self) -> float:
        """Root mean square residual over that of the scale; nan where there is nothing."""
        size = float(np.sqrt(np.mean(self.scale**2))) if len(self.scale) else 0.0
        return float(np.sqrt(np.mean(self.residual**2))) / size if size > 0 else float("nan")


def weak_residual(compiled: TorchLaw, theta: Array, clips: list[tuple[Array, Array]]) -> Weak:
    """``int (w'' z - w F(z, v)) dt`` for clips (time, latent), w = (1 - u**2)**4; v is smoothed."""
    parts = [_of_clip(compiled, theta, time, z) for time, z in clips if len(time) >= _SHORTEST]
    if not parts:
        empty = np.zeros(0)
        return Weak(empty, empty, np.zeros((0, len(theta))))
    return Weak(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _of_clip(compiled: TorchLaw, theta: Array, time: Array, z: Array) -> tuple[Array, Array, Array]:
    size = min(_LONGEST, max(_SHORTEST, len(time) // 2))
    _, velocity, _ = full_derivatives(time, z, max(5, size // 3 | 1), 3)
    tensors = (torch.from_numpy(a) for a in (z, velocity, theta))
    force, _, _, slopes = compiled.with_gradients(*tensors)
    columns = np.stack([force.numpy(), *(s.numpy() for s in slopes)], axis=-1)
    starts = range(0, len(time) - size + 1, max(1, size // 2))
    rows = [_against_bump(time[i : i + size], z[i : i + size], columns[i : i + size]) for i in starts]
    found = np.array(rows)
    return found[:, 0] - found[:, 1], found[:, 0], -found[:, 2:]


def _against_bump(time: Array, z: Array, columns: Array) -> Array:
    centre, half = (time[0] + time[-1]) / 2, (time[-1] - time[0]) / 2
    u = (time - centre) / half
    bump = (1 - u**2) ** 4
    bend = (56 * u**2 - 8) * (1 - u**2) ** 2 / half**2
    step = np.gradient(time)
    # the mean is taken out: int w'' vanishes exactly, its sum over samples only nearly
    return np.concatenate([[np.sum(step * bend * (z - z.mean()))], (step * bump) @ columns])


def conditional_covariance(weak: Weak) -> Array:
    """Covariance of the parameters from the weak residuals with the encoder held fixed; nan if singular."""
    count, size = weak.gradient.shape
    undefined = np.full((size, size), np.nan)
    residual, gradient = weak.residual[::2], weak.gradient[::2]  # those that do not overlap
    if count == 0 or len(residual) <= size or size == 0 or not np.isfinite(gradient).all():
        return undefined
    scale = np.linalg.norm(gradient, axis=0)
    if not (scale > 0).all():
        return undefined
    scaled = gradient / scale
    gram = scaled.T @ scaled
    if np.linalg.cond(gram) > 1e12:
        return undefined
    variance = float(residual @ residual) / (len(residual) - size)
    inverse: Array = variance * np.linalg.inv(gram) / np.outer(scale, scale)
    return inverse


def solutions(compiled: TorchLaw, theta: Array, clips: list[tuple[Array, Array]]) -> list[Array]:
    """The law's solution nearest to each clip's latent, over its initial state; nan where not finite."""
    return [_solution(compiled, theta, time, z) for time, z in clips]


def _solution(compiled: TorchLaw, theta: Array, time: Array, z: Array) -> Array:
    fitted = np.full(len(time), np.nan)
    count = min(len(time), MOST_FRAMES)
    if count < 3:
        return fitted
    smooth, velocity, _ = full_derivatives(time[:count], z[:count], min(21, count), 3)
    start = np.array([smooth[0], velocity[0]])
    best, cost = start, np.inf
    damping = 1e-3
    for _ in range(_ROUNDS):
        steps = 1e-5 * np.maximum(np.abs(start), 0.1)
        trials = np.concatenate([start[None], start + np.diag(steps)])
        paths = _integrated(compiled, theta, time[:count], trials)
        gap = z[:count] - paths[0]
        now = float(gap @ gap) if np.isfinite(paths).all() else np.inf
        if now < cost:
            best, cost, damping = start, now, damping / 10
            fitted[:count] = paths[0]
            slopes = (paths[1:] - paths[0]).T / steps
            gram, pull = slopes.T @ slopes, slopes.T @ gap
        elif not np.isfinite(cost):
            return fitted
        else:
            damping *= 100
        start = best + np.linalg.solve(gram + damping * np.diag(np.diag(gram) + 1e-12), pull)
    return fitted


def _integrated(compiled: TorchLaw, theta: Array, time: Array, starts: Array) -> Array:
    """States at the times, by Runge and Kutta's fourth-order rule with two steps a frame, for each start."""
    constants = torch.from_numpy(theta)
    z, v = (torch.from_numpy(np.ascontiguousarray(column)) for column in starts.T)
    path = [z.numpy()]
    for width in np.diff(time):
        for _ in range(2):
            z, v = _runge_kutta(compiled, constants, z, v, float(width) / 2)
        path.append(z.numpy())
    return np.stack(path, axis=-1)


def _runge_kutta(
    compiled: TorchLaw, theta: torch.Tensor, z: torch.Tensor, v: torch.Tensor, h: float
) -> tuple[torch.Tensor, torch.Tensor]:
    a1 = compiled.acceleration(z, v, theta)
    v2 = v + h / 2 * a1
    a2 = compiled.acceleration(z + h / 2 * v, v2, theta)
    v3 = v + h / 2 * a2
    a3 = compiled.acceleration(z + h / 2 * v2, v3, theta)
    v4 = v + h * a3
    a4 = compiled.acceleration(z + h * v3, v4, theta)
    return z + h / 6 * (v + 2 * v2 + 2 * v3 + v4), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
