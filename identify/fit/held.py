"""Which freedoms of the latent are exact, so that a fit can hold them without loss."""

from __future__ import annotations

from dataclasses import dataclass

from identify.analysis import Analysis


@dataclass(frozen=True)
class Held:
    """Scale and origin of the latent, and parameters, that some compatible map moves freely."""

    scale: bool = False
    origin: bool = False
    parameters: tuple[str, ...] = ()


def held(analysis: Analysis) -> Held:
    """What the analysis leaves free at every report; nothing where it is not known."""
    branches = () if analysis.gauge is None else analysis.gauge.branches
    free = next((branch.free for branch in branches if branch.kind == "identity"), ())
    moved = tuple(p for p in analysis.law.parameters if f"{p}_hat" in free)
    return Held(scale="lambda" in free, origin="tau" in free, parameters=moved)
