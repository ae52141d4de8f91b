"""An unknown clock: the time scale of slow-motion or re-timed footage as part of the gauge.

With ``t -> kappa*t`` a channel ``c_r`` of the law goes over into ``kappa**(r-2) * c_r``.  The family
``kappa**(2-r) * c_r``, with a true kappa of one, therefore has exactly the reports of footage on an
unknown clock, and the solver for known clocks finds them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sympy import Expr, S, Symbol, expand_mul

from identify.analysis import Clock
from identify.conclude.anchor_exact import equal
from identify.conclude.anchor_kinds import KAPPA, Anchor
from identify.conclude.anchor_set import AnchoredSet, tied
from identify.conclude.continuous import weight_rows
from identify.conclude.names import Names
from identify.law.law import Condition, Law
from identify.orbit.branch import LAMBDA, TAU, Branch, hat
from identify.orbit.canonical import orbit_rank
from identify.orbit.compatible import CompatibleSet
from identify.orbit.infinitesimal import Dimensions, dimensions
from identify.orbit.problem import Problem, pose
from identify.orbit.real import RealFilter, Realness


@dataclass(frozen=True)
class Clocked:
    """The problem with the clock's scale among its parameters, that scale, and the problem before."""

    problem: Problem
    scale: Symbol
    before: Problem

    def at_true_clock(self, compatible: CompatibleSet) -> CompatibleSet:
        """The compatible set of a truth whose clock is right: ``kappa = 1``, and its roots with it."""
        roots = [h for h in self.problem.hidden if h.parameter == self.scale]
        found = tied(compatible, {self.scale: S.One, **{h.symbol: S.One for h in roots}})
        reported: dict[Symbol, Expr] = {hat(self.scale): KAPPA}
        reported |= {hat(h.symbol): h.value.xreplace({self.scale: KAPPA}) for h in roots}
        branches = [
            replace(r, branch=renamed(r.branch, reported), facts=r.facts.with_signs([(KAPPA, "+")]))
            for r in found.branches
        ]
        return replace(found, branches=tuple(branches), dimensions=self._dimensions(found, branches))

    def _dimensions(self, found: CompatibleSet, branches: list[Realness]) -> Dimensions | None:
        """The lifted dimension counts the clock; orbit and redundancy are about the parameters alone."""
        identity = next((r.branch for r in branches if r.branch.identity), None)
        judge = RealFilter(self.before.sampler)
        if found.dimensions is None or identity is None or not judge.points:
            return None
        canonical = self.before.route.name == "canonical"
        still = dimensions(self.before.family, canonical, judge.points[0])
        if still is None:
            return None
        own = {p: e for p, e in identity.parameters.items() if p != self.scale}
        orbit = orbit_rank(replace(identity, parameters=own))
        return Dimensions(found.dimensions.lifted, orbit, still.redundancy)


def renamed(branch: Branch, table: dict[Symbol, Expr]) -> Branch:
    """The branch with the reported clock, or the root of it that was free, written in kappa."""
    at = branch.substitute(table)
    return replace(
        at,
        free=tuple(dict.fromkeys(KAPPA if s in table else s for s in branch.free)),
        algebraic={s: e.xreplace(table) for s, e in branch.algebraic.items()},
    )


def with_unknown_clock(problem: Problem) -> Clocked:
    """The problem for footage on an unknown clock."""
    law = problem.law
    scale = Symbol(_name(law), positive=True)
    slow = law.acceleration.xreplace({law.velocity: law.velocity / scale})
    extended = replace(
        law,
        acceleration=expand_mul(scale**2 * slow),
        parameters=(*law.parameters, scale),
        assumptions=(*law.assumptions, Condition(scale, ">", f"{scale.name} > 0")),
    )
    posed = pose(extended)
    return Clocked(replace(posed, law=law, route=problem.route), scale, problem)


def _name(law: Law) -> str:
    taken = {law.state.name, law.velocity.name, *(p.name for p in law.parameters)}
    return next(n for n in ("kappa", "kappa_t", *(f"kappa_{i}" for i in range(1, 99))) if n not in taken)


def clock_info(anchored: AnchoredSet, scale: Symbol, parameters: tuple[Symbol, ...], names: Names) -> Clock:
    """Weights in both scales and the single anchors that restore the clock."""
    identity = anchored.identity
    weights = None if identity is None else two_weights(identity, parameters, names)
    symbol = names.symbol(KAPPA).name
    if all(b.parameters[scale] == 1 for b in anchored.impose(()).branches or ()):
        return Clock(symbol, weights, ())  # a coefficient that is a number already fixes the clock
    restoring = [p for p in parameters if _restores(anchored, p, scale)]
    return Clock(symbol, weights, ("frame-rate", "period", *(f"parameter {p.name}" for p in restoring)))


def two_weights(
    identity: Branch, parameters: tuple[Symbol, ...], names: Names
) -> dict[str, tuple[str, ...]] | None:
    """``(w, k)`` with ``eta = lambda**-w * kappa**-k * theta``, where all parameters only rescale."""
    if set(identity.free) - {LAMBDA, TAU, KAPPA}:
        return None
    columns: list[list[Expr]] = []
    for symbol in (LAMBDA, KAPPA):
        rows = weight_rows(replace(identity, free=(symbol,)), parameters)
        if rows is None or any(e.has(TAU) for e in identity.parameters.values()):
            return None
        columns.append([-e for e in rows[0]] if rows else [S.Zero] * len(parameters))
    return {p.name: (names.text(w), names.text(k)) for p, w, k in zip(parameters, *columns, strict=True)}


def _restores(anchored: AnchoredSet, parameter: Symbol, scale: Symbol) -> bool:
    """Whether knowing the parameter leaves only reports with the true clock."""
    found = anchored.impose((Anchor("parameter", parameter=parameter),))
    if found.branches is None:
        return False
    moved = [b for b in found.branches if not equal(b.parameters[scale], S.One)]
    return not any(anchored.survives(b) for b in moved)
