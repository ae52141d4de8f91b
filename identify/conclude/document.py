"""The Analysis document from the stages' results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sympy import Expr, Symbol

from identify.analysis import (
    BranchInfo,
    Gauge,
    Guarantee,
    LawInfo,
    ParameterVerdict,
    RouteInfo,
    Stratum,
)
from identify.certificate.fingerprint import fingerprint
from identify.conclude.invariants import Invariants
from identify.conclude.lock import translation_lock
from identify.conclude.names import Names
from identify.conclude.verdict import Verdict
from identify.law import to_text
from identify.law.law import Law
from identify.orbit.compatible import CompatibleSet
from identify.orbit.facts import Facts
from identify.orbit.real import Realness
from identify.routes.feature import feature_text
from identify.routes.route import Route

SEED = 1


def law_info(law: Law) -> LawInfo:
    """The law as read."""
    return LawInfo(
        text=law.text,
        state=law.state.name,
        velocity=law.velocity.name,
        acceleration=to_text(law.acceleration),
        leading=to_text(law.leading),
        parameters=tuple(p.name for p in law.parameters),
        assumptions=tuple(dict.fromkeys(c.text for c in law.assumptions)),
        domain=tuple(dict.fromkeys(c.text for c in law.domain)),
    )


def route_info(route: Route) -> RouteInfo:
    """The route with its features in words."""
    return RouteInfo(
        name=route.name,
        features=tuple(feature_text(f) for f in route.features),
        reason=route.reason,
        suggestion=route.suggestion,
        theorem=route.theorem,
    )


def gauge(compatible: CompatibleSet, route: Route, parameters: Sequence[Symbol], names: Names) -> Gauge:
    """All branches with the lifted dimension."""
    size = compatible.dimensions
    return Gauge(
        dimension=None if size is None else size.lifted,
        branches=tuple(branch_info(r, parameters, names) for r in compatible.branches),
        translation_lock=translation_lock(compatible, route),
    )


def branch_info(realness: Realness, parameters: Sequence[Symbol], names: Names) -> BranchInfo:
    """One branch in the public names."""
    branch = realness.branch
    free = tuple(names.symbol(s).name for s in branch.free)
    conditions = [f"{names.text(e)} > 0" for e in realness.conditions]
    roots = (e for p, e in branch.parameters.items() if p.is_positive and p not in parameters)
    told = (e for e in (*branch.positive, *roots) if e.has(names.state) or _worth_saying(realness, e))
    conditions += [f"{names.text(e)} > 0" for e in told]
    if realness.verdict == "undecided":
        conditions.append("existence over the reals is not decided")
    return BranchInfo(
        map=None if branch.map is None else names.text(branch.map),
        free=free,
        conditions=tuple(dict.fromkeys(conditions)),
        parameters={p.name: names.text(branch.parameters[p]) for p in parameters},
        kind="identity" if branch.identity else "discrete",
        relation=None if branch.relation is None else f"{names.text(branch.relation)} = 0",
        symbols={names.symbol(s).name: names.text(e) for s, e in branch.algebraic.items()},
        integers=tuple(names.symbol(n).name for n in branch.integers),
        clock=None if names.clock is None else names.text(branch.parameters[names.clock]),
    )


def _worth_saying(realness: Realness, expression: Expr) -> bool:
    """Positivity of a free symbol that follows neither by itself nor from the other requirements."""
    free, symbols = set(realness.branch.free), expression.free_symbols
    if symbols <= free:
        return Facts().sign(expression) != "+"
    if not symbols & free or symbols & {*realness.branch.algebraic, *realness.branch.integers}:
        return False
    others = tuple((e, s) for e, s in realness.facts.known if e != expression)
    return Facts(others).sign(expression) != "+"


def parameter_verdicts(verdicts: dict[Symbol, Verdict], names: Names) -> dict[str, ParameterVerdict]:
    """The verdicts in the public names."""
    return {
        p.name: ParameterVerdict(
            status=v.status,
            transform=names.text(v.transform),
            alternatives=tuple(_alternative(e, conditions, names) for e, conditions in v.alternatives),
            why=v.why,
            redundant=v.redundant,
        )
        for p, v in verdicts.items()
    }


def _alternative(value: Expr, conditions: Sequence[Expr], names: Names) -> str:
    return names.text(value)


def guarantee(compatible: CompatibleSet, route: Route, strata: Sequence[Stratum], exact: bool) -> Guarantee:
    """How far the claims reach."""
    semilinear = route.name == "semilinear"
    conditions = ", ".join(s.condition for s in strata)
    statement = {
        "global": "All compatible coordinate maps were found",
        "local": "All compatible coordinate maps near the identity were found; others are not excluded",
        "none": "The compatible maps could not all be found",
    }[compatible.scope]
    if semilinear:
        statement += "; each is realized by an encoder that can represent the state up to scale and origin"
    return Guarantee(
        scope=compatible.scope,
        field="real",
        stratum=f"generic (not: {conditions})" if conditions else "generic",
        precision="exact" if exact else "50 digits",
        realizable=semilinear,
        statement=statement + ".",
    )


def certificate(law: LawInfo, compatible: CompatibleSet, found: Invariants, names: Names) -> dict[str, Any]:
    """What an independent checker needs: the law's fingerprint, witnesses, and the labelled claims."""
    scope = compatible.scope
    label = {"field": "real", "stratum": "generic"}
    claims = [
        {"claim": "branches", "scope": "global", "precision": "exact", "by": "substitution", **label},
        {
            "claim": "dimension",
            "scope": "local",
            "precision": "80 digits",
            "by": "linearised orbit equations",
            **label,
        },
        {
            "claim": "completeness",
            "scope": scope,
            "precision": "exact",
            "by": "elimination over all pairings",
            **label,
        },
        {
            "claim": "invariants",
            "scope": "global",
            "precision": "exact",
            "by": "substitution into the branches",
            **label,
        },
    ]
    return {
        "law_sha256": fingerprint({"text": law.text, "assumptions": law.assumptions, "domain": law.domain}),
        "seed": SEED,
        "claims": claims,
        "complete_invariants": found.complete,
        "witnesses": [_witness(r, names) for r in compatible.branches],
    }


def _witness(realness: Realness, names: Names) -> dict[str, Any] | None:
    """The exact point at which the branch is real; an unknown clock has it in symbols that are not public."""
    if realness.witness is None or names.clock is not None:
        return None
    return {
        "parameters": {p.name: str(v) for p, v in realness.witness.point.parameters.items()},
        "states": [str(s) for s in realness.witness.point.states],
        "free": {names.symbol(s).name: str(v) for s, v in realness.witness.free.items()},
    }
