"""Canonical laws whose squared-velocity coefficient has no parameters.

Every report then has the same normalizer psi, so two laws are compatible exactly when their canonical laws
are related by an affine map (thm:connection-slice): the raw route answers in the coordinate
``q = psi(z)``, and ``f = psi**-1 o A o psi``.
"""

from __future__ import annotations

from dataclasses import replace

from sympy import Expr, S, Symbol, powsimp

from identify.algebra.budget import Budget
from identify.law.law import Condition
from identify.orbit.branch import Branch, Family
from identify.orbit.compatible import CompatibleSet, raw_set
from identify.orbit.equality import same
from identify.orbit.real import RealFilter, declared_facts
from identify.orbit.sampling import Sampler
from identify.routes.normalizer import ClosedNormalizer, closed_normalizer
from identify.routes.route import Feature
from identify.routes.signs import Signs

_Q = Symbol("_Q", positive=True)


def normalised_set(
    family: Family, sampler: Sampler, judge: RealFilter, budget: Budget
) -> CompatibleSet | None:
    """The compatible set through the canonical coordinate; None where that is not available.

    Taken only where the domain is ``z > 0`` and the canonical coordinate is positive there, so that powers
    of it combine.
    """
    square = next((c for f, c in family.channels if f.power == 2), None)
    if square is None or square.free_symbols & set(family.parameters):
        return None
    closed = closed_normalizer(square, family.state, Signs(sampler))
    normalizer = None if closed is None else _unit(closed, family.state)
    if normalizer is None or not _positive(normalizer, sampler):
        return None
    inner = replace(family, channels=_channels(family, normalizer))
    domain = (Condition(family.state, ">", "the canonical coordinate is positive"),)
    found = raw_set(inner, replace(sampler, domain=domain), budget)
    if found.scope != "global":
        return None
    verdicts = [judge.judge(_back(r.branch, family.state, normalizer)) for r in found.branches]
    kept = tuple(v for v in verdicts if v.verdict != "dropped")
    return replace(found, family=family, filter=judge, branches=kept)


def _unit(normalizer: ClosedNormalizer, state: Symbol) -> ClosedNormalizer | None:
    """The normalizer scaled to be one at one, which leaves powers without numbers in them."""
    size = normalizer.psi.xreplace({state: S.One})
    if not size.is_positive:
        return None
    q = normalizer.coordinate
    return ClosedNormalizer(
        normalizer.psi / size, normalizer.slope / size, normalizer.inverse.xreplace({q: size * q}), q
    )


def _positive(normalizer: ClosedNormalizer, sampler: Sampler) -> bool:
    """Whether ``z > 0`` is the domain and psi maps it onto the positive numbers."""
    z = sampler.state
    if [c.expression for c in sampler.domain] != [z]:
        return False
    facts = declared_facts(sampler.domain)
    back = normalizer.inverse.xreplace({normalizer.coordinate: _Q})
    return (
        facts.sign(normalizer.psi) == "+"
        and bool(back.is_positive)
        and same(normalizer.psi.xreplace({z: back}), _Q)
    )


def _channels(family: Family, normalizer: ClosedNormalizer) -> tuple[tuple[Feature, Expr], ...]:
    """``psi'**(1-r) * c_r`` as functions of the canonical coordinate, which takes the state's name."""
    z = family.state
    back = normalizer.inverse.xreplace({normalizer.coordinate: _Q})
    result = []
    for feature, c in family.channels:
        if feature.power != 2:
            canonical = (normalizer.slope ** (1 - feature.power) * c).expand()
            result.append((feature, _tidy(canonical.xreplace({z: back})).xreplace({_Q: z})))
    return tuple((f, c) for f, c in result if c != 0)


def _tidy(expression: Expr) -> Expr:
    return powsimp(expression.expand(), force=True)


def _back(branch: Branch, state: Symbol, normalizer: ClosedNormalizer) -> Branch:
    """The branch with its map in the state itself; the canonical map keeps positive numbers positive."""
    assert branch.map is not None
    assert branch.scale is not None
    image = normalizer.inverse.xreplace({normalizer.coordinate: branch.map.xreplace({state: normalizer.psi})})
    return replace(branch, map=image, scale=None, shift=None, positive=(*branch.positive, branch.scale))
