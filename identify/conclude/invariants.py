"""A short generating set of the functions of the parameters that every report agrees on.

First the invariants of the continuous part of the compatible set: monomials from the integer kernel
of the weights where the parameters only rescale, otherwise a moving frame (normalise some reported
parameters; the others become invariants).  Then symmetric functions over the discrete branches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mpmath
from sympy import Add, Expr, Pow, Symbol

from identify.conclude.continuous import (
    centred_invariants,
    coefficient_invariants,
    continuous_invariants,
)
from identify.conclude.form import has_root, positive_lead
from identify.conclude.separation import separating
from identify.conclude.symmetric import symmetrised
from identify.conclude.verdict import Verdict, keeps_sign
from identify.orbit.compatible import CompatibleSet
from identify.orbit.infinitesimal import rank
from identify.orbit.sampling import Point, compiled, to_number
from identify.orbit.ties import tied


@dataclass(frozen=True)
class Invariants:
    """Generating functions; ``complete`` when their Jacobian has the full rank."""

    functions: tuple[Expr, ...]
    signs: tuple[Expr, ...]
    complete: bool


def invariants(compatible: CompatibleSet, verdicts: dict[Symbol, Verdict]) -> Invariants:
    """Invariants of the whole compatible set, in readable form."""
    identity = compatible.identity
    if identity is None or compatible.dimensions is None:
        return Invariants((), (), False)
    parameters = compatible.family.known
    if compatible.scope != "global":
        return Invariants(_without_numbers(compatible.constants), (), False)
    point = compatible.filter.points[0]
    wanted = len(parameters) - compatible.dimensions.orbit
    continuous = continuous_invariants(identity.branch, _as_written(parameters, compatible))
    short = len(independent(continuous, parameters, point, wanted)) < wanted
    long = any(has_root(f) or f.has(Add) or not f.is_rational_function() for f in continuous)
    if short or long or identity.branch.integers or _inside_functions(compatible):
        continuous = [*continuous, *coefficient_invariants(identity.branch, compatible)]
    if short or len(compatible.branches) > 1:
        continuous = [*continuous, *centred_invariants(compatible)]
    symmetric = symmetrised(continuous, compatible)
    chosen = independent(symmetric.candidates, parameters, point, wanted)
    complete = len(chosen) == wanted
    rooted = any(r.branch.algebraic for r in compatible.branches)
    if complete and compatible.dimensions.orbit == 0 and len(compatible.branches) > 1 and not rooted:
        chosen = separating(chosen, symmetric.candidates, compatible) or list(symmetric.separating) or chosen
    signs = sign_invariants(compatible, verdicts)
    return Invariants(tuple(chosen), signs, complete)


def _as_written(parameters: Sequence[Symbol], compatible: CompatibleSet) -> list[Symbol]:
    """Parameters below a line in the law first, so that ``g/L`` is not told as ``L/g``."""
    powers = {p for _, c in compatible.family.channels for p in c.atoms(Pow) if p.exp.is_negative}
    below = {s for p in powers for s in p.base.free_symbols}
    return sorted(parameters, key=lambda p: p not in below)


def _inside_functions(compatible: CompatibleSet) -> bool:
    """Whether the law has functions of the parameters alone, whose values are natural invariants."""
    family = compatible.family
    return bool(tied([c for _, c in family.channels], family.independent, family.state, {}).ties)


def _without_numbers(constants: Sequence[Expr]) -> tuple[Expr, ...]:
    return tuple(positive_lead(c) for c in constants if c.free_symbols)


def independent(
    functions: Sequence[Expr], parameters: Sequence[Symbol], point: Point, wanted: int
) -> list[Expr]:
    """The shortest functions with independent differentials at the point."""
    unique: list[Expr] = []
    for f in sorted(functions, key=lambda f: (not f.is_Symbol, has_root(f), _length(f))):
        if not any(f == g for g in unique):
            unique.append(f)
    chosen: list[Expr] = []
    rows: list[list[object]] = []
    with mpmath.workdps(50):
        values = [to_number(point.parameters[p]) for p in parameters]
        for f in unique:
            if len(chosen) == wanted:
                break
            try:
                gradient = compiled(parameters, [f.diff(p) for p in parameters])(*values)
            except (ValueError, ZeroDivisionError):
                continue
            if rank([*rows, gradient]) == len(rows) + 1:
                rows.append(gradient)
                chosen.append(f)
    order = {p: i for i, p in enumerate(parameters)}
    return sorted(chosen, key=lambda f: (not f.is_Symbol, order.get(f, 0), len(str(f))))


def _length(function: Expr) -> int:
    """The length in print; a sum below the line, which can vanish, counts as much as a longer formula."""
    below = function.as_numer_denom()[1] if function.is_rational_function() else function
    return len(str(function)) * (2 if below.has(Add) else 1)


def sign_invariants(compatible: CompatibleSet, verdicts: dict[Symbol, Verdict]) -> tuple[Expr, ...]:
    """Parameters without a fixed value whose sign every report agrees on, where it was not declared."""
    return tuple(
        p
        for p, v in verdicts.items()
        if v.status in ("sign", "finite")
        and compatible.filter.facts.sign(p) not in ("+", "-")
        and keeps_sign(compatible, p)
    )
