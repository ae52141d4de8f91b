"""The smallest sets of anchors that make a parameter, or all of them, known.

Sets of up to three anchors are tried in order of size, until a size suffices (and, where that needs a known
parameter, until one does with measurements alone).  The rank at the identity rules
most sets out at once; the others are decided on all branches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations
from typing import Literal

from sympy import S, Symbol

from identify.algebra.budget import Budget
from identify.conclude.anchor_kinds import PAIRS, Anchor
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
    stopped: bool = False


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
        tried: set[frozenset[Anchor]] = set()
        count = 0
        for size in range(1, MOST_ANCHORS + 1):
            open_targets = [p for p in self.moving if not _settled(self.found[p], size)]
            whole = not _settled(self.everything, size)
            for chosen in combinations(self.anchors, size) if open_targets or whole else ():
                if frozenset(chosen) in tried or self._mirror(chosen) in tried:
                    continue
                tried.add(frozenset(chosen))
                targets = [p for p in open_targets if not self._known(self.found[p], chosen)]
                self.budget.check("looking for anchors")
                count += self._try(chosen, targets, whole and not self._known(self.everything, chosen))
                if count > MOST_SETS:
                    return replace(self._sets(), stopped=True)
        return self._sets()

    def _mirror(self, chosen: tuple[Anchor, ...]) -> frozenset[Anchor]:
        """The same set with the two anchored states exchanged."""
        first, second = self.anchored.places
        swap = {first: second, second: first}
        return frozenset(
            a if a.kind in PAIRS else replace(a, at=tuple(swap.get(u, u) for u in a.at)) for a in chosen
        )

    def _sets(self) -> Sets:
        return Sets({p: tuple(s) for p, s in self.found.items()}, tuple(self.everything), self.tangent)

    def _known(self, sets: Sequence[Sufficient], chosen: tuple[Anchor, ...]) -> bool:
        return any(_within(s.anchors, chosen) for s in sets if s.scope == self.whole)

    def _try(self, chosen: tuple[Anchor, ...], targets: Sequence[Symbol], everything: bool) -> bool:
        """Decide one set; the result says whether more than ranks were needed."""
        # A known parameter is no answer to the question for that parameter.
        targets = [p for p in targets if all(a.parameter != p for a in chosen)]
        if any(a.kind == "parameter" for a in chosen):
            targets = [p for p in targets if not _smaller(self.found[p], chosen)]
            everything = everything and not _smaller(self.everything, chosen)
        near = [p for p in targets if self._locally(chosen, p)]
        whole = everything and all(self._locally(chosen, p) for p in self.moving)
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


def _settled(sets: Sequence[Sufficient], size: int) -> bool:
    """Whether sets of this size need not be tried: a smaller one, without known parameters, suffices."""
    smaller = [s for s in sets if len(s.anchors) < size]
    return any(all(a.kind != "parameter" for a in s.anchors) for s in smaller)


def _smaller(sets: Sequence[Sufficient], chosen: tuple[Anchor, ...]) -> bool:
    return any(len(s.anchors) < len(chosen) for s in sets)


def _within(small: tuple[Anchor, ...], large: tuple[Anchor, ...]) -> bool:
    """Whether each anchor of ``small`` is implied by one of ``large`` of its own, at whatever states."""
    if any(a.kind == "displacement" for a in small) and _two_states(small, large):
        small = tuple(a for a in small if a.kind != "displacement")
    return any(
        all(_implies(b, a) for b, a in zip(chosen, small, strict=True))
        for chosen in permutations(large, len(small))
    )


def _implies(strong: Anchor, weak: Anchor) -> bool:
    """A signed state implies the amplitude there."""
    if strong.kind == "state":
        return weak.kind in ("state", "amplitude")
    return strong == weak


def _two_states(small: tuple[Anchor, ...], large: tuple[Anchor, ...]) -> bool:
    """Two known states imply the displacement between them, where nothing else needs them."""
    spoken_for = any(a.kind in ("state", "amplitude") for a in small)
    return not spoken_for and sum(a.kind == "state" for a in large) > 1
