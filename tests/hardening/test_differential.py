"""The engine against checker, tangent space and aliases: a few laws here, thousands with differential.py."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("scipy")

import identify
from tests.hardening.differential import contradictions, examine
from tests.hardening.laws import KINDS, draw

QUICK = (2, 3, 4, 12, 13, 15, 28)  # seeds of every kind whose laws are answered at once


@pytest.mark.parametrize("seed", QUICK)
def test_nothing_contradicts_the_engine(seed: int) -> None:
    told = examine(seed, isolated=False)
    assert not told.disagreements
    assert told.outcome == "done"
    assert told.tangent == "agrees"


def test_the_quick_laws_are_of_every_kind() -> None:
    assert {draw(seed).kind for seed in QUICK} == set(KINDS)


FOUND = {
    # the branch through the identity runs through all multiples of 2*pi; d and k were called invariants
    "period": ("z'' = d*k*sin(z) + (z-d)**2", ["d != 0", "k > 0"], []),
    # an invariant with sqrt(q) changes its sign under a reflection
    "root": ("z'' = q*(z-q)**3 + b*z - p", [], []),
    # c moves with the origin of the coordinate; it was said to move while the coordinate is fixed
    "redundancy": ("z'' = 3 + a*z + b*z - c**2", ["c > 0"], []),
    # h_hat may make lambda negative, where |lambda| is not lambda: the branches lacked the condition
    "orientation": ("z'' = -h**2*z - q*z - q*z'*abs(z') - m*z**5", ["m < 0", "q != 0", "h*q > 0"], []),
    # a is one of two sequences, and only one was listed: the other was tried at n = 1 alone
    "listed": ("z'' = -d*cos(z+a) - (h-1)*z'*z", ["a < 0", "d < 0"], []),
    # KeyError: a branch asked for its values where it divides by zero
    "infinite": ("z'' = c/d*z - (a+k)*(z-m) - 3*g*(2*z+1)**2", ["a > 0", "d != 0", "g > 0", "k != 0"], []),
    # the checker took all terms but an exponential of 180 for rounding
    "exponential": (
        "z'' = d*exp(-m*z) + q*sinh(-z) + a/h*z*exp(z) - (h+b)*z'*z - a*z",
        ["a > 0", "b > 0", "d > 0", "h > 0", "m > 0", "q > 0", "m > q"],
        [],
    ),
    # the checker took exp(z) at a million for singular, because it is too large to be computed
    "large": ("z'' = (c+g)*(z-1)**4 - p - 3*h*z'**2*exp(z) - a*z'**3", ["a != 0", "c != 0", "h < 0"], []),
    # other values of g exist for some parameters only, and the checker drew none of them
    "turns": (
        "z'' = -3*a*z**2 + g*(z-g) + 1/2*z' + k/p - k*a*z'**2*sin(z)",
        ["a < 0", "g < 0", "k > 0", "p < 0"],
        [],
    ),
}


@pytest.mark.parametrize(("law", "assume", "domain"), FOUND.values(), ids=FOUND.keys())
def test_laws_that_were_answered_wrongly(law: str, assume: list[str], domain: list[str]) -> None:
    """The checker finds no fault any more."""
    analysis = identify.analyze(law, assume, domain)
    assert identify.verify(json.loads(analysis.to_json())).ok


@pytest.mark.parametrize(
    ("law", "assume"),
    [
        ("z'' = q*z'*abs(z') + b*z'*abs(z')", ["b > 0", "q < 0", "b*q > 0"]),
        ("z'' = z'**2/(1+z**2) + d*h*z", ["d < 0", "h > 0", "d > h"]),
    ],
)
def test_conditions_that_contradict_each_other_are_refused(law: str, assume: list[str]) -> None:
    """Also where the sign of a product or a sum is declared, which was believed rather than worked out."""
    with pytest.raises(identify.InputError, match="contradict"):
        identify.analyze(law, assume)


def test_a_list_that_may_be_incomplete_says_so() -> None:
    """A second root of a transcendental equation gives k another value than -k, which was alone listed."""
    analysis = identify.analyze("z'' = 2*c*(exp(m*z)-1) - k**2*(exp(-z)-1)", ["c > 0", "k != 0", "m < 0"])
    assert analysis.parameters["k"].status == "finite"
    assert "further ones are not excluded" in analysis.parameters["k"].why


def test_no_formula_is_longer_than_the_checker_reads() -> None:
    """Rather undecided than a document that nobody can check."""
    from sympy import Symbol

    from identify.conclude.names import Names
    from identify.errors import NotPrintable

    a, z = Symbol("a", real=True), Symbol("z", real=True)
    with pytest.raises(NotPrintable):
        Names([a], z).text(sum((k + 7**40) * a**k for k in range(1, 400)))


def test_a_wrong_claim_is_contradicted() -> None:
    """The comparison can fail: b of a Duffing oscillator is not identified, and c not invariant."""
    from dataclasses import replace

    analysis = identify.analyze("z''+d*z'+a*z+b*z**3=0", ["b != 0"])
    wrong = replace(analysis.parameters["b"], status="identified")
    claimed = replace(analysis, parameters={**analysis.parameters, "b": wrong}, invariants=("a*b",))
    old, new = {"d": 0.1, "a": 4.0, "b": 1.0}, {"d": 0.1, "a": 4.0, "b": 0.25}
    assert contradictions(analysis, old, new) == []
    assert len(contradictions(claimed, old, new)) == 2
    assert contradictions(analysis, old, {**new, "b": -0.25})
