"""The stated units: the law must not change when every base unit is rescaled."""

from __future__ import annotations

from collections.abc import Mapping

import mpmath
from sympy import Symbol

from identify.certificate.document import CalibrationClaim
from identify.certificate.evaluation import Value
from identify.certificate.problem import Problem, Theta
from identify.certificate.reading import REFUSALS
from identify.certificate.sampling import Sampler
from identify.certificate.verification import Check
from identify.law.unit import BASES, Dimension, read_unit

TINY = mpmath.mpf(10) ** -30


def check_units(problem: Problem, claim: CalibrationClaim, sampler: Sampler) -> list[Check]:
    """With the stated units F is an acceleration whatever the size of a metre or a second."""
    if not claim.units or problem.state.name not in claim.units:
        return []
    statement = "the law is the same in other units of length, time and mass"
    known = {problem.state.name, *(p.name for p in problem.declared)}
    if set(claim.units) - known:
        return [Check("units", statement, False, "a unit belongs to no name of the law")]
    if any(claim.units.get(name) is None for name in known):
        return []  # a parameter whose unit is not determined by the others
    try:
        dimensions = {n: read_unit(text).dimension for n, text in claim.units.items() if text is not None}
    except REFUSALS as refusal:
        return [Check("units", statement, False, str(refusal).splitlines()[0][:120])]
    passed = _same(problem, dimensions, sampler)
    return [Check("units", statement, passed, "" if passed is not None else "no state to test it at")]


def _same(problem: Problem, dimensions: Mapping[str, Dimension], sampler: Sampler) -> bool | None:
    sizes = [abs(sampler.real()) + mpmath.mpf(1) / 7 for _ in BASES]
    time = sizes[BASES.index("s")]
    theta = sampler.theta(problem)
    if theta is None:
        return None
    answers = [
        _scaled(problem, theta, state, velocity, dimensions, sizes, time)
        for state in sampler.states(problem, theta, 3)
        for velocity in sampler.velocities(3)
    ]
    known = [answer for answer in answers if answer is not None]
    return all(known) if known else None


def _scaled(
    problem: Problem,
    theta: Theta,
    state: Value,
    velocity: Value,
    dimensions: Mapping[str, Dimension],
    sizes: list[Value],
    time: Value,
) -> bool | None:
    def factor(symbol: Symbol) -> Value:
        if symbol.name not in dimensions:
            return mpmath.mpf(1)
        return mpmath.fprod(s ** (mpmath.mpf(p.numerator) / p.denominator)
                            for s, p in zip(sizes, dimensions[symbol.name], strict=True))  # fmt: skip

    length = factor(problem.state)
    other = {p: value * factor(p) for p, value in theta.items()}
    try:
        here = problem.force(theta, state, velocity) * length / time**2
        there = problem.force(other, state * length, velocity * length / time)
    except ArithmeticError:
        return None
    return bool(abs(here - there) <= TINY * (1 + abs(here)))
