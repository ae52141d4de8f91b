"""Several fits of the same clips at one point of the orbit, so that their parameters can be compared."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from identify.analysis import Analysis
from identify.errors import IdentifyError
from identify.law import Law, read_expression
from identify.motion.dynamics import compiled


class Transport:
    """Parameters along the orbit of the identity branch: as the map ``lambda*z + tau`` reports them."""

    def __init__(self, law: Law, analysis: Analysis) -> None:
        self.names = [p.name for p in law.parameters]
        branches = () if analysis.gauge is None else analysis.gauge.branches
        branch = next((b for b in branches if b.kind == "identity"), None)
        self.free = () if branch is None else branch.free
        self._rules = []
        if branch is None or not set(self.free) <= {"lambda", "tau"}:
            return
        symbols = [*self.names, "lambda", "tau"]
        try:
            rules = [read_expression(branch.parameters[name], symbols) for name in self.names]
        except (IdentifyError, KeyError):
            return
        found = {s.name: s for rule in rules for s in rule.free_symbols}
        order = [found[name] for name in symbols if name in found]
        self._order = [s.name for s in order]
        self._rules = [compiled(rule, *order) for rule in rules]

    def moved(self, theta: Tensor, scale: float, origin: float) -> Tensor | None:
        """The parameters in the coordinate ``scale*z + origin``; None where the orbit is not of that kind."""
        if not self._rules:
            return None
        known = dict(zip(self.names, theta.tolist(), strict=True)) | {"lambda": scale, "tau": origin}
        values = [rule(*(known[name] for name in self._order)) for rule in self._rules]
        found = torch.tensor([float(v) for v in values], dtype=theta.dtype, device=theta.device)
        return found if bool(torch.isfinite(found).all()) else None


def aligned(
    transport: Transport, theta: Tensor, own: Sequence[Tensor], other: Sequence[Tensor]
) -> Tensor | None:
    """``theta``, fitted with latents ``own``, where these come closest to ``other``; robust to outliers."""
    x, y = torch.cat(list(own)).cpu().numpy(), torch.cat(list(other)).cpu().numpy()
    good = np.isfinite(x) & np.isfinite(y)
    if good.sum() < 8 or np.std(x[good]) == 0:
        return None
    scale, origin = _line(x[good], y[good])
    if "lambda" not in transport.free:
        scale = float(np.sign(scale))
    if "tau" not in transport.free:
        origin = 0.0
    return transport.moved(theta, scale, origin)


def _line(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    keep = np.ones(len(x), dtype=bool)
    slope, start = 1.0, 0.0
    for _ in range(3):
        slope, start = (float(c) for c in np.polyfit(x[keep], y[keep], 1))
        off = np.abs(y - slope * x - start)
        keep = off <= 4 * max(float(np.median(off)), 1e-12)
    return slope, start
