"""Evaluation of an expression at a real point, and of its Taylor series along the state.

An own walk over the expression tree: no code is generated, every intermediate value must be real
and of moderate size, so that a hostile expression can neither run code nor exhaust the machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import mpmath
from sympy import Add, Expr, Mul, Pow, Symbol

from identify.certificate.series import Series, series_function, series_power

Value = Any  # an mpmath real, a Python float, or a Series of mpmath reals
Point = Mapping[Symbol, Value]
Evaluator = Callable[[Point], Value]

HUGE = mpmath.mpf(10) ** 400
LARGE = 1e250
DIRECT = 64  # integer powers up to this are safe for every value that _real lets pass
FUNCTIONS = {
    "exp": "exp", "log": "log", "sin": "sin", "cos": "cos", "tan": "tan", "cot": "cot", "sec": "sec",
    "csc": "csc", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "coth": "coth", "asin": "asin",
    "acos": "acos", "atan": "atan", "asinh": "asinh", "acosh": "acosh", "atanh": "atanh",
    "sech": "sech", "csch": "csch", "acot": "acot", "asec": "asec", "acsc": "acsc", "acoth": "acoth",
    "asech": "asech", "acsch": "acsch", "erf": "erf", "erfc": "erfc", "erfi": "erfi",
    "Abs": "fabs", "sign": "sign",
}  # fmt: skip


class Undefined(ArithmeticError):
    """The expression has no real value of moderate size at this point."""


class TooLarge(Undefined):
    """A value, or one on the way to it, beyond what is computed: no sign that the expression is singular."""


class Unreadable(ValueError):
    """The expression contains something that cannot be evaluated."""


@lru_cache(maxsize=4096)
def compiled(expression: Expr, fast: bool = False) -> Evaluator:
    """A function of the point; ``fast`` computes in machine floats instead of mpmath reals."""
    context = mpmath.fp if fast else mpmath.mp
    if isinstance(expression, Symbol):
        return lambda point: point[expression]
    if expression.is_number and not expression.args:
        return _constant(expression, context)
    parts = tuple(compiled(part, fast) for part in expression.args)
    if isinstance(expression, Add):
        return lambda point: _real(sum((part(point) for part in parts[1:]), parts[0](point)))
    if isinstance(expression, Mul):
        return lambda point: _real(_product(parts, point))
    if isinstance(expression, Pow) or expression.func.__name__ == "exp":
        return _power(expression, parts, context)
    return _function(expression.func.__name__, parts, context)


def evaluate(expression: Expr, point: Point) -> Value:
    """The value of the expression at the point, in the working precision of mpmath."""
    try:
        return compiled(expression)(point)
    except KeyError as missing:
        raise Unreadable(f"no value for {missing}") from None


def _constant(expression: Expr, context: Any) -> Evaluator:
    if expression.is_Rational:
        top, bottom = int(expression.p), int(expression.q)
        if bottom == 0 or max(abs(top), bottom).bit_length() > 1300:
            raise Unreadable(f"cannot evaluate the number {str(expression)[:40]}")
        return lambda point: context.mpf(top) / bottom
    if expression.is_Float:
        return lambda point: context.mpf(expression._mpf_) if context is mpmath.mp else float(expression)
    names = {"Pi": context.pi, "Exp1": context.e}
    if type(expression).__name__ not in names:
        raise Unreadable(f"cannot evaluate {type(expression).__name__}")
    return lambda point: +names[type(expression).__name__]


def _product(parts: tuple[Evaluator, ...], point: Point) -> Value:
    result = parts[0](point)
    for part in parts[1:]:
        result = result * part(point)
    return result


def _power(expression: Expr, parts: tuple[Evaluator, ...], context: Any) -> Evaluator:
    if len(parts) == 1:
        return _function("exp", parts, context)
    base, exponent = parts
    whole = int(expression.exp) if expression.exp.is_Integer and abs(expression.exp) < 1000 else None
    half = expression.exp.is_Rational and expression.exp.q == 2 and abs(expression.exp) < 1000

    def run(point: Point) -> Value:
        value = base(point)
        power = whole if whole is not None else exponent(point)
        if isinstance(value, Series) or isinstance(power, Series):
            return series_power(value, power)
        return _real(_scalar_power(value, power, half, context))

    return run


def _scalar_power(value: Value, power: Value, half: bool, context: Any) -> Value:
    """value**power over the reals; a negative base needs an integer exponent."""
    try:
        if isinstance(power, int) and abs(power) <= DIRECT:
            return value**power
        size = abs(power) * abs(mpmath.log(abs(value))) if value else 0
        if size > 920:
            raise TooLarge("a power is too large")
        if not value and power <= 0:
            raise Undefined("a power has a zero base")
        if half:
            if value < 0:
                raise Undefined("a root of a negative number")
            return context.sqrt(value) ** int(2 * power)
        if value < 0 and power != int(power):
            raise Undefined("a root of a negative number")
        return value ** (int(power) if power == int(power) else power)
    except (ZeroDivisionError, OverflowError, ValueError) as problem:
        raise Undefined(str(problem)) from None


def _function(name: str, parts: tuple[Evaluator, ...], context: Any) -> Evaluator:
    if name not in FUNCTIONS or len(parts) != 1:
        raise Unreadable(f"cannot evaluate the function {name[:40]}")
    call, (argument,) = getattr(context, FUNCTIONS[name]), parts

    def run(point: Point) -> Value:
        value = argument(point)
        if isinstance(value, Series):
            return series_function(name, value)
        if name in ("exp", "sinh", "cosh") and abs(value) > 700:
            raise TooLarge("an exponential is too large")
        try:
            return _real(call(value))
        except (ZeroDivisionError, OverflowError, ValueError) as problem:
            raise Undefined(str(problem)) from None

    return run


def _real(value: Value) -> Value:
    """The value if it is real, finite and of moderate size."""
    if isinstance(value, Series):
        return value
    limit = LARGE if isinstance(value, float) else HUGE
    if isinstance(value, (mpmath.mpc, complex)) or value != value:
        raise Undefined("no real value")
    if not -limit < value < limit:
        raise TooLarge("no value of moderate size")
    return value
