"""Quantities computed from calibrated parameters and known ones: ``k = m*a`` with ``m = 0.1515 kg``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sympy import Expr, Symbol

from identify.conclude.anchor_text import read_anchor
from identify.errors import InputError
from identify.fit.film import Array
from identify.fit.results.dimension import Dimensions, shared_dimension, text_of
from identify.fit.results.warrant import Values
from identify.law import Law, read_expression
from identify.law.unit import ONE, Dimension

_NAME = "a name, such as k=m*a"


@dataclass(frozen=True)
class Known:
    """A quantity measured outside the video, in base units."""

    symbol: Symbol
    value: float
    sigma: float
    dimension: Dimension


@dataclass(frozen=True)
class Derivation:
    """``name = expression`` as asked for."""

    name: str
    expression: Expr
    text: str


@dataclass(frozen=True)
class Derived:
    """A derived quantity; ``value`` is None where a parameter in it is not determined."""

    value: float | None
    se: float | None
    unit: str | None
    formula: str
    because: str | None = None


def read_known(texts: Sequence[str], law: Law) -> tuple[Known, ...]:
    """``m=0.1515 kg`` as quantities; names of the law are anchors, not known quantities."""
    found: list[Known] = []
    for text in texts:
        name = text.partition("=")[0].strip()
        if not name.isidentifier() or "=" not in text:
            raise InputError("--known needs a name and a value", text, hint='write for example "m=0.1515 kg"')
        if name in {p.name for p in law.parameters} or name == law.state.name:
            raise InputError(f"{name} is part of the law", text, hint=f'give it as --anchor "{text.strip()}"')
        if any(k.symbol.name == name for k in found):
            raise InputError(f"--known gives {name} twice", text, hint="give each quantity once")
        quantity = read_anchor(text, (name,)).quantity
        if quantity is None:
            raise InputError(f"no value for {name}", text, len(text), 'write for example "m=0.1515 kg"')
        sigma = 0.0 if quantity.uncertainty is None else float(quantity.uncertainty)
        dimension = ONE.dimension if quantity.unit is None else quantity.unit.dimension
        found.append(Known(Symbol(name, real=True), float(quantity.value), sigma, dimension))
    return tuple(found)


def read_derivations(texts: Sequence[str], law: Law, known: Sequence[Known]) -> tuple[Derivation, ...]:
    """``k=m*a`` as expressions in the law's parameters and the known quantities."""
    names = [*law.parameters, *(k.symbol for k in known)]
    found = []
    for text in texts:
        name, equals, body = text.partition("=")
        if not equals or not name.strip().isidentifier():
            raise InputError(
                "--derive needs a formula with " + _NAME, text, hint='for example --derive "k=m*a"'
            )
        expression = read_expression(body.strip(), names)
        found.append(Derivation(name.strip(), expression, body.strip()))
    return tuple(found)


def derive(
    law: Law,
    one: Derivation,
    known: Sequence[Known],
    values: Values,
    determined: Mapping[str, bool],
    units: Dimensions,
) -> Derived:
    """The quantity with its error to first order, from the fit's covariance and the known ones' own."""
    symbols = (*values.symbols, *(k.symbol for k in known))
    numbers = np.concatenate([values.values, [k.value for k in known]])
    whole = Values(symbols, numbers, _joint(values.covariance, [k.sigma for k in known]))
    dimensions: Dimensions = {**units, **{k.symbol: k.dimension for k in known}}
    inside = [s.name for s in values.symbols if one.expression.has(s)]
    missing = [name for name in inside if not determined.get(name, False)]
    unit = text_of(shared_dimension(one.expression, law, dimensions))
    if missing:
        told = (
            f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not determined: give an anchor"
        )
        return Derived(None, None, unit, one.text, told)
    value, se = whole.of(one.expression)
    return Derived(value, se, unit, one.text)


def _joint(covariance: Array, sigmas: Sequence[float]) -> Array:
    count = len(covariance)
    whole = np.zeros((count + len(sigmas), count + len(sigmas)))
    whole[:count, :count] = covariance
    for i, sigma in enumerate(sigmas):
        whole[count + i, count + i] = sigma**2
    return whole
