"""Which branches are real reports: inside the assumptions, inside the domain, with a real map.

A branch is kept on an exact-parameter witness and dropped only on a proof of signs.  Where there is
neither, it is undecided.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import mpmath
from sympy import Expr, I, Pow, Rational, S, Symbol, log

from identify.law.law import Condition
from identify.orbit.branch import LAMBDA, TAU, Branch, hat
from identify.orbit.equality import same
from identify.orbit.facts import Facts, Sign
from identify.orbit.sampling import (
    DIGITS,
    Number,
    Point,
    Sampler,
    compiled,
    holds,
    is_real,
    to_number,
    trials,
)

Verdict = Literal["kept", "dropped", "undecided"]
TURNS = (1, -1, 2, -2, 0, 3, -3)  # tried for the integers of a branch
SIGNS: dict[str, Sign] = {">": "+", ">=": ">=", "!=": "!=", "==": "0"}


@dataclass(frozen=True)
class Witness:
    """An exact point of the truth, with free values and integers at which the branch is a real report."""

    point: Point
    free: dict[Symbol, Rational]


@dataclass(frozen=True)
class Realness:
    """The verdict on one branch, its witness, and the conditions under which it exists."""

    verdict: Verdict
    branch: Branch
    facts: Facts
    witness: Witness | None = None
    conditions: tuple[Expr, ...] = ()


def declared_facts(conditions: tuple[Condition, ...]) -> Facts:
    """The declared conditions as signs of a generic truth, for which ``a >= 0`` is ``a > 0``."""
    signs = ((c.expression, SIGNS[c.relation]) for c in conditions)
    return Facts(tuple((e, "+" if s == ">=" else s) for e, s in signs))


class RealFilter:
    """Judges branches against the declared conditions."""

    def __init__(self, sampler: Sampler) -> None:
        self.sampler = sampler
        self.facts = declared_facts((*sampler.assumptions, *sampler.domain))
        self.points = sampler.points(12)

    def judge(self, branch: Branch) -> Realness:
        """Keep on a witness, drop on a proof, else undecided."""
        fitted = self._fitted(branch)
        if fitted is None or self._irregular(fitted) or _without_real_root(fitted):
            return Realness("dropped", branch, self.facts)
        branch = fitted
        requirements = self.requirements(branch)
        unknown = (*branch.free, *branch.algebraic)
        facts = self.facts.implied(requirements, unknown)
        if facts is None or any(e.has(I) for e in branch.parameters.values()):
            return Realness("dropped", branch, self.facts)
        bound = {*branch.free, *branch.algebraic, *branch.integers, self.sampler.state}
        open_conditions = tuple(
            e
            for e, s in requirements
            if s in ("+", ">=") and not _proved(facts.sign(e), s) and not e.free_symbols & bound
        )
        facts = facts.with_signs((e, s) for e, s in requirements if s != "?")
        if branch.identity:
            return Realness("kept", branch, facts)
        witness = self.witness(branch)
        if witness is None:
            return Realness("undecided", branch, facts, None, open_conditions)
        return Realness("kept", branch, facts, witness, open_conditions)

    def requirements(self, branch: Branch) -> list[tuple[Expr, Sign]]:
        """Signs that must hold for the branch to be a real report."""
        wanted: list[tuple[Expr, Sign]] = [(e, "+") for e in branch.positive]
        wanted += [(e, "!=") for e in branch.nonzero if not e.free_symbols & set(branch.integers)]
        for condition in self.sampler.assumptions:
            wanted.append((condition.expression.xreplace(branch.parameters), SIGNS[condition.relation]))
        wanted += [(r, ">=") for r in radicands(branch)] + [(e, "+") for e in logarithms(branch)]
        wanted += [(s, "+") for s in self._orientation(branch)]
        return wanted + self._inside_domain(branch)

    def _fitted(self, branch: Branch) -> Branch | None:
        """A rigid map must carry a bounded domain onto itself: fix its shift, or None if it cannot."""
        ends = self._ends()
        if ends is None or branch.scale not in (S.One, S.NegativeOne) or branch.shift is None:
            return branch
        needed = S.Zero if branch.scale == 1 else ends[0] + ends[1]
        if not branch.integers:
            return branch if branch.free or same(branch.shift, needed) else None
        n = branch.integers[0]
        slope = branch.shift.diff(n)
        turns = ((needed - branch.shift.xreplace({n: S.Zero})) / slope).simplify()
        if len(branch.integers) > 1 or slope.has(n) or branch.free:
            return branch
        if not turns.is_Integer:
            return None if turns.is_number else branch
        at = replace(branch, integers=(), nonzero=())
        return at.substitute({n: turns})

    def _irregular(self, branch: Branch) -> bool:
        """Whether a bent map provably has a pole or a turning point at zero, inside the domain."""
        z = self.sampler.state
        if branch.map is None or branch.scale is not None or branch.identity:
            return False
        at_zero = [(c.expression.xreplace({z: S.Zero}), c.relation) for c in self.sampler.domain]
        if not all(_proved(self.facts.sign(e), SIGNS[r]) for e, r in at_zero):
            return False
        value, slope = branch.map.subs(z, S.Zero), branch.map.diff(z).subs(z, S.Zero)
        bad = (S.ComplexInfinity, S.Infinity, S.NegativeInfinity, S.NaN)
        return bool(value.has(*bad) or slope.has(*bad) or slope == 0)

    def _ends(self) -> tuple[Expr, Expr] | None:
        """The ends of a bounded domain that is the same for every parameter value."""
        if len(self.sampler.domain) != 2:
            return None
        ends = []
        for condition in self.sampler.domain:
            slope = condition.expression.diff(self.sampler.state)
            if slope not in (S.One, S.NegativeOne):
                return None
            ends.append(-condition.expression.xreplace({self.sampler.state: S.Zero}) / slope)
        if any(e.free_symbols for e in ends) or {self._slope(c) for c in self.sampler.domain} != {1, -1}:
            return None
        return ends[0], ends[1]

    def _inside_domain(self, branch: Branch) -> list[tuple[Expr, Sign]]:
        """The declared domain of the report, at the image of a state of the true one."""
        if branch.map is None:
            return []
        table = {**branch.parameters, self.sampler.state: branch.map}
        image = [(c.expression.xreplace(table), SIGNS[c.relation]) for c in self.sampler.domain]
        image = [(e, s) for e, s in image if not e.free_symbols & set(branch.integers)]
        return image + [pair for e, s in image for pair in self._at_the_ends(e, s)]

    def _at_the_ends(self, expression: Expr, sign: Sign) -> list[tuple[Expr, Sign]]:
        """What ``expression > 0`` on all z > 0 says of its first and last coefficients in z."""
        z = self.sampler.state
        if sign != "+" or [c.expression for c in self.sampler.domain] != [z]:
            return []
        if not expression.is_rational_function(z):
            return []
        top, bottom = expression.cancel().as_numer_denom()
        poly = (top * bottom).as_poly(z)
        if poly is None:
            return []
        terms = poly.terms()
        return [(terms[0][1], ">="), (terms[-1][1], ">=")]

    def _orientation(self, branch: Branch) -> list[Expr]:
        """A domain that is unbounded on one side only cannot be reflected."""
        if branch.scale is None or not self.sampler.domain:
            return []
        slopes = {self._slope(c) for c in self.sampler.domain if c.relation in (">", ">=")}
        return [branch.scale] if slopes in ({1}, {-1}) else []

    def _slope(self, condition: Condition) -> int:
        """The sign of the coefficient of the state in a linear domain condition (0: not linear)."""
        slope = condition.expression.diff(self.sampler.state)
        sign = self.facts.sign(slope) if not slope.has(self.sampler.state) else "?"
        return {"+": 1, "-": -1}.get(sign, 0)

    def witness(self, branch: Branch) -> Witness | None:
        """A sample point and free values at which everything required holds."""
        generator = random.Random(5)
        for turns in TURNS if branch.integers else TURNS[:1]:
            evaluate = Evaluation(self.sampler, branch, turns)
            for point in self.points:
                for values in trials(evaluate.free, generator, 24 if branch.free else 1):
                    if evaluate.admissible(point, values):
                        table = dict(zip(evaluate.free, values, strict=True))
                        return Witness(point, table | dict.fromkeys(branch.integers, Rational(turns)))
        return None

    def sign_changes(self, branch: Branch, parameter: Symbol) -> bool:
        """Whether a sample report gives the parameter the opposite sign, or zero."""
        evaluate = Evaluation(self.sampler, branch)
        generator = random.Random(7)
        for point in self.points:
            for values in trials(evaluate.free, generator, 24 if branch.free else 1):
                if evaluate.admissible(point, values, opposite=parameter):
                    return True
        return False


class Evaluation:
    """Numerical check of one branch at sample points."""

    def __init__(self, sampler: Sampler, branch: Branch, turns: int = TURNS[0]) -> None:
        self.sampler, self.branch = sampler, branch
        table = dict.fromkeys(branch.integers, Rational(turns))
        self.free = branch.free
        names = (*sampler.parameters, *branch.free, *branch.algebraic)
        reported = [branch.parameters[p].xreplace(table) for p in sampler.parameters]
        self._reported = compiled(names, reported)
        moving = [e.xreplace(table) for e in branch.positive if e.has(sampler.state)]
        self._positive = compiled(
            names, [e.xreplace(table) for e in branch.positive if not e.has(sampler.state)]
        )
        self._positive_here = compiled((sampler.state, *names), moving)
        self._nonzero = compiled(names, [e.xreplace(table) for e in branch.nonzero])
        self._assumed = compiled(sampler.parameters, [c.expression for c in sampler.assumptions])
        self._domain = compiled((sampler.state, *sampler.parameters), [c.expression for c in sampler.domain])
        image = sampler.state if branch.map is None else branch.map.xreplace(table)
        self._map = compiled((sampler.state, *names), [image])
        self._minimal = [
            compiled((s, *sampler.parameters, *branch.free), [e]) for s, e in branch.algebraic.items()
        ]

    def admissible(self, point: Point, free: tuple[Rational, ...], opposite: Symbol | None = None) -> bool:
        """Whether the report is real and inside every condition (and flips the sign of ``opposite``)."""
        self._opposite = opposite
        with mpmath.workdps(DIGITS):
            base = [to_number(v) for v in (*point.parameters.values(), *free)]
            try:
                return any(self._ok(point, [*base, *roots]) for roots in self._roots(base))
            except (ValueError, ZeroDivisionError, OverflowError):
                return False

    def _roots(self, base: list[Number]) -> list[list[Number]]:
        if not self._minimal:
            return [[]]
        if len(self._minimal) > 1:
            return []
        symbol, expression = next(iter(self.branch.algebraic.items()))
        table = dict(zip((*self.sampler.parameters, *self.free), base, strict=True))
        poly = expression.as_poly(symbol)
        coefficients = [compiled(tuple(table), [c])(*table.values())[0] for c in poly.all_coeffs()]
        roots = mpmath.polyroots(coefficients, maxsteps=200, extraprec=200)
        return [[mpmath.re(r)] for r in roots if is_real(r)]

    def _ok(self, point: Point, values: list[Number]) -> bool:
        reported = self._reported(*values)
        if not all(is_real(r) for r in reported):
            return False
        reported = [mpmath.re(r) for r in reported]
        if self._opposite is not None:
            i = self.sampler.parameters.index(self._opposite)
            if reported[i] * values[i] > 0:
                return False
        checks = [(v, ">") for v in self._positive(*values)] + [(v, "!=") for v in self._nonzero(*values)]
        checks += list(
            zip(self._assumed(*reported), [c.relation for c in self.sampler.assumptions], strict=True)
        )
        if not all(holds(v, r) for v, r in checks):
            return False
        states = sorted((*point.states, *point.extremes))
        if not all(self._inside(to_number(s), values, reported) for s in states):
            return False
        return self.branch.scale is not None or self.branch.map is None or self._monotone(states, values)

    def _monotone(self, states: list[Rational], values: list[Number]) -> bool:
        """Whether the images of the states are in order, forwards or backwards."""
        images = [mpmath.re(self._map(to_number(s), *values)[0]) for s in states]
        steps = [b - a for a, b in pairwise(images)]
        return all(s > 0 for s in steps) or all(s < 0 for s in steps)

    def _inside(self, state: Number, values: list[Number], reported: list[Number]) -> bool:
        image = self._map(state, *values)[0]
        if not is_real(image) or not all(holds(v, ">") for v in self._positive_here(state, *values)):
            return False
        found = self._domain(mpmath.re(image), *reported)
        return all(holds(v, c.relation) for v, c in zip(found, self.sampler.domain, strict=True))


def _without_real_root(branch: Branch) -> bool:
    """Whether an algebraic number of the branch provably is not real (Sturm's theorem)."""
    numeric = [e.as_poly(s) for s, e in branch.algebraic.items() if e.free_symbols == {s}]
    return any(poly.count_roots() == 0 for poly in numeric)


def logarithms(branch: Branch) -> list[Expr]:
    """Everything inside a logarithm in the map or the parameter map."""
    expressions = (*branch.parameters.values(), *([branch.map] if branch.map is not None else []))
    return list(dict.fromkeys(a.args[0] for e in expressions for a in e.atoms(log)))


def radicands(branch: Branch) -> list[Expr]:
    """Everything under an even root in the map or the parameter map."""
    found: list[Expr] = []
    for expression in (*branch.parameters.values(), *([branch.map] if branch.map is not None else [])):
        for power in expression.atoms(Pow):
            if isinstance(power.exp, Rational) and power.exp.q % 2 == 0 and power.base not in found:
                found.append(power.base)
    return found


def _proved(found: Sign, wanted: Sign) -> bool:
    return found == wanted or (wanted == ">=" and found in ("+", "0"))


def with_identity(branch: Branch, state: Symbol, truth: dict[Symbol, Expr]) -> Branch:
    """The branch, marked when the identity map with unchanged parameters is in its closure."""
    table: dict[Symbol, Expr] = {LAMBDA: Rational(1), TAU: Rational(0)}
    table.update({n: Rational(0) for n in branch.integers})
    for parameter in branch.parameters:
        table[hat(parameter)] = truth[parameter]
    at = branch.substitute({s: e for s, e in table.items() if s in (*branch.free, *branch.integers)})
    if at.map is None or at.algebraic or not same(at.map, state):
        return branch
    unchanged = all(same(e, truth[p]) for p, e in at.parameters.items())
    return replace(branch, identity=unchanged)
