"""Aliases without coverage: a nonlinear map and a second law that show the same clips.

Two velocities per level leave the curvature of the map free (prop:two-slope-sharpness); one-way motion leaves
it free wherever ``v*abs(v)`` is declared (one-sided velocities, app:connection-proofs).  The second law has
continuous coefficients; it need not lie in the declared family.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from sympy import Expr, Rational

from identify.errors import InputError
from identify.law import read_expression, to_text
from identify.motion.alias import AliasReport, no_alias
from identify.motion.comparison import TOLERANCE, Comparison, compare
from identify.motion.dynamics import Dynamics, compiled
from identify.motion.trajectory import Array
from identify.motion.values import real_number
from identify.routes.classify import classify
from identify.routes.feature import feature_text
from identify.routes.route import LINEAR, ONE, Feature, Route

_DRAG = Feature(Rational(2), True)
_LONGEST = 1e3
_LEVELS = 9


@dataclass(frozen=True)
class CurvedMap:
    """A map f of the state, monotone on the interval, with two derivatives and its inverse."""

    expression: Expr
    dynamics: Dynamics
    interval: tuple[float, float]

    def _compiled(self, order: int) -> Callable[[Any], Any]:
        state = self.dynamics.law.state
        return compiled(self.expression.diff(state, order) if order else self.expression, state)

    @cached_property
    def value(self) -> Callable[[Any], Any]:
        """f."""
        return self._compiled(0)

    @cached_property
    def slope(self) -> Callable[[Any], Any]:
        """f'."""
        return self._compiled(1)

    @cached_property
    def curvature(self) -> Callable[[Any], Any]:
        """f''."""
        return self._compiled(2)

    @cached_property
    def _table(self) -> tuple[Array, Array]:
        low, high = self.interval
        room = 0.05 * (high - low)  # a motion may step a little beyond the interval before it is stopped
        states = np.linspace(low - room, high + room, 401)
        values = np.asarray(self.value(states) + 0 * states, dtype=float)
        order = np.argsort(values)
        return values[order], states[order]

    def inverse(self, report: float) -> float:
        """The state with f(state) = report, by Newton from a table."""
        state = float(np.interp(report, *self._table))
        for _ in range(8):
            step = (float(self.value(state)) - report) / float(self.slope(state))
            state -= step
            if abs(step) <= 1e-16 * max(1.0, abs(state)):
                break
        return state


def curved_map(text: str, dynamics: Dynamics, interval: tuple[float, float]) -> CurvedMap:
    """The map of the text, checked: smooth, strictly monotone and not affine on the interval."""
    state = dynamics.law.state
    expression = read_expression(text, (state,))
    mapping = CurvedMap(expression, dynamics, interval)
    states = np.linspace(*interval, 401)
    with np.errstate(all="ignore"):
        slopes = np.asarray(mapping.slope(states) + 0 * states, dtype=float)
        bends = np.asarray(mapping.curvature(states) + 0 * states, dtype=float)
    if not (np.isfinite(slopes).all() and np.isfinite(bends).all() and (slopes * slopes[0] > 0).all()):
        message = (
            f"the map is not smooth and strictly monotone for {interval[0]:g} <= {state} <= {interval[1]:g}"
        )
        raise InputError(message, text, 0, f'write for example --map "{state} + {state}**3/5"')
    if not np.abs(bends).max() > 1e-6 * np.abs(slopes).max():
        raise InputError(
            "the map is affine, and an affine map needs no missing coverage",
            text,
            hint='give a bent map, such as --map "z + z**3/5"',
        )
    return mapping


def two_slope_alias(
    dynamics: Dynamics, mapping: CurvedMap, velocities: tuple[float, float] | None, fastest: float
) -> AliasReport:
    """The alias of prop:two-slope-sharpness for two motions that cross the interval at different velocities.

    With w_1, w_2 the two velocities as functions of the state,
    ``a_hat(f) = a - (f''/f')(w_1 + w_2)`` and ``b_hat(f) = f' b + f'' w_1 w_2``.
    """
    law, route = dynamics.law, classify(dynamics.law)
    if route.name != "semilinear":
        reason = "the two-slope construction is for laws with velocity terms 1 and v only"
        return no_alias(law, dynamics.values, {}, reason, decided=False)
    channels = _channels(route, dynamics)
    pair = velocities or _crossing_pair(dynamics, mapping.interval, fastest)
    ends = [_velocities_at(dynamics, mapping.interval, v) for v in pair]
    if any(end is None for end in ends):
        message = f"the velocities {pair[0]:g} and {pair[1]:g} do not both carry across the interval"
        raise InputError(message, hint="give larger ones with --velocities, or a smaller --interval")
    report = _TwoSlopeLaw(dynamics, mapping, channels)
    starts = [_enter(mapping.interval, v) for v in pair]
    clips = []
    for (side, level), end in zip(starts, ends, strict=True):
        assert end is not None
        both = [other[side] for other in ends if other is not None]
        clips.append(_compared(dynamics, mapping, report, (level, end[side]), both))
    middle = sum(mapping.interval) / 2
    third = 1.5 * max(pair, key=abs)
    apart = _compared(dynamics, mapping, report, (middle, third), list(pair))
    found = tuple(clip for clip in clips if clip is not None)
    return _report(
        dynamics,
        mapping,
        "two-slope",
        (
            "at every level exactly two velocities w1, w2 are filmed",
            "a_hat(f(u)) = a(u) - f''(u)/f'(u)*(w1(u) + w2(u))",
            "b_hat(f(u)) = f'(u)*b(u) + f''(u)*w1(u)*w2(u)",
            f"w1 = {pair[0]:g} and w2 = {pair[1]:g} at the middle of the interval",
        ),
        report.table(pair),
        found if len(found) == len(clips) else (),
        apart,
        "a third velocity at the same positions tells the two laws apart",
    )


def one_way_alias(dynamics: Dynamics, mapping: CurvedMap, fastest: float) -> AliasReport:
    """The one-sided construction: only the drag channel takes up the curvature of the map.

    ``c_hat_d(f) = (f'' + f' c_d)/(f'|f'|)`` and ``c_hat_k(f) = f' c_k / D_k(f')`` for every other channel.
    """
    law, route = dynamics.law, classify(dynamics.law)
    if _DRAG not in route.features:
        reason = (
            "one direction of motion is enough for this law: on one side of zero its velocity terms stay "
            "independent of v**2, so one-way motion alone leaves no alias of this kind"
        )
        if route.name == "unsupported":
            reason = route.reason or "no theorem covers this law"
        return no_alias(law, dynamics.values, {}, reason, decided=route.name != "unsupported")
    report = _OneWayLaw(dynamics, mapping, _channels(route, dynamics))
    low, high = mapping.interval
    slowest = _slowest(dynamics, mapping.interval, fastest)
    clips = [_compared(dynamics, mapping, report, (low, slowest * s), []) for s in (1.0, 1.3, 1.7)]
    apart = _compared(dynamics, mapping, report, (high, -slowest), [])
    found = tuple(clip for clip in clips if clip is not None)
    lines = [
        "all filmed velocities are positive",
        "c_hat_k(f(u)) = f'(u)*c_k(u)/D_k(f'(u)) for each term but",
    ]
    lines.append(f"{feature_text(_DRAG)}: c_hat(f(u)) = (f''(u) + f'(u)*c(u))/(f'(u)*abs(f'(u)))")
    return _report(
        dynamics,
        mapping,
        "one-way",
        tuple(lines),
        report.table(),
        found if len(found) == len(clips) else (),
        apart,
        "motion the other way tells the two laws apart",
    )


Channels = dict[Feature, Callable[[Any], Any]]


def _channels(route: Route, dynamics: Dynamics) -> Channels:
    state = dynamics.law.state
    return {feature: compiled(c.subs(dynamics.values), state) for feature, c in route.channels}


class _TwoSlopeLaw:
    """The second law; its state also carries w_1 and w_2, which solve ``dw/du = F(u, w)/w``."""

    def __init__(self, dynamics: Dynamics, mapping: CurvedMap, channels: Channels) -> None:
        self.dynamics, self.mapping, self.channels = dynamics, mapping, channels

    def coefficients(self, u: float, first: float, second: float) -> tuple[float, float]:
        """a_hat and b_hat at f(u)."""
        slope, bend = float(self.mapping.slope(u)), float(self.mapping.curvature(u))
        a, b = (-float(self.channels[f](u)) if f in self.channels else 0.0 for f in (LINEAR, ONE))
        return a - bend / slope * (first + second), slope * b + bend * first * second

    def field(self, _: float, y: Array) -> Sequence[float]:
        u = self.mapping.inverse(float(y[0]))
        a, b = self.coefficients(u, float(y[2]), float(y[3]))
        speed = float(y[1]) / float(self.mapping.slope(u))
        force = self.dynamics.acceleration
        carried = (float(force(u, w)) / float(w) * speed for w in y[2:])
        return float(y[1]), -a * float(y[1]) - b, *carried

    def table(self, pair: tuple[float, float]) -> tuple[dict[str, float], ...]:
        """The coefficients at a few levels."""
        low, high = self.mapping.interval
        rows = []
        for u in np.linspace(low, high, _LEVELS):
            first, second = (_carry(self.dynamics, (low + high) / 2, v, float(u)) for v in pair)
            a, b = self.coefficients(float(u), first, second)
            report = float(self.mapping.value(u))
            rows.append({"u": float(u), "f(u)": report, "w1": first, "w2": second, "a_hat": a, "b_hat": b})
        return tuple(rows)


class _OneWayLaw:
    """The second law of the one-sided construction, in the declared velocity terms."""

    def __init__(self, dynamics: Dynamics, mapping: CurvedMap, channels: Channels) -> None:
        self.dynamics, self.mapping, self.channels = dynamics, mapping, channels

    def coefficients(self, u: float) -> dict[Feature, float]:
        """c_hat at f(u), term by term."""
        slope, bend = float(self.mapping.slope(u)), float(self.mapping.curvature(u))
        found = {f: slope * float(c(u)) for f, c in self.channels.items()}
        found[_DRAG] = found.get(_DRAG, 0.0) + bend
        return {f: value / _at(f, slope) for f, value in found.items()}

    def field(self, _: float, y: Array) -> Sequence[float]:
        found = self.coefficients(self.mapping.inverse(float(y[0])))
        return float(y[1]), sum(c * _at(f, float(y[1])) for f, c in found.items())

    def table(self) -> tuple[dict[str, float], ...]:
        """The coefficients at a few levels."""
        rows = []
        for u in np.linspace(*self.mapping.interval, _LEVELS):
            row = {"u": float(u), "f(u)": float(self.mapping.value(u))}
            row |= {f"coefficient of {feature_text(f)}": c for f, c in self.coefficients(float(u)).items()}
            rows.append(row)
        return tuple(rows)


def _at(feature: Feature, velocity: float) -> float:
    size: float = abs(velocity) ** float(feature.power)
    return -size if feature.odd and velocity < 0 else size


def _compared(
    dynamics: Dynamics,
    mapping: CurvedMap,
    report: _TwoSlopeLaw | _OneWayLaw,
    start: tuple[float, float],
    carried: Sequence[float],
) -> Comparison | None:
    """One clip from ``start`` until it leaves the interval or turns round."""
    low, high = mapping.interval
    slack = 1e-9 * (high - low)
    direction = np.sign(start[1])

    def leaves(_: float, y: Array) -> float:
        return float(high + slack - y[0] if direction > 0 else y[0] - low + slack)

    def turns(_: float, y: Array) -> float:
        return float(direction * y[1]) - 1e-3 * abs(start[1])

    for event in (leaves, turns):
        event.terminal = True  # type: ignore[attr-defined]
    slope = float(mapping.slope(start[0]))
    image = (float(mapping.value(start[0])), slope * start[1], *carried)
    length = _time_inside(dynamics, start, (leaves, turns))
    return compare(dynamics.field, report.field, start, image, mapping.value, length) if length else None


def _time_inside(dynamics: Dynamics, start: tuple[float, float], events: Sequence[Any]) -> float:
    with np.errstate(all="ignore"):
        solution = solve_ivp(
            dynamics.field, (0.0, _LONGEST), start, method="DOP853", events=events, rtol=1e-10
        )
    return 0.99 * float(solution.t[-1]) if solution.status == 1 else 0.0


def _enter(interval: tuple[float, float], velocity: float) -> tuple[int, float]:
    return (0, interval[0]) if velocity > 0 else (1, interval[1])


def _carry(dynamics: Dynamics, origin: float, velocity: float, level: float) -> float:
    """The velocity at ``level`` of the motion with ``velocity`` at ``origin``; nan where it turns before."""
    if level == origin:
        return velocity

    def slope(u: float, w: Array) -> list[float]:
        return [float(dynamics.acceleration(u, w[0])) / float(w[0])]

    def turns(_: float, w: Array) -> float:
        return abs(float(w[0])) - 0.05 * abs(velocity)

    turns.terminal = True  # type: ignore[attr-defined]
    with np.errstate(all="ignore"):
        solution = solve_ivp(
            slope, (origin, level), [velocity], method="DOP853", rtol=3e-14, atol=1e-15, events=turns
        )
    return float(solution.y[0, -1]) if solution.status == 0 else float("nan")


def _velocities_at(
    dynamics: Dynamics, interval: tuple[float, float], velocity: float
) -> tuple[float, float] | None:
    """The velocities at both ends of the interval of the motion with ``velocity`` in the middle."""
    low, high = (_carry(dynamics, sum(interval) / 2, velocity, end) for end in interval)
    return (low, high) if np.isfinite([low, high]).all() else None


def _crossing_pair(dynamics: Dynamics, interval: tuple[float, float], fastest: float) -> tuple[float, float]:
    for factor in (0.5, 0.75, 1.0, 1.5, 2.0, 4.0):
        speed = float(f"{fastest * factor:.3g}")
        if all(_velocities_at(dynamics, interval, v) is not None for v in (speed, -speed)):
            return speed, -speed
    raise InputError(
        "no speed was found that crosses the interval both ways", hint="give a smaller --interval"
    )


def _slowest(dynamics: Dynamics, interval: tuple[float, float], fastest: float) -> float:
    low, high = interval
    for factor in (0.25, 0.4, 0.6, 0.8, 1.0, 1.5, 2.0, 4.0):
        speed = float(f"{fastest * factor:.3g}")
        if np.isfinite(_carry(dynamics, low, speed, high)):
            return speed
    raise InputError("no speed was found that crosses the interval", hint="give a smaller --interval")


def _report(
    dynamics: Dynamics,
    mapping: CurvedMap,
    kind: Any,
    construction: tuple[str, ...],
    table: tuple[dict[str, float], ...],
    clips: tuple[Comparison, ...],
    apart: Comparison | None,
    note: str,
) -> AliasReport:
    difference = max((clip.difference for clip in clips), default=None)
    verified = difference is not None and difference <= TOLERANCE
    return AliasReport(
        law=dynamics.law.text,
        kind=kind,
        parameter=None,
        truth={s.name: real_number(v) for s, v in dynamics.values.items()},
        report=None,
        map=to_text(mapping.expression),
        choices={},
        construction=construction,
        table=table,
        clips=clips,
        apart=apart,
        difference=difference,
        tolerance=TOLERANCE,
        verified=verified,
        why={},
        outcome="found" if verified else "undecided",
        reason=None if verified else "the two integrations do not agree to the tolerance",
        notes=(note, "the second law has continuous coefficients; it need not lie in the declared family"),
    )
