"""The compatible set of a declared law: all real branches, its dimensions, what was assumed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sympy import Expr, Symbol

from identify.algebra.budget import Budget
from identify.orbit.affine import affine_branches
from identify.orbit.branch import Branch, Family
from identify.orbit.infinitesimal import Dimensions, dimensions
from identify.orbit.merge import merged
from identify.orbit.real import RealFilter, Realness, with_identity
from identify.orbit.sampling import Sampler
from identify.routes.route import LINEAR

Scope = Literal["global", "local", "none"]


@dataclass(frozen=True)
class CompatibleSet:
    """All compatible reports of a family.

    ``branches`` are real ones (kept on a witness) and undecided ones; ``scope`` says whether the list
    is proven complete ("global"), complete near the identity ("local"), or not even that ("none");
    ``gaps`` says why it is not global.  ``constants`` are functions of the parameters that every report
    agrees on whatever else is known (constant scalars of the law, cor:linear-damping-invariant).
    ``dropped`` branches solve the equations but are no real reports inside the assumptions.
    """

    family: Family
    filter: RealFilter
    branches: tuple[Realness, ...]
    dimensions: Dimensions | None
    conditions: tuple[Expr, ...]
    scope: Scope
    gaps: tuple[str, ...] = ()
    constants: tuple[Expr, ...] = ()
    dropped: tuple[Branch, ...] = ()

    @property
    def identity(self) -> Realness | None:
        """The branch through the identity map."""
        return next((r for r in self.branches if r.branch.identity), None)

    @property
    def kept(self) -> tuple[Realness, ...]:
        """The branches with a real witness."""
        return tuple(r for r in self.branches if r.verdict == "kept")

    def reported(self, parameter: Symbol) -> list[tuple[Branch, Expr]]:
        """The reported value of one parameter on every branch."""
        return [(r.branch, r.branch.parameters[parameter]) for r in self.branches]


def raw_set(family: Family, sampler: Sampler, budget: Budget) -> CompatibleSet:
    """The compatible set of a raw route: all affine maps (thm:orbit-characterization)."""
    judge = RealFilter(sampler)
    found = affine_branches(family, budget, judge.facts)
    branches, dropped = judged(found.branches, family, judge)
    size = dimensions(family, False, judge.points[0]) if judge.points else None
    scope, gaps = _scope(found.unsolved, branches, size)
    damping = tuple(c for f, c in family.channels if f == LINEAR and not c.has(family.state))
    return CompatibleSet(family, judge, branches, size, found.conditions, scope, gaps, damping, dropped)


def judged(
    branches: Sequence[Branch], family: Family, judge: RealFilter
) -> tuple[tuple[Realness, ...], tuple[Branch, ...]]:
    """The branches that are real or undecided, each component once; and those that are dropped."""
    marked = [with_identity(b, family.state, family.truth) for b in branches]
    verdicts = [judge.judge(b) for b in marked]
    alive = [v for v in verdicts if v.verdict != "dropped"]
    result = []
    for branch in merged([v.branch for v in alive]):
        old = next((v for v in alive if v.branch is branch), None)
        result.append(old or judge.judge(with_identity(branch, family.state, family.truth)))
    dropped = tuple(v.branch for v in verdicts if v.verdict == "dropped")
    return tuple(sorted(result, key=lambda r: not r.branch.identity)), dropped


def _scope(
    unsolved: Sequence[str], branches: Sequence[Realness], size: Dimensions | None
) -> tuple[Scope, tuple[str, ...]]:
    """Global when everything was solved and the dimension agrees with the linearised equations."""
    identity = next((b for b in branches if b.branch.identity), None)
    if identity is None or size is None:
        return "none", (*unsolved, "the dimension at the identity could not be computed")
    if len(identity.branch.free) != size.lifted:
        message = (
            f"the solved branch has dimension {len(identity.branch.free)}, the linearised set {size.lifted}"
        )
        return "none", (*unsolved, message)
    return ("local", tuple(unsolved)) if unsolved else ("global", ())
