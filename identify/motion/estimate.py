"""The constants of the bounds, estimated from clips and from the law that was fitted to them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np
from sympy import Expr, S

from identify.errors import InputError
from identify.motion.bounds import Known
from identify.motion.dynamics import Dynamics, compiled
from identify.motion.mismatch import Mismatch, mismatch
from identify.motion.table import DataError
from identify.motion.trajectory import Array, Clip
from identify.routes.classify import classify
from identify.routes.route import LINEAR, ONE

_GRID = 2001
_MOST_VELOCITIES = 12  # triples are tried among at most this many velocities of a level


def semilinear_coefficients(dynamics: Dynamics) -> tuple[Expr, Expr]:
    """a and b of ``z'' + a(z) z' + b(z) = 0`` at the parameter values."""
    route = classify(dynamics.law)
    if route.name != "semilinear":
        raise InputError(
            f"the bounds are stated for laws with velocity terms 1 and v; the route here is {route.name}",
            dynamics.law.text,
            hint="give a law z'' + a(z)*z' + b(z) = 0",
        )
    channels = dict(route.channels)
    a, b = (-channels.get(feature, S.Zero).subs(dynamics.values) for feature in (LINEAR, ONE))
    return a, b


def estimate(
    clips: Sequence[Clip], dynamics: Dynamics, interval: tuple[float, float] | None, count: int
) -> tuple[Known, dict[str, str], tuple[str, ...]]:
    """The constants, where each comes from, and what a reader should know."""
    low, high = interval or _range(clips)
    step = _time_step(clips)
    errors = mismatch(_residuals(clips, dynamics), low, high)
    known = Known(
        **_law_constants(dynamics, low, high),
        **_path_constants(clips, dynamics, low, high),
        **velocity_design(clips, np.linspace(low, high, count) if interval else _inner(low, high, count)),
        time_step=step,
        noise=_noise(clips),
        diameter=high - low,
        lipschitz=None if errors is None else errors.lipschitz,
        slope=None if errors is None else errors.slope,
    )
    origin = {
        "residual": "largest centred-difference residual of the data",
        "time_step": "data",
        "noise": "three standard deviations, from sixth differences of the data",
        "third": "law, along the data",
        "fourth": "law, along the data",
        "damping": f"law, at {_GRID} states",
        "damping_lipschitz": f"law, at {_GRID} states",
        "restoring_lipschitz": f"law, at {_GRID} states",
        "latent_speed": "data",
        "speed": "data",
        "separation": f"data, worst of {count} levels",
        "sigma": f"data, worst of {count} levels",
        "level_mismatch": "data, distance from a level to the frame beside it",
        "diameter": "interval" if interval else "range of the data",
        "lipschitz": "estimated: steepest coefficient of the residual in v^2, v, 1 over the levels",
        "slope": "estimated: 1 where the scale was calibrated, less the fitted bend over the interval",
    }
    notes = (
        *_unestimated(errors),
        "estimated constants are samples of suprema: the bounds are as good as they are",
        "the derivatives of the path are those of the law: too small where the residual is large",
        "velocities of the data are taken to be in physical units; the design constants change with the unit",
    )
    return known, {n: text for n, text in origin.items() if getattr(known, n) is not None}, notes


def _unestimated(errors: Mismatch | None) -> tuple[str, ...]:
    """Why L_c or c_0 has no estimate."""
    if errors is None:
        return (
            "L_c and c_0 are not estimated: the frames in the interval are too few, or their velocities too "
            "much alike; give --lipschitz and --slope",
        )
    if errors.slope is None:
        return ("c_0 is not estimated: the residuals allow a bend that uses the slope up; give --slope",)
    return ()


def _residuals(clips: Sequence[Clip], dynamics: Dynamics) -> Iterator[tuple[Array, Array, Array]]:
    """State, velocity and residual at the interior frames."""
    for state, velocity, second in _stencils(clips):
        with np.errstate(all="ignore"):
            yield state, velocity, second - dynamics.acceleration(state, velocity)


def _range(clips: Sequence[Clip]) -> tuple[float, float]:
    return min(float(c.state.min()) for c in clips), max(float(c.state.max()) for c in clips)


def _inner(low: float, high: float, count: int) -> Array:
    return low + (high - low) * (np.arange(count) + 0.5) / count


def _time_step(clips: Sequence[Clip]) -> float:
    for clip in clips:
        steps = np.diff(clip.time)
        if steps.max() > 1.01 * steps.min():
            raise DataError(
                f"clip {clip.name}: the frames are not equally spaced in time "
                f"({steps.min():g} to {steps.max():g}), which the stencil bounds assume",
                "interpolate the states to equal times first, or give the constants as options",
            )
    return max(float(np.diff(clip.time).mean()) for clip in clips)


def _noise(clips: Sequence[Clip]) -> float:
    """Three standard deviations of the scatter about a smooth path.

    Differences of order n remove polynomials below degree n; white noise of deviation s gives them the
    deviation s*sqrt(binomial(2n, n)).
    """
    order = 6 if min(clip.frames for clip in clips) > 12 else 3
    rough = np.concatenate([np.diff(clip.state, order) for clip in clips])
    return 3 * float(np.median(np.abs(rough))) / 0.6745 / math.sqrt(math.comb(2 * order, order))


def _law_constants(dynamics: Dynamics, low: float, high: float) -> dict[str, float]:
    a, b = semilinear_coefficients(dynamics)
    state = dynamics.law.state
    return {
        "damping": _largest(a, dynamics, low, high),
        "damping_lipschitz": _largest(a.diff(state), dynamics, low, high),
        "restoring_lipschitz": _largest(b.diff(state), dynamics, low, high),
    }


def _largest(expression: Expr, dynamics: Dynamics, low: float, high: float) -> float:
    states = np.linspace(low, high, _GRID)
    with np.errstate(all="ignore"):
        values = np.abs(compiled(expression, dynamics.law.state)(states) + 0 * states)
    if not np.isfinite(values).all():
        raise InputError(
            "the law's coefficients are not finite on the interval",
            dynamics.law.text,
            hint="choose an --interval on which the law is defined",
        )
    return float(values.max())


def _path_constants(
    clips: Sequence[Clip], dynamics: Dynamics, low: float, high: float
) -> dict[str, float | None]:
    """M_3 and M_4 from the law along the data, without differentiating noise; the residual by stencils."""
    law = dynamics.law
    force = law.acceleration.subs(dynamics.values)
    jerk = force.diff(law.state) * law.velocity + force.diff(law.velocity) * force
    snap = jerk.diff(law.state) * law.velocity + jerk.diff(law.velocity) * force
    third, fourth = (compiled(e, law.state, law.velocity) for e in (jerk, snap))
    residual = largest_third = largest_fourth = speed = 0.0
    seen = False
    for state, velocity, second in _stencils(clips):
        inside = (state >= low) & (state <= high)
        if not inside.any():
            continue
        seen = True
        z, v = state[inside], velocity[inside]
        with np.errstate(all="ignore"):
            residual = max(residual, float(np.abs(second[inside] - dynamics.acceleration(z, v)).max()))
            largest_third = max(largest_third, float(np.abs(third(z, v) + 0 * z).max()))
            largest_fourth = max(largest_fourth, float(np.abs(fourth(z, v) + 0 * z).max()))
        speed = max(speed, float(np.abs(v).max()))
    if not seen:
        raise DataError("no frame of the data lies in the interval", "widen --interval, or leave it out")
    return {
        "residual": residual,
        "third": largest_third,
        "fourth": largest_fourth,
        "latent_speed": speed,
        "speed": speed,
    }


def _stencils(clips: Sequence[Clip]) -> Iterator[tuple[Array, Array, Array]]:
    """State, D_1 and D_2 at the interior frames (eq:AB_centered_stencil)."""
    for clip in clips:
        step = float(np.diff(clip.time).mean())
        z = clip.state
        yield z[1:-1], (z[2:] - z[:-2]) / (2 * step), (z[2:] - 2 * z[1:-1] + z[:-2]) / step**2


def velocity_design(clips: Sequence[Clip], levels: Array) -> dict[str, float]:
    """delta_v, sigma_star and the level mismatch: at each level its best triple, over levels the worst."""
    separations, sigmas, mismatches = [], [], []
    for level in levels:
        met = [crossing for clip in clips for crossing in clip.path.crossings(float(level))]
        # The residual is known at frames, so the design is that of the frames beside the level.
        triple = best_triple([crossing.frame_velocity for crossing in met])
        if triple is None:
            raise DataError(
                f"at level {level:g} fewer than three velocities meet, so no bound holds there",
                "identify coverage shows where they do; narrow --interval",
            )
        separations.append(triple[0])
        sigmas.append(triple[1])
        mismatches.append(max(crossing.nearest_frame for crossing in met))
    return {"separation": min(separations), "sigma": min(sigmas), "level_mismatch": max(mismatches)}


def best_triple(velocities: Sequence[float]) -> tuple[float, float] | None:
    """The largest least separation and the largest sigma_min over triples; None below three velocities."""
    ordered = sorted(set(velocities))
    if len(ordered) > _MOST_VELOCITIES:
        picked = np.linspace(0, len(ordered) - 1, _MOST_VELOCITIES).round().astype(int)
        ordered = [ordered[i] for i in picked]
    triples = list(itertools.combinations(ordered, 3))
    if not triples:
        return None
    apart = max(min(b - a, c - b) for a, b, c in triples)
    return apart, max(smallest_singular_value(triple) for triple in triples)


def smallest_singular_value(velocities: Sequence[float]) -> float:
    """sigma_min of the raw rows ``(v**2, v, 1)``."""
    matrix = np.vander(np.asarray(velocities, dtype=float), 3)
    return float(np.linalg.svd(matrix, compute_uv=False)[-1])
