"""Films: what the encoder sees of each clip, and what a finished fit says about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Pixels = NDArray[np.uint8]

Role = Literal["train", "test"]
Crop = tuple[int, int, int, int]  # x, y, width, height in pixels of the upright full frame


@dataclass(frozen=True)
class Film:
    """The frames of one clip at the size the encoder works on: one channel, or three for colour.

    ``time`` is in seconds and strictly increasing; ``reference`` is the physical state at the frames where
    it is known (nan where not), used for evaluation only and never for fitting.
    """

    name: str
    time: Array
    frames: Pixels  # (n, height, width) or (n, height, width, 3)
    role: Role = "train"
    reference: Array | None = None

    @property
    def count(self) -> int:
        """The number of frames."""
        return len(self.time)


@dataclass(frozen=True)
class View:
    """One way of looking at the same clips: films cut, masked and filtered alike, and how.

    ``pixel`` is the size of a film pixel in pixels of the upright full frame; ``crop`` the region seen.
    ``axis`` is the direction of the main motion in the film, a unit vector (x, y), where it is known.
    """

    name: str
    films: tuple[Film, ...]
    crop: Crop | None = None
    pixel: float = 1.0
    axis: tuple[float, float] | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Track:
    """What the fit says of one clip: latent state and velocity at its frames.

    ``fitted`` is the law's own solution through the fitted initial state (nan where the clip was not fitted);
    ``off_curve`` scores how far each frame lies from everything the encoder was trained on, 1 being usual;
    ``used`` marks the frames that took part in the fit.
    """

    name: str
    role: Role
    time: Array
    latent: Array
    velocity: Array
    fitted: Array
    off_curve: Array
    used: NDArray[np.bool_]
    reference: Array | None = None


@dataclass(frozen=True)
class Estimate:
    """Parameters at the fitted point of the orbit, with their covariance in the order of ``names``.

    ``formal`` is the covariance from the residuals alone; ``covariance`` also has the spread over clips and
    over accepted candidates, and is the one to report.
    """

    names: tuple[str, ...]
    values: Array
    covariance: Array
    formal: Array

    def by_name(self) -> dict[str, float]:
        """The values as a table."""
        return {name: float(value) for name, value in zip(self.names, self.values, strict=True)}


@dataclass(frozen=True)
class LawFit:
    """A fitted encoder and law, accepted or not; the same shape for every method.

    ``evidence`` are the diagnostics behind the gate by name; ``weights`` the encoder for safetensors;
    ``settings`` what else is needed to encode a new frame; ``pixel_track`` gives, where it is known, the
    latent and the position along the motion in full-frame pixels at matching points of the curve.
    """

    method: str
    accepted: bool
    reason: str | None
    advice: str | None
    estimate: Estimate | None
    tracks: tuple[Track, ...]
    evidence: Mapping[str, float]
    warnings: tuple[str, ...] = ()
    candidates: tuple[Mapping[str, Any], ...] = ()
    weights: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    pixel_track: tuple[Array, Array] | None = None
