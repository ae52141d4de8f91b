"""Equality of expressions as functions."""

from __future__ import annotations

import mpmath
from sympy import Expr, S

from identify.orbit.sampling import compiled

_INFINITE = (S.ComplexInfinity, S.Infinity, S.NegativeInfinity, S.NaN)
_POINTS = ((3, 7), (5, 3), (2, 11))


def same(left: Expr, right: Expr) -> bool:
    """Whether two expressions agree at three random points to 40 digits.

    Parameters are taken positive, where every expression of a branch is real.
    """
    if left == right:
        return True
    if left.has(*_INFINITE) or right.has(*_INFINITE):  # a branch at values where it is not defined
        return False
    difference = left - right
    symbols = sorted(left.free_symbols | right.free_symbols, key=str)
    function = compiled(symbols, [difference, left])
    with mpmath.workdps(50):
        for a, b in _POINTS:
            values = [mpmath.mpf(a + 13 * i) / (b + 7 * i + i * i) for i in range(len(symbols))]
            try:
                gap, size = function(*values)
            except (ValueError, ZeroDivisionError):
                continue
            if abs(gap) > mpmath.mpf(10) ** -38 * (1 + abs(size)):
                return False
    return True
