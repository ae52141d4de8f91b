"""What a person is told: no unit, number or advice that the analysis does not warrant."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from identify.fit.film import LawFit
from identify.fit.results.conclusion import Asked, conclude
from identify.fit.results.words import fit_page, headline, meaning
from identify.law import Law, read_law
from tests.fit.results_fits import analyze, duffing, fit, track

AMPLITUDE = "amplitude=1.0 m of clip one"


def redundant() -> tuple[Law, LawFit]:
    """Mass, drag and stiffness, of which only the ratios are in the motion; the fit has other values."""
    law = read_law("m*z''+c*z'+k*z=0")
    tracks = [
        track(law, "m=2,c=0.4,k=18", at, name, change=lambda q: 3 * q)
        for name, at in (("one", (1.0, 0.0)), ("two", (0.4, 1.0)), ("three", (-0.2, 2.0)))
    ]
    return law, fit(tracks, {"m": 1.0, "c": 0.2, "k": 9.0})


def told(document: dict[str, Any]) -> str:
    """The page as one line of text."""
    return " ".join(fit_page(document).render(400).split())


def test_without_a_theorem_nothing_gets_a_unit_of_length() -> None:
    """The values are in the latent's own scale: metres would be invented."""
    law = read_law("z'' + c*tanh(z'/s) + a*z = 0")
    tracks = [track(law, "c=1,s=0.5,a=9", (0.5 + i, 0), f"c{i}") for i in range(2)]
    asked = Asked(("amplitude=1.0 m of clip c0",), {}, ("m=0.2 kg",), ("k=m*a",))
    document = conclude(law, analyze(law), fit(tracks, {"c": 1, "s": 0.5, "a": 9}), asked).document
    units = {name: entry["unit"] for name, entry in document["parameters"].items()}
    assert units == {"c": None, "s": None, "a": "1/s^2"}
    assert document["calibrated"] == {}
    assert any("nothing is calibrated" in warning for warning in document["warnings"])
    assert document["audit"][-1]["verdict"] == "failed"
    assert told(document).count("dilation-stable") == 2  # as a warning and in the audit, not for each name


def test_a_redundant_parameter_is_not_asked_an_anchor_for() -> None:
    law, made = redundant()
    document = conclude(law, analyze(law), made).document
    entry = document["parameters"]["m"]
    assert entry["needs"] == "only in combination (c/m, k/m): m follows once c or k is known"
    assert "latent" not in told(document)
    assert "amplitude" not in told(document)
    assert {text: found["unit"] for text, found in document["invariants"].items()} == {
        "c/m": "1/s",
        "k/m": "1/s^2",
    }


def test_an_anchor_places_the_coordinate_of_a_redundant_law() -> None:
    law, made = redundant()
    asked = Asked((AMPLITUDE,), {}, ("M=0.2 kg",), ("K=M*k/m", "p=m*c"))
    found = conclude(law, analyze(law), made, asked)
    assert found.physical.state_known
    assert found.document["calibrated"]["K"]["value"] == pytest.approx(1.8)
    assert found.document["calibrated"]["K"]["unit"] == "N/m"
    assert found.document["calibrated"]["p"]["value"] is None
    assert found.document["audit"][-1]["verdict"] == "supported"
    assert "another anchor" not in told(found.document)
    known = conclude(law, analyze(law), made, Asked(("k=18 kg/s^2",))).document["calibrated"]
    assert known["m"]["value"] == pytest.approx(2.0)
    assert known["m"]["unit"] == "kg"


def test_an_anchor_that_was_given_is_not_asked_for_again() -> None:
    law, made = duffing()
    before = conclude(law, analyze(law), made).document
    after = conclude(law, analyze(law), made, Asked((AMPLITUDE,))).document
    assert "give an anchor" in told(before)
    assert "give an anchor" not in told(after)
    assert meaning(after["parameters"]["b"], after["calibrated"]["b"]).endswith("see below")


def test_a_sign_that_no_measurement_tells_is_to_be_declared() -> None:
    """``w`` enters squared: an anchor that is w itself would be no advice."""
    law = read_law("z''+d*z'+w**2*z+b*z**2=0")
    tracks = [track(law, "d=0.2,w=2,b=0.5", (0.3 + 0.2 * i, 0), f"c{i}") for i in range(3)]
    entry = conclude(law, analyze(law), fit(tracks, {"d": 0.2, "w": 2, "b": 0.5})).document["parameters"]["w"]
    assert '--assume "w > 0"' in entry["needs"]
    assert entry["anchors"] == []


def test_invariants_have_units_whatever_the_length() -> None:
    law = read_law("z''+d*z'+a*z+b*z**3+g*z**5=0", ["b != 0", "g != 0"])
    tracks = [track(law, "d=0.2,a=4,b=1,g=0.3", (0.5 + 0.2 * i, 0), f"c{i}") for i in range(3)]
    found = conclude(law, analyze(law), fit(tracks, {"d": 0.2, "a": 4, "b": 1, "g": 0.3})).document
    assert {found["invariants"][t]["unit"] for t in found["invariants"] if "g" in t} == {"s^2"}


def test_a_law_without_parameters() -> None:
    law = read_law("z''+z'/5+4*z=0")
    tracks = [track(law, "", (0.5 + 0.3 * i, 0), f"c{i}") for i in range(3)]
    document = conclude(law, analyze(law), fit(tracks, {})).document
    assert "no parameters" in headline(document)
    recovery = next(row for row in document["audit"] if row["question"] == "parameter recovery")
    assert recovery["verdict"] == "not checked"
    assert "spread" not in recovery["evidence"]


def test_one_clip_has_parts_and_no_other_clips() -> None:
    law, made = duffing()
    evidence = {**made.evidence, "clip_spread": 0.01, "candidate_spread": 0.0}
    one = dataclasses.replace(
        made, tracks=made.tracks[:1], evidence=evidence, candidates=({"accepted": True},)
    )
    document = conclude(law, analyze(law), one).document
    said = next(r for r in document["audit"] if r["question"] == "parameter recovery")["evidence"]
    assert "over parts of the clip" in said
    assert "over clips" not in said
    assert "only one candidate" in said
    assert np.isfinite(document["parameters"]["a"]["value"])


def test_a_linear_law_is_not_compared_with_itself() -> None:
    law = read_law("z''+d*z'+a*z=0")
    tracks = [track(law, "d=0.2,a=4", (0.5 + 0.3 * i, 0), f"c{i}") for i in range(3)]
    document = conclude(law, analyze(law), fit(tracks, {"d": 0.2, "a": 4})).document
    assert "affine-linear" not in document["audit"][0]["evidence"]


def test_a_doubt_names_the_clip_it_is_about() -> None:
    law, made = duffing()
    worse = dataclasses.replace(
        made.tracks[1], latent=made.tracks[1].latent + 0.3 * np.sin(made.tracks[1].time)
    )
    doubtful = ("doubtful: perhaps the motion strays",)
    tracks = (made.tracks[0], worse, made.tracks[2])
    found = conclude(law, analyze(law), dataclasses.replace(made, tracks=tracks, warnings=doubtful)).document
    assert any(warning.startswith("look at two.mp4: the law misses it") for warning in found["warnings"])
    sure = conclude(law, analyze(law), dataclasses.replace(made, tracks=tracks)).document
    assert not any("look at" in warning for warning in sure["warnings"])


def test_held_out_clips_share_one_warning() -> None:
    """A set with twelve of them would fill the page; a stray frame in a hundred is no news."""
    law, made = duffing()
    train, test = made.tracks[:2], made.tracks[2]
    far = np.where(np.arange(len(test.time)) % 5 == 0, 9.0, 1.0)
    many = [dataclasses.replace(test, name=f"test-{i:02d}", off_curve=far) for i in range(12)]
    calm = [dataclasses.replace(t, off_curve=np.where(np.arange(len(far)) % 50 == 0, 9.0, 1.0)) for t in many]
    told, quiet = (
        conclude(law, analyze(law), dataclasses.replace(made, tracks=(*train, *tests))).document["warnings"]
        for tests in (many, calm)
    )
    (one,) = [warning for warning in told if "unlike" in warning]
    assert one.startswith("up to 20 % of the frames of test-00, test-01")
    assert "8 more clips" in one
    assert not any("unlike" in warning for warning in quiet)


def test_a_double_inequality_is_told_once() -> None:
    law = read_law("z''+d*z'+a*z=0", ["0 < a < 9"], ["-5 < z < 5"])
    tracks = [track(law, "d=0.2,a=4", (0.5 + 0.3 * i, 0), f"c{i}") for i in range(3)]
    document = conclude(law, analyze(law), fit(tracks, {"d": 0.2, "a": 4})).document
    assert (document["assume"], document["domain"]) == (["0 < a < 9"], ["-5 < z < 5"])
