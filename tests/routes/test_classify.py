"""The route of a law: the right theorem, or the premise that fails."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Abs, Expr, Float, Integer, Rational, S, cos, exp, log, sign, sin, sqrt, tan, tanh

from identify.routes.classify import classify
from identify.routes.feature import feature_text
from identify.routes.route import Feature, Route
from tests.routes.laws import a, b, c, d, k, law, p, rho, s, v, w, z

half = Rational(1, 2)

SEMILINEAR = [
    (S.Zero, {}),
    (-a * z, {"1": -a * z}),
    (-a * z - b * v, {"1": -a * z, "v": -b}),
    (-(z**p) - k * v, {"1": -(z**p), "v": -k}),
    (v**2 - Abs(v) ** 2 + v, {"v": 1}),
    ((v**2 + z * v) / v, {"1": z, "v": 1}),
    ((v**2 - 1) / (v + 1), {"1": -1, "v": 1}),
    (v**2 / (1 + v) - 1 / (1 + v), {"1": -1, "v": 1}),
    ((v**2 - 4) * sin(z) / (v - 2), {"1": 2 * sin(z), "v": sin(z)}),
    (sin(z) ** 2 * v**2 + cos(z) ** 2 * v**2 - v**2 + v, {"v": 1}),
    ((Float("1e-25") + Float("1e-27") * z) * v, {"v": Float("1e-25") + Float("1e-27") * z}),
    ((cos(2 * z) - 2 * cos(z) ** 2 + 1) * v**2 - v, {"v": -1}),
    ((v + z) ** 2 - (v - z) ** 2 - 4 * z * v - z, {"1": -z}),
    (sign(v) ** 2 * v, {"v": 1}),
    (-k * sign(z) * z, {"1": -k * sign(z) * z}),
    (-k * sign(z) * Abs(z) ** p, {"1": -k * sign(z) * Abs(z) ** p}),
    (v * exp(-z) / (1 + z**2), {"v": exp(-z) / (1 + z**2)}),
]

SEPARATION = [
    (v * Abs(v), {"v*abs(v)": 1}),
    (-a * z - d * v - c * v * Abs(v), {"1": -a * z, "v": -d, "v*abs(v)": -c}),
    (Abs(v), {"abs(v)": 1}),
    (sqrt(v**2), {"abs(v)": 1}),
    (Abs(v) ** 3, {"abs(v)**3": 1}),
    (v**2 * Abs(v), {"abs(v)**3": 1}),
    (v**3 - z, {"1": -z, "v**3": 1}),
    (sqrt(Abs(v)) * v, {"v*abs(v)**(1/2)": 1}),
    (Abs(v) ** Rational(3, 2), {"abs(v)**(3/2)": 1}),
    (Abs(k * v), {"abs(v)": Abs(k)}),
    (Abs(z * v), {"abs(v)": Abs(z)}),
    (Abs(z * v + v), {"abs(v)": Abs(z + 1)}),
    (sign(v) * v, {"abs(v)": 1}),
    (sign(v) * v**2, {"v*abs(v)": 1}),
    (sign(v) * Abs(v) ** half, {"sign(v)*abs(v)**(1/2)": 1}),
    ((v**2 - 1) / (Abs(v) + 1), {"1": -1, "abs(v)": 1}),
    ((a + b * v) * Abs(v) - b * v * Abs(v), {"abs(v)": a}),
]

CANONICAL = [
    ((v + 1) ** 2, {"1": 1, "v": 2, "v**2": 1}),
    ((a + b * v) ** 3, {"1": a**3, "v": 3 * a**2 * b, "v**2": 3 * a * b**2, "v**3": b**3}),
    (rho * v**2 / z - k * z**2, {"1": -k * z**2, "v**2": rho / z}),
    (v * (z + v) / z, {"v": 1, "v**2": 1 / z}),
    (v**2 / 3 - v**5 / 7, {"v**2": Rational(1, 3), "v**5": Rational(-1, 7)}),
    (v**4 / (v**2 + 1) - 1 / (v**2 + 1), {"1": -1, "v**2": 1}),
    (Abs(v) ** 2 - tan(z), {"1": -tan(z), "v**2": 1}),
]

UNSUPPORTED = [
    (-z - c * sign(v), "discontinuous"),
    (sign(v) ** 2, "discontinuous"),
    (v / Abs(v), "discontinuous"),
    (-k * sign(z), "jumps where sign(z) changes"),
    (-a * z - d * sign(z) * (z - s), "jumps where sign(z) changes"),
    (tanh(v / s), "tanh(v/s)"),
    (sin(v), "dilation-stable"),
    (exp(v), "exp(v)"),
    (log(v), "undefined at v = 0"),
    (log(1 + v**2), "dilation-stable"),
    (Abs(v) ** p, "exponent p"),
    (v**p, "exponent p"),
    (Abs(v) ** sqrt(2), "exponent sqrt(2)"),
    (2**v, "velocity in its exponent"),
    (v**2 + v * Abs(v), "v**2 stands next to v*abs(v)"),
    (v**2 + Abs(v), "v**2 stands next to abs(v)"),
    (v**2 + sqrt(Abs(v)), "v**2 stands next to abs(v)**(1/2)"),
    (1 / v, "unbounded at v = 0"),
    (1 / (1 + v), "rational but not polynomial"),
    (v / (1 + v**2), "rational but not polynomial"),
    (v / (1 + Abs(v)), "rational but not polynomial"),
    (sqrt(1 + v**2), "sqrt(v**2 + 1)"),
    ((1 + v**2) ** Rational(3, 2), "(v**2 + 1)**(3/2)"),
    (Abs(v - a), "kink"),
    (v**half, "not real for both directions"),
    (v ** Rational(1, 3), "not real for both directions"),
    (sqrt(k * v), "not real for both directions"),
    (Abs(v) ** (-half), "abs(v)**(-1/2) is unbounded"),
    (sin(z * v), "mixes state and velocity"),
    ((1 + v) ** 1000, "too high"),
]


def by_name(route: Route) -> dict[str, Expr]:
    return {feature_text(feature): coefficient for feature, coefficient in route.channels}


@pytest.mark.parametrize(
    ("name", "acceleration", "channels"),
    [("semilinear", *case) for case in SEMILINEAR]
    + [("feature-separation", *case) for case in SEPARATION]
    + [("canonical", *case) for case in CANONICAL],
    ids=str,
)
def test_supported_law(name: str, acceleration: Expr, channels: dict[str, Expr]) -> None:
    """A supported law has exactly the expected channels, and no reason."""
    route = classify(law(acceleration))
    assert (route.name, route.reason, route.suggestion) == (name, None, None)
    assert by_name(route) == channels


@pytest.mark.parametrize(("acceleration", "reason"), UNSUPPORTED, ids=str)
def test_unsupported_law(acceleration: Expr, reason: str) -> None:
    """A refusal names the failing premise, suggests a declaration, and claims nothing."""
    route = classify(law(acceleration))
    assert (route.name, route.theorem, route.features, route.channels) == ("unsupported", None, (), ())
    assert reason in (route.reason or "")
    assert route.suggestion


def test_feature_space_of_each_route() -> None:
    """Semilinear declares {1, v}; separation adds 1; canonical has every power up to max(2, p)."""
    spaces = {
        -a * z: ("1", "v"),
        v * Abs(v): ("1", "v*abs(v)"),
        v**2: ("1", "v", "v**2"),
        v**2 + v**4: ("1", "v", "v**2", "v**3", "v**4"),
    }
    for acceleration, names in spaces.items():
        assert tuple(map(feature_text, classify(law(acceleration)).features)) == names


def feature_value(feature: Feature, velocity: Expr) -> Expr:
    return Abs(velocity) ** feature.power * sign(velocity) ** int(feature.odd)


COEFFICIENTS = st.sampled_from([a, -b * z, k * sin(z), w**2 / (1 + z**2), Integer(3), -Rational(2, 7), z**p])
FACTORS = st.sampled_from(
    [v, v**3, Abs(v), v * Abs(v), sqrt(Abs(v)) * v, sign(v) * v**2, a + b * v, sqrt(v**2), v - z]
)
TERMS = st.tuples(COEFFICIENTS, st.lists(FACTORS, min_size=0, max_size=3))


@settings(max_examples=60, deadline=None)
@given(terms=st.lists(TERMS, min_size=1, max_size=4), speed=st.fractions(min_value="1/9", max_value=5))
def test_channels_reconstruct_the_acceleration(terms: list[tuple[Expr, list[Expr]]], speed: object) -> None:
    """``sum c_k * phi_k`` is the acceleration at velocities of both signs, unless refused for v**2."""
    acceleration = S.Zero
    for coefficient, factors in terms:
        for factor in factors:
            coefficient = coefficient * factor
        acceleration += coefficient
    route = classify(law(acceleration))
    if route.name == "unsupported":
        assert "stands next to" in (route.reason or "")
        return
    point = {
        z: Rational(3, 7),
        a: Rational(5, 3),
        b: -Rational(7, 4),
        k: Rational(9, 5),
        w: 2,
        p: Rational(3, 2),
    }
    for velocity in (Rational(speed), -Rational(speed)):
        rebuilt = sum((value * feature_value(feature, velocity) for feature, value in route.channels), S.Zero)
        gap = (acceleration.subs(v, velocity) - rebuilt).subs(point).evalf(30)
        assert abs(gap) < 1e-20
