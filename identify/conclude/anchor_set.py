"""The compatible set under anchors: which reports are left, and which parameters they agree on.

Anchored states join the true parameters as generic symbols that every report leaves alone; then
realness and verdicts are decided by the same code as without anchors.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

from sympy import Expr, S, Symbol

from identify.conclude.anchor_exact import depends, equal, witnessed
from identify.conclude.anchor_kinds import POSITIONS, Anchor, NoMap, identity_value
from identify.conclude.anchor_rank import Tangent, tangent
from identify.conclude.anchor_solve import Conditions, NotSolved, oriented, solve_anchor, tidied
from identify.conclude.verdict import Verdict, verdicts
from identify.law.law import Condition
from identify.orbit.branch import TAU, Branch
from identify.orbit.compatible import CompatibleSet
from identify.orbit.real import RealFilter, Realness, declared_facts
from identify.orbit.sampling import Point

MOST_PIECES = 40
MOST_OPERATIONS = 1200  # in a map; larger ones cost seconds to test and tell a reader nothing
Key = tuple[object, ...]


@dataclass(frozen=True)
class Anchored:
    """What a list of anchors leaves; ``branches`` is None where they could not all be solved for."""

    branches: tuple[Branch, ...] | None
    conditions: tuple[Expr, ...] = ()
    why: str = ""


class AnchoredSet:
    """A compatible set on which anchors are imposed one after the other; prefixes are shared."""

    def __init__(
        self,
        compatible: CompatibleSet,
        parameters: Sequence[Symbol],
        places: Sequence[Symbol],
        signs: dict[Symbol, Literal[1, -1]] | None = None,
        clock: Symbol | None = None,
        truth: dict[Symbol, Expr] | None = None,
    ) -> None:
        if truth:
            compatible = tied(compatible, truth)
        self.compatible, self.parameters, self.places, self.clock = compatible, parameters, places, clock
        self.state = compatible.family.state
        self.truth = {**compatible.family.truth, **{u: u for u in places}}
        self.filter = self._filter(signs or {})
        self._start = tuple(b for r in compatible.branches for b in oriented(self._with_places(r.branch)))
        self._found: dict[tuple[Anchor, ...], Anchored] = {(): Anchored(self._start)}
        self._verdicts: dict[Key, Realness] = {}
        self._alive: dict[Key, bool] = {}

    def _filter(self, signs: dict[Symbol, Literal[1, -1]]) -> RealFilter:
        old = self.compatible.filter.sampler
        inside = [
            Condition(c.expression.xreplace({old.state: u}), c.relation, c.text)
            for u in self.places
            for c in old.domain
        ]
        inside += [Condition(u * signs[u], ">", f"{u}") for u in self.places if u in signs]
        inside += [Condition(u, "!=", f"{u} != 0") for u in self.places if u not in signs]
        inside += [Condition(u - w, "!=", f"{u} != {w}") for u, w in combinations(self.places, 2)]
        sampler = replace(
            old, parameters=(*old.parameters, *self.places), assumptions=(*old.assumptions, *inside)
        )
        judge = copy(self.compatible.filter)
        judge.sampler = sampler
        judge.facts = declared_facts((*sampler.assumptions, *sampler.domain))
        judge.points = [q for p in judge.points if (q := self._at(p, signs)) is not None]
        return judge

    def _at(self, point: Point, signs: dict[Symbol, Literal[1, -1]]) -> Point | None:
        """The sample point with values for the anchored states, inside the domain and of the given signs."""
        values = dict(point.parameters)
        left = [u for u in point.states if u != 0]
        for place in self.places:
            value = next((u for u in left if u * signs.get(place, u) > 0), None)
            if value is None:
                return None
            left.remove(value)
            values[place] = value
        table = {p: e.xreplace(values) for p, e in self.compatible.family.stratum.items()}
        return replace(point, parameters={**values, **table})

    def _with_places(self, branch: Branch) -> Branch:
        """The branch with the anchored states; that it divided by a shift does not exclude a shift of zero.

        Compatibility is a closed condition: where the expressions stay regular at zero, so does the report.
        Declared conditions on reported parameters are asked again of every sub-branch.
        """
        unshifted = branch.substitute({TAU: S.Zero})
        expressions = (*unshifted.parameters.values(), *((unshifted.map,) if unshifted.map else ()))
        regular = not any(e.has(S.ComplexInfinity, S.NaN) for e in expressions)
        nonzero = [
            e for e in branch.nonzero if not (regular and e.has(TAU) and e.xreplace({TAU: S.Zero}) == 0)
        ]
        parameters = {**branch.parameters, **{u: u for u in self.places}}
        return replace(branch, parameters=parameters, nonzero=tuple(nonzero))

    @property
    def identity(self) -> Branch | None:
        """The branch of the identity map, before any anchor."""
        return next((b for b in self._start if b.identity), None)

    def tangent(self, anchors: Sequence[Anchor]) -> Tangent | None:
        """Rows of the anchors and parameters at a generic point."""
        if self.identity is None or not self.filter.points:
            return None
        return tangent(
            self.identity, anchors, self.parameters, self.truth, self.state, self.clock, self.filter.points[0]
        )

    # -- imposing anchors -------------------------------------------------------------------------

    def impose(self, anchors: tuple[Anchor, ...]) -> Anchored:
        """The sub-branches that agree with all anchors."""
        if anchors not in self._found:
            self._found[anchors] = self._next(self.impose(anchors[:-1]), anchors[-1])
        return self._found[anchors]

    def _next(self, before: Anchored, anchor: Anchor) -> Anchored:
        if before.branches is None:
            return before
        conditions = Conditions(list(before.conditions))
        pieces: list[Branch] = []
        try:
            for branch in before.branches:
                for left, right in anchor.equations(branch, self.state, self.truth, self.clock):
                    if anchor.kind in POSITIONS and self._outside(right):
                        continue
                    pieces += solve_anchor(branch, left, right, self.filter.facts, conditions)
        except NotSolved as error:
            return Anchored(None, tuple(conditions.found), str(error))
        except NoMap:
            return Anchored(None, tuple(conditions.found), "a coordinate map is not known in closed form")
        except ZeroDivisionError:
            return Anchored(None, tuple(conditions.found), "an anchor meets a singular map")
        if len(pieces) > MOST_PIECES:
            return Anchored(None, tuple(conditions.found), "too many branches")
        if any(b.map is not None and b.map.count_ops() > MOST_OPERATIONS for b in pieces):
            return Anchored(None, tuple(conditions.found), "the equations grow too large")
        marked = [self._marked(b) for b in _distinct(pieces)]
        return Anchored(tuple(marked), tuple(conditions.found))

    def _outside(self, value: Expr) -> bool:
        """Whether the declared domain, where it is the same for every report, excludes the value."""
        facts = self.filter.facts
        excluded = {">": ("-", "0", "<="), ">=": ("-",), "!=": ("0",), "==": ("+", "-", "!=")}
        conditions = [c for c in self.filter.sampler.domain if c.expression.free_symbols <= {self.state}]
        signs = [(facts.sign(c.expression.xreplace({self.state: value})), c.relation) for c in conditions]
        return any(sign in excluded[relation] for sign, relation in signs)

    def _marked(self, branch: Branch) -> Branch:
        """Sub-branches keep the mark of the identity only where they still contain it."""
        if not branch.identity:
            return branch
        table: dict[Symbol, Expr] = dict.fromkeys(branch.integers, S.Zero)
        values = {s: identity_value(s, self.truth) for s in branch.free}
        table.update({s: e for s, e in values.items() if e is not None})
        at = branch.substitute(table)
        mapped = at.map is None or equal(at.map, self.state)
        unchanged = mapped and all(equal(e, self.truth[p]) for p, e in at.parameters.items())
        return replace(branch, identity=unchanged)

    # -- what is left -----------------------------------------------------------------------------

    def judged(self, branch: Branch) -> Realness:
        """Realness of a sub-branch, remembered."""
        key = _key(branch)
        if key not in self._verdicts:
            self._verdicts[key] = self.filter.judge(tidied(branch))
        return self._verdicts[key]

    def survives(self, branch: Branch) -> bool:
        """Whether the sub-branch is a real report, or was not proven to be none."""
        if branch.identity:
            return True
        key = _key(branch)
        if key not in self._alive:
            seen = witnessed(branch, self.filter.points[:3], self.filter.sampler)
            self._alive[key] = seen or self.judged(branch).verdict != "dropped"
        return self._alive[key]

    def left(self, anchors: tuple[Anchor, ...]) -> list[Branch]:
        """The sub-branches that survive, the identity's first."""
        found = [b for b in self.impose(anchors).branches or () if self.survives(b)]
        return sorted(found, key=lambda b: not b.identity)

    def determined(self, anchors: tuple[Anchor, ...]) -> frozenset[Symbol] | None:
        """The parameters with one value on all real reports that agree; None where it is not known."""
        found = self.impose(anchors)
        if found.branches is None:
            return None
        spoiled: set[Symbol] = set()
        for branch in found.branches:
            moved = {p for p in self.parameters if p not in spoiled and self._moved(branch, p)}
            if moved and self.survives(branch):
                spoiled |= moved
        return frozenset(p for p in self.parameters if p not in spoiled)

    def _moved(self, branch: Branch, parameter: Symbol) -> bool:
        value = branch.parameters[parameter]
        if value == self.truth[parameter]:
            return False
        return depends(value, branch.free) or not equal(value, self.truth[parameter])

    def alive(self, anchors: tuple[Anchor, ...]) -> tuple[Realness, ...]:
        """All real reports (and undecided ones) that agree with the anchors."""
        found = self.impose(anchors)
        verdict = [self.judged(b) for b in found.branches or ()]
        return tuple(
            sorted((v for v in verdict if v.verdict != "dropped"), key=lambda r: not r.branch.identity)
        )

    def verdicts(self, anchors: tuple[Anchor, ...]) -> dict[Symbol, Verdict]:
        """The verdict on every parameter under the anchors, by the rules of ``conclude.verdict``."""
        left = replace(self.compatible, branches=self.alive(anchors), filter=self.filter)
        found = verdicts(left)
        return {p: found[p] for p in self.parameters}


def tied(compatible: CompatibleSet, table: dict[Symbol, Expr]) -> CompatibleSet:
    """The compatible set of a truth in which an anchor ties a parameter to an anchored state."""
    family = replace(compatible.family, stratum={**compatible.family.stratum, **table})
    sampler = compatible.filter.sampler
    truth = {p: e.xreplace(table) for p, e in {**sampler.truth, **table}.items()}
    judge = copy(compatible.filter)
    judge.sampler = replace(sampler, truth=truth)
    branches = [r.branch.substitute(table) for r in compatible.branches]
    algebraic = [{s: e.xreplace(table) for s, e in b.algebraic.items()} for b in branches]
    turned = [
        replace(r, branch=replace(b, algebraic=a))
        for r, b, a in zip(compatible.branches, branches, algebraic, strict=True)
    ]
    return replace(compatible, family=family, filter=judge, branches=tuple(turned))


def _distinct(branches: Sequence[Branch]) -> list[Branch]:
    kept: dict[Key, Branch] = {}
    for b in branches:
        kept.setdefault(_key(b), b)
    return list(kept.values())


def _key(branch: Branch) -> Key:
    algebraic = tuple(branch.algebraic.items())
    parameters = tuple(branch.parameters.values())
    return branch.map, parameters, branch.free, branch.integers, branch.positive, algebraic, branch.identity


def is_reflection(branch: Branch, state: Symbol) -> bool:
    """Whether the branch is the map ``z -> -z``."""
    return branch.map is not None and branch.map.expand() == -state


def is_identity(branch: Branch, state: Symbol) -> bool:
    """Whether the branch is the identity map alone."""
    return branch.map is not None and not branch.free and (branch.map - state).expand() == S.Zero
