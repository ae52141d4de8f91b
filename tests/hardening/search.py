"""A search for aliases with numbers alone: other parameters, in another coordinate, the same motion.

From random starts, least squares on ``F_eta(f, f'*v) = f''*v**2 + f'*F_theta``.  In the raw routes f is
affine; else f solves ``f'' = c_2(f; eta)*f'**2 - c_2(u; theta)*f'`` from its value and slope at one state.
It is kept only if it stays inside the domain: a report that the tool must have foreseen.  What agrees nearly
is no alias: it must agree as well on more states, further apart or closer together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.optimize import least_squares
from sympy import Expr, Poly, PolynomialError, Symbol, expand, lambdify

from tests.hardening.laws import STATE, VELOCITY

Array = np.ndarray
CLOSE = 1e-9  # relative residual of an accepted alias
WIDER = 3.0
FINER = 3
_PENALTY = 1e6


@dataclass(frozen=True)
class Alias:
    """Reported parameters, and the coordinate map on a grid of states."""

    parameters: Array
    states: Array
    mapped: Array


@dataclass(frozen=True)
class Search:
    """A law at its true parameters: ``states`` and ``velocities`` where reports are compared."""

    acceleration: Expr
    parameters: tuple[Symbol, ...]
    truth: Array
    states: Array
    domain: tuple[float, float]
    admitted: Callable[[Array], bool]

    def affine(self, random: np.random.Generator, starts: int) -> list[Alias]:
        """Aliases with ``f = lambda*u + tau``."""
        force = _function(self.acceleration, (STATE, VELOCITY, *self.parameters))
        near = self._affine_residual(force, self.states)
        far = self._affine_residual(force, self._wide())
        found = []
        for x in _solutions(far, _solutions(near, self._starts(random, starts))):
            mapped = x[0] * self.states + x[1]
            if abs(x[0]) > 1e-3 and self._kept(x[0], x[1]) and self.admitted(x[2:]):
                found.append(Alias(x[2:], self.states, mapped))
        return found

    def _affine_residual(self, force: Callable[..., Any], states: Array) -> Callable[[Array], Array]:
        velocities = np.resize(np.array([0.7, -1.3, 2.1, -0.4, 1.6]), len(states))
        true = force(states, velocities, *self.truth)

        def residual(x: Array) -> Array:
            moved = force(x[0] * states + x[1], x[0] * velocities, *x[2:])
            return _finite((moved - x[0] * true) / (1 + abs(true)))

        return residual

    def _wide(self) -> Array:
        """States three times as far apart, as far as the domain and the law allow."""
        wide = self.states.mean() + WIDER * (self.states - self.states.mean())
        inside = (wide > self.domain[0]) & (wide < self.domain[1])
        return np.sort(np.concatenate([wide[inside], self.states]))

    def bent(self, random: np.random.Generator, starts: int) -> list[Alias]:
        """Aliases whose map may bend; the law must be polynomial in the velocity."""
        try:
            channels = dict(Poly(expand(self.acceleration), VELOCITY).all_terms())
        except PolynomialError:
            return []
        parts = {r: _function(c, (STATE, *self.parameters)) for (r,), c in channels.items() if c != 0}
        square = parts.pop(2, lambda u, *p: 0.0 * u)
        fine = np.linspace(self.states[0], self.states[-1], FINER * len(self.states))
        coarse, close = (self._bent_residual(parts, square, states) for states in (self.states, fine))
        found = []
        for x in _solutions(close, _solutions(coarse, self._starts(random, starts), 1e-6), 1e-8):
            mapped, slope = self._map(square, x, fine)
            straight = np.all(np.isfinite(mapped)) and (np.all(slope > 1e-4) or np.all(slope < -1e-4))
            low, high = self.domain
            inside = bool(np.all(mapped > low) and np.all(mapped < high))
            if straight and inside and self.admitted(x[2:]):
                found.append(Alias(x[2:], fine, mapped))
        return found

    def _bent_residual(
        self, parts: dict[int, Callable[..., Any]], square: Callable[..., Any], states: Array
    ) -> Callable[[Array], Array]:
        true = {r: part(states, *self.truth) for r, part in parts.items()}

        def residual(x: Array) -> Array:
            mapped, slope = self._map(square, x, states)
            rows = [
                (part(mapped, *x[2:]) * slope**r - slope * true[r]) / (1 + abs(true[r]))
                for r, part in parts.items()
            ]
            return _finite(np.concatenate(rows)) if rows else np.zeros(1)

        return residual

    def _kept(self, scale: float, shift: float) -> bool:
        """Whether the affine map takes the whole domain into itself."""
        low, high = sorted(scale * end + shift for end in self.domain)
        return low >= self.domain[0] - 1e-9 and high <= self.domain[1] + 1e-9

    def _starts(self, random: np.random.Generator, count: int) -> list[Array]:
        """Far and near: signs flipped, sizes changed, the first one close to the truth."""
        found = []
        for index in range(count):
            size = random.lognormal(0, 0.1 if index % 3 == 0 else 1.0, len(self.truth))
            flip = random.choice([1, -1], len(self.truth)) if index % 3 == 2 else 1
            scale = random.choice([1.0, -1.0, 0.5, 2.0]) * random.lognormal(0, 0.2)
            shift = 0.0 if index % 2 else random.normal(0, 1)
            start = shift if index % 3 else self.states[0] * (1 - scale) * (index % 2)
            found.append(np.concatenate([[scale, start], self.truth * size * flip]))
        return found

    def _map(self, square: Callable[..., Any], x: Array, states: Array) -> tuple[Array, Array]:
        """``(f, f')`` on the grid, by Runge-Kutta with f = x[0]*u + x[1], f' = x[0] at its first state."""
        truth, report = self.truth, x[2:]

        def bend(u: float, f: float, s: float) -> float:
            return float(square(f, *report)) * s * s - float(square(u, *truth)) * s

        f, s = x[0] * states[0] + x[1], x[0]
        values, slopes = [f], [s]
        for u, after in pairwise(states):
            h = after - u
            k1, l1 = s, bend(u, f, s)
            k2, l2 = s + h / 2 * l1, bend(u + h / 2, f + h / 2 * k1, s + h / 2 * l1)
            k3, l3 = s + h / 2 * l2, bend(u + h / 2, f + h / 2 * k2, s + h / 2 * l2)
            k4, l4 = s + h * l3, bend(u + h, f + h * k3, s + h * l3)
            f, s = f + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), s + h / 6 * (l1 + 2 * l2 + 2 * l3 + l4)
            values.append(f)
            slopes.append(s)
        return np.array(values), np.array(slopes)


def _function(expression: Expr, symbols: Sequence[Symbol]) -> Callable[..., Any]:
    """The expression as a function of arrays, also where it is constant."""
    function = lambdify(symbols, expression, "numpy")
    return lambda first, *others: function(first, *others) + 0.0 * first


def _finite(rows: Array) -> Array:
    rows = np.asarray(rows, dtype=float)
    return np.where(np.isfinite(rows) & (abs(rows) < _PENALTY), rows, _PENALTY)


def _solutions(residual: Callable[[Array], Array], starts: list[Array], close: float = CLOSE) -> list[Array]:
    found: list[Array] = []
    with np.errstate(all="ignore"):
        for start in starts:
            first = residual(start)
            if len(first) < len(start) or not np.all(np.isfinite(first)):
                continue
            ended = least_squares(
                residual, start, method="lm", max_nfev=60 * len(start), xtol=1e-15, ftol=1e-15
            )
            new = np.all(np.isfinite(ended.x)) and np.max(abs(ended.x)) < 1e4
            if new and np.max(abs(ended.fun)) < close * min(1.0, abs(ended.x[0])):
                found.append(ended.x)
    return found
