"""Dimensions at the identity, by linear algebra alone, and sampling inside the conditions."""

from __future__ import annotations

import mpmath
import pytest

from identify.law import read_law
from identify.orbit.infinitesimal import dimensions, rank
from identify.orbit.problem import pose
from identify.orbit.sampling import DIGITS, compiled, holds, to_number

# law, domain, lifted, orbit, redundancy
KNOWN = [
    ("z'' = -d*z' - a*z", (), 1, 0, 0),
    ("z'' = -d*z' - a*z - b*z**3", (), 1, 1, 0),
    ("z'' = -d*z' - a*z + c", (), 2, 1, 0),
    ("z'' = -d*z' - a*z - b*z**2 + c", (), 2, 2, 0),
    ("z'' = -w**2*sin(z)", (), 0, 0, 0),
    ("z'' = -m*(z**2-1)*z' - z", (), 0, 0, 0),
    ("z'' = -(c*z' + k*z)/m", (), 2, 1, 1),
    ("z'' = -d*z' - (a+b)*z", (), 2, 1, 1),
    ("z'' = 0", (), 2, 0, 0),
    ("z'' = -g", (), 2, 1, 0),
    ("z'' = -a*exp(z) + b", (), 1, 1, 0),
    ("z'' = -k*z'*abs(z') - a*z", (), 1, 1, 0),
    ("z'' = -c*z'**3 - a*z - b*z**3", (), 1, 1, 0),
    ("z'' = r*z'**2/z - k*z**2", ("z > 0",), 1, 1, 0),
    ("z'' = -d*z' + c*z'**2/z - a*z", ("z > 0",), 2, 1, 0),
    ("z'' = -c*z'**2", (), 3, 1, 0),
    ("z'' = -k*z*z'**2 - a*z", (), 1, 1, 0),
]


@pytest.mark.parametrize(
    ("text", "domain", "lifted", "orbit", "redundancy"), KNOWN, ids=[k[0] for k in KNOWN]
)
def test_known_dimensions(
    text: str, domain: tuple[str, ...], lifted: int, orbit: int, redundancy: int
) -> None:
    excluded = ("r != 1", "r != 2") if "r*" in text else ()
    problem = pose(read_law(text, excluded, domain))
    for point in problem.sampler.points(2, seed=4):
        found = dimensions(problem.family, problem.route.name == "canonical", point)
        assert found is not None
        assert (found.lifted, found.orbit) == (lifted, orbit)
        if problem.route.name != "canonical":
            assert found.redundancy == redundancy


def test_rank_counts_independent_rows() -> None:
    with mpmath.workdps(80):
        rows = [[mpmath.mpf(x) for x in row] for row in ([1, 2, 3], [2, 4, 6], [0, 1, 1])]
        assert rank(rows) == 2
        assert rank([]) == 0
        assert rank([[mpmath.mpf(0)] * 3]) == 0


def test_rank_without_a_gap_is_not_decided() -> None:
    with mpmath.workdps(80):
        assert rank([[mpmath.mpf(1), mpmath.mpf(0)], [mpmath.mpf(1), mpmath.mpf(10) ** -20]]) is None


def test_samples_satisfy_every_condition() -> None:
    law = read_law(
        "z'' = -a*z - b*z**2 - c*(z-s)**3", ["c > 0", "b**2 > 4*a*c", "0 < a < 1", "s == 2*a"], ["z > s"]
    )
    problem = pose(law)
    points = problem.sampler.points(5)
    assert len(points) == 5
    check = compiled(law.parameters, [c.expression for c in law.assumptions])
    inside = compiled((law.state, *law.parameters), [c.expression for c in law.domain])
    with mpmath.workdps(DIGITS):
        for point in points:
            values = [to_number(point.parameters[p]) for p in law.parameters]
            assert all(holds(v, c.relation) for v, c in zip(check(*values), law.assumptions, strict=True))
            for state in (*point.states, *point.extremes):
                found = inside(to_number(state), *values)
                assert all(holds(v, c.relation) for v, c in zip(found, law.domain, strict=True))
