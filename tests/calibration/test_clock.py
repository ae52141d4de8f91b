"""An unknown clock joins the gauge: invariants, weights in two scales, what restores it."""

from __future__ import annotations

import sympy

from identify.analysis import Analysis
from identify.engine import analyze


def clocked(law: str, *assume: str, domain: tuple[str, ...] = ()) -> Analysis:
    return analyze(law, assume, domain, unknown_clock=True)


def test_oscillator_keeps_its_quality_factor() -> None:
    found = clocked("z''+d*z'+a*z=0", "a != 0")
    assert {n: v.status for n, v in found.parameters.items()} == {"d": "sign", "a": "sign"}
    (invariant,) = found.invariants
    d, a = sympy.symbols("d a")
    assert (
        sympy.simplify(sympy.sympify(invariant) - d**2 / a) == 0
        or sympy.simplify(sympy.sympify(invariant) - a / d**2) == 0
    )
    assert not found.redundancy
    assert found.calibration is not None
    assert found.calibration.clock is not None
    assert found.calibration.clock.weights == {"d": ("0", "1"), "a": ("0", "2")}
    assert found.calibration.clock.restored_by == ("frame-rate", "period", "parameter d", "parameter a")


def test_channels_scale_with_the_clock() -> None:
    """A channel c_r goes over into kappa**(r-2) * c_r, together with the coordinate's scale."""
    found = clocked("z''=-d*z'-c*z'**3-a*z", "c != 0")
    assert found.gauge is not None
    identity = found.gauge.branches[0]
    kappa, lam, d, c, a = sympy.symbols("kappa lambda_ d c a")
    reported = {n: sympy.sympify(e.replace("lambda", "lambda_")) for n, e in identity.parameters.items()}
    assert sympy.simplify(reported["d"] - d / kappa) == 0
    assert sympy.simplify(reported["c"] - c * kappa / lam**2) == 0
    assert sympy.simplify(reported["a"] - a / kappa**2) == 0


def test_duffing_needs_the_clock_and_a_length() -> None:
    found = clocked("z''+d*z'+a*z+b*z**3=0", "b != 0")
    assert found.calibration is not None
    sets = {s.anchors for s in found.calibration.parameters["b"]}
    assert ("frame-rate", "amplitude") in sets
    assert {s.anchors for s in found.calibration.parameters["d"]} == {("frame-rate",), ("parameter a",)}
    assert (found.gauge.dimension, found.calibration.dimension) == (2, 2)  # type: ignore[union-attr]


def test_a_number_in_the_law_fixes_the_clock() -> None:
    found = clocked("z''+mu*(z**2-1)*z'+z=0", "mu != 0")
    assert found.parameters["mu"].status == "identified"
    assert found.calibration is not None
    assert found.calibration.clock is not None
    assert found.calibration.clock.restored_by == ()


def test_canonical_route_on_an_unknown_clock() -> None:
    found = clocked("z''=rho*z'**2/z-k*z**2", "k > 0", domain=("z > 0",))
    assert found.parameters["rho"].status == "identified"
    assert found.calibration is not None
    assert ("frame-rate", "amplitude") in {s.anchors for s in found.calibration.parameters["k"]}


def test_period_restores_the_clock() -> None:
    found = analyze(
        "z''+d*z'+w**2*sin(z)=0", ["w > 0"], anchors=["period=1.42+-0.01 s"], unknown_clock=True
    ).calibration
    assert found is not None
    assert found.given is not None
    assert {p.status for p in found.given.parameters.values()} == {"identified"}
    assert found.given.parameters["w"].relative_uncertainty == 0.01 / 1.42


def test_roots_of_the_clock_are_written_in_the_clock() -> None:
    """A fractional power of the velocity scales with one of kappa, and no other name appears."""
    found = clocked("z''=-d*z'-k*abs(z')**(3/2)-a*z", "a != 0", "k != 0")
    assert found.invariants == ("a/d**2",)
    assert found.gauge is not None
    assert set(found.gauge.branches[0].free) == {"kappa", "lambda"}
    assert found.calibration is not None
    assert found.calibration.clock is not None
    assert found.calibration.clock.weights == {"d": ("0", "1"), "k": ("1/2", "1/2"), "a": ("0", "2")}
