"""A branch of the compatible set, read from the document and ready to be tried at points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, product
from math import factorial
from typing import Any

import mpmath
from sympy import Expr, Symbol, diff

from identify.certificate.document import BranchClaim
from identify.certificate.evaluation import Point, Unreadable, evaluate
from identify.certificate.germ import GermMap
from identify.certificate.maps import CoordinateMap, ExplicitMap, FlowMap, RelationMap
from identify.certificate.problem import Problem
from identify.certificate.reading import Comparison, Reader, derivative, evaluable

UNDECIDED = "existence over the reals is not decided"
DEGREE_ALLOWED = 12
ROOTS_TRIED = 64


@dataclass(frozen=True)
class Branch:
    """Map, parameter map and conditions; ``roots`` are algebraic symbols with their polynomials.

    ``integers`` run through all integers, the other ``free`` symbols through intervals.
    """

    label: str
    kind: str
    map: CoordinateMap
    free: tuple[Symbol, ...]
    conditions: tuple[Comparison, ...]
    parameters: Mapping[Symbol, Expr]
    roots: tuple[tuple[Symbol, Expr], ...]
    reader: Reader
    integers: tuple[Symbol, ...] = ()

    def with_roots(self, point: Point) -> Iterator[dict[Symbol, Any]]:
        """The point completed by every choice of real values for the algebraic symbols."""
        yield from islice(self._completed(dict(point), self.roots), ROOTS_TRIED)

    def _completed(
        self, point: dict[Symbol, Any], roots: tuple[tuple[Symbol, Expr], ...]
    ) -> Iterator[dict[Symbol, Any]]:
        if not roots:
            yield point
            return
        (symbol, polynomial), *rest = roots
        for value in _polynomial_roots(polynomial, symbol, point):
            yield from self._completed({**point, symbol: value}, tuple(rest))


def read_branch(problem: Problem, claim: BranchClaim, label: str) -> Branch:
    """The branch; ``Unreadable`` says what cannot be read."""
    names = {symbol.name for symbol in problem.declared}
    if set(claim.parameters) != names:
        raise Unreadable(f"the branch reports {sorted(claim.parameters)[:9]}, the law has {sorted(names)}")
    if (claim.clock is None) != (problem.clock is None):
        raise Unreadable("the branch and the document disagree on whether the clock is known")
    outer = Reader({**problem.reader.symbols, problem.state.name: problem.state}).with_names(
        (*claim.free, *claim.symbols, *claim.integers)
    )
    constants = Reader({n: s for n, s in outer.symbols.items() if s != problem.state})
    return Branch(
        label,
        claim.kind,
        _read_map(problem, claim, outer),
        tuple(outer.symbols[name] for name in claim.free),
        tuple(c for text in claim.conditions for c in outer.comparisons(text)),
        _parameter_map(problem, claim, constants),
        tuple((outer.symbols[n], constants.equation(text)) for n, text in claim.symbols.items()),
        constants,
        tuple(outer.symbols[name] for name in claim.integers),
    )


def _parameter_map(problem: Problem, claim: BranchClaim, reader: Reader) -> dict[Symbol, Expr]:
    """What the branch reports for each symbol of theta; anchored states stay what they are."""
    found = {p: reader.expression(claim.parameters[p.name]) for p in problem.declared}
    if problem.clock is not None and claim.clock is not None:
        found[problem.clock] = reader.expression(claim.clock)
    return {**found, **{place: place for place in problem.places}}


def _read_map(problem: Problem, claim: BranchClaim, reader: Reader) -> CoordinateMap:
    if claim.map is not None and claim.relation is not None:
        raise Unreadable("the branch has a map and a relation; only one of them can be meant")
    if claim.map is not None:
        return ExplicitMap(problem.state, reader.expression(claim.map))
    if claim.relation is None:
        return GermMap(problem, _square_channel(problem))
    if claim.relation == "ode":
        return FlowMap(problem)
    image = f"{problem.state.name}hat"
    image = image if image in claim.relation else "zhat"
    wider = reader.with_names((image,))
    relation = wider.equation(claim.relation)
    for one, two in product((problem.state, wider.symbols[image]), repeat=2):
        evaluable(diff(relation, one, two))
    return RelationMap(problem.state, wider.symbols[image], relation)


def _square_channel(problem: Problem) -> Expr:
    """The coefficient of v**2."""
    v = problem.velocity
    return evaluable(derivative(problem.acceleration, v, v).subs(v, 0) / 2)


def _polynomial_roots(polynomial: Expr, symbol: Symbol, point: Point) -> list[Any]:
    """The real roots of the polynomial in ``symbol`` at the point."""
    coefficients = [evaluate(c, point) for c in _coefficients(polynomial, symbol)]
    while coefficients and not coefficients[-1]:
        coefficients.pop()
    try:
        found = mpmath.polyroots(coefficients[::-1], maxsteps=200, extraprec=400)
    except (mpmath.libmp.NoConvergence, ArithmeticError, ValueError):
        return []
    small = mpmath.mpf(10) ** (-mpmath.mp.dps * 3 // 5)
    return [mpmath.re(root) for root in found if abs(mpmath.im(root)) < small]


def _coefficients(polynomial: Expr, symbol: Symbol) -> list[Expr]:
    """Coefficients from the derivatives at zero, lowest first."""
    found, current = [], polynomial
    for degree in range(DEGREE_ALLOWED + 1):
        found.append(evaluable(current.subs(symbol, 0) / factorial(degree)))
        current = diff(current, symbol)
        if current == 0:
            return found
    if symbol in current.expand().free_symbols or current.expand() != 0:
        raise Unreadable(f"the equation for {symbol} is no polynomial of degree {DEGREE_ALLOWED} or less")
    return found
