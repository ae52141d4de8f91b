"""Branches whose map is implicit, algebraic numbers, strata, ties and the canonical step."""

from __future__ import annotations

from typing import Any

import pytest

from identify.certificate import verify
from tests.certificate.documents import certificate


def build(law: dict[str, Any], **parts: Any) -> dict[str, Any]:
    """A document with the given parts and nothing claimed elsewhere."""
    law = {"state": "z", "velocity": "v", "leading": "1", "assumptions": [], "domain": []} | law
    empty: dict[str, Any] = {
        "schema": "identify/analysis/1", "law": law, "outcome": "done", "coverage": None, "weights": None,
        "sign_invariants": [], "canonical": None, "strata": [], "certificate": certificate(law),
        "route": {"name": "semilinear", "features": ["1", "v"]},
    }  # fmt: skip
    return empty | parts


def branch(map_: str | None, parameters: dict[str, str], **more: Any) -> dict[str, Any]:
    """One branch."""
    empty: dict[str, Any] = {
        "free": [],
        "conditions": [],
        "kind": "identity",
        "relation": None,
        "symbols": {},
    }
    return {"map": map_, "parameters": parameters, **empty, **more}


def gauge(dimension: int, *branches: dict[str, Any]) -> dict[str, Any]:
    return {"dimension": dimension, "branches": list(branches), "translation_lock": None}


def verdict(status: str, transform: str | None = None, *alternatives: str) -> dict[str, Any]:
    return {"status": status, "transform": transform, "alternatives": list(alternatives)}


def power_oscillator(**implicit: Any) -> dict[str, Any]:
    """z'' = -d z' + c z'^2/z - a z on z > 0, its power map given implicitly."""
    eta = {"d": "d", "c": "S", "a": "a*(1-c)/(1-S)"}
    law = {"text": "z'' = -d*z' + c*z'**2/z - a*z", "acceleration": "-d*v + c*v**2/z - a*z",
           "parameters": ["d", "c", "a"], "assumptions": ["c != 1", "a != 0"],
           "domain": ["z > 0"]}  # fmt: skip
    return build(
        law,
        route={"name": "canonical", "features": ["1", "v", "v**2"]},
        gauge=gauge(2, branch(None, eta, **implicit)),
        orbit_dimension=1,
        invariants=["d", "a*(1-c)"],
        parameters={"d": verdict("identified", "d"), "c": verdict("free", "S"), "a": verdict("free")},
    )


def test_a_map_given_by_a_relation_is_checked() -> None:
    relation = "zhat**(1-S) = L*z**(1-c)"
    result = verify(power_oscillator(free=["L", "S"], conditions=["L > 0", "S != 1"], relation=relation))
    assert result.ok, result.failed
    assert any(c.name.startswith("branch 1") and c.passed for c in result.checks)


def test_a_wrong_relation_is_rejected() -> None:
    relation = "zhat**(2-S) = L*z**(1-c)"
    result = verify(power_oscillator(free=["L", "S"], conditions=["L > 0", "S != 1"], relation=relation))
    assert not result.ok


def test_a_map_given_by_the_flow_is_checked() -> None:
    result = verify(power_oscillator(free=["S"], conditions=["S != 1"], relation="ode"))
    assert result.ok, result.failed
    assert any(c.name.startswith("branch 1") and c.passed for c in result.checks)


def test_a_flow_with_a_wrong_parameter_map_is_not_accepted() -> None:
    forged = power_oscillator(free=["S"], conditions=["S != 1"], relation="ode")
    forged["gauge"]["branches"][0]["parameters"]["a"] = "a*(1-c)/(2-S)"
    assert not verify(forged).complete


def springs(polynomial: str) -> dict[str, Any]:
    """Cubic plus quadratic spring; the other equilibria as roots of a quadratic."""
    first = {"d": "d", "a": "a", "b": "b/L", "g": "g/L**2"}
    other = {"d": "d", "a": "a+2*b*t+3*g*t**2", "b": "(b+3*g*t)/L", "g": "g/L**2"}
    law = {"text": "z''+d*z'+a*z+b*z**2+g*z**3=0", "acceleration": "-d*v-a*z-b*z**2-g*z**3",
           "parameters": ["d", "a", "b", "g"], "assumptions": ["a != 0", "b != 0", "g != 0"]}  # fmt: skip
    return build(
        law,
        gauge=gauge(
            1,
            branch("L*z", first, free=["L"], conditions=["L != 0"]),
            branch("L*(z-t)", other, free=["L"], conditions=["L != 0", "b**2 > 4*a*g"], kind="discrete",
                   symbols={"t": polynomial}),
        ),
        orbit_dimension=1,
        invariants=["d", "3*a-b**2/g", "a**2*(4*a-b**2/g)"],
        sign_invariants=["sign(g)"],
        parameters={"d": verdict("identified", "d"), "a": verdict("finite", "a", "a+2*b*t+3*g*t**2"),
                    "b": verdict("free", "b/L"), "g": verdict("sign", "g/L**2")},
    )  # fmt: skip


def test_algebraic_numbers_are_solved_numerically() -> None:
    result = verify(springs("a + b*t + g*t**2"))
    assert result.complete, (result.failed, result.undecided)


def test_a_wrong_minimal_polynomial_is_rejected() -> None:
    assert not verify(springs("a + b*t - g*t**2")).ok


def pendulum_strata(parameters: dict[str, str], status: str) -> dict[str, Any]:
    """Two harmonics, with the answer on a = 0."""
    same = {"d": "d", "a": "a", "b": "b"}
    law = {"text": "z''+d*z'+a*sin(z)+b*sin(2*z)=0", "acceleration": "-d*v-a*sin(z)-b*sin(2*z)",
           "parameters": ["d", "a", "b"], "assumptions": []}  # fmt: skip
    stratum = {"condition": "a == 0", "outcome": "done", "gauge_dimension": 0, "orbit_dimension": 0,
               "invariants": ["d"],
               "branches": [branch("z", same), branch("2*z", parameters, kind="discrete")],
               "parameters": {"d": verdict("identified"), "a": verdict("finite"),
                              "b": verdict(status)}}  # fmt: skip
    return build(
        law,
        gauge=gauge(0, branch("z", same), branch("z+pi", same | {"a": "-a"}, kind="discrete")),
        orbit_dimension=0,
        invariants=["d", "a**2", "b"],
        parameters={
            "d": verdict("identified"),
            "a": verdict("finite", "a", "-a"),
            "b": verdict("identified"),
        },
        strata=[stratum],
    )


def test_a_stratum_is_checked_at_its_own_points() -> None:
    result = verify(pendulum_strata({"d": "d", "a": "2*b", "b": "0"}, "finite"))
    assert result.complete, (result.failed, result.undecided)


@pytest.mark.parametrize(
    ("parameters", "status"),
    [({"d": "d", "a": "b", "b": "0"}, "finite"), ({"d": "d", "a": "2*b", "b": "0"}, "identified")],
)
def test_a_wrong_stratum_is_rejected(parameters: dict[str, str], status: str) -> None:
    assert not verify(pendulum_strata(parameters, status)).ok


def test_equalities_among_the_assumptions_tie_theta_and_eta() -> None:
    """With g == b**2 the quintic has one orbit direction and the invariants d, a."""
    law = {"text": "z''+d*z'+a*z+b*z**3+g*z**5=0", "acceleration": "-d*v-a*z-b*z**3-g*z**5",
           "parameters": ["d", "a", "b", "g"], "assumptions": ["b != 0", "g == b**2"]}  # fmt: skip
    eta = {"d": "d", "a": "a", "b": "b/L**2", "g": "g/L**4"}
    statuses = {"d": "identified", "a": "identified", "b": "sign", "g": "sign"}
    result = verify(
        build(
            law,
            gauge=gauge(1, branch("L*z", eta, free=["L"], conditions=["L != 0"])),
            orbit_dimension=1,
            invariants=["d", "a"],
            sign_invariants=["sign(b)"],
            parameters={name: verdict(status, eta[name]) for name, status in statuses.items()},
        )
    )
    assert result.complete, (result.failed, result.undecided)


@pytest.mark.parametrize(("c2", "slope", "psi", "good"), [
    ("c/z", "z**(-c)", "z**(1-c)/(1-c)", True),
    ("-c/z", "z**(-c)", None, False),
    ("c/z", "z**(c)", None, False),
    ("c/z", "z**(-c)", "z**(1-c)", False),
])  # fmt: skip
def test_the_canonical_step(c2: str, slope: str, psi: str | None, good: bool) -> None:
    """c2 is the v**2 channel and psi'' = -c2 psi'."""
    made = power_oscillator(free=["S"], conditions=["S != 1"], relation="ode")
    made["canonical"] = {"c2": c2, "normalizer": psi, "normalizer_derivative": slope}
    assert verify(made).ok is good


def test_an_unsupported_law_may_claim_nothing() -> None:
    law = {"text": "z''+d*z'+m*sign(z')+a*z=0", "acceleration": "-d*v-m*sign(v)-a*z",
           "parameters": ["d", "m", "a"]}  # fmt: skip
    silent = build(law, route={"name": "unsupported", "features": []}, outcome="unsupported", gauge=None,
                   orbit_dimension=None, invariants=[], parameters={})  # fmt: skip
    assert verify(silent).ok
    assert not verify(silent | {"invariants": ["d"]}).ok
    assert not verify(silent | {"route": {"name": "feature-separation", "features": ["1", "v", "sign(v)"]},
                                "outcome": "done"}).ok  # fmt: skip
