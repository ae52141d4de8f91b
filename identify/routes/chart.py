"""The regular chart: the open intervals on which c2 is continuous."""

from __future__ import annotations

from dataclasses import replace

from sympy import (
    Expr,
    Pow,
    Symbol,
    acos,
    acosh,
    asin,
    atanh,
    cos,
    cot,
    coth,
    csc,
    csch,
    expand,
    factor_list,
    fraction,
    log,
    sec,
    sin,
    sinh,
    sqrt,
    tan,
    together,
)

from identify.law import to_text
from identify.law.law import Law
from identify.routes.signs import Signs
from identify.routes.slope import Slope

_POLES = {tan: cos, sec: cos, cot: sin, csc: sin, coth: sinh, csch: sinh}
_RANGES = {
    log: lambda x: x,
    asin: lambda x: 1 - x**2,
    acos: lambda x: 1 - x**2,
    atanh: lambda x: 1 - x**2,
    acosh: lambda x: x - 1,
}


def chart_text(c2: Expr, law: Law, signs: Signs) -> str:
    """The declared domain and, where it does not already exclude them, the singular states of c2."""
    parts = list(dict.fromkeys(condition.text for condition in law.domain))
    bounded = _bounded(c2, law.state)
    parts += [f"{to_text(base)} > 0" for base in bounded if signs.of(base) != 1]
    for base in _singular(c2, law.state):
        if base not in bounded and signs.of(base) is None:
            parts.append(_nonzero_text(base, law.state, signs))
    parts = list(dict.fromkeys(parts))
    if len(parts) > 1:
        parts = [f"({part})" if " or " in part else part for part in parts]
    return " and ".join(parts) or f"all {law.state}"


def _singular(c2: Expr, state: Symbol) -> list[Expr]:
    """What must not vanish: denominators, and the poles of tan, cot and their kin."""
    bases = [node.base for node in c2.atoms(Pow) if node.exp.could_extract_minus_sign()]
    bases += [_POLES[node.func](node.args[0]) for node in c2.atoms(*_POLES)]
    return [base for base in sorted(bases, key=str) if state in base.free_symbols]


def _bounded(c2: Expr, state: Symbol) -> list[Expr]:
    """What must be positive: bases of powers that are no integers, and the ranges of log, asin, ..."""
    bases = [node.base for node in c2.atoms(Pow) if not node.exp.is_integer]
    bases += [_RANGES[node.func](node.args[0]) for node in c2.atoms(*_RANGES)]
    return [base for base in sorted(bases, key=str) if state in base.free_symbols]


def _nonzero_text(base: Expr, state: Symbol, signs: Signs) -> str:
    """The components of ``base != 0`` as intervals where the base is linear or a difference of squares."""
    poly = base.as_poly(state) if base.is_polynomial(state) else None
    if poly is not None and poly.degree() == 1:
        root = to_text((-poly.nth(0) / poly.nth(1)).cancel())
        return f"{state} > {root} or {state} < {root}"
    if poly is not None and poly.degree() == 2 and (radius := _radius(base, state, signs)) is not None:
        distance = to_text(abs(state - _center(base, state)))
        return f"{distance} < {radius} or {distance} > {radius}"
    return f"{to_text(base)} != 0"


def _center(base: Expr, state: Symbol) -> Expr:
    poly = base.as_poly(state)
    return (-poly.nth(1) / (2 * poly.nth(2))).cancel()


def _radius(base: Expr, state: Symbol, signs: Signs) -> str | None:
    """Half the distance of a quadratic's two roots, if its discriminant is proved positive."""
    lead, middle, last = base.as_poly(state).all_coeffs()
    square = ((middle**2 - 4 * lead * last) / (4 * lead**2)).cancel()
    root = sqrt(square).subs({abs(s): s for s in square.free_symbols if signs.of(s, domain=False) == 1})
    positive = signs.of(square, domain=False) == 1 or _is_square(square)
    return to_text(root) if positive else None


def _is_square(expression: Expr) -> bool:
    halves = [factor_list(part) for part in fraction(together(expression))]
    content = halves[0][0] * halves[1][0]
    return bool(content.is_positive) and all(power % 2 == 0 for _, roots in halves for _, power in roots)


def orient(slope: Slope, state: Symbol, signs: Signs) -> tuple[Slope, tuple[Expr, ...]]:
    """The slope with every base positive, and the bases for which positivity was chosen, not proved.

    ``psi'`` only depends on a base up to a constant factor, so its sign may be flipped freely.
    """
    known = {base: signs.of(base) for base, _ in slope.factors}
    open_bases = [base for base, sign in known.items() if sign is None]
    if len(open_bases) > 1:
        # Choices for several bases could contradict each other; sizes hold on every component.
        images = {base: abs(base) for base in open_bases}
        chosen: tuple[Expr, ...] = ()
    else:
        images = {base: _prefer(base, state, signs) for base in open_bases}
        chosen = tuple(images.values())
    images |= {base: base * sign for base, sign in known.items() if sign is not None}
    return replace(slope, factors=tuple((images[base], power) for base, power in slope.factors)), chosen


def _prefer(base: Expr, state: Symbol, signs: Signs) -> Expr:
    """The base or its negative, so that it is positive somewhere.

    A linear base rises, a quadratic with two proved roots is positive between them, and any other is
    positive at state zero or, failing that, at infinity.
    """
    poly = base.as_poly(state) if base.is_polynomial(state) else None
    wanted, sign = 1, signs.of(base.subs(state, 0), domain=False)
    if poly is not None and (poly.degree() == 1 or sign is None):
        sign = signs.of(poly.LC(), domain=False)
    if poly is not None and poly.degree() == 2 and _radius(base, state, signs) is not None:
        wanted, sign = -1, signs.of(poly.LC(), domain=False)
    return expand(-base) if sign == -wanted else base
