"""Conditions are read as they are meant."""

from __future__ import annotations

import pytest

from identify.errors import InputError
from identify.law import read_condition, read_expression

NAMES = ("a", "b", "c", "w", "p1", "p4", "g", "r", "z", "s")

READ = [
    ("b != 0", ["b != 0"]),
    ("b ≠ 0", ["b != 0"]),
    ("w > 0", ["w > 0"]),
    ("w >= 1", ["w-1 >= 0"]),
    ("w ≤ 1", ["1-w >= 0"]),
    ("0 < a < 1", ["a > 0", "1-a > 0"]),
    ("0 < a <= 1", ["a > 0", "1-a >= 0"]),
    ("b**2 > 4*a*c", ["b**2-4*a*c > 0"]),
    ("p1+p4 != 0", ["p1+p4 != 0"]),
    ("g == b**2", ["g-b**2 == 0"]),
    ("g = b**2", ["g-b**2 == 0"]),
    ("a, b != 0", ["a != 0", "b != 0"]),
    ("a, b, c > 1", ["a-1 > 0", "b-1 > 0", "c-1 > 0"]),
    ("a != 0, b > 0 and c < 0; w > 1", ["a != 0", "b > 0", "-c > 0", "w-1 > 0"]),
    ("r not in {1, 2}", ["r-1 != 0", "r-2 != 0"]),
    ("a, r not in {1}", ["a-1 != 0", "r-1 != 0"]),
    ("a > 0 > b", ["a > 0", "-b > 0"]),
    ("|z| < 1", ["1-z > 0", "1+z > 0"]),
    ("s >= |z|", ["s-z >= 0", "s+z >= 0"]),
    ("-1 < |z| < s", ["abs(z)+1 > 0", "s-z > 0", "s+z > 0"]),
    ("|a| > 0", ["a != 0"]),
    ("|a| > 1", ["abs(a)-1 > 0"]),
    ("z > s", ["z-s > 0"]),
    ("2a > 1/2", ["2*a-1/2 > 0"]),
    ("a > exp(1)", ["a-exp(1) > 0"]),
]


@pytest.mark.parametrize(("text", "expected"), READ)
def test_read(text: str, expected: list[str]) -> None:
    """Each clause becomes ``expression relation 0``."""
    found = read_condition(text, NAMES)
    wanted = [item.rsplit(" ", 2) for item in expected]
    assert [c.relation for c in found] == [relation for _, relation, _ in wanted]
    assert [c.expression for c in found] == [read_expression(left) for left, _, _ in wanted]


def test_the_users_words_are_kept() -> None:
    """``text`` is the clause as written, completed where a relation was shared."""
    texts = [c.text for c in read_condition("0<a  <1, b, (c) != 0 and r not in { 1,2 }", NAMES)]
    assert texts == ["0<a  <1"] * 2 + ["b != 0", "(c) != 0"] + ["r not in { 1,2 }"] * 2


ERRORS = [
    ("", "nothing to read", 1),
    ("a", "no relation", 1),
    ("0 < a, b", "no relation", 8),
    ("alpha > 0", "unknown name 'alpha'", 1),
    ("a > e", "unknown name 'e'", 5),
    ("a > 0 or b > 0", "'or' is not supported", 7),
    ("a != b != c", "cannot be chained", 3),
    ("a, b > 0 > c", "no relation of its own", 1),
    ("a in {1}", "'in' is not supported", 3),
    ("a not 1", "'not' must be followed", 3),
    ("a not in 1", "set in braces", 3),
    ("a not in {1", "'{' is never closed", 10),
    ("a not in {}", "missing before '}'", 11),
    ("z' > 0", "velocity", 1),
    ("1 > 0", "always holds", 1),
    ("a > a", "can never hold", 1),
    ("a >", "missing after '>'", 3),
    ("a > 0,", "missing after ','", 6),
    ("> 0", "missing before '>'", 1),
    ("a > 1/0", "division by zero", 7),
    ("a > 0)", "closes nothing", 6),
]


@pytest.mark.parametrize(("text", "message", "column"), ERRORS)
def test_errors(text: str, message: str, column: int) -> None:
    """Each mistake has its own message, at its own column."""
    with pytest.raises(InputError) as caught:
        read_condition(text, NAMES)
    assert message in caught.value.message
    assert caught.value.column == column


def test_unknown_name_lists_the_names() -> None:
    with pytest.raises(InputError) as caught:
        read_condition("omega > 0", ["omega_0", "d"])
    assert caught.value.render() == (
        "unknown name 'omega'\n  omega > 0\n  ^\nhint: did you mean omega_0? the names here are omega_0, d"
    )
