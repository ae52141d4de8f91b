"""The zero test for channel coefficients."""

from __future__ import annotations

from random import Random

from sympy import Add, Expr, Float, Mul, Pow, Rational, Symbol, expand, simplify

_POINTS = 6
_DIGITS = 40
_SMALL = Float(10) ** -30
_SEED = 20240607


def is_zero(expression: Expr) -> bool:
    """Whether the expression vanishes identically in its real symbols.

    "No" rests on a random rational point where the value exceeds 1e-30 of its largest term.  "Yes" is
    exact after expansion; otherwise it rests on all of up to six random points (fixed seed) at 40
    digits, or on ``simplify`` where no point can be evaluated.
    """
    if isinstance(expression, (Mul, Pow)):
        factors = expression.args if isinstance(expression, Mul) else expression.args[:1]
        return any(is_zero(factor) for factor in factors)
    if expression.is_Number or isinstance(expression, Symbol):
        return bool(expression == 0)
    if isinstance(expression, Add) and expand(expression) == 0:
        return True
    if _vanishes_at_random_points(expression):
        return True
    # Undefined everywhere, say outside a narrow domain: only a proof may drop the coefficient.
    return _is_undefined(expression) and simplify(expression) == 0


def _vanishes_at_random_points(expression: Expr) -> bool:
    """Whether it vanishes at every random point where it is defined, at one such point at least."""
    seen = False
    for value in _values(expression):
        if value is False:
            return False
        seen = seen or value is True
    return seen


def _is_undefined(expression: Expr) -> bool:
    return all(value is None for value in _values(expression))


def _values(expression: Expr) -> list[bool | None]:
    """For each random point: True if the value is zero there, False if not, None if undefined."""
    random = Random(_SEED)
    symbols = sorted(expression.free_symbols, key=str)
    found: list[bool | None] = []
    for index in range(_POINTS):
        point = {symbol: _random_value(symbol, random, index) for symbol in symbols}
        found.append(_is_zero_at(expression, point))
        if found[-1] is False:
            break
    return found


def _random_value(symbol: Symbol, random: Random, index: int) -> Rational:
    value = Rational(random.randint(100, 997), 991 if index < 4 else 101)
    return value if index % 2 == 0 or symbol.is_positive else -value


def _is_zero_at(expression: Expr, point: dict[Symbol, Rational]) -> bool | None:
    """Compared with the largest term, so that small physical constants are not taken for zero."""
    total = _size(expression, point)
    terms = [_size(term, point) for term in Add.make_args(expression)]
    known = [size for size in terms if size is not None]
    if total is None or len(known) < len(terms):
        return None
    return bool(total <= _SMALL * max(known))


def _size(expression: Expr, point: dict[Symbol, Rational]) -> Float | None:
    value = abs(expression.evalf(_DIGITS, subs=point, maxn=200)).evalf(_DIGITS)
    if value == 0:
        return Float(0)
    return value if isinstance(value, Float) and value.is_finite else None
