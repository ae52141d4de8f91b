"""A sign that is claimed holds at every point that satisfies the conditions."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Expr, Rational, S, Symbol, exp, sqrt

from identify.law import read_law
from identify.orbit.facts import Facts, Sign, both, times
from identify.orbit.real import declared_facts

A, B, C = (Symbol(n, real=True) for n in "abc")
CONDITIONS: list[tuple[Expr, Sign]] = [
    (A, "+"), (A, "-"), (B, "!="), (B, "+"), (C, ">="), (C, "<="), (A - 1, "+"), (2 - B, "+"), (A * B, "+"),
    (B**2 - 4 * A * C, "+"), (B**2 - 4 * A * C, "-"), (A - B, "+"), (A + B, "!="), (A * C, "-"),
    (1 - C, ">="),
]  # fmt: skip
VALUES = [Rational(n, d) for n in (-9, -5, -2, -1, 0, 1, 2, 3, 7) for d in (1, 3)]

atoms = st.sampled_from([A, B, C, S(1), S(-2), S(3), A - B, A**2, B**2 - 4 * A * C, A + B])
expressions = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda t: t[0] + t[1]),
        st.tuples(inner, inner).map(lambda t: t[0] * t[1]),
        st.tuples(inner, st.integers(2, 4)).map(lambda t: t[0] ** t[1]),
        inner.filter(lambda e: e != 0).map(lambda e: 1 / e),
        inner.map(abs),
        inner.map(exp),
        inner.map(sqrt),
    ),
    max_leaves=5,
)


def agrees(value: Expr, sign: Sign) -> bool:
    answers = {
        "+": value > 0, "-": value < 0, "0": value == 0, ">=": value >= 0, "<=": value <= 0,
        "!=": value != 0, "?": True,
    }  # fmt: skip
    return bool(answers[sign])


def points(known: tuple[tuple[Expr, Sign], ...], count: int = 12) -> list[dict[Symbol, Expr]]:
    generator, found = random.Random(3), []
    for _ in range(2000):
        point = {s: generator.choice(VALUES) for s in (A, B, C)}
        if all(agrees(e.subs(point), s) for e, s in known):
            found.append(point)
        if len(found) == count:
            break
    return found


@given(expressions, st.lists(st.sampled_from(CONDITIONS), max_size=3, unique=True))
@settings(max_examples=300)
def test_claimed_signs_are_true(expression: Expr, known: list[tuple[Expr, Sign]]) -> None:
    """Wherever the conditions hold and the expression is real, it has the claimed sign."""
    facts = Facts(tuple(known))
    claimed = facts.sign(expression)
    if claimed == "?":
        return
    for point in points(tuple(known)):
        value = expression.subs(point)
        if value.is_real and value.is_finite:
            assert agrees(value, claimed), (point, value, claimed)


@given(st.lists(st.sampled_from(CONDITIONS), max_size=2, unique=True), st.sampled_from(CONDITIONS))
def test_implied_signs_are_true(known: list[tuple[Expr, Sign]], more: tuple[Expr, Sign]) -> None:
    """What a requirement forces on a symbol holds wherever facts and requirement hold."""
    satisfying = points((*known, more))
    implied = Facts(tuple(known)).implied([more], (A, B, C))
    if implied is None:
        assert not satisfying
        return
    for symbol in (A, B, C):
        for point in satisfying:
            assert agrees(point[symbol], implied.sign(symbol))


@pytest.mark.parametrize(
    ("expression", "sign"),
    [
        (A**2 + 1, "+"),
        (A**2, ">="),
        (-exp(A), "-"),
        (A**2 + A * B + B**2 + 1, "?"),  # definite, but two steps of reasoning away
        (A - A, "0"),
        (A, "?"),
    ],
)
def test_without_conditions(expression: Expr, sign: Sign) -> None:
    found = Facts().sign(expression)
    assert found == sign or sign == "?"


def test_declared_discriminant() -> None:
    """``b**2 < 4*a*c`` with ``c > 0`` makes the quadratic positive, and a positive."""
    law = read_law("z'' = -a*z - b*z**2 - c*z**3", ["c > 0", "b**2 < 4*a*c"])
    facts = declared_facts(law.assumptions)
    z = law.state
    assert facts.sign(B**2 - 4 * A * C) == "-"
    assert facts.sign(4 * A * C - B**2) == "+"
    assert facts.sign(A + B * z + C * z**2) == "+"


SIGNS: list[Sign] = ["+", "-", "0", ">=", "<=", "!=", "?"]


@pytest.mark.parametrize("a", SIGNS)
@pytest.mark.parametrize("b", SIGNS)
def test_table_of_products(a: Sign, b: Sign) -> None:
    """The product of any two numbers of the given signs has the sign of the table."""
    numbers = [S(-2), S(0), S(3)]
    for x in numbers:
        for y in numbers:
            if agrees(x, a) and agrees(y, b):
                assert agrees(x * y, times(a, b))


@pytest.mark.parametrize("a", SIGNS)
@pytest.mark.parametrize("b", SIGNS)
def test_two_statements_together(a: Sign, b: Sign) -> None:
    """A number of which both statements hold satisfies their conjunction."""
    for x in (S(-2), S(0), S(3)):
        if agrees(x, a) and agrees(x, b):
            assert agrees(x, both(a, b))
