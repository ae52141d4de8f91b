"""Laws whose scalars depend on several independent functions of the state: only affine maps are left.

Let the scalars of the signature, which every compatible map preserves, generate a field over the complex
numbers of the same transcendence degree as the state and r exponentials ``exp(k_i*z)`` together (sine and
cosine count as one exponential).  A compatible f then makes f and ``exp(k_i'*f)`` algebraic over z and the
``exp(k_i*z)``.  By Ax's theorem (the Schanuel conjecture for functions) ``k_1'*f`` is a rational combination
of the ``k_i*z`` plus a constant: f is affine.  Without the state itself the same follows from two or more
exponentials.  Powers and logarithms of a positive state become such functions of its logarithm.
"""

from __future__ import annotations

from dataclasses import replace

import mpmath
from sympy import Expr, Symbol, cos, exp, log, powsimp, sin

from identify.orbit.branch import LAMBDA, TAU, Branch, Family
from identify.orbit.generators import StateFunctions, Unhandled, state_functions
from identify.orbit.infinitesimal import rank
from identify.orbit.sampling import Point, compiled, to_number
from identify.orbit.signature import Signature
from identify.routes.route import SQUARE

_DIGITS = 60


def only_affine_maps(family: Family, shape: Signature, point: Point) -> bool:
    """Whether every map that preserves the scalars of the law is affine (see the module docstring)."""
    try:
        functions = state_functions(shape.curve, family.state)
        variables = _variables(functions)
        if variables is None or len(variables) < 2:
            return False
        scalars = _prolonged(family, shape, len(variables))
        functions = state_functions(scalars, family.state)
    except Unhandled:
        return False
    return _variables(functions) == variables and _independent(functions, family, variables, point)


def in_logarithm(family: Family) -> Family:
    """The family in the coordinate ``x = log(z)``, which takes the state's name."""
    z = family.state
    channels = {f: (c * z ** (f.power - 1)).expand().xreplace({z: exp(z)}) for f, c in family.channels}
    channels[SQUARE] -= 1
    plain = {f: powsimp(c.expand()) for f, c in channels.items()}
    return replace(family, channels=tuple((f, c) for f, c in plain.items() if f == SQUARE or c != 0))


def from_logarithm(branch: Branch, state: Symbol) -> Branch:
    """An affine map of log(z) as a power map of z, a free shift as a positive factor lambda."""
    if TAU in branch.free and LAMBDA not in branch.free:
        branch = branch.substitute({TAU: log(LAMBDA)})
        branch = replace(branch, free=(*branch.free, LAMBDA), positive=(*branch.positive, LAMBDA))
    assert branch.scale is not None
    assert branch.shift is not None
    return replace(branch, map=exp(branch.shift) * state**branch.scale, scale=None, shift=None)


def _variables(functions: StateFunctions) -> tuple[Symbol, ...] | None:
    """One variable for the state, where it enters by itself, and one for each exponential of it."""
    z = functions.state
    if any(g.kind not in ("exp", "trig") or g.argument.diff(z).has(z) for g in functions.generators):
        return None
    alone = (z,) if any(f.has(z) for f in functions.functions) else ()
    return (*alone, *(Symbol(f"_x{i}", real=True) for i in range(len(functions.generators))))


def _prolonged(family: Family, shape: Signature, count: int) -> tuple[Expr, ...]:
    """As many scalars, with derivatives along the force ``X = c_0 d/dz``."""
    force = next((c for f, c in family.channels if f.power == 0), None)
    scalars = list(shape.curve)
    while force is not None and len(scalars) < count:
        scalars.append(force * scalars[-1].diff(family.state))
    return tuple(scalars)


def _independent(
    functions: StateFunctions, family: Family, variables: tuple[Symbol, ...], point: Point
) -> bool:
    """Whether the Jacobian of the scalars in the variables has full rank at one point."""
    table: dict[Symbol, Expr] = {}
    for variable, generator in zip(
        variables[-len(functions.generators) :], functions.generators, strict=True
    ):
        values = (exp(variable),) if generator.kind == "exp" else (sin(variable), cos(variable))
        table.update(zip(generator.symbols, values, strict=True))
    scalars = [f.xreplace(table) for f in functions.functions]
    with mpmath.workdps(_DIGITS):
        parameters = [to_number(point.parameters[p]) for p in family.independent]
        places = [mpmath.mpf(3 + 2 * i) / (7 + i) for i in range(len(variables))]
        try:
            rows = [
                compiled((*variables, *family.independent), [s.diff(v) for v in variables])(
                    *places, *parameters
                )
                for s in scalars
            ]
        except (ValueError, ZeroDivisionError, OverflowError):
            return False
        return rank(rows) == len(variables)
