"""How far a frame lies from everything the encoder was trained on, by small copies of training frames."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from identify.fit.film import Array

_SIDE = 16
_MOST = 256
_BATCH = 512
_TESTED = 4096


def small(frames: Tensor) -> Tensor:
    """Frames as vectors: shrunk to at most 16 by 16 pixels, without their mean brightness."""
    parts = []
    for i in range(0, len(frames), _BATCH):
        x = frames[i : i + _BATCH].float() / 255
        x = functional.adaptive_avg_pool2d(x, (min(_SIDE, x.shape[2]), min(_SIDE, x.shape[3]))).flatten(1)
        parts.append(x - x.mean(dim=1, keepdim=True))
    return torch.cat(parts)


def landmarks(frames: Tensor) -> tuple[Tensor, float]:
    """Some training frames in small, and the usual distance of a training frame from the nearest of them."""
    vectors = small(frames)
    count = min(len(vectors), _MOST)
    picked = torch.from_numpy(np.linspace(0, len(vectors) - 1, count).astype(np.int64))
    others = torch.ones(len(vectors), dtype=torch.bool)
    others[picked] = False
    tested = vectors[others][:: max(1, len(vectors) // _TESTED)] if bool(others.any()) else vectors
    distance = _nearest(tested, vectors[picked], skip_equal=not bool(others.any()))
    usual = float(np.median(distance)) if len(distance) else 0.0
    return vectors[picked].contiguous(), max(usual, 1e-6)


def off_curve(frames: Tensor, points: Tensor, usual: float) -> Array:
    """The distance of each frame from the nearest landmark in units of the usual one."""
    return _nearest(small(frames), points) / usual


def _nearest(vectors: Tensor, points: Tensor, skip_equal: bool = False) -> Array:
    parts = []
    for i in range(0, len(vectors), _BATCH):
        distance = torch.cdist(vectors[i : i + _BATCH], points)
        if skip_equal:
            distance = distance.masked_fill(distance == 0, float("inf"))
        parts.append(distance.min(dim=1).values.double().numpy())
    return np.concatenate(parts) if parts else np.zeros(0)
