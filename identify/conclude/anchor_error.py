"""How uncertain anchors make the calibrated parameters.

To first order ``d log eta_p = sum_i c_i * d log A_i``, where the row of the parameter along the orbit is
``sum_i c_i`` times the rows of the anchors.  For a law that only rescales, c is minus the weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from sympy import Expr, S, Symbol, expand_log, powdenest

from identify.conclude.anchor_given import Imposed
from identify.conclude.anchor_kinds import Anchor, NoMap
from identify.conclude.anchor_rank import gradients
from identify.conclude.anchor_set import AnchoredSet
from identify.orbit.equality import same


@dataclass(frozen=True)
class Effect:
    """The sensitivity of one parameter to each anchor, and the relative uncertainty it adds up to."""

    sensitivity: dict[int, Expr]
    relative: float | None


def effects(anchored: AnchoredSet, given: Imposed, parameters: Sequence[Symbol]) -> dict[Symbol, Effect]:
    """The effect of the anchors' uncertainties on each of the parameters they determine."""
    branch = anchored.identity
    if branch is None:
        return {}
    order = sorted(range(len(given.anchors)), key=lambda i: _relative(given, i) or 0.0)
    try:
        scaled = [_scaled(anchored, given.anchors[i]) for i in order]
    except NoMap:
        return {}
    targets = [branch.parameters[p] / anchored.truth[p] for p in parameters if anchored.truth[p] != 0]
    rows = gradients(branch, [*scaled, *targets], anchored.truth)
    if rows is None:
        return {}
    positive = all(anchored.filter.facts.sign(u) == "+" for u in given.places)
    try:
        rows = [[_tidy(e, positive) for e in row] for row in rows]
    except _TooDeep:
        return {}
    chosen = _independent(rows[: len(order)])
    result = {}
    named = [p for p in parameters if anchored.truth[p] != 0]
    for p, row in zip(named, rows[len(order) :], strict=True):
        coefficients = _coefficients([rows[i] for i in chosen], row)
        if coefficients is not None and any(c != 0 for c in coefficients):
            by_anchor = {order[i]: c for i, c in zip(chosen, coefficients, strict=True) if c != 0}
            result[p] = Effect(by_anchor, _total(by_anchor, given))
    return result


def _scaled(anchored: AnchoredSet, anchor: Anchor) -> Expr:
    """The prediction relative to the true value (as it is where that is zero)."""
    assert anchored.identity is not None
    predicted = anchor.predicted(anchored.identity, anchored.state, anchored.clock)
    true_value = anchor.true_value(anchored.truth)
    return predicted if true_value == 0 else predicted / true_value


def _relative(given: Imposed, index: int) -> float | None:
    quantity = given.texts[index].quantity
    return None if quantity is None else quantity.relative


class _TooDeep(Exception):
    """A derivative that is not rational, so that sensitivities would be unreadable."""


def _tidy(e: Expr, positive: bool) -> Expr:
    if e.is_rational_function(*e.free_symbols) or not e.free_symbols:
        return e.cancel()
    if not positive:
        raise _TooDeep
    return expand_log(powdenest(e, force=True), force=True).cancel()


def _independent(rows: Sequence[Sequence[Expr]]) -> list[int]:
    """Rows that add to the rank, exact and precise anchors first."""
    chosen: list[int] = []
    for i in range(len(rows)):
        if _coefficients([rows[j] for j in chosen], rows[i]) is None and any(e != 0 for e in rows[i]):
            chosen.append(i)
    return chosen


def _coefficients(rows: Sequence[Sequence[Expr]], target: Sequence[Expr]) -> list[Expr] | None:
    """``c`` with ``c * rows = target`` for independent rows; None where the target is not in their span."""
    # Columns of the augmented system: one equation for each free symbol.
    table = [[row[k] for row in rows] + [target[k]] for k in range(len(target))]
    width, used = len(rows), 0
    for column in range(width):
        pivot = next((i for i in range(used, len(table)) if not _zero(table[i][column])), None)
        if pivot is None:
            return None
        table[used], table[pivot] = table[pivot], table[used]
        table[used] = [(x / table[used][column]).cancel() for x in table[used]]
        for i in range(len(table)):
            if i != used and not _zero(table[i][column]):
                factor = table[i][column]
                table[i] = [(x - factor * y).cancel() for x, y in zip(table[i], table[used], strict=True)]
        used += 1
    if any(not _zero(row[-1]) for row in table[used:]):
        return None
    return [row[-1] for row in table[:used]]


def _zero(e: Expr) -> bool:
    return e == 0 or same(e, S.Zero)


def _total(coefficients: dict[int, Expr], given: Imposed) -> float | None:
    """The relative uncertainty; None where an anchor has none or a number depends on the truth."""
    total, known = 0.0, False
    for index, coefficient in coefficients.items():
        relative = _relative(given, index)
        if relative is None:
            continue
        size = coefficient.xreplace(given.values)
        if size.free_symbols:
            return None
        total += (float(size) * relative) ** 2
        known = True
    return sqrt(total) if known else None
