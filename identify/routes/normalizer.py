"""The canonical step: the normalizer of a law and its canonical law ``q'' = ...`` for ``q = psi(z)``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TypeAlias

from mpmath import mp, mpf
from sympy import (
    Add,
    Dummy,
    Expr,
    Pow,
    Symbol,
    cancel,
    cos,
    exp,
    factor_terms,
    lambdify,
    powsimp,
    sin,
)

from identify.analysis import CanonicalInfo
from identify.law import to_text
from identify.law.law import Condition, Law
from identify.routes.chart import chart_text, orient
from identify.routes.normal import Inverse, find_normal
from identify.routes.route import SQUARE, Feature, Route
from identify.routes.signs import Signs
from identify.routes.slope import Slope, find_slope

Number: TypeAlias = int | float | mpf


@dataclass(frozen=True)
class CanonicalLaw:
    """``psi``, its slope and the canonical acceleration, as expressions; None where there is none.

    ``acceleration`` is a function of ``coordinate`` and ``velocity`` if ``inverted``, else of the
    law's state and ``velocity``.  ``chosen`` are the expressions taken positive without proof, and
    ``conditions`` those taken nonzero.
    """

    c2: Expr
    slope: Expr | None
    psi: Expr | None
    acceleration: Expr | None
    inverted: bool
    coordinate: Symbol
    velocity: Symbol
    chosen: tuple[Expr, ...] = ()
    conditions: tuple[Expr, ...] = ()


def canonical_step(law: Law, route: Route) -> CanonicalInfo:
    """The canonical step as text: c2, psi, psi', the law of q, and the chart (thm:connection-slice)."""
    canonical = canonical_law(law, route)
    slope = canonical.slope
    return CanonicalInfo(
        c2=to_text(canonical.c2),
        normalizer=None if canonical.psi is None else to_text(canonical.psi),
        normalizer_derivative=_integral_text(canonical.c2, law) if slope is None else to_text(slope),
        law=_law_text(canonical),
        chart=chart_text(canonical.c2, law, Signs(law)),
        note=_note(canonical, law),
    )


def canonical_law(law: Law, route: Route) -> CanonicalLaw:
    """The canonical law with ``psi'' + c2*psi' = 0`` and ``cbar_r = psi'**(1-r) * c_r`` for r != 2.

    Implements eq:normalizer-definition and eq:normalized-coefficients; psi is fixed up to an affine map.
    """
    if route.name != "canonical":
        raise ValueError("only a canonical route has a canonical step")
    signs = Signs(law)
    names = signs.positive_names(law.parameters)
    channels = {feature: value.subs(names) for feature, value in route.channels}
    q, velocity = _coordinate(law)
    result = _normalize(channels, law.state, Signs(_rename(law, names)), q, velocity)
    return _restore(result, {new: old for old, new in names.items()})


@dataclass(frozen=True)
class ClosedNormalizer:
    """``psi``, its slope, and ``inverse``, a function of ``coordinate`` with ``inverse(psi(z)) = z``."""

    psi: Expr
    slope: Expr
    inverse: Expr
    coordinate: Symbol


def closed_normalizer(c2: Expr, state: Symbol, signs: Signs) -> ClosedNormalizer | None:
    """The normalizer of c2 where it and its inverse have closed forms."""
    found = find_slope(c2, state, signs)
    if found is None:
        return None
    slope, _ = orient(found, state, signs)
    normal = find_normal(slope, state, signs)
    if normal is None or normal.inverse is None:
        return None
    q = Symbol("_q", real=True)
    inverse = normal.inverse(q)
    return ClosedNormalizer(normal.psi, slope.expression(), inverse.state.xreplace(inverse.placeholders), q)


def _rename(law: Law, names: dict[Symbol, Symbol]) -> Law:
    """The same law in the renamed parameters."""

    def renamed(conditions: tuple[Condition, ...]) -> tuple[Condition, ...]:
        return tuple(replace(item, expression=item.expression.subs(names)) for item in conditions)

    parameters = tuple(names.get(parameter, parameter) for parameter in law.parameters)
    return replace(
        law,
        parameters=parameters,
        acceleration=law.acceleration.subs(names),
        assumptions=renamed(law.assumptions),
        domain=renamed(law.domain),
    )


def _normalize(
    channels: dict[Feature, Expr], state: Symbol, signs: Signs, q: Symbol, velocity: Symbol
) -> CanonicalLaw:
    c2 = channels[SQUARE]
    found = find_slope(c2, state, signs)
    if found is None:
        return CanonicalLaw(c2, None, None, None, False, q, velocity)
    slope, chosen = orient(found, state, signs)
    normal = find_normal(slope, state, signs)
    inverse = normal.inverse(q) if normal is not None and normal.inverse is not None else None
    return CanonicalLaw(
        c2,
        slope.expression(),
        None if normal is None else normal.psi,
        _acceleration(channels, slope, inverse, state, velocity),
        inverse is not None,
        q,
        velocity,
        chosen,
        (*slope.conditions, *(normal.conditions if normal is not None else ())),
    )


def _acceleration(
    channels: dict[Feature, Expr], slope: Slope, inverse: Inverse | None, state: Symbol, velocity: Symbol
) -> Expr:
    """``sum over r != 2 of psi'**(1-r) * c_r * q'**r``, in q if there is an inverse, else in z."""
    stands_for = {base: Dummy("base", positive=True) for base, _ in slope.factors}
    terms = []
    for feature, coefficient in channels.items():
        if feature == SQUARE:
            continue
        weight = 1 - feature.power
        product = _through_bases(coefficient, stands_for, state) * exp(slope.exponent * weight)
        for base, power in slope.factors:
            product *= stands_for[base] ** (power * weight)
        terms.append(_put_back(product, stands_for, inverse, state) * velocity**feature.power)
    return Add(*terms)


def _put_back(product: Expr, stands_for: dict[Expr, Symbol], inverse: Inverse | None, state: Symbol) -> Expr:
    """The product in q (or in z), powers combined while the positive placeholders still stand."""
    if inverse is None:
        return _tidy(product).subs({dummy: base for base, dummy in stands_for.items()})
    images = {dummy: inverse.bases[base] for base, dummy in stands_for.items()}
    return _tidy(product.subs(state, inverse.state).subs(images)).subs(inverse.placeholders)


def _through_bases(coefficient: Expr, stands_for: dict[Expr, Symbol], state: Symbol) -> Expr:
    """The coefficient with every multiple of a slope base written through its placeholder."""
    for base, dummy in stands_for.items():
        poly = base.as_poly(state) if base.is_polynomial(state) else None
        if poly is not None and poly.degree() == 1:
            return coefficient.subs(state, (dummy - poly.nth(0)) / poly.nth(1))
        coefficient = coefficient.subs(base, dummy)
        if poly is not None:
            coefficient = coefficient.replace(
                Add, lambda *terms, b=base, d=dummy: _multiple(terms, b, d, state)
            )
    return coefficient


def _multiple(terms: tuple[Expr, ...], base: Expr, dummy: Symbol, state: Symbol) -> Expr:
    """``ratio*dummy`` where the sum is a constant multiple of the base, else the sum itself."""
    total = Add(*terms)
    if state not in total.free_symbols or not total.is_polynomial(state):
        return total
    ratio = cancel(total / base)
    return total if state in ratio.free_symbols else ratio * dummy


def _tidy(expression: Expr) -> Expr:
    """Powers combined and exponents reduced; an identity for positive placeholders."""
    combined = powsimp(expression)
    return factor_terms(combined.replace(Pow, lambda base, power: base ** cancel(power)))


def _coordinate(law: Law) -> tuple[Symbol, Symbol]:
    """A name for the canonical coordinate that the law does not use, and its velocity."""
    used = {symbol.name for symbol in law.acceleration.free_symbols | {law.state, law.velocity}}
    name = next(name for name in ("q", "y", "w", "q_canonical") if name not in used)
    return Symbol(name, real=True), Symbol(f"{name}'", real=True)


def _restore(result: CanonicalLaw, names: dict[Symbol, Symbol]) -> CanonicalLaw:
    """The result in the law's own parameter symbols."""

    def restored(expression: Expr | None) -> Expr | None:
        return None if expression is None else expression.xreplace(names)

    return replace(
        result,
        c2=result.c2.xreplace(names),
        slope=restored(result.slope),
        psi=restored(result.psi),
        acceleration=restored(result.acceleration),
        chosen=tuple(item.xreplace(names) for item in result.chosen),
        conditions=tuple(item.xreplace(names) for item in result.conditions),
    )


def _integral_text(c2: Expr, law: Law) -> str:
    return f"exp(-integral({to_text(c2)}, {law.state}))"


def _law_text(canonical: CanonicalLaw) -> str | None:
    if canonical.acceleration is None:
        return None
    return f"{canonical.coordinate}'' = {to_text(canonical.acceleration)}"


def _note(canonical: CanonicalLaw, law: Law) -> str | None:
    """What the formulas assume, and how far the closed form reaches."""
    parts = []
    if canonical.psi is None:
        parts.append("no closed form; integrated numerically on the regular interval")
    if canonical.acceleration is not None and not canonical.inverted:
        parts.append(f"in the canonical law {law.state} stands for {law.state}({canonical.coordinate})")
    if canonical.chosen:
        parts.append("written where " + _conditions(map(_positive_text, canonical.chosen)))
    if canonical.conditions:
        parts.append("valid for " + _conditions(map(_nonzero_text, canonical.conditions)))
    return "; ".join(parts) or None


def _conditions(texts: Iterable[str]) -> str:
    return " and ".join(f"`{text}`" for text in dict.fromkeys(texts))


def _positive_text(expression: Expr) -> str:
    """``g > 0``, naming the component for the periodic functions."""
    if isinstance(expression, cos):
        return f"abs({to_text(expression.args[0])}) < pi/2"
    if isinstance(expression, sin):
        return f"0 < {to_text(expression.args[0])} < pi"
    return f"{to_text(expression)} > 0"


def _nonzero_text(expression: Expr) -> str:
    """``rho != 1`` for ``1 - rho``: solved for the symbol where there is only one, linear in it."""
    symbol, *others = sorted(expression.free_symbols, key=str)
    if not others and expression.is_polynomial(symbol) and expression.as_poly(symbol).degree() == 1:
        lead, last = expression.as_poly(symbol).all_coeffs()
        return f"{symbol} != {to_text(-last / lead)}"
    return f"{to_text(expression)} != 0"


def numeric_normalizer(
    c2: Expr, state: Symbol, parameters: dict[Symbol, Number], basepoint: Number
) -> Callable[[Number], mpf]:
    """psi with ``psi(basepoint) = 0`` and ``psi'(basepoint) = 1`` (eq:normalizer-definition), by quadrature.

    Accurate to the working precision of mpmath where c2 is smooth between basepoint and argument.
    """
    start = mpf(basepoint)
    rate = lambdify(state, c2.subs(parameters), "mpmath")

    def slope(state_value: mpf) -> mpf:
        return mp.exp(-mp.quad(rate, [start, state_value]))

    def psi(state_value: Number) -> mpf:
        return mp.quad(slope, [start, mpf(state_value)])

    return psi
