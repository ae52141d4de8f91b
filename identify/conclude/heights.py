"""Heights: what known values of a physical coordinate give in the canonical route.

Where the filmed quantity is physically a height h without a squared velocity in its law, every fit's
canonical coordinate is affine in it, ``h = a*psi(z) + b`` (eq:exp-real-overhead-anchor): two known heights
give a, and ``h'' = a * psi'(z) * c_0(z)`` is the physical acceleration.
"""

from __future__ import annotations

from sympy import Expr, S, Symbol, powsimp

from identify.analysis import CanonicalInfo
from identify.errors import InputError
from identify.law import read_expression, to_text
from identify.orbit.problem import Problem, solve_for_parameter
from identify.routes.route import ONE


def heights_note(problem: Problem, canonical: CanonicalInfo | None) -> str | None:
    """One or two sentences; None where the law has no force or no closed normalizer."""
    force = dict(problem.route.channels).get(ONE)
    if canonical is None or canonical.normalizer is None or force is None or problem.hidden:
        return None
    law = problem.law
    try:
        slope = read_expression(canonical.normalizer_derivative, [law.state, *law.parameters])
    except InputError:
        return None
    acceleration = powsimp((slope * force).expand())
    taken = {law.state, *law.parameters}
    factor = next(s for s in (Symbol(n, real=True) for n in ("a", "s", "c", "a_h")) if s not in taken)
    note = (
        "If the scene has a coordinate `h` without a squared velocity, such as a height, two known values of "
        f"it give `h = {factor}*q + b_h` with `q = {canonical.normalizer}`; its acceleration is `{factor}` "
        f"times `{to_text(acceleration)}`, the same for every fit."
    )
    special = _constant_case(acceleration, law.state, law.parameters, factor)
    return note if special is None else f"{note} {special}"


def _constant_case(
    acceleration: Expr, state: Symbol, parameters: tuple[Symbol, ...], factor: Symbol
) -> str | None:
    """Where the acceleration is a constant g, its value in terms of the fit."""
    exponent = powsimp(state * acceleration.diff(state) / acceleration)  # of a power: the powers cancel
    if exponent.has(state):
        return None
    constant = acceleration.xreplace({state: S.One})
    size = -constant if constant.could_extract_minus_sign() else constant
    if exponent == 0:
        return f"It is constant: `g = {to_text(factor * size)}`."
    solved = solve_for_parameter(exponent, parameters)
    if solved is None:
        return None
    value = factor * size.xreplace({solved[0]: solved[1]})
    if value.has(S.ComplexInfinity, S.NaN):
        return None
    where = f"{solved[0]} = {to_text(solved[1])}"
    return f"Where `{where}` it is constant: `g = {to_text(value)}`."
