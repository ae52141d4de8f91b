"""The paper's encoders: one frame to one number, the same network for every frame and clip."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from identify.fit.film import Pixels
from identify.fit.paper.settings import EncoderName, PaperSettings

BATCH = 256  # frames encoded at once: bounds the memory
_LEAST_POSITIVE = 0.05
_LAYOUT = torch.channels_last  # 1.2 to 2 times faster on a CPU


class Encoder(nn.Module):
    """Pixels in 0..255 to the latent; ``mean`` and ``spread`` are those of the training frames."""

    mean: Tensor
    spread: Tensor

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(channels, 1, 1))
        self.register_buffer("spread", torch.ones(channels, 1, 1))

    def standardise(self, frames: Tensor) -> None:
        """Take mean and spread from the training frames."""
        count = min(len(frames), 2048)
        picked = frames[torch.linspace(0, len(frames) - 1, count).long()].float()
        self.mean.copy_(picked.mean(dim=(0, 2, 3)).reshape(-1, 1, 1))
        self.spread.copy_(picked.std(dim=(0, 2, 3)).clamp(min=1.0).reshape(-1, 1, 1))

    def forward(self, frames: Tensor) -> Tensor:
        """The latent of frames (n, channels, height, width), of shape (n)."""
        x = frames.to(dtype=torch.float32, memory_format=_LAYOUT)
        return self.latent((x - self.mean) / self.spread)

    def latent(self, x: Tensor) -> Tensor:
        """The latent of standardised frames."""
        raise NotImplementedError

    def output(self) -> nn.Linear | None:
        """The layer whose bias is the latent's offset, where there is one."""
        return None


def _block(inside: int, outside: int, activation: type[nn.Module], stride: int = 2) -> nn.Sequential:
    groups = math.gcd(8, outside) if outside > 2 else 1
    return nn.Sequential(
        nn.Conv2d(inside, outside, 3, stride=stride, padding=1), nn.GroupNorm(groups, outside), activation()
    )


class ConvolutionalEncoder(Encoder):
    """Three blocks of base width 32 with GroupNorm and GELU, a 128-unit MLP, a scalar (six families)."""

    def __init__(self, channels: int, height: int, width: int) -> None:
        super().__init__(channels)
        sizes = (channels, 32, 64, 128)
        self.blocks = nn.Sequential(*(_block(one, two, nn.GELU) for one, two in pairwise(sizes)))
        grid = (min(8, -(-height // 8)), min(8, -(-width // 8)))
        self.pool = nn.AdaptiveAvgPool2d(grid)
        self.hidden = nn.Linear(128 * grid[0] * grid[1], 128)
        self.scalar = nn.Linear(128, 1)

    def latent(self, x: Tensor) -> Tensor:
        """See the class."""
        hidden = functional.gelu(self.hidden(self.pool(self.blocks(x)).flatten(1)))
        return _column(self.scalar(hidden))

    def output(self) -> nn.Linear:
        """The scalar head."""
        return self.scalar


class SoftArgmaxEncoder(Encoder):
    """Expected positions of four soft maps, joined linearly, through a learned cubic polynomial."""

    def __init__(self, channels: int, height: int, width: int) -> None:
        super().__init__(channels)
        self.features = nn.Sequential(
            nn.Conv2d(channels, 16, 5, stride=2, padding=2),
            nn.GELU(),
            nn.Conv2d(16, 16, 3, padding=1),
            nn.GELU(),
        )
        self.maps = nn.Conv2d(16, 4, 1)
        self.join = nn.Linear(8, 1, bias=False)
        self.cubic = nn.Parameter(torch.tensor([0.0, 1.0, 0.0, 0.0]))

    def latent(self, x: Tensor) -> Tensor:
        """See the class."""
        maps = self.maps(self.features(x))
        weights = maps.flatten(2).softmax(dim=-1).reshape(maps.shape)
        rows = torch.linspace(-1, 1, maps.shape[2], device=x.device, dtype=maps.dtype)
        columns = torch.linspace(-1, 1, maps.shape[3], device=x.device, dtype=maps.dtype)
        places = torch.cat([weights.sum(3) @ rows, weights.sum(2) @ columns], dim=1)
        u = _column(self.join(places))
        c = self.cubic
        return c[0] + u * (c[1] + u * (c[2] + u * c[3]))


class PositiveEncoder(Encoder):
    """Two 3x3 convolutions with two channels, GroupNorm, SiLU, mean, linear; ``0.05 + softplus``."""

    def __init__(self, channels: int, height: int, width: int) -> None:
        super().__init__(channels)
        self.blocks = nn.Sequential(_block(channels, 2, nn.SiLU, 1), _block(2, 2, nn.SiLU, 1))
        self.scalar = nn.Linear(2, 1)

    def latent(self, x: Tensor) -> Tensor:
        """See the class."""
        return _LEAST_POSITIVE + functional.softplus(_column(self.scalar(self.blocks(x).mean(dim=(2, 3)))))


class SideFallEncoder(Encoder):
    """Convolutions with 16, 24, 32, 48 channels, GroupNorm, SiLU, a fixed 8 by 4 grid, a 128-unit head."""

    def __init__(self, channels: int, height: int, width: int) -> None:
        super().__init__(channels)
        sizes = (channels, 16, 24, 32, 48)
        self.blocks = nn.Sequential(*(_block(one, two, nn.SiLU) for one, two in pairwise(sizes)))
        grid = (8, 4) if height >= width else (4, 8)
        self.pool = nn.AdaptiveAvgPool2d(grid)
        self.hidden = nn.Linear(48 * 32, 128)
        self.scalar = nn.Linear(128, 1)

    def latent(self, x: Tensor) -> Tensor:
        """See the class."""
        return _column(self.scalar(functional.silu(self.hidden(self.pool(self.blocks(x)).flatten(1)))))

    def output(self) -> nn.Linear:
        """The scalar head."""
        return self.scalar


_KINDS: dict[EncoderName, type[Encoder]] = {
    "cnn": ConvolutionalEncoder,
    "soft-argmax": SoftArgmaxEncoder,
    "positive": PositiveEncoder,
    "side-fall": SideFallEncoder,
}


def blank_encoder(name: EncoderName, channels: int, height: int, width: int) -> Encoder:
    """The encoder before training, from torch's global random state."""
    encoder = _KINDS[name](channels, height, width)  # type: ignore[call-arg]
    return encoder.to(memory_format=_LAYOUT)  # type: ignore[call-overload, no-any-return]


def start_encoder(settings: PaperSettings, shape: Sequence[int], seed: int) -> Encoder:
    """The encoder at its published start; the same seed gives the same numbers, and no global state moves."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0 if settings.perturbed_reference else seed)
        encoder = blank_encoder(settings.encoder, *shape)
        torch.manual_seed(seed)
        with torch.no_grad():
            _adjust(encoder, settings)
    return encoder


def _adjust(encoder: Encoder, settings: PaperSettings) -> None:
    learned = [m for m in encoder.modules() if isinstance(m, (nn.Conv2d, nn.Linear))]
    for tensor in (t for module in learned for t in module.parameters(recurse=False)):
        tensor.mul_(settings.start_scale)
        if settings.perturbed_reference:
            tensor.add_(0.1 * tensor.square().mean().sqrt() * torch.randn_like(tensor))
    head = encoder.output()
    if settings.bias_range is not None and head is not None:
        head.bias.uniform_(-settings.bias_range, settings.bias_range)


def stacked(frames: Pixels) -> Tensor:
    """Frames as a tensor (n, channels, height, width) of bytes."""
    array = frames[..., None] if frames.ndim == 3 else frames
    ordered = np.ascontiguousarray(array.transpose(0, 3, 1, 2))
    return torch.from_numpy(ordered if ordered.flags.writeable else ordered.copy())


def encode(encoder: Encoder, frames: Tensor, device: torch.device) -> NDArray[np.float64]:
    """The latent of any number of frames, in bounded memory."""
    encoder.eval()
    with torch.no_grad():
        parts = [
            encoder(frames[i : i + BATCH].to(device)).double().cpu() for i in range(0, len(frames), BATCH)
        ]
    return torch.cat(parts).numpy() if parts else np.zeros(0)


def _column(x: Tensor) -> Tensor:
    return x.reshape(-1)
