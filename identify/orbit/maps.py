"""Coordinate maps between canonical laws with the same signature, in closed form.

Where the scalars of the signature vary, f is determined by ``J(f(u); eta) = J(u; theta)`` for all of
them.  The common factor of these equations, as polynomials in the generator at f(u), is the map: of
degree one it gives f, as ``x**2 = R`` it gives a real f where R is positive and none where R is
negative.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce

import mpmath
from sympy import Expr, S, Symbol, atan, log, sqrt, tan

from identify.algebra.ring import NotPolynomial, Poly, Ring
from identify.algebra.solve import square_part
from identify.orbit.branch import LAMBDA, TAU, Branch, Family
from identify.orbit.equality import same
from identify.orbit.facts import Facts, resolve_absolute_values
from identify.orbit.generators import Generator, Unhandled, state_functions
from identify.orbit.real import declared_facts
from identify.orbit.sampling import Point, Sampler, compiled, to_number
from identify.orbit.signature import Signature, WithHalves, at_one_state, one_generator
from identify.routes.normalizer import closed_normalizer
from identify.routes.signs import Signs


@dataclass(frozen=True)
class Maps:
    """Real maps found (with what must be positive), and whether that is proven to be all of them."""

    found: tuple[tuple[Expr, tuple[Expr, ...]], ...]
    complete: bool


def explicit_maps(curve: Sequence[Expr], family: Family, branch: Branch, point: Point, facts: Facts) -> Maps:
    """All maps from the true law to the law of the branch."""
    power = _power_map(curve[0], family, branch, facts)
    if power is not None:
        return Maps((power,), True)
    try:
        problem = _MapProblem(curve, family, branch)
        factors = problem.factors()
    except (NotPolynomial, Unhandled, ZeroDivisionError):
        return Maps((), False)
    found: list[tuple[Expr, tuple[Expr, ...]]] = []
    complete = True
    for factor in factors:
        candidates = problem.solve(factor)
        if candidates is None:
            complete = False
            continue
        for value, square in candidates:
            sign = "+" if square is None else facts.sign(square)
            if sign in ("-", "<="):
                continue
            if problem.holds(value, point):
                needed = () if square is None or sign == "+" else (square,)
                found.append((value, needed))
    return Maps(tuple(found), complete)


def _power_map(
    scalar: Expr, family: Family, branch: Branch, facts: Facts
) -> tuple[Expr, tuple[Expr, ...]] | None:
    """The map of a scalar ``a*z**m + c`` with a parameter in the exponent, on positive states."""
    z = family.state
    slope = scalar.diff(z)
    exponent = (1 + z * slope.diff(z) / slope).simplify()
    if exponent.has(z) or not exponent.free_symbols or facts.sign(z) != "+":
        return None
    factor = slope.xreplace({z: S.One}) / exponent
    rest = at_one_state(scalar - factor * z**exponent, z)
    if not same(rest, rest.xreplace(branch.parameters)):
        return None
    ratio = (factor / factor.xreplace(branch.parameters)).cancel()
    image = (ratio * z**exponent) ** (1 / exponent.xreplace(branch.parameters))
    return image, (ratio,)


class HomogeneousMaps:
    """Maps between laws whose scalars are all constant, through the canonical coordinate.

    There the force is ``J_0*q + beta``, so an affine map ``lambda*q + tau`` fits when
    ``J_0*tau = lambda*beta - beta_hat``; without a force any affine map does.
    """

    def __init__(self, family: Family, sampler: Sampler, shape: Signature) -> None:
        self.family, self.shape = family, shape
        self.facts = declared_facts((*sampler.assumptions, *sampler.domain))
        self.channels = {int(f.power): c for f, c in family.channels}
        self.normalizer = (
            closed_normalizer(self.channels[2], family.state, Signs(sampler)) if 2 in self.channels else None
        )

    def with_map(self, branch: Branch) -> Branch:
        """The branch with its map and the free symbols of the map; unchanged without a closed form."""
        if self.normalizer is None or (0 not in self.channels and 3 in self.channels):
            return branch
        scale, shift, free = self._affine(branch)
        psi, q = self.normalizer.psi, self.normalizer.coordinate
        inverse = self.normalizer.inverse.xreplace(branch.parameters)
        image = resolve_absolute_values(inverse.xreplace({q: scale * psi + shift}), self.facts)
        nonzero = (*branch.nonzero, scale)
        positive = (*branch.positive, *self._sheet(scale * psi + shift, branch))
        return replace(branch, map=image, free=(*branch.free, *free), nonzero=nonzero, positive=positive)

    def _sheet(self, value: Expr, branch: Branch) -> tuple[Expr, ...]:
        """The sign that a canonical value needs where the inverse forgets it, as ``q**2`` does of a root."""
        assert self.normalizer is not None
        z, real = self.family.state, Symbol("_q", real=True)
        inverse = self.normalizer.inverse.xreplace(branch.parameters).xreplace(
            {self.normalizer.coordinate: real}
        )
        back = self.normalizer.psi.xreplace(branch.parameters).xreplace({z: inverse})
        ratio = (back / abs(real)).simplify()
        if ratio not in (S.One, S.NegativeOne):
            return ()
        needed = ratio * value
        return () if self.facts.sign(needed) == "+" else (needed,)

    def _affine(self, branch: Branch) -> tuple[Expr, Expr, tuple[Symbol, ...]]:
        if 0 not in self.channels:
            return LAMBDA, TAU, (LAMBDA, TAU)
        z, force = self.family.state, self.channels[0]
        assert self.normalizer is not None
        rate = at_one_state(force.diff(z) - self.channels[2] * force, z)
        offset = at_one_state((self.normalizer.slope * force - rate * self.normalizer.psi).simplify(), z)
        reported = offset.xreplace(branch.parameters)
        if rate == 0:
            return (reported / offset).cancel(), TAU, (TAU,)
        return LAMBDA, (LAMBDA * offset - reported) / rate, (LAMBDA,)


class _MapProblem:
    def __init__(self, curve: Sequence[Expr], family: Family, branch: Branch) -> None:
        self.curve, self.family, self.branch = curve, family, branch
        self.truth = one_generator(state_functions(curve, family.state))
        report = [e.xreplace(branch.parameters) for e in curve]
        self.report_side = one_generator(state_functions(report, family.state))
        prime = {s: Symbol(f"{s.name}_w", real=True) for s in self.report_side.symbols}
        self.prime = prime
        names = sorted(
            {s for e in (*curve, *report) for s in e.free_symbols} - {family.state}, key=lambda s: s.name
        )
        self.ring = Ring([*names, *self.truth.symbols, *prime.values()])
        self.x = self._variable(self.truth.symbols, self.truth.functions)
        self.w = prime[self._variable(self.report_side.symbols, self.report_side.functions)]

    def _variable(self, symbols: Sequence[Symbol], functions: Sequence[Expr]) -> Symbol:
        """The one generator that is not a root."""
        roots = {g.symbols[0] for g in (*self.truth.generators, *self.report_side.generators) if g.root}
        used = [s for s in symbols if s not in roots and any(f.has(s) for f in functions)]
        bases = [g.argument for g in self.truth.generators if g.root]
        if not used and bases:
            used = [self.family.state]
        if len(used) != 1:
            raise Unhandled("several independent functions of the state")
        return used[0]

    def factors(self) -> list[Poly]:
        """Irreducible factors, in the image variable, of the common solutions."""
        ring, polys = self.ring, []
        for ours, theirs in zip(self.report_side.functions, self.truth.functions, strict=True):
            poly = ring.fraction(ours.xreplace(self.prime) - theirs).numerator
            poly = self._without_roots(poly, self.report_side.generators, self.prime)
            poly = self._without_roots(poly, self.truth.generators, {})
            polys.append(poly)
        common = reduce(lambda a, b: a.gcd(b), polys)
        return [f for f in ring.factors(common) if ring.degree(f, self.w)]

    def _without_roots(
        self, poly: Poly, generators: Sequence[Generator], names: dict[Symbol, Symbol]
    ) -> Poly:
        ring = self.ring
        for g in generators:
            symbol = names.get(g.symbols[0], g.symbols[0])
            if g.root is None or not ring.degree(poly, symbol):
                continue
            base = ring.fraction(g.argument.xreplace(names))
            relation = base.denominator * ring.generator(symbol) ** g.root - base.numerator
            poly = poly.resultant(relation, str(ring.context.names()[ring.index[symbol]]))
        return poly

    def solve(self, factor: Poly) -> list[tuple[Expr, Expr | None]] | None:
        """``(map, square)``: the image of the state, and the square it is a root of (if it is)."""
        parts = self.ring.coefficients(factor, self.w)
        expressions = {k: self.ring.expression(c) for k, c in parts.items()}
        if set(parts) <= {0, 1}:
            value = -expressions.get(0, 0) / expressions[1]
            if self._rotation(value):
                return []
            return [(image, None) for image in self._back(value)]
        if set(parts) <= {0, 2}:
            outer, square = self._squares(parts)
            return [(image, square) for s in (1, -1) for image in self._back(s * outer * sqrt(square))]
        return None

    def _squares(self, parts: dict[int, Poly]) -> tuple[Expr, Expr]:
        """``(g, R)`` with ``g**2 * R`` the square of the image, R free of squares of polynomials."""
        top, bottom = square_part(self.ring, -self.ring.part(parts, 0) * parts[2]), parts[2]
        outer = self.ring.factored(top[0]) / self.ring.factored(bottom)
        return self._in_state(outer), self._in_state(self.ring.factored(top[1]))

    def _rotation(self, value: Expr) -> bool:
        """A half-angle tangent that goes over into itself or its inverse is an affine map."""
        if not isinstance(self.truth, WithHalves) or self.x not in self.truth.halves:
            return False
        return any((value - e).cancel() == 0 for e in (self.x, -self.x, 1 / self.x, -1 / self.x))

    def _in_state(self, expression: Expr) -> Expr:
        """The generator of the truth replaced by its function of the state."""
        table = {s: v for g in self.truth.generators for s, v in zip(g.symbols, g.value(), strict=True)}
        if isinstance(self.truth, WithHalves):
            table.update({h: tan(a / 2) for h, a in self.truth.halves.items()})
        return expression.xreplace(table)

    def _back(self, value: Expr) -> list[Expr]:
        """The image of the state from the image of its generator."""
        value = self._in_state(value)
        z = self.family.state
        if self.w == self.prime.get(z):
            return [value]
        for g in self.report_side.generators:
            if g.kind == "exp" and self.prime[g.symbols[0]] == self.w:
                rate = g.argument.diff(z)
                return [(log(value) - g.argument.xreplace({z: S.Zero})) / rate]
        if isinstance(self.report_side, WithHalves):
            for half, argument in self.report_side.halves.items():
                if self.prime[half] == self.w:
                    rate = argument.diff(z)
                    return [(2 * atan(value) - argument.xreplace({z: S.Zero})) / rate]
        return []

    def holds(self, image: Expr, point: Point) -> bool:
        """Whether all scalars agree at the image, at a sample point, on the real sheet."""
        z = self.family.state
        names = [s for s in self.ring.symbols if s not in self.truth.symbols and s not in self.prime.values()]
        values = {p: to_number(v) for p, v in point.parameters.items()}
        with mpmath.workdps(50):
            numbers = [values.get(s, mpmath.mpf(5 + 2 * i) / 7) for i, s in enumerate(names)]
            ours = compiled((z, *names), [e.xreplace(self.branch.parameters) for e in self.curve])
            theirs = compiled((z, *names), list(self.curve))
            move = compiled((z, *names), [image])
            for state in point.states:
                u = to_number(state)
                try:
                    w = move(u, *numbers)[0]
                    gaps = [abs(a - b) for a, b in zip(ours(w, *numbers), theirs(u, *numbers), strict=True)]
                except (ValueError, ZeroDivisionError):
                    continue
                if max(gaps) > mpmath.mpf(10) ** -25:
                    return False
        return True


def with_map(branch: Branch, family: Family, image: Expr, needed: tuple[Expr, ...]) -> Branch:
    """The branch with an explicit map."""
    return replace(branch, map=image, positive=(*branch.positive, *needed))
