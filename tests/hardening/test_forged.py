"""A certificate counts for its own law only, and only as it was issued."""

from __future__ import annotations

import copy
import json
from functools import cache
from typing import Any

import pytest

import identify

LAWS = {
    "cubic": ("z''+d*z'+a*z+b*z**3=0", ("b != 0",)),
    "quadratic": ("z''+d*z'+a*z+b*z**2=0", ("b != 0",)),
    "cubic with declared stiffness": ("z''+d*z'+a*z+b*z**3=0", ("b != 0", "a > 0")),
    "mass": ("m*z''+d*z'+a*z+b*z**3=0", ("b != 0", "m > 0")),
}


@cache
def text(name: str) -> str:
    return identify.analyze(*LAWS[name]).to_json()


def document(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text(name))
    return found


@pytest.mark.parametrize("name", LAWS)
def test_the_true_document_passes(name: str) -> None:
    assert identify.verify(document(name)).ok


@pytest.mark.parametrize("other", [name for name in LAWS if name != "cubic"])
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
