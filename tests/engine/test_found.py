"""Laws on which the properties once failed; each stays, with what went wrong."""

from __future__ import annotations

import pytest

from identify import analyze
from identify.law import read_law
from identify.orbit.problem import pose
from tests.engine.strategies import Declared
from tests.engine.test_properties import (
    answer,
    check_branches,
    check_completeness,
    check_equivalent,
    check_invariants,
    check_statuses,
    in_other_coordinate,
)

FOUND = {
    # an invariant with sqrt(m), sqrt(c) flips its sign under lambda < 0
    "reflected root": Declared(("m*z**2*z'", "-c", "a*b*z**3", "a*(z - s)"), ("m != 0", "a > 0", "s > 0")),
    "reflected root in the full cubic": Declared(("-a*z", "-b*z**2", "-g*z**3", "c"), ("g != 0",)),
    # NameError: the internal symbol _R_h_E1 of an exponential ratio reached the real filter
    "two rates, one amplitude": Declared(("-a*exp(2*z)", "-a*exp(k*z)")),
    "opposite rates, one amplitude": Declared(("-b*exp(-k*z)", "-b*exp(z)"), ("b != 0", "b < 0")),
    "spring and exponential": Declared(("-w*z", "-a*(exp(k*z) - 1)"), ("w != 0", "k > 0")),
    # NameError: the internal symbol _root0 of an algebraic number reached the invariants
    "algebraic number": Declared(("g*z**3", "g*(z - s)**2"), ("g != 0", "s != 0")),
    # NameError: a derivative of sqrt(z**2) gave DiracDelta
    "half line": Declared(("-z'**2/z", "-d*z'", "-a*z"), ("d > 0",), ("z > 0",)),
    # InputError: the printed map log(-exp(k*z)) could not be read back
    "logarithm of a negative": Declared(("z'**2", "a*sinh(k*z)")),
    # OverflowError: an exponent too large for flint
    "large exponents": Declared(("-2*z'**2/z", "-a*z**(3/2)", "b/z**3"), (), ("z > 0",)),
}


@pytest.mark.parametrize("law", FOUND.values(), ids=FOUND.keys())
def test_found_law(law: Declared) -> None:
    """Branches, invariants and statuses hold, and the law in another coordinate is the same."""
    result = answer(law)
    if result.gauge is None:
        return
    check_branches(result)
    check_invariants(result)
    if result.outcome == "done":
        check_completeness(result)
        check_statuses(result)


def test_parameter_named_like_no_other() -> None:
    """SyntaxError: an indexed name and its reported value collided in the compiled evaluation."""
    law = Declared(("d*w*z'", "-k*z*z'**2", "c", "2*z"), ("d > 0", "k != 0", "c > 0"))
    other = Declared(("c_1", "2*z", "-k_1*z*z'**2", "d_1*w_1*z'"), ("c_1 > 0", "k_1 != 0", "d_1 > 0"))
    rename = {name: f"{name}_1" for name in "dwkc"}
    check_equivalent(answer(law), analyze(other.text, other.assume), rename)


def test_found_law_in_another_coordinate() -> None:
    law = FOUND["reflected root in the full cubic"]
    other = in_other_coordinate(law)
    check_equivalent(answer(law), analyze(other.text, other.assume), {})


def test_sampled_parameters_are_generic() -> None:
    """A "random" r = 2 lies on the stratum where the overhead fall gains a dimension."""
    problem = pose(read_law("z'' = r*z'**2/z - k*z**2", (), ["z > 0"]))
    drawn = [
        x for seed in range(200) for p in problem.sampler.points(1, seed=seed) for x in p.parameters.values()
    ]
    assert not [x for x in drawn if x.q in (1, 2, 3)]


def test_irrational_constants() -> None:
    """RecursionError: the sign of a sum with pi and sqrt(2) was asked for without end."""
    assert analyze("z'' = ((z' - a) - abs(pi)) + sqrt(2)").outcome in ("done", "undecided")
