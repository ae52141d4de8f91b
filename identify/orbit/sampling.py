"""Rational points inside the declared conditions, and fast numerical evaluation there."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import mpmath
from sympy import Expr, Rational, S, Symbol, lambdify

from identify.law.law import Condition

DIGITS = 40
TRIES = 3000

Number = Any  # mpmath.mpf or mpmath.mpc


def compiled(symbols: Sequence[Symbol], expressions: Sequence[Expr]) -> Callable[..., list[Number]]:
    """The expressions as one mpmath function of the symbols."""
    return lambdify(list(symbols), list(expressions), "mpmath")  # type: ignore[no-any-return]


def holds(value: Number, relation: str) -> bool:
    """Whether ``value relation 0`` for a real value away from rounding."""
    if not is_real(value):
        return False
    value = mpmath.re(value)
    tiny = mpmath.mpf(10) ** -(DIGITS // 2)
    if relation == ">":
        return bool(value > tiny)
    if relation == ">=":
        return bool(value > -tiny)
    if relation == "==":
        return bool(abs(value) < tiny)
    return bool(abs(value) > tiny)


def is_real(value: Number) -> bool:
    """Whether a number is finite and real to half the working digits."""
    if not mpmath.isfinite(value):
        return False
    return bool(abs(mpmath.im(value)) <= mpmath.mpf(10) ** -(DIGITS // 2) * (1 + abs(mpmath.re(value))))


@dataclass(frozen=True)
class Point:
    """True parameters (all of them), a few states inside the domain, and far-out ones."""

    parameters: dict[Symbol, Rational]
    states: tuple[Rational, ...]
    extremes: tuple[Rational, ...] = ()


@dataclass(frozen=True)
class Sampler:
    """Random points of ``{parameters, state}`` inside assumptions and domain.

    ``truth`` gives the parameters that an equality or a stratum fixes.
    """

    state: Symbol
    parameters: tuple[Symbol, ...]
    truth: dict[Symbol, Expr]
    assumptions: tuple[Condition, ...]
    domain: tuple[Condition, ...]

    def points(self, count: int, seed: int = 1) -> list[Point]:
        """Up to ``count`` points (fewer when the conditions are hard to meet)."""
        generator = random.Random(seed)
        found: list[Point] = []
        free = [p for p in self.parameters if p not in self.truth]
        relations = [c for c in self.assumptions if c.relation != "=="]
        check = compiled(self.parameters, [c.expression for c in relations])
        ranges = {p: bounds(p, self.assumptions) for p in free}
        for _ in range(TRIES):
            values: dict[Symbol, Rational] = {p: _between(generator, *ranges[p]) for p in free}
            values.update({p: e.xreplace(values) for p, e in self.truth.items()})
            if not all(v.is_finite and v.is_real for v in values.values()):
                continue
            ordered = {p: values[p] for p in self.parameters}
            if _all_hold(check, ordered.values(), [c.relation for c in relations]):
                states = self._states(ordered, generator)
                if states:
                    found.append(Point(ordered, states, self._extremes(ordered)))
            if len(found) >= count:
                break
        return found

    def _extremes(self, values: dict[Symbol, Rational]) -> tuple[Rational, ...]:
        """States near zero and far from it, inside the domain."""
        check = compiled((self.state, *self.parameters), [c.expression for c in self.domain])
        relations = [c.relation for c in self.domain]
        far = [s * x for x in (Rational(1, 997), Rational(31)) for s in (1, -1)]
        return tuple(x for x in far if _all_hold(check, (x, *values.values()), relations))

    def _states(self, values: dict[Symbol, Rational], generator: random.Random) -> tuple[Rational, ...]:
        """Up to six states in the domain, of both signs where it has both."""
        check = compiled((self.state, *self.parameters), [c.expression for c in self.domain])
        found: list[Rational] = []
        low, high = bounds(self.state, self.domain)
        for i in range(200):
            state = abs(_rational(generator)) * (-1) ** i
            if low is not None or high is not None:
                state = _between(generator, low, high)
            if _all_hold(check, (state, *values.values()), [c.relation for c in self.domain]):
                found.append(state)
            if len(found) == 6:
                break
        return tuple(found)


def _all_hold(
    check: Callable[..., list[Number]], arguments: Iterable[Expr], relations: Sequence[str]
) -> bool:
    with mpmath.workdps(DIGITS):
        try:
            values = check(*(to_number(a) for a in arguments))
        except (ValueError, ZeroDivisionError, OverflowError):
            return False
        return all(holds(v, r) for v, r in zip(values, relations, strict=True))


def to_number(value: Expr) -> Number:
    """An exact rational (or any constant) as an mpmath number at the working precision."""
    if isinstance(value, Rational):
        return mpmath.mpf(int(value.p)) / int(value.q)
    return mpmath.mpmathify(S(value).evalf(DIGITS))


def _rational(generator: random.Random) -> Rational:
    """A number near one with a prime denominator, so that no simple relation holds by accident."""
    prime = generator.choice((101, 103, 107, 109, 113, 127))
    numerator = generator.randint(10, 400)
    return Rational(generator.choice((1, 1, -1)) * (numerator + (numerator % prime == 0)), prime)


def bounds(symbol: Symbol, conditions: Sequence[Condition]) -> tuple[Rational | None, Rational | None]:
    """Rational bounds, within one part in a million, that single conditions put on the symbol."""
    low, high = exact_bounds(symbol, conditions)
    return None if low is None else nearby(low), None if high is None else nearby(high)


def exact_bounds(symbol: Symbol, conditions: Sequence[Condition]) -> tuple[Expr | None, Expr | None]:
    """Numbers that single conditions put as bounds on the symbol."""
    low: Expr | None = None
    high: Expr | None = None
    for c in conditions:
        if c.relation not in (">", ">=") or c.expression.free_symbols != {symbol}:
            continue
        slope = c.expression.diff(symbol)
        if not slope.is_number or not slope.is_nonzero:
            continue
        end = -c.expression.xreplace({symbol: S.Zero}) / slope
        if slope > 0:
            low = end if low is None else max(low, end)
        else:
            high = end if high is None else min(high, end)
    return low, high


def nearby(number: Expr) -> Rational:
    """A rational within one part in a million."""
    return number if isinstance(number, Rational) else Rational(round(float(number) * 10**6), 10**6)


def _between(generator: random.Random, low: Rational | None, high: Rational | None) -> Rational:
    if low is None and high is None:
        return _rational(generator)
    if low is not None and high is not None:
        return low + (high - low) * Rational(generator.randint(1, 60), 61)
    return low + abs(_rational(generator)) if low is not None else high - abs(_rational(generator))


def trials(symbols: Sequence[Symbol], generator: random.Random, count: int) -> Iterator[tuple[Rational, ...]]:
    """Values for free symbols: simple ones first, then random ones, of both signs."""
    simple = (Rational(2), Rational(1, 2), Rational(-1), Rational(1), Rational(-2), Rational(3))
    for i in range(count):
        if i < len(simple):
            yield tuple(simple[i] for _ in symbols)
        else:
            yield tuple(_rational(generator) for _ in symbols)
