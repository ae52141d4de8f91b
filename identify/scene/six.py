"""The six families of the paper: coefficients and initial states (tab:exp-synth-initial-states)."""

from __future__ import annotations

import math

from identify.scene.collection import Initial, Protocol


def _both(pairs: list[Initial]) -> tuple[Initial, ...]:
    return tuple(p for u, v in pairs for p in ((u, v), (-u, -v)))


_OSCILLATOR = {
    "train": _both([(a, 0.0) for a in (0.25, 0.55, 0.85, 1.15)] + [(0.0, b) for b in (0.8, 1.8, 2.8, 3.4)]),
    "test": _both([(a, 0.0) for a in (0.65, 1.0)] + [(0.0, b) for b in (0.4, 1.0)]),
}


def _crossing(p: float) -> Initial:
    """The velocity at the origin that carries the undamped cubic oscillator to ``p``."""
    return 0.0, math.sqrt(4 * p**2 + 2 * p**4)


SIX = (
    Protocol(
        "lti",
        "z''+d*z'+a*(z-c)=0",
        {"d": 0.2, "a": 4.0, "c": 0.0},
        _OSCILLATOR["train"],
        _OSCILLATOR["test"],
        6.0,
        (-1.7, 1.7),
        ("a > 0",),
    ),
    Protocol(
        "pendulum",
        "z''+d*z'+k*sin(z)=0",
        {"d": 0.15, "k": 4.0},
        tuple((s * math.pi / 2, math.pi * h) for s in (1, -1) for h in (-0.5, -0.25, 0.0, 0.25, 0.5)),
        tuple((s * math.pi / 2, r * math.pi / 8) for s in (1, -1) for r in (1, -1)),
        8.0,
        (-math.pi, math.pi),
        ("k > 0",),
        angles=True,
    ),
    Protocol(
        "van-der-pol",
        "z''-mu*(1-z**2)*z'+z=0",
        {"mu": 1.5},
        ((0.0, 0.5), (0.0, -0.5), (0.0, 2.5), (0.0, -2.5), (3.0, 0.0), (-3.0, 0.0)),
        ((0.0, 1.25), (0.0, -1.25), (2.75, 0.0), (-2.75, 0.0)),
        12.0,
        (-3.2, 3.2),
        ("mu != 0",),
    ),
    Protocol(
        "cubic",
        "z''+d*z'+a*z+b*z**3=0",
        {"d": 0.2, "a": 4.0, "b": 4.0},
        _both([_crossing(p) for p in (0.4, 0.55, 0.7, 0.85, 1.0)]),
        _both([_crossing(p) for p in (0.625, 0.925)]),
        8.0,
        (-1.05, 1.05),
        ("b != 0",),
    ),
    Protocol(
        "quintic",
        "z''+d*z'+a*z+b*z**3+g*z**5=0",
        {"d": 0.2, "a": 4.0, "b": 3.0, "g": 2.0},
        _OSCILLATOR["train"],
        _OSCILLATOR["test"],
        3.0,
        (-1.27, 1.27),
        ("b != 0", "g != 0"),
    ),
    Protocol(
        "quadratic",
        "z''+d*z'+a*z+b*z**2=0",
        {"d": 0.18, "a": 1.6, "b": 0.8},
        ((0.0, -1.2), (0.0, 0.8), (0.0, 1.2)),
        ((-0.4, 0.65), (0.4, -0.65), (-0.15, 1.0), (0.15, -1.0)),
        8.0,
        (-1.15, 0.9),
        ("a > 0", "b != 0"),
    ),
)
