"""Readouts: maps from the latent to the reference, fitted on one set of frames and frozen on another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from identify.fit.film import Array, Track
from identify.fit.results.normalizer import Normalizer, normalizer
from identify.law import Law
from identify.motion.dynamics import compiled
from identify.reproduce.fitting import Fitted

_BINS = 24


@dataclass(frozen=True)
class Affine:
    """``latent = slope * reference + level`` by least squares; ``back`` inverts it."""

    slope: float
    level: float

    def back(self, latent: Array) -> Array:
        """The reference coordinate of latents."""
        return (latent - self.level) / self.slope


def affine(reference: Array, latent: Array) -> Affine:
    """The encoding as an affine function of the reference."""
    good = np.isfinite(reference) & np.isfinite(latent)
    slope, level = (float(c) for c in np.polyfit(reference[good], latent[good], 1))
    return Affine(slope, level)


def coordinate_error(pairs: Iterable[tuple[Array, Array]]) -> float | None:
    """e_map in percent: the median over clips of RMS(told - reference) over the clip's standard deviation."""
    each = []
    for told, reference in pairs:
        good = np.isfinite(told) & np.isfinite(reference)
        if good.sum() >= 2 and np.ptp(reference[good]) > 0:
            rest = told[good] - reference[good]
            each.append(float(np.sqrt(np.mean(rest**2)) / np.std(reference[good])))
    return 100 * float(np.median(each)) if each else None


def relative_error(told: Array, real: Array) -> float | None:
    """e_dyn in percent: RMS(told - real) over RMS(real)."""
    scale = float(np.sqrt(np.mean(real**2)))
    error = 100 * float(np.sqrt(np.mean((told - real) ** 2))) / scale if scale > 0 else float("nan")
    return error if np.isfinite(error) else None


def acceleration_error(
    fitted: Fitted, readout: Affine, clips: Sequence[tuple[Array, Array, Array]]
) -> float | None:
    """e_dyn of the fitted law, carried to the reference, along clips of (state, velocity, acceleration)."""
    if fitted.values is None:
        return None
    law = fitted.law
    force = compiled(law.acceleration, law.state, law.velocity, *law.parameters)
    told = [
        np.broadcast_to(
            np.asarray(force(readout.slope * q + readout.level, readout.slope * v, *fitted.values)), q.shape
        )
        / readout.slope
        for q, v, _ in clips
    ]
    return relative_error(np.concatenate(told), np.concatenate([a for *_, a in clips]))


@dataclass(frozen=True)
class Canonical:
    """The raw and the canonical readout of one fit, both affine, fitted on the same training frames."""

    raw: Affine
    psi: Normalizer | None
    readout: Affine | None
    law: Law
    values: Array

    def told(self, latent: Array, canonical: bool) -> Array:
        """The reference that a latent stands for; nan outside the normalizer's chart."""
        if not canonical:
            return self.raw.back(latent)
        if self.psi is None or self.readout is None:
            return np.full(latent.shape, np.nan)
        return self.readout.back(self.psi(latent))

    def force(self, reference: Array) -> Array | None:
        """The velocity-independent term at references, carried over by the canonical readout."""
        if self.psi is None or self.readout is None:
            return None
        at = self.psi.inverse(self.readout.slope * reference + self.readout.level)
        still = compiled(
            self.law.acceleration.subs(self.law.velocity, 0), self.law.state, *self.law.parameters
        )
        return np.asarray(self.psi.derivative(at) * np.asarray(still(at, *self.values)) / self.readout.slope)


def canonical(fitted: Fitted, reference: Array, latent: Array, others: Iterable[Track]) -> Canonical | None:
    """The readouts of a fit; the normalizer spans the latents of the other clips as well."""
    if fitted.values is None:
        return None
    raw = affine(reference, latent)
    everything = np.concatenate([latent, *(track.latent for track in others)])
    psi = normalizer(fitted.law, fitted.analysis, fitted.values, everything[np.isfinite(everything)])
    readout = None if psi is None else affine(reference, psi(latent))
    return Canonical(raw, psi, readout, fitted.law, fitted.values)


def binned(place: Array, value: Array, bins: int = _BINS) -> list[list[float]]:
    """Mean values in equal bins of the place, for pictures: [place, value] where a bin is not empty."""
    good = np.isfinite(place) & np.isfinite(value)
    place, value = place[good], value[good]
    if not len(place):
        return []
    edges = np.linspace(place.min(), place.max(), bins + 1)
    number = np.clip(np.digitize(place, edges) - 1, 0, bins - 1)
    return [
        [float(place[number == i].mean()), float(value[number == i].mean())]
        for i in range(bins)
        if (number == i).any()
    ]


Told = Callable[[Array], Array]
