"""Truncated power series over 60-digit numbers, and SymPy expressions evaluated in them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any

import mpmath
from sympy import Expr


class OutOfReach(Exception):
    """The expression has no real power series at the point, or a function that is not known here."""


@dataclass(frozen=True)
class Series:
    """``terms[0] + terms[1]*h + ...`` up to a fixed length."""

    terms: list[Any]

    @classmethod
    def variable(cls, at: Any, length: int) -> Series:
        """``at + h``."""
        return cls([at, mpmath.mpf(1), *([mpmath.mpf(0)] * (length - 2))])

    @classmethod
    def constant(cls, value: Any, length: int) -> Series:
        return cls([mpmath.mpf(value), *([mpmath.mpf(0)] * (length - 1))])

    def __add__(self, other: Series) -> Series:
        return Series([a + b for a, b in zip(self.terms, other.terms, strict=True)])

    def __mul__(self, other: Series) -> Series:
        a, b = self.terms, other.terms
        return Series([mpmath.fdot(a[: n + 1], b[n::-1]) for n in range(len(a))])

    def scaled(self, factor: Any) -> Series:
        return Series([factor * a for a in self.terms])

    def derivative(self) -> Series:
        return Series([*(n * a for n, a in enumerate(self.terms) if n), mpmath.mpf(0)])

    def integral(self, start: Any) -> Series:
        return Series([start, *(a / (n + 1) for n, a in enumerate(self.terms[:-1]))])

    def power(self, exponent: Any) -> Series:
        """``self**exponent`` by the recurrence of ``y' x = p y x'``; whole powers by multiplication."""
        if exponent == int(exponent) and 0 <= exponent <= 64:
            return reduce(Series.__mul__, [self] * int(exponent), Series.constant(1, len(self.terms)))
        x = self.terms
        whole = exponent == int(exponent)
        if abs(x[0]) < mpmath.mpf(10) ** -20 or (x[0] < 0 and not whole):
            raise OutOfReach("a root of a negative number, or one over zero")
        y = [x[0] ** (int(exponent) if whole else exponent)]
        for n in range(1, len(x)):
            total = sum(((exponent + 1) * k - n) * x[k] * y[n - k] for k in range(1, n + 1))
            y.append(total / (n * x[0]))
        return Series(y)

    def exponential(self) -> Series:
        y = [mpmath.exp(self.terms[0])]
        for n in range(1, len(self.terms)):
            y.append(sum(k * self.terms[k] * y[n - k] for k in range(1, n + 1)) / n)
        return Series(y)

    def logarithm(self) -> Series:
        if self.terms[0] <= 0:
            raise OutOfReach("the logarithm of a negative number")
        return (self.derivative() * self.power(-1)).integral(mpmath.log(self.terms[0]))

    def circular(self, sign: int) -> tuple[Series, Series]:
        """``(sin, cos)`` for sign -1, ``(sinh, cosh)`` for sign +1, by the pair of recurrences."""
        x = self.terms
        start = (mpmath.sinh(x[0]), mpmath.cosh(x[0])) if sign > 0 else (mpmath.sin(x[0]), mpmath.cos(x[0]))
        s, c = [start[0]], [start[1]]
        for n in range(1, len(x)):
            s.append(sum(k * x[k] * c[n - k] for k in range(1, n + 1)) / n)
            c.append(sign * sum(k * x[k] * s[n - k] for k in range(1, n + 1)) / n)
        return Series(s), Series(c)

    def sign(self) -> int:
        if abs(self.terms[0]) < mpmath.mpf(10) ** -20:
            raise OutOfReach("a kink at the point")
        return 1 if self.terms[0] > 0 else -1


_FUNCTIONS = {
    "exp": Series.exponential,
    "log": Series.logarithm,
    "sin": lambda x: x.circular(-1)[0],
    "cos": lambda x: x.circular(-1)[1],
    "sinh": lambda x: x.circular(1)[0],
    "cosh": lambda x: x.circular(1)[1],
    "Abs": lambda x: x.scaled(x.sign()),
    "sign": lambda x: Series.constant(x.sign(), len(x.terms)),
}


def expand(expression: Expr, point: dict[Any, Any], length: int) -> Series:
    """The series of an expression whose symbols have numbers or series as values."""
    if expression.is_Symbol:
        value = point[expression]
        return value if isinstance(value, Series) else Series.constant(value, length)
    if expression.is_number:
        value = mpmath.mpmathify(expression.evalf(mpmath.mp.dps + 5))
        if not isinstance(value, mpmath.mpf):
            raise OutOfReach(f"{expression} is not real")
        return Series.constant(value, length)
    parts = [expand(part, point, length) for part in expression.args]
    if expression.is_Add:
        return reduce(Series.__add__, parts)
    if expression.is_Mul:
        return reduce(Series.__mul__, parts)
    if expression.is_Pow:
        if any(t != 0 for t in parts[1].terms[1:]):
            return (parts[1] * parts[0].logarithm()).exponential()
        return parts[0].power(parts[1].terms[0])
    name = type(expression).__name__
    if name not in _FUNCTIONS:
        raise OutOfReach(name)
    return _FUNCTIONS[name](parts[0])
