"""Several fits of the same clips at one point of the orbit, so that their parameters can be compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from identify.analysis import Analysis
from identify.errors import IdentifyError
from identify.law import Law, read_expression
from identify.motion.dynamics import compiled


@dataclass(frozen=True)
class _Branch:
    """The parameters that one branch reports in the coordinate ``lambda*z + tau``."""

    free: frozenset[str]
    rules: tuple[Callable[..., Any], ...]
    order: tuple[str, ...]  # of the rules' arguments

    def at(self, known: Mapping[str, float], scale: float, origin: float) -> list[float]:
        own = {
            "lambda": scale if "lambda" in self.free else float(np.sign(scale)),
            "tau": origin if "tau" in self.free else 0.0,
        }
        values = {**known, **own}
        return [float(rule(*(values[name] for name in self.order))) for rule in self.rules]


class Transport:
    """Parameters along the orbit, through every branch whose maps have scale and origin alone to choose."""

    def __init__(self, law: Law, analysis: Analysis) -> None:
        self.names = [p.name for p in law.parameters]
        branches = () if analysis.gauge is None else analysis.gauge.branches
        read = [self._read(b) for b in branches if set(b.free) <= {"lambda", "tau"}]
        self._branches = [branch for branch in read if branch is not None]

    def _read(self, branch: Any) -> _Branch | None:
        symbols = [*self.names, "lambda", "tau"]
        try:
            rules = [read_expression(branch.parameters[name], symbols) for name in self.names]
        except (IdentifyError, KeyError):
            return None
        found = {s.name: s for rule in rules for s in rule.free_symbols}
        order = [found[name] for name in symbols if name in found]
        return _Branch(
            frozenset(branch.free),
            tuple(compiled(rule, *order) for rule in rules),
            tuple(s.name for s in order),
        )

    def moved(self, theta: Tensor, scale: float, origin: float, near: Tensor) -> Tensor | None:
        """The parameters in the coordinate ``scale*z + origin``, through the branch closest to ``near``."""
        known = dict(zip(self.names, theta.tolist(), strict=True))
        found = [
            torch.tensor(b.at(known, scale, origin), dtype=theta.dtype, device=theta.device)
            for b in self._branches
        ]
        finite = [values for values in found if bool(torch.isfinite(values).all())]
        unit = near.abs().clamp_min(1e-12)
        return min(finite, key=lambda values: float(((values - near) / unit).norm()), default=None)


def aligned(
    transport: Transport, theta: Tensor, own: Sequence[Tensor], other: Sequence[Tensor], near: Tensor
) -> Tensor | None:
    """``theta``, fitted with latents ``own``, where these come closest to ``other``; robust to outliers.

    Isolated branches of the same clips (a law about its other equilibrium) agree with the one ``near`` it.
    """
    x, y = torch.cat(list(own)).cpu().numpy(), torch.cat(list(other)).cpu().numpy()
    good = np.isfinite(x) & np.isfinite(y)
    if good.sum() < 8 or np.std(x[good]) == 0:
        return None
    return transport.moved(theta, *_line(x[good], y[good]), near)


def _line(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    keep = np.ones(len(x), dtype=bool)
    slope, start = 1.0, 0.0
    for _ in range(3):
        slope, start = (float(c) for c in np.polyfit(x[keep], y[keep], 1))
        off = np.abs(y - slope * x - start)
        keep = off <= 4 * max(float(np.median(off)), 1e-12)
    return slope, start
