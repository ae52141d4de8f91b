"""Laws with two independent functions of the state: affine maps, or powers, are all there are."""

from __future__ import annotations

import pytest
from sympy import Symbol, exp, log

from identify.law import read_law
from identify.orbit.branch import LAMBDA, TAU, Branch
from identify.orbit.independent import from_logarithm, in_logarithm, only_affine_maps
from identify.orbit.problem import pose
from identify.orbit.signature import signature

Z = Symbol("z", real=True)


def affine_only(law: str, domain: tuple[str, ...] = (), logarithm: bool = False) -> bool:
    problem = pose(read_law(law, (), domain))
    family = in_logarithm(problem.family) if logarithm else problem.family
    return only_affine_maps(family, signature(family), problem.sampler.points(1)[0])


@pytest.mark.parametrize(
    "law",
    ["z'' = -k*z'**2 - a*z - b*sin(z)", "z'' = -exp(z)*z'**2 - a*z", "z'' = -k*z*z'**2 - a*sin(q*z)"],
)
def test_state_beside_an_exponential(law: str) -> None:
    assert affine_only(law)


@pytest.mark.parametrize(
    "law",
    [
        "z'' = -c*z'**2 - a*sin(z)",  # one angle: bent maps are not excluded
        "z'' = -z'**2 - a*exp(z)",  # here f = log(lambda*exp(z)...) is one
        "z'' = -c*z'**2 - a*z",  # no exponential at all
    ],
)
def test_a_single_function_excludes_nothing(law: str) -> None:
    assert not affine_only(law)


def test_powers_in_the_logarithm() -> None:
    """``-k*v**2 - a*z**p`` becomes ``(k*exp(x) - 1)*v**2 - ...`` with two exponentials."""
    law = "z'' = -k*z'**2 - a*z**p"
    assert not affine_only(law, ("z > 0",))
    assert affine_only(law, ("z > 0",), logarithm=True)
    family = in_logarithm(pose(read_law(law, (), ("z > 0",))).family)
    k = Symbol("k", real=True)
    assert dict(family.channels)[family.channels[-1][0]].expand() == -k * exp(Z) - 1


def test_a_shift_of_the_logarithm_is_a_factor() -> None:
    branch = Branch(map=Z + TAU, scale=Z.diff(Z), shift=TAU, parameters={}, free=(TAU,))
    back = from_logarithm(branch, Z)
    assert back.map == LAMBDA * Z
    assert back.positive == (LAMBDA,)
    assert exp(log(Z)) == Z
