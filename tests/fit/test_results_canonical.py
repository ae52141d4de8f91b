"""Canonical laws: the normalizer, raw and canonical readouts, and heights that give g."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from identify.fit.results.conclusion import Asked, conclude
from identify.fit.results.metrics import Truth, measure
from identify.law import read_law
from tests.fit.results_fits import analyze, fit, track

FALL = read_law("z'' = rho*z'**2/z - k*z**2", ["k > 0"], ["z > 0"])
HEIGHT = read_law("h''=-g")


def _drops(scale: float = 1.0) -> list:  # type: ignore[type-arg]
    """A fall seen from above: the apparent radius is proportional to one over the distance."""
    starts = [("low", 1.0, "train"), ("high", 1.6, "train"), ("test", 1.3, "test")]
    return [
        track(HEIGHT, "g=9.81", (h, 0.0), n, role=r, seconds=0.4, change=lambda q: scale / (3.0 - q))  # type: ignore[arg-type]
        for n, h, r in starts
    ]


@pytest.mark.parametrize("scale", [1.0, 40.0])
def test_heights_give_gravity(scale: float) -> None:
    """g = a*k by eq:exp-real-overhead-anchor, whatever the latent scale."""
    # z = s/(H - h): z'' = 2 z'^2/z - (g/s) z^2
    made = fit(_drops(scale), {"rho": 2.0, "k": 9.81 / scale})
    asked = Asked(("release=1.00+-0.005 m of clip low", "release=1.60+-0.005 m of clip high"))
    document = conclude(FALL, analyze(FALL), made, asked).document
    g = document["calibrated"]["g"]
    assert g["value"] == pytest.approx(9.81, rel=1e-4)
    assert g["unit"] == "m/s^2"
    assert 0 < g["se"] < 0.5
    assert document["parameters"]["rho"]["status"] in ("identified", "not guaranteed")


def test_one_height_is_not_enough() -> None:
    made = fit(_drops(), {"rho": 2.0, "k": 9.81})
    asked = Asked(("release=1.00 m of clip low",))
    document = conclude(FALL, analyze(FALL), made, asked).document
    assert "g" not in document["calibrated"]
    assert any("two heights" in warning for warning in document["warnings"])


def test_raw_and_canonical_readouts_of_a_height() -> None:
    """The apparent radius is not affine in the height; its canonical coordinate is."""
    made = fit(_drops(), {"rho": 2.0, "k": 9.81})
    truth = Truth({"rho": 2.0}, HEIGHT, {"g": 9.81})
    found = measure(FALL, analyze(FALL), made, truth)
    assert found is not None
    assert found["e_map"] < 1e-4
    assert found["e_map_raw"] > 1.0
    assert found["e_theta"] < 1e-9
    assert found["e_dyn"] < 1e-3


def test_own_state_as_reference_is_compared_both_ways() -> None:
    starts = [((1.0, 0.0), "train"), ((0.8, 0.3), "train"), ((0.9, 0.1), "test")]
    tracks = [
        track(FALL, "rho=2,k=2", at, f"c{i}", role=r, seconds=0.6, change=lambda q: 3 * q)  # type: ignore[arg-type]
        for i, (at, r) in enumerate(starts)
    ]
    analysis = analyze(FALL)
    found = measure(FALL, analysis, fit(tracks, {"rho": 2.0, "k": 2 / 3}), Truth({"rho": 2.0, "k": 2.0}))
    assert found is not None
    assert max(found["e_map"], found["e_map_raw"], found["e_theta"]) < 1e-4
    assert found["e_dyn"] < 1e-3
    off = measure(FALL, analysis, fit(tracks, {"rho": 2.2, "k": 2 / 3}), Truth({"rho": 2.0, "k": 2.0}))
    assert off is not None
    assert off["e_theta"] == pytest.approx(10.0, rel=1e-3)
    assert off["e_map"] > 10 * found["e_map"]


def test_special_cases_are_told() -> None:
    """At rho = 2 more maps are permitted than in general: the report says that it may be there."""
    document = conclude(FALL, analyze(FALL), fit(_drops(), {"rho": 2.01, "k": 9.81})).document
    assert any("special case rho == 2" in warning for warning in document["warnings"])
    document = conclude(FALL, analyze(FALL), fit(_drops(), {"rho": 1.5, "k": 9.81})).document
    assert not any("special case" in warning for warning in document["warnings"])


def test_latents_outside_the_chart_fail_the_normalization_row() -> None:
    tracks = [dataclasses.replace(t, latent=t.latent - 0.6) for t in _drops()]
    made = fit(
        [dataclasses.replace(t, fitted=np.full(len(t.time), np.nan)) for t in tracks], {"rho": 2.0, "k": 9.81}
    )
    document = conclude(FALL, analyze(FALL), made).document
    (row,) = (r for r in document["audit"] if r["question"] == "canonical normalization")
    assert row["verdict"] == "failed"
