"""Anchors: physical facts that a report must agree with, as equations on a branch.

An anchor pairs something known of the true motion with what the fit says about it.  Up to a change of
the truth along the orbit the known value is the true one, so a report that agrees with the anchor has
``f(u) = u`` at a known state, ``eta_p = theta_p`` at a known parameter, and so on (the level set of
prop:anchor-rank through the identity).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sympy import Expr, Integer, S, Symbol

from identify.orbit.branch import LAMBDA, TAU, Branch, hat

KAPPA = Symbol("_kappa", positive=True)

Kind = Literal[
    "origin",
    "state",
    "equilibrium",
    "amplitude",
    "displacement",
    "size",
    "velocity",
    "speed",
    "acceleration",
    "parameter",
    "clock",
]

POSITIONS: frozenset[str] = frozenset({"state", "equilibrium", "amplitude"})
PAIRS: frozenset[str] = frozenset({"displacement", "size"})
SLOPES: frozenset[str] = frozenset({"velocity", "speed", "acceleration"})
UNSIGNED: frozenset[str] = frozenset({"amplitude", "displacement", "size", "speed"})


class NoMap(Exception):
    """The branch has no explicit map, so that an anchor on the coordinate cannot be evaluated."""


@dataclass(frozen=True)
class Anchor:
    """One scalar anchor; ``at`` are the states it speaks of, ``parameter`` the known parameter."""

    kind: Kind
    at: tuple[Expr, ...] = ()
    parameter: Symbol | None = None

    @property
    def on_coordinate(self) -> bool:
        """Whether the anchor constrains the map rather than a parameter."""
        return self.kind not in ("parameter", "clock")

    def predicted(self, branch: Branch, state: Symbol, clock: Symbol | None) -> Expr:
        """What a report of the branch says about the anchored quantity, sign included."""
        if self.parameter is not None:
            return branch.parameters[self.parameter]
        if branch.map is None:
            raise NoMap
        if self.kind == "origin":
            return branch.map.xreplace({state: S.Zero})
        if self.kind in PAIRS:
            first, second = (branch.map.xreplace({state: u}) for u in self.at)
            return first - second
        if self.kind in SLOPES:
            slope = branch.map.diff(state).xreplace({state: self.at[0]})
            return slope / self._tempo(branch, clock)
        return branch.map.xreplace({state: self.at[0]})

    def _tempo(self, branch: Branch, clock: Symbol | None) -> Expr:
        """Velocities and accelerations are read on the clock of the footage."""
        if clock is None:
            return S.One
        return branch.parameters[clock] ** (2 if self.kind == "acceleration" else 1)

    def true_value(self, truth: dict[Symbol, Expr]) -> Expr:
        """The same quantity of the true motion (relative to itself for slopes)."""
        if self.parameter is not None:
            return truth[self.parameter]
        if self.kind == "origin":
            return S.Zero
        if self.kind in PAIRS:
            return self.at[0] - self.at[1]
        return S.One if self.kind in SLOPES else self.at[0]

    def equations(
        self, branch: Branch, state: Symbol, truth: dict[Symbol, Expr], clock: Symbol | None
    ) -> list[tuple[Expr, Expr]]:
        """``left = right``, once for each sign that an unsigned anchor leaves open."""
        left, right = self.predicted(branch, state, clock), self.true_value(truth)
        signs = (1, -1) if self.kind in UNSIGNED else (1,)
        return [(left, Integer(s) * right) for s in signs]

    def label(self) -> str:
        """The kind, with the parameter's name or the number of the state where there are several."""
        if self.kind == "parameter":
            assert self.parameter is not None
            return f"parameter {self.parameter.name}"
        return "frame-rate" if self.kind == "clock" else self.kind


def places(anchor: Anchor) -> tuple[str, ...]:
    """The names of the anchored states."""
    return tuple(str(u) for u in anchor.at)


def identity_value(symbol: Symbol, truth: dict[Symbol, Expr]) -> Expr | None:
    """The value of a free symbol at the identity report, where its name tells it."""
    known: dict[Symbol, Expr] = {hat(p): e for p, e in truth.items()}
    known.update({LAMBDA: S.One, TAU: S.Zero, KAPPA: S.One})
    return known.get(symbol)
