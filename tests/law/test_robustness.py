"""Whatever the text, reading ends soon, with a result or with an InputError."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from identify.errors import InputError
from identify.law import read_condition, read_expression, read_law, to_text
from tests.law.strategies import expression_texts, near_texts

MANY = settings(max_examples=300, deadline=5000)


def failure(read: Callable[[], object]) -> InputError | None:
    """The InputError that the reader raises, if any."""
    try:
        read()
    except InputError as error:
        return error
    return None


def only_input_error(read: Callable[[], object]) -> None:
    """Run the reader; an InputError must render, and nothing else may be raised."""
    error = failure(read)
    if error is not None:
        assert error.exit_code == 2
        assert error.render().startswith(error.message)
        assert error.line >= 1
        assert error.column >= 1


@MANY
@given(st.text(max_size=80))
def test_any_string(text: str) -> None:
    """Random characters never raise anything but InputError."""
    only_input_error(lambda: read_law(text))
    only_input_error(lambda: read_expression(text))
    only_input_error(lambda: read_condition(text, ["a", "b"]))


@MANY
@given(near_texts())
def test_token_soup(text: str) -> None:
    """Random tokens never raise anything but InputError."""
    only_input_error(lambda: read_law(text))
    only_input_error(lambda: read_law("z''=" + text))
    only_input_error(lambda: read_expression(text, ["z", "a", "b2"]))
    only_input_error(lambda: read_condition(text, ["z", "a", "b2"]))


@MANY
@given(expression_texts(("z", "z'", "a", "b")))
def test_well_formed_laws(text: str) -> None:
    """A well-formed right side is read, or refused as not real or not finite; it can be printed."""
    law = f"z'' = {text}"
    error = failure(lambda: read_law(law))
    if error is None:
        assert to_text(read_law(law).acceleration)
    else:
        assert any(word in error.message for word in ("zero", "real", "infinite", "degree", "large"))


def nested(template: str, times: int) -> str:
    text = "z"
    for _ in range(times):
        text = template.replace("@", text)
    return text


LARGE = {
    "power tower": "9**9**9",
    "long tower": "2" + "**2" * 600,
    "symbol tower": "z" + "**z" * 600,
    "nested powers": "((z+1)**60)**60",
    "hidden power": "exp(1000000*log(2))",
    "hidden powers": "exp(64*log(z))**64",
    "exponential tower": "exp(exp(exp(exp(9))))",
    "growing root": nested("cbrt(a*@-b)", 20),
    "large exponent": "z**65",
    "large numbers": "*".join(["9" * 39 + "**25"] * 45),
    "many digits": "1" * 41,
    "large decimal": "1e999999999999",
    "long": "+z" * 1100,
    "brackets": "(" * 1900 + "z",
    "nested calls": nested("sin(1+@)", 200),
    "degree": "z " * 900,
}

HEAVY = {
    "signs": "-" * 1900 + "z",
    "terms": "+".join(f"a{i}*z" for i in range(220)),
    "nested bars": nested("|1+z*@|", 15),
    "nested roots": nested("sqrt(1+@)", 25),
    "nested fractions": nested("1/(1+@)", 19),
    "bars": "*".join(f"|z+{i}|" for i in range(150)),
    "root of a large number": "sqrt(" + "9" * 39 + "7)*z",
    "constants": "abs(" + "+".join(f"exp({i})-sin({i})" for i in range(90)) + ")*z",
    "brackets": "(" * 55 + "z" + ")" * 55,
}


@pytest.mark.parametrize("text", LARGE.values(), ids=LARGE.keys())
def test_large_work_is_refused_at_once(text: str) -> None:
    """Texts that ask for unbounded work are refused before the work starts."""
    start = time.perf_counter()
    with pytest.raises(InputError):
        read_law("z''=" + text)
    assert time.perf_counter() - start < 3


@pytest.mark.parametrize("text", HEAVY.values(), ids=HEAVY.keys())
def test_heavy_but_honest_work_is_done(text: str) -> None:
    """The limits leave room: these are read, in bounded time."""
    start = time.perf_counter()
    read_law("z''=" + text)
    assert time.perf_counter() - start < 5
