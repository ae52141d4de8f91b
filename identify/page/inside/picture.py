"""What the page's pictures need of an analysis: the law, its orbit and its rank condition as trees."""

from __future__ import annotations

from typing import Any

from sympy import Symbol

from identify.analysis import Analysis, BranchInfo
from identify.errors import InputError
from identify.law import Condition, Law, read_condition, read_expression
from identify.law.names import real
from identify.motion.values import ordinary_parameters, real_number
from identify.page.inside.tree import NotDrawn, tree
from identify.report.formula import (
    Bars,
    Binary,
    Call,
    Formula,
    Name,
    Negation,
    Number,
    Relation,
    read_formula,
)
from identify.report.latex_notation import latex, typeset

MOST_BRANCHES = 6


def picture(law: Law, analysis: Analysis) -> dict[str, Any]:
    """The data of both pictures, or ``{"refused": why}``."""
    try:
        return {
            "state": law.state.name,
            "velocity": law.velocity.name,
            "acceleration": tree(law.acceleration),
            "parameters": [p.name for p in law.parameters],
            "symbols": {p.name: latex(p.name) for p in law.parameters},
            "values": _values(law),
            "assumptions": [_condition(c) for c in law.assumptions],
            "domain": [_condition(c) for c in law.domain],
            "template": _template(law),
            "features": []
            if analysis.coverage is None
            else [_feature(t) for t in analysis.coverage.features],
            "branches": _branches(law, analysis),
        }
    except NotDrawn as error:
        return {"refused": f"the page cannot draw {error}"}


def _values(law: Law) -> dict[str, float] | None:
    """Simple values that meet the assumptions, or None where the reader has to choose them."""
    try:
        return {symbol.name: real_number(value) for symbol, value in ordinary_parameters(law).items()}
    except InputError:
        return None


def _condition(condition: Condition) -> dict[str, Any]:
    return {
        "tree": tree(condition.expression),
        "relation": condition.relation,
        "text": condition.text,
        "latex": latex(condition.text),
    }


def _feature(text: str) -> Any:
    return tree(read_expression(text, [real("v")]))


def _branches(law: Law, analysis: Analysis) -> list[dict[str, Any]]:
    """The branches that have an explicit map and can be evaluated, the one through the identity first."""
    found: list[dict[str, Any]] = []
    for branch in () if analysis.gauge is None else analysis.gauge.branches:
        if branch.map is not None and not branch.symbols and len(found) < MOST_BRANCHES:
            try:
                found.append(_branch(law, branch))
            except (NotDrawn, InputError):
                continue
    return found


def _branch(law: Law, branch: BranchInfo) -> dict[str, Any]:
    names: list[str | Symbol] = [*branch.free, *branch.integers, *law.parameters, law.state]
    symbols = [real(name) if isinstance(name, str) else name for name in names]
    conditions = [c for text in branch.conditions for c in read_condition(text, symbols)]
    assert branch.map is not None
    return {
        "kind": branch.kind,
        "latex": latex(f"{law.state.name}hat = {branch.map}"),
        "free": [{"name": name, "latex": latex(name)} for name in branch.free],
        "integers": [{"name": name, "latex": latex(name)} for name in branch.integers],
        "map": tree(read_expression(branch.map, symbols)),
        "parameters": {n: tree(read_expression(t, symbols)) for n, t in branch.parameters.items()},
        "conditions": [_condition(c) for c in conditions],
    }


def _template(law: Law) -> str | None:
    """The law in LaTeX with ``\\x02name\\x03`` in place of each parameter, to be filled with numbers."""
    formula = read_formula(law.text)
    return None if formula is None else typeset(_open(formula, {p.name for p in law.parameters}))


def _open(node: Formula, names: set[str]) -> Formula:
    match node:
        case Name(text, 0) if text in names:
            return Number(f"\x02{text}\x03")
        case Bars(inner):
            return Bars(_open(inner, names))
        case Negation(inner):
            return Negation(_open(inner, names))
        case Call(function, arguments):
            return Call(function, tuple(_open(a, names) for a in arguments))
        case Binary(operator, left, right):
            return Binary(operator, _open(left, names), _open(right, names))
        case Relation(terms, operators):
            return Relation(tuple(_open(t, names) for t in terms), operators)
        case _:
            return node
