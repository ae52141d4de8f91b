"""``text -> anchor``: a kind, and optionally a value with its uncertainty and unit.

::

    anchor = kind ["=" value]  |  ["parameter" ("=" | " ")] name ["=" value]
    value  = number [("+-" | "±" | "+/-") number ["%"]] [unit]

Numbers are exact decimals.  ``displacement=0.400+-0.002 m``, ``state=-0.3 rad``, ``amplitude``,
``g=9.81 m/s^2``, ``parameter=g`` and ``frame-rate=240 fps`` are anchors.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from identify.errors import InputError
from identify.law.unit import Unit, read_unit

KINDS = (
    "origin",
    "state",
    "equilibrium",
    "amplitude",
    "displacement",
    "size",
    "velocity",
    "speed",
    "acceleration",
    "parameter",
    "frame-rate",
    "period",
)
_NO_VALUE = ("origin",)
_VARIANCE = re.compile(r"(unit[-_ ]?)?(variance|std|standard[-_ ]deviation|whiten\w*|normali[sz]\w*)\b", re.I)
_NUMBER = r"[-−]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"
_VALUE = re.compile(
    rf"\s*(?P<value>{_NUMBER})"
    rf"(?:\s*(?:\+-|\+/-|±)\s*(?P<error>{_NUMBER})\s*(?P<percent>%?))?"
    r"(?P<unit>.*)",
    re.S,
)
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
REFUSED = (
    "variance normalisation is not a physical anchor: it sets the scale by a convention that depends on "
    "the clips, and no physical state is paired with an encoder value"
)


@dataclass(frozen=True)
class Quantity:
    """A measured value in base units, its uncertainty in the same, and the unit as declared."""

    value: Fraction
    uncertainty: Fraction | None
    unit: Unit | None

    @property
    def relative(self) -> float | None:
        """The relative uncertainty, where there is one."""
        if self.uncertainty is None or self.value == 0:
            return None
        return float(self.uncertainty / abs(self.value))


@dataclass(frozen=True)
class GivenText:
    """One anchor as typed: its kind, the parameter's name for a parameter, its quantity."""

    text: str
    kind: str
    parameter: str | None
    quantity: Quantity | None


def read_anchor(text: str, parameters: tuple[str, ...]) -> GivenText:
    """The anchor that ``text`` spells; InputError says what is wrong and what to type."""
    head, equals, rest = text.partition("=")
    kind = head.strip().replace("_", "-").removeprefix("another ")  # as the sets are listed
    if _VARIANCE.match(kind):
        raise InputError(REFUSED, text, hint="measure a length in the scene: --anchor displacement=0.40")
    offset = len(head) + 1
    if kind == "parameter" or kind.startswith("parameter "):
        return _parameter(text, kind, rest, offset, parameters)
    if kind in KINDS:
        if kind in _NO_VALUE and equals:
            raise InputError(f"'{kind}' takes no value", text, offset, "write state=VALUE for another state")
        return GivenText(text, kind, None, _quantity(text, rest, offset) if equals else None)
    if kind in parameters:
        return GivenText(text, "parameter", kind, _quantity(text, rest, offset) if equals else None)
    known = ", ".join((*KINDS, *parameters))
    raise InputError(f"'{head.strip()}' is no anchor of this law", text, hint=f"anchors are {known}")


def _parameter(text: str, kind: str, rest: str, offset: int, parameters: tuple[str, ...]) -> GivenText:
    """``parameter=g``, ``parameter=g=9.81``, ``parameter g=9.81``."""
    name = kind[len("parameter") :].strip()
    value: str | None = rest or None
    if not name:
        found = _NAME.match(rest.strip())
        if found is None:
            raise InputError("which parameter is known?", text, offset, "write parameter=g or g=9.81")
        name = found[0]
        before, equals, after = rest.partition("=")
        extra = before.strip()[len(name) :].strip()
        if extra and not equals:
            raise InputError(f"'{extra}' does not belong here", text, offset, f"write {name}=VALUE")
        value, offset = (after, offset + len(before) + 1) if equals else (None, offset)
    if name not in parameters:
        raise InputError(
            f"'{name}' is no parameter of the law", text, hint=f"its parameters are {', '.join(parameters)}"
        )
    return GivenText(text, "parameter", name, None if value is None else _quantity(text, value, offset))


def _quantity(text: str, rest: str, offset: int) -> Quantity:
    found = _VALUE.fullmatch(rest)
    if found is None:
        raise InputError(
            "a number is missing here", text, offset, "write a value such as 0.400, 0.400+-0.002 or 0.4 m"
        )
    unit_text = found["unit"].strip()
    if unit_text.startswith(("+", "±")):
        raise InputError(
            "the uncertainty is not a number",
            text,
            offset + found.start("unit"),
            hint="write it as 0.400+-0.002 m or 0.400+-1% m",
        )
    at = offset + found.start("unit") + len(found["unit"]) - len(found["unit"].lstrip())
    unit = read_unit(unit_text, text, at) if unit_text else None
    factor = Fraction(1) if unit is None else unit.factor
    value = _exact(text, found["value"], offset + found.start("value"))
    error: Fraction | None = None
    if found["error"] is not None:
        error = _exact(text, found["error"], offset + found.start("error"))
        if error < 0:
            raise InputError(
                "an uncertainty is not negative",
                text,
                offset + found.start("error"),
                hint="write 0.400+-0.002",
            )
        error = error * abs(value) / 100 if found["percent"] else error
    return Quantity(value * factor, None if error is None else error * factor, unit)


def _exact(text: str, number: str, offset: int) -> Fraction:
    """The decimal as a fraction; sizes beyond any measurement are refused before they are expanded."""
    mantissa, _, exponent = number.replace("−", "-").lower().partition("e")
    if len(mantissa) > 60 or len(exponent) > 4 or abs(int(exponent or 0)) > 300:
        raise InputError(
            "this number is out of range",
            text,
            offset,
            hint="choose another unit, so that the number is of ordinary size",
        )
    return Fraction(mantissa) * Fraction(10) ** int(exponent or 0)
