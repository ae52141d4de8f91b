"""What is printed can be read back."""

from __future__ import annotations

import pytest
import sympy
from hypothesis import assume, given, settings
from sympy import E, Eq, Rational, S, Symbol, exp, pi, sqrt

from identify.errors import InputError, NotPrintable
from identify.law import normal_text, read_condition, read_expression, read_law, to_latex, to_text
from tests.law.strategies import NAMES, expression_texts

z, a, e = (Symbol(name, real=True) for name in "zae")


def same(left: sympy.Expr, right: sympy.Expr) -> bool:
    """Equal as SymPy objects; as numbers where SymPy has two canonical forms, as for 10**(3/4)."""
    values = {symbol: Rational(7, 5 + i) for i, symbol in enumerate(sorted(left.free_symbols, key=str))}
    return bool(left == right or abs((left - right).subs(values).evalf(30)) < 1e-12)


@settings(max_examples=300, deadline=None)
@given(expression_texts())
def test_round_trip(text: str) -> None:
    """``read_expression(to_text(e)) == e``, with the names given and without."""
    try:
        expression = read_expression(text, NAMES)
    except InputError:
        assume(False)
    printed = to_text(expression)
    assert same(read_expression(printed, NAMES), expression)
    assert same(read_expression(printed), expression)


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (abs(z), "abs(z)"),
        (E, "exp(1)"),
        (exp(-z), "exp(-z)"),
        (e * E, "exp(1)*e"),
        (pi * z, "pi*z"),
        (sqrt(z), "sqrt(z)"),
        (1 / sqrt(z), "1/sqrt(z)"),
        (z ** Rational(3, 2), "z**(3/2)"),
        (z ** (a**2), "z**(a**2)"),
        ((-z) ** a, "(-z)**a"),
        (-(z**2), "-z**2"),
        (sympy.sign(z) / 3, "sign(z)/3"),
        (Symbol("lambda", real=True) * Symbol("zhat", real=True), "lambda*zhat"),
        (S(5), "5"),
    ],
)
def test_spelling(expression: sympy.Expr, text: str) -> None:
    """The spelling is the input language's, and reads back equal."""
    assert to_text(expression) == text
    assert read_expression(text, ["z", "a", "e", "lambda", "zhat"]) == expression


@pytest.mark.parametrize(
    "expression",
    [
        sympy.I,
        sympy.oo,
        sympy.zoo,
        sympy.nan,
        S(0.5),
        sympy.gamma(z),
        sympy.Piecewise((z, z > 0), (0, True)),
        sympy.Integral(z, z),
        sympy.Derivative(sympy.Function("f")(z), z),
        sympy.Dummy("z"),
        Symbol("x y"),
        Symbol("sin"),
        Symbol("pi"),
        sympy.rootof(sympy.Poly(z**5 - z - 1, z), 0),
        sympy.atan2(z, a),
    ],
)
def test_not_printable(expression: sympy.Expr) -> None:
    """What the language cannot say is refused rather than printed unreadably."""
    with pytest.raises(NotPrintable):
        to_text(expression)


def test_relations() -> None:
    """A relation is printed as a condition."""
    assert to_text(Eq(a, z**2)) == "a == z**2"
    (condition,) = read_condition(to_text(sympy.Ne(a, z)), ["a", "z"])
    assert condition.expression == a - z


def test_symbols_are_kept() -> None:
    """A symbol passed as a name is used as it is."""
    positive = Symbol("a", positive=True)
    assert read_expression("sqrt(a**2)", [positive]) == positive


def test_normal_text_reads_back() -> None:
    """``normal_text`` is itself a law with the same acceleration."""
    law = read_law("m*q''+c*|q'|*q'+k*q=0")
    assert normal_text(law) == "q'' = -c*q'*abs(q')/m - k*q/m"
    assert read_law(normal_text(law)).acceleration == law.acceleration


def test_latex() -> None:
    assert to_latex(sqrt(z)) == r"\sqrt{z}"
