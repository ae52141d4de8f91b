"""Anchors as the checker understands them: what a report must say about a known physical fact.

A report agrees with an anchor when its map and parameters return the known value: ``f(u) = u`` at a known
state, ``|f(u)| = |u|`` where only the size is known, ``eta_p = theta_p`` for a known parameter, and the
true clock for a known frame rate or period.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from sympy import Expr, Integer, S, Symbol

from identify.certificate.branch import Branch
from identify.certificate.document import AnchorSetClaim, GivenAnchorClaim
from identify.certificate.evaluation import Unreadable
from identify.certificate.maps import ExplicitMap
from identify.certificate.problem import Problem
from identify.certificate.reading import derivative, evaluable

ONE_PLACE = ("state", "equilibrium", "amplitude", "velocity", "speed", "acceleration")
TWO_PLACES = ("displacement", "size")
CLOCK = ("frame-rate", "period")
UNSIGNED = ("amplitude", "displacement", "size", "speed")
TEMPO = {"velocity": 1, "speed": 1, "acceleration": 2}


@dataclass(frozen=True)
class Anchor:
    """One scalar fact: its kind, the states it speaks of (zero or places), the known parameter."""

    kind: str
    at: tuple[Expr, ...] = ()
    parameter: Symbol | None = None

    @property
    def unsigned(self) -> bool:
        """Whether only the size is known."""
        return self.kind in UNSIGNED

    def said(self, branch: Branch, problem: Problem) -> Expr | None:
        """What a report of the branch says of it; None where the map is not explicit."""
        if self.parameter is not None:
            return branch.parameters[self.parameter]
        if not isinstance(branch.map, ExplicitMap):
            return None
        image, z = branch.map.expression, problem.state
        if self.kind in TWO_PLACES:
            first, second = (image.xreplace({z: u}) for u in self.at)
            return first - second
        if self.kind in TEMPO:
            slope = derivative(image, z).xreplace({z: self.at[0]})
            return slope if problem.clock is None else slope / branch.parameters[problem.clock] ** self._tempo
        return image.xreplace({z: self.at[0] if self.at else S.Zero})

    @property
    def _tempo(self) -> int:
        return TEMPO[self.kind]

    def true(self) -> Expr:
        """The same fact of the true motion (slopes relative to themselves)."""
        if self.parameter is not None:
            return self.parameter
        if self.kind in TWO_PLACES:
            return self.at[0] - self.at[1]
        return S.One if self.kind in TEMPO else self.at[0] if self.at else S.Zero


def equations(anchors: Sequence[Anchor], branch: Branch, problem: Problem) -> Iterator[list[Expr]]:
    """Systems ``expression = 0``, one for each choice of the unknown signs; none without a map."""
    said = [anchor.said(branch, problem) for anchor in anchors]
    known = [e for e in said if e is not None]
    if len(known) < len(said):
        return
    signs = [(1, -1) if anchor.unsigned else (1,) for anchor in anchors]
    for chosen in product(*signs):
        pairs = zip(known, anchors, chosen, strict=True)
        yield [evaluable(left - Integer(sign) * anchor.true()) for left, anchor, sign in pairs]


def anchors_of(claim: AnchorSetClaim, problem: Problem) -> tuple[Anchor, ...]:
    """The anchors of a listed set; ``Unreadable`` where one is none."""
    if len(claim.at) != len(claim.anchors):
        raise Unreadable("a set of anchors does not say at which states they are")
    symbols = _symbols(problem)
    found = []
    for label, at in zip(claim.anchors, claim.at, strict=True):
        kind, _, name = label.removeprefix("another ").partition(" ")
        found.append(_anchor(kind, name or None, at, symbols, problem))
    return tuple(found)


def given_anchors(claims: Sequence[GivenAnchorClaim], problem: Problem) -> tuple[Anchor, ...]:
    """The given anchors; ``Unreadable`` where one is none."""
    symbols = _symbols(problem)
    return tuple(_anchor(c.kind, c.parameter, c.at, symbols, problem) for c in claims)


def place_names(many: Sequence[Sequence[str]]) -> list[str]:
    """The names of anchored states that occur, in order."""
    return list(dict.fromkeys(name for at in many for name in at if name != "0"))


def _symbols(problem: Problem) -> Mapping[str, Symbol]:
    return {p.name: p for p in (*problem.declared, *problem.places)}


def _anchor(
    kind: str, name: str | None, at: Sequence[str], symbols: Mapping[str, Symbol], problem: Problem
) -> Anchor:
    wanted = 1 if kind in ONE_PLACE else 2 if kind in TWO_PLACES else 0
    if len(at) != wanted:
        raise Unreadable(f"the anchor {kind[:40]!r} speaks of {wanted} states, not of {len(at)}")
    if kind in CLOCK:
        if problem.clock is None:
            raise Unreadable(f"{kind} is an anchor of the clock, which is known")
        return Anchor("clock", parameter=problem.clock)
    if kind == "parameter":
        known = symbols.get(name or "")
        if known is None or known not in problem.declared:
            raise Unreadable(f"{(name or '?')[:40]!r} is no parameter of the law")
        return Anchor(kind, parameter=known)
    if kind != "origin" and not wanted:
        raise Unreadable(f"{kind[:40]!r} is no anchor")
    places = tuple(S.Zero if u == "0" else symbols[u] for u in at)
    return Anchor(kind, places)
