"""Numbers that a user types: parameter values, initial conditions, intervals; checked against the law."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping

from sympy import Expr, Rational, Symbol

from identify.errors import InputError
from identify.law import Condition, Law, read_expression
from identify.law.functions import nearest
from identify.orbit.generators import Unhandled
from identify.orbit.problem import eliminations

Values = dict[Symbol, Expr]

_TINY = 1e-12


def read_parameters(text: str, law: Law) -> Values:
    """The values in ``"d=0.2, a=1"``: exact, one for every parameter, inside the assumptions."""
    known = {parameter.name: parameter for parameter in law.parameters}
    found: Values = {}
    for name, value, offset in _assignments(text):
        if name not in known:
            close = nearest(name, known)
            hint = f"did you mean {close}? " if close else ""
            listed = ", ".join(known) or "none"
            raise InputError(f"the law has no parameter '{name}'", text, offset, f"{hint}it has {listed}")
        if known[name] in found:
            raise InputError(f"'{name}' is given twice", text, offset, hint="give each name once")
        found[known[name]] = read_value(value, f"the value of {name}")
    missing = [name for name, symbol in known.items() if symbol not in found]
    if missing:
        message = f"no value for {', '.join(missing)}"
        raise InputError(message, text, len(text), f'write --parameters "{_example(law, found)}"')
    check_assumptions(found, law, text)
    return found


def _assignments(text: str) -> Iterable[tuple[str, str, int]]:
    offset = 0
    for part in text.split(",") if text.strip() else []:
        name, equals, value = part.partition("=")
        start = offset + len(part) - len(part.lstrip())
        if not equals or not name.strip() or not value.strip():
            message = f"'{part.strip()}' is no assignment"
            raise InputError(message, text, start, 'write for example "d=0.2,a=1"')
        yield name.strip(), value.strip(), start
        offset += len(part) + 1


def _example(law: Law, given: Values | None = None) -> str:
    return ",".join(f"{parameter.name}={(given or {}).get(parameter, 1)}" for parameter in law.parameters)


def read_value(text: str, what: str) -> Expr:
    """A real number such as ``0.2``, ``1/3``, ``2*pi``, exact."""
    value = read_expression(text, ())
    if not math.isfinite(real_number(value)):
        raise InputError(f"{what} is not a finite real number", text, hint="give a number, such as 0.2")
    return value


def read_numbers(text: str, count: int, what: str, example: str) -> tuple[float, ...]:
    """Exactly ``count`` real numbers separated by commas (any number where ``count`` is 0)."""
    parts = text.split(",")
    if (count and len(parts) != count) or not all(part.strip() for part in parts):
        raise InputError(f"{what} needs {count or 'some'} numbers", text, 0, f'write for example "{example}"')
    return tuple(real_number(read_value(part.strip(), what)) for part in parts)


def read_interval(text: str) -> tuple[float, float]:
    """An interval ``a,b`` with ``a < b``."""
    low, high = read_numbers(text, 2, "an interval", "-0.2,0.2")
    if not low < high:
        raise InputError("the interval is empty", text, 0, "write the smaller number first")
    return low, high


def ordinary_parameters(law: Law) -> Values:
    """The first simple values that meet the assumptions, for a user who gave none."""
    simple = [Rational(text) for text in ("1", "1/2", "2", "1/5", "3", "-1", "-1/2")]
    try:
        tied = eliminations(law)
    except Unhandled:
        tied = {}
    free = [parameter for parameter in law.parameters if parameter not in tied]
    choices = [[value for value in simple if _admitted(parameter, value, law)] for parameter in free]
    for values in itertools.islice(itertools.product(*choices), 20_000):
        chosen = dict(zip(free, values, strict=True))
        found = {p: chosen[p] if p in chosen else tied[p].subs(chosen) for p in law.parameters}
        if all(holds(condition, found) for condition in law.assumptions):
            return found
    raise InputError("no simple values meet the assumptions", hint=f'give --parameters "{_example(law)}"')


def _admitted(parameter: Symbol, value: Expr, law: Law) -> bool:
    """Whether the value meets every assumption that is about this parameter alone."""
    alone = (c for c in law.assumptions if c.expression.free_symbols == {parameter})
    return all(holds(condition, {parameter: value}) for condition in alone)


def check_assumptions(values: Mapping[Symbol, Expr], law: Law, text: str) -> None:
    """Raise where the values break a declared assumption."""
    for condition in law.assumptions:
        if not holds(condition, values):
            raise InputError(
                f"these values break the assumption {condition.text}",
                text,
                hint="choose values that meet it, or drop the assumption",
            )


def holds(condition: Condition, values: Mapping[Symbol, Expr]) -> bool:
    """Whether the condition holds at the values, which must cover its symbols."""
    value = real_number(condition.expression.subs(values))
    match condition.relation:
        case "!=":
            return abs(value) > _TINY
        case "==":
            return abs(value) <= _TINY
        case ">":
            return value > 0
        case ">=":
            return value >= -_TINY


def real_number(expression: Expr) -> float:
    """The expression as a float; nan where it is no real number."""
    try:
        value = complex(expression.evalf(20))
    except (TypeError, ValueError, OverflowError):
        return math.nan
    return value.real if abs(value.imag) <= _TINY * max(1.0, abs(value.real)) else math.nan
