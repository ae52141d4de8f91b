"""What a fit warrants: only what every point of the orbit shares, with errors that follow it."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from identify.errors import InputError
from identify.fit.film import Estimate, Role, Track
from identify.fit.results.conclusion import Asked, conclude
from identify.fit.results.dimension import dimensions
from identify.fit.results.metrics import Truth, measure
from identify.fit.results.seen import seen
from identify.fit.results.warrant import invariants, warranted
from identify.law import read_law
from identify.scene.collection import Ask
from identify.scene.protocol import paper_protocol
from tests.fit.results_fits import Change, analyze, duffing, fit, track

DRAG = "q'' = -k*q - d*q' - c*q'*abs(q')"


def test_only_what_every_report_shares_is_told() -> None:
    """The cubic coefficient depends on the latent scale: its number never appears."""
    found = [conclude(law, analyze(law), made).document for law, made in map(duffing, (0.1, 3.0))]
    for document in found:
        assert document["accepted"] is True
        assert document["parameters"]["a"]["value"] == pytest.approx(4.0)
        assert document["parameters"]["a"]["se"] == pytest.approx(0.04)
        assert document["parameters"]["a"]["unit"] == "1/s^2"
        assert document["parameters"]["b"]["value"] is None
        assert document["parameters"]["b"]["sign"] == "+"
        assert "anchor" in document["parameters"]["b"]["needs"]
    assert found[0]["parameters"] == found[1]["parameters"]


def test_invariants_carry_the_full_covariance() -> None:
    """Correlated errors cancel in a ratio; independent ones would not."""
    law = read_law("z''+d*z'+a*z+b*z**3+g*z**5=0", ["b != 0", "g != 0"])
    analysis = analyze(law)
    (text,) = (t for t in analysis.invariants if "g" in t and "b" in t)
    names, values = ("d", "a", "b", "g"), np.array([0.2, 4.0, 0.5, 0.1])
    scale = 0.05  # b and g only move along the orbit: b -> b*s, g -> g*s**2
    direction = np.array([0, 0, 0.5, 0.2])
    covariance = scale**2 * np.outer(direction, direction)
    estimate = Estimate(names, values, covariance, covariance)
    found = invariants(law, analysis, estimate, dimensions(law, [], {}))[text]
    assert found.value is not None
    assert found.se == pytest.approx(0.0, abs=1e-9)


def test_finite_sets_are_sets() -> None:
    law = read_law("z''+d*z'+a*z+b*z**2=0")
    made = fit([track(law, "d=0.1,a=4,b=1", (0.4, 0.0), "one")], {"d": 0.1, "a": 4.0, "b": 1.0})
    entry = warranted(law, analyze(law), made.estimate, {}, None)["a"]
    assert entry.status == "finite"
    assert entry.value is None
    assert sorted(entry.values) == [-4.0, 4.0]


def test_one_way_odd_drag_is_refused() -> None:
    """No residual can tell: the rank of one direction is short of the theorem's."""
    law = read_law(DRAG)
    values = "k=0.8,d=0.18,c=0.22"
    one_way = [track(law, values, (-0.5, 0.6 + 0.3 * i), f"c{i}", seconds=0.5) for i in range(4)]
    document = conclude(law, analyze(law), fit(one_way, {"k": 0.8, "d": 0.18, "c": 0.22})).document
    assert document["accepted"] is False
    assert "one way" in document["reason"]
    assert {p["status"] for p in document["parameters"].values()} <= {"not guaranteed", "free"}
    both = [track(law, values, (0.5, 0.6 + 0.3 * i), f"c{i}", seconds=12) for i in range(3)]
    document = conclude(law, analyze(law), fit(both, {"k": 0.8, "d": 0.18, "c": 0.22})).document
    assert document["accepted"] is True
    assert document["parameters"]["k"]["status"] == "identified"


def test_a_refused_fit_guarantees_nothing() -> None:
    law, made = duffing()
    refused = dataclasses.replace(made, accepted=False, reason="the frames fold", advice="film closer")
    document = conclude(law, analyze(law), refused, Asked(("amplitude=1 m of clip one",))).document
    told = {**document["parameters"], **document["calibrated"]}
    assert {entry["status"] for entry in told.values()} == {"not guaranteed"}
    assert document["reason"] == "the frames fold"


def test_too_few_speeds_are_not_guaranteed() -> None:
    law = read_law("z''+a*z=0")
    document = conclude(law, analyze(law), fit([track(law, "a=4", (1, 0), "c")], {"a": 4.0})).document
    assert document["parameters"]["a"]["status"] == "not guaranteed"
    assert any("not guaranteed" in warning for warning in document["warnings"])


@pytest.mark.parametrize(
    ("design", "covered"), [("two-way-1", False), ("two-way-2", True), ("two-way-3", True)]
)
def test_the_papers_designs_are_judged_as_in_the_paper(design: str, covered: bool) -> None:
    """Its table gives rank 2 of 4 to one speed both ways, and 4 of 4 to two or three speeds."""
    recording = paper_protocol(design, 1, Ask(clips=6, size=(16, 16)))
    law = read_law(recording.law, recording.assume, recording.domain)
    nothing = np.full(len(recording.shots[0].time), np.nan)
    tracks = [
        Track(s.name, s.role, s.time, s.state, np.gradient(s.state, s.time), s.state,
              nothing, np.ones(len(s.time), dtype=bool))
        for s in recording.shots
    ]  # fmt: skip
    assert (seen(law, tracks).doubt is None) is covered


def test_a_law_without_theorem_is_not_guaranteed() -> None:
    law = read_law("z''=-a*z-c*sign(z')")
    tracks = [track(read_law("z''=-a*z"), "a=4", (1 + i, 0), f"c{i}") for i in range(2)]
    document = conclude(law, analyze(law), fit(tracks, {"a": 4.0, "c": 0.1})).document
    assert document["parameters"]["a"]["status"] == "not guaranteed"
    assert "no theorem" in document["parameters"]["a"]["why"]
    assert {row["verdict"] for row in document["audit"]} <= {"supported", "weak", "failed", "not checked"}


@pytest.mark.parametrize(
    "anchor",
    [
        "size=2.0 m over 400 px",
        "state=1.0 m at clip one t=0",
        "state=-1.0 m at clip one.mp4 frame 0",
        "release=100 cm of clip one",
        "amplitude=1.0 m of clip one",
        "b=1.0",
        "b=1.0 1/(m^2 s^2)",
    ],
)
@pytest.mark.parametrize("scale", [3.0, -0.02])
def test_anchors_give_the_physical_value_whatever_the_latent_scale(anchor: str, scale: float) -> None:
    law, made = duffing(scale)
    document = conclude(law, analyze(law), made, Asked((anchor,))).document
    found = document["calibrated"]["b"]
    assert found["status"] == "identified"
    assert found["value"] == pytest.approx(1.0, rel=1e-3)
    assert document["audit"][-1]["verdict"] == "supported"


def test_anchor_and_fit_uncertainty_add() -> None:
    """b scales with the square of the length: 1 % of length is 2 % of b, beside the fit's own 1 %."""
    law, made = duffing()
    found = conclude(law, analyze(law), made, Asked(("size=2.00+-0.02 m over 400 px",))).document
    assert found["calibrated"]["b"]["se"] == pytest.approx(np.hypot(0.02, 0.01), rel=0.02)
    assert found["calibrated"]["b"]["unit"] == "1/(m^2 s^2)"
    assert found["calibrated"]["a"]["se"] == pytest.approx(0.04, rel=0.01)


def test_contradicting_anchors_are_told() -> None:
    law, made = duffing()
    asked = Asked(("amplitude=1.0+-0.01 m of clip one", "size=3.0+-0.01 m over 400 px"))
    document = conclude(law, analyze(law), made, asked).document
    assert document["audit"][-1]["verdict"] == "failed"
    assert any("contradict" in warning for warning in document["warnings"])


def test_derived_quantities_have_units() -> None:
    law, made = duffing()
    asked = Asked((), {}, ("m=151.5+-0 g",), ("k=m*a", "k3=m*b"))
    found = conclude(law, analyze(law), made, asked).document["calibrated"]
    assert found["k"]["value"] == pytest.approx(0.606)
    assert found["k"]["se"] == pytest.approx(0.00606, rel=1e-3)
    assert found["k"]["unit"] == "N/m"
    assert found["k3"]["value"] is None
    assert "anchor" in found["k3"]["why"]


@pytest.mark.parametrize(
    ("anchor", "says"),
    [
        ("variance=1", "variance normalisation"),
        ("state=1 m at clip nine t=0", "no clip is called nine"),
        ("state=1 m at clip one t=99", "outside the fitted frames"),
        ("state=1 m", "which clip"),
        ("size=0.4 m", "pixels"),
        ("displacement=0.4 m of clip one", "two times"),
        ("amplitude of clip one", "needs its value"),
        ("speed=1 m/s of clip one", "which time"),
        ("frame-rate=30 fps", "--fps"),
        ("mass=3 kg", "no anchor"),
        ("state=1 m at clip one t=1e999", "out of range"),
    ],
)
def test_bad_anchors_say_what_to_type(anchor: str, says: str) -> None:
    law, made = duffing()
    with pytest.raises(InputError, match=says):
        conclude(law, analyze(law), made, Asked((anchor,)))


@pytest.mark.parametrize(
    ("known", "derive", "says"),
    [
        ("a=3", "k=a", "part of the law"),
        ("m", "k=a", "--known"),
        ("m=1 kg", "m*a", "--derive"),
        ("m=1 kg", "k=n*a", "n"),
    ],
)
def test_bad_derivations_say_what_to_type(known: str, derive: str, says: str) -> None:
    law, made = duffing()
    with pytest.raises(InputError, match=says):
        conclude(law, analyze(law), made, Asked((), {}, (known,), (derive,)))


# law, true values, permitted map, values in the latent coordinate
MAPS = [
    ("z''+d*z'+a*(z-c)=0", "d=0.2,a=4,c=0.3", lambda q: 7 - 2 * q, "d=0.2,a=4,c=6.4"),
    ("z''+d*z'+w*sin(z)=0", "d=0.2,w=4", lambda q: 4 * np.pi - q, "d=0.2,w=4"),
    ("z''+d*z'+w*sin(z)=0", "d=0.2,w=4", lambda q: q + np.pi, "d=0.2,w=-4"),
    ("z''+m*(z**2-1)*z'+z=0", "m=0.8", lambda q: -q, "m=0.8"),
    ("z''+d*z'+a*z+b*z**3=0", "d=0.2,a=4,b=1", lambda q: -5 * q, "d=0.2,a=4,b=0.04"),
    ("z''+d*z'+a*z+b*z**2=0", "d=0.2,a=4,b=1", lambda q: 2 * (q + 4), "d=0.2,a=-4,b=0.5"),
    ("z''=-a*z-d*z'-c*z'*abs(z')", "a=4,d=0.2,c=0.3", lambda q: -5 * q, "a=4,d=0.2,c=0.06"),
]


def _values(text: str) -> dict[str, float]:
    return {name: float(value) for name, value in (part.split("=") for part in text.split(","))}


@pytest.mark.parametrize(("text", "values", "change", "mapped"), MAPS)
def test_metrics_vanish_along_the_orbit(text: str, values: str, change: Change, mapped: str) -> None:
    """A permitted map with its parameters is a perfect fit; a wrong parameter is seen as wrong as it is."""
    law = read_law(text)
    true, latent = _values(values), _values(mapped)
    starts: list[tuple[float, float, Role]] = [(0.6, 0.0, "train"), (0.4, 0.6, "train"), (0.5, 0.2, "test")]
    tracks = [
        track(law, values, (u, v), f"c{i}", role=role, change=change) for i, (u, v, role) in enumerate(starts)
    ]
    found = measure(law, analyze(law), fit(tracks, latent), Truth(true))
    assert found is not None
    assert found["on"] == "held-out clips"
    assert found["e_map"] < 1e-8
    assert found["e_theta"] < 1e-6
    assert found["e_dyn"] < 1e-4
    wrong = next(n for n in ("a", "w", "m") if n in latent)
    found = measure(law, analyze(law), fit(tracks, {**latent, wrong: 1.1 * latent[wrong]}), Truth(true))
    assert found is not None
    assert found["e_theta"] == pytest.approx(10.0, rel=1e-5)


def test_the_map_is_frozen_on_training_clips() -> None:
    """A test clip in another coordinate is an error, not a reason to refit."""
    law = read_law("z''+d*z'+a*z+b*z**3=0", ["b != 0"])
    values = "d=0.2,a=4,b=1"
    tracks = [
        track(law, values, (1, 0), "train", change=lambda q: 2 * q),
        track(law, values, (0.9, 0), "test", role="test", change=lambda q: 3 * q),
    ]
    made = fit(tracks, {"d": 0.2, "a": 4.0, "b": 0.25})
    found = measure(law, analyze(law), made, Truth({"d": 0.2, "a": 4.0, "b": 1.0}))
    assert found is not None
    assert found["e_map"] == pytest.approx(50.0, rel=0.05)
    assert found["e_theta"] < 1e-6


def test_no_reference_no_metrics() -> None:
    law, made = duffing()
    bare = dataclasses.replace(
        made, tracks=tuple(dataclasses.replace(t, reference=None) for t in made.tracks)
    )
    assert measure(law, analyze(law), bare, None) is None
