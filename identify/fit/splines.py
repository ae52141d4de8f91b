"""Cubic B-splines on equal knots: values, derivatives and a roughness penalty, as matrices.

Outside its interval a spline goes on as a straight line, so that a trajectory that strays a little keeps a
finite residual and a sensible gradient.
"""

from __future__ import annotations

import torch
from torch import Tensor


class Spline:
    """The space of cubic splines with ``size`` coefficients on [low, high]."""

    def __init__(self, low: float, high: float, size: int) -> None:
        if size < 4 or not high > low:
            raise ValueError("a cubic spline needs four coefficients and an interval")
        self.low, self.high, self.size = low, high, size
        self.width = (high - low) / (size - 3)

    def basis(self, x: Tensor) -> Tensor:
        """The values of the basis functions at ``x``, one row each."""
        return self.basis_and_slope(x)[0]

    def basis_and_slope(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Values and first derivatives of the basis functions at ``x``."""
        inside = x.clamp(self.low, self.high)
        cell = ((inside - self.low) / self.width).floor().clamp(0, self.size - 4).long()
        u = (inside - self.low) / self.width - cell
        value, slope = _blending(u), _blending_slope(u) / self.width
        value = value + slope * (x - inside).unsqueeze(-1)
        rows = torch.zeros(*x.shape, self.size, dtype=x.dtype, device=x.device)
        slopes = torch.zeros_like(rows)
        columns = cell.unsqueeze(-1) + torch.arange(4, device=x.device)
        return rows.scatter_(-1, columns, value), slopes.scatter_(-1, columns, slope)

    def evaluate(self, x: Tensor, coefficients: Tensor) -> tuple[Tensor, Tensor]:
        """Value and slope of the spline (one or several columns of coefficients) at ``x``."""
        value, slope = self.basis_and_slope(x)
        return value @ coefficients, slope @ coefficients

    def straight(self, intercept: float, slope: float, like: Tensor) -> Tensor:
        """The coefficients of ``intercept + slope * x`` (Greville's abscissae)."""
        return intercept + slope * self.sites(like)

    def sites(self, like: Tensor) -> Tensor:
        """Where each coefficient acts: a straight line has its own values there as coefficients."""
        steps = torch.arange(-1, self.size - 1, dtype=like.dtype, device=like.device)
        return self.low + self.width * steps

    def roughness(self, like: Tensor, order: int = 2) -> Tensor:
        """Differences of the coefficients: rows whose squares sum to a penalty on bending."""
        identity = torch.eye(self.size, dtype=like.dtype, device=like.device)
        return torch.diff(identity, n=order, dim=0)


def _blending(u: Tensor) -> Tensor:
    v = 1 - u
    return torch.stack(
        [v**3, 3 * u**3 - 6 * u**2 + 4, 3 * v**3 - 6 * v**2 + 4, u**3], -1
    ) / 6  # fmt: skip


def _blending_slope(u: Tensor) -> Tensor:
    v = 1 - u
    return torch.stack(
        [-(v**2), 3 * u**2 - 4 * u, -3 * v**2 + 4 * v, u**2], -1
    ) / 2  # fmt: skip
