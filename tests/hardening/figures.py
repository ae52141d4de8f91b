"""What a kind of fault did."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Figures:
    """What was injected into one kind of work, and what broke."""

    name: str
    moments: int = 0
    caught: int = 0  # killed before the work was over
    failures: tuple[str, ...] = ()
