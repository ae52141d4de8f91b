"""Numerical questions about an expression that need no simplification."""

from __future__ import annotations

from sympy import Expr, Integer, Rational

_POINTS = (Rational(7, 11), Rational(13, 9))
_DIGITS = 30


def size(constant: Expr) -> float:
    """The absolute value of a constant as a float; infinity where it does not fit."""
    try:
        return abs(complex(constant.evalf(15)))
    except (OverflowError, TypeError, ValueError):
        return float("inf")


def vanishes(expression: Expr) -> bool:
    """Whether the expression is zero as a function, tested at two fixed points.

    A polynomial that is not zero could vanish at both only by an accident of its rational roots;
    the points differ per symbol so that no simple relation between symbols holds at them.
    """
    if expression.is_Number or expression.is_Symbol:
        return bool(expression.is_zero)
    if expression.is_zero is not None and not expression.free_symbols:
        return bool(expression.is_zero)
    if not _could_cancel(expression):
        return False
    return all(_zero_at(expression, point) for point in _POINTS)


def _could_cancel(expression: Expr) -> bool:
    return any(part.is_Add for part in expression.args) or bool(expression.is_Add)


def _zero_at(expression: Expr, point: Rational) -> bool:
    symbols = sorted(expression.free_symbols, key=lambda symbol: symbol.name)
    values = {symbol: point + Rational(1, 17 + 2 * i) for i, symbol in enumerate(symbols)}
    try:
        value = expression.subs(values).evalf(_DIGITS)
    except (OverflowError, TypeError, ValueError):
        return False
    # evalf returns one bit of precision where all digits cancel; a tiny number keeps its digits.
    return bool(value.is_Float and (value == 0 or value._prec == 1)) or value == Integer(0)
