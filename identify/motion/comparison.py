"""Two motions compared: the truth seen through the map, and the motion that the other law produces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from identify.motion.trajectory import Array

TOLERANCE = 1e-9
_RTOL = 3e-14
_FRAMES = 201

Field = Callable[[float, Array], Sequence[float]]
Event = Callable[[float, Array], float]


@dataclass(frozen=True)
class Comparison:
    """One clip integrated under both laws; ``difference`` is relative to the size of the report's motion."""

    initial: tuple[float, float]
    duration: float
    difference: float
    time: tuple[float, ...]
    truth: tuple[float, ...]
    mapped: tuple[float, ...]
    report: tuple[float, ...]

    def summary(self) -> dict[str, Any]:
        """The clip without its samples."""
        return {"initial": list(self.initial), "duration": self.duration, "difference": self.difference}


def integrate(
    field: Field, start: Sequence[float], duration: float, events: Sequence[Event] = ()
) -> tuple[Array, Array]:
    """Times and states by DOP853 at the tightest tolerance it accepts, up to ``duration`` or an event."""
    scale = max(1e-3, *(abs(s) for s in start[:2]))
    with np.errstate(all="ignore"):
        solution = solve_ivp(
            field,
            (0.0, duration),
            start,
            method="DOP853",
            t_eval=np.linspace(0.0, duration, _FRAMES),
            events=list(events) or None,
            rtol=_RTOL,
            atol=_RTOL * scale,
            max_step=duration / 50,  # keeps the interpolant between steps as accurate as the steps
        )
    good = np.isfinite(solution.y).all(axis=0) if solution.y.size else np.zeros(0, dtype=bool)
    count = int(np.argmin(good)) if not good.all() else len(good)
    return solution.t[:count], solution.y[:, :count]


def lasting(field: Field, start: Sequence[float], duration: float, events: Sequence[Event]) -> float:
    """How long the motion stays defined, at most ``duration``, with a margin where it ends early."""
    times, _ = integrate(field, start, duration, events)
    if not len(times):
        return 0.0
    last = float(times[-1])
    return duration if last >= duration * (1 - 1e-9) else 0.9 * last


def compare(
    truth: Field,
    report: Field,
    initial: tuple[float, float],
    report_start: Sequence[float],
    mapping: Callable[[Array], Array],
    duration: float,
    events: Sequence[Event] = (),
    report_events: Sequence[Event] = (),
) -> Comparison | None:
    """Integrate both laws apart and compare; None where a motion does not last.

    Nothing is shared between the two integrations but the initial condition and its image under the map.
    """
    length = lasting(truth, initial, duration, events)
    length = lasting(report, report_start, length, report_events) if length else 0.0
    if not length:
        return None
    times, states = integrate(truth, initial, length)
    other_times, others = integrate(report, report_start, length)
    count = min(len(times), len(other_times))
    if count < _FRAMES:
        return None
    with np.errstate(all="ignore"):
        mapped = np.asarray(mapping(states[0]), dtype=float)
    size = float(np.abs(mapped).max())
    if not np.isfinite(size) or size == 0:
        return None
    difference = float(np.abs(others[0] - mapped).max()) / size
    return Comparison(
        initial,
        length,
        difference,
        *(tuple(map(float, a)) for a in (times, states[0], mapped, others[0])),
    )
