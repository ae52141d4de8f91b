"""How far a small residual lets the coordinate bend: the paper's bounds as functions of their constants.

Sampled residual -> smooth encoder path (eq:AB_discrete_continuous_transfer) -> state-consistent path
(eq:AB_state_consistency_transfer) -> curvature and compatibility errors (prop:robust-collapse and
thm:near-level-stability).  The constants are the paper's, in physical units; no numpy is needed here.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

SCHEMA = "identify/bounds/1"


@dataclass(frozen=True)
class Known:
    """The constants, None where unknown.

    ``separation`` is delta_v, ``speed`` V, ``sigma`` sigma_star (raw, physical units), ``slope`` c_0,
    ``lipschitz`` L_c, ``damping`` A, ``latent_speed`` the largest encoder-side speed, ``map_slope`` Lambda.
    """

    residual: float | None = None
    level_mismatch: float | None = None
    separation: float | None = None
    speed: float | None = None
    sigma: float | None = None
    diameter: float | None = None
    slope: float | None = None
    lipschitz: float | None = None
    time_step: float | None = None
    noise: float | None = None
    third: float | None = None
    fourth: float | None = None
    damping: float | None = None
    damping_lipschitz: float | None = None
    restoring_lipschitz: float | None = None
    latent_speed: float | None = None
    state_error: float | None = None
    map_slope: float | None = None

    def lacking(self, *names: str) -> list[str]:
        """Which of these constants are unknown."""
        return [name for name in names if getattr(self, name) is None]

    def take(self, *names: str) -> tuple[float, ...]:
        """These constants, which must be known."""
        return tuple(float(getattr(self, name)) for name in names)


@dataclass(frozen=True)
class Term:
    """One contribution to the error budget, and its part of the whole."""

    name: str
    formula: str
    value: float
    share: float = 0.0


@dataclass(frozen=True)
class Distances:
    """Bounds on |f''|, on the damping and restoring mismatch, and on the distance from an affine map."""

    curvature: float
    damping: float | None
    restoring: float
    affine: float | None


@dataclass(frozen=True)
class BoundsReport:
    """All bounds that the known constants allow; ``identify/bounds/1`` as JSON."""

    known: Known
    origin: dict[str, str]
    terms: tuple[Term, ...]
    dominant: str | None
    residual: float | None
    near_residual: float | None
    exact_level: Distances | None
    near_level: Distances | None
    best_time_step: float | None
    missing: dict[str, tuple[str, ...]]
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The JSON document as plain dictionaries and lists."""
        return {"schema": SCHEMA, **dataclasses.asdict(self)}


def stencil_errors(step: float, noise: float, third: float, fourth: float) -> tuple[float, float, float]:
    """delta_0, delta_1, delta_2 of eq:AB_stencil_bounds."""
    return noise, third / 6 * step**2 + noise / step, fourth / 12 * step**2 + 4 * noise / step**2


def stencil_transfer(
    step: float,
    noise: float,
    third: float,
    fourth: float,
    damping: float,
    damping_lipschitz: float,
    restoring_lipschitz: float,
    latent_speed: float,
) -> float:
    """The right side of eq:AB_discrete_continuous_transfer."""
    zeroth, first, second = stencil_errors(step, noise, third, fourth)
    return second + damping * first + (damping_lipschitz * latent_speed + restoring_lipschitz) * zeroth


def state_transfer(
    state_error: float,
    damping: float,
    damping_lipschitz: float,
    restoring_lipschitz: float,
    map_slope: float,
    speed: float,
) -> float:
    """The right side of eq:AB_state_consistency_transfer."""
    return state_error * (1 + damping + damping_lipschitz * map_slope * speed + restoring_lipschitz)


def exact_level(
    residual: float, separation: float, speed: float, slope: float | None, diameter: float | None
) -> Distances:
    """prop:robust-collapse."""
    unit = 3 * residual / separation**2
    damping = None if slope is None else 2 * speed * unit / slope
    return Distances(unit, damping, speed**2 * unit, None if diameter is None else unit / 2 * diameter**2)


def near_residual(residual: float, mismatch: float, lipschitz: float, speed: float) -> float:
    """The bracket of eq:near-level-bound: the residual and what the level mismatch adds to it."""
    return residual + lipschitz * mismatch * math.sqrt(speed**4 + speed**2 + 1)


def near_level(budget: float, sigma: float, slope: float | None, diameter: float | None) -> Distances:
    """thm:near-level-stability with ``budget`` the bracket of eq:near-level-bound."""
    bound = math.sqrt(3) / sigma * budget
    affine = None if diameter is None else bound / 2 * diameter**2
    return Distances(bound, None if slope is None else bound / slope, bound, affine)


def best_time_step(noise: float, third: float, fourth: float, damping: float) -> float | None:
    """The sampling interval with the least stencil error; None where there is no trade-off.

    ``E(h) = p h**2 + q/h + r/h**2`` is convex in ``log h``, so its only minimum is found by bisection on
    ``2 p h**4 - q h - 2 r``.
    """
    p, q, r = fourth / 12 + damping * third / 6, damping * noise, 4 * noise
    if p <= 0 or r <= 0:
        return None
    low, high = 0.0, (r / p) ** 0.25 + (q / p) ** (1 / 3) + 1e-300
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if 2 * p * middle**4 < q * middle + 2 * r else (low, middle)
    return float(low + high) / 2


_STENCIL = "time_step noise third fourth damping damping_lipschitz restoring_lipschitz latent_speed".split()
_STATE = "state_error damping damping_lipschitz restoring_lipschitz map_slope speed".split()


def evaluate(known: Known, origin: dict[str, str] | None = None, notes: tuple[str, ...] = ()) -> BoundsReport:
    """Every bound the constants allow, and what is missing for the others."""
    missing: dict[str, tuple[str, ...]] = {}
    terms = _terms(known, missing)
    told = list(notes)
    total = None if known.residual is None else sum(term.value for term in terms)
    exact = near = None
    budget = None
    if lacks := known.lacking("residual", "separation", "speed"):
        missing["exact level (prop:robust-collapse)"] = tuple(lacks)
    elif total is not None:
        separation, speed = known.take("separation", "speed")
        exact = exact_level(total, separation, speed, known.slope, known.diameter)
    if lacks := known.lacking("residual", "level_mismatch", "lipschitz", "speed", "sigma"):
        missing["near level (thm:near-level-stability)"] = tuple(lacks)
    elif total is not None:
        mismatch, lipschitz, speed, sigma = known.take("level_mismatch", "lipschitz", "speed", "sigma")
        budget = near_residual(total, mismatch, lipschitz, speed)
        terms.append(Term("level mismatch", "L_c h sqrt(V^4 + V^2 + 1)", budget - total))
        near = near_level(budget, sigma, known.slope, known.diameter)
    if exact is not None and (known.level_mismatch or 0) > 0:
        told.append("the exact-level bounds hold only where the three velocities meet at the very same level")
    whole = sum(term.value for term in terms)
    terms = [dataclasses.replace(t, share=t.value / whole if whole > 0 else 0.0) for t in terms]
    best = None
    if not known.lacking("noise", "third", "fourth", "damping"):
        best = best_time_step(*known.take("noise", "third", "fourth", "damping"))
    return BoundsReport(
        known=known,
        origin=dict(origin or {}),
        terms=tuple(terms),
        dominant=max(terms, key=lambda term: term.value).name if whole > 0 else None,
        residual=total,
        near_residual=budget,
        exact_level=exact,
        near_level=near,
        best_time_step=best,
        missing=missing,
        notes=tuple(told),
    )


def _terms(known: Known, missing: dict[str, tuple[str, ...]]) -> list[Term]:
    terms = [] if known.residual is None else [Term("sampled residual", "eps_emp", known.residual)]
    lacks = known.lacking(*_STENCIL)
    if not lacks:
        terms += _stencil_terms(*known.take(*_STENCIL))
    else:
        missing["stencil accounting (eq:AB_discrete_continuous_transfer)"] = tuple(lacks)
    lacks = known.lacking(*_STATE)
    if not lacks:
        value = state_transfer(*known.take(*_STATE))
        terms.append(Term("state consistency", "eps_sc (1 + A + L_a Lambda V + L_b)", value))
    else:
        missing["state consistency (eq:AB_state_consistency_transfer)"] = tuple(lacks)
    return terms


def _stencil_terms(
    step: float,
    noise: float,
    third: float,
    fourth: float,
    damping: float,
    damping_lipschitz: float,
    restoring_lipschitz: float,
    latent_speed: float,
) -> list[Term]:
    return [
        Term("truncation, second derivative", "M_4 dt^2/12", fourth / 12 * step**2),
        Term("truncation, first derivative", "A M_3 dt^2/6", damping * third / 6 * step**2),
        Term("noise, second derivative", "4 sigma_0/dt^2", 4 * noise / step**2),
        Term("noise, first derivative", "A sigma_0/dt", damping * noise / step),
        Term(
            "noise, coefficients",
            "(L_a V + L_b) sigma_0",
            (damping_lipschitz * latent_speed + restoring_lipschitz) * noise,
        ),
    ]
