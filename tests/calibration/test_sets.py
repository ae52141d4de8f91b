"""The smallest sufficient sets of anchors of the laws in table tab:regimes, and of a few others."""

from __future__ import annotations

import pytest

from identify.analysis import Analysis, Calibration
from identify.engine import analyze

DUFFING = "z''+d*z'+a*z+b*z**3=0"
HELMHOLTZ = "z''+d*z'+a*z+b*z**2=0"


def calibrated(law: str, *assume: str, domain: tuple[str, ...] = (), **options: object) -> Calibration:
    found = analyze(law, assume, domain, **options).calibration  # type: ignore[arg-type]
    assert found is not None
    return found


def sets(found: Calibration, parameter: str) -> set[tuple[str, ...]]:
    return {s.anchors for s in found.parameters[parameter]}


def test_duffing_needs_one_unsigned_amplitude_and_keeps_the_reflection() -> None:
    found = calibrated(DUFFING, "b != 0")
    assert sets(found, "b") == {("amplitude",), ("displacement",)}
    amplitude = found.parameters["b"][0]
    assert (amplitude.rank, found.dimension, amplitude.scope) == (1, 1, "global")
    assert amplitude.open == ("reflection zhat = -z",)
    assert amplitude.where == ("z1 lies inside the covered interval and is not zero",)
    assert found.conversion == {"b": "b_hat*scale**2"}


def test_quintic_needs_one_amplitude_for_both() -> None:
    found = calibrated("z''+d*z'+a*z+b*z**3+g*z**5=0", "b != 0", "g != 0")
    assert ("amplitude",) in sets(found, "b") & sets(found, "g")
    assert ("amplitude",) in {s.anchors for s in found.everything}
    assert ("parameter g",) in sets(found, "b")


def test_helmholtz_needs_the_origin_then_a_signed_state() -> None:
    found = calibrated(HELMHOLTZ, "a != 0", "b != 0")
    assert sets(found, "a") == {("origin",)}
    assert found.parameters["a"][0].rank == 0  # it selects a branch, not a scale
    assert found.parameters["b"][0].anchors == ("origin", "state")
    assert all(len(s) == 2 for s in sets(found, "b"))
    assert ("origin", "amplitude") not in sets(found, "b")  # the reflection changes the sign of b


@pytest.mark.parametrize(
    ("law", "assume"),
    [
        ("z''+d*z'+a*z=0", "a != 0"),
        ("z''+d*z'+w**2*sin(z)=0", "w > 0"),
        ("z''+mu*(z**2-1)*z'+z=0", "mu != 0"),
    ],
)
def test_identified_laws_need_nothing(law: str, assume: str) -> None:
    found = calibrated(law, assume)
    assert not found.needed
    assert found.parameters == {}
    assert found.everything == ()


def test_known_gravity_gives_the_length_of_a_pendulum() -> None:
    found = calibrated("z''+d*z'+g/L*sin(z)=0", "g > 0", "L > 0")
    assert sets(found, "L") == {("parameter g",)}
    assert found.rank == 0  # no ruler on the coordinate helps


def test_overhead_fall_heights_give_gravity() -> None:
    found = calibrated("z''=rho*z'**2/z-k*z**2", "k > 0", domain=("z > 0",))
    assert sets(found, "k") == {("amplitude",), ("displacement",)}
    assert all(s.open == () for s in found.parameters["k"])  # z > 0 excludes the reflection
    assert any("Where `rho = 2` it is constant: `g = a*k`." in note for note in found.notes)


def test_overhead_fall_at_two_gains_a_dimension() -> None:
    found = calibrated("z''=2*z'**2/z-k*z**2", "k > 0", domain=("z > 0",))
    assert found.dimension == 2
    assert all(len(s) == 2 for s in sets(found, "k"))
    assert any("It is constant: `g = a*k`." in note for note in found.notes)


def test_odd_drag_amplitude_gives_both() -> None:
    found = calibrated("z''=-d*z'-k*z'*abs(z')-a*z-b*z**3", "k != 0", "b != 0")
    assert ("amplitude",) in sets(found, "k") & sets(found, "b")
    assert ("amplitude",) in {s.anchors for s in found.everything}


def test_free_fall_needs_a_length_once_the_direction_is_known() -> None:
    assert sets(calibrated("z''=A", "A < 0"), "A") == {("displacement",)}
    assert sets(calibrated("z''=A"), "A") == {("origin", "state"), ("state", "another state")}


def test_redundant_parameters_need_one_of_them() -> None:
    found = calibrated("m*z''+c*z'+k*z=0", "m > 0")
    assert sets(found, "m") == {("parameter c",), ("parameter k",)}
    assert (found.rank, found.dimension) == (1, 2)


def test_what_is_not_solved_is_said_to_be_local() -> None:
    found = calibrated("z''=-d*z'+c*z'**2/z-a*z", domain=("z > 0",))
    by_states = next(s for s in found.parameters["c"] if s.anchors == ("state", "another state"))
    assert (by_states.scope, by_states.rank) == ("local", 2)


def test_origin_outside_the_domain_is_no_anchor() -> None:
    found = calibrated("z''=A", domain=("z > 0",))
    assert all("origin" not in s for s in sets(found, "A"))


def test_the_document_round_trips() -> None:
    analysis = analyze(HELMHOLTZ, ["a != 0", "b != 0"], anchors=["origin", "state=0.4+-0.01 m"])
    assert Analysis.from_dict(analysis.to_dict()) == analysis
    document = analysis.to_dict()
    del document["calibration"]
    assert Analysis.from_dict(document).calibration is None
