"""Stretches of clips that one update looks at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

MOST_FRAMES = 1024  # per update, where clips are taken whole


@dataclass(frozen=True)
class Window:
    """Frames ``start`` to ``stop`` (not included) of a training clip."""

    clip: int
    start: int
    stop: int

    @property
    def count(self) -> int:
        """The number of frames."""
        return self.stop - self.start


@dataclass(frozen=True)
class Encoded:
    """A window with its latent, in double precision."""

    window: Window
    latent: Tensor


def whole_clips(counts: list[int]) -> list[Window]:
    """Every clip from end to end."""
    return [Window(clip, 0, count) for clip, count in enumerate(counts)]


def drawn(counts: list[int], windows: int, frames: int, seed: int, step: int) -> list[Window]:
    """The windows of one update: every clip whole where ``windows`` is 0 and they are not too many.

    The draw depends on seed and step only, so that a resumed run sees what an uninterrupted one would.
    Long clips are drawn more often, so that every frame is seen equally often.
    """
    if windows == 0 and sum(counts) <= MOST_FRAMES:
        return whole_clips(counts)
    random = np.random.default_rng([seed, step])
    windows = windows or max(1, MOST_FRAMES // frames)
    lengths = np.array(counts, dtype=float)
    spread = min(windows, len(counts))
    clips = random.choice(len(counts), size=spread, replace=False, p=lengths / lengths.sum())
    more = random.choice(len(counts), size=windows - spread, p=lengths / lengths.sum())
    found = []
    for clip in [*clips, *more]:
        size = min(frames, counts[clip])
        start = int(random.integers(0, counts[clip] - size + 1))
        found.append(Window(int(clip), start, start + size))
    return found


def split(windows: list[Window], latent: Tensor) -> list[Encoded]:
    """The latent of all frames of the windows, cut into the windows."""
    parts = torch.split(latent.double(), [window.count for window in windows])
    return [Encoded(window, part) for window, part in zip(windows, parts, strict=True)]
