"""Nonlinear least squares by Levenberg and Marquardt, with columns scaled and flat directions held.

A direction along which the residual does not change (a gauge) has a singular value near zero: the damping
holds it, so that the iterate does not drift along the orbit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

Problem = Callable[[Tensor], tuple[Tensor, Tensor] | None]
"""Residual (n,) and Jacobian (n, k) at a point; None where the point is not allowed or not finite."""


@dataclass(frozen=True)
class Minimum:
    """Where the iteration stopped: the point, half the sum of squares, and the normal matrix there."""

    point: Tensor
    cost: float
    normal: Tensor
    gradient: Tensor
    steps: int
    converged: bool


def minimise(
    problem: Problem,
    start: Tensor,
    steps: int,
    tolerance: float = 1e-10,
    stop: Callable[[], bool] | None = None,
) -> Minimum | None:
    """The local minimum reached from ``start``; None where the start itself is not allowed.

    ``stop`` tells when time is up: the point reached by then is returned as not converged.
    """
    found = problem(start)
    if found is None:
        return None
    residual, jacobian = found
    point, cost, damping, grow = start, float(residual.square().sum()) / 2, 1e-3, 2.0
    normal, gradient = jacobian.T @ jacobian, jacobian.T @ residual
    for step in range(steps):
        if stop is not None and stop():
            return Minimum(point, cost, normal, gradient, step, False)
        move = _step(normal, gradient, damping)
        if move is None:
            damping *= 10
            continue
        trial = problem(point + move)
        new = float("inf") if trial is None else float(trial[0].square().sum()) / 2
        predicted = -float(gradient @ move + 0.5 * move @ (normal @ move))
        if trial is not None and new < cost:
            gain = (cost - new) / max(predicted, 1e-300)
            damping = max(damping * max(1 / 9, 1 - (2 * gain - 1) ** 3), 1e-9)
            grow = 2.0
            point, done = point + move, cost - new < tolerance * max(cost, 1e-300)
            residual, jacobian, cost = trial[0], trial[1], new
            normal, gradient = jacobian.T @ jacobian, jacobian.T @ residual
            if done:
                return Minimum(point, cost, normal, gradient, step + 1, True)
        else:
            damping, grow = damping * grow, grow * 2
            if damping > 1e12 or predicted < tolerance * cost:
                return Minimum(point, cost, normal, gradient, step + 1, True)
    return Minimum(point, cost, normal, gradient, steps, False)


def _step(normal: Tensor, gradient: Tensor, damping: float) -> Tensor | None:
    diagonal = normal.diagonal()
    scale = diagonal.clamp_min(1e-12 * float(diagonal.max()) + 1e-300)
    factor, info = torch.linalg.cholesky_ex(normal + torch.diag(damping * scale))
    if int(info) != 0:
        return None
    move = -torch.cholesky_solve(gradient.unsqueeze(1), factor).squeeze(1)
    return move if bool(torch.isfinite(move).all()) else None


def pseudo_inverse(normal: Tensor, relative: float = 1e-11) -> tuple[Tensor, int]:
    """The inverse on the directions that the residual sees, and how many it does not see."""
    scale = normal.diagonal().clamp_min(1e-300).sqrt()
    scale = scale.clamp_min(1e-9 * float(scale.max()))
    values, vectors = torch.linalg.eigh(normal / torch.outer(scale, scale))
    seen = values > relative * values[-1]
    inverse = (vectors[:, seen] / values[seen]) @ vectors[:, seen].T
    return inverse / torch.outer(scale, scale), int((~seen).sum())


def linear_solution(matrix: Tensor, target: Tensor) -> Tensor:
    """The least-squares solution of ``matrix @ x = target`` of least norm, the same in every process.

    torch's own choice on a processor, gelsy, begins with pivots from memory that nobody has set: its last
    digits differ from run to run.
    """
    driver = "gelsd" if matrix.device.type == "cpu" else None
    one = target.ndim == 1
    found: Tensor = torch.linalg.lstsq(matrix, target.unsqueeze(1) if one else target, driver=driver).solution
    return found.squeeze(1) if one else found
