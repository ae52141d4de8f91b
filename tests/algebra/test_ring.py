"""Polynomials and fractions agree with SymPy's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Expr, Rational, S, Symbol, cancel, expand, fraction, sin

from identify.algebra.ring import Fraction, NotPolynomial, Ring

X, Y, Z = (Symbol(n, real=True) for n in "xyz")
RING = Ring((X, Y, Z))

leaves = st.one_of(
    st.sampled_from([X, Y, Z]),
    st.builds(Rational, st.integers(-9, 9), st.integers(1, 5)),
)
expressions: st.SearchStrategy[Expr] = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda t: t[0] + t[1]),
        st.tuples(inner, inner).map(lambda t: t[0] * t[1]),
        st.tuples(inner, st.integers(0, 3)).map(lambda t: t[0] ** t[1]),
    ),
    max_leaves=7,
)


def equal(ours: Expr, theirs: Expr) -> bool:
    return bool(cancel(ours - theirs) == 0)


@given(expressions, expressions)
def test_arithmetic(e: Expr, f: Expr) -> None:
    """Sum, difference, product and quotient are those of the expressions."""
    a, b = RING.fraction(e), RING.fraction(f)
    assert equal((a + b).expression(), e + f)
    assert equal((a - b).expression(), e - f)
    assert equal((a * b).expression(), e * f)
    if expand(f) != 0:
        assert equal((a / b).expression(), e / f)
        assert equal((b**-2).expression(), f**-2)
    else:
        with pytest.raises(ZeroDivisionError):
            a / b


@given(expressions, expressions)
def test_fractions_are_in_lowest_terms(e: Expr, f: Expr) -> None:
    """No common factor remains, and the denominator leads with a plus sign."""
    if expand(f) == 0:
        return
    value = RING.fraction(e) / RING.fraction(f)
    assert value.numerator.gcd(value.denominator).is_constant()
    assert value.denominator.leading_coefficient() > 0
    numerator, denominator = fraction(cancel(e / f))
    assert equal(value.expression(), numerator / denominator)


@given(expressions, expressions)
def test_substitution(e: Expr, f: Expr) -> None:
    """Replacing a symbol in the fraction replaces it in the expression."""
    value: Fraction = RING.fraction(1 / (X + 2 * Y + 7)) * RING.fraction(e)
    put = RING.fraction(f)
    if expand((X + 2 * Y + 7).subs(X, f)) == 0:
        with pytest.raises(ZeroDivisionError):
            value.substitute(X, put)
        return
    assert equal(value.substitute(X, put).expression(), (e / (X + 2 * Y + 7)).subs(X, f))


@given(expressions)
def test_parts_add_up(e: Expr) -> None:
    """Coefficients in one symbol, in several symbols, and the factors give the polynomial back."""
    poly = RING.polynomial(e)
    assert equal(sum((RING.expression(c) * X**k for k, c in RING.coefficients(poly, X).items()), S.Zero),
                 RING.expression(poly))  # fmt: skip
    both = RING.collect(poly, (X, Z))
    assert equal(sum((RING.expression(c) * X**i * Z**k for (i, k), c in both.items()), S.Zero),
                 RING.expression(poly))  # fmt: skip
    assert equal(RING.factored(poly), RING.expression(poly))
    for factor in RING.factors(poly):
        assert (poly / factor) * factor == poly


@given(expressions)
def test_degree_and_variables(e: Expr) -> None:
    """The symbols that occur are those of positive degree."""
    poly = RING.polynomial(e)
    assert RING.variables(poly) == {s for s in (X, Y, Z) if RING.degree(poly, s) > 0}
    assert RING.variables(poly) == RING.expression(poly).free_symbols


@pytest.mark.parametrize("expression", [sin(X), X**Y, X ** Rational(1, 2), Symbol("w", real=True)])
def test_what_is_not_rational_is_refused(expression: Expr) -> None:
    with pytest.raises(NotPolynomial):
        RING.fraction(X + expression)


def test_division_by_zero() -> None:
    with pytest.raises(ZeroDivisionError):
        RING.fraction((X - X + Y) * S.One) / RING.fraction(S.Zero)
