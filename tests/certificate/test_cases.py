"""Every worked answer of ``shared/cases.json`` is accepted, and no edit of it survives."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from typing import Any

import pytest

from identify.certificate import fingerprint, verify
from tests.certificate.documents import cases, certificate, document

BY_NAME = {case["id"]: case for case in cases()}
Edit = Callable[[dict[str, Any]], None]

pytestmark = pytest.mark.skipif(not BY_NAME, reason="shared/cases.json is not beside this clone")


@pytest.mark.parametrize("name", BY_NAME)
def test_a_true_answer_is_accepted_completely(name: str) -> None:
    """No check fails and none is left undecided.

    The cases do not list every sign that is kept, so "free" may stay without a sign change to show.
    """
    result = verify(document(BY_NAME[name]))
    assert result.ok, result.failed
    assert not [check for check in result.undecided if check.claim != "is free"]


def test_typical_laws_are_checked_quickly() -> None:
    """Duffing in well under a second (generous here: machines differ)."""
    true = document(BY_NAME["seed_cubic"])
    verify(true)
    start = time.process_time()
    verify(true)
    assert time.process_time() - start < 2


def test_the_same_seed_gives_the_same_checks() -> None:
    true = document(BY_NAME["seed_helmholtz"])
    assert verify(true, seed=4) == verify(true, seed=4)


def _duffing_map(d: dict[str, Any]) -> None:
    d["gauge"]["branches"][0]["parameters"]["b"] = "b/L"


def _duffing_coordinate(d: dict[str, Any]) -> None:
    d["gauge"]["branches"][0]["map"] = "L*z + 1"


def _wrong_invariant(d: dict[str, Any]) -> None:
    d["invariants"] = ["d", "b"]


def _varying_sign(d: dict[str, Any]) -> None:
    d["sign_invariants"] = ["sign(b - 1)"]


def _too_few_invariants(d: dict[str, Any]) -> None:
    d["invariants"] = ["d"]


def _dependent_invariants(d: dict[str, Any]) -> None:
    d["invariants"] = ["d", "d**2 + 1"]


def _status(name: str, status: str) -> Edit:
    def edit(d: dict[str, Any]) -> None:
        d["parameters"][name]["status"] = status

    return edit


def _dimension(value: int) -> Edit:
    def edit(d: dict[str, Any]) -> None:
        d["gauge"]["dimension"] = value

    return edit


def _orbit(value: int) -> Edit:
    def edit(d: dict[str, Any]) -> None:
        d["orbit_dimension"] = value

    return edit


def _other_law(d: dict[str, Any]) -> None:
    d["law"]["text"] = "z'' = -d*z' - a*z - b*z**5"


def _other_law_signed(d: dict[str, Any]) -> None:
    """A forger who also edits the acceleration and signs again."""
    d["law"]["text"], d["law"]["acceleration"] = "z'' = -d*z' - a*z - b*z**5", "-d*v-a*z-b*z**5"
    d["certificate"] = certificate(d["law"])


def _acceleration(d: dict[str, Any]) -> None:
    d["law"]["acceleration"] = "-d*v-a*z-b*z**5"


def _assumption(d: dict[str, Any]) -> None:
    d["law"]["assumptions"] = ["b > 0"]


def _parameters(d: dict[str, Any]) -> None:
    d["law"]["parameters"] = ["d", "a"]
    d["certificate"] = certificate(d["law"])


def _coverage(**changes: Any) -> Edit:
    def edit(d: dict[str, Any]) -> None:
        d["coverage"] |= changes

    return edit


def _route(**changes: Any) -> Edit:
    def edit(d: dict[str, Any]) -> None:
        d["route"] |= changes

    return edit


def _missing(key: str) -> Edit:
    def edit(d: dict[str, Any]) -> None:
        del d[key]

    return edit


def _transform(d: dict[str, Any]) -> None:
    d["parameters"]["b"]["transform"] = "b*L**2"


def _alternative(d: dict[str, Any]) -> None:
    d["parameters"]["a"]["alternatives"] = ["2*a"]


def _weights(d: dict[str, Any]) -> None:
    d["weights"] = {"d": 0, "a": 0, "b": 1}


def _no_verdict(d: dict[str, Any]) -> None:
    del d["parameters"]["b"]


def _no_claims(d: dict[str, Any]) -> None:
    d["certificate"]["claims"] = []


def _unknown_symbol(d: dict[str, Any]) -> None:
    d["gauge"]["branches"][0]["parameters"]["b"] = "b/mu**2"


def _code(d: dict[str, Any]) -> None:
    d["gauge"]["branches"][0]["parameters"]["b"] = "__import__('os').system('true')"


def _lock(d: dict[str, Any]) -> None:
    d["gauge"]["translation_lock"] = {"locked": True, "because": "top gap"}


FORGERIES: list[tuple[str, Edit]] = [
    ("seed_cubic", _duffing_map),
    ("seed_cubic", _duffing_coordinate),
    ("seed_cubic", _wrong_invariant),
    ("seed_cubic", _varying_sign),
    ("seed_cubic", _too_few_invariants),
    ("seed_cubic", _dependent_invariants),
    ("seed_cubic", _status("a", "free")),
    ("seed_cubic", _status("a", "finite")),
    ("seed_cubic", _status("b", "identified")),
    ("seed_cubic", _status("b", "finite")),
    ("duffing_bias", _status("f", "sign")),
    ("even_powers", _status("b", "sign")),
    ("seed_cubic", _dimension(2)),
    ("lti_const", _dimension(1)),
    ("seed_cubic", _orbit(0)),
    ("seed_cubic", _orbit(2)),
    ("can_power_lti", _orbit(0)),
    ("can_power_lti", _dimension(1)),
    ("can_power_lti", _status("c", "identified")),
    ("seed_cubic", _other_law),
    ("seed_cubic", _other_law_signed),
    ("seed_cubic", _acceleration),
    ("seed_cubic", _assumption),
    ("seed_cubic", _parameters),
    ("seed_cubic", _coverage(example=["0", "1", "1"])),
    ("seed_drag", _coverage(example=["1", "2", "3", "4"])),
    ("seed_drag", _coverage(both_directions=False)),
    ("seed_drag", _coverage(one_direction_rank=4)),
    ("seed_cubic", _coverage(rank=2)),
    ("seed_cubic", _coverage(features=["1", "v"], rank=2, velocities=2, example=["0", "1"])),
    ("seed_drag", _route(name="semilinear")),
    ("seed_drag", _route(features=["1", "v"])),
    ("can_overhead", _route(name="feature-separation")),
    ("seed_cubic", _missing("gauge")),
    ("seed_cubic", _missing("certificate")),
    ("seed_cubic", _missing("schema")),
    ("seed_cubic", _transform),
    ("seed_helmholtz", _alternative),
    ("seed_cubic", _weights),
    ("seed_cubic", _no_verdict),
    ("seed_cubic", _no_claims),
    ("seed_cubic", _unknown_symbol),
    ("seed_cubic", _code),
    ("seed_helmholtz", _lock),
]


@pytest.mark.parametrize(("name", "edit"), FORGERIES)
def test_a_forged_document_is_rejected(name: str, edit: Edit) -> None:
    """Each edit makes at least one check fail."""
    forged = copy.deepcopy(document(BY_NAME[name]))
    edit(forged)
    assert not verify(forged, samples=1, digits=40).ok


@pytest.mark.parametrize("name", ["seed_helmholtz", "fisher", "pend_signed", "pend_two", "helm_duffing"])
def test_finite_needs_its_other_branch(name: str) -> None:
    """A parameter cannot be finite when the only branches left return its own value."""
    forged = document(BY_NAME[name])
    forged["gauge"]["branches"] = forged["gauge"]["branches"][:1]
    for verdict in forged["parameters"].values():
        verdict["alternatives"] = []
    failed = {check.name for check in verify(forged).failed}
    finite = {f"parameter {p}" for p, v in forged["parameters"].items() if v["status"] == "finite"}
    assert finite <= failed


@pytest.mark.parametrize("name", ["seed_helmholtz", "fisher", "pend_signed", "helm_duffing"])
def test_a_dropped_branch_is_found_by_the_search(name: str) -> None:
    """Hiding the second branch and calling the parameter identified is refuted by a found report."""
    forged = document(BY_NAME[name])
    forged["gauge"]["branches"] = forged["gauge"]["branches"][:1]
    for verdict in forged["parameters"].values():
        if verdict["status"] == "finite":
            verdict |= {"status": "identified", "alternatives": []}
    forged["invariants"] = BY_NAME[name]["locally_identifiable"] + (
        ["b**2/c"] if name == "helm_duffing" else []
    )
    assert "search" in {check.name for check in verify(forged).failed}


def test_a_branch_outside_the_assumptions_is_rejected() -> None:
    """Helmholtz loses its second branch once a > 0 is declared."""
    forged = document(BY_NAME["seed_helmholtz"])
    forged["law"]["assumptions"] = ["a > 0", "b != 0"]
    forged["certificate"]["law_sha256"] = fingerprint(forged["law"])
    assert any(check.name.startswith("branch 2") for check in verify(forged).failed)


def test_right_weights_are_accepted() -> None:
    true = document(BY_NAME["seed_quintic"]) | {"weights": {"d": 0, "a": 0, "b": 2, "g": 4}}
    assert verify(true).ok
    assert next(check.passed for check in verify(true).checks if check.name == "weights")
