"""The smallest sets of anchors that make a parameter, or all of them, known.

Sets of up to three anchors are tried in order of size.  The rank at the identity rules most of them
out at once; the others are decided on all branches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from sympy import S, Symbol

from identify.algebra.budget import Budget
from identify.conclude.anchor_kinds import Anchor
from identify.conclude.anchor_rank import Tangent
from identify.conclude.anchor_set import AnchoredSet
from identify.orbit.compatible import CompatibleSet

MOST_ANCHORS = 3
MOST_SETS = 160


@dataclass(frozen=True)
class Sufficient:
    """A set of anchors, and whether it suffices globally or only near the truth."""

    anchors: tuple[Anchor, ...]
    scope: Literal["global", "local"]


@dataclass(frozen=True)
class Sets:
    """Sufficient sets for every parameter that needs one, and for all of them together."""

    parameters: dict[Symbol, tuple[Sufficient, ...]]
    everything: tuple[Sufficient, ...]
    tangent: Tangent | None


def candidates(
    compatible: CompatibleSet, places: Sequence[Symbol], parameters: Sequence[Symbol], clock: Symbol | None
) -> list[Anchor]:
    """The anchors worth trying, the weakest first."""
    first, second = places
    found = [] if clock is None else [Anchor("clock", parameter=clock)]
    found += [Anchor("amplitude", (first,)), Anchor("displacement", (first, second))]
    found += [Anchor("origin")] if zero_inside(compatible) else []
    found += [Anchor("state", (first,)), Anchor("state", (second,))]
    return found + [Anchor("parameter", parameter=p) for p in parameters]


def zero_inside(compatible: CompatibleSet) -> bool:
    """Whether the declared domain does not exclude the state zero."""
    z = compatible.family.state
    facts = compatible.filter.facts
    impossible = {">": ("-", "0", "<="), ">=": ("-",), "!=": ("0",), "==": ("+", "-", "!=")}
    return all(
        facts.sign(c.expression.xreplace({z: S.Zero})) not in impossible[c.relation]
        for c in compatible.filter.sampler.domain
    )


def search(
    anchored: AnchoredSet, moving: Sequence[Symbol], anchors: Sequence[Anchor], budget: Budget
) -> Sets:
    """All minimal sufficient sets among ``anchors``."""
    return _Search(anchored, moving, anchors, budget).run()


class _Search:
    def __init__(
        self, anchored: AnchoredSet, moving: Sequence[Symbol], anchors: Sequence[Anchor], budget: Budget
    ) -> None:
        self.anchored, self.moving, self.anchors, self.budget = anchored, moving, anchors, budget
        self.tangent = anchored.tangent(anchors)
        self.whole = anchored.compatible.scope
        self.found: dict[Symbol, list[Sufficient]] = {p: [] for p in moving}
        self.everything: list[Sufficient] = []

    def run(self) -> Sets:
        tried = 0
        for size in range(1, MOST_ANCHORS + 1):
            for chosen in combinations(self.anchors, size):
                open_targets = [p for p in self.moving if not self._known(self.found[p], chosen)]
                if not open_targets and self._known(self.everything, chosen):
                    continue
                self.budget.check("looking for anchors")
                tried += self._try(chosen, open_targets)
                if tried > MOST_SETS:
                    return self._sets()
        return self._sets()

    def _sets(self) -> Sets:
        return Sets({p: tuple(s) for p, s in self.found.items()}, tuple(self.everything), self.tangent)

    def _known(self, sets: Sequence[Sufficient], chosen: tuple[Anchor, ...]) -> bool:
        return any(_within(s.anchors, chosen) for s in sets)

    def _try(self, chosen: tuple[Anchor, ...], targets: Sequence[Symbol]) -> bool:
        """Decide one set; the result says whether more than ranks were needed."""
        places = {u for a in chosen for u in a.at}
        if any(u == self.anchored.places[1] for u in places) and self.anchored.places[0] not in places:
            return False  # the same set with the first state was tried
        # A known parameter is no answer to the question for that parameter.
        targets = [p for p in targets if all(a.parameter != p for a in chosen)]
        near = [p for p in targets if self._locally(chosen, p)]
        whole = not self._known(self.everything, chosen) and all(
            self._locally(chosen, p) for p in self.moving
        )
        if not near and not whole:
            return False
        determined = self.anchored.determined(chosen)
        for p in near:
            self._record(self.found[p], chosen, None if determined is None else p in determined)
        if whole:
            enough = None if determined is None else determined >= set(self.moving)
            self._record(self.everything, chosen, enough)
        return True

    def _locally(self, chosen: tuple[Anchor, ...], parameter: Symbol) -> bool:
        if self.tangent is None:
            return True
        usable = [a for a in chosen if a in self.tangent.anchors]
        return self.tangent.determines(usable, parameter)

    def _record(self, sets: list[Sufficient], chosen: tuple[Anchor, ...], enough: bool | None) -> None:
        if enough is None and self.tangent is not None:
            sets.append(Sufficient(chosen, "local"))
        elif enough:
            sets.append(Sufficient(chosen, "global" if self.whole == "global" else "local"))


def _within(small: tuple[Anchor, ...], large: tuple[Anchor, ...]) -> bool:
    """Whether ``large`` contains ``small``, or something that implies it."""
    return all(any(_implies(b, a) for b in large) or _implied_by_two(large, a) for a in small)


def _implies(strong: Anchor, weak: Anchor) -> bool:
    """A signed state implies the amplitude there."""
    return strong == weak or (weak.kind, strong.kind) == ("amplitude", "state")


def _implied_by_two(large: tuple[Anchor, ...], weak: Anchor) -> bool:
    """Two known places imply the displacement between them."""
    signed = [a for a in large if a.kind in ("origin", "state")]
    return weak.kind == "displacement" and (
        len(signed) > 1 or {a.kind for a in large} >= {"origin", "amplitude"}
    )
