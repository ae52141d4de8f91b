"""The terms beside the dynamics: variance floor, domain margin, consistency, scale and centre."""

from __future__ import annotations

import torch
from torch import Tensor

from identify.fit.paper.encoders import Encoder
from identify.fit.paper.settings import PaperSettings
from identify.fit.paper.windows import Encoded
from identify.fit.torch_law import TorchLaw

_STABLE = 1e-8
_LARGEST_SHIFT = 3
_BRIGHTNESS = 0.1
_UPPER = 1.0


def spreads(windows: list[Encoded]) -> Tensor:
    """The stabilised standard deviation of each window (eq:AB_sample_moments)."""
    return torch.stack([torch.sqrt(w.latent.var(unbiased=False) + _STABLE) for w in windows])


def variance_floor(windows: list[Encoded], settings: PaperSettings, initial_spread: float) -> Tensor:
    """eq:AB_variance_floor; for the overhead fall relative to the spread of the untrained latent."""
    if settings.relative_floor:
        short = (settings.relative_floor * initial_spread - spreads(windows)).clamp(min=0) / initial_spread
    else:
        short = (settings.floor - spreads(windows)).clamp(min=0)
    return settings.floor_weight * short.square().mean()


def domain_margin(
    windows: list[Encoded], compiled: TorchLaw, theta: Tensor, settings: PaperSettings
) -> Tensor:
    """Mean squared lack of distance from the borders of the domain."""
    total = theta.new_zeros(())
    if not compiled.law.domain or not settings.margin_weight:
        return total
    latent = torch.cat([w.latent for w in windows])
    for margin in compiled.margins(latent, theta):
        lack = (settings.margin - margin).clamp(min=0)
        total = total + torch.nan_to_num(lack).square().mean()
    return settings.margin_weight * total


def scale_and_centre(windows: list[Encoded], settings: PaperSettings) -> Tensor:
    """The side fall's weak pulls towards spread at most 1 and mean 0."""
    latent = torch.cat([w.latent for w in windows])
    upper = (latent.std(unbiased=False) - _UPPER).clamp(min=0).square()
    return settings.upper_weight * upper + settings.centre_weight * latent.mean().square()


def consistency(
    encoder: Encoder,
    frames: Tensor,
    latent: Tensor,
    settings: PaperSettings,
    across: int,
    generator: torch.Generator,
) -> Tensor:
    """The latent should not change with a shift across the motion (axis ``across``) nor with brightness."""
    shift = int(torch.randint(-_LARGEST_SHIFT, _LARGEST_SHIFT + 1, (1,), generator=generator))
    gain = 1 + _BRIGHTNESS * (2 * float(torch.rand(1, generator=generator)) - 1)
    moved = encoder(torch.roll(frames, shift, dims=across)).double()
    lit = encoder((frames.float() * gain).clamp(max=255)).double()
    gap: Tensor = (moved - latent).square().mean() + (lit - latent).square().mean()
    return settings.consistency_weight * gap
