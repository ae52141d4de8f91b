"""Truncated Taylor series in one variable over mpmath reals: the jets that rank checks need."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mpmath

Real = Any  # mpmath.mpf


@dataclass(frozen=True)
class Series:
    """``sum coefficients[k] * h**k`` modulo ``h**len(coefficients)``."""

    coefficients: tuple[Real, ...]

    @classmethod
    def variable(cls, value: Real, length: int) -> Series:
        """The series ``value + h``."""
        return cls((value, mpmath.mpf(1), *([mpmath.mpf(0)] * (length - 2))))

    def lifted(self, other: Any) -> Series:
        """``other`` as a series of the same length."""
        if isinstance(other, Series):
            return other
        return Series((mpmath.mpf(other), *([mpmath.mpf(0)] * (len(self.coefficients) - 1))))

    def __add__(self, other: Any) -> Series:
        pairs = zip(self.coefficients, self.lifted(other).coefficients, strict=True)
        return Series(tuple(a + b for a, b in pairs))

    __radd__ = __add__

    def __mul__(self, other: Any) -> Series:
        if not isinstance(other, Series):
            return Series(tuple(a * other for a in self.coefficients))
        a, b = self.coefficients, other.coefficients
        return Series(tuple(sum(a[i] * b[k - i] for i in range(k + 1)) for k in range(len(a))))

    __rmul__ = __mul__

    def derivative(self) -> Series:
        """The derivative in h; the last coefficient, unknown, is set to zero."""
        tail = tuple(k * c for k, c in enumerate(self.coefficients))[1:]
        return Series((*tail, mpmath.mpf(0)))

    def integral(self, constant: Real) -> Series:
        """The antiderivative with this value at h = 0."""
        tail = tuple(c / (k + 1) for k, c in enumerate(self.coefficients[:-1]))
        return Series((constant, *tail))


def series_power(base: Any, power: Any) -> Series:
    """``base**power``; the value at h = 0 must be positive unless the power is an integer."""
    if isinstance(power, Series):
        if any(power.coefficients[1:]):
            return series_function("exp", series_function("log", power.lifted(base)) * power)
        power = power.coefficients[0]
    if not isinstance(base, Series):
        raise ArithmeticError("no series to raise")
    if power == int(power) and 0 <= power <= 64:
        return _whole_power(base, int(power))
    if not base.coefficients[0] or (base.coefficients[0] < 0 and power != int(power)):
        raise ArithmeticError("a power with a singular or negative base")
    return _recurrent_power(base.coefficients, power)


def _whole_power(base: Series, power: int) -> Series:
    result = base.lifted(1)
    for _ in range(power):
        result = result * base
    return result


def _recurrent_power(a: tuple[Real, ...], power: Real) -> Series:
    """Miller's recurrence for ``a**power`` with ``a[0] != 0``."""
    result = [a[0] ** (int(power) if power == int(power) else power)]
    for k in range(1, len(a)):
        total = sum((i * power - (k - i)) * a[i] * result[k - i] for i in range(1, k + 1))
        result.append(total / (k * a[0]))
    return Series(tuple(result))


def series_function(name: str, x: Series) -> Series:
    """``name(x)`` as a series, from the differential equation of the function."""
    if name in _ELEMENTARY:
        return _ELEMENTARY[name](x)
    if name in _DERIVATIVES:
        start = getattr(mpmath, name)(x.coefficients[0])
        if isinstance(start, mpmath.mpc):
            raise ArithmeticError(f"{name} outside its real domain")
        return (x.derivative() * _DERIVATIVES[name](x)).integral(start)
    raise ArithmeticError(f"no series for {name}")


def _exp(x: Series) -> Series:
    a, result = x.coefficients, [mpmath.exp(x.coefficients[0])]
    for k in range(1, len(a)):
        result.append(sum(i * a[i] * result[k - i] for i in range(1, k + 1)) / k)
    return Series(tuple(result))


def _pair(x: Series, sine: Real, cosine: Real, sign: int) -> tuple[Series, Series]:
    """``(s, c)`` with ``s' = x' c`` and ``c' = sign x' s``."""
    a, s, c = x.coefficients, [sine], [cosine]
    for k in range(1, len(a)):
        s.append(sum(i * a[i] * c[k - i] for i in range(1, k + 1)) / k)
        c.append(sign * sum(i * a[i] * s[k - i] for i in range(1, k + 1)) / k)
    return Series(tuple(s)), Series(tuple(c))


def _circular(x: Series) -> tuple[Series, Series]:
    return _pair(x, mpmath.sin(x.coefficients[0]), mpmath.cos(x.coefficients[0]), -1)


def _hyperbolic(x: Series) -> tuple[Series, Series]:
    return _pair(x, mpmath.sinh(x.coefficients[0]), mpmath.cosh(x.coefficients[0]), 1)


def _quotient(top: Series, bottom: Series) -> Series:
    return top * series_power(bottom, -1)


def _signed(x: Series) -> int:
    if not x.coefficients[0]:
        raise ArithmeticError("a kink at the expansion point")
    return 1 if x.coefficients[0] > 0 else -1


_ELEMENTARY: dict[str, Callable[[Series], Series]] = {
    "exp": _exp,
    "sin": lambda x: _circular(x)[0],
    "cos": lambda x: _circular(x)[1],
    "tan": lambda x: _quotient(*_circular(x)),
    "cot": lambda x: _quotient(*reversed(_circular(x))),
    "sec": lambda x: series_power(_circular(x)[1], -1),
    "csc": lambda x: series_power(_circular(x)[0], -1),
    "sinh": lambda x: _hyperbolic(x)[0],
    "cosh": lambda x: _hyperbolic(x)[1],
    "tanh": lambda x: _quotient(*_hyperbolic(x)),
    "coth": lambda x: _quotient(*reversed(_hyperbolic(x))),
    "sech": lambda x: series_power(_hyperbolic(x)[1], -1),
    "csch": lambda x: series_power(_hyperbolic(x)[0], -1),
    "Abs": lambda x: x * _signed(x),
    "sign": lambda x: x.lifted(_signed(x)),
}

_DERIVATIVES: dict[str, Callable[[Series], Series]] = {
    "log": lambda x: series_power(x, -1),
    "atan": lambda x: series_power(x * x + 1, -1),
    "asin": lambda x: series_power(x * x * -1 + 1, mpmath.mpf(-1) / 2),
    "acos": lambda x: series_power(x * x * -1 + 1, mpmath.mpf(-1) / 2) * -1,
    "asinh": lambda x: series_power(x * x + 1, mpmath.mpf(-1) / 2),
    "acosh": lambda x: series_power(x * x + -1, mpmath.mpf(-1) / 2),
    "atanh": lambda x: series_power(x * x * -1 + 1, -1),
    "acot": lambda x: series_power(x * x + 1, -1) * -1,
    "acoth": lambda x: series_power(x * x * -1 + 1, -1),
    "erf": lambda x: _exp(x * x * -1) * (2 / mpmath.sqrt(mpmath.pi)),
    "erfc": lambda x: _exp(x * x * -1) * (-2 / mpmath.sqrt(mpmath.pi)),
    "erfi": lambda x: _exp(x * x) * (2 / mpmath.sqrt(mpmath.pi)),
}
