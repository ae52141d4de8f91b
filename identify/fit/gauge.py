"""Which freedoms of the latent the analysis leaves open, so that a fit can hold them without loss."""

from __future__ import annotations

from identify.analysis import Analysis
from identify.fit.refine import Held


def held(analysis: Analysis) -> Held:
    """Scale, origin and parameters that some compatible map moves freely; nothing where it is not known."""
    branches = () if analysis.gauge is None else analysis.gauge.branches
    free = next((branch.free for branch in branches if branch.kind == "identity"), ())
    moved = tuple(p for p in analysis.law.parameters if f"{p}_hat" in free)
    return Held(scale="lambda" in free, origin="tau" in free, parameters=moved)
