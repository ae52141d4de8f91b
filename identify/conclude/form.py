"""Readable forms of expressions."""

from __future__ import annotations

from sympy import Expr


def tidy(expression: Expr) -> Expr:
    if not expression.is_rational_function():
        return expression
    plain = expression.cancel()
    return min((plain, plain.factor()), key=lambda e: len(str(e)))


def positive_lead(expression: Expr) -> Expr:
    """The expression without a constant factor, and with a plus sign in front where there is a choice."""
    _, rest = expression.primitive() if expression.is_Add else expression.as_coeff_Mul()
    return -rest if rest.could_extract_minus_sign() else rest
