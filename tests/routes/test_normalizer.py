"""The normalizer solves psi'' + c2*psi' = 0, and the canonical law follows by the chain rule."""

from __future__ import annotations

import pytest
from mpmath import mp
from sympy import (
    Abs,
    Expr,
    Float,
    Rational,
    asin,
    cos,
    cosh,
    cot,
    diff,
    exp,
    lambdify,
    log,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
)

from identify.law.law import Condition, Law
from identify.routes.classify import classify
from identify.routes.normalizer import canonical_law, canonical_step, numeric_normalizer
from identify.routes.route import SQUARE
from tests.routes.laws import a, b, c, d, k, law, p, positive, rho, s, v, w, z

INSIDE = Condition(s - Abs(z - b), ">", "abs(z - b) < s")
ROOT = sqrt(1 - ((z - b) / s) ** 2)

# law, whether psi is elementary, whether the law is written in q
CASES = [
    (law(rho * v**2 / z - k * z**2, domain=(positive(z),)), True, True),
    (law(rho * v**2 / z - k * z**2), True, True),
    (law(-d * v + c * v**2 / z - a * z, domain=(positive(z),)), True, True),
    (law(v**2 / z - a * z - v**3), True, True),
    (
        law(
            -d * v - w**2 * (z - b) * ROOT - v**2 * (z - b) / (s**2 - (z - b) ** 2), (positive(s),), (INSIDE,)
        ),
        True,
        True,
    ),
    (
        law(-d * v - w**2 * (z - b) * ROOT - rho * v**2 * (z - b) / (s**2 - (z - b) ** 2), (), (INSIDE,)),
        False,
        False,
    ),
    (law(-d * v - w**2 * z * sqrt(1 - z**2) - v**2 * z / (1 - z**2)), True, True),
    (law(-a * z + v**2 * z / (z**2 - 1), domain=(positive(1 - z**2),)), True, True),
    (law(-a * z + c * v**2 + v**3), True, True),
    (law(-a * z + v**2), True, True),
    (law(-a * z + k * z / (1 + k * z**2) * v**2, (positive(k),)), True, True),
    (law(-a * z + k * z / (1 + k * z**2) * v**2), False, False),
    (law(-a * z + 2 * k * z / (1 + k * z**2) * v**2, (positive(k),)), True, True),
    (law(-a * z - 2 * z / (1 - z**2) * v**2), True, True),
    (law(-a * z - 3 * z / (1 - z**2) * v**2), True, False),
    (law(-a * z + tan(z) * v**2), True, True),
    (law(-a * z - tan(z) * v**2 + v**4), True, True),
    (law(-a * z - 2 * tan(z) * v**2), True, True),
    (law(-a * z + cot(z) * v**2), True, False),
    (law(-a * z + tanh(z) * v**2), True, True),
    (law(-a * z + z * v**2), True, False),
    (law(-a * z + rho * z * v**2), False, False),
    (law(-a * z + (rho / z + k) * v**2, domain=(positive(z),)), False, False),
    (law(-a * z + exp(k * z) * v**2), False, False),
    (law(-a * z + v**2 / (1 + z + z**2)), False, False),
    (law(-a * z + log(z) * v**2), False, False),
    (law(-a * z + z**p * v**2, domain=(positive(z),)), False, False),
    (law(-a * z + v**2 / (z * (z - 1)), domain=(positive(z), positive(1 - z))), True, False),
    (law(-a * z + v**2 * sin(z) / (2 + cos(z))), False, False),
    (law(-a * z + 3 * v**2 / z**2), False, False),
    (law(-a * z + c / (z + b) * v**2 - v**4), True, True),
    (law(-a * z + v**2 * (z - b) / ((z - b) ** 2 + s**2)), False, False),
    (law(-a * z + v**2 * exp(-k * z) / (1 + exp(-k * z))), False, False),
    (law(-a * z + v**2 * z**3 / (1 - z**4)), False, False),
    (law(-a * z + v**2 * (a / z + b / (1 - z))), False, False),
]

POINT = {
    a: Rational(3, 2), b: Rational(-1, 5), c: Rational(3, 7), d: Rational(1, 3), k: Rational(7, 5),
    p: Rational(5, 3), s: Rational(6, 5), w: Rational(9, 8), rho: Rational(5, 3),
}  # fmt: skip
STATES = [Rational(1, 3), Rational(3, 5), Rational(4, 7)]


def number(expression: Expr) -> Expr:
    return expression.subs(POINT).evalf(40)


@pytest.mark.parametrize(
    ("declared", "elementary", "inverted"), CASES, ids=lambda item: getattr(item, "text", str(item))
)
def test_normalizer_and_canonical_law(declared: Law, elementary: bool, inverted: bool) -> None:
    """psi' > 0, psi'' = -c2*psi', and q'' by the chain rule is the canonical acceleration, to 30 digits."""
    route = classify(declared)
    found = canonical_law(declared, route)
    assert (found.psi is not None, found.inverted) == (elementary, inverted)
    slope = found.slope
    assert slope is not None
    assert found.acceleration is not None
    for state in STATES:
        assert number(slope.subs(z, state)) > 0
        assert_close(number((diff(slope, z) + found.c2 * slope).subs(z, state)), Float(0))
        if found.psi is not None:
            assert_close(number((diff(found.psi, z) - slope).subs(z, state)), Float(0))
        for velocity in (Rational(-4, 5), Rational(9, 7)):
            at = {z: state, v: velocity}
            chain = number((slope * declared.acceleration + diff(slope, z) * v**2).subs(at))
            canonical = {found.velocity: (slope * v).subs(at), z: state}
            if found.inverted and found.psi is not None:
                canonical[found.coordinate] = found.psi.subs(at)
            assert_close(number(found.acceleration.subs(canonical)), chain)


def assert_close(left: Expr, right: Expr) -> None:
    assert abs(left - right) < Float(10) ** -30


@pytest.mark.parametrize(
    ("declared", "chart"),
    [
        (law(-z + v**2), "all z"),
        (law(-z + v**2 / (1 + z**2)), "all z"),
        (law(-z + v**2 / (1 + z + z**2)), "all z"),
        (law(-z + k * z * v**2 / (1 + k * z**2), (positive(k),)), "all z"),
        (law(-z + v**2 / z, domain=(positive(z),)), "z > 0"),
        (law(-z + v**2 / z), "z > 0 or z < 0"),
        (law(-z + v**2 / (z - b)), "z > b or z < b"),
        (law(-z + v**2 * z / (1 - z**2)), "abs(z) < 1 or abs(z) > 1"),
        (law(-z + v**2 * (z - b) / (s**2 - (z - b) ** 2), (), (INSIDE,)), "abs(z - b) < s"),
        (law(-z + v**2 * tan(z)), "cos(z) != 0"),
        (law(-z + v**2 * log(z)), "z > 0"),
        (law(-z + v**2 / sqrt(z)), "z > 0"),
        (law(-z + v**2 * asin(z)), "1 - z**2 > 0"),
    ],
    ids=str,
)
def test_chart(declared: Law, chart: str) -> None:
    """The chart is the domain without the singular states of c2."""
    assert canonical_step(declared, classify(declared)).chart == chart


def test_projected_pendulum_is_the_angular_one() -> None:
    """cor:projected-pendulum: psi = asin and q'' = -delta*q' - omega**2*sin(q)."""
    info = canonical_step(CASES[4][0], classify(CASES[4][0]))
    assert info.normalizer in ("asin((z - b)/s)", "asin((-b + z)/s)")
    assert info.law == "q'' = -d*q' - w**2*sin(q)"


def test_bounds_imply_signs() -> None:
    """``b - s < z < b + s`` proves ``s > 0``, so the width of the arcsine is s, not abs(s)."""
    interval = (positive(z - b + s), positive(b + s - z))
    found = law(-(v**2) * (z - b) / (s**2 - (z - b) ** 2) - z, domain=interval)
    assert canonical_step(found, classify(found)).normalizer in ("asin((z - b)/s)", "asin((-b + z)/s)")


def test_overhead_normalizer() -> None:
    """eq:exp-real-overhead-normalizer: psi' = z**(-rho), with the exception rho = 1 in the note."""
    info = canonical_step(CASES[0][0], classify(CASES[0][0]))
    assert info.normalizer_derivative in ("z**(-rho)", "1/z**rho")
    assert "rho != 1" in (info.note or "")


def test_no_closed_form_is_said() -> None:
    """Without a primitive of c2 there is no canonical law, and the note says so."""
    info = canonical_step(law(v**2 * exp(-(z**2)) - z), classify(law(v**2 * exp(-(z**2)) - z)))
    assert (info.normalizer, info.law) == (None, None)
    assert "no closed form" in (info.note or "")


@pytest.mark.parametrize(
    ("c2", "primitive"),
    [(rho / z, rho * log(z)), (-z / (1 - z**2), log(1 - z**2) / 2), (k * sinh(z), k * cosh(z))],
    ids=str,
)
def test_numeric_normalizer_integrates_the_slope(c2: Expr, primitive: Expr) -> None:
    """psi(u*) = 0, psi'(u*) = 1 and psi is the integral of exp(-primitive), to 20 digits."""
    start = Rational(1, 2)
    assert diff(primitive, z).equals(c2)
    slope = lambdify(z, exp(primitive.subs(z, start) - primitive).subs(POINT), "mpmath")
    with mp.workdps(25):
        psi = numeric_normalizer(c2, z, POINT, mp.mpf(1) / 2)
        assert psi(mp.mpf(1) / 2) == 0
        assert abs(psi(mp.mpf(4) / 5) - mp.quad(slope, [mp.mpf(1) / 2, mp.mpf(4) / 5])) < mp.mpf("1e-20")


def test_numeric_normalizer_agrees_with_the_closed_form() -> None:
    """For c2 = -z/(1 - z**2) and basepoint 0 the normalizer is arcsin."""
    with mp.workdps(25):
        psi = numeric_normalizer(-z / (1 - z**2), z, {}, 0)
        assert abs(psi(0.5) - mp.asin(mp.mpf("0.5"))) < mp.mpf("1e-20")


def test_only_canonical_routes_are_normalized() -> None:
    """A raw route has no v**2 channel to remove."""
    route = classify(law(-z))
    assert SQUARE not in route.features
    with pytest.raises(ValueError, match="canonical"):
        canonical_step(law(-z), route)
