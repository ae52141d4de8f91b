"""The compatible set of the canonical route (thm:canonical-report-orbit).

Affine maps are solved for directly.  The signature then gives all compatible parameters, affine map
or not; what is not already covered by an affine map needs a map of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import mpmath
from sympy import Expr, S, Symbol

from identify.algebra.budget import Budget
from identify.algebra.solve import Unsolved
from identify.orbit.affine import affine_branches
from identify.orbit.branch import LAMBDA, TAU, Branch, Family, hat, is_hat
from identify.orbit.compatible import CompatibleSet, Scope, judged
from identify.orbit.equality import same
from identify.orbit.generators import Unhandled
from identify.orbit.independent import from_logarithm, in_logarithm, only_affine_maps
from identify.orbit.infinitesimal import Dimensions, dimensions, rank
from identify.orbit.maps import HomogeneousMaps, explicit_maps, with_map
from identify.orbit.merge import merged
from identify.orbit.normalised import normalised_set
from identify.orbit.real import RealFilter, Realness, declared_facts, with_identity
from identify.orbit.sampling import Sampler, compiled
from identify.orbit.signature import NotAlgebraic, Signature, signature, signature_branches
from identify.routes.zero import is_zero


def canonical_set(family: Family, sampler: Sampler, budget: Budget) -> CompatibleSet:
    """All compatible reports of a law with a squared velocity."""
    judge = RealFilter(sampler)
    if not judge.points:
        raise Unhandled("conditions that no parameter values tried meet; they may contradict each other")
    size = dimensions(family, True, judge.points[0])
    affine = affine_branches(family, budget, judge.facts)
    branches = list(judged(affine.branches, family, judge)[0])
    conditions = list(affine.conditions)
    sure = constant_scalars(family)
    found: _Extended | None = None
    because = ""
    try:
        found = _Extension(family, sampler, judge, branches, size, budget).run()
    except (NotAlgebraic, Unsolved, Unhandled) as error:
        because = str(error)
    if found is None or any(r.verdict == "undecided" for r in found.branches):
        normalised = _normalised(family, sampler, judge, budget)
        if normalised is not None and normalised.dimensions == size:
            return replace(normalised, constants=sure)
    if found is not None:
        conditions += [c for c in found.conditions if c not in conditions]
        scope, gaps = _scope(found, size)
        return CompatibleSet(family, judge, found.branches, size, tuple(conditions), scope, gaps, sure)
    scope, gaps = _local_scope(branches, size, [*affine.unsolved, because])
    if scope == "local" and not affine.unsolved and _only_affine(family, judge):
        scope, gaps = "global", ()
    elif (powers := _power_maps(family, sampler, judge, budget)) is not None:
        branches, scope, gaps = powers, "global", ()
    return CompatibleSet(family, judge, tuple(branches), size, tuple(conditions), scope, gaps, sure)


def _only_affine(family: Family, judge: RealFilter) -> bool:
    """Whether no map but an affine one can be compatible."""
    try:
        return only_affine_maps(family, signature(family), judge.points[0])
    except Unhandled:
        return False


def _power_maps(family: Family, sampler: Sampler, judge: RealFilter, budget: Budget) -> list[Realness] | None:
    """All branches, where the state is positive and every compatible map is affine in its logarithm."""
    if [c.expression for c in sampler.domain] != [family.state]:
        return None
    inner = in_logarithm(family)
    if not _only_affine(inner, judge):
        return None
    found = affine_branches(inner, budget, judge.facts)
    marked = [with_identity(b, family.state, family.truth) for b in found.branches]
    verdicts = [judge.judge(from_logarithm(b, family.state)) for b in merged(marked)]
    alive = [v for v in verdicts if v.verdict != "dropped"]
    complete = not found.unsolved and any(v.branch.identity for v in alive)
    return sorted(alive, key=lambda r: not r.branch.identity) if complete else None


def _normalised(family: Family, sampler: Sampler, judge: RealFilter, budget: Budget) -> CompatibleSet | None:
    """The answer through a normalizer without parameters, where there is one."""
    try:
        return normalised_set(family, sampler, judge, budget)
    except Unhandled:
        return None


def constant_scalars(family: Family) -> tuple[Expr, ...]:
    """The scalars of the signature that do not depend on the state."""
    try:
        return signature(family).constants
    except Unhandled:
        return ()


def _local_scope(
    branches: Sequence[Realness], size: Dimensions | None, gaps: list[str]
) -> tuple[Scope, tuple[str, ...]]:
    """Without a signature, affine maps alone are complete at best near the identity."""
    identity = next((b for b in branches if b.branch.identity), None)
    if identity is None or size is None or len(identity.branch.free) != size.lifted:
        return "none", tuple(gaps)
    return "local", tuple(gaps)


def _scope(found: _Extended, size: Dimensions | None) -> tuple[Scope, tuple[str, ...]]:
    if size is None:
        return "none", ("the dimension at the identity could not be computed",)
    identity = next((b for b in found.branches if b.branch.identity), None)
    if identity is None:
        return "none", ("the branch of the identity map was not found",)
    if orbit_rank(identity.branch) != size.orbit:
        return "none", ("the signature and the linearised equations disagree",)
    return "global", ()


@dataclass(frozen=True)
class _Extended:
    branches: tuple[Realness, ...]
    conditions: tuple[Expr, ...]


@dataclass(frozen=True)
class _Slice:
    """A family with gauge parameters set to 0 or 1, and the way there and back."""

    family: Family
    normal: dict[Symbol, Expr]
    affine: Branch | None

    def normalised(self) -> dict[Symbol, Expr]:
        """The parameters of the slice that are left, as functions of all parameters."""
        if self.affine is None:
            return {p: p for p in self.family.independent}
        return {p: self.affine.parameters[p].xreplace(self.normal) for p in self.family.independent}


class _Extension:
    """Adds to the affine branches those that only the signature shows."""

    def __init__(
        self,
        family: Family,
        sampler: Sampler,
        judge: RealFilter,
        affine: Sequence[Realness],
        size: Dimensions | None,
        budget: Budget,
    ) -> None:
        self.family, self.sampler, self.judge = family, sampler, judge
        self.affine, self.size, self.budget = list(affine), size, budget
        self.point = judge.points[0]

    def run(self) -> _Extended:
        """All branches (see the class docstring)."""
        shape = signature(self.family)
        if not shape.curve:
            return self._homogeneous(shape)
        piece = self._slice()
        solved = signature_branches(piece.family, self.point, self.budget, self.judge.facts)
        result = list(self.affine)
        for branch in solved.branches:
            self.budget.check("looking for coordinate maps")
            if self.judge.judge(_embedded(branch, piece)).verdict == "dropped":
                continue
            covered = any(_covers(r.branch, branch, piece) for r in self.affine)
            found = self._with_maps(branch, piece, solved.signature)
            if covered:
                result += [r for r in found if r.branch.map is not None and self._bent(r.branch.map)]
                continue
            if any(r.branch.identity for r in found):
                result = [r for r in result if not r.branch.identity]
            result += found
        return _Extended(_ordered(result), solved.conditions)

    def _homogeneous(self, shape: Signature) -> _Extended:
        """Constant scalars: any two laws with the same constants are compatible through a flow."""
        solved = signature_branches(self.family, self.point, self.budget, self.judge.facts)
        flows = HomogeneousMaps(self.family, self.sampler, shape)
        result = []
        for branch in solved.branches:
            flowing = flows.with_map(branch)
            verdict = self.judge.judge(replace(flowing, identity=_is_identity(flowing, self.family)))
            if verdict.verdict != "dropped":
                result.append(verdict)
        reflections = [r for r in self.affine if not any(_contains(b.branch, r.branch) for b in result)]
        return _Extended(_ordered([*result, *reflections]), solved.conditions)

    def _slice(self) -> _Slice:
        """Use the affine gauge to set a translated parameter to 0 and a scaled one to 1."""
        identity = next((r.branch for r in self.affine if r.branch.identity), None)
        if identity is None or any(is_hat(s) for s in identity.free):
            return _Slice(self.family, {}, None)
        normal: dict[Symbol, Expr] = {}
        values: dict[Symbol, Expr] = {}
        if TAU in identity.free:
            for p in self.family.independent:
                slope = identity.parameters[p].diff(TAU)
                if slope in (S.One, S.NegativeOne):
                    normal[TAU] = -identity.parameters[p].xreplace({TAU: S.Zero}) / slope
                    values[p] = S.Zero
                    break
        if LAMBDA in identity.free:
            unit = _unit_of_scale(identity, [p for p in self.family.independent if p not in values])
            if unit is not None:
                parameter, value, normal[LAMBDA] = unit
                values[parameter] = value
        if not values or (TAU in normal and normal[TAU].has(LAMBDA) and LAMBDA not in normal):
            return _Slice(self.family, {}, None)
        if TAU in normal and LAMBDA in normal:
            normal[TAU] = normal[TAU].xreplace({LAMBDA: normal[LAMBDA]})
        channels = tuple((f, c.xreplace(values)) for f, c in self.family.channels)
        nonzero = tuple(e.xreplace(values) for e in self.family.nonzero)
        part = replace(
            self.family, channels=channels, eliminated={**self.family.eliminated, **values}, nonzero=nonzero
        )
        return _Slice(part, normal, identity)

    def _bent(self, image: Expr) -> bool:
        """Whether a map is not affine."""
        return not is_zero(image.diff(self.family.state, 2))

    def _with_maps(self, branch: Branch, piece: _Slice, shape: Signature) -> list[Realness]:
        """The branch with its maps: explicit and real, dropped with proof, or undecided."""
        fixed = {p: e for p, e in piece.family.eliminated.items() if p not in self.family.eliminated}
        domain = tuple(
            replace(c, expression=c.expression.xreplace(fixed))
            for c in (*self.sampler.assumptions, *self.sampler.domain)
        )
        facts = declared_facts(domain)
        maps = explicit_maps(shape.curve, piece.family, branch, self.point, facts)
        found = []
        for image, needed in maps.found:
            whole = _composed(with_map(branch, piece.family, image, needed), piece, self.family.state)
            whole = replace(whole, identity=_is_identity(whole, self.family))
            verdict = self.judge.judge(whole)
            if verdict.verdict != "dropped":
                found.append(verdict)
        if not found and not maps.complete:
            whole = _embedded(branch, piece)
            return [Realness("undecided", whole, self.judge.facts)]
        return found


def _contains(big: Branch, small: Branch) -> bool:
    """Whether every parameter value of ``small`` is one of ``big``, through hats."""
    table = {hat(p): e for p, e in small.parameters.items() if hat(p) in big.free}
    return all(same(e.xreplace(table), small.parameters[p]) for p, e in big.parameters.items())


def _unit_of_scale(identity: Branch, parameters: Sequence[Symbol]) -> tuple[Symbol, Expr, Expr] | None:
    """``(p, value, lambda)``: a monomial of weight one, set to one, gives p and the scale that does it."""
    weights = {}
    for p in parameters:
        ratio = (identity.parameters[p] / p).cancel()
        base, power = ratio.as_base_exp()
        if base == LAMBDA and power.is_Integer:
            weights[p] = int(power)
        elif ratio == LAMBDA:
            weights[p] = 1
    for p, w in weights.items():
        if abs(w) == 1:
            return p, S.One, p ** (-w)
    for p, w in weights.items():
        for q, v in weights.items():
            for x in (1, -1):
                if p != q and (1 - x * w) % v == 0:
                    y = (1 - x * w) // v  # p**x * q**y scales like lambda
                    return p, q ** (-y * x), 1 / (p**x * q**y)
    return None


def _embedded(branch: Branch, piece: _Slice) -> Branch:
    """A branch of the slice as a branch of the family: any affine map after it."""
    if piece.affine is None:
        return branch
    here = piece.normalised()
    image = {p: e.xreplace(here) for p, e in branch.parameters.items()}
    reported = {p: e.xreplace(image) for p, e in piece.affine.parameters.items()}
    return replace(
        branch,
        parameters=reported,
        free=(*branch.free, *piece.affine.free),
        integers=(*branch.integers, *piece.affine.integers),
        algebraic={s: e.xreplace(here) for s, e in branch.algebraic.items()},
        positive=(*(e.xreplace(here) for e in branch.positive), *piece.affine.positive),
        nonzero=(*branch.nonzero, *piece.affine.nonzero),
    )


def _composed(branch: Branch, piece: _Slice, state: Symbol) -> Branch:
    """Normalise, apply the map of the slice, then any affine map."""
    whole = _embedded(branch, piece)
    if piece.affine is None or branch.map is None:
        return whole
    here = piece.normalised()
    assert piece.affine.map is not None
    entering = piece.affine.map.xreplace(piece.normal)
    inner = branch.map.xreplace({**here, state: entering})
    image = {p: e.xreplace(here) for p, e in branch.parameters.items()}
    outer = piece.affine.map.xreplace({**image, state: inner})
    return replace(whole, map=outer)


def _is_identity(branch: Branch, family: Family) -> bool:
    """Whether unchanged parameters (and, where there is a map, the identity) lie in the branch."""
    table: dict[Symbol, Expr] = {hat(p): e for p, e in family.truth.items()}
    table.update({LAMBDA: S.One, TAU: S.Zero})
    at = branch.substitute({s: e for s, e in table.items() if s in branch.free})
    if at.algebraic or (at.map is not None and not same(at.map, family.state)):
        return False
    return all(same(e, family.truth[p]) for p, e in at.parameters.items())


def _covers(affine: Branch, branch: Branch, piece: _Slice) -> bool:
    """Whether the affine branch reaches all parameters of a branch of the slice."""
    if branch.algebraic or affine.algebraic:
        return False
    here = piece.normalised()
    reached = {p: e.xreplace(affine.parameters) for p, e in here.items()}
    table = {hat(p): e for p, e in reached.items() if hat(p) in branch.free}
    at = {p: branch.parameters[p].xreplace(here).xreplace(table) for p in here}
    if not all(same(at[p], reached[p]) for p in here):
        return False
    return orbit_rank(affine) == orbit_rank(_embedded(branch, piece))


def orbit_rank(branch: Branch) -> int:
    """The dimension of the reported parameters along the free symbols."""
    if not branch.free:
        return 0
    names = sorted(
        {s for e in branch.parameters.values() for s in e.free_symbols} | set(branch.free),
        key=lambda s: s.name,
    )
    rows = [[e.diff(s) for s in branch.free] for e in branch.parameters.values()]
    with mpmath.workdps(50):
        values = [mpmath.mpf(7 + 5 * i) / (6 + i * i) for i in range(len(names))]
        numbers = [compiled(names, row)(*values) for row in rows]
        return rank(numbers) or 0


def _ordered(branches: Sequence[Realness]) -> tuple[Realness, ...]:
    return tuple(sorted(branches, key=lambda r: not r.branch.identity))
