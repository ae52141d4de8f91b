"""Invariants that tell apart all classes of reports, not only neighbouring ones.

Independent differentials do not suffice: ``k + 1/k, a + b*k, a*b*k`` are independent invariants of
``a*sin(z) + b*sin(k*z)`` and yet take equal values on different classes.  Where the classes are finite,
the equations "same invariants" are solved at one exact point; a solution that is no branch there is
excluded by a further invariant.
"""

from __future__ import annotations

from collections.abc import Sequence

import mpmath
from sympy import Expr, Integer, Rational, Symbol

from identify.algebra.budget import Budget
from identify.algebra.ring import NotPolynomial, Ring
from identify.algebra.solve import System, Unsolved, solve
from identify.errors import BudgetExceeded
from identify.orbit.branch import Branch, hat
from identify.orbit.compatible import CompatibleSet
from identify.orbit.equations import opened_values
from identify.orbit.sampling import Number, compiled, is_real, to_number

_SECONDS = 0.5
_SPARE = tuple(Symbol(f"_root{i}", real=True) for i in range(3))

Values = dict[Symbol, Number]


def separating(chosen: Sequence[Expr], pool: Sequence[Expr], compatible: CompatibleSet) -> list[Expr]:
    """The chosen invariants, with members of the pool added until they separate at a sample point.

    Empty where the equations cannot be solved quickly, or no member of the pool helps.
    """
    result, spare = list(chosen), sorted(pool, key=lambda f: len(str(f)))
    point = {p: compatible.filter.points[0].parameters[p] for p in compatible.family.known}
    with mpmath.workdps(40):
        images = [_image(r.branch, point) for r in compatible.branches]
        for _ in range(4):
            solutions = _solutions(result, point)
            if solutions is None:
                return []
            strangers = [s for s in solutions if not any(_near(s, i) for i in images)]
            if not strangers:
                return result
            better = next(
                (f for f in spare if f not in result and _tells(f, point, strangers)),
                None,
            )
            if better is None:
                return []
            result.append(better)
    return []


def _image(branch: Branch, point: dict[Symbol, Rational]) -> Values:
    names, values = list(point), [to_number(v) for v in point.values()]
    turned = {n: Integer(0) for n in branch.integers}
    found = compiled(names, [branch.parameters[p].xreplace(turned) for p in point])(*values)
    return dict(zip(point, found, strict=True))


def _solutions(functions: Sequence[Expr], point: dict[Symbol, Rational]) -> list[Values] | None:
    """The real parameter values at which the functions agree with their values at the point."""
    hats = {p: hat(p) for p in point}
    ring = Ring([*hats.values(), *_SPARE])
    try:
        polys = [ring.polynomial(f.xreplace(hats) - f.xreplace(point)) for f in functions]
        system = System(ring, tuple(polys), tuple(hats.values()), (), _SPARE)
        solutions, _ = solve(system, Budget.seconds(_SECONDS))
    except (NotPolynomial, Unsolved, BudgetExceeded, ZeroDivisionError):
        return None
    found: list[Values] = []
    for solution in solutions:
        if solution.free or len(solution.algebraic) > 1:
            return None
        for values, algebraic in opened_values(ring, solution):
            found += _numbers({p: values[h] for p, h in hats.items()}, algebraic)
    return [s for s in found if all(is_real(v) for v in s.values())]


def _numbers(values: dict[Symbol, Expr], algebraic: dict[Symbol, Expr]) -> list[Values]:
    if not algebraic:
        numbers = [mpmath.mpmathify(e.evalf(40)) for e in values.values()]
        return [dict(zip(values, numbers, strict=True))]
    symbol, minimal = next(iter(algebraic.items()))
    coefficients = [to_number(c) for c in minimal.as_poly(symbol).all_coeffs()]
    function = compiled((symbol,), list(values.values()))
    roots = mpmath.polyroots(coefficients, maxsteps=200, extraprec=200)
    return [dict(zip(values, function(root), strict=True)) for root in roots]


def _near(a: Values, b: Values) -> bool:
    return all(abs(a[p] - b[p]) < mpmath.mpf(10) ** -20 * (1 + abs(a[p])) for p in a)


def _tells(function: Expr, point: dict[Symbol, Rational], strangers: Sequence[Values]) -> bool:
    """Whether the function differs at some stranger from its value at the point."""
    value = compiled(list(point), [function])
    try:
        here = value(*(to_number(v) for v in point.values()))[0]
        there = [value(*(s[p] for p in point))[0] for s in strangers]
    except (ZeroDivisionError, ValueError):
        return False
    return any(abs(here - t) > mpmath.mpf(10) ** -20 * (1 + abs(here)) for t in there)
