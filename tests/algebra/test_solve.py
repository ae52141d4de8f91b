"""The solver finds all solutions of systems whose solutions are known."""

from __future__ import annotations

from fractions import Fraction as Q
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Expr, Symbol, cancel, sqrt

from identify.algebra.budget import Budget
from identify.algebra.ring import Ring
from identify.algebra.solve import Solution, System, remainder, solve, square_part
from identify.errors import BudgetExceeded

A, B, X, Y, W, R, R2 = (Symbol(n, real=True) for n in ("a", "b", "x", "y", "w", "r", "r2"))
RING = Ring((A, B, X, Y, W, R, R2))


def solutions(
    equations: list[Expr], unknowns: tuple[Symbol, ...], nonzero: tuple[Expr, ...] = ()
) -> list[Solution]:
    system = System(
        RING,
        tuple(RING.polynomial(e) for e in equations),
        unknowns,
        tuple(RING.polynomial(e) for e in nonzero),
        spare=(R, R2),
    )
    found, _ = solve(system, Budget.seconds(20))
    for solution in found:
        check(solution, equations)
    return list(found)


def check(solution: Solution, equations: list[Expr]) -> None:
    """Substituting the values, modulo the minimal polynomials, satisfies every equation."""
    for equation in equations:
        value = RING.fraction(equation)
        for symbol, v in solution.values.items():
            value = value.substitute(symbol, v)
        rest = value.numerator
        for symbol, minimal in reversed(solution.algebraic.items()):
            rest = remainder(RING, rest, minimal, symbol)
        assert rest.is_zero()


def values(solution: Solution, symbol: Symbol) -> set[Expr]:
    """The values of one unknown, square roots written out."""
    expression = solution.values[symbol].expression()
    roots: list[dict[Symbol, Expr]] = [{}]
    for r, minimal in solution.algebraic.items():
        poly = RING.expression(minimal).as_poly(r)
        assert poly.degree() == 2
        roots = [{**t, r: s * sqrt(-poly.nth(0) / poly.nth(2))} for t in roots for s in (1, -1)]
    return {cancel(expression.subs(t)) for t in roots}


def test_helmholtz() -> None:
    """Both branches of the quadratic spring: no shift, and the shift that flips a."""
    found = solutions([X - A - 2 * B * Y, Y * (A + B * Y)], (X, Y))
    assert {tuple(s.values[u].expression() for u in (X, Y)) for s in found} == {(A, 0), (-A, -A / B)}


def test_product_is_split_into_disjoint_cases() -> None:
    found = solutions([X * Y], (X, Y))
    assert len(found) == 2
    assert {len(s.free) for s in found} == {1}


def test_inequations_remove_solutions() -> None:
    found = solutions([X * (X - A)], (X,), nonzero=(X,))
    assert [s.values[X].expression() for s in found] == [A]


def test_square_roots_are_adjoined() -> None:
    (found,) = solutions([X**2 - A], (X,))
    assert values(found, X) == {sqrt(A), -sqrt(A)}


def test_squares_are_pulled_out_of_the_root() -> None:
    found = solutions([X**2 - 4 * A**2 * B], (X,))
    assert set().union(*(values(s, X) for s in found)) == {2 * A * sqrt(B), -2 * A * sqrt(B)}


def test_irreducible_cubic_stays_an_algebraic_number() -> None:
    (found,) = solutions([X**3 - A * X - B, Y - X**2], (Y, X))
    assert list(found.algebraic) == [R]
    assert RING.degree(found.algebraic[R], R) == 3


def test_no_real_solution() -> None:
    assert not solutions([X**2 + 1], (X,))
    assert not solutions([X**2 + A**2], (X,))


def test_contradiction() -> None:
    assert not solutions([X - A, X - B], (X,))


def test_generic_knowns_become_conditions() -> None:
    """A polynomial in the knowns counts as nonzero and is remembered."""
    system = System(RING, (RING.polynomial((A - B) * X - 1),), (X,), ())
    found, conditions = solve(system, Budget.seconds(5))
    assert len(found) == 1
    assert {RING.expression(p) for p in conditions} & {A - B, B - A}


def test_free_unknowns() -> None:
    (found,) = solutions([X - A * W, Y - B / A * X], (X, Y, W))
    assert found.free == (W,)


def test_an_exhausted_budget_is_said() -> None:
    system = System(RING, (RING.polynomial(X**2 - A),), (X,), (), spare=(R,))
    with pytest.raises(BudgetExceeded, match="time ran out"):
        solve(system, Budget.seconds(-1))


roots = st.lists(st.integers(-3, 3), min_size=1, max_size=3)


@given(roots, roots, st.integers(-2, 2))
def test_all_integer_points_are_found(xs: list[int], ys: list[int], shear: int) -> None:
    """A sheared grid: x takes the given roots, y + shear*x the others; all points, and no more."""
    p, q = Symbol("p"), Symbol("q")
    first, second = 1 + 0 * p, 1 + 0 * q
    for x in xs:
        first *= X - x
    for y in ys:
        second *= Y + shear * X - y
    found = solutions([first, second], (Y, X))
    points = {tuple(Q(str(s.values[u].expression())) for u in (X, Y)) for s in found}
    assert points == {(Q(x), Q(y - shear * x)) for x, y in product(xs, ys)}
    assert all(not s.free for s in found)


@given(st.integers(-40, 40).filter(bool), st.integers(0, 2), st.integers(0, 3))
def test_square_part(n: int, i: int, k: int) -> None:
    """``poly = s**2 * m`` with m free of squares."""
    poly = RING.polynomial(n * (A - B) ** i * B**k)
    square, rest = square_part(RING, poly)
    assert square * square * rest == poly
    assert all(e == 1 for _, e in rest.factor()[1])


def test_two_equations_without_one_in_a_single_unknown() -> None:
    """A resultant of both leaves one unknown; the other one then follows linearly."""
    (found,) = solutions([X**2 + Y**2 - A, X**3 + Y**3 - B], (X, Y))
    assert len(found.algebraic) == 1
    assert not found.free


def test_a_binomial_is_solved_for_its_root() -> None:
    """``X*(A - X)*Y**2 = B`` gives Y as a root, not X, which would need cases."""
    (found,) = solutions([X * (A - X) * Y**2 - B], (X, Y), (X, Y))
    assert found.free == (X,)
    assert Y in found.values
