"""Units of parameters and of what is computed from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from sympy import Abs, Add, Expr, Mul, Pow, Rational, Symbol

from identify.conclude.anchor_given import derived_units
from identify.conclude.anchor_text import GivenText
from identify.errors import InputError
from identify.law import Law
from identify.law.dimension import parameter_dimensions
from identify.law.unit import BASES, ONE, Dimension, base, read_unit, unit_text

_ZERO = ONE.dimension
_FORMAL = ("px", "cd", "mol", "K", "A")  # no law of motion is about these, so that they can stand for others

Dimensions = dict[Symbol, Dimension | None]


def dimensions(law: Law, anchors: Sequence[GivenText], units: Mapping[str, str]) -> Dimensions:
    """The dimension of the state and of each parameter, as far as anchors, units and the law tell.

    Without any unit, time is still in seconds: a parameter whose dimension has no length keeps it.
    """
    given = derived_units(law, anchors, units) or {}
    declared = {symbol: d for symbol, d in given.items() if d is not None and symbol != law.state}
    timed = _without_length(law, declared) or _without_length(law, {})
    return {**timed, **{symbol: d for symbol, d in given.items() if d is not None}}


def shared_dimension(
    expression: Expr, law: Law, known: Mapping[Symbol, Dimension | None]
) -> Dimension | None:
    """The dimension of what every coordinate shares: known though those of its parts may be open.

    ``k/m`` has 1/s^2 whatever the unit of mass: parts that are open get a base of their own, and it cancels.
    """
    told = dimension_of(expression, known)
    if told is not None:
        return told
    formal = {**_formal(law), **{symbol: d for symbol, d in known.items() if symbol not in law.parameters}}
    found = dimension_of(expression, formal)
    return None if found is None or _is_formal(found) else found


def _formal(law: Law) -> Dimensions:
    """Dimensions of all parameters, the state's and open ones in bases that stand for themselves."""
    for state in (base(_FORMAL[0]), _ZERO):
        found: dict[Symbol, Dimension | None] = {}
        given: dict[Symbol, Dimension] = {}
        try:
            for name in _FORMAL[1:]:
                found = parameter_dimensions(law, state, given)
                open_ = next((p for p, d in found.items() if d is None), None)
                if open_ is None:
                    break
                given[open_] = base(name)
        except InputError:
            continue  # such as sin(z), which needs a pure number
        return {law.state: state, **found}
    return {}


def _without_length(law: Law, declared: Mapping[Symbol, Dimension]) -> Dimensions:
    """What is known without the unit of the state, which gets a base of its own."""
    for state in (base(_FORMAL[0]), _ZERO):
        try:
            found = parameter_dimensions(law, state, declared)
        except InputError:
            continue  # such as sin(z), which needs a pure number
        pure: Dimensions = {p: d for p, d in found.items() if d is not None and not _is_formal(d)}
        return pure if state != _ZERO else {law.state: _ZERO, **pure}
    return {}


def _is_formal(dimension: Dimension) -> bool:
    return any(dimension[BASES.index(name)] for name in _FORMAL)


def dimension_of(expression: Expr, known: Mapping[Symbol, Dimension | None]) -> Dimension | None:
    """The dimension of an expression; None where a part has none or its terms disagree."""
    if isinstance(expression, Symbol):
        return known.get(expression)
    if expression.is_number:
        return _ZERO
    if isinstance(expression, Pow) and isinstance(expression.exp, Rational):
        inner = dimension_of(expression.base, known)
        power = Fraction(int(expression.exp.p), int(expression.exp.q))
        return None if inner is None else tuple(power * e for e in inner)
    parts = [dimension_of(part, known) for part in expression.args]
    if any(part is None for part in parts):
        return None
    whole = [part for part in parts if part is not None]
    if isinstance(expression, Mul):
        return tuple(sum(column, Fraction(0)) for column in zip(*whole, strict=True))
    if isinstance(expression, (Add, Abs)):
        return whole[0] if all(part == whole[0] for part in whole) else None
    return _ZERO if all(part == _ZERO for part in whole) else None


_NAMED = {read_unit(name).dimension: name for name in ("N/m", "N", "J", "W", "Pa", "N s/m")}


def text_of(dimension: Dimension | None) -> str | None:
    """The unit as text, by its usual name where it has one; None where it is not known."""
    return None if dimension is None else _NAMED.get(dimension, unit_text(dimension))
