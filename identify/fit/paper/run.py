"""How a training run is carried out: what does not change its answer except by stopping it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

Progress = Callable[[int, int, float], None]


@dataclass(frozen=True)
class PaperRun:
    """Seed, device and limits of one run.

    ``checkpoint`` is written every ``checkpoint_seconds`` and at the end; with ``resume`` a run continues
    from it and gives the numbers of an uninterrupted one.  ``progress`` is told step, total and loss a few
    times a second.  ``time_limit`` is in seconds of training in this process.
    """

    seed: int = 0
    device: str = "cpu"
    time_limit: float | None = None
    checkpoint: Path | None = None
    checkpoint_seconds: float = 5.0
    resume: bool = False
    progress: Progress | None = None
