"""Reports that agree with anchors, sought numerically on every branch that the document lists.

On each branch the anchors are equations for its free symbols.  They are attacked by damped least squares
from many starts and for each choice of unknown signs; what is found is confirmed to many digits and kept
only if it is an admissible report.  Finding nothing new proves nothing, and the checks say so.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, product

import mpmath
from sympy import Expr, Symbol

from identify.certificate.anchors import Anchor, equations
from identify.certificate.branch import Branch
from identify.certificate.dimensions import identity_point
from identify.certificate.evaluation import Point, Unreadable, Value, compiled, evaluate
from identify.certificate.least_squares import System, Vector, descend
from identify.certificate.linear import Row, rank
from identify.certificate.maps import ExplicitMap
from identify.certificate.problem import Problem, Theta
from identify.certificate.reading import derivative
from identify.certificate.reports import Report, Trial, identity_gap, try_branch
from identify.certificate.sampling import Sampler
from identify.certificate.whole import keeps_domain, spread

STARTS = 5
STATES = 4
TURNS = (0, 1, -1)
SECONDS = 6.0  # of processor time for all anchors of a document
CLOSE = mpmath.mpf(10) ** -20
DIFFERENT = mpmath.mpf(10) ** -12
ROUGH = 1e-6  # solutions in floats closer than this are one


@dataclass(frozen=True)
class Agreeing:
    """One report that agrees with the anchors: its branch, truth, parameters, and images of a few states."""

    branch: Branch
    theta: Theta
    eta: Theta
    images: tuple[tuple[Value, Value], ...]

    def keeps(self, parameter: Symbol) -> bool:
        """Whether it reports the true value."""
        return not differ(self.eta[parameter], self.theta[parameter])

    def is_map(self, sign: int) -> bool:
        """Whether its map is the identity (1) or the reflection (-1)."""
        return all(not differ(image, sign * state) for state, image in self.images)


@dataclass(frozen=True)
class Found:
    """The reports found for one list of anchors; ``whole`` where every branch could be searched in time."""

    reports: tuple[Agreeing, ...]
    whole: bool


@dataclass
class AnchoredSearch:
    """Searches for one document: results and rows at the identity are remembered by anchors."""

    problem: Problem
    trials: Sequence[Trial]
    sampler: Sampler
    end: float = field(default_factory=lambda: time.process_time() + SECONDS)
    _found: dict[tuple[Anchor, ...], Found] = field(default_factory=dict)
    _base: tuple[Branch, Point] | None = None
    _based: bool = False

    @property
    def late(self) -> bool:
        """Whether the time is used up."""
        return self.sampler.late or time.process_time() > self.end

    # -- near the identity ------------------------------------------------------------------------

    def base(self) -> tuple[Branch, Point] | None:
        """A branch through the identity with its symbols there; None where the map is implicit."""
        if not self._based:
            self._based = True
            points = ((b, identity_point(self.problem, b, r, self.sampler)) for b, r in self._through())
            self._base = next(((b, p) for b, p in points if p is not None), None)
        return self._base

    def _through(self) -> Iterator[tuple[Branch, Report]]:
        """Reports of branches through the identity; more of them, as a root may single out one sign."""
        identities = [t for t in self.trials if t.branch.kind == "identity"]
        yield from ((t.branch, r) for t in identities for r in t.reports)
        for t in identities:
            if isinstance(t.branch.map, ExplicitMap) and not self.late:
                many = try_branch(self.problem, t.branch, replace(self.sampler, samples=6, pools={}))
                yield from ((t.branch, r) for r in many.reports)

    def row(self, expression: Expr) -> Row | None:
        """The derivatives of an expression of the base branch along its symbols, at the identity."""
        base = self.base()
        if base is None:
            return None
        branch, point = base
        try:
            return [evaluate(derivative(expression, s), point) for s in _unknown(branch)]
        except (ArithmeticError, Unreadable):
            return None

    def rows(self, anchors: Sequence[Anchor]) -> list[Row] | None:
        """The rows of the anchors; None where one cannot be computed."""
        base = self.base()
        said = [None if base is None else anchor.said(base[0], self.problem) for anchor in anchors]
        found = [None if e is None else self.row(e) for e in said]
        known = [row for row in found if row is not None]
        return known if len(known) == len(found) else None

    def rank(self, anchors: Sequence[Anchor]) -> int | None:
        """The anchor rank at the identity (prop:anchor-rank)."""
        rows, ties = self.rows(anchors), self._ties()
        if rows is None or ties is None:
            return None
        whole, fixed = _rank([*ties, *rows]), _rank(ties)
        return None if whole is None or fixed is None else whole - fixed

    def _ties(self) -> list[Row] | None:
        """The rows of the polynomials that algebraic symbols of the base branch solve."""
        base = self.base()
        found = [] if base is None else [self.row(polynomial) for _, polynomial in base[0].roots]
        known = [row for row in found if row is not None]
        return known if base is not None and len(known) == len(found) else None

    def determines(self, anchors: Sequence[Anchor], parameter: Symbol) -> bool | None:
        """Whether the anchors fix the parameter near the identity; None where ranks are not known."""
        rows, base, ties = self.rows(anchors), self.base(), self._ties()
        own = None if base is None else self.row(base[0].parameters[parameter])
        if rows is None or own is None or ties is None:
            return None
        if all(abs(x) < CLOSE for x in own):
            return True
        before, after = _rank([*ties, *rows]), _rank([*ties, *rows, own])
        return None if before is None or after is None else before == after

    # -- on all branches --------------------------------------------------------------------------

    def reports(self, anchors: tuple[Anchor, ...]) -> Found:
        """The reports that agree with the anchors, as far as they are found."""
        if anchors not in self._found:
            self._found[anchors] = self._search(anchors)
        return self._found[anchors]

    def _search(self, anchors: tuple[Anchor, ...]) -> Found:
        found: list[Agreeing] = []
        whole = not self.late
        for trial in self.trials:
            searched = bool(trial.reports) and not self.late
            try:
                systems = list(equations(anchors, trial.branch, self.problem)) if searched else []
                for system in systems:
                    found += self._solutions(trial, system)
            except Unreadable:
                systems = []
            whole = whole and bool(systems)
        return Found(tuple(found), whole)

    def _solutions(self, trial: Trial, system: list[Expr]) -> Iterator[Agreeing]:
        """Admissible solutions of one system on one branch, at the thetas of its reports."""
        branch = trial.branch
        for report in _two_truths(trial.reports):
            for turns in product(TURNS, repeat=len(branch.integers)):
                whole = {n: mpmath.mpf(k) for n, k in zip(branch.integers, turns, strict=True)}
                yield from self._at(branch, system, {**report.theta, **whole})

    def _at(self, branch: Branch, system: list[Expr], known: Point) -> Iterator[Agreeing]:
        unknown = _unknown(branch)
        both = _System([*system, *(polynomial for _, polynomial in branch.roots)], unknown, known)
        seen: list[Vector] = []
        for start in self._starts(branch, known) if unknown else ([],):
            if self.late:
                return
            rough = both.rough(start)
            if rough is None or any(_near(rough, other) for other in seen):
                continue
            seen.append(rough)
            x = both.fine(rough)
            point = None if x is None else {**known, **dict(zip(unknown, x, strict=True))}
            agreeing = None if point is None else self._admissible(branch, point)
            if agreeing is not None:
                yield agreeing

    def _starts(self, branch: Branch, known: Point) -> Iterator[Vector]:
        """Near the identity and its reflection, then anywhere."""
        truth = {s.name: value for s, value in known.items()}
        near = [float(truth.get(s.name.rsplit("_hat", 1)[0], 1)) for s in branch.free]
        extra = [float(self.sampler.real()) for _ in branch.roots]
        for sign in (1, -1):
            yield [1.07 * x * (sign if s.name == "lambda" else 1) + 0.01
                   for s, x in zip(branch.free, near, strict=True)] + extra  # fmt: skip
        tempo = None if self.problem.clock is None else branch.parameters[self.problem.clock]
        for _ in range(STARTS):
            drawn = [float(self.sampler.real()) for _ in (*branch.free, *branch.roots)]
            yield [abs(x) if s == tempo else x for s, x in zip(_unknown(branch), drawn, strict=True)]

    def _admissible(self, branch: Branch, point: Point) -> Agreeing | None:
        """The report at the point if it is one: conditions, assumptions, domain, order and identity."""
        problem, theta = self.problem, {p: point[p] for p in self.problem.parameters}
        try:
            constant = (c for c in branch.conditions if problem.state not in c.expression.free_symbols)
            eta = {p: evaluate(e, point) for p, e in branch.parameters.items()}
            if not all(c.holds(point) for c in constant) or not problem.admits(eta):
                return None
            images = self._images(branch, point, theta, eta)
        except (ArithmeticError, ValueError):
            return None
        return None if images is None else Agreeing(branch, theta, eta, images)

    def _images(
        self, branch: Branch, point: Point, theta: Theta, eta: Theta
    ) -> tuple[tuple[Value, Value], ...] | None:
        """Images of states and places, where the map keeps the domain, the order and the law."""
        problem, coordinate = self.problem, branch.map
        if not isinstance(coordinate, ExplicitMap):
            return None

        def image(state: Value) -> Value:
            return evaluate(coordinate.expression, {**point, problem.state: state})

        states = self.sampler.states(problem, theta, STATES)
        domain = spread(problem, theta)
        places = [theta[place] for place in problem.places]
        for state in states:
            (jet,) = coordinate.jets(point, eta, state)
            gap = identity_gap(problem, theta, eta, state, jet, self.sampler.velocities(3))
            if abs(jet.first) < DIFFERENT or gap is None or gap > CLOSE:
                return None
        everywhere = sorted({*states, *places, *domain})
        if not states or not keeps_domain(problem, eta, everywhere, image):
            return None
        pairs = [(state, image(state)) for state in everywhere]
        steps = [b[1] - a[1] for a, b in pairwise(pairs)]
        ordered = all(s > 0 for s in steps) or all(s < 0 for s in steps)
        return tuple((u, w) for u, w in pairs if u in states) if ordered else None


def _unknown(branch: Branch) -> tuple[Symbol, ...]:
    """The free and the algebraic symbols."""
    return (*branch.free, *(symbol for symbol, _ in branch.roots))


def _rank(rows: list[Row]) -> int | None:
    return rank(rows) if rows and rows[0] else 0


def _two_truths(reports: Sequence[Report]) -> list[Report]:
    found: list[Report] = []
    for report in reports:
        if all(report.theta != other.theta for other in found):
            found.append(report)
    return found[:2]


class _System:
    """Equations for the unknown symbols at a known point, in floats and to many digits."""

    def __init__(self, system: list[Expr], unknown: Sequence[Symbol], known: Point) -> None:
        self.system, self.unknown, self.known = system, unknown, known
        self.slopes = [[derivative(e, s) for s in unknown] for e in system]
        self._fast = self._compiled(True)

    def rough(self, start: Vector) -> Vector | None:
        """A solution in floats from this start; without unknowns, whether the equations hold."""
        if self.unknown:
            return descend(self._fast, start) if self.system else start
        values = [evaluate(e, self.known) for e in self.system]
        return [] if all(abs(value) < CLOSE for value in values) else None

    def fine(self, rough: Vector) -> Vector | None:
        """The solution to many digits."""
        start = [mpmath.mpf(x) for x in rough]
        return descend(self._compiled(False), start) if self.unknown and self.system else start

    def _compiled(self, fast: bool) -> System:
        functions = [compiled(e, fast) for e in self.system]
        slopes = [[compiled(d, fast) for d in row] for row in self.slopes]
        base = {s: float(value) for s, value in self.known.items()} if fast else dict(self.known)

        def run(x: Vector) -> tuple[Vector, list[Vector]]:
            point = {**base, **dict(zip(self.unknown, x, strict=True))}
            return [f(point) for f in functions], [[d(point) for d in row] for row in slopes]

        return run


def _near(one: Vector, two: Vector) -> bool:
    return all(abs(a - b) <= ROUGH * (1 + abs(a)) for a, b in zip(one, two, strict=True))


def differ(left: Value, right: Value) -> bool:
    """Whether two values are apart by more than rounding."""
    return bool(abs(left - right) > DIFFERENT * (1 + abs(left)))
