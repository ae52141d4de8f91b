"""``text -> Law``: the equation, its state, its parameters, and the division by the leading coefficient."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from sympy import Add, Expr, Symbol

from identify.errors import InputError
from identify.law.build import Builder
from identify.law.condition import read_condition
from identify.law.functions import canonical_function
from identify.law.law import Condition, Law
from identify.law.limits import LAW
from identify.law.names import (
    CONSTANTS,
    check_parameter,
    euler_is_meant,
    meanings,
    names_in,
    real,
)
from identify.law.parser import Parser
from identify.law.probe import vanishes
from identify.law.tree import Node, walk


@dataclass(frozen=True)
class _Equation:
    """``left = right``; without ``=`` the right side is zero.  ``both`` is the tree of left - right."""

    text: str
    both: Node
    accelerates_left: bool


def read_law(
    text: str,
    assume: str | Iterable[str] = (),
    domain: str | Iterable[str] = (),
    state: str | None = None,
) -> Law:
    """The law written in ``text``, solved for its acceleration; raises InputError and nothing else.

    ``assume`` and ``domain`` are conditions; one that mentions the state goes to ``Law.domain``,
    any other to ``Law.assumptions``, wherever it was given.  ``state`` names the state; by default
    it is the name that carries ``''``.
    """
    try:
        law = _read_equation(text, state)
        conditions = _read_conditions(law, (*_texts(assume), *_texts(domain)))
    except RecursionError:
        raise InputError("nested too deeply", text, hint="write it with fewer parentheses") from None
    return _with_conditions(law, conditions)


def _texts(conditions: str | Iterable[str]) -> tuple[str, ...]:
    return (conditions,) if isinstance(conditions, str) else tuple(conditions)


_MOST_CONDITIONS = 64  # as many as a certificate may have


def _read_conditions(law: Law, texts: tuple[str, ...]) -> list[Condition]:
    if len(texts) > _MOST_CONDITIONS:
        raise InputError(
            f"more than {_MOST_CONDITIONS} conditions", law.text, hint="join them, or leave some out"
        )
    names = (*law.parameters, law.state)
    return [condition for text in texts if text.strip() for condition in read_condition(text, names)]


def _with_conditions(law: Law, conditions: list[Condition]) -> Law:
    inside = tuple(c for c in conditions if law.state in c.expression.free_symbols)
    about = tuple(c for c in conditions if law.state not in c.expression.free_symbols)
    return replace(law, assumptions=about, domain=inside)


def _read_equation(text: str, state: str | None) -> Law:
    equation = _parse(text)
    name = _state_of(equation, state)
    velocity = real("v" if name != "v" else "vdot")
    names = [node for node in names_in(equation.both) if node.text != name]
    euler = name != "e" and euler_is_meant(equation.both, text)
    for node in names:
        check_parameter(node, name, text)
    table = meanings(names, {}, euler)
    builder = Builder(text, {**table, name: real(name), f"{name}'": velocity}, LAW)
    leading, acceleration = _solve(equation, builder)
    parameters = tuple(meaning for meaning in table.values() if isinstance(meaning, Symbol))
    return Law(text, real(name), velocity, acceleration, leading, parameters)


def _parse(text: str) -> _Equation:
    parser = Parser(text, LAW)
    left = parser.sum()
    if parser.at_kind("end"):
        return _Equation(text, left, True)
    if not parser.at("=", "=="):
        parser.unexpected()
    parser.advance()
    right = parser.sum()
    if parser.at("=", "=="):
        parser.fail("a law has one '='", parser.token.start, "write one equation")
    if not parser.at_kind("end"):
        parser.unexpected()
    accelerates_left = any(node.order == 2 for node in walk(left))
    return _Equation(text, _difference(left, right), accelerates_left)


def _difference(left: Node, right: Node) -> Node:
    """``left - right``; a sum on the left is extended, so that no level is added there."""
    negated = Node("negate", right.start, right.end, (right,), height=right.height + 1)
    terms = left.children if left.shape == "sum" else (left,)
    return Node("sum", left.start, right.end, (*terms, negated), height=1 + max(left.height, negated.height))


def _state_of(equation: _Equation, wanted: str | None) -> str:
    """The one name that carries primes, up to order two."""
    text = equation.text
    primes = [node for node in walk(equation.both) if node.shape == "prime"]
    second = [node for node in primes if node.order == 2]
    for node in primes:
        if node.order > 2:
            written = text[node.start : node.end]
            message = f"not second order: {written} is a derivative of order {node.order}"
            raise InputError(message, text, node.start, "the law must be of the form z'' = F(z, z')")
    if not second:
        _no_acceleration(equation, primes)
    name = wanted or second[0].text
    for node in primes:
        if node.text != name:
            message = (
                f"several states: {node.text} and {name}"
                if not wanted
                else f"the state is {name}, not {node.text}"
            )
            raise InputError(message, text, node.start, _one_state(node.text, name))
    if name in CONSTANTS or name == "t" or canonical_function(name):
        raise InputError(f"'{name}' cannot be the state", text, second[0].start, "choose another name")
    return name


def _one_state(other: str, name: str) -> str:
    """``dz'`` beside ``z''`` was most likely meant as ``d*z'``."""
    if other.endswith(name):
        return f"a law has one scalar state; write {other.removesuffix(name)}*{name}' for a product"
    return "a law has one scalar state"


def _no_acceleration(equation: _Equation, primes: list[Node]) -> None:
    text = equation.text
    if primes:
        name = primes[0].text
        message = f"not second order: only {name}' occurs, not {name}''"
        raise InputError(message, text, primes[0].start, f"the law must contain {name}''")
    message = "not second order: there is no z''"
    raise InputError(message, text, 0, "write the acceleration as z'', as in z'' + a*z = 0")


def _solve(equation: _Equation, builder: Builder) -> tuple[Expr, Expr]:
    """``(leading, acceleration)``, the equation being ``leading*z'' + rest = 0``.

    The leading coefficient has the sign it is written with, so ``F = m*z''`` has leading m.
    """
    value = builder.value(equation.both)
    if vanishes(value.leading):
        raise InputError(
            "not second order: z'' cancels",
            equation.text,
            0,
            hint="z'' must stay in the equation, as in z'' + a*z = 0",
        )
    acceleration = Add(*(-term / value.leading for term in Add.make_args(value.rest)))
    builder.check_numbers(acceleration, equation.both)
    leading = value.leading if equation.accelerates_left else -value.leading
    return (-leading if leading == -1 else leading), acceleration
