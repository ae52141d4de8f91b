"""Expressions as nested lists, for an evaluator that is no more than a table of functions.

A number is itself, a name is a string, everything else is ``[operation, argument, ...]``.
"""

from __future__ import annotations

import math
from typing import Any

from sympy import Abs, Add, Expr, Mul, Pow, Symbol, exp

from identify.law.functions import FUNCTIONS

Tree = Any
_LEFT_OUT = {"erf", "erfc", "erfi"}  # no browser has them
_NAMES = set(FUNCTIONS) - _LEFT_OUT - {"abs", "sqrt", "cbrt"}


class NotDrawn(Exception):
    """An expression that the page's evaluator does not know."""


def tree(expression: Expr) -> Tree:
    """The expression as nested lists; NotDrawn where it contains something else than the language's own."""
    if isinstance(expression, Symbol):
        return expression.name
    if expression.is_number and not expression.free_symbols:
        return _number(expression)
    match expression:
        case Add():
            return ["+", *map(tree, expression.args)]
        case Mul():
            return ["*", *map(tree, expression.args)]
        case Pow():
            return ["**", tree(expression.base), tree(expression.exp)]
        case exp():
            return ["exp", tree(expression.args[0])]
        case Abs():
            return ["abs", tree(expression.args[0])]
    name = expression.func.__name__
    if name in _NAMES and len(expression.args) == 1:
        return [name, tree(expression.args[0])]
    raise NotDrawn(name)


def _number(expression: Expr) -> float:
    try:
        value = float(expression)
    except (TypeError, ValueError, OverflowError):
        raise NotDrawn("a number that is not real") from None
    if not math.isfinite(value):
        raise NotDrawn("a number that is too large")
    return value
