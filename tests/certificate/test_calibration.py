"""The calibration section and unknown clocks: the engine is accepted, and no edit of it survives."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from identify.certificate import verify
from identify.engine import analyze

Edit = Callable[[dict[str, Any]], None]

DUFFING = "z''+d*z'+a*z+b*z**3=0"
HELMHOLTZ = "z''+d*z'+a*z+b*z**2=0"
PENDULUM = "z''+d*z'+g/L*sin(z)=0"
ROOT = "z''=z'**2/(2*z)+2*k*z-g*sqrt(z)"

# law, assumptions, domain, anchors, options
CASES: dict[str, tuple[str, list[str], list[str], list[str], dict[str, Any]]] = {
    "duffing": (DUFFING, ["b != 0"], [], ["displacement=0.400+-0.002 m"], {}),
    "duffing origin": (DUFFING, ["b != 0"], [], ["origin"], {}),
    "helmholtz": (HELMHOLTZ, ["a != 0", "b != 0"], [], ["origin", "state=0.4+-0.01 m"], {}),
    "helmholtz state": (HELMHOLTZ, ["a != 0", "b != 0"], [], ["state=0.4"], {}),
    "helmholtz amplitude": (HELMHOLTZ, ["a != 0", "b != 0"], [], ["origin", "amplitude=0.4"], {}),
    "helmholtz equilibrium": (HELMHOLTZ, ["a != 0", "b != 0"], [], ["equilibrium=-0.4"], {}),
    "pendulum": (PENDULUM, ["g > 0", "L > 0"], [], ["g=9.81+-0.01 m/s^2"], {"units": {"z": "rad"}}),
    "overhead": ("z''=2*z'**2/z-k*z**2", ["k > 0"], ["z > 0"], ["state=1+-0.1", "state=2+-0.1"], {}),
    "drag": ("z''=-d*z'-k*z'*abs(z')-a*z-b*z**3", ["k != 0", "b != 0"], [], ["speed=2+-0.01 m/s"], {}),
    "mass": ("m*z''+c*z'+k*z=0", ["m > 0"], [], ["m=1+-0.1 kg"], {}),
    "spring": ("z''=-k*(z-r)", ["k > 0"], [], ["equilibrium=1+-0.1 m"], {}),
    "morse": (
        "z''+k*(exp(-2*s*(z-r))-exp(-s*(z-r)))=0",
        ["s > 0", "k > 0"],
        [],
        ["state=1+-0.01", "state=3+-0.01"],
        {},
    ),
    "root": (ROOT, [], ["z > 0"], ["state=1", "state=2"], {}),
    "pendulum known": ("z''+d*z'+w**2*sin(z)=0", ["w > 0"], [], ["displacement=1"], {}),
    "clocked duffing": (
        DUFFING,
        ["b != 0", "a > 0"],
        [],
        ["a=10+-0.1", "amplitude=1+-0.02"],
        {"unknown_clock": True},
    ),
    "clocked oscillator": ("z''+d*z'+a*z=0", ["a != 0"], [], ["d=1+-0.1"], {"unknown_clock": True}),
    "clocked root drag": (
        "z''=-d*z'-k*abs(z')**(3/2)-a*z",
        ["a != 0", "k != 0"],
        [],
        [],
        {"unknown_clock": True},
    ),
    "clocked square": ("z''=-k*z'**2*sign(z')-a*z", ["a != 0", "k != 0"], [], [], {"unknown_clock": True}),
    "clocked strata": (DUFFING, [], [], [], {"unknown_clock": True, "strata": True}),
    "clocked period": (
        "z''+d*z'+w**2*sin(z)=0",
        ["w > 0"],
        [],
        ["period=1.42+-0.01 s"],
        {"unknown_clock": True},
    ),
    "clocked quadratic": ("z''=-d*z'-z**2", [], [], [], {"unknown_clock": True}),
    "clocked number": ("z''+mu*(z**2-1)*z'+z=0", ["mu != 0"], [], [], {"unknown_clock": True}),
    "clocked overhead": ("z''=rho*z'**2/z-k*z**2", ["k > 0"], ["z > 0"], [], {"unknown_clock": True}),
    "clocked mass": ("m*z''+c*z'+k*z=0", ["m > 0"], [], [], {"unknown_clock": True}),
}


@cache
def _text(name: str) -> str:
    law, assume, domain, anchors, options = CASES[name]
    return analyze(law, assume, domain, anchors=anchors, **options).to_json()


def engine(name: str) -> dict[str, Any]:
    """A fresh copy of the engine's document."""
    document: dict[str, Any] = json.loads(_text(name))
    return document


@pytest.mark.parametrize("name", CASES)
def test_the_engine_is_accepted_without_an_open_check(name: str) -> None:
    result = verify(engine(name))
    assert result.complete, (result.failed, result.undecided)


def _put(value: Any, *path: Any) -> Edit:
    def edit(document: dict[str, Any]) -> None:
        holder: Any = document
        for key in path[:-1]:
            holder = holder[key]
        holder[path[-1]] = value

    return edit


def _set(parameter: str, *anchors: str, **more: Any) -> Edit:
    """Another set claimed to suffice for the parameter, at states of its own."""
    places = {"displacement": ["z1", "z2"], "amplitude": ["z1"], "state": ["z1"], "another state": ["z2"]}
    claim = {"anchors": list(anchors), "rank": None, "scope": "global", "open": ["?"], "where": []}
    claim["at"] = [places.get(kind, []) for kind in anchors]

    def edit(document: dict[str, Any]) -> None:
        document["calibration"]["parameters"][parameter].append(claim | more)

    return edit


CALIBRATION = ("calibration",)
GIVEN = ("calibration", "given")
CLOCK = ("calibration", "clock")

FORGERIES: list[tuple[str, Edit]] = [
    ("duffing", _put(False, *CALIBRATION, "needed")),
    ("duffing", _put(2, *CALIBRATION, "dimension")),
    ("duffing", _put(0, *CALIBRATION, "rank")),
    ("pendulum", _put(1, *CALIBRATION, "rank")),
    ("duffing", _put("b_hat*scale", *CALIBRATION, "conversion", "b")),
    ("duffing", _put("b_hat/scale**2", *CALIBRATION, "conversion", "b")),
    ("duffing", _put("z/zhat", *CALIBRATION, "scale")),
    ("duffing", _put("1/s", *CALIBRATION, "units", "b")),
    ("duffing", _set("b", "origin")),
    ("helmholtz", _set("b", "origin", "amplitude")),
    ("helmholtz", _set("b", "state")),
    ("helmholtz", _set("b", "displacement")),
    ("helmholtz", _set("a", "state")),
    ("overhead", _set("k", "state")),
    ("pendulum", _set("L", "amplitude")),
    ("mass", _set("k", "amplitude")),
    ("drag", _set("k", "parameter d")),
    ("duffing", _set("b", "amplitude", open=[])),
    ("helmholtz", _set("b", "origin", "state", open=["reflection zhat = -z"])),
    ("duffing", _set("b", "amplitude", rank=0)),
    ("duffing", _set("b", "variance")),
    ("duffing", _set("b", "frame-rate")),
    ("duffing", _set("b", "parameter q")),
    ("duffing", _set("b", "amplitude", at=[])),
    ("helmholtz", _put([], *CALIBRATION, "parameters", "q")),
    ("duffing", _put(0, *GIVEN, "rank")),
    ("duffing origin", _put("identified", *GIVEN, "parameters", "b", "status")),
    ("duffing origin", _put("finite", *GIVEN, "parameters", "b", "status")),
    ("duffing", _put("sign", *GIVEN, "parameters", "b", "status")),
    ("duffing", _put("free", *GIVEN, "parameters", "a", "status")),
    ("helmholtz state", _put("identified", *GIVEN, "parameters", "a", "status")),
    ("helmholtz amplitude", _put("identified", *GIVEN, "parameters", "b", "status")),
    ("helmholtz amplitude", _put(["-2*b"], *GIVEN, "parameters", "b", "alternatives")),
    ("duffing", _put("2*b", *GIVEN, "parameters", "b", "transform")),
    ("duffing", _put("m", *GIVEN, "parameters", "b", "unit")),
    ("duffing", _put("2*z", *GIVEN, "branches", 1, "map")),
    ("duffing", _put([], *GIVEN, "branches")),
    ("helmholtz state", lambda d: d["calibration"]["given"]["branches"].pop()),
    ("helmholtz state", _put("-b", *GIVEN, "branches", 1, "parameters", "b")),
    ("duffing", _put(0.001, *GIVEN, "parameters", "b", "relative_uncertainty")),
    ("duffing", _put({}, *GIVEN, "parameters", "b", "sensitivity")),
    ("duffing", _put({"displacement=0.400+-0.002 m": "-1"}, *GIVEN, "parameters", "b", "sensitivity")),
    ("morse", lambda d: d["calibration"]["given"]["parameters"]["r"]["sensitivity"].popitem()),
    ("pendulum", _put("0.1", *GIVEN, "anchors", 0, "uncertainty")),
    ("duffing", _put("1", *GIVEN, "anchors", 0, "value")),
    ("duffing", _put("state", *GIVEN, "anchors", 0, "kind")),
    ("helmholtz", _put("0", *GIVEN, "anchors", 1, "at", 0)),
    ("clocked oscillator", _put({"d": ["0", "1"], "a": ["0", "1"]}, *CLOCK, "weights")),
    ("clocked oscillator", _put({"d": ["1", "1"], "a": ["0", "2"]}, *CLOCK, "weights")),
    ("clocked oscillator", _put({"d": ["0", "1"]}, *CLOCK, "weights")),
    ("clocked duffing", _put(["frame-rate", "parameter b"], *CLOCK, "restored_by")),
    ("clocked oscillator", _put(["amplitude"], *CLOCK, "restored_by")),
    ("clocked oscillator", _put([], *CLOCK, "restored_by")),
    ("clocked oscillator", _put(None, "calibration", "clock")),
    ("clocked oscillator", _put(["d"], "invariants")),
    ("clocked oscillator", _put("identified", "parameters", "d", "status")),
    ("clocked oscillator", _put(1, "gauge", "dimension")),
    ("clocked oscillator", _put("kappa**2", "gauge", "branches", 0, "clock")),
    ("clocked oscillator", _put("d*kappa", "gauge", "branches", 0, "parameters", "d")),
    ("clocked strata", _put("a", "strata", 0, "branches", 0, "parameters", "a")),
    ("clocked number", _put("sign", "parameters", "mu", "status")),
    ("clocked quadratic", _put("z/kappa", "gauge", "branches", 0, "map")),
    ("clocked mass", _put(False, "parameters", "m", "redundant")),
    ("clocked period", _put("sign", *GIVEN, "parameters", "w", "status")),
]  # fmt: skip


@pytest.mark.parametrize(("name", "edit"), FORGERIES)
def test_a_forged_calibration_is_rejected(name: str, edit: Edit) -> None:
    forged = engine(name)
    edit(forged)
    assert not verify(forged, samples=2, digits=40).ok


def test_a_document_without_the_section_is_checked_as_before() -> None:
    document = engine("duffing")
    del document["calibration"]
    assert verify(document).complete
