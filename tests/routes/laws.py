"""Laws built by hand, so that these tests do not depend on the parser."""

from __future__ import annotations

from sympy import Expr, Integer, symbols, sympify

from identify.law.law import Condition, Law

z, v = symbols("z v", real=True)
a, b, c, d, k, p, s, w, rho = symbols("a b c d k p s w rho", real=True)


def law(
    acceleration: Expr | int, assumptions: tuple[Condition, ...] = (), domain: tuple[Condition, ...] = ()
) -> Law:
    """The law ``z'' = acceleration`` with its parameters in alphabetical order."""
    expression = sympify(acceleration)
    parameters = tuple(sorted(expression.free_symbols - {z, v}, key=str))
    return Law(str(expression), z, v, expression, Integer(1), parameters, assumptions, domain)


def positive(expression: Expr) -> Condition:
    """The condition ``expression > 0``."""
    return Condition(expression, ">", f"{expression} > 0")
