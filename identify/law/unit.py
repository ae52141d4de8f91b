"""A small unit algebra: SI base units and pixels, prefixes, common derived units.

::

    unit   = factor (("*" | "/" | " ") factor)*
    factor = "1" | name ["^" integer] | "(" unit ")" ["^" integer]

``m/s^2``, ``m s-2``, ``1/(m^2 s^2)``, ``cm``, ``deg`` and ``%`` are read; ``rad`` is a pure number.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from identify.errors import InputError

_LONGEST = 200  # characters
_MOST_EXPONENT = 100  # of a base unit
_MOST_BITS = 1000  # of the factor
BASES = ("m", "kg", "s", "A", "K", "mol", "cd", "px")
Dimension = tuple[Fraction, ...]

_ZERO: Dimension = (Fraction(0),) * len(BASES)
_PI = Fraction(355, 113)  # only for the size of a degree; 3e-7 is far below any anchor's uncertainty


@dataclass(frozen=True)
class Unit:
    """``factor`` times a product of base units; ``dimension`` holds the exponents."""

    factor: Fraction
    dimension: Dimension

    def __mul__(self, other: Unit) -> Unit:
        added = tuple(a + b for a, b in zip(self.dimension, other.dimension, strict=True))
        return Unit(self.factor * other.factor, added)

    def __pow__(self, exponent: int) -> Unit:
        return Unit(self.factor**exponent, tuple(exponent * a for a in self.dimension))


def base(name: str) -> Dimension:
    """The dimension of one base unit."""
    return tuple(Fraction(int(name == b)) for b in BASES)


ONE = Unit(Fraction(1), _ZERO)
SECOND = base("s")

_PREFIXES = {
    "k": 3, "M": 6, "G": 9, "d": -1, "c": -2, "m": -3, "u": -6, "µ": -6, "μ": -6, "n": -9
}  # fmt: skip


def _derived() -> dict[str, Unit]:
    def unit(factor: Fraction | int, **powers: int) -> Unit:
        return Unit(Fraction(factor), tuple(Fraction(powers.get(b, 0)) for b in BASES))

    table = {b: unit(1, **{b: 1}) for b in BASES}
    table |= {
        "g": unit(Fraction(1, 1000), kg=1),
        "rad": ONE,
        "deg": unit(_PI / 180),
        "°": unit(_PI / 180),
        "Hz": unit(1, s=-1),
        "fps": unit(1, s=-1),
        "N": unit(1, kg=1, m=1, s=-2),
        "J": unit(1, kg=1, m=2, s=-2),
        "W": unit(1, kg=1, m=2, s=-3),
        "Pa": unit(1, kg=1, m=-1, s=-2),
        "V": unit(1, kg=1, m=2, s=-3, A=-1),
        "min": unit(60, s=1),
        "h": unit(3600, s=1),
        "in": unit(Fraction(254, 10000), m=1),
        "ft": unit(Fraction(3048, 10000), m=1),
        "pixel": unit(1, px=1),
        "pixels": unit(1, px=1),
        "%": unit(Fraction(1, 100)),
    }
    return table


_UNITS = _derived()
_PREFIXED = ("m", "g", "s", "A", "K", "mol", "N", "J", "W", "Pa", "V", "Hz", "rad")
_TOKEN = re.compile(r"\s*(?:(?P<name>[A-Za-zµμ°%]+)|(?P<number>-?\d+)|(?P<sign>\*\*|[*/()^·]))")
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


def named_unit(name: str) -> Unit | None:
    """The unit of one name, with or without a prefix."""
    if name in _UNITS:
        return _UNITS[name]
    for prefix, power in _PREFIXES.items():
        rest = name[len(prefix) :]
        if name.startswith(prefix) and rest in _PREFIXED:
            return Unit(Fraction(10) ** power, _ZERO) * _UNITS[rest]
    return None


def read_unit(text: str, whole: str | None = None, offset: int = 0) -> Unit:
    """The unit that ``text`` spells; InputError points into ``whole`` at ``offset``."""
    reader = _Reader(text.translate(_SUPERSCRIPTS), text if whole is None else whole, offset)
    return reader.everything()


class _Reader:
    def __init__(self, text: str, whole: str, offset: int) -> None:
        self.text, self.whole, self.offset, self.at = text, whole, offset, 0

    def everything(self) -> Unit:
        if len(self.text) > _LONGEST:
            raise self.error(f"a unit has at most {_LONGEST} characters")
        found = self.product()
        if self.peek() is not None:
            raise self.error("this does not belong to a unit")
        return found

    def error(self, message: str) -> InputError:
        hint = "units look like m, cm, rad, px, 1/s, m/s^2, 1/(m^2 s^2)"
        return InputError(message, self.whole, self.offset + self.at, hint)

    def peek(self) -> re.Match[str] | None:
        if not self.text[self.at :].strip():
            return None
        found = _TOKEN.match(self.text, self.at)
        if found is None:
            raise self.error("this is not a unit")
        return found

    def product(self) -> Unit:
        total = self.factor()
        while (token := self.peek()) is not None and token["sign"] != ")":
            if token["sign"] in ("*", "·", "/"):
                self.at = token.end()
                other = self.factor()
                total = total * (other**-1 if token["sign"] == "/" else other)
            elif token["name"] or token["sign"] == "(":
                total = total * self.factor()
            else:
                raise self.error("a unit or an operator is missing here")
        return total

    def factor(self) -> Unit:
        token = self.peek()
        if token is None:
            raise self.error("a unit is missing here")
        if token["sign"] == "(":
            self.at = token.end()
            inner = self.product()
            closing = self.peek()
            if closing is None or closing["sign"] != ")":
                raise self.error("a closing bracket is missing")
            self.at = closing.end()
            return self.powered(inner)
        if token["number"] == "1":
            self.at = token.end()
            return ONE
        unit = named_unit(token["name"]) if token["name"] else None
        if unit is None:
            raise self.error(f"'{token[0].strip()}' is not a unit this tool knows")
        self.at = token.end()
        return self.powered(unit)

    def powered(self, unit: Unit) -> Unit:
        token = self.peek()
        if token is None or not (token["sign"] in ("^", "**") or token["number"]):
            return unit
        if token["sign"]:
            self.at = token.end()
            token = self.peek()
        if token is None or not token["number"] or abs(int(token["number"])) > 20:
            raise self.error("an integer exponent is missing here")
        exponent = int(token["number"])
        bits = max(unit.factor.numerator.bit_length(), unit.factor.denominator.bit_length())
        if (
            max(map(abs, unit.dimension)) * abs(exponent) > _MOST_EXPONENT
            or bits * abs(exponent) > _MOST_BITS
        ):
            raise self.error("no unit has such a power")
        self.at = token.end()
        return unit**exponent


def unit_text(dimension: Dimension) -> str:
    """The dimension in base units: ``1/(m^2 s^2)``, ``m/s^2``, ``1`` for a pure number."""
    above = [_power(b, e) for b, e in zip(BASES, dimension, strict=True) if e > 0]
    below = [_power(b, -e) for b, e in zip(BASES, dimension, strict=True) if e < 0]
    top = " ".join(above) or "1"
    if not below:
        return top
    bottom = " ".join(below)
    return f"{top}/({bottom})" if len(below) > 1 else f"{top}/{bottom}"


def _power(name: str, exponent: Fraction) -> str:
    if exponent == 1:
        return name
    return f"{name}^{exponent}" if exponent.denominator == 1 else f"{name}^({exponent})"


def combined(parts: Mapping[Dimension, Fraction]) -> Dimension:
    """The sum of dimensions with multiplicities."""
    total = _ZERO
    for dimension, count in parts.items():
        total = tuple(a + count * b for a, b in zip(total, dimension, strict=True))
    return total
