"""The published settings of each experiment, and which of them a law calls for.

Where the paper is silent, this was chosen:

* windows: four of 64 frames per update (four whole clips of at most 97 where local polynomials are used);
* weight of the variance floor: 100 where stated; silent for the six families and the coverage, where 10,000
  is used, since a floor of 0.02 with weight 100 makes a constant cost 0.04 and at 60 Hz and pixel noise 0.01
  the latent shrank to a quarter of the floor; epsilon 1e-8;
* global gradient clipping is mentioned for the six families without a value: 1, as for the real pendulum;
* pixels: one mean and one spread over all training frames; the CNN has strides of 2, kernels of 3 and 32, 64,
  128 channels; the soft-argmax has two convolutions with 16 channels and four maps, joined linearly;
* start of the law: damping at 0.1, everything else at 1, moved into the declared assumptions;
* "local standard-deviation normalization": the residual is divided by the latent's standard deviation in its
  window; the side fall's dynamics term is the relative integral residual of the overhead fall;
* consistency: shifts of up to 3 pixels across the motion, brightness within 10 %; upper scale 1;
* overhead: the perturbed reference network has seed 0 and perturbations of a tenth of each tensor's size;
* a law with a declared domain pays 10 times the squared distance by which a state comes nearer than 0.02 to
  its border, and states outside are left out of the residual.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, get_args

from identify.errors import InputError

EncoderName = Literal["cnn", "soft-argmax", "positive", "side-fall"]
ObjectiveName = Literal["residual", "integral"]


@dataclass(frozen=True)
class PaperSettings:
    """Everything that decides a fit except data, law and seed.

    ``window`` and ``degree`` are those of the local polynomials; 3 and 2 are the three-point stencil.
    ``windows`` are drawn per update, of ``frames`` frames each; 0 takes every clip whole.
    ``initial`` gives starting values of parameters by name; ``positive`` makes all coefficients positive.
    """

    preset: str
    encoder: EncoderName = "cnn"
    objective: ObjectiveName = "residual"
    updates: int = 8000
    encoder_rate: float = 5e-4
    law_rate: float = 3e-3
    optimiser: Literal["adam", "adamw"] = "adam"
    schedule_period: float = 0.0
    clip_norm: float | None = 1.0
    window: int = 3
    degree: int = 2
    windows: int = 4
    frames: int = 64
    floor: float = 0.02
    floor_weight: float = 1e4
    dynamics_weight: float = 1.0
    local_scale: bool = False
    relative_floor: float = 0.0
    positive: bool = False
    bias_range: float | None = None
    start_scale: float = 1.0
    perturbed_reference: bool = False
    consistency_weight: float = 0.0
    upper_weight: float = 0.0
    centre_weight: float = 0.0
    margin: float = 0.02
    margin_weight: float = 10.0
    initial: Mapping[str, float] = field(default_factory=dict)


_PROJECTED = {"d": 0.12, "w": math.sqrt(3.2), "rho": 0.8, "s": 0.82, "b": 0.0}

PRESETS: dict[str, PaperSettings] = {
    preset.preset: preset
    for preset in (
        PaperSettings("generic"),
        PaperSettings("lti", updates=2000),
        PaperSettings("pendulum", updates=2500, encoder_rate=1e-3, law_rate=5e-3, bias_range=3 * math.pi),
        PaperSettings("van-der-pol", updates=5000, encoder_rate=1e-3, bias_range=0.5),
        PaperSettings("cubic", law_rate=0.1),
        PaperSettings("quintic"),
        PaperSettings("quadratic", updates=6000),
        PaperSettings("coverage", encoder="soft-argmax", updates=5000, law_rate=2e-3, window=31, frames=61),
        PaperSettings(
            "projected-pendulum",
            encoder="soft-argmax",
            updates=6000,
            encoder_rate=2e-4,
            law_rate=2e-3,
            window=21,
            degree=4,
            frames=97,
            floor=0.03,
            floor_weight=100.0,
            initial=_PROJECTED,
        ),
        PaperSettings(
            "real-pendulum",
            encoder_rate=1e-3,
            law_rate=1e-2,
            floor=0.10,
            floor_weight=100.0,
            local_scale=True,
            positive=True,
        ),
        PaperSettings(
            "side-fall",
            encoder="side-fall",
            objective="integral",
            encoder_rate=1e-3,
            law_rate=0.0,
            optimiser="adamw",
            windows=0,
            floor=0.10,
            floor_weight=100.0,
            dynamics_weight=10.0,
            start_scale=0.1,
            consistency_weight=0.1,
            upper_weight=0.01,
            centre_weight=0.001,
        ),
        PaperSettings(
            "overhead-fall",
            encoder="positive",
            objective="integral",
            updates=4000,
            encoder_rate=1e-3,
            law_rate=6e-4,
            schedule_period=8000.0,
            clip_norm=20.0,
            windows=0,
            floor=0.08,
            floor_weight=10.0,
            relative_floor=0.6,
            perturbed_reference=True,
            margin=0.08,
            initial={"rho": 2.0},
        ),
    )
}

_LARGEST = {"updates": 1_000_000, "windows": 1024, "frames": 4096, "window": 501, "degree": 8}
_WORDS = {
    "encoder": get_args(EncoderName),
    "objective": get_args(ObjectiveName),
    "optimiser": ("adam", "adamw"),
}


def with_changes(settings: PaperSettings, changes: Mapping[str, Any]) -> PaperSettings:
    """The settings with some replaced by name; InputError for an unknown name or a value out of range."""
    for name, value in changes.items():
        _check(settings, name, value)
    changed = replace(settings, **changes)
    if changed.window < 3 or changed.window % 2 == 0 or not 2 <= changed.degree < changed.window:
        raise InputError(
            "window must be odd and at least 3, degree at least 2 and below window",
            hint="leave it out for the published setting",
        )
    return changed


def _check(settings: PaperSettings, name: str, value: Any) -> None:
    known = [item.name for item in fields(PaperSettings) if item.name != "preset"]
    if name not in known:
        hint = "one of " + ", ".join(known)
        raise InputError(f"the paper's method has no setting '{name[:40]}'", hint=hint)
    if name in _WORDS:
        if value not in _WORDS[name]:
            raise InputError(
                f"{name} must be one of {', '.join(_WORDS[name])}",
                hint="leave it out for the published setting",
            )
    elif name == "initial":
        if not isinstance(value, Mapping) or not all(_is_number(number) for number in value.values()):
            raise InputError(
                "initial must give numbers by parameter name", hint="leave it out for the published setting"
            )
    elif name in _LARGEST:
        if not isinstance(value, int) or not 0 <= value <= _LARGEST[name]:
            raise InputError(
                f"{name} must be a whole number between 0 and {_LARGEST[name]}",
                hint="leave it out for the published setting",
            )
    elif isinstance(getattr(settings, name), bool):
        if not isinstance(value, bool):
            raise InputError(f"{name} must be true or false", hint="leave it out for the published setting")
    elif not (_is_number(value) and value >= 0) and not (value is None and name in _OPTIONAL):
        raise InputError(
            f"{name} must be a number, not below 0", hint="leave it out for the published setting"
        )


_OPTIONAL = ("clip_norm", "bias_range")


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
