"""Fits made by hand: a law is integrated, its coordinate changed, noise added."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence

import numpy as np

import identify
from identify.fit.film import Array, Estimate, LawFit, Role, Track
from identify.law import Law, read_law
from identify.motion.dynamics import Dynamics, simulate
from identify.motion.values import read_parameters

Change = Callable[[Array], Array]

analyze = functools.cache(identify.analyze)  # the same few laws over and over


def track(
    law: Law,
    values: str,
    start: tuple[float, float],
    name: str,
    *,
    role: Role = "train",
    change: Change = lambda q: q,
    noise: float = 0.0,
    seconds: float = 10.0,
    seed: int = 0,
) -> Track:
    """The motion through ``start`` seen in the changed coordinate."""
    clip = simulate(Dynamics(law, read_parameters(values, law)), start, seconds, 60.0, name=name)
    latent = change(clip.state)
    rng = np.random.default_rng(seed)
    noisy = latent + noise * rng.standard_normal(len(latent))
    return Track(
        name=name,
        role=role,
        time=clip.time,
        latent=noisy,
        velocity=np.gradient(latent, clip.time),
        fitted=latent if role == "train" else np.full(len(latent), np.nan),
        off_curve=np.ones(len(latent)),
        used=np.full(len(latent), role == "train"),
        reference=clip.state,
    )


def estimate(values: Mapping[str, float], relative: float = 0.01) -> Estimate:
    """Values with independent relative errors."""
    names = tuple(values)
    numbers = np.array([values[n] for n in names], dtype=float)
    covariance = np.diag((relative * numbers) ** 2)
    return Estimate(names, numbers, covariance, covariance / 4)


def fit(tracks: Sequence[Track], values: Mapping[str, float], **more: object) -> LawFit:
    """An accepted fit."""
    known = {
        "method": "default",
        "accepted": True,
        "reason": None,
        "advice": None,
        "estimate": estimate(values),
        "tracks": tuple(tracks),
        "evidence": {"weak_residual": 0.01, "lti_ratio": 30.0, "off_curve": 1.1},
        **more,
    }
    return LawFit(**known)  # type: ignore[arg-type]


@functools.cache
def duffing(scale: float = 3.0, *, noise: float = 0.0) -> tuple[Law, LawFit]:
    """A Duffing oscillator whose latent is ``scale`` times the state: b appears divided by the square."""
    law = read_law("z''+d*z'+a*z+b*z**3=0", ["b != 0"])
    starts: list[tuple[str, tuple[float, float], Role]] = [
        ("one.mp4", (1.0, 0.0), "train"),
        ("two.mp4", (0.6, 0.5), "train"),
        ("three.mp4", (0.8, -0.2), "test"),
    ]
    tracks = [
        track(law, "d=0.2,a=4,b=1", at, name, role=role, change=lambda q: scale * q, noise=noise, seed=i)
        for i, (name, at, role) in enumerate(starts)
    ]
    pixels = np.linspace(-scale, scale, 50)
    return law, fit(
        tracks,
        {"d": 0.2, "a": 4.0, "b": 1.0 / scale**2},
        pixel_track=(pixels, 640.0 + 200.0 * pixels / scale),
    )
