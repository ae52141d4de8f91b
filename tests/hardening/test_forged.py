"""A certificate counts for its own law only, and only as it was issued."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

import identify

Edit = Callable[[dict[str, Any]], object]

LAWS: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "cubic": ("z''+d*z'+a*z+b*z**3=0", ("b != 0",), ()),
    "quadratic": ("z''+d*z'+a*z+b*z**2=0", ("b != 0",), ()),
    "cubic with declared stiffness": ("z''+d*z'+a*z+b*z**3=0", ("b != 0", "a > 0"), ()),
    "mass": ("m*z''+d*z'+a*z+b*z**3=0", ("b != 0", "m > 0"), ()),
    "overhead": ("z''=r*z'**2/z-k*z**2", ("k > 0",), ("z > 0",)),
    "pendulum": ("z''=-a*sin(z)", ("a > 0",), ()),
    "drag": ("z''+c*z'*abs(z')+a*z=0", ("c > 0",), ()),
}


@cache
def text(name: str) -> str:
    return identify.analyze(*LAWS[name], strata=True).to_json()


def document(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text(name))
    return found


@pytest.mark.parametrize("name", LAWS)
def test_the_true_document_passes(name: str) -> None:
    assert identify.verify(document(name)).ok


@pytest.mark.parametrize("other", ["quadratic", "cubic with declared stiffness", "mass"])
@pytest.mark.parametrize("with_fingerprint", [False, True], ids=["its certificate", "a new fingerprint"])
def test_a_certificate_of_another_law_is_rejected(other: str, with_fingerprint: bool) -> None:
    """The law is exchanged under the claims; a fingerprint made to fit does not help where they are false."""
    from identify.certificate import fingerprint

    forged = document("cubic")
    forged["law"] = document(other)["law"]
    if with_fingerprint:
        forged["certificate"]["law_sha256"] = fingerprint(forged["law"])
    result = identify.verify(forged)
    if with_fingerprint and other == "cubic with declared stiffness":
        assert result.ok  # every claim holds for a narrower family too
    else:
        assert not result.ok


@pytest.mark.parametrize("key", ["certificate", "parameters", "gauge"])
def test_a_part_of_another_document_is_rejected(key: str) -> None:
    forged = copy.deepcopy(document("cubic"))
    forged[key] = document("quadratic")[key]
    assert not identify.verify(forged).ok


@pytest.mark.parametrize(
    ("status", "name"), [("identified", "b"), ("free", "a"), ("sign", "d"), ("finite", "a")]
)
def test_an_edited_verdict_is_rejected(status: str, name: str) -> None:
    forged = document("cubic")
    forged["parameters"][name]["status"] = status
    assert not identify.verify(forged).ok


def _put(value: Any, *path: Any) -> Edit:
    def edit(document: dict[str, Any]) -> None:
        holder: Any = document
        for key in path[:-1]:
            holder = holder[key]
        assert holder.get(path[-1]) != value if isinstance(holder, dict) else True
        holder[path[-1]] = value

    return edit


def _claim(name: str, **labels: str) -> Edit:
    """Other labels on one of the certificate's claims."""
    return lambda document: [
        claim.update(labels) for claim in document["certificate"]["claims"] if claim["claim"] == name
    ]


def _without(name: str) -> Edit:
    """The certificate without one of its claims."""

    def edit(document: dict[str, Any]) -> None:
        kept = [claim for claim in document["certificate"]["claims"] if claim["claim"] != name]
        document["certificate"]["claims"] = kept

    return edit


FORGERIES: dict[str, tuple[str, Edit]] = {
    "another theorem": ("cubic", _put("canonical-report-orbit", "route", "theorem")),
    "another velocity": ("cubic", _put("w", "law", "velocity")),
    "a factor in the law": ("cubic", _put("z''+d*z'+2*a*z+b*z**3=0", "law", "text")),
    "a leading coefficient": ("mass", _put("2*m", "law", "leading")),
    "a map and a relation": ("cubic", _put("zhat - 3*z = 0", "gauge", "branches", 0, "relation")),
    "an unknown kind of branch": ("cubic", _put("proved", "gauge", "branches", 0, "kind")),
    "a dimension beyond its points": ("cubic", _claim("dimension", scope="global")),
    "an exact dimension": ("cubic", _claim("dimension", precision="exact")),
    "a claim about a stratum": ("cubic", _claim("branches", stratum="everywhere")),
    "completeness not claimed, but guaranteed": ("cubic", _without("completeness")),
    "a witness of other numbers": (
        "pendulum",
        _put("-3/2", "certificate", "witnesses", 1, "parameters", "a"),
    ),
    "a witness that is not whole": ("pendulum", _put("1/2", "certificate", "witnesses", 1, "free", "n")),
    "a witness of no branch": ("cubic", _put([None, None, None], "certificate", "witnesses")),
    "a witness of other names": (
        "pendulum",
        _put({"q": "1"}, "certificate", "witnesses", 1, "parameters"),
    ),
    "a chart that is too large": ("overhead", _put("all z", "canonical", "chart")),
    "a chart that is too small": ("overhead", _put("z > 2", "canonical", "chart")),
    "a chart that is no condition": ("overhead", _put("anything", "canonical", "chart")),
    "a verdict on a stratum": ("drag", _put("identified", "strata", 0, "parameters", "c", "status")),
    "a dimension on a stratum": ("drag", _put(3, "strata", 0, "gauge_dimension")),
    "an invariant on a stratum": ("drag", _put(["c"], "strata", 0, "invariants")),
    "a stratum that is none": ("drag", _put("a == b", "strata", 0, "condition")),
    "anchors that do not suffice": (
        "quadratic",
        _put(["amplitude"], "calibration", "everything", 0, "anchors"),
    ),
    "a conversion": ("cubic", _put("b_hat*scale", "calibration", "conversion", "b")),
    "nothing to measure": ("cubic", _put(False, "calibration", "needed")),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forgery_by_hand_is_rejected(name: str) -> None:
    """Each law is signed anew, so that the fingerprint is no help."""
    from identify.certificate import fingerprint

    law, edit = FORGERIES[name]
    forged = document(law)
    edit(forged)
    forged["certificate"]["law_sha256"] = fingerprint(forged["law"])
    assert not identify.verify(forged, samples=1, digits=30).ok


@pytest.mark.parametrize(
    "edit",
    [
        _put(0.99, "parameters", "a", "confidence"),
        _put({"a": "identified"}, "proved"),
        _put([1], "gauge", "branches", 0, "measured"),
    ],
)
def test_what_is_not_read_is_said(edit: Edit) -> None:
    """A field that the checker does not know makes the document open, never passed."""
    forged = document("cubic")
    edit(forged)
    result = identify.verify(forged, samples=1, digits=30)
    assert result.ok
    assert not result.complete
    assert [check.name for check in result.undecided] == ["fields"]


def test_a_true_document_of_many_names_is_not_rejected() -> None:
    """More parameters than most laws have, and one with a name as long as a line."""
    from identify.certificate.document import read_document
    from identify.certificate.problem import read_problem

    law = "z'' = " + " + ".join(f"a{n}*z**{n}" for n in range(1, 40)) + f" - {'k' * 100}*z'"
    document = identify.analyze(law, timeout=0.5).to_dict()
    assert len(document["law"]["parameters"]) == 40
    typed, shape = read_document(document)
    assert shape.passed
    assert typed is not None
    assert read_problem(typed.law)[1][0].passed
