"""Calibration: which physical measurements make the parameters known, and what given ones do.

Section "Physical Calibration" and appendix "Physical anchors and local calibration": anchors act on the
lifted set of maps and parameters.  Where its branches are enumerated the answer is global; elsewhere the
local rank criterion (prop:anchor-rank) is used and named.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sympy import Expr, Symbol

from identify.algebra.budget import Budget
from identify.analysis import (
    AnchorSet,
    BranchInfo,
    CalibratedParameter,
    Calibration,
    CanonicalInfo,
    Clock,
    GivenAnchors,
)
from identify.conclude import document
from identify.conclude.anchor_error import Effect, effects
from identify.conclude.anchor_given import (
    Imposed,
    derived_units,
    given_info,
    imposed,
    place_symbols,
    read_anchors,
    repeated,
)
from identify.conclude.anchor_kinds import KAPPA, PAIRS, Anchor, places
from identify.conclude.anchor_search import Sets, Sufficient, candidates, search
from identify.conclude.anchor_set import AnchoredSet, is_identity, is_reflection
from identify.conclude.anchor_text import REFUSED, GivenText
from identify.conclude.clock import clock_info
from identify.conclude.heights import heights_note
from identify.conclude.names import Names
from identify.conclude.verdict import Verdict
from identify.errors import BudgetExceeded
from identify.law.law import Law
from identify.law.unit import Dimension, unit_text
from identify.orbit.branch import LAMBDA, TAU, Branch, hat
from identify.orbit.compatible import CompatibleSet
from identify.orbit.problem import Problem

SEARCH_SECONDS = 5.0
MOST_CONDITIONS = 3
LONGEST_CONDITION = 40  # characters; longer ones are special places that a measurement never hits


# The order in which sets of one size are told: what is easy to measure first.
_EFFORT: dict[str, float] = {"origin": 0.5, "clock": 0.8, "amplitude": 1, "displacement": 1.2, "state": 1.3}
_EFFORT["parameter"] = 2


@dataclass(frozen=True)
class Request:
    """What the user gave: anchors, units, and whether the clock is unknown (then its scale)."""

    anchors: tuple[GivenText, ...] = ()
    dimensions: dict[Symbol, Dimension | None] | None = None
    clock: Symbol | None = None


def read_request(
    law: Law, anchors: Iterable[str], units: Mapping[str, str], clock: Symbol | None = None
) -> Request:
    """The anchors and units as typed, checked before any long computation."""
    texts = read_anchors(law, anchors)
    imposed(law, texts, clock)
    return Request(texts, derived_units(law, texts, units), clock)


def calibration(
    problem: Problem,
    compatible: CompatibleSet,
    found: Mapping[Symbol, Verdict],
    canonical: CanonicalInfo | None,
    request: Request,
    names: Names,
    budget: Budget,
) -> Calibration | None:
    """The calibration of a law; None where the compatible set is not known even near the identity."""
    if compatible.scope == "none" or compatible.identity is None:
        return None
    return _Calibration(problem, compatible, found, canonical, request, names, budget).build()


@dataclass
class _Calibration:
    problem: Problem
    compatible: CompatibleSet
    found: Mapping[Symbol, Verdict]
    canonical: CanonicalInfo | None
    request: Request
    names: Names
    budget: Budget
    notes: list[str] = field(default_factory=list)

    def build(self) -> Calibration:
        moving = [p for p, v in self.found.items() if v.status != "identified"]
        sets, anchored = self._sets(moving) if moving else (None, None)
        size = self.compatible.dimensions
        note = heights_note(self.problem, self.canonical) if self.request.clock is None else None
        given = self._given() if self.request.anchors else None
        scale, conversion = self._conversion(moving)
        return Calibration(
            dimension=None if size is None else size.lifted,
            rank=None if sets is None else self._most(sets),
            needed=bool(moving),
            scope=self.compatible.scope,
            parameters={} if sets is None else self._by_parameter(sets, anchored),
            everything=() if sets is None else self._all(sets.everything, sets, anchored),
            refused=(REFUSED,),
            scale=scale,
            conversion=conversion,
            units=self._units(),
            given=given,
            clock=self._clock(anchored),
            notes=(*self.notes, *((note,) if note else ())),
        )

    # -- the smallest sets ------------------------------------------------------------------------

    def _sets(self, moving: Sequence[Symbol]) -> tuple[Sets | None, AnchoredSet | None]:
        two = place_symbols(self.problem.law, 2)
        clock = self.request.clock
        anchored = AnchoredSet(self.compatible, tuple(self.found), two, clock=clock)
        anchors = candidates(self.compatible, two, moving, clock)
        try:
            found = search(anchored, moving, anchors, self.budget.part(SEARCH_SECONDS))
            if found.stopped:
                self.notes.append("not all sets of anchors were tried: there are too many")
            return found, anchored
        except BudgetExceeded as error:
            self.notes.append(f"the search for anchors was stopped: {error.reason}")
            return None, anchored

    def _most(self, sets: Sets) -> int | None:
        """The rank of all anchors on the coordinate together."""
        if sets.tangent is None:
            return None
        return sets.tangent.rank([a for a in sets.tangent.anchors if a.on_coordinate])

    def _by_parameter(self, sets: Sets, anchored: AnchoredSet | None) -> dict[str, tuple[AnchorSet, ...]]:
        return {p.name: self._all(found, sets, anchored) for p, found in sets.parameters.items()}

    def _all(
        self, found: Sequence[Sufficient], sets: Sets, anchored: AnchoredSet | None
    ) -> tuple[AnchorSet, ...]:
        assert anchored is not None
        ordered = sorted(
            found, key=lambda s: (len(s.anchors), s.scope, sum(_EFFORT[a.kind] for a in s.anchors))
        )
        return tuple(self._set(s, sets, anchored) for s in ordered)

    def _set(self, found: Sufficient, sets: Sets, anchored: AnchoredSet) -> AnchorSet:
        usable = [a for a in found.anchors if sets.tangent is not None and a in sets.tangent.anchors]
        rank = None
        if sets.tangent is not None and len(usable) == len(found.anchors):
            rank = sets.tangent.rank(usable)
        return AnchorSet(
            anchors=labels(found.anchors),
            rank=rank,
            scope=found.scope,
            open=self._open(anchored, found.anchors),
            where=self._where(anchored, found.anchors),
            at=tuple(places(a) for a in found.anchors),
        )

    def _open(self, anchored: AnchoredSet, anchors: tuple[Anchor, ...]) -> tuple[str, ...]:
        """What the anchors leave of the coordinate's freedom."""
        left = anchored.impose(anchors)
        if left.branches is None:
            return ("other branches were not enumerated",)
        state = self.problem.law.state
        told = []
        for branch in anchored.left(anchors):
            if not is_identity(branch, state):
                told.append(self._freedom(branch, state))
        return tuple(dict.fromkeys(told))

    def _freedom(self, branch: Branch, state: Symbol) -> str:
        if branch.map is None:
            return "branch without a closed map"
        text = f"{state.name}hat = {self.names.text(branch.map)}"
        if is_reflection(branch, state) and KAPPA not in branch.free:
            return f"reflection {text}"
        free = [self.names.symbol(s).name for s in branch.free if branch.map.has(s)]
        if free:
            return f"coordinate {text} with {', '.join(free)} free"
        if KAPPA in branch.free and not is_reflection(branch, state):
            return f"clock {self.names.text(KAPPA)} free, with {text}"
        if branch.map == state:
            return "parameters that enter only in combination" if branch.free else "another parameter value"
        return f"branch {text}"

    def _where(self, anchored: AnchoredSet, anchors: tuple[Anchor, ...]) -> tuple[str, ...]:
        """Where the anchored states may lie."""
        told: list[str] = []
        for a in anchors:
            if a.kind == "origin":
                told.append("0 lies inside the covered interval")
            elif a.on_coordinate and a.kind not in PAIRS:
                place = f"{a.at[0]} lies inside the covered interval"
                told.append(place if a.at[0] == 0 else f"{place} and is not zero")
            elif a.kind in PAIRS:
                told.append(f"{a.at[0]} and {a.at[1]} lie inside the covered interval and differ")
        conditions = [
            e
            for e in anchored.impose(anchors).conditions
            if e.free_symbols & set(anchored.places) and not isinstance(e, Symbol) and self._news(e, anchored)
        ]
        texts = [f"{self.names.text(e)} != 0" for e in conditions]
        told += [t for t in texts if len(t) <= LONGEST_CONDITION][:MOST_CONDITIONS]
        return tuple(dict.fromkeys(told))

    def _news(self, expression: Expr, anchored: AnchoredSet) -> bool:
        known = anchored.filter.facts.sign(expression)
        return known not in ("+", "-", "!=") and not expression.free_symbols & set(self._internal())

    def _internal(self) -> list[Symbol]:
        return [s for r in self.compatible.branches for s in (*r.branch.free, *r.branch.integers)]

    # -- given anchors ----------------------------------------------------------------------------

    def _given(self) -> GivenAnchors:
        given = imposed(self.problem.law, self.request.anchors, self.request.clock)
        anchored = AnchoredSet(
            self.compatible, tuple(self.found), given.places, given.signs, self.request.clock, given.tied
        )
        tangent = anchored.tangent(given.anchors)
        rank = None
        if tangent is not None and all(a in tangent.anchors for a in given.anchors):
            rank = tangent.rank(given.anchors)
        self.notes += repeated(given.texts)
        left = anchored.impose(given.anchors)
        enumerated = left.branches is not None
        scope = self.compatible.scope if enumerated else "local"
        parameters = self._calibrated(anchored, given, enumerated)
        return GivenAnchors(
            anchors=tuple(given_info(t, a) for t, a in zip(given.texts, given.anchors, strict=True)),
            rank=rank,
            scope=scope,
            statement=_statement(scope, left.why),
            parameters=parameters,
            branches=self._branches(anchored, given) if enumerated else (),
            open=self._open(anchored, given.anchors),
            where=self._where(anchored, given.anchors),
        )

    def _branches(self, anchored: AnchoredSet, given: Imposed) -> tuple[BranchInfo, ...]:
        parameters = tuple(self.found)
        return tuple(document.branch_info(r, parameters, self.names) for r in anchored.alive(given.anchors))

    def _calibrated(
        self, anchored: AnchoredSet, given: Imposed, enumerated: bool
    ) -> dict[str, CalibratedParameter]:
        verdicts = anchored.verdicts(given.anchors) if enumerated else self._locally(anchored, given)
        known = [p for p, v in verdicts.items() if v.status == "identified"]
        changed = effects(anchored, given, known)
        return {p.name: self._parameter(p, v, given, changed.get(p)) for p, v in verdicts.items()}

    def _locally(self, anchored: AnchoredSet, given: Imposed) -> dict[Symbol, Verdict]:
        """Verdicts by rank, where the anchors' equations were not solved."""
        tangent = anchored.tangent(given.anchors)
        result: dict[Symbol, Verdict] = {}
        for p, v in self.found.items():
            near = tangent is not None and all(a in tangent.anchors for a in given.anchors)
            if v.status == "identified":
                result[p] = v
            elif near and tangent is not None and tangent.determines(given.anchors, p):
                result[p] = Verdict("identified", p, (), "the anchor rank fixes it near the true value")
            else:
                why = "the anchor rank does not fix it, and the anchored branches were not enumerated"
                result[p] = Verdict("undecided", v.transform, (), why)
        return result

    def _parameter(
        self, parameter: Symbol, verdict: Verdict, given: Imposed, effect: Effect | None
    ) -> CalibratedParameter:
        before = self.found[parameter].status
        why = verdict.why
        if verdict.status == "identified" and before != "identified":
            own = any(a.parameter == parameter for a in given.anchors)
            why = "known, as an anchor" if own else "fixed by the anchors on every branch that is left"
            why = verdict.why if "rank" in verdict.why else why
        return CalibratedParameter(
            status=verdict.status,
            transform=self.names.text(verdict.transform),
            alternatives=tuple(self.names.text(e) for e, _ in verdict.alternatives),
            why=why,
            unit=(self._units() or {}).get(parameter.name),
            relative_uncertainty=None if effect is None else effect.relative,
            sensitivity={}
            if effect is None
            else {given.texts[i].text: self.names.text(c) for i, c in effect.sensitivity.items()},
        )

    # -- units, conversion, clock -----------------------------------------------------------------

    def _units(self) -> dict[str, str | None] | None:
        dimensions = self.request.dimensions
        if dimensions is None:
            return None
        return {s.name: None if d is None else unit_text(d) for s, d in dimensions.items()}

    def _conversion(self, moving: Sequence[Symbol]) -> tuple[str | None, dict[str, str]]:
        """The physical value from a fit's value, where the parameters only rescale."""
        identity = self.compatible.identity
        assert identity is not None
        branch = identity.branch
        if set(branch.free) - {LAMBDA, TAU} or LAMBDA not in branch.free or branch.scale != LAMBDA:
            return None, {}
        state = self.problem.law.state.name
        shifted = branch.shift is None or branch.shift != 0
        scale = f"({state}hat1 - {state}hat2)/({state}1 - {state}2)" if shifted else None
        found = {}
        for p in moving:
            ratio = branch.parameters[p] / p
            base, power = (ratio if ratio.is_Symbol or ratio.is_Pow else ratio.cancel()).as_base_exp()
            if base in (LAMBDA, abs(LAMBDA)):
                factor = Symbol("scale") if base == LAMBDA else abs(Symbol("scale", real=True))
                found[p.name] = self.names.text(hat(p) * factor ** (-power))
        return (scale or f"{state}hat/{state}", found) if found else (None, {})

    def _clock(self, anchored: AnchoredSet | None) -> Clock | None:
        clock = self.request.clock
        if clock is None:
            return None
        if anchored is None:
            two = place_symbols(self.problem.law, 2)
            anchored = AnchoredSet(self.compatible, tuple(self.found), two, clock=clock)
        return clock_info(anchored, clock, tuple(self.found), self.names)


def labels(anchors: Sequence[Anchor]) -> tuple[str, ...]:
    """The kinds, a second state told from the first."""
    told: list[str] = []
    for anchor in anchors:
        name = anchor.label()
        told.append(f"another {name}" if name in told else name)
    return tuple(told)


def _statement(scope: str, why: str) -> str:
    if scope == "global":
        return "All reports that agree with the anchors were enumerated."
    reason = f" ({why})" if why else ""
    return f"Decided near the true values only, by the anchor rank{reason}; other branches are not excluded."
