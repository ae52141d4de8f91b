"""What the engine writes is accepted, and no edit of it survives."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from identify.certificate import Verification, fingerprint, verify
from identify.engine import analyze

Edit = Callable[[dict[str, Any]], None]

LAWS: dict[str, tuple[str, list[str], list[str]]] = {
    "duffing": ("z''+d*z'+a*z+b*z**3=0", ["b != 0"], []),
    "helmholtz": ("z''+d*z'+a*z+b*z**2=0", ["a != 0", "b != 0"], []),
    "springs": ("z'' = -d*z' - a*z - b*z**2 - c*z**3", ["a != 0", "b != 0", "c != 0"], []),
    "pendulum": ("z'' = -d*z' - a*sin(z)", ["a != 0"], []),
    "josephson": ("z'' = -beta*z' - sin(z) + j", ["j != 0"], []),
    "two sines": ("z'' = -a*sin(z) - b*sin(k*z)", ["k == 2", "a != 0", "b != 0"], []),
    "drag": ("z'' = -d*z' - k*z'*abs(z') - a*z", ["k != 0", "a != 0"], []),
    "root drag": ("z'' = -k*sqrt(abs(z'))*z' - a*z - b*z**3", ["b != 0", "k != 0"], []),
    "signed square": ("z'' = -k*z'**2*sign(z') - a*z", ["a != 0", "k != 0"], []),
    "overhead": ("z'' = r*z'**2/z - k*z**2", ["r != 1", "r != 2", "k > 0"], ["z > 0"]),
    "projected": ("z'' = -d*z' - w**2*z*(1-z**2) - z*z'**2/(1-z**2)", ["w > 0"], ["-1 < z < 1"]),
    "mass": ("m*z''+c*z'+k*z=0", ["m > 0", "k > 0"], []),
    "special": ("z'' = -d*z' - a*z - b*z**3", ["b == 0", "a != 0"], []),
    "coulomb": ("z'' = -a*z - m*sign(z')", ["m > 0"], []),
}


@cache
def _text(name: str) -> str:
    law, assume, domain = LAWS[name]
    return analyze(law, assume, domain).to_json()


def engine(name: str) -> dict[str, Any]:
    """A fresh copy of the engine's document."""
    document: dict[str, Any] = json.loads(_text(name))
    return document


COMPLETE = {"duffing", "pendulum", "josephson", "root drag", "signed square", "special"}


@pytest.mark.parametrize("name", LAWS)
def test_the_engine_is_accepted(name: str) -> None:
    """No check fails; on the simple laws none is left undecided."""
    result = verify(engine(name))
    assert result.ok, result.failed
    assert result.complete or name not in COMPLETE, result.undecided


def _put(value: Any, *path: Any) -> Edit:
    def edit(document: dict[str, Any]) -> None:
        holder: Any = document
        for key in path[:-1]:
            holder = holder[key]
        holder[path[-1]] = value

    return edit


def _branch(key: str, value: Any, number: int = 0) -> Edit:
    return _put(value, "gauge", "branches", number, key)


def _reported(name: str, text: str, number: int = 0) -> Edit:
    return _put(text, "gauge", "branches", number, "parameters", name)


def _signed(*edits: Edit) -> Edit:
    """All edits, and the law's fingerprint made to fit."""

    def edit(document: dict[str, Any]) -> None:
        for one in edits:
            one(document)
        document["certificate"]["law_sha256"] = fingerprint(document["law"])

    return edit


FORGERIES: list[tuple[str, Edit]] = [
    ("duffing", _put("z''+d*z'+a*z+b*z**5=0", "law", "text")),
    ("duffing", _signed(_put("z''+d*z'+a*z+b*z**5=0", "law", "text"))),
    ("duffing", _signed(_put(["b == 1"], "law", "assumptions"))),
    ("overhead", _put(["-1 < z < 1"], "law", "domain")),
    ("duffing", _put("feature-separation", "outcome")),
    ("duffing", _put("canonical", "route", "name")),
    ("drag", _put("semilinear", "route", "name")),
    ("drag", _put(["1", "v"], "route", "features")),
    ("drag", _put(["1", "2", "3", "4"], "coverage", "example")),
    ("drag", _put(False, "coverage", "both_directions")),
    ("duffing", _put(2, "gauge", "dimension")),
    ("duffing", _put(0, "orbit_dimension")),
    ("duffing", _branch("map", "lambda*z + 1")),
    ("duffing", _branch("free", [])),
    ("duffing", _branch("conditions", ["lambda > q"])),
    ("duffing", _branch("kind", "discrete")),
    ("duffing", _reported("b", "b/lambda")),
    ("pendulum", _branch("map", "pi*n + z")),
    ("pendulum", _branch("map", "2*pi*n + z + pi")),
    ("pendulum", _branch("integers", [])),
    ("pendulum", _reported("a", "a*(1 + n)")),
    ("josephson", _put("identified", "parameters", "j", "status")),
    ("helmholtz", _put(True, "gauge", "translation_lock", "locked")),
    ("duffing", _put({"d": 0, "a": 0, "b": 1}, "weights")),
    ("root drag", _put({"k": "1/3", "a": 0, "b": 2}, "weights")),
    ("root drag", _put({"k": "1/2", "a": 0}, "weights")),
    ("duffing", _put(["d", "b"], "invariants")),
    ("duffing", _put(["d"], "invariants")),
    ("duffing", _put(["sign(b - 1)"], "sign_invariants")),
    ("duffing", _put("free", "parameters", "a", "status")),
    ("duffing", _put("undecided", "parameters", "a", "status")),
    ("duffing", _put("identified", "parameters", "b", "status")),
    ("overhead", _put("identified", "parameters", "k", "status")),
    ("duffing", _put("b*lambda**2", "parameters", "b", "transform")),
    ("pendulum", _put(["2*a"], "parameters", "a", "alternatives")),
    ("duffing", _put(True, "parameters", "b", "redundant")),
    ("mass", _put(False, "parameters", "m", "redundant")),
    ("overhead", _put("r*z", "canonical", "c2")),
    ("overhead", _put("z**r", "canonical", "normalizer_derivative")),
    ("overhead", _put("q'' = -k*q", "canonical", "law")),
    ("duffing", _put("none", "guarantee", "scope")),
    ("duffing", _put("local", "guarantee", "scope")),
    ("drag", _put(True, "guarantee", "realizable")),
    ("duffing", _put("complex", "guarantee", "field")),
    ("duffing", _put({}, "certificate")),
    ("duffing", _put([], "certificate", "claims")),
    ("duffing", _put("0" * 64, "certificate", "law_sha256")),
    ("coulomb", _put(["a"], "invariants")),
    ("coulomb", _put("done", "outcome")),
]


@pytest.mark.parametrize(("name", "edit"), FORGERIES)
def test_a_forged_document_is_rejected(name: str, edit: Edit) -> None:
    forged = engine(name)
    edit(forged)
    assert not verify(forged, samples=2, digits=40).ok


def test_a_branch_that_the_engine_could_not_decide_is_no_claim() -> None:
    """Neither accepted nor refuted: what it says is not read."""
    document = engine("duffing")
    strange = copy.deepcopy(document["gauge"]["branches"][0])
    strange |= {"map": "2*z + 1", "conditions": ["existence over the reals is not decided"]}
    document["gauge"]["branches"].append(strange)
    assert verify(document).complete


def test_a_map_that_leaves_the_domain_refutes_no_sign() -> None:
    """On z > 0 the reflection is no report, so a quadratic spring keeps its sign."""
    document = json.loads(analyze("z'' = -d*z' - a*z - b*z**2", ["a > 0", "b != 0"], ["z > 0"]).to_json())
    assert document["parameters"]["b"]["status"] == "sign"
    assert verify(document).ok


def test_an_undecided_document_is_checked_only_in_what_it_claims() -> None:
    document = engine("duffing") | {"outcome": "undecided", "invariants": ["d"], "orbit_dimension": None}
    del document["parameters"]["a"]
    assert verify(document).ok
    assert not verify(document | {"invariants": ["b"]}).ok


def test_answers_on_strata_are_checked() -> None:
    text = analyze("z'' = -d*z' - a*z - b*z**3", [], [], strata=True).to_json()
    document = json.loads(text)
    done = [k for k, stratum in enumerate(document["strata"]) if stratum["outcome"] == "done"]
    assert verify(document).ok
    for number in done:
        forged = json.loads(text)
        forged["strata"][number]["invariants"] = ["a + d**2 + b + 1", "exp(d*b) + a*b"]
        forged["strata"][number]["branches"][0]["map"] = "lambda*z + 1 + z**2"
        assert not verify(forged).ok


@pytest.mark.parametrize("name", ["pendulum", "overhead"])
def test_a_replaced_part_never_raises(name: str) -> None:
    values: tuple[Any, ...] = (None, "x'", ["n"] * 5, {}, 3)
    whole = engine(name)
    parts = [("gauge", key) for key in whole["gauge"]] + [(key,) for key in whole if key != "gauge"]
    for number, path in enumerate(parts):
        changed = copy.deepcopy(whole)
        _put(values[number % len(values)], *path)(changed)
        assert isinstance(verify(changed, samples=1, digits=30, budget=3), Verification)
