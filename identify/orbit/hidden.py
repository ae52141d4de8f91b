"""Parameters that enter through a root or an exponential, replaced by the value of that function.

``sqrt(k)`` makes the family polynomial in ``s`` with ``k = s**2``; a rate that enters only as ``exp(-k)``
is replaced by ``s = exp(-k)``.  The declared parameter then follows from the hidden one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import lcm

from sympy import Expr, Pow, Rational, Symbol, exp, log

from identify.law.law import Condition


@dataclass(frozen=True)
class Hidden:
    """A hidden parameter: ``parameter = forward(symbol)`` and ``symbol = value``."""

    parameter: Symbol
    symbol: Symbol
    forward: Expr
    value: Expr

    @property
    def condition(self) -> Condition:
        """Roots and exponentials are positive."""
        return Condition(self.symbol, ">", f"{self.value} > 0")


def hidden_parameters(
    expressions: Sequence[Expr], parameters: Iterable[Symbol], state: Symbol
) -> list[Hidden]:
    """The replacements that make the expressions rational in the parameters, where there are any."""
    found = []
    for parameter in parameters:
        hidden = _root(expressions, parameter) or _exponential(expressions, parameter, state)
        if hidden is not None:
            found.append(hidden)
    return found


def _root(expressions: Sequence[Expr], parameter: Symbol) -> Hidden | None:
    orders = [
        int(p.exp.q)
        for e in expressions
        for p in e.atoms(Pow)
        if p.base == parameter and isinstance(p.exp, Rational) and p.exp.q > 1
    ]
    if not orders:
        return None
    n = lcm(*orders)
    symbol = Symbol(f"_{parameter.name}_root", positive=True)
    return Hidden(parameter, symbol, symbol**n, parameter ** Rational(1, n))


def _exponential(expressions: Sequence[Expr], parameter: Symbol, state: Symbol) -> Hidden | None:
    """A parameter that occurs only in exponentials of integer multiples of one rate of it."""
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
