"""Special cases: which are listed, and reports of a truth on one that leave it."""

from __future__ import annotations

from identify import analyze
from identify.analysis import Stratum


def strata(law: str, domain: tuple[str, ...] = ()) -> dict[str, Stratum]:
    return {s.condition: s for s in analyze(law, (), domain, strata=True).strata}


def test_a_value_that_reports_leave_is_no_special_case() -> None:
    """At c = 0 a power map still reports any other c: nothing is identified there that is not elsewhere."""
    found = strata("z'' = -d*z' + c*z'**2/z - a*z", ("z > 0",))
    assert set(found) == {"a == 0", "c == 1"}
    assert found["c == 1"].parameters["c"].status == "identified"


def test_a_vanishing_parameter_that_stills_another() -> None:
    """The damping d is what moves with the origin; without its slope e it is identified."""
    law = "z'' = -(d+e*z)*z' - a*z - f"
    assert analyze(law, ["e != 0", "a != 0"]).parameters["d"].status == "free"
    assert strata(law)["e == 0"].parameters["d"].status == "identified"


def test_canonical_reports_off_the_stratum() -> None:
    """At a = 0 the second harmonic can be reported as the first one, on twice the angle."""
    law = "z'' = -z'**2*c - a*sin(z) - b*sin(2*z)"
    found = strata(law)["a == 0"]
    assert set(found.parameters["a"].alternatives) == {"2*b", "-2*b"}
    assert "c/2" in found.parameters["c"].alternatives
