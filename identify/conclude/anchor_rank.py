"""Anchor rank against the dimension of the lifted set, at the identity (prop:anchor-rank).

Rows are derivatives of anchor predictions along the free symbols of the branch of the identity; a
parameter is locally determined by a set of anchors when its own row lies in their span.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import mpmath
from sympy import Expr, Symbol

from identify.conclude.anchor_kinds import Anchor, NoMap, identity_value
from identify.orbit.branch import Branch
from identify.orbit.infinitesimal import rank
from identify.orbit.sampling import Number, Point, compiled, to_number

Row = list[Number]


@dataclass(frozen=True)
class Tangent:
    """Rows of the anchors and of the parameters at one generic point of the truth."""

    anchors: dict[Anchor, Row]
    parameters: dict[Symbol, Row]
    dimension: int
    _determined: dict[tuple[frozenset[Anchor], Symbol], bool] = field(default_factory=dict)

    def rank(self, chosen: Sequence[Anchor]) -> int | None:
        """The anchor rank of a set; None without a numerical gap."""
        with mpmath.workdps(50):
            return rank([self.anchors[a] for a in chosen]) if chosen else 0

    def determines(self, chosen: Sequence[Anchor], parameter: Symbol) -> bool:
        """Whether the anchors determine the parameter near the identity."""
        key = (frozenset(chosen), parameter)
        if key not in self._determined:
            self._determined[key] = self._determines(chosen, parameter)
        return self._determined[key]

    def _determines(self, chosen: Sequence[Anchor], parameter: Symbol) -> bool:
        row = self.parameters[parameter]
        if all(abs(x) < mpmath.mpf(10) ** -30 for x in row):
            return True
        with mpmath.workdps(50):
            rows = [self.anchors[a] for a in chosen]
            return bool(rows) and rank(rows) == rank([*rows, row])


def gradients(
    branch: Branch, expressions: Sequence[Expr], truth: dict[Symbol, Expr]
) -> list[list[Expr]] | None:
    """Derivatives along the free symbols at the identity; None where that point is not known."""
    table: dict[Symbol, Expr] = {n: n * 0 for n in branch.integers}
    for symbol in branch.free:
        value = identity_value(symbol, truth)
        if value is None:
            return None
        table[symbol] = value
    return [[e.diff(s).xreplace(table) for s in branch.free] for e in expressions]


def tangent(
    branch: Branch,
    anchors: Sequence[Anchor],
    parameters: Sequence[Symbol],
    truth: dict[Symbol, Expr],
    state: Symbol,
    clock: Symbol | None,
    point: Point,
) -> Tangent | None:
    """The rows at ``point``; None where the identity's branch has no map or no known base point."""
    usable = [a for a in anchors if branch.map is not None or not a.on_coordinate]
    try:
        predicted = [a.predicted(branch, state, clock) for a in usable]
    except NoMap:
        return None
    table = gradients(branch, [*predicted, *(branch.parameters[p] for p in parameters)], truth)
    if table is None:
        return None
    names = tuple(point.parameters)
    flat = [e for row in table for e in row]
    with mpmath.workdps(50):
        try:
            values = compiled(names, flat)(*(to_number(v) for v in point.parameters.values()))
        except (ValueError, ZeroDivisionError, OverflowError):
            return None
    width = len(branch.free)
    rows = [list(values[i * width : (i + 1) * width]) for i in range(len(table))]
    count = len(usable)
    return Tangent(
        dict(zip(usable, rows[:count], strict=True)),
        dict(zip(parameters, rows[count:], strict=True)),
        width,
    )
