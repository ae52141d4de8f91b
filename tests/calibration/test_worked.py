"""Laws with anchors worked by hand: what each anchor leaves, from the orbit of the law written beside it."""

from __future__ import annotations

from typing import Any

import pytest

from identify.engine import analyze

DUFFING = ("z''+d*z'+a*z+b*z**3=0", ["b != 0"], [])  # f = l z: b/l^2
QUINTIC = ("z''+d*z'+a*z+b*z**3+g*z**5=0", ["b != 0", "g != 0"], [])  # b/l^2, g/l^4
HELMHOLTZ = ("z''+d*z'+a*z+b*z**2=0", ["a != 0", "b != 0"], [])  # l z: b/l; l (z + a/b): -a, b/l
STIFF = ("z''+d*z'+a*z+b*z**2=0", ["a > 0", "b != 0"], [])  # the second branch is excluded
FALL = ("z''=A", ["A < 0"], [])  # l z + t: l A, so l > 0
SPRING = ("z''=-k*(z-r)", ["k > 0"], [])  # l z + t: r goes with the coordinate
PENDULUM = ("z''+d*z'+g/L*sin(z)=0", ["g > 0", "L > 0"], [])  # only g/L
MASS = ("m*z''+c*z'+k*z=0", ["m > 0"], [])  # only c/m and k/m
DRAG = ("z''=-d*z'-k*z'*abs(z')-a*z", ["k != 0"], [])  # l z: k/|l|
CUBIC_DRAG = ("z''=-c*z'**3-a*z", ["c != 0"], [])  # l z: c/l^2
VAN_DER_POL = ("z''+mu*(z**2-s)*z'+z=0", ["mu != 0", "s > 0"], [])  # l z: mu/l^2, s l^2
TODA = ("z''=-k*(exp(s*z)-1)", ["s > 0"], [])  # l z: k l, s/l, so l > 0
TWO_WAY_TODA = ("z''=-k*(exp(s*z)-1)", ["s != 0"], [])
OVERHEAD = ("z''=rho*z'**2/z-k*z**2", ["k > 0"], ["z > 0"])  # l z: k/l
FALL_WITH_DRAG = ("z''=-g-k*z'*abs(z')", ["g > 0", "k > 0"], [])  # l z + t, l > 0: l g, k/l
LOADED = ("z''=-a*z-b*z**3+p", ["b != 0", "p != 0"], [])  # l z: b/l^2, p l
AIR = ("z''=-d*exp(-k*z)*z'-g", ["d != 0", "k != 0", "g != 0"], [])  # l z + t: d exp(k t/l), k/l, g l
TURNED = ("z''=-w**2*sin(k*z)/k", ["w > 0", "k > 0"], [])  # l z + 2 pi l n/k: k/l
CLOCK = {"unknown_clock": True}

I, F, S, O = "identified", "finite", "sign", "free"  # noqa: E741

WORKED: list[tuple[tuple[str, list[str], list[str]], list[str], dict[str, str], dict[str, Any]]] = [
    (DUFFING, ["amplitude=0.4"], {"d": I, "a": I, "b": I}, {}),
    (DUFFING, ["displacement"], {"b": I}, {}),
    (DUFFING, ["state=-0.4"], {"b": I}, {}),
    (DUFFING, ["velocity=1"], {"b": I}, {}),
    (DUFFING, ["origin"], {"b": S}, {}),
    (DUFFING, ["a=1"], {"b": S}, {}),
    (QUINTIC, ["b=2"], {"g": I}, {}),
    (QUINTIC, ["g=2"], {"b": I}, {}),
    (HELMHOLTZ, ["origin"], {"a": I, "b": O}, {}),
    (HELMHOLTZ, ["origin", "b=1"], {"a": I, "b": I}, {}),
    (HELMHOLTZ, ["b=1"], {"a": F, "b": I}, {}),
    (HELMHOLTZ, ["a=1"], {"a": I, "b": O}, {}),
    (HELMHOLTZ, ["displacement=1"], {"a": F, "b": F}, {}),
    (STIFF, ["amplitude=1"], {"a": I, "b": F}, {}),
    (STIFF, ["state=1"], {"a": I, "b": I}, {}),
    (FALL, ["displacement=1"], {"A": I}, {}),
    (FALL, ["state=1"], {"A": S}, {}),
    (FALL, ["amplitude=1"], {"A": S}, {}),
    (FALL, ["acceleration=-9.8"], {"A": I}, {}),
    (SPRING, ["origin", "state=1"], {"k": I, "r": I}, {}),
    (SPRING, ["origin", "displacement=1"], {"r": F}, {}),
    (SPRING, ["displacement=1"], {"r": O}, {}),
    (SPRING, ["equilibrium=1"], {"r": I}, {}),
    (PENDULUM, ["g=9.81"], {"d": I, "g": I, "L": I}, {}),
    (PENDULUM, ["L=1"], {"g": I}, {}),
    (PENDULUM, ["state=1", "origin"], {"g": S, "L": S}, {}),
    (MASS, ["m=1"], {"c": I, "k": I}, {}),
    (MASS, ["k=1"], {"m": I, "c": I}, {}),
    (MASS, ["amplitude=1"], {"m": S, "c": S, "k": S}, {}),
    (DRAG, ["amplitude=1"], {"k": I}, {}),
    (CUBIC_DRAG, ["speed=1"], {"c": I, "a": I}, {}),
    (VAN_DER_POL, ["amplitude=1"], {"mu": I, "s": I}, {}),
    (VAN_DER_POL, ["mu=1"], {"s": I}, {}),
    (TODA, ["amplitude=1"], {"k": I, "s": I}, {}),
    (TWO_WAY_TODA, ["amplitude=1"], {"k": F, "s": F}, {}),
    (TWO_WAY_TODA, ["state=1"], {"k": I, "s": I}, {}),
    (OVERHEAD, ["amplitude=1"], {"rho": I, "k": I}, {}),
    (FALL_WITH_DRAG, ["amplitude=1"], {"g": S, "k": S}, {}),
    (FALL_WITH_DRAG, ["displacement=1"], {"g": I, "k": I}, {}),
    (FALL_WITH_DRAG, ["g=9.81"], {"k": I}, {}),
    (LOADED, ["amplitude=1"], {"b": I, "p": F}, {}),
    (LOADED, ["state=1"], {"b": I, "p": I}, {}),
    (AIR, ["displacement=1"], {"k": F, "g": F, "d": S}, {}),
    (AIR, ["displacement=1", "origin"], {"k": F, "g": F, "d": I}, {}),
    (AIR, ["origin", "displacement=1"], {"k": F, "g": F, "d": I}, {}),
    (AIR, ["origin", "state=1"], {"k": I, "g": I, "d": I}, {}),
    (TURNED, ["displacement=1"], {"w": I, "k": I}, {}),
    (("z''+d*z'+a*z=0", ["a != 0"], []), ["d=1"], {"a": I}, CLOCK),
    (("z''+d*z'+a*z=0", ["a != 0"], []), ["a=1"], {"d": I}, CLOCK),
    (DUFFING, ["frame-rate=30"], {"d": I, "a": I, "b": S}, CLOCK),
    (DUFFING, ["frame-rate=30", "amplitude=1"], {"d": I, "a": I, "b": I}, CLOCK),
    (DUFFING, ["velocity=1"], {"d": S, "a": S, "b": S}, CLOCK),
    (MASS, ["frame-rate=30"], {"m": S, "c": S, "k": S}, CLOCK),
]


@pytest.mark.parametrize(("law", "anchors", "expected", "options"), WORKED)
def test_worked_by_hand(
    law: tuple[str, list[str], list[str]],
    anchors: list[str],
    expected: dict[str, str],
    options: dict[str, Any],
) -> None:
    text, assume, domain = law
    found = analyze(text, assume, domain, anchors=anchors, **options).calibration
    assert found is not None
    assert found.given is not None
    assert found.given.scope == "global"
    assert {name: found.given.parameters[name].status for name in expected} == expected


def test_the_order_of_anchors_does_not_matter() -> None:
    text, assume, domain = AIR
    for anchors in (["displacement=1", "origin"], ["origin", "displacement=1"]):
        given = analyze(text, assume, domain, anchors=anchors).calibration.given  # type: ignore[union-attr]
        assert {branch.map for branch in given.branches} == {"z", "-z"}  # type: ignore[union-attr]


def test_a_map_with_turns_converts_by_distances() -> None:
    found = analyze(*TURNED).calibration
    assert found is not None
    assert found.scale == "(zhat1 - zhat2)/(z1 - z2)"


def test_roots_are_answered_in_time_and_by_rank() -> None:
    found = analyze("z''=z'**2/(2*z)+2*k*z-g*sqrt(z)", [], ["z > 0"])
    assert found.calibration is not None
    assert ("state", "another state") in {s.anchors for s in found.calibration.parameters["g"]}
    assert found.gauge is not None
    assert any("> 0" in condition for condition in found.gauge.branches[0].conditions)


def test_special_cases_on_an_unknown_clock() -> None:
    found = analyze("z''+d*z'+a*z+b*z**3=0", unknown_clock=True, strata=True)
    assert found.outcome == "done"
    (stratum,) = (s for s in found.strata if s.condition == "b == 0")
    assert (stratum.gauge_dimension, stratum.orbit_dimension) == (2, 1)
