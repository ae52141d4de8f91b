"""The rank condition and its example set of velocities."""

from __future__ import annotations

import pytest
from sympy import Abs, Expr, Matrix, Rational, sign

from identify.conclude.coverage import columns, coverage
from identify.routes.classify import classify
from identify.routes.route import Feature
from tests.routes.laws import a, b, law, v, z

CASES = [
    (-a * z - b * v, 3, 3),
    (v * Abs(v), 3, 2),
    (v + v * Abs(v), 4, 3),
    (v + v**3, 4, 4),
    (Abs(v), 3, 3),
    (v + Abs(v), 4, 3),
    (v * Abs(v) ** Rational(1, 2) + v, 4, 4),
    (sign(v) * Abs(v) ** Rational(1, 3), 3, 3),
    (v**3 + Abs(v) ** 3 + Abs(v) ** Rational(3, 2), 5, 4),
    (v**2, 3, 3),
    ((1 + v) ** 5, 6, 6),
]


def row(features: tuple[Feature, ...], velocity: Rational) -> list[Expr]:
    return [Abs(velocity) ** item.power * sign(velocity) ** int(item.odd) for item in features]


@pytest.mark.parametrize(("acceleration", "rank", "one_direction"), CASES, ids=str)
def test_example_has_the_claimed_rank(acceleration: Expr, rank: int, one_direction: int) -> None:
    """SymPy finds the claimed rank on the example set, and the claimed rank for one direction."""
    route = classify(law(acceleration))
    found = coverage(route)
    features = columns(route)
    assert Matrix([row(features, Rational(item)) for item in found.example]).rank() == rank == found.rank
    assert len(found.example) == len(set(found.example)) == found.velocities == rank
    assert Matrix([row(features, Rational(n) ** 6) for n in range(1, 9)]).rank() == one_direction
    assert found.one_direction_rank == one_direction
    assert found.both_directions == (one_direction < rank)


def test_odd_drag_uses_the_velocities_of_the_paper() -> None:
    """For 1, v, v|v| four velocities of both signs are needed; one direction reaches rank 3."""
    found = coverage(classify(law(-z - v - v * Abs(v))))
    assert found.features == ("1", "v", "v*abs(v)", "v**2")
    assert found.example == ("1", "-1", "2", "-2")


def test_unsupported_route_has_no_coverage() -> None:
    """Nothing is claimed for an unsupported law."""
    with pytest.raises(ValueError, match="unsupported"):
        coverage(classify(law(sign(v))))
