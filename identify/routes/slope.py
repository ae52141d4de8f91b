"""The normalizer's slope ``psi' = exp(-integral of c2)`` in closed form."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import (
    Add,
    Expr,
    Pow,
    S,
    Symbol,
    apart,
    atan,
    cancel,
    cos,
    cosh,
    cot,
    coth,
    diff,
    exp,
    expand,
    factor_list,
    fraction,
    log,
    simplify,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
    together,
)

from identify.routes.signs import Signs

# d/dx log(g) for each named function, so that  c*tan(x) = -c * (log cos x)'.
_LOGARITHMIC = {tan: (cos, -1), cot: (sin, 1), tanh: (cosh, 1), coth: (sinh, 1)}
_PRIMITIVES = {exp: exp, sin: lambda x: -cos(x), cos: sin, sinh: cosh, cosh: sinh}


@dataclass(frozen=True)
class Slope:
    """``psi' = exp(exponent) * prod base**power``; the identity psi'' = -c2*psi' holds exactly.

    Every base is positive on the chart, and ``conditions`` are the expressions assumed nonzero.
    """

    factors: tuple[tuple[Expr, Expr], ...]
    exponent: Expr
    conditions: tuple[Expr, ...] = ()

    def expression(self) -> Expr:
        """The slope as one expression."""
        product = exp(self.exponent)
        for base, power in self.factors:
            product *= base**power
        return product


def find_slope(c2: Expr, state: Symbol, signs: Signs) -> Slope | None:
    """The slope (eq:normalizer-definition) where c2 is a sum of recognised terms, else None."""
    whole = _logarithmic_derivative(c2, state)
    if whole is not None:
        return whole
    rational, other = _split_rational(c2, state)
    parts = [_term_slope(term, state, signs) for term in _partial_fractions(rational, state)]
    parts += [_term_slope(term, state, signs) for term in Add.make_args(expand(other)) if term != 0]
    known = [part for part in parts if part is not None]
    return _merge(known) if len(known) == len(parts) else None


def _split_rational(c2: Expr, state: Symbol) -> tuple[Expr, Expr]:
    terms = Add.make_args(c2)
    rational = [term for term in terms if term.is_rational_function(state)]
    return Add(*rational), Add(*(term for term in terms if term not in rational))


def _partial_fractions(rational: Expr, state: Symbol) -> list[Expr]:
    """The terms of the partial fraction decomposition over the field of the parameters."""
    if rational == 0:
        return []
    terms: list[Expr] = []
    # Collected by denominator, so that a pair of roots stays one logarithmic derivative.
    for term in Add.make_args(rational):
        whole = _logarithmic_derivative(term, state)
        terms += [term] if whole is not None else list(Add.make_args(apart(together(term), state)))
    return terms


def _logarithmic_derivative(term: Expr, state: Symbol) -> Slope | None:
    """``c2 = c*g'/g`` with a constant c gives ``psi' = g**(-c)``."""
    written = [node.base for node in term.atoms(Pow) if node.exp == -1]
    for candidate in dict.fromkeys([fraction(together(term))[1], *sorted(written, key=str)]):
        base = candidate.as_independent(state, as_Add=False)[1].primitive()[1]
        if state not in base.free_symbols or isinstance(base, Pow):
            continue
        ratio = _constant_ratio(term * base, diff(base, state), state)
        if ratio is not None:
            divisor = fraction(together(ratio))[1]
            return Slope(((base, -ratio),), S.Zero, (divisor,) if divisor.free_symbols else ())
    return None


def _constant_ratio(numerator: Expr, denominator: Expr, state: Symbol) -> Expr | None:
    """The quotient if it is free of the state."""
    ratio = cancel(numerator / denominator)
    if state in ratio.free_symbols and not ratio.is_rational_function(state):
        ratio = simplify(ratio)
    return None if state in ratio.free_symbols else ratio


def _term_slope(term: Expr, state: Symbol, signs: Signs) -> Slope | None:
    for rule in (_logarithmic_derivative, _polynomial, _linear_power, _named_function):
        slope = rule(term, state)
        if slope is not None:
            return slope
    return _quadratic_denominator(term, state, signs)


def _polynomial(term: Expr, state: Symbol) -> Slope | None:
    poly = term.as_poly(state) if term.is_polynomial(state) else None
    return None if poly is None else Slope((), -poly.integrate(state).as_expr())


def _linear_power(term: Expr, state: Symbol) -> Slope | None:
    """``c*(a*z + b)**p`` with ``p != -1``, the exponent possibly a parameter."""
    constant, power = term.as_independent(state, as_Add=False)
    if not isinstance(power, Pow) or state in power.exp.free_symbols:
        return None
    slope = _linear_slope(power.base, state)
    if slope is None or power.exp == -1:
        return None
    raised = power.exp + 1
    conditions = (raised,) if raised.free_symbols else ()
    return Slope((), -constant * power.base**raised / (slope * raised), conditions)


def _named_function(term: Expr, state: Symbol) -> Slope | None:
    constant, function = term.as_independent(state, as_Add=False)
    slope = _linear_slope(function.args[0], state) if len(function.args) == 1 else None
    if slope is None:
        return None
    conditions = (slope,) if slope.free_symbols else ()
    if function.func in _LOGARITHMIC:
        base, sign = _LOGARITHMIC[function.func]
        return Slope(((base(function.args[0]), -sign * constant / slope),), S.Zero, conditions)
    if function.func in _PRIMITIVES:
        return Slope((), -constant * _PRIMITIVES[function.func](function.args[0]) / slope, conditions)
    if function.func is log:
        argument = function.args[0]
        return Slope((), -constant * argument * (function - 1) / slope, conditions)
    return None


def _quadratic_denominator(term: Expr, state: Symbol, signs: Signs) -> Slope | None:
    """``(m*z + n)/(A*z**2 + B*z + C)`` with a proved negative discriminant: a logarithm and an atan."""
    numerator, denominator = fraction(together(term))
    if not (numerator.is_polynomial(state) and denominator.is_polynomial(state)):
        return None
    content, roots = factor_list(denominator, state)
    if [power for _, power in roots] != [1]:
        return None
    quadratic = roots[0][0].as_poly(state)
    if quadratic.degree() != 2 or numerator.as_poly(state).degree() > 1:
        return None
    lead, middle, last = quadratic.all_coeffs()
    gap = expand(4 * lead * last - middle**2)
    if signs.of(gap, domain=False) != 1:
        return None
    rise, level = (numerator.as_poly(state).coeff_monomial(state**power) / content for power in (1, 0))
    share = rise / (2 * lead)
    rest = 2 * (level - share * middle) / sqrt(gap) * atan((2 * lead * state + middle) / sqrt(gap))
    return Slope(((quadratic.as_expr(), -share),), -rest)


def _linear_slope(expression: Expr, state: Symbol) -> Expr | None:
    if not expression.is_polynomial(state) or expression.as_poly(state) is None:
        return None
    return (
        expression.as_poly(state).coeff_monomial(state) if expression.as_poly(state).degree() == 1 else None
    )


def _merge(parts: list[Slope]) -> Slope:
    powers: dict[Expr, Expr] = {}
    for part in parts:
        for base, power in part.factors:
            powers[base] = powers.get(base, S.Zero) + power
    factors = tuple((base, power) for base, power in powers.items() if power != 0)
    conditions = tuple(dict.fromkeys(item for part in parts for item in part.conditions))
    return Slope(factors, Add(*(part.exponent for part in parts)), conditions)
