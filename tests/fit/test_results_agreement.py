"""e_theta is small for every permitted report and large for every other one."""

from __future__ import annotations

import pytest

from identify.fit.results.metrics import Truth, measure
from identify.law import read_law
from tests.fit.results_fits import Change, analyze, fit, track


def error(
    text: str,
    true: str,
    fitted: dict[str, float],
    change: Change = lambda q: q,
    starts: tuple[tuple[float, float], ...] = ((0.4, 0.0), (0.2, 0.6)),
) -> dict[str, float]:
    """The metrics of a fit with these parameters, whose latent is the changed state."""
    law = read_law(text)
    tracks = [track(law, true, at, f"c{i}", change=change, seconds=4) for i, at in enumerate(starts)]
    values = {k: float(v) for k, v in (part.split("=") for part in true.split(","))}
    found = measure(law, analyze(law), fit(tracks, fitted), Truth(values))
    assert found is not None
    return found


@pytest.mark.parametrize("sign", [1, -1])
def test_a_sign_that_the_law_does_not_have_is_no_error(sign: int) -> None:
    law = "z''+d*z'+w**2*z+b*z**2=0"
    found = error(law, "d=0.2,w=2,b=0.5", {"d": 0.2, "w": sign * 2.0, "b": 0.25}, lambda q: 2 * q)
    assert found["e_theta"] == pytest.approx(0, abs=1e-4)
    wrong = error(law, "d=0.2,w=2,b=0.5", {"d": 0.2, "w": sign * 2.2, "b": 0.25}, lambda q: 2 * q)
    assert wrong["e_theta"] == pytest.approx(10, abs=0.01)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_joint_sign_is_no_error(sign: int) -> None:
    """``a*sin(z/s)`` is the same with both signs changed; with one of them it is another law."""
    law, true = "z''+d*z'+a*sin(z/s)=0", "d=0.2,a=4,s=0.5"
    found = error(law, true, {"d": 0.2, "a": sign * 8.0, "s": sign * 1.0}, lambda q: 2 * q)
    assert found["e_theta"] == pytest.approx(0, abs=1e-3)
    wrong = error(law, true, {"d": 0.2, "a": sign * 8.0, "s": -sign * 1.0}, lambda q: 2 * q)
    assert wrong["e_theta"] > 100


def test_redundant_parameters_are_compared_by_what_they_determine() -> None:
    law, true = "m*z''+c*z'+k*z=0", "m=2,c=0.4,k=18"
    right = error(law, true, {"m": 0.1, "c": 0.02, "k": 0.9})
    assert right["e_theta"] == pytest.approx(0, abs=1e-6)
    assert set(right["e_theta_by_parameter"]) == {"c/m", "k/m"}
    wrong = error(law, true, {"m": 0.1, "c": 0.03, "k": 0.9})
    assert wrong["e_theta"] == pytest.approx(50, abs=1e-3)


def test_another_equilibrium_as_origin_is_no_error() -> None:
    """The map of that branch has an algebraic number in it: the invariants tell that the fit is right."""
    law, true = "z''+d*z'+a*z+b*z**2+g*z**3=0", "d=0.2,a=4,b=-6,g=2"
    # z = 1 + u: 4(1+u) - 6(1+u)^2 + 2(1+u)^3 = -2u + 2u^3
    found = error(law, true, {"d": 0.2, "a": -2.0, "b": 0.0, "g": 2.0}, lambda q: q - 1)
    assert found["e_theta"] == pytest.approx(0, abs=1e-4)


def test_without_a_theorem_there_is_a_reason_instead() -> None:
    law, true = "z'' + c*tanh(z'/s) + a*z = 0", "c=1,s=0.5,a=9"
    found = error(law, true, {"c": 2, "s": 1, "a": 9}, lambda q: 2 * q)
    assert found["e_theta"] is None
    assert "no theorem" in str(found["note"])
