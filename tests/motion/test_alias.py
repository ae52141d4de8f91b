"""Every alias is confirmed by integrating both laws; a wrong one would not be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sympy import Rational

import identify
from identify.errors import InputError
from identify.law import read_law
from identify.motion.alias import AliasReport, Proposal, family_alias
from identify.motion.comparison import TOLERANCE
from identify.motion.dynamics import Dynamics, compiled
from identify.motion.plan import fastest_speed
from identify.motion.sharpness import curved_map, one_way_alias, two_slope_alias
from identify.motion.values import holds, ordinary_parameters, read_parameters

STARTS = [(0.8, 0.0), (0.5, 0.4)]


def dynamics(law: str, values: str, assume: str = "", domain: str = "") -> Dynamics:
    read = read_law(law, assume or (), domain or ())
    return Dynamics(read, read_parameters(values, read))


def found(
    law: str, values: str, assume: str = "", domain: str = "", parameter: str | None = None
) -> AliasReport:
    at = dynamics(law, values, assume, domain)
    return family_alias(identify.analyze(at.law), at, STARTS, 4.0, parameter)


@pytest.mark.parametrize(
    ("law", "values", "assume", "domain", "parameter"),
    [
        ("z''+d*z'+a*z+b*z**3=0", "d=0.2,a=1,b=0.5", "b != 0", "", "b"),
        ("z''+d*z'+a*z+b*z**2=0", "d=0.2,a=1,b=0.3", "b != 0", "", "a"),
        ("z''+d*z'+a*z+b*z**2=0", "d=0.2,a=1,b=0.3", "b != 0", "", "b"),
        ("z''+d*z'+a*z+b*z**2+g*z**3=0", "d=0.2,a=1,b=3,g=1", "g != 0", "", "a"),
        ("m*z''+c*z'+k*z=0", "m=1,c=0.2,k=3", "", "", "k"),
        ("z''+d*z'+a*sin(z)=0", "d=0.2,a=2", "", "", "a"),
        ("z''=-k*z-d*z'-c*z'*abs(z')", "k=0.8,d=0.18,c=0.22", "c != 0", "", "c"),
        ("z''=-d*z'+c*z'**2/z-a*z", "d=0.1,c=1/2,a=1", "", "z > 0", "c"),
        ("z''=-g+k*z'**2", "g=9.81,k=0.1", "k > 0", "", "g"),
    ],
)
def test_aliases_are_verified(law: str, values: str, assume: str, domain: str, parameter: str) -> None:
    report = found(law, values, assume, domain, parameter)
    assert report.outcome == "found"
    assert report.verified
    assert report.difference is not None
    assert report.difference <= 1e-9
    assert all(clip.difference <= 1e-9 for clip in report.clips)
    assert report.report is not None
    assert report.report[parameter] != pytest.approx(report.truth[parameter], rel=1e-6)


def test_the_alias_is_admissible() -> None:
    """With a > 0 declared the reflected branch of Helmholtz is no alias of a, which is then identified."""
    report = found("z''+d*z'+a*z+b*z**2=0", "d=0.2,a=1,b=0.3", "a > 0, b != 0", "", "a")
    assert report.outcome == "none"
    assert "a" in report.why


@pytest.mark.parametrize(
    ("law", "values", "assume"),
    [("z''+d*z'+a*z=0", "d=0.2,a=1", ""), ("z''+d*z'+a*sin(z)=0", "d=0.2,a=2", "a > 0")],
)
def test_identified_parameters_have_none(law: str, values: str, assume: str) -> None:
    report = found(law, values, assume)
    assert report.outcome == "none"
    assert report.report is None
    assert set(report.why) == {"d", "a"}


def test_a_wrong_alias_is_caught() -> None:
    """The comparison is not blind: a parameter off by a millionth is far outside the tolerance."""
    at = dynamics("z''+d*z'+a*z+b*z**3=0", "d=0.2,a=1,b=0.5")
    b = at.law.parameters[2]
    state = at.law.state
    twice, slope = compiled(2 * state, state), compiled(2 + 0 * state, state)
    for value, right in ((Rational(1, 8), True), (Rational(125001, 1000000), False)):
        report = replace(at, values={**at.values, b: value})
        clips = Proposal(at, report, "2*z", twice, slope, {}, 1).verify(STARTS, 5.0)
        assert bool(clips) == right


def test_unknown_parameter() -> None:
    with pytest.raises(InputError, match="no parameter 'q'"):
        found("z''+a*z=0", "a=1", parameter="q")


@pytest.mark.parametrize(
    ("law", "values", "mapping"),
    [
        ("z''+a*z=0", "a=1", "z + z**3/5"),
        ("z''+d*z'+a*z+b*z**3=0", "d=0.2,a=1,b=0.5", "exp(z)"),
        ("z''+m*(z**2-1)*z'+z=0", "m=0.3", "-z-z**3"),
    ],
)
def test_two_slopes_leave_the_curvature_free(law: str, values: str, mapping: str) -> None:
    at, interval = dynamics(law, values), (-1.0, 1.0)
    report = two_slope_alias(at, curved_map(mapping, at, interval), None, fastest_speed(at, interval, 5.0))
    assert report.verified
    assert report.difference is not None
    assert report.difference <= TOLERANCE
    assert len(report.clips) == 2
    assert report.apart is not None
    assert report.apart.difference > 1e-3


def test_two_slope_coefficients_are_the_papers_example() -> None:
    """z'' + z = 0 at amplitude A: a_hat = 0 and b_hat(f(u)) = f' u - f'' (A^2 - u^2)."""
    at = dynamics("z''+a*z=0", "a=1")
    report = two_slope_alias(at, curved_map("z + z**3/5", at, (-0.5, 0.5)), (1.0, -1.0), 1.0)
    for row in report.table:
        u = row["u"]
        assert abs(row["a_hat"]) < 1e-12
        assert row["b_hat"] == pytest.approx((1 + 0.6 * u**2) * u - 1.2 * u * (1 - u**2), abs=1e-12)


def test_one_way_drag_leaves_the_curvature_free() -> None:
    """The paper's control f(u) = u + 5 u^3 for the coverage experiment."""
    at = dynamics("q''=-k*q-d*q'-c*q'*abs(q')", "k=0.8,d=0.18,c=0.22")
    report = one_way_alias(at, curved_map("q+5*q**3", at, (-0.2, 0.2)), 1.0)
    assert report.verified
    assert report.apart is not None
    assert report.apart.difference > 1e-2
    for row in report.table:
        u = row["u"]
        assert row["coefficient of 1"] == pytest.approx(-0.8 * u - 12 * u**3, abs=1e-12)
        assert row["coefficient of v"] == pytest.approx(-0.18)
        drag = (30 * u - 0.22 * (1 + 15 * u**2)) / (1 + 15 * u**2) ** 2
        assert row["coefficient of v*abs(v)"] == pytest.approx(drag)


def test_one_way_reversing_map() -> None:
    at = dynamics("q''=-k*q-d*q'-c*q'*abs(q')", "k=0.8,d=0.18,c=0.22")
    assert one_way_alias(at, curved_map("-q-q**3", at, (-0.2, 0.2)), 1.0).verified


def test_one_way_motion_is_enough_without_odd_drag() -> None:
    at = dynamics("z''+d*z'+a*z=0", "d=0.2,a=1")
    report = one_way_alias(at, curved_map("z+z**3", at, (-1.0, 1.0)), 2.0)
    assert report.outcome == "none"
    assert report.reason is not None
    assert "one direction" in report.reason


@pytest.mark.parametrize("mapping", ["z**2", "2*z+1", "sqrt(z)"])
def test_maps_must_be_monotone_and_curved(mapping: str) -> None:
    with pytest.raises(InputError):
        curved_map(mapping, dynamics("z''+a*z=0", "a=1"), (-1.0, 1.0))


def test_inverse() -> None:
    mapping = curved_map("z + z**3/5", dynamics("z''+a*z=0", "a=1"), (-1.0, 1.0))
    for u in np.linspace(-1, 1, 17):
        assert mapping.inverse(float(mapping.value(u))) == pytest.approx(u, abs=1e-15)


def test_ordinary_parameters_meet_the_assumptions() -> None:
    law = read_law("z''+d*z'+a*z+b*z**3=0", "b < 0, a > 1")
    values = ordinary_parameters(law)
    assert all(holds(condition, values) for condition in law.assumptions)


def test_ordinary_parameters_meet_equalities() -> None:
    law = read_law("z''+d*z'+a*z+b*z**3=0", "a == 2*b, b > 0")
    values = ordinary_parameters(law)
    assert all(holds(condition, values) for condition in law.assumptions)


def test_functions_are_nan_where_they_are_not_real() -> None:
    law = read_law("z''=-a*sqrt(1-z**2)-k/z'")
    at = Dynamics(law, read_parameters("a=1,k=1", law))
    assert np.isnan(at.acceleration(2.0, 1.0))
    assert not np.isfinite(at.acceleration(0.5, 0.0))
