"""The trained encoder as plain arrays: a frame -> a point -> its place on the curve -> the latent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from identify.fit.candidate import Candidate
from identify.fit.correction import Correction
from identify.fit.curve import Curve, interpolate
from identify.fit.features import Features, Filter
from identify.fit.film import Array, Pixels
from identify.fit.refine import Refined
from identify.fit.splines import Spline

_GRID = 4000


def latent_of(place: Tensor, refined: Refined) -> Tensor:
    """The latent whose mapped place is ``place``; outside the fitted range it goes on as a straight line."""
    return _inverted(place, refined.spline, refined.place_map)


def _inverted(place: Tensor, spline: Spline, place_map: Tensor) -> Tensor:
    latent = torch.linspace(spline.low, spline.high, _GRID).to(place)
    mapped, slope = spline.evaluate(latent, place_map)
    if float(mapped[-1]) < float(mapped[0]):
        latent, mapped, slope = latent.flip(0), mapped.flip(0), slope.flip(0)
    rising = torch.cummax(mapped, 0).values  # a fold has been refused; a flat spot must not break the search
    inside = interpolate(place, rising, latent)
    low, high = place < rising[0], place > rising[-1]
    first = _usual_slope(slope[: _GRID // 20], slope)
    last = _usual_slope(slope[-_GRID // 20 :], slope)
    below = latent[0] + (place - rising[0]) / first
    above = latent[-1] + (place - rising[-1]) / last
    return torch.where(low, below, torch.where(high, above, inside))


def _usual_slope(near: Tensor, everywhere: Tensor) -> Tensor:
    usual = everywhere.median()
    value = near.median()
    return value if float(value.abs()) > 0.1 * float(usual.abs()) else usual


def stored(candidate: Candidate) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Weights for safetensors and the settings that go with them; see ``encode_frames``."""
    seen, refined = candidate.seen, candidate.refined
    assert refined is not None
    usual = torch.cat([seen.distances[i] for i in seen.fitted]).median()
    weights = {
        "features.mean": seen.features.mean,
        "features.basis": seen.features.basis,
        "curve": seen.curve.coefficients,
        "place_map": refined.place_map,
        "curve.range": torch.tensor([seen.curve.spline.low, seen.curve.spline.high], dtype=torch.float64),
        "latent.range": torch.tensor([refined.spline.low, refined.spline.high], dtype=torch.float64),
        "usual_distance": usual.reshape(1),
    }
    if seen.correction is not None:
        spline = seen.correction.spline
        weights["wobble"] = seen.correction.wobble
        weights["wobble.range"] = torch.tensor([spline.low, spline.high], dtype=torch.float64)
    settings = {
        "view": seen.view.name,
        "blur": seen.features.filter.blur,
        "standardised": seen.features.filter.standardised,
    }
    return {name: value.detach().cpu().contiguous().numpy() for name, value in weights.items()}, settings


def encode_frames(
    weights: Mapping[str, Any], settings: Mapping[str, Any], frames: Pixels
) -> tuple[Array, Array]:
    """Latent and off-curve score of new frames by a stored encoder."""
    tensors = {name: torch.from_numpy(np.array(value)) for name, value in weights.items()}
    filter = Filter(float(settings["blur"]), bool(settings["standardised"]))
    features = Features(filter, tensors["features.mean"], tensors["features.basis"], 0.0)
    low, high = (float(x) for x in tensors["curve.range"])
    curve = Curve(Spline(low, high, len(tensors["curve"])), tensors["curve"], 0.0, 0.0)
    place, distance = curve.project(features.of(frames))
    if "wobble" in tensors:
        low, high = (float(x) for x in tensors["wobble.range"])
        place = Correction(Spline(low, high, len(tensors["wobble"])), tensors["wobble"])(place)
    low, high = (float(x) for x in tensors["latent.range"])
    place_map = tensors["place_map"]
    latent = _inverted(place, Spline(low, high, len(place_map)), place_map)
    score = distance / tensors["usual_distance"].clamp_min(1e-12)
    return latent.numpy(), score.numpy()
