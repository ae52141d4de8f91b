"""Parameters inside functions: values, angles, and what a solution must still satisfy."""

from __future__ import annotations

import json

import pytest
from sympy import Integer, Symbol, cos, exp, pi, sin, tan

from identify import analyze
from identify.certificate import verify
from identify.orbit.ties import tied

k, p, z = (Symbol(s, real=True) for s in "kpz")
n = Symbol("n", integer=True)


def test_exponentials_of_multiples_are_powers_of_one_symbol() -> None:
    found = tied([exp(-2 * k) * z + exp(3 * k)], [k], z, {})
    (tie,) = found.ties
    assert tie.argument == k
    assert found.functions == (z / tie.symbol**2 + tie.symbol**3,)


def test_sine_and_cosine_together_are_rational_in_the_half_angle() -> None:
    found = tied([sin(p) * z + cos(p)], [p], z, {})
    (tie,) = found.ties
    value = found.functions[0].subs({tie.symbol: tan(Integer(1) / 2), z: 3})
    assert abs(float(value - 3 * sin(1) - cos(1))) < 1e-12


@pytest.mark.parametrize(("low", "high", "count"), [(0, pi, 1), (0, 2 * pi, 2), (-pi, 3 * pi, 4)])
def test_angles_of_a_cosine_in_a_range(low: object, high: object, count: int) -> None:
    """Every angle in the range is one of the arguments, and there are not more classes than overlaps."""
    (tie,) = tied([cos(p) * z], [p], z, {p: (low, high)}).ties  # type: ignore[dict-item]
    angles = list(tie.arguments(tie.symbol, n))
    assert p in angles
    assert all((cos(a) - cos(p)).simplify() == 0 for a in angles)
    assert len([a for a in angles if a.coeff(p) == 1]) >= 1
    assert len(angles) >= count


def test_whole_turns_are_taken_out_of_an_argument() -> None:
    """tan((p - pi)/2 + pi*n) is -cot(p/2); SymPy says tan(p/2), and a wrong branch came of it."""
    law = "z'' = -a*sin(z)*cos(p) - a*cos(z)*sin(p) - d*z'"
    found = analyze(law, ["a > 0"])
    assert verify(json.loads(found.to_json())).ok
    assert found.gauge is not None
    assert {b.parameters["p"] for b in found.gauge.branches} == {"2*pi*n + p", "2*pi*n - p"}


@pytest.mark.parametrize(
    ("law", "assume", "invariants"),
    [
        ("z'' = -sin(p)*z", [], ("sin(p)",)),
        ("z'' = -k*exp(-q)*z - q*z**3", ["k > 0", "q > 0"], ("k*exp(-q)",)),
        ("z'' = -sqrt(k/m)*z - b*z**3", ["k > 0", "m > 0", "b > 0"], ("k/m",)),
        ("z'' = -V*z**n/(K**n+z**n)", ["V > 0", "K > 0", "n > 1", "z > 0"], ("n", "V/K")),
        ("(1+m)*z'' = -k*z", ["m > 0", "k > 0"], ("k/(m + 1)",)),
        ("z'' = -w**2*z - k/m*z**3", ["w**2 == k/m", "w > 0", "m > 0"], ("w",)),
    ],
)
def test_invariants_are_functions_of_the_law(
    law: str, assume: list[str], invariants: tuple[str, ...]
) -> None:
    conditions = [c for c in assume if not c.startswith("z")]
    found = analyze(law, conditions, [c for c in assume if c.startswith("z")])
    assert found.outcome == "done"
    assert found.invariants == invariants
    assert verify(json.loads(found.to_json())).ok
