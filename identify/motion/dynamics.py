"""A law with numbers for its parameters: its acceleration as a function, its domain, its motions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from sympy import Expr, Symbol, lambdify

from identify.errors import InputError
from identify.law import Law
from identify.motion.trajectory import LEAST_SAMPLES, Array, Clip
from identify.motion.values import Values

ESCAPE = 1e6  # a motion that leaves this size is taken to blow up
_RTOL, _ATOL = 1e-11, 1e-12


def compiled(expression: Expr, *symbols: Symbol) -> Callable[..., Any]:
    """The expression as a function of floats (or arrays) of the symbols; nan where it is not real."""
    function: Callable[..., Any] = lambdify(list(symbols), expression, modules=["scipy", "numpy"])

    def evaluated(*given: Any) -> Any:
        # NumPy's floats divide by zero quietly; Python's raise.
        numbers = [np.asarray(g, dtype=float)[()] for g in given]
        with np.errstate(all="ignore"):
            try:
                value = function(*numbers)
            except ZeroDivisionError:
                return np.nan
        if np.iscomplexobj(value):
            return np.where(np.imag(value) == 0, np.real(value), np.nan)[()]
        return value

    return evaluated


@dataclass(frozen=True)
class Dynamics:
    """The law at one parameter value."""

    law: Law
    values: Values

    @cached_property
    def acceleration(self) -> Callable[[Any, Any], Any]:
        """F(z, v)."""
        return compiled(self.law.acceleration.subs(self.values), self.law.state, self.law.velocity)

    @cached_property
    def _borders(self) -> tuple[Callable[[Any], Any], ...]:
        """Functions of the state whose zeros bound the domain."""
        conditions = [c for c in self.law.domain if c.relation != "=="]
        return tuple(compiled(c.expression.subs(self.values), self.law.state) for c in conditions)

    def inside(self, state: float) -> bool:
        """Whether the state lies in the declared domain and the acceleration there is a number."""
        with np.errstate(all="ignore"):
            for condition, border in zip(
                (c for c in self.law.domain if c.relation != "=="), self._borders, strict=True
            ):
                value = float(border(state))
                if not (value != 0 if condition.relation == "!=" else value > 0):
                    return False
            return any(bool(np.isfinite(self.acceleration(state, v))) for v in (0.0, 1.0))

    def stops(self) -> list[Callable[[float, Array], float]]:
        """Terminal events: leaving the domain, or blowing up."""

        def escape(_: float, y: Array) -> float:
            return ESCAPE - abs(float(y[0])) - abs(float(y[1]))

        events: list[Callable[[float, Array], float]] = [escape]
        for border in self._borders:
            events.append(lambda _, y, border=border: float(border(y[0])))  # type: ignore[misc]
        for event in events:
            event.terminal = True  # type: ignore[attr-defined]
        return events

    def field(self, _: float, y: Array) -> tuple[float, float]:
        """The first-order vector field."""
        return float(y[1]), float(self.acceleration(y[0], y[1]))


def simulate(
    dynamics: Dynamics,
    initial: tuple[float, float],
    duration: float,
    rate: float,
    *,
    centred: bool = False,
    name: str = "",
) -> Clip:
    """The motion through ``initial`` (state, velocity), sampled at ``rate``.

    The initial condition holds at the start, or in the middle of the clip where it is ``centred``.  The
    clip ends early where the motion leaves the domain or blows up.
    """
    if not dynamics.inside(initial[0]):
        raise InputError(
            f"the initial state {initial[0]:g} is not inside the domain of the law",
            hint="choose another initial state, or another --domain",
        )
    if not centred:
        time, state, velocity = _run(dynamics, initial, duration, rate)
    else:
        ahead, back = (_run(dynamics, initial, sign * duration / 2, rate) for sign in (1, -1))
        time, state, velocity = (np.concatenate([b[:0:-1], a]) for a, b in zip(ahead, back, strict=True))
    if len(time) < LEAST_SAMPLES:
        raise InputError(
            f"the motion from ({initial[0]:g}, {initial[1]:g}) gives only {len(time)} frames before it "
            "leaves the domain or ends",
            hint="start elsewhere, or raise --rate or --duration",
        )
    return Clip(name or f"{initial[0]:g},{initial[1]:g}", time, state, velocity)


def _run(
    dynamics: Dynamics, initial: tuple[float, float], duration: float, rate: float
) -> tuple[Array, Array, Array]:
    steps = int(abs(duration) * rate + 1e-9)
    times = np.sign(duration) * np.arange(steps + 1) / rate
    with np.errstate(all="ignore"):
        solution = solve_ivp(
            dynamics.field,
            (0.0, float(times[-1])),
            initial,
            method="DOP853",
            t_eval=times,
            events=dynamics.stops(),
            rtol=_RTOL,
            atol=_ATOL,
        )
    states = np.reshape(solution.y, (2, -1))  # a first step that fails leaves a list without shape
    good = np.isfinite(states).all(axis=0)
    count = int(np.argmin(good)) if not good.all() else states.shape[1]
    return np.asarray(solution.t)[:count], states[0, :count], states[1, :count]
