"""The normalizer psi itself: integral of a slope, with its inverse where that is elementary."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sympy import (
    Add,
    Dummy,
    Expr,
    S,
    Symbol,
    acosh,
    apart,
    asin,
    asinh,
    atan,
    atanh,
    cos,
    cosh,
    erf,
    erfi,
    exp,
    log,
    pi,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
    together,
)

from identify.routes.signs import Signs
from identify.routes.slope import Slope


@dataclass(frozen=True)
class Inverse:
    """``z = state(q)`` and each slope base through placeholders that stand for functions of q.

    ``placeholders`` are positive dummies where the function is positive on the chart, which lets
    SymPy combine powers before the functions are put back.
    """

    state: Expr
    bases: dict[Expr, Expr]
    placeholders: dict[Symbol, Expr]


@dataclass(frozen=True)
class Normal:
    """A primitive of the slope, ``conditions`` listing the expressions assumed nonzero."""

    psi: Expr
    inverse: Callable[[Symbol], Inverse] | None = None
    conditions: tuple[Expr, ...] = ()


def find_normal(slope: Slope, state: Symbol, signs: Signs) -> Normal | None:
    """A closed form psi with ``psi' = slope`` exactly, from a small table; None where it has no entry."""
    if not slope.factors:
        return _exponential(slope.exponent, state, signs)
    if slope.exponent != 0:
        return None
    if len(slope.factors) != 1:
        return _rational(slope.expression(), state, signs)
    base, power = slope.factors[0]
    poly = base.as_poly(state) if base.is_polynomial(state) else None
    if poly is not None and poly.degree() == 1:
        return _linear(base, power, state)
    if poly is not None and poly.degree() == 2:
        return _quadratic(base, power, state, signs)
    return _named(base, power, state)


def _exponential(exponent: Expr, state: Symbol, signs: Signs) -> Normal | None:
    """``exp(k*z + m)`` integrates to ``exp(k*z + m)/k``, and ``exp`` of a quadratic to an error function."""
    poly = exponent.as_poly(state) if exponent.is_polynomial(state) else None
    if poly is not None and poly.degree() == 2:
        return _gaussian(exponent, state, signs)
    if poly is None or poly.degree() != 1:
        return None
    rate, shift = poly.all_coeffs()

    def inverse(q: Symbol) -> Inverse:
        image = Dummy("image", positive=True)
        return Inverse((log(image) - shift) / rate, {}, {image: rate * q})

    return Normal(exp(exponent) / rate, inverse, _symbolic(rate))


def _gaussian(exponent: Expr, state: Symbol, signs: Signs) -> Normal | None:
    lead, middle, last = exponent.as_poly(state).all_coeffs()
    sign = signs.of(lead, domain=False)
    if sign is None:
        return None
    rate = sqrt(abs(lead))
    height = exp((last - middle**2 / (4 * lead)).cancel())
    function = erfi if sign == 1 else erf
    return Normal(height * sqrt(pi) / (2 * rate) * function(rate * (state + middle / (2 * lead))))


def _linear(base: Expr, power: Expr, state: Symbol) -> Normal:
    """``(a*z + b)**p`` integrates to a power, or to a logarithm at ``p = -1``."""
    rate, shift = base.as_poly(state).all_coeffs()
    raised = power + 1
    if raised == 0:
        return Normal(log(base) / rate, _linear_inverse(base, rate, shift, None), _symbolic(rate))
    psi = base**raised / (rate * raised)
    inverse = _linear_inverse(base, rate, shift, raised)
    return Normal(psi, inverse, (*_symbolic(rate), *_symbolic(raised)))


def _rational(slope: Expr, state: Symbol, signs: Signs) -> Normal | None:
    """Several bases with integer powers and linear factors: partial fractions, term by term."""
    if not slope.is_rational_function(state):
        return None
    parts = [_rational_term(term, state, signs) for term in Add.make_args(apart(together(slope), state))]
    known = [part for part in parts if part is not None]
    return Normal(Add(*known)) if len(known) == len(parts) else None


def _rational_term(term: Expr, state: Symbol, signs: Signs) -> Expr | None:
    if term.is_polynomial(state):
        return term.as_poly(state).integrate(state).as_expr()
    constant, power = term.as_independent(state, as_Add=False)
    base, exponent = power.as_base_exp()
    if not base.is_polynomial(state) or base.as_poly(state).degree() != 1:
        return None
    rate = base.as_poly(state).nth(1)
    if exponent != -1:
        return constant * base ** (exponent + 1) / (rate * (exponent + 1))
    sign = signs.of(base)
    return constant * log(abs(base) if sign is None else sign * base) / rate


def _linear_inverse(base: Expr, rate: Expr, shift: Expr, raised: Expr | None) -> Callable[[Symbol], Inverse]:
    def inverse(q: Symbol) -> Inverse:
        image = Dummy("image", positive=True)
        if raised is None:
            return Inverse((image - shift) / rate, {base: image}, {image: exp(rate * q)})
        # A symbol for the exponent, since SymPy combines powers only where it knows 1/raised is real.
        order = Dummy("order", real=True, nonzero=True)
        value = image ** (1 / order)
        return Inverse((value - shift) / rate, {base: value}, {image: rate * raised * q, order: raised})

    return inverse


def _quadratic(base: Expr, power: Expr, state: Symbol, signs: Signs) -> Normal | None:
    """``(A*z**2 + B*z + C)**p`` for ``p`` = -1/2, -1, -3/2, with the signs that select the function."""
    lead, middle, last = base.as_poly(state).all_coeffs()
    center = -middle / (2 * lead)
    level = (last - middle**2 / (4 * lead)).cancel()  # base = lead*(z - center)**2 + level
    kind = _kind(lead, level, signs)
    width = sqrt((level / lead * (1 if kind[0] == kind[1] else -1)).cancel())
    if power == -3 * S.Half:
        return Normal((state - center) / (level * sqrt(base)), None, _symbolic(level))
    if kind == (1, -1) and signs.of(state - center) != 1:
        return None  # acosh needs the right-hand component
    if power == -S.Half and kind in _HALF:
        return _composed(base, state, center, width, sqrt(abs(lead)), _HALF[kind])
    if power == -1 and kind in _WHOLE:
        return _composed(base, state, center, width, abs(lead) * width, _WHOLE[kind])
    return None


def _kind(lead: Expr, level: Expr, signs: Signs) -> tuple[int | None, int | None]:
    """The signs of both; a base that opens downwards and is positive on the chart has a positive level."""
    opening = signs.of(lead, domain=False)
    return opening, 1 if opening == -1 else signs.of(level, domain=False)


@dataclass(frozen=True)
class _Shape:
    """``psi = function(x)``, ``x = reverse(q)``, and ``1 -+ x**2 = partner(q)**partner_power``."""

    function: Callable[[Expr], Expr]
    reverse: Callable[[Expr], Expr]
    partner: Callable[[Expr], Expr]
    partner_power: int


_HALF: dict[tuple[int | None, int | None], _Shape] = {
    (-1, 1): _Shape(asin, sin, cos, 2),
    (1, 1): _Shape(asinh, sinh, cosh, 2),
    (1, -1): _Shape(acosh, cosh, sinh, 2),
}
_WHOLE: dict[tuple[int | None, int | None], _Shape] = {
    (-1, 1): _Shape(atanh, tanh, cosh, -2),
    (1, 1): _Shape(atan, tan, cos, -2),
}


def _composed(base: Expr, state: Symbol, center: Expr, width: Expr, scale: Expr, shape: _Shape) -> Normal:
    """``psi = function((z - center)/width)/scale`` and its inverse."""
    level = abs((base.as_poly(state).nth(2) * width**2).cancel())

    def inverse(q: Symbol) -> Inverse:
        value, partner = Dummy("value", real=True), Dummy("partner", positive=True)
        contents = {value: shape.reverse(scale * q), partner: shape.partner(scale * q)}
        return Inverse(center + width * value, {base: level * partner**shape.partner_power}, contents)

    return Normal(shape.function((state - center) / width) / scale, inverse)


_NAMED: dict[tuple[object, int], Callable[[Expr], Expr]] = {
    (cos, 1): sin,
    (cos, -1): lambda x: asinh(tan(x)),
    (cos, -2): tan,
    (sin, 1): lambda x: -cos(x),
    (sin, -1): lambda x: log(tan(x / 2)),
    (sin, -2): lambda x: -cos(x) / sin(x),
    (cosh, 1): sinh,
    (cosh, -1): lambda x: atan(sinh(x)),
    (cosh, -2): tanh,
    (sinh, 1): cosh,
    (sinh, -1): lambda x: log(tanh(x / 2)),
    (sinh, -2): lambda x: -cosh(x) / sinh(x),
}
# The reverse of psi, and the base itself, where both are elementary in q.
_NAMED_REVERSE: dict[tuple[object, int], tuple[Callable[[Expr], Expr], Callable[[Expr], Expr]]] = {
    (cos, 1): (asin, lambda q: sqrt(1 - q**2)),
    (cos, -1): (lambda q: atan(sinh(q)), lambda q: 1 / cosh(q)),
    (cos, -2): (atan, lambda q: 1 / sqrt(1 + q**2)),
    (cosh, 1): (asinh, lambda q: sqrt(1 + q**2)),
    (cosh, -1): (lambda q: asinh(tan(q)), lambda q: 1 / cos(q)),
    (cosh, -2): (atanh, lambda q: 1 / sqrt(1 - q**2)),
}


def _named(base: Expr, power: Expr, state: Symbol) -> Normal | None:
    """A power of cos, sin, cosh or sinh of a linear argument (on the component around zero phase)."""
    if len(base.args) != 1 or not power.is_integer or (base.func, int(power)) not in _NAMED:
        return None
    argument = base.args[0]
    rate, shift = argument.as_poly(state).all_coeffs()
    key = (base.func, int(power))

    def inverse(q: Symbol) -> Inverse:
        reverse, partner = _NAMED_REVERSE[key]
        image = Dummy("base", positive=True)
        return Inverse((reverse(rate * q) - shift) / rate, {base: image}, {image: partner(rate * q)})

    psi = _NAMED[key](argument) / rate
    return Normal(psi, inverse if key in _NAMED_REVERSE else None, _symbolic(rate))


def _symbolic(expression: Expr) -> tuple[Expr, ...]:
    return (expression,) if expression.free_symbols else ()
