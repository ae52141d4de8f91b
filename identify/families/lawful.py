"""Declared family -> law: its texts read one by one, so that all mistakes are found at once.

What cannot be read is input (exit code 2).  What can be read but contradicts the rest of the file, such
as a described parameter that the law does not contain, is a difference (exit code 1).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sympy import Expr, Float, Symbol

from identify.checked import Finding
from identify.errors import InputError
from identify.families.declared import Declared, Placed
from identify.families.reading import nearest
from identify.law import Condition, Law, read_condition, read_law
from identify.law.names import real

_NEAR = 1e-9


@dataclass(frozen=True)
class Lawful:
    """A law that was read, with the texts of its conditions as ``analyze`` takes them."""

    law: Law
    assume: tuple[str, ...]
    domain: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters that occur in the law."""
        return tuple(p.name for p in self.law.parameters)


def read_declared(declared: Declared) -> tuple[Lawful | None, list[Finding]]:
    """The law of the family, or None, and everything that is wrong with its texts."""
    state = None if declared.state is None else declared.state.name
    try:
        bare = read_law(declared.law.text, state=state)
    except InputError as error:
        return None, [declared.law.finding(error.message, error.offset, error.hint)]
    findings = list(_strangers(declared, bare))
    assume: list[str] = []
    domain: list[str] = []
    kept: list[tuple[Placed, Condition]] = []
    for placed, target in _texts(declared):
        read, found = _condition(placed, bare, declared)
        findings += found
        if read and not found:
            (assume if target == "assume" else domain).append(placed.text)
            kept += [(placed, condition) for condition in read]
    if any(finding.kind == "input" for finding in findings):
        return None, findings
    findings += _examples(declared, kept)
    law = read_law(declared.law.text, assume, domain, state)
    return Lawful(law, tuple(assume), tuple(domain)), findings


def _texts(declared: Declared) -> Iterator[tuple[Placed, str]]:
    for described in declared.parameters.values():
        yield from ((placed, "assume") for placed in described.restrict)
    yield from ((placed, "assume") for placed in declared.assume)
    yield from ((placed, "domain") for placed in declared.domain)


def _condition(placed: Placed, law: Law, declared: Declared) -> tuple[tuple[Condition, ...], list[Finding]]:
    """The conditions of a text; a described parameter that the law lost is a difference, not a bad name."""
    known = {s.name: s for s in (*law.parameters, law.state)}
    gone = {name: real(name) for name in declared.parameters if name not in known}
    try:
        read = read_condition(placed.text, (*known.values(), *gone.values()))
    except InputError as error:
        return (), [placed.finding(error.message, error.offset, error.hint)]
    missing = sorted({s.name for c in read for s in c.expression.free_symbols} & set(gone))
    if not missing:
        return read, []
    if placed.steps[0] == "parameters":
        return (), []  # said once, at the parameter itself
    message = f"'{placed.text}' is about {missing[0]}, which the law does not contain"
    found = placed.finding(message)
    return (), [Finding("difference", found.message, found.line, found.column, found.field)]


def _strangers(declared: Declared, law: Law) -> Iterator[Finding]:
    """Described parameters that the law does not contain, and parameters that are not described."""
    names = [p.name for p in law.parameters]
    for name in declared.parameters:
        if name not in names:
            what = "is the state" if name == law.state.name else "does not occur in the law"
            hint = nearest(name, [n for n in names if n not in declared.parameters])
            place = declared.tree.key_place("parameters", name)
            if declared.tree.find("parameters").child(name) is None:
                place = declared.law.source.extends
            yield Finding(
                "difference", f"'{name}' is described, but {what}", *place, f"parameters.{name}", hint
            )
    for name in names:
        if declared.parameters and name not in declared.parameters:
            line, column = _in_law(declared, name)
            hint = f"add {name}: {{meaning: ...}} below parameters"
            message = f"'{name}' occurs in the law, but is not described"
            yield Finding("difference", message, line, column, f"parameters.{name}", hint)


def _in_law(declared: Declared, name: str) -> tuple[int, int]:
    """Where a parameter first stands in the law."""
    match = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", declared.law.text)
    if declared.law.source.base is not None or match is None:
        return declared.tree.place("extends") if declared.law.source.base else declared.tree.place("law")
    return declared.tree.find("law").within(match.start())


def _examples(declared: Declared, conditions: Iterable[tuple[Placed, Condition]]) -> Iterator[Finding]:
    """Conditions that the example values do not meet."""
    values = {
        real(name): Float(described.parameter.example, 30)
        for name, described in declared.parameters.items()
        if described.parameter.example is not None
    }
    for placed, condition in conditions:
        if not condition.expression.free_symbols <= set(values):
            continue
        if not _met(condition, values):
            given = ", ".join(
                f"{s} = {float(values[s]):g}" for s in sorted(condition.expression.free_symbols, key=str)
            )
            message = f"the example values ({given}) do not meet '{placed.text}'"
            found = placed.finding(message)
            yield Finding("difference", found.message, found.line, found.column, found.field)


def _met(condition: Condition, values: dict[Symbol, Expr]) -> bool:
    value = condition.expression.xreplace(values).evalf(30)
    if not value.is_real:
        return False
    number = float(value)
    meets = {">": number > 0, ">=": number >= -_NEAR, "!=": abs(number) > 0, "==": abs(number) < _NEAR}
    return meets[condition.relation]
