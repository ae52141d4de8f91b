"""Typesetting: the writer's order is kept, and nothing typed can break a format."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from identify.report.formula import MAX_DEPTH, name_parts, read_formula
from identify.report.latex_notation import Latex, Markdown, latex
from identify.report.unicode_notation import Unicode

TYPESET = [
    (
        "z''+delta*z'+alpha*z+b*z**3=0",
        "z″ + δz′ + αz + bz³ = 0",
        r"z'' + \delta\,z' + \alpha\,z + b\,z^{3} = 0",
    ),
    ("z''=rho*z'**2/z-k*z^2", "z″ = ρz′²/z − kz²", r"z'' = \frac{\rho\,{z'}^{2}}{z} - k\,z^{2}"),
    ("b/lambda**2", "b/λ²", r"\frac{b}{\lambda^{2}}"),
    ("w**2*sin(z)", "w² sin(z)", r"w^{2}\,\sin\left(z\right)"),
    ("g/L*sin(z)**2", "(g/L) sin²(z)", r"\frac{g}{L}\,\sin^{2}\left(z\right)"),
    ("z**(1-c)", "z^(1 − c)", r"z^{1 - c}"),
    ("sqrt(a**2-4*b)", "√(a² − 4b)", r"\sqrt{a^{2} - 4\,b}"),
    ("-1 < z < 1", "−1 < z < 1", "-1 < z < 1"),
    ("b != 0", "b ≠ 0", r"b \neq 0"),
    ("zhat = lambda*z + tau", "ẑ = λz + τ", r"\hat{z} = \lambda\,z + \tau"),
    ("e_hat*m/e", "e_hat·m/e", r"\frac{\hat{e}\,m}{e}"),
    ("a - (b - c)", "a − (b − c)", r"a - \left(b - c\right)"),
    ("a/(b/c)", "a/(b/c)", r"\frac{a}{\frac{b}{c}}"),
    ("a*2*z", "a·2z", r"a \cdot 2\,z"),
    ("speed*z", "speed·z", r"\mathrm{speed}\,z"),
    ("k_1*z + k2", "k₁z + k₂", r"k_{1}\,z + k_{2}"),
    ("c*z'*|z'|", "cz′|z′|", r"c\,z'\,\left\lvert z'\right\rvert "),
    ("abs(z')**p", "|z′|^p", r"\left\lvert z'\right\rvert ^{p}"),
    ("z**-2", "z⁻²", "z^{-2}"),
    ("(-a)**2", "(−a)²", r"\left(-a\right)^{2}"),
    ("-a**2", "−a²", "-a^{2}"),
    ("(a**b)**c", "(a^b)^c", r"\left(a^{b}\right)^{c}"),
    ("2z", "2z", r"2\,z"),
]


@pytest.mark.parametrize(("typed", "unicode", "tex"), TYPESET)
def test_typeset(typed: str, unicode: str, tex: str) -> None:
    assert Unicode().formula(typed) == unicode
    assert latex(typed) == tex


@pytest.mark.parametrize("typed", ["d, a", "z +", "((z)", "[red]z", "a b $", "z" * 5000, "(" * 500 + "z"])
def test_what_is_no_formula_is_shown_as_typed(typed: str) -> None:
    assert read_formula(typed) is None
    assert Unicode().formula(typed) == typed


def test_depth_is_limited() -> None:
    assert read_formula("-" * (MAX_DEPTH + 1) + "z") is None
    assert read_formula("2**" * (MAX_DEPTH + 1) + "z") is None


@given(st.text(max_size=80))
def test_no_text_breaks_a_notation(text: str) -> None:
    """Every notation accepts every text; braces stay balanced and Markdown cells stay in one piece."""
    Unicode().formula(text), Unicode().prose(text)
    for written in (Latex().formula(text), Latex().prose(text)):
        plain = written.replace(r"\{", "").replace(r"\}", "")
        assert plain.count("{") == plain.count("}")
    assert "|" not in Markdown().prose(text).replace(r"\|", "")


@given(st.text(alphabet="az2+-*/^()|' ,=<>sin", max_size=40))
def test_formula_alphabet_never_raises(text: str) -> None:
    Unicode().formula(text), latex(text)


def test_name_parts() -> None:
    assert name_parts("beta_0") == ("beta", False, "0")
    assert name_parts("zhat") == ("z", True, "")
    assert name_parts("k_max") == ("k", False, "max")


def test_prose_agrees_with_the_formulas() -> None:
    assert Unicode().prose("lambda > 0 if b != 0 and z**2 is there") == "λ > 0 if b ≠ 0 and z² is there"
