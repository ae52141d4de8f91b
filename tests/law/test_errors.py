"""Each mistake in a law has its own message, with the caret where the mistake is."""

from __future__ import annotations

import pytest

from identify.errors import BudgetExceeded, IdentifyError, InputError
from identify.law import read_expression, read_law

ERRORS = [
    ("", "nothing to read", 1),
    ("   ", "nothing to read", 1),
    ("z' + z = 0", "not second order: only z' occurs", 1),
    ("a + z = 0", "not second order: there is no z''", 1),
    ("z'' + z''' = 0", "order 3", 7),
    ("z'' - z'' + z = 0", "z'' cancels", 1),
    ("((a+1)**2-a**2-2*a-1)*z'' + z = 0", "z'' cancels", 1),
    ("x'' + y'' = 0", "several states", 7),
    ("z'' + y' = 0", "several states", 7),
    ("z'' + a*t = 0", "explicit time", 9),
    ("z'' + sinn(z) = 0", "unknown function 'sinn'", 7),
    ("z'' + foobar(z) = 0", "unknown function 'foobar'", 7),
    ("z'' + a(z+1) = 0", "could be a function or a product", 7),
    ("z'' + gamma(z+1) = 0", "could be a function or a product", 7),
    ("z'' + z'(z+1) = 0", "could be a function or a product", 7),
    ("z'' + 1/2z = 0", "above or below the division", 10),
    ("z'' + a/b z = 0", "above or below the division", 11),
    ("z'' + z**2z' = 0", "does the power end here", 11),
    ("z'' + z 2 = 0", "a number cannot follow", 9),
    ("z'' + |a|b|c| = 0", "ambiguous bars", 11),
    ("z'' + z²^3 = 0", "two powers in a row", 9),
    ("z'' + (z = 0", "'(' is never closed", 7),
    ("z'' + z) = 0", "')' closes nothing", 8),
    ("z'' + |z = 0", "'|' is never closed", 7),
    ("z'' + (|z) = 0", "'|' is never closed", 8),
    ("z'' + () = 0", "brackets are empty", 7),
    ("z'' + sin() = 0", "needs an argument", 10),
    ("z'' + sin(z, 2) = 0", "takes one argument", 12),
    ("z'' + sin z = 0", "needs brackets", 7),
    ("z'' + sin^2(z) = 0", "needs its argument first", 7),
    ("sin = z''", "a function, not a parameter", 1),
    ("z'' + z + = 0", "missing after '+'", 9),
    ("z'' + z +", "missing after '+'", 9),
    ("z'' + * z = 0", "missing before '*'", 7),
    ("z'' =", "missing after '='", 5),
    ("= z''", "nothing stands before '='", 1),
    ("z'' = z = 0", "one '='", 9),
    ("z'' > 0", "not a condition", 5),
    ("z'' + 0,5*z = 0", "comma", 8),
    ("z'' + a# = 0", "unknown character '#'", 8),
    ("z'' + [z] = 0", "unknown character '['", 7),
    ("z'' + \x00 = 0", "unknown character U+0000", 7),
    ("z'' + 1.2.3 = 0", "one decimal point", 10),
    ("z'' + v*z = 0", "looks like the velocity", 7),
    ("z'' + dz = 0", "looks like the velocity", 7),
    ("z'' + zdot = 0", "looks like the velocity", 7),
    ("z'' + kz = 0", "one parameter, not a product", 7),
    ("z'' + sinz = 0", "one parameter", 7),
    ("z''**2 + z = 0", "must enter linearly", 1),
    ("z''*z'' + z = 0", "must enter linearly", 5),
    ("z + sin(z'') = 0", "must enter linearly", 9),
    ("(1+z'')**2 + z = 0", "must enter linearly", 4),
    ("1/z'' + z = 0", "must enter linearly", 3),
    ("z'' + 1/0 = 0", "division by zero", 9),
    ("z'' + 1/(z-z) = 0", "division by zero", 9),
    ("z'' + z/((z+1)**2-z**2-2*z-1) = 0", "division by zero", 9),
    ("z'' + 1/(sin(z)**2+cos(z)**2-1) = 0", "division by zero", 9),
    ("z'' + z²²²²²²² = 0", "exponent is too large", 8),
    ("z'' + 0**0 = 0", "zero to a power", 7),
    ("z'' + 0**(-1) = 0", "zero to a power", 7),
    ("z'' + sqrt(-1) = 0", "sqrt(-1) is not a real number", 7),
    ("z'' + sqrt(-z**2-1) = 0", "is not a real number", 7),
    ("z'' + (-8)**(1/3) = 0", "(-8)**(1/3) is not a real number", 7),
    ("z'' + (-z**2)**(2/3) = 0", "is not a real number", 7),
    ("z'' + log(-1) = 0", "log(-1) is not a real number", 7),
    ("z'' + log(0) = 0", "log(0) is infinite", 7),
    ("z'' + tan(pi/2) = 0", "tan(pi/2) is infinite", 7),
    ("z'' + acos(2) = 0", "acos(2) is not a real number", 7),
    ("z'' + e*z + e**(-z) = 0", "a parameter or Euler's number", 13),
    ("z'' + e**(1/2)*z = 0", "a parameter or Euler's number", 7),
    ("z'' + 'a = 0", "a prime must follow", 7),
    ("z'' + (z)' = 0", "a prime must follow", 10),
    ("pi'' + pi = 0", "cannot be the state", 1),
    ("z'' + a and b = 0", "cannot stand here", 9),
]


@pytest.mark.parametrize(("text", "message", "column"), ERRORS)
def test_message_and_column(text: str, message: str, column: int) -> None:
    """The message is the mistake's own, at its column; exit code 2."""
    with pytest.raises(InputError) as caught:
        read_law(text)
    assert message in caught.value.message
    assert caught.value.column == column
    assert caught.value.exit_code == 2
    assert caught.value.hint  # every mistake comes with a next step


RENDERED = [
    (
        "z'' + sinn(z) = 0",
        "unknown function 'sinn'\n  z'' + sinn(z) = 0\n        ^\nhint: did you mean sin?",
    ),
    (
        "z'' + a(z+1) = 0",
        "ambiguous: 'a(...)' could be a function or a product\n  z'' + a(z+1) = 0\n        ^\n"
        "hint: write a*(...) for a product",
    ),
    ("z''\n + z)", "this ')' closes nothing\n   + z)\n      ^\nhint: remove it or add '('"),
    ("z'' = 1/0", "division by zero\n  z'' = 1/0\n          ^\nhint: divide by something that is not zero"),
    ("", "there is nothing to read\nhint: write an expression, as in z'' + a*z = 0"),
]


@pytest.mark.parametrize(("text", "rendered"), RENDERED)
def test_rendering(text: str, rendered: str) -> None:
    """Message, line, caret, hint."""
    with pytest.raises(InputError) as caught:
        read_law(text)
    assert caught.value.render() == rendered


def test_position_counts_lines() -> None:
    with pytest.raises(InputError) as caught:
        read_law("z''\n + z)")
    assert caught.value.position == (2, 5)


def test_long_lines_are_clipped_around_the_caret() -> None:
    """The caret stays under the mistake when the line is cut."""
    with pytest.raises(InputError) as caught:
        read_law("z''=" + "a+" * 300 + "#" + "+b" * 300)
    _, line, caret, _ = caught.value.render().split("\n")
    assert len(line) < 110
    assert line[caret.index("^")] == "#"


def test_wrong_state() -> None:
    with pytest.raises(InputError, match="the state is q, not z"):
        read_law("z''+z=0", state="q")


def test_primes_only_in_laws() -> None:
    with pytest.raises(InputError, match="z' cannot stand here"):
        read_expression("a*z'", ["a", "z"])


def test_unknown_name_in_an_expression() -> None:
    with pytest.raises(InputError, match="unknown name 'b'"):
        read_expression("a*b", ["a"])


def test_exit_codes() -> None:
    """1 for the base, 2 for input, 3 for undecided."""
    assert (IdentifyError.exit_code, InputError.exit_code, BudgetExceeded.exit_code) == (1, 2, 3)
    assert BudgetExceeded("too many terms").reason == "too many terms"
