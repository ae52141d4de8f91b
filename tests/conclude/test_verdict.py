"""Verdicts, invariants and redundancy on the laws that the theory notes name."""

from __future__ import annotations

import pytest

from identify import analyze
from identify.analysis import Analysis


def statuses(result: Analysis) -> dict[str, str]:
    return {p: v.status for p, v in result.parameters.items()}


def test_declared_sign_cuts_the_second_branch_of_helmholtz() -> None:
    law = "z''+d*z'+a*z+b*z**2=0"
    before, after = analyze(law, ["a != 0", "b != 0"]), analyze(law, ["a > 0", "b != 0"])
    assert statuses(before)["a"] == "finite"
    assert before.parameters["a"].alternatives == ("-a",)
    assert statuses(after)["a"] == "identified"


def test_cubic_and_quadratic_spring_has_three_values_of_a() -> None:
    result = analyze("z''+d*z'+a*z+b*z**2+g*z**3=0", ["b != 0", "g != 0"])
    assert result.parameters["a"].status == "finite"
    assert len(result.parameters["a"].alternatives) == 2
    assert result.sign_invariants == ("sign(g)",)


def test_redundancy_is_not_gauge() -> None:
    """m, c, k are free because the law has only their ratios, whatever the coordinate."""
    result = analyze("m*z''+c*z'+k*z=0")
    assert set(statuses(result).values()) == {"free"}
    assert result.redundancy
    assert all(v.redundant for v in result.parameters.values())


def test_gauge_is_not_redundancy() -> None:
    result = analyze("z''+d*z'+a*z+b*z**3=0", ["b != 0"])
    assert not result.redundancy
    assert not any(v.redundant for v in result.parameters.values())


def test_sign_of_a_frequency_needs_a_declaration() -> None:
    assert statuses(analyze("z''+w**2*z=0", ["w != 0"]))["w"] == "finite"
    assert statuses(analyze("z''+w**2*z=0", ["w > 0"]))["w"] == "identified"


def test_complex_twin_of_the_projected_pendulum_is_not_reported() -> None:
    """rho and 3 - rho come together in the elimination; only rho has a real map."""
    law = "z'' = -d*z' - r*z*z'**2/(s**2-z**2) - w**2*z*sqrt(1-z**2/s**2)"
    result = analyze(law, ["w > 0", "s > 0", "r > 0"], ["z > -s", "z < s"], timeout=30)
    found = statuses(result)
    assert found["r"] in ("identified", "undecided")
    assert found["d"] in ("identified", "undecided")


@pytest.mark.parametrize(
    ("law", "assume", "invariants"),
    [
        ("z''+d*z'+a*z+b*z**3+g*z**5=0", ["b != 0", "g != 0"], {"d", "a", "g/b**2"}),
        ("z''+d*z'+a*z+b*z**2=0", ["a != 0", "b != 0"], {"d", "a**2"}),
        ("m*z''+c*z'+k*z=0", [], {"c/m", "k/m"}),
    ],
)
def test_invariants_are_written_as_in_the_notes(law: str, assume: list[str], invariants: set[str]) -> None:
    assert set(analyze(law, assume).invariants) == invariants
