"""The run folder: complete, readable again, offline, and safe with any name a user may type."""

from __future__ import annotations

import csv
import dataclasses
import json
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from identify.errors import InputError
from identify.fit.film import LawFit
from identify.fit.results.again import again, rewritten
from identify.fit.results.compare import compare
from identify.fit.results.conclusion import Asked, Conclusion, conclude
from identify.fit.results.folder import read_run, write_run
from identify.fit.results.html import report_page
from identify.fit.results.metrics import Truth
from identify.fit.results.pictures import pictures
from identify.fit.results.words import fit_page
from identify.motion.coverage import measure
from identify.motion.run import read_latent
from tests.fit.results_fits import analyze, duffing

MARKUP = '<img src="http://example.org/x.png" onerror=alert(1)>$_{x}$.mp4'
CONFIG = {"law": "z''+d*z'+a*z+b*z**3=0", "assume": ["b != 0"], "domain": [], "units": {}}


def _concluded(**changes: object) -> Conclusion:
    law, made = duffing(noise=0.02)
    made = dataclasses.replace(
        made,
        weights={"net.weight": np.arange(6, dtype=np.float32).reshape(2, 3)},
        settings={"view": "grey", "knots": [1, 2]},
        **changes,  # type: ignore[arg-type]
    )
    truth = Truth({"d": 0.2, "a": 4.0, "b": 1.0})
    return conclude(law, analyze(law), made, Asked(("size=2 m over 400 px",)), truth=truth, seed=3)


class _Reader(HTMLParser):
    """Collects the attributes of all elements."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [(name, value or "") for name, value in attrs]


def _attributes(page: str) -> list[tuple[str, str]]:
    reader = _Reader()
    reader.feed(page)
    return reader.found


def test_a_run_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    conclusion = _concluded()
    write_run(tmp_path / "run", conclusion, CONFIG, None)
    run = read_run(tmp_path / "run")
    assert run.document == conclusion.document
    assert run.fit.estimate is not None
    assert conclusion.fit.estimate is not None
    np.testing.assert_allclose(run.fit.estimate.covariance, conclusion.fit.estimate.covariance)
    for before, after in zip(conclusion.fit.tracks, run.fit.tracks, strict=True):
        assert (before.name, before.role) == (after.name, after.role)
        np.testing.assert_allclose(before.latent, after.latent, rtol=1e-10, atol=1e-12)
        np.testing.assert_array_equal(before.used, after.used)
    np.testing.assert_array_equal(run.fit.weights["net.weight"], conclusion.fit.weights["net.weight"])
    assert run.fit.settings["knots"] == [1, 2]
    assert again(run, run.asked).document["calibrated"] == conclusion.document["calibrated"]


def test_the_document_has_the_promised_shape() -> None:
    document = _concluded().document
    json.dumps(document, allow_nan=False)
    assert document["schema"] == "identify/fit/1"
    for key in ("accepted", "reason", "advice", "parameters", "invariants", "calibrated", "metrics", "audit",
                "warnings", "seconds", "data", "method", "versions", "seed"):  # fmt: skip
        assert key in document
    for entry in document["parameters"].values():
        assert {"value", "se", "status", "unit"} <= set(entry)
    assert [row["question"] for row in document["audit"]] == [
        "declared family",
        "shared state map",
        "velocity coverage",
        "canonical normalization",
        "parameter recovery",
        "physical calibration",
    ]
    for row in document["audit"]:
        assert row["verdict"] in ("supported", "weak", "failed", "not checked")
        assert row["evidence"]
        assert row["scope"]


def test_numbers_that_are_not_finite_stay_out_of_the_documents() -> None:
    law, made = duffing()
    assert made.estimate is not None
    broken = dataclasses.replace(
        made.estimate, covariance=np.full((3, 3), np.nan), values=np.array([np.inf, 4, 1])
    )
    evidence = {"weak_residual": float("nan"), "lti_ratio": float("inf")}
    fit = dataclasses.replace(made, estimate=broken, evidence=evidence)
    document = conclude(law, analyze(law), fit, Asked(("amplitude=1 m of clip one",))).document
    json.dumps(document, allow_nan=False)
    assert document["parameters"]["d"]["value"] is None


@pytest.mark.parametrize("reason", ["nothing moves", None])
def test_a_refused_fit_without_estimate_is_a_report_too(tmp_path: Path, reason: str | None) -> None:
    law, _ = duffing()
    empty = LawFit("default", False, reason, "film closer", None, (), {})
    conclusion = conclude(law, analyze(law), empty)
    assert conclusion.document["accepted"] is False
    assert conclusion.document["reason"]
    page = report_page(conclusion.document, pictures(conclusion))
    write_run(tmp_path, conclusion, CONFIG, page)
    assert read_run(tmp_path).document["reason"] == conclusion.document["reason"]
    assert "Refused" in fit_page(conclusion.document).render()


def test_the_page_is_offline_and_escapes_everything() -> None:
    law, made = duffing(noise=0.02)
    tracks = (dataclasses.replace(made.tracks[0], name=MARKUP), *made.tracks[1:])
    fit = dataclasses.replace(made, tracks=tracks, warnings=("<script>alert(1)</script>",), reason="<b>")
    conclusion = conclude(law, analyze(law), fit)
    page = report_page(conclusion.document, pictures(conclusion))
    assert "<script" not in page
    assert MARKUP not in page
    assert "&lt;script&gt;" in page
    attributes = _attributes(page)
    assert all(value.startswith("data:") for name, value in attributes if name in ("src", "href"))
    assert not [name for name, _ in attributes if name.startswith("on")]
    assert "url(" not in page
    assert "prefers-color-scheme" in page
    assert page.count("data:image/png;base64,") == 5


def test_the_table_of_latents_survives_any_name(tmp_path: Path) -> None:
    law, made = duffing()
    name = 'a,"b"\n=1+1;c'
    fit = dataclasses.replace(made, tracks=(dataclasses.replace(made.tracks[0], name=name),))
    write_run(tmp_path, conclude(law, analyze(law), fit), CONFIG, None)
    (track,) = read_run(tmp_path).fit.tracks
    assert track.name == name
    with (tmp_path / "latent.csv").open(newline="", encoding="utf-8") as file:
        header = next(csv.reader(file))
    assert header[:7] == ["clip", "time", "state", "velocity", "fitted", "used", "off_curve"]


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("report.json", "{"),
        ("report.json", "[]"),
        ("report.json", '{"schema": "identify/fit/1"}'),
        ("report.json", '{"schema": "identify/fit/9"}'),
        ("latent.csv", "clip,time\n1,2\n"),
        ("config.yaml", "a: [\n"),
        ("weights.safetensors", "not tensors"),
    ],
)
def test_damaged_runs_are_refused(tmp_path: Path, file: str, content: str) -> None:
    write_run(tmp_path, _concluded(), CONFIG, None)
    (tmp_path / file).write_text(content)
    with pytest.raises(InputError):
        read_run(tmp_path)


def test_a_folder_that_is_no_run_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no run folder"):
        read_run(tmp_path)


def test_nothing_is_left_behind_where_writing_fails(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("a file")
    with pytest.raises(InputError, match="cannot write"):
        write_run(tmp_path / "run", _concluded(), CONFIG, None)
    assert [p.name for p in tmp_path.iterdir()] == ["run"]


def test_calibration_again_needs_no_fit(tmp_path: Path) -> None:
    """Data, metrics and the other rows of the audit stay those of the fit."""
    conclusion = _concluded()
    write_run(tmp_path, conclusion, CONFIG, None)
    found = rewritten(
        read_run(tmp_path), Asked(("amplitude=100+-1 cm of clip one",), {}, ("m=2 kg",), ("k=m*a",))
    )
    assert found.document["metrics"] == conclusion.document["metrics"]
    assert found.document["calibrated"]["b"]["value"] == pytest.approx(1.0, rel=0.01)
    assert found.document["calibrated"]["k"]["value"] == pytest.approx(8.0)
    assert found.document["audit"][:5] == conclusion.document["audit"][:5]
    again_read = read_run(tmp_path)
    assert again_read.asked.derive == ("k=m*a",)
    assert (tmp_path / "weights.safetensors").exists()
    assert (tmp_path / "report.html").exists()


def test_the_law_that_leaves_less_explains_better(tmp_path: Path) -> None:
    law, made = duffing(noise=0.02)
    worse = dataclasses.replace(
        made, tracks=tuple(dataclasses.replace(t, fitted=0.9 * t.fitted) for t in made.tracks)
    )
    for name, fit in (("good", made), ("bad", worse)):
        write_run(tmp_path / name, conclude(law, analyze(law), fit), CONFIG, None)
    runs = [read_run(tmp_path / name) for name in ("bad", "good")]
    document = compare(runs[0], runs[1]).document
    assert document["better"] == 2
    assert document["same_clips"] is True
    assert compare(runs[1], runs[1]).document["better"] is None


def test_the_terminal_page_says_what_to_measure() -> None:
    law, made = duffing()
    text = " ".join(fit_page(conclude(law, analyze(law), made).document, "run/report.html").render().split())
    assert "Determined: d, a." in text
    assert "only its sign" in text
    assert "--anchor" in text
    assert "run/report.html" in text
    assert text.isascii()


def test_coverage_of_the_run_is_the_audits(tmp_path: Path) -> None:
    """``identify coverage RUN`` reads the same motions and counts velocities apart in the same way."""
    law, made = duffing(noise=0.02)
    used = np.ones(len(made.tracks[0].time), dtype=bool)
    used[200:230] = False
    tracks = (dataclasses.replace(made.tracks[0], used=used), *made.tracks[1:])
    found = conclude(law, analyze(law), dataclasses.replace(made, tracks=tracks))
    write_run(tmp_path, found, {"law": law.text, "assume": ["b != 0"]}, None)
    again = measure(law, read_latent(tmp_path, "z"), source="run", fitted=True)
    own = found.seen.report
    assert own is not None
    assert own.tolerance is not None
    assert again.tolerance is not None
    assert again.tolerance.velocity == pytest.approx(own.tolerance.velocity, rel=1e-6)
    assert [level.rank for level in again.levels] == [level.rank for level in own.levels]
    assert again.clips == own.clips == 3
