"""Numerical reading of an Analysis: laws, branches and invariants at random points, by substitution.

Shares nothing with the solver but the parser: every expression is read from the printed document.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import mpmath
from sympy import Expr, Integer, Rational, Symbol, lambdify, solve

from identify.analysis import Analysis, BranchInfo
from identify.law import Condition, read_condition, read_expression, read_law

DIGITS = 120
Point = dict[Symbol, Any]
OUT_OF_REACH = (ValueError, ZeroDivisionError, OverflowError, TypeError)


def real(name: str) -> Symbol:
    """The symbol that the parser gives a name."""
    return Symbol(name, real=True)


def number(value: Any) -> Any:
    """An exact value at the working precision."""
    if isinstance(value, Rational):
        return mpmath.mpf(int(value.p)) / int(value.q)
    return mpmath.mpmathify(value)


def function(expressions: Sequence[Expr], symbols: Sequence[Symbol]) -> Callable[..., list[Any]]:
    """The expressions as one mpmath function."""
    return lambdify(list(symbols), list(expressions), "mpmath")  # type: ignore[no-any-return]


def value(expression: Expr, point: Mapping[Symbol, Any]) -> Any:
    """One expression at a point; the caller sets the working precision."""
    return function([expression], list(point))(*map(number, point.values()))[0]


def is_real(x: Any) -> bool:
    """Finite and real up to rounding."""
    return bool(mpmath.isfinite(x)) and abs(mpmath.im(x)) <= mpmath.mpf(10) ** -25 * (1 + abs(x))


def close(x: Any, y: Any, scale: Any = 1) -> bool:
    """Equal to half the working digits."""
    return bool(abs(x - y) <= mpmath.mpf(10) ** -22 * (abs(x) + abs(y) + abs(scale)))


def holds(condition: Condition, point: Mapping[Symbol, Any]) -> bool:
    """Whether a condition holds at a point, away from its boundary."""
    try:
        x = value(condition.expression, point)
    except OUT_OF_REACH:
        return False
    if not is_real(x):
        return False
    x, tiny = mpmath.re(x), mpmath.mpf(10) ** -20
    answers = {">": x > tiny, ">=": x > -tiny, "==": abs(x) < tiny, "!=": abs(x) > tiny}
    return bool(answers[condition.relation])


def rank(rows: Iterable[Sequence[Any]]) -> int:
    """The numerical rank by complete pivoting."""
    matrix = [[x / max(map(abs, row)) for x in row] for row in rows if any(abs(x) > 1e-35 for x in row)]
    found = 0
    while matrix:
        i, j = max(
            ((i, j) for i, row in enumerate(matrix) for j in range(len(row))),
            key=lambda ij: abs(matrix[ij[0]][ij[1]]),
        )
        if abs(matrix[i][j]) < mpmath.mpf(10) ** -20:
            return found
        top = matrix.pop(i)
        matrix = [[x - row[j] / top[j] * y for x, y in zip(row, top, strict=True)] for row in matrix]
        found += 1
    return found


def eliminated(assumptions: Iterable[Condition]) -> dict[Symbol, Expr]:
    """The parameters that the declared equalities fix."""
    equalities = [c.expression for c in assumptions if c.relation == "=="]
    found: dict[Symbol, Expr] = {}
    for expression in equalities:
        rest = expression.xreplace(found)
        symbol = next(
            s for s in sorted(rest.free_symbols, key=str) if rest.diff(s, 2) == 0 and not rest.diff(s).has(s)
        )
        found[symbol] = solve(rest, symbol)[0]
    return found


@dataclass
class Reading:
    """The law of an Analysis, as functions of numbers."""

    analysis: Analysis

    def __post_init__(self) -> None:
        info = self.analysis.law
        self.law = read_law(info.text, list(info.assumptions), list(info.domain))
        self.z, self.v = self.law.state, self.law.velocity
        self.parameters = self.law.parameters
        self.names = (self.z, *self.parameters)

    @cached_property
    def fixed(self) -> dict[Symbol, Expr]:
        return eliminated(self.law.assumptions)

    @cached_property
    def independent(self) -> list[Symbol]:
        return [p for p in self.parameters if p not in self.fixed]

    @cached_property
    def acceleration(self) -> Callable[..., Any]:
        compiled = function([self.law.acceleration], (self.z, self.v, *self.parameters))
        return lambda *a: compiled(*a)[0]

    def read(self, text: str, more: Iterable[str] = ()) -> Expr:
        return read_expression(text, [*self.names, *map(real, more)])

    def points(self, seed: int, count: int) -> Iterator[Point]:
        """Random parameters and a state inside assumptions and domain (may give fewer)."""
        generator, found = random.Random(seed), 0
        for _ in range(400 * count):
            point: Point = {p: _random(generator) for p in self.independent}
            point.update({p: e.xreplace(point) for p, e in self.fixed.items()})
            if not all(p.is_Rational for p in point.values()) or not all(
                holds(c, point) for c in self.law.assumptions
            ):
                continue
            point = {p: point[p] for p in self.parameters}
            for _ in range(30):
                inside = {**point, self.z: _random(generator)}
                if all(holds(c, inside) for c in self.law.domain):
                    yield inside
                    found += 1
                    break
            if found == count:
                return

    def gradients(self, functions: Iterable[Expr], point: Point) -> list[list[Any]]:
        """The Jacobian in the independent parameters."""
        rows = []
        where = {p: point[p] for p in self.independent}
        for f in functions:
            free = f.xreplace(self.fixed)
            rows.append([value(free.diff(p), where) for p in self.independent])
        return rows

    @cached_property
    def invariants(self) -> list[Expr]:
        return [self.read(text) for text in self.analysis.invariants]

    @cached_property
    def signs(self) -> list[Expr]:
        """The arguments of the sign invariants."""
        return [self.read(text[len("sign(") : -1]) for text in self.analysis.sign_invariants]

    def branches(self) -> list[BranchReading]:
        assert self.analysis.gauge is not None
        return [BranchReading(self, b) for b in self.analysis.gauge.branches]


def _random(generator: random.Random) -> Rational:
    return Rational(generator.choice((1, 1, -1)) * generator.randint(1, 50), generator.randint(5, 25))


@dataclass
class Report:
    """One compatible report: the image of a state with f, f', f'' there, and the reported parameters."""

    truth: Point
    f: Any
    slope: Any
    curvature: Any
    parameters: dict[Symbol, Any]


@dataclass
class BranchReading:
    """A branch, as functions of numbers."""

    reading: Reading
    info: BranchInfo

    def __post_init__(self) -> None:
        info, more = self.info, [*self.info.free, *self.info.integers, *self.info.symbols]
        self.undecided = any("not decided" in c for c in info.conditions)
        self.parameters = {real(p): self.reading.read(t, more) for p, t in info.parameters.items()}
        self.map = None if info.map is None else self.reading.read(info.map, more)
        names = {s.name: s for s in self.reading.names} | {n: real(n) for n in more}
        self.conditions = [
            c for text in info.conditions if "not decided" not in text for c in read_condition(text, names)
        ]
        self.symbols = {
            real(s): self.reading.read(t.removesuffix("= 0"), more) for s, t in info.symbols.items()
        }

    def reports(self, seed: int, count: int) -> Iterator[Report]:
        """Reports at random points where the branch is real and inside every condition."""
        generator, found = random.Random(seed), 0
        for point in self.reading.points(seed, 12 * count):
            for point_and_gauge in self._gauge(point, generator):
                report = self._report(point_and_gauge)
                if report is not None:
                    yield report
                    found += 1
                    break
            if found == count:
                return

    def _gauge(self, point: Point, generator: random.Random) -> Iterator[Point]:
        for _ in range(6):
            chosen = dict(point)
            chosen |= {real(s): _random(generator) for s in self.info.free}
            chosen |= {real(n): Integer(generator.randint(-2, 2)) for n in self.info.integers}
            for roots in self._roots(chosen):
                yield chosen | roots

    def _roots(self, point: Point) -> Iterator[Point]:
        if not self.symbols:
            yield {}
            return
        if len(self.symbols) > 1:
            return
        ((symbol, minimal),) = self.symbols.items()
        poly = minimal.as_poly(symbol)
        try:
            coefficients = [value(c, point) for c in poly.all_coeffs()]
            roots = mpmath.polyroots(coefficients, maxsteps=200, extraprec=300)
        except (*OUT_OF_REACH, mpmath.libmp.NoConvergence):
            return
        for root in roots:
            if is_real(root):
                yield {symbol: mpmath.re(root)}

    def _report(self, point: Point) -> Report | None:
        if self.map is None or not all(holds(c, point) for c in self.conditions):
            return None
        z = self.reading.z
        try:
            values = [value(e, point) for e in self.parameters.values()]
            local = [value(self.map.diff(z, k) if k else self.map, point) for k in range(3)]
        except OUT_OF_REACH:
            return None
        if not all(map(is_real, [*values, *local])) or abs(local[1]) < mpmath.mpf(10) ** -20:
            return None
        reported = dict(zip(self.parameters, map(mpmath.re, values), strict=True))
        law = self.reading.law
        image = {**reported, z: mpmath.re(local[0])}
        if not all(holds(c, image) for c in (*law.assumptions, *law.domain)):
            return None
        f, slope, curvature = map(mpmath.re, local)
        return Report(point, f, slope, curvature, reported)


def defect(reading: Reading, report: Report, velocity: Any) -> tuple[Any, Any]:
    """``F_eta(f, f' v) - f' F_theta(u, v) - f'' v**2`` and the size of its terms."""
    truth = [number(report.truth[p]) for p in reading.parameters]
    reported = [report.parameters[p] for p in reading.parameters]
    u = number(report.truth[reading.z])
    left = reading.acceleration(report.f, report.slope * velocity, *reported)
    right = report.slope * reading.acceleration(u, velocity, *truth)
    bend = report.curvature * velocity**2
    return left - right - bend, abs(left) + abs(right) + abs(bend)
