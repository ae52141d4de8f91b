"""A verdict for each parameter: identified, finite, sign, free, or undecided."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Symbol

from identify.analysis import Status
from identify.orbit.compatible import CompatibleSet
from identify.orbit.equality import same
from identify.orbit.facts import Facts
from identify.orbit.infinitesimal import moves_alone
from identify.orbit.real import Realness


@dataclass(frozen=True)
class Verdict:
    """The status of a parameter, its value on the branch of the identity, and other values it can take."""

    status: Status
    transform: Expr
    alternatives: tuple[tuple[Expr, tuple[Expr, ...]], ...]
    why: str
    redundant: bool = False


def verdicts(compatible: CompatibleSet) -> dict[Symbol, Verdict]:
    """The verdict for every declared parameter."""
    return {p: _verdict(compatible, p) for p in compatible.family.parameters}


def varies(expression: Expr, free: tuple[Symbol, ...]) -> bool:
    """Whether the expression depends on the free symbols."""
    used = [s for s in free if expression.has(s)]
    if not used:
        return False
    moved = expression.xreplace({s: 2 * s + 3 for s in used})
    return not same(expression, moved)


def _verdict(compatible: CompatibleSet, parameter: Symbol) -> Verdict:
    true_value = compatible.family.truth[parameter]
    identity = compatible.identity
    if identity is None:
        return Verdict("undecided", parameter, (), "the branch of the identity map was not found")
    transform = identity.branch.parameters[parameter]
    moving = [r for r in compatible.branches if varies(r.branch.parameters[parameter], r.branch.free)]
    others = _other_values(compatible, parameter, true_value)
    if moving:
        status, why = _moving(compatible, parameter)
        redundant = _through_redundancy(compatible, parameter)
        if redundant and status in ("sign", "free"):
            why = "it enters the law only in combination with other parameters"
        return Verdict(status, transform, _pairs(others, parameter), why, redundant)
    sure = [r for r in others if r.verdict == "kept"]
    if sure and compatible.scope != "none":
        count = len({str(r.branch.parameters[parameter]) for r in sure})
        plural = "s fit" if count > 1 else " fits"
        why = f"{count} other value{plural} the same videos"
        if any(r.branch.parameters[parameter].free_symbols & set(r.branch.integers) for r in sure):
            why = "other values, one for each whole number n, fit the same videos"
        if len(sure) < len(others) or compatible.scope != "global":
            why += "; further ones are not excluded"
        return Verdict("finite", transform, _pairs(sure, parameter), why)
    if others:
        return Verdict(
            "undecided",
            transform,
            _pairs(others, parameter),
            "whether another branch is real is not decided",
        )
    if compatible.scope != "global" and not _fixed_by_scalar(compatible, parameter):
        return Verdict("undecided", transform, (), _open_reason(compatible))
    return Verdict("identified", transform, (), "no compatible coordinate map changes it")


def _fixed_by_scalar(compatible: CompatibleSet, parameter: Symbol) -> bool:
    """Whether a constant scalar of the law is a multiple of the parameter (plus a number)."""
    slopes = [c.diff(parameter) for c in compatible.constants if c.free_symbols == {parameter}]
    return any(s.is_number and s != 0 for s in slopes)


def _open_reason(compatible: CompatibleSet) -> str:
    near = "near the identity nothing changes it, but " if compatible.scope == "local" else ""
    return f"{near}not all compatible maps could be found: {'; '.join(compatible.gaps)}"


def _other_values(compatible: CompatibleSet, parameter: Symbol, value: Expr) -> list[Realness]:
    return [
        r
        for r in compatible.branches
        if not varies(r.branch.parameters[parameter], r.branch.free)
        and not same(r.branch.parameters[parameter], value)
    ]


def _pairs(branches: list[Realness], parameter: Symbol) -> tuple[tuple[Expr, tuple[Expr, ...]], ...]:
    """Each other value once, with the conditions under which it is real."""
    found: list[tuple[Expr, tuple[Expr, ...]]] = []
    for r in branches:
        value = r.branch.parameters[parameter]
        if not any(same(value, other) for other, _ in found):
            found.append((value, r.conditions))
    return tuple(found)


def _moving(compatible: CompatibleSet, parameter: Symbol) -> tuple[Status, str]:
    """Sign fixed, or not, for a parameter that varies along the orbit."""
    if declared_sign(compatible, parameter):
        return "sign", "it changes with the coordinate map; its sign is declared"
    if compatible.scope == "global" and keeps_sign(compatible, parameter):
        return "sign", "it changes with the coordinate map, by a positive factor only"
    if any(compatible.filter.sign_changes(r.branch, parameter) for r in compatible.kept):
        return "free", "it changes with the coordinate map, and its sign with it"
    return "undecided", "it changes with the coordinate map; whether its sign can is not decided"


def keeps_sign(compatible: CompatibleSet, parameter: Symbol) -> bool:
    """Whether every report provably has the true sign of the parameter."""
    value = compatible.family.truth[parameter]
    if value == 0:
        return False
    return declared_sign(compatible, parameter) or all(
        _positive(r.facts, r.branch.parameters[parameter] / value) for r in compatible.branches
    )


def declared_sign(compatible: CompatibleSet, parameter: Symbol) -> bool:
    """Whether the declared conditions give the parameter a sign, which every report then has too."""
    return compatible.filter.facts.sign(parameter) in ("+", "-")


def _positive(facts: Facts, ratio: Expr) -> bool:
    return facts.sign(ratio.cancel() if ratio.is_rational_function() else ratio) == "+"


def _through_redundancy(compatible: CompatibleSet, parameter: Symbol) -> bool:
    """Whether the parameter moves although the coordinate stays fixed.

    A report that is free on the branch need not: it may stand for a shift of the coordinate.
    """
    if compatible.dimensions is None or compatible.dimensions.redundancy == 0:
        return False
    return moves_alone(compatible.family, parameter, compatible.filter.points[0]) is True
