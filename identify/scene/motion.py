"""The motions of a law at given times, so accurate that only the rendering limits a fit."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.integrate import solve_ivp

from identify.errors import InputError
from identify.law import Law
from identify.motion.dynamics import Dynamics
from identify.scene.recording import Array

_RTOL, _ATOL = 1e-10, 1e-11


def travel(dynamics: Dynamics, initial: tuple[float, float], time: Array) -> tuple[Array, Array]:
    """State and velocity at the times, from ``initial`` at time 0; shorter where the motion ends early.

    Times may be negative: the initial condition then lies inside the clip.
    """
    if not dynamics.inside(initial[0]):
        raise InputError(f"the initial state {initial[0]:g} is not inside the domain of the law")
    ahead = _run(dynamics, initial, time[time >= 0])
    back = _run(dynamics, initial, time[time < 0][::-1])
    return (
        np.concatenate([back[0][::-1], ahead[0]]),
        np.concatenate([back[1][::-1], ahead[1]]),
    )


def _run(dynamics: Dynamics, initial: tuple[float, float], time: Array) -> tuple[Array, Array]:
    if not len(time) or time[-1] == 0:
        return np.full(len(time), initial[0]), np.full(len(time), initial[1])
    with np.errstate(all="ignore"):
        solution = solve_ivp(
            dynamics.field,
            (0.0, float(time[-1])),
            initial,
            method="DOP853",
            t_eval=time,
            events=dynamics.stops(),
            rtol=_RTOL,
            atol=_ATOL,
        )
    good = np.isfinite(solution.y).all(axis=0)
    count = int(np.argmin(good)) if not good.all() else len(good)
    return solution.y[0, :count], solution.y[1, :count]


def dynamics_of(law: Law, truth: Mapping[str, float]) -> Dynamics:
    """The law at these parameter values."""
    from sympy import Float

    return Dynamics(law, {parameter: Float(truth[parameter.name]) for parameter in law.parameters})
