"""Channels: the acceleration as a sum ``sum c_k(z) * |v|**power * sign(v)**odd``."""

from __future__ import annotations

from collections.abc import Iterable

from sympy import (
    Abs,
    Add,
    Dummy,
    Expr,
    Float,
    Mul,
    Pow,
    Rational,
    S,
    Symbol,
    cancel,
    sign,
    together,
)

from identify.routes.feature import multiply_features
from identify.routes.refusal import (
    RefusedError,
    discontinuous,
    free_exponent,
    moved_kink,
    rational,
    refuse_function,
    too_high,
    transcendental,
    unreal_power,
)
from identify.routes.route import LINEAR, ONE, Feature
from identify.routes.zero import is_zero

Channels = dict[Feature, Expr]

_HIGHEST_POWER = 40


class _DenominatorError(Exception):
    """A denominator with several velocity terms: it may still cancel on each half-line."""

    def __init__(self, node: Expr) -> None:
        super().__init__(str(node))
        self.node = node


def expand_channels(acceleration: Expr, state: Symbol, velocity: Symbol) -> Channels:
    """The nonzero channels of the acceleration, unique because the features are independent.

    Raises ``RefusedError`` where the acceleration is no finite sum of such features.
    """
    try:
        found = _Expansion(state, velocity).expand(acceleration)
    except _DenominatorError as error:
        found = _expand_half_lines(acceleration, state, velocity, error.node)
    channels = {feature: found[feature] for feature in sorted(found) if not is_zero(found[feature])}
    _require_value_at_rest(acceleration, channels.get(ONE, S.Zero), velocity)
    return channels


def _expand_half_lines(acceleration: Expr, state: Symbol, velocity: Symbol, node: Expr) -> Channels:
    """Channels from ``v = s`` and ``v = -s`` with ``s > 0``, where denominators can cancel.

    If ``F(+-s) = sum a_p^(+-) s**p`` then the even and odd channels of power p are the half sum and
    the half difference of ``a_p^+`` and ``a_p^-``.
    """
    speed = Dummy("speed", positive=True)
    forward = _expand_half_line(acceleration.subs(velocity, speed), state, speed, node, velocity)
    backward = _expand_half_line(acceleration.subs(velocity, -speed), state, speed, node, velocity)
    channels: Channels = {}
    for power in {*forward, *backward}:
        ahead, behind = forward.get(power, S.Zero), backward.get(power, S.Zero)
        channels[Feature(power, False)] = cancel((ahead + behind) / 2)
        channels[Feature(power, True)] = cancel((ahead - behind) / 2)
    return channels


def _expand_half_line(
    acceleration: Expr, state: Symbol, speed: Symbol, node: Expr, velocity: Symbol
) -> dict[Rational, Expr]:
    reduced = cancel(together(acceleration))
    try:
        channels = _Expansion(state, speed).expand(reduced)
    except (_DenominatorError, RefusedError) as error:
        raise RefusedError(rational(node, velocity)) from error
    return _sum_by_power(channels.items())


def _sum_by_power(terms: Iterable[tuple[Feature, Expr]]) -> dict[Rational, Expr]:
    sums: dict[Rational, Expr] = {}
    for feature, coefficient in terms:
        sums[feature.power] = sums.get(feature.power, S.Zero) + coefficient
    return sums


def _require_value_at_rest(acceleration: Expr, constant: Expr, velocity: Symbol) -> None:
    """Refuse ``sign(v)**2`` and the like: equal to 1 except at ``v = 0``."""
    if not acceleration.has(sign):
        return
    value = acceleration.subs(velocity, 0)
    if value.is_finite is not False and not is_zero(value - constant):
        raise RefusedError(discontinuous(str(velocity)))


class _Expansion:
    """One recursive expansion; away from ``v = 0`` every step is an identity of functions."""

    def __init__(self, state: Symbol, velocity: Symbol) -> None:
        self.state = state
        self.velocity = velocity

    def expand(self, node: Expr) -> Channels:
        """The channels of one node, coefficients collected but not simplified."""
        if self.velocity not in node.free_symbols:
            return {ONE: node}
        if node == self.velocity:
            return {LINEAR: S.One}
        if isinstance(node, Add):
            return _add(self.expand(term) for term in node.args)
        if isinstance(node, Mul):
            return self._expand_product(node)
        if isinstance(node, Pow):
            return self._expand_power(node)
        return self._expand_function(node)

    def _expand_product(self, node: Mul) -> Channels:
        # The state part is kept as one factor, so that coefficients stay as they were written.
        constant, factors = node.as_independent(self.velocity, as_Add=False)
        product: Channels = {ONE: constant}
        for factor in Mul.make_args(factors):
            product = _multiply(product, self.expand(factor))
        return product

    def _expand_power(self, node: Pow) -> Channels:
        exponent = _as_rational(node.exp)
        if exponent is None:
            raise RefusedError(free_exponent(node, self.velocity))
        base = _drop_zeros(self.expand(node.base))
        if len(base) == 1:
            return self._power_of_one(node, next(iter(base.items())), exponent)
        if not base:
            return {ONE: S.Zero**exponent}
        if not exponent.is_integer:
            raise RefusedError(transcendental(node, self.state, self.velocity))
        if exponent < 0:
            raise _DenominatorError(node)
        if exponent > _HIGHEST_POWER:
            raise RefusedError(too_high(node, self.velocity))
        return _integer_power(base, int(exponent))

    def _power_of_one(self, node: Pow, term: tuple[Feature, Expr], exponent: Rational) -> Channels:
        feature, coefficient = term
        if not exponent.is_integer and feature.odd:
            raise RefusedError(unreal_power(node, self.velocity))
        odd = feature.odd and int(exponent) % 2 == 1
        return {Feature(feature.power * exponent, odd): coefficient**exponent}

    def _expand_function(self, node: Expr) -> Channels:
        if isinstance(node, (Abs, sign)):
            return self._expand_size(node)
        raise RefusedError(refuse_function(node, self.state, self.velocity))

    def _expand_size(self, node: Expr) -> Channels:
        argument = _drop_zeros(self.expand(node.args[0]))
        if len(argument) != 1:
            raise RefusedError(moved_kink(node, self.velocity))
        feature, coefficient = next(iter(argument.items()))
        if isinstance(node, Abs):
            return {Feature(feature.power, False): Abs(coefficient)}
        return {Feature(Rational(0), feature.odd): sign(coefficient)}


def _as_rational(exponent: Expr) -> Rational | None:
    if isinstance(exponent, Rational):
        return exponent
    return Rational(str(exponent)) if isinstance(exponent, Float) else None


def _add(parts: Iterable[Channels]) -> Channels:
    total: Channels = {}
    for part in parts:
        for feature, coefficient in part.items():
            total[feature] = total.get(feature, S.Zero) + coefficient
    return total


def _multiply(left: Channels, right: Channels) -> Channels:
    return _add(
        {multiply_features(one, other): first * second}
        for one, first in left.items()
        for other, second in right.items()
    )


def _integer_power(base: Channels, exponent: int) -> Channels:
    power: Channels = {ONE: S.One}
    for _ in range(exponent):
        power = _multiply(power, base)
    return power


def _drop_zeros(channels: Channels) -> Channels:
    return {feature: value for feature, value in channels.items() if not is_zero(value)}
