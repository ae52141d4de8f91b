"""Frames as points of a small vector space: blurred, thinned, centred, projected on main components.

The blur makes a sub-pixel displacement move the point smoothly (no pixel locking); the projection keeps what
changes from frame to frame and drops most of the pixel noise.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from identify.fit.film import Film, Pixels
from identify.fit.samples import spread_out

MOST_COMPONENTS = 48
_LEARN_ON = 2500  # frames from which the components are learned
_CHUNK = 512  # frames held as floating-point numbers at once
_OVERSAMPLED = 12
_SIGNAL = 2.0  # a component is kept while its variance exceeds the noise floor by this factor


@dataclass(frozen=True)
class Filter:
    """How a frame becomes numbers: blur in film pixels, thinning, and whether brightness is divided out."""

    blur: float = 1.5
    standardised: bool = False


@dataclass(frozen=True)
class Features:
    """The learned projection: ``mean`` and ``basis`` act on filtered frames."""

    filter: Filter
    mean: Tensor  # (d,)
    basis: Tensor  # (d, k), orthonormal columns
    noise: float  # standard deviation of a component that carries noise only

    def of(self, frames: Pixels) -> Tensor:
        """The frames as points, one row each, in double precision."""
        rows = [(x - self.mean) @ self.basis for x in filtered(frames, self.filter, self.mean.device)]
        return torch.cat(rows).double()


def learn(films: Sequence[Film], filter: Filter, device: torch.device, seed: int) -> Features:
    """The main components of a sample of the films' frames, evenly spread over the clips."""
    total = sum(film.count for film in films)
    step = max(1, math.ceil(total / _LEARN_ON))
    chosen = [film.frames if step == 1 else film.frames[spread_out(film.count, step, seed)] for film in films]
    sample = torch.cat([x for frames in chosen for x in filtered(frames, filter, device)])
    mean = sample.mean(0)
    variance, basis = _main_components(sample - mean, seed)
    kept, floor = _above_noise(variance, sample.shape, float((sample - mean).square().sum()))
    return Features(filter, mean, basis[:, :kept].contiguous(), floor)


def filtered(frames: Pixels, filter: Filter, device: torch.device) -> Iterable[Tensor]:
    """The filtered frames, flattened, a chunk at a time."""
    for start in range(0, len(frames), _CHUNK):
        chunk = torch.from_numpy(frames[start : start + _CHUNK].copy()).to(device)
        x = chunk.float().div_(255.0)
        x = x.unsqueeze(1) if x.ndim == 3 else x.permute(0, 3, 1, 2).contiguous()
        if filter.standardised:
            x = _standardised(x)
        yield _softened(x, filter.blur).flatten(1)


def brightness_changes(films: Sequence[Film]) -> bool:
    """Whether the frames' typical brightness drifts by more than a percent of full scale."""
    levels = torch.cat(
        [torch.from_numpy(f.frames[::4].copy()).flatten(1).float().median(1).values for f in films]
    )
    return bool((levels.quantile(0.95) - levels.quantile(0.05)) > 0.012 * 255)


def _standardised(x: Tensor) -> Tensor:
    """Each frame less its median, by its spread: a change of gain or offset leaves no trace."""
    flat = x.flatten(1)
    median = flat.median(1, keepdim=True).values
    spread = (flat - median).abs().mean(1, keepdim=True)
    floor = 0.25 * spread.median()
    return ((flat - median) / spread.clamp_min(float(floor) + 1e-6)).view_as(x)


def _softened(x: Tensor, sigma: float) -> Tensor:
    """Blurred and, where enough pixels are left, half the size: the blur made neighbours alike."""
    rows, columns = (_operator(n, sigma).to(x) for n in x.shape[2:])
    return rows @ x @ columns.T


def _operator(size: int, sigma: float) -> Tensor:
    """Blur and thinning along one axis as a matrix; the border pixels go on outside."""
    if size == 1:
        return torch.ones(1, 1)
    half = math.ceil(3 * sigma)
    offsets = torch.arange(-half, half + 1)
    kernel = torch.exp(-0.5 * (offsets / max(sigma, 1e-6)) ** 2)
    blur = torch.zeros(size, size)
    rows = torch.arange(size).unsqueeze(1).expand(-1, len(offsets))
    blur.index_put_(
        (rows, (rows + offsets).clamp(0, size - 1)), (kernel / kernel.sum()).expand(size, -1), True
    )
    if size < 32:
        return blur
    pairs = size // 2
    return blur[: 2 * pairs].view(pairs, 2, size).mean(1)


def _main_components(x: Tensor, seed: int) -> tuple[Tensor, Tensor]:
    """Variances and directions of the largest components, by a randomised range finder."""
    rank = min(MOST_COMPONENTS + _OVERSAMPLED, *x.shape)
    generator = torch.Generator().manual_seed(seed)
    probe = torch.randn(x.shape[1], rank, generator=generator).to(x)
    for _ in range(3):
        probe = torch.linalg.qr(x.T @ (x @ probe)).Q
    small = x @ probe
    values, vectors = torch.linalg.eigh((small.T @ small).double() / len(x))
    order = torch.argsort(values, descending=True)
    return values[order].clamp_min(0), (probe.double() @ vectors[:, order]).to(x.dtype)


def _above_noise(variance: Tensor, shape: torch.Size, energy: float) -> tuple[int, float]:
    """How many components stand out of the noise, and its standard deviation in one of them."""
    count, size = shape
    rest = max(energy / count - float(variance.sum()), 0.0)
    floor = max(rest / max(size - len(variance), 1), float(variance[-1]) * 0.25, 1e-12)
    kept = int((variance > _SIGNAL * floor).sum())
    return max(2, min(kept, MOST_COMPONENTS, len(variance))), math.sqrt(floor)
