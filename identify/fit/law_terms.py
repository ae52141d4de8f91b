"""A law as a sum of coefficients times features: what can be profiled by linear least squares."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sympy import Add, Expr, Integer, Mul, Pow, S, Symbol, cos, cosh, diff, exp, sin, sinh

from identify.law import Law

_HIGHEST = 12  # powers of sums are multiplied out up to here
_MOST = 256  # terms; beyond, the parameters of the factor count as inseparable


@dataclass(frozen=True)
class Terms:
    """``F = known + sum_j coefficients[j]*features[j]``, an identity.

    ``coefficients`` contain the parameters ``linear`` only.  ``features`` and ``known`` contain the state,
    the velocity and the parameters ``nonlinear``, which cannot be separated from them.
    """

    coefficients: tuple[Expr, ...]
    features: tuple[Expr, ...]
    known: Expr
    linear: tuple[Symbol, ...]
    nonlinear: tuple[Symbol, ...]


class _TooManyError(Exception):
    """A product has too many terms to be written out."""


def law_terms(law: Law, held: frozenset[Symbol] = frozenset()) -> Terms:
    """The terms of the law's acceleration; the parameters ``held`` count as inseparable."""
    parameters = frozenset(law.parameters)
    motion = frozenset({law.state, law.velocity})
    kept = held | _all_inseparable(law.acceleration, parameters - held, motion | held)
    try:
        split = _Split(parameters - kept).split(law.acceleration)
    except _TooManyError:
        kept = frozenset(p for p in law.parameters if p in law.acceleration.free_symbols)
        split = {law.acceleration: S.One}
    coefficients, features, known = _grouped(split)
    return Terms(
        coefficients,
        features,
        known,
        tuple(p for p in law.parameters if p not in kept),
        tuple(p for p in law.parameters if p in kept),
    )


def jointly_linear(law: Law, terms: Terms) -> tuple[Symbol, ...]:
    """Parameters in which F is jointly affine, taken greedily in the order of the law."""
    chosen: list[Symbol] = []
    for parameter in terms.linear:
        trial = [*chosen, parameter]
        if all(diff(p, parameter, other) == 0 for p in terms.coefficients for other in trial):
            chosen.append(parameter)
    return tuple(chosen)


def _all_inseparable(
    expression: Expr, parameters: frozenset[Symbol], motion: frozenset[Symbol]
) -> frozenset[Symbol]:
    """Those inside a function with the state, and those inside a function with one of these."""
    kept: frozenset[Symbol] = frozenset()
    while more := _inseparable(expression, parameters - kept, motion | kept):
        kept |= more
    return kept


def _inseparable(
    expression: Expr, parameters: frozenset[Symbol], motion: frozenset[Symbol]
) -> frozenset[Symbol]:
    """The parameters inside a function together with the state or velocity."""
    symbols = expression.free_symbols
    if not symbols & motion or not symbols & parameters:
        return frozenset()
    if isinstance(expression, (Add, Mul)):
        return _union(_inseparable(part, parameters, motion) for part in expression.args)
    if _is_expandable_power(expression):
        return _inseparable(expression.args[0], parameters, motion)
    if _addition_theorem(expression, parameters, motion) is not None:
        return frozenset()
    return frozenset(symbols & parameters)


def _union(parts: Iterable[frozenset[Symbol]]) -> frozenset[Symbol]:
    return frozenset().union(*parts)


def _is_expandable_power(expression: Expr) -> bool:
    if not isinstance(expression, Pow) or not isinstance(expression.exp, Integer):
        return False
    return 1 <= int(expression.exp) <= _HIGHEST


def _addition_theorem(expression: Expr, left: frozenset[Symbol], right: frozenset[Symbol]) -> Expr | None:
    """``f(x + y)`` as products of functions of x and of y, where x is free of ``right`` and y of ``left``."""
    if not isinstance(expression, (sin, cos, sinh, cosh, exp)):
        return None
    parts = Add.make_args(expression.args[0])
    if any(part.free_symbols & left and part.free_symbols & right for part in parts):
        return None
    x = Add(*(part for part in parts if part.free_symbols & left))
    y = Add(*(part for part in parts if not part.free_symbols & left))
    if isinstance(expression, exp):
        return Mul(exp(x), exp(y), evaluate=False)
    if isinstance(expression, sin):
        return sin(x) * cos(y) + cos(x) * sin(y)
    if isinstance(expression, cos):
        return cos(x) * cos(y) - sin(x) * sin(y)
    if isinstance(expression, sinh):
        return sinh(x) * cosh(y) + cosh(x) * sinh(y)
    return cosh(x) * cosh(y) + sinh(x) * sinh(y)


class _Split:
    """Writes an expression as {feature: coefficient}, coefficients being functions of ``linear`` alone."""

    def __init__(self, linear: frozenset[Symbol]) -> None:
        self.linear = linear

    def split(self, expression: Expr) -> dict[Expr, Expr]:
        symbols = expression.free_symbols
        if not symbols & self.linear:
            return {expression: S.One}
        if symbols <= self.linear:
            return {S.One: expression}
        if isinstance(expression, Add):
            return _merged(item for part in expression.args for item in self.split(part).items())
        if isinstance(expression, Mul):
            return self._product(expression.args)
        if _is_expandable_power(expression):
            return self._product((expression.args[0],) * int(expression.args[1]))
        theorem = _addition_theorem(expression, self.linear, frozenset(symbols - self.linear))
        if theorem is None:
            raise _TooManyError
        return self.split(theorem)

    def _product(self, factors: tuple[Expr, ...]) -> dict[Expr, Expr]:
        result: dict[Expr, Expr] = {S.One: S.One}
        for factor in factors:
            parts = self.split(factor)
            if len(result) * len(parts) > _MOST:
                raise _TooManyError
            result = _merged(
                (one * other, first * second)
                for one, first in result.items()
                for other, second in parts.items()
            )
        return result


def _merged(items: Iterable[tuple[Expr, Expr]]) -> dict[Expr, Expr]:
    """Equal features joined; the number in front of a feature goes to its coefficient."""
    result: dict[Expr, Expr] = {}
    for feature, coefficient in items:
        number, rest = feature.as_coeff_Mul()
        result[rest] = result.get(rest, S.Zero) + number * coefficient
    return result


def _grouped(split: dict[Expr, Expr]) -> tuple[tuple[Expr, ...], tuple[Expr, ...], Expr]:
    """Proportional coefficients joined, with their numbers in the features; constants go to ``known``."""
    joined: dict[Expr, Expr] = {}
    for feature, coefficient in split.items():
        number, rest = coefficient.as_coeff_Mul()
        if number != 0:
            joined[rest] = joined.get(rest, S.Zero) + number * feature
    known = joined.pop(S.One, S.Zero)
    kept = {p: phi for p, phi in joined.items() if p.free_symbols and phi != 0}
    rest = Add(*(p * phi for p, phi in joined.items() if not p.free_symbols))
    return tuple(kept), tuple(kept.values()), known + rest
