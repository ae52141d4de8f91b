"""One branch for each component: duplicates, both orientations, and special cases put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sympy import Abs, Expr, Rational, Symbol

from identify.orbit.branch import LAMBDA, TAU, Branch, hat
from identify.orbit.equality import same


def merged(branches: Sequence[Branch]) -> list[Branch]:
    """The branches without repetitions."""
    result: list[Branch] = []
    for branch in branches:
        if not any(_equal(branch, other) for other in result):
            result.append(branch)
    result = _both_orientations(result)
    return [b for b in result if not any(o is not b and _contains(o, b) for o in result)]


def _equal(a: Branch, b: Branch) -> bool:
    if set(a.free) != set(b.free) or a.integers != b.integers or a.algebraic != b.algebraic:
        return False
    if (a.map is None) != (b.map is None) or set(a.positive) != set(b.positive):
        return False
    if a.map is not None and b.map is not None and not same(a.map, b.map):
        return False
    return all(same(e, b.parameters[p]) for p, e in a.parameters.items())


def _contains(big: Branch, small: Branch) -> bool:
    """Whether ``small`` is ``big`` at special values of its free symbols."""
    extra = set(big.free) - set(small.free)
    if not (extra or set(big.integers) - set(small.integers)) or small.algebraic or big.algebraic:
        return False
    if small.map is None or big.map is None or small.scale is None or small.shift is None:
        return False
    table: dict[Symbol, Expr] = {n: Rational(0) for n in big.integers}
    for symbol in extra:
        if symbol == LAMBDA:
            table[symbol] = small.scale
        elif symbol == TAU:
            table[symbol] = small.shift
        else:
            value = next((e for p, e in small.parameters.items() if hat(p) == symbol), None)
            if value is None:
                return False
            table[symbol] = value
    at = big.substitute(table)
    assert at.map is not None
    return same(at.map, small.map) and all(same(e, small.parameters[p]) for p, e in at.parameters.items())


def _both_orientations(branches: list[Branch]) -> list[Branch]:
    """Join a branch for lambda > 0 with its counterpart for lambda < 0."""
    result = list(branches)
    for up in branches:
        for down in branches:
            if LAMBDA in up.positive and -LAMBDA in down.positive and up in result and down in result:
                joined = _join(up, down)
                if joined is not None:
                    result[result.index(up)] = joined
                    result.remove(down)
    return result


def _join(up: Branch, down: Branch) -> Branch | None:
    if set(up.free) != set(down.free) or up.algebraic or down.algebraic or up.map is None or down.map is None:
        return None
    if LAMBDA not in up.free or up.map != down.map:
        return None
    size = Symbol("_size", positive=True)
    parameters: dict[Symbol, Expr] = {}
    for p, e in up.parameters.items():
        plus, minus = e.xreplace({LAMBDA: size}), down.parameters[p].xreplace({LAMBDA: -size})
        if same(plus, minus):
            parameters[p] = plus.xreplace({size: Abs(LAMBDA)})
        elif same(plus.xreplace({size: LAMBDA}).xreplace({LAMBDA: -size}), minus):
            parameters[p] = plus.xreplace({size: LAMBDA})
        else:
            return None
    positive = tuple(e for e in up.positive if e not in (LAMBDA, Abs(LAMBDA)))
    return replace(up, parameters=parameters, positive=positive)
