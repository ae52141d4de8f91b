"""The motions of a law at given times, so accurate that only the rendering limits a fit."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.integrate import DOP853

from identify.errors import InputError
from identify.law import Law
from identify.motion.dynamics import Dynamics
from identify.scene.recording import Array

_RTOL, _ATOL = 1e-10, 1e-11
_MOST_STEPS = 1500  # a motion that sticks or chatters takes ever smaller steps: it ends there


def travel(dynamics: Dynamics, initial: tuple[float, float], time: Array) -> tuple[Array, Array]:
    """State and velocity at the times, from ``initial`` at time 0; shorter where the motion ends early.

    Times may be negative: the initial condition then lies inside the clip.
    """
    if not dynamics.inside(initial[0]):
        raise InputError(
            f"the initial state {initial[0]:g} is not inside the domain of the law",
            hint="choose another initial state, or another --domain",
        )
    ahead = _run(dynamics, initial, time[time >= 0])
    back = _run(dynamics, initial, time[time < 0][::-1])
    if len(back) < np.count_nonzero(time < 0):
        raise InputError(
            "the motion does not reach back to the start of the clip",
            hint="choose a shorter --duration, or another --initial",
        )
    both = np.concatenate([back[::-1], ahead])
    return both[:, 0], both[:, 1]


def _run(dynamics: Dynamics, initial: tuple[float, float], time: Array) -> Array:
    """The samples in order of ``time``, as rows of state and velocity, up to the end of the motion."""
    if not len(time) or time[-1] == 0:
        return np.tile(np.asarray(initial, dtype=float), (len(time), 1))
    found = [np.tile(np.asarray(initial, dtype=float), (int(time[0] == 0), 1))]
    with np.errstate(all="ignore"):
        solver = DOP853(dynamics.field, 0.0, initial, float(time[-1]), rtol=_RTOL, atol=_ATOL)
        stops = dynamics.stops()
        signs = np.sign([stop(0.0, solver.y) for stop in stops])
        for _ in range(_MOST_STEPS):
            before = solver.t
            if solver.step() is not None or not np.isfinite(solver.y).all():
                break
            passed = time[_after(time, before) & ~_after(time, solver.t)]
            rows = solver.dense_output()(passed).T if len(passed) else np.empty((0, 2))
            good = [bool(np.array_equal(np.sign([s(0.0, y) for s in stops]), signs)) for y in rows]
            found.append(rows[: good.index(False) if False in good else len(rows)])
            ended = not np.array_equal(np.sign([s(0.0, solver.y) for s in stops]), signs)
            if ended or solver.status != "running":
                break
    return np.concatenate(found)


def _after(time: Array, moment: float) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Which times come later than the moment, in the direction of the run."""
    return np.abs(time) > abs(moment)


def dynamics_of(law: Law, truth: Mapping[str, float]) -> Dynamics:
    """The law at these parameter values."""
    from sympy import Float

    return Dynamics(law, {parameter: Float(truth[parameter.name]) for parameter in law.parameters})
