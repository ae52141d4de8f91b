"""Given anchors: verdicts, surviving branches, units and uncertainties."""

from __future__ import annotations

import pytest
import sympy

from identify.analysis import GivenAnchors
from identify.engine import analyze
from identify.errors import InputError

DUFFING = "z''+d*z'+a*z+b*z**3=0"
QUINTIC = "z''+d*z'+a*z+b*z**3+g*z**5=0"
HELMHOLTZ = "z''+d*z'+a*z+b*z**2=0"
PENDULUM = "z''+d*z'+g/L*sin(z)=0"


def given(
    law: str, assume: list[str], anchors: list[str], domain: tuple[str, ...] = (), **options
) -> GivenAnchors:  # type: ignore[no-untyped-def]
    calibration = analyze(law, assume, domain, anchors=anchors, **options).calibration
    assert calibration is not None
    assert calibration.given is not None
    return calibration.given


def statuses(found: GivenAnchors) -> dict[str, str]:
    return {name: p.status for name, p in found.parameters.items()}


def test_duffing_amplitude() -> None:
    found = given(DUFFING, ["b != 0"], ["amplitude=0.4"])
    assert set(statuses(found).values()) == {"identified"}
    assert [b.map for b in found.branches] == ["z", "-z"]
    assert found.open == ("reflection zhat = -z",)
    assert (found.rank, found.scope) == (1, "global")


def test_duffing_origin_alone_changes_nothing() -> None:
    found = given(DUFFING, ["b != 0"], ["origin"])
    assert statuses(found)["b"] == "sign"
    assert found.rank == 0


def test_helmholtz_step_by_step() -> None:
    pair = ["a != 0", "b != 0"]
    assert statuses(given(HELMHOLTZ, pair, ["origin"])) == {"d": "identified", "a": "identified", "b": "free"}
    one = given(HELMHOLTZ, pair, ["state=0.4"])
    assert statuses(one) == {"d": "identified", "a": "finite", "b": "finite"}
    assert len(one.branches) == 2
    unsigned = given(HELMHOLTZ, pair, ["origin", "amplitude=0.4"])
    assert unsigned.parameters["b"].alternatives == ("-b",)
    both = given(HELMHOLTZ, pair, ["origin", "state=0.4"])
    assert set(statuses(both).values()) == {"identified"}
    assert [b.map for b in both.branches] == ["z"]


def test_helmholtz_equilibrium_away_from_the_origin() -> None:
    found = given(HELMHOLTZ, ["a != 0", "b != 0"], ["equilibrium=-0.4"])
    assert set(statuses(found).values()) == {"identified"}


def test_an_equilibrium_at_zero_is_only_an_origin() -> None:
    assert statuses(given(DUFFING, ["b != 0"], ["equilibrium=0"]))["b"] == "sign"


@pytest.mark.parametrize(
    ("law", "assume", "anchor", "name", "weight"),
    [
        (DUFFING, ["b != 0"], "displacement=0.400+-0.002 m", "b", 2),
        (DUFFING, ["b != 0"], "amplitude=0.4 ± 0.5%", "b", 2),
        (QUINTIC, ["b != 0", "g != 0"], "amplitude=0.400+/-0.002 m", "g", 4),
        (PENDULUM, ["g > 0", "L > 0"], "g=10+-0.05", "L", 1),
        ("z''=A", ["A < 0"], "size=0.400+-0.002 m", "A", 1),
        (DUFFING, ["b != 0"], "speed=2+-0.01 m/s", "b", 2),
    ],
)
def test_uncertainty_is_the_weight_times_that_of_the_anchor(
    law: str, assume: list[str], anchor: str, name: str, weight: int
) -> None:
    found = given(law, assume, [anchor]).parameters[name]
    assert found.status == "identified"
    assert found.relative_uncertainty == pytest.approx(weight * 0.005)


def test_sensitivity_agrees_with_finite_differences() -> None:
    """Two states of a Morse-like law: the reported centre when one of them is measured wrongly."""
    law = "z''+k*(exp(-2*s*(z-r))-exp(-s*(z-r)))=0"
    found = given(law, ["s > 0", "k > 0"], ["state=1+-0.01", "state=3+-0.01"]).parameters["r"]
    z1, z2, r = 1.0, 3.0, 0.7
    for text, expression in found.sensitivity.items():
        names = {n: sympy.Symbol(n) for n in ("z1", "z2", "r", "k", "s")}
        value = float(sympy.sympify(expression, names).subs({"z1": z1, "z2": z2, "r": r}))
        step = 1e-6
        shifted = (z1 * (1 + step), z2) if text.startswith("state=1") else (z1, z2 * (1 + step))
        scale = (shifted[1] - shifted[0]) / (z2 - z1)
        wrong = shifted[0] + scale * (r - z1)
        assert value == pytest.approx((wrong / r - 1) / step, rel=1e-4)


def test_two_anchors_add_in_quadrature() -> None:
    found = given(DUFFING, ["b != 0", "a > 0"], ["a=10+-0.1", "amplitude=1+-0.02"], unknown_clock=True)
    assert found.parameters["b"].relative_uncertainty == pytest.approx((0.01**2 + 0.04**2) ** 0.5)
    assert found.parameters["d"].relative_uncertainty == pytest.approx(0.005)


def test_units_follow_from_the_law() -> None:
    found = given(DUFFING, ["b != 0"], ["displacement=40+-0.2 cm"])
    assert {n: p.unit for n, p in found.parameters.items()} == {"d": "1/s", "a": "1/s^2", "b": "1/(m^2 s^2)"}
    assert (found.anchors[0].value, found.anchors[0].unit) == ("0.4", "m")
    pendulum = given(PENDULUM, ["g > 0", "L > 0"], ["g=9.81 m/s^2"], units={"z": "rad"})
    assert pendulum.parameters["L"].unit == "m"


@pytest.mark.parametrize(
    ("anchors", "units", "message"),
    [
        (["variance=1"], {}, "not a physical anchor"),
        (["unit-variance"], {}, "not a physical anchor"),
        (["displcement=1"], {}, "no anchor of this law"),
        (["amplitude=-1"], {}, "must be positive"),
        (["amplitude=0.4+-x"], {}, "uncertainty is not a number"),
        (["amplitude="], {}, "a number is missing"),
        (["amplitude=1e99999"], {}, "out of range"),
        (["amplitude=0.4 parsec"], {}, "not a unit"),
        (["amplitude=0.4 m/"], {}, "a unit is missing"),
        (["origin=3"], {}, "takes no value"),
        (["parameter=q"], {}, "no parameter of the law"),
        (["displacement=0.4 m", "state=0.2 s"], {}, "expected a value in m"),
        (["amplitude=0.4 m"], {"b": "1/s"}, "units do not fit"),
        (["amplitude=0.4 m"], {"q": "m"}, "not in the law"),
        (["frame-rate=240 fps"], {}, "counts as known"),
        (["b=1", "parameter=b"], {}, "twice"),
        (["b=0"], {}, "contradicts the assumption"),
    ],
)
def test_bad_anchors_are_refused_with_a_reason(
    anchors: list[str], units: dict[str, str], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        analyze(DUFFING, ["b != 0"], anchors=anchors, units=units)


def test_a_state_outside_the_domain_is_refused() -> None:
    with pytest.raises(InputError, match="contradicts the domain"):
        analyze("z''=-g", ["g > 0"], ["z > 0"], anchors=["state=-1"])


def test_a_pure_number_in_the_law_contradicts_metres() -> None:
    with pytest.raises(InputError, match="units do not fit"):
        analyze("z''+d*z'+w**2*sin(z)=0", ["w > 0"], units={"z": "m"})


def test_branches_of_given_anchors_satisfy_the_anchors() -> None:
    """The identity behind the answer: every surviving map agrees with the anchor."""
    z, z1 = sympy.symbols("z z1")
    for branch in given(HELMHOLTZ, ["a != 0", "b != 0"], ["amplitude=0.4"]).branches:
        image = sympy.sympify(branch.map).subs(z, z1)
        assert sympy.simplify(image**2 - z1**2) == 0
