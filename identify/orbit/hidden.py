"""Parameters that enter through a root, a power or an exponential, replaced by the value of that function.

``sqrt(k/m)`` makes the family rational in ``s`` with ``k = s**2*m``; a rate that enters only as ``exp(-k)``
is replaced by ``s = exp(-k)``, a saturation that enters only as ``K**n`` by its value.  The declared
parameter then follows from the hidden one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import lcm

from sympy import Expr, Mul, Pow, Rational, Symbol, exp, log

from identify.law.law import Condition
from identify.orbit.facts import Facts, resolve_absolute_values


@dataclass(frozen=True)
class Hidden:
    """A hidden parameter: ``parameter = forward(symbol)`` and ``symbol = value``."""

    parameter: Symbol
    symbol: Symbol
    forward: Expr
    value: Expr

    @property
    def alone(self) -> bool:
        """Whether the hidden parameter and the declared one determine each other."""
        return bool(self.forward.free_symbols == {self.symbol})

    @property
    def plain(self) -> Expr:
        """The shortest function that determines the hidden parameter: without its root."""
        root = isinstance(self.value, Pow) and isinstance(self.value.exp, Rational)
        return self.parameter if self.alone else self.value.base if root else self.value

    @property
    def condition(self) -> Condition:
        """Roots and exponentials are positive."""
        return Condition(self.symbol, ">", f"{self.value} > 0")


def hidden_parameters(
    expressions: Sequence[Expr], parameters: Iterable[Symbol], state: Symbol, facts: Facts
) -> list[Hidden]:
    """The replacements that make the expressions rational in the parameters, where there are any."""
    found: list[Hidden] = []
    left = list(parameters)
    while left:
        ways = (_root(expressions, left), _power(expressions, left), _exponential(expressions, left, state))
        hidden = next((h for h in ways if h is not None), None)
        if hidden is None:
            break
        table = {hidden.parameter: hidden.forward}
        expressions = [written(e, table, facts) for e in expressions]
        values = {h.symbol: h.value for h in found}
        found = [replace(h, forward=h.forward.xreplace(table)) for h in found]
        found.append(replace(hidden, value=hidden.value.xreplace(values)))
        left.remove(hidden.parameter)
    return found


def written(expression: Expr, table: dict[Symbol, Expr], facts: Facts) -> Expr:
    """The expression in hidden parameters, with the roots and powers of roots that cancel taken out."""
    put = expression.xreplace(table)
    nested = {p for p in put.atoms(Pow) if p.base.is_Pow and p.base.base.is_positive}
    flat = {p: p.base.base ** (p.base.exp * p.exp) for p in nested}
    return resolve_absolute_values(put.xreplace(flat), facts)


def without_common_power(expression: Expr) -> Expr:
    """``(x**n*y**n)**(1/n)`` and ``x**n/y**n`` of positive numbers as ``x*y`` and ``x/y``."""
    inner = {p for p in expression.atoms(Pow) if p.exp.is_Pow and p.exp.exp == -1}
    table = {p: taken for p in inner if (taken := _bases(p.base, 1 / p.exp)) is not None}
    put = expression.xreplace(table)
    exponents = {p.exp for p in Mul.make_args(put) if p.is_Pow and isinstance(p.exp, Symbol)}
    taken = _bases(put, exponents.pop()) if len(exponents) == 1 and put.is_Mul else None
    return put if taken is None else taken


def _bases(product: Expr, exponent: Expr) -> Expr | None:
    """The n-th root of a product of n-th powers and their inverses."""
    powers = [p.as_base_exp() for p in Mul.make_args(product)]
    if any(e not in (exponent, -exponent) for _, e in powers):
        return None
    return Mul(*(b ** (e / exponent) for b, e in powers))


def _root(expressions: Sequence[Expr], parameters: Sequence[Symbol]) -> Hidden | None:
    """A root of a parameter, or of a rational function that one parameter enters as ``(a*p+b)/(c*p+d)``."""
    orders: dict[Expr, int] = {}
    for power in (p for e in expressions for p in sorted(e.atoms(Pow), key=str)):
        base, exponent = power.as_base_exp()
        if isinstance(exponent, Rational) and exponent.q > 1 and base.free_symbols <= set(parameters):
            orders[base] = lcm(orders.get(base, 1), int(exponent.q))
    for base, n in orders.items():
        for parameter in parameters:
            symbol = Symbol(f"_{parameter.name}_root", positive=True)
            forward = _solved(base, parameter, symbol**n)
            if forward is not None:
                return Hidden(parameter, symbol, forward, base ** Rational(1, n))
    return None


def _solved(base: Expr, parameter: Symbol, value: Expr) -> Expr | None:
    """The parameter at which the base, a quotient of linear functions of it, has the value."""
    if not base.has(parameter) or not base.is_rational_function():
        return None
    top, bottom = (part.as_poly(parameter) for part in base.together().as_numer_denom())
    if top is None or bottom is None or max(top.degree(), bottom.degree()) > 1:
        return None
    (a, b), (c, d) = ((p.coeff_monomial(parameter), p.coeff_monomial(1)) for p in (top, bottom))
    return ((d * value - b) / (a - c * value)).cancel()


def _power(expressions: Sequence[Expr], parameters: Sequence[Symbol]) -> Hidden | None:
    """A parameter that occurs only as a power with one other parameter in the exponent."""
    for parameter in parameters:
        powers = {p for e in expressions for p in e.atoms(Pow) if p.base == parameter and not p.exp.is_number}
        exponents = {p.exp.as_coeff_Mul()[1] for p in powers}
        if len(exponents) != 1 or not all(p.exp.as_coeff_Mul()[0].is_Integer for p in powers):
            continue
        (exponent,) = exponents
        symbol = Symbol(f"_{parameter.name}_power", positive=True)
        table = {p: symbol ** p.exp.as_coeff_Mul()[0] for p in powers}
        if exponent in parameters and not any(e.xreplace(table).has(parameter) for e in expressions):
            return Hidden(parameter, symbol, symbol ** (1 / exponent), parameter**exponent)
    return None


def _exponential(expressions: Sequence[Expr], parameters: Sequence[Symbol], state: Symbol) -> Hidden | None:
    """A parameter that occurs only in exponentials of integer multiples of one rate of it."""
    found = (_rate(expressions, p, state) for p in parameters)
    return next((h for h in found if h is not None), None)


def _rate(expressions: Sequence[Expr], parameter: Symbol, state: Symbol) -> Hidden | None:
    atoms = {a for e in expressions for a in e.atoms(exp) if a.has(parameter) and not a.has(state)}
    if not atoms:
        return None
    rates = [a.args[0] / parameter for a in atoms]
    if not all(isinstance(r, Rational) for r in rates):
        return None
    unit = Rational(1, lcm(*(int(r.q) for r in rates)))
    symbol = Symbol(f"_{parameter.name}_exp", positive=True)
    table = {a: symbol ** (a.args[0] / parameter / unit) for a in atoms}
    if any(e.xreplace(table).has(parameter) for e in expressions):
        return None
    return Hidden(parameter, symbol, log(symbol) / unit, exp(unit * parameter))
