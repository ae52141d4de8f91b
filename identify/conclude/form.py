"""Readable forms of expressions."""

from __future__ import annotations

from sympy import Expr, Pow, Rational


def tidy(expression: Expr) -> Expr:
    """The shorter of the expanded and the factored form of a rational function; others as they are."""
    if not expression.is_rational_function():
        return expression
    plain = expression.cancel()
    return min((plain, plain.factor()), key=lambda e: len(str(e)))


def positive_lead(expression: Expr) -> Expr:
    """The expression without a constant factor, and with a plus sign in front where there is a choice."""
    if not expression.is_rational_function():
        return expression.as_independent(*expression.free_symbols, as_Add=False)[1]
    top, bottom = (_primitive(part) for part in expression.as_numer_denom())
    return top / bottom


def _primitive(expression: Expr) -> Expr:
    rest = expression.primitive()[1] if expression.is_Add else expression.as_coeff_Mul()[1]
    return -rest if rest.could_extract_minus_sign() else rest


def has_root(expression: Expr) -> bool:
    """Whether a fractional power occurs, which need not be real everywhere."""
    return any(isinstance(p.exp, Rational) and p.exp.q > 1 for p in expression.atoms(Pow))
