"""All solutions of a polynomial system over Q(knowns), by cases.

Depth first: strip factors that cannot vanish, eliminate by linear pivots, split products, and only
then adjoin algebraic numbers.  The knowns are generic: a polynomial in the knowns alone counts as
nonzero and is remembered as a condition.  Every solution is found over the complex numbers, save
that a root of a negative number is dropped at once; which of the others are real is for the caller
to decide.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from sympy import Symbol

from identify.algebra.budget import Budget
from identify.algebra.ring import Fraction, Poly, Ring

CASE_LIMIT = 400
RESULTANT_LIMIT = 36


class Unsolved(Exception):
    """The system has a part that this solver cannot put into triangular form."""


@dataclass(frozen=True)
class Solution:
    """``values[x]`` in the knowns, the ``free`` unknowns and the ``algebraic`` symbols.

    ``algebraic[r]`` is the minimal polynomial of r; ``nonzero`` are polynomials in free unknowns
    that a case distinction assumed not to vanish.
    """

    values: dict[Symbol, Fraction]
    free: tuple[Symbol, ...]
    algebraic: dict[Symbol, Poly]
    nonzero: tuple[Poly, ...]


@dataclass(frozen=True)
class System:
    """Equations ``p = 0`` for the unknowns, in order of preference for elimination.

    ``spare`` symbols of the ring name the algebraic numbers that have to be adjoined; ``circles``
    are equations ``s**2 + c**2 - 1`` (they must also stand among the equations), given with s.
    """

    ring: Ring
    equations: tuple[Poly, ...]
    unknowns: tuple[Symbol, ...]
    nonzero: tuple[Poly, ...]
    spare: tuple[Symbol, ...] = ()
    circles: tuple[tuple[Symbol, Poly], ...] = ()


@dataclass
class _Case:
    equations: list[Poly]
    values: dict[Symbol, Fraction]
    algebraic: dict[Symbol, Poly]
    nonzero: list[Poly]


@dataclass
class Solver:
    """Solves one system; ``conditions`` collects polynomials in the knowns assumed nonzero."""

    system: System
    budget: Budget
    conditions: list[Poly] = field(default_factory=list)
    solutions: list[Solution] = field(default_factory=list)
    _cases: int = 0

    def run(self) -> list[Solution]:
        """All solutions (see the module docstring)."""
        self._unknown = set(self.system.unknowns)
        self._angles = {v for _, p in self.system.circles for v in self.system.ring.variables(p)}
        start = _Case(list(self.system.equations), {}, {}, list(self.system.nonzero))
        try:
            self._solve(start)
        except RecursionError:
            raise Unsolved("too many nested cases") from None
        return self.solutions

    # -- one case ---------------------------------------------------------------------------------

    def _solve(self, case: _Case) -> None:
        self._cases += 1
        self.budget.check("solving for the compatible parameters")
        if self._cases > CASE_LIMIT:
            raise Unsolved("too many cases")
        while True:
            cleaned = self._clean(case)
            if cleaned is None:
                return
            if not cleaned:
                self._finish(case)
                return
            case.equations = [_product(factors) for factors in cleaned]
            pivot = self._certain_pivot(case, cleaned)
            if pivot is None:
                break
            self._eliminate(case, *pivot)
        self._branch(case, cleaned)

    def _clean(self, case: _Case) -> list[list[Poly]] | None:
        """The factors that may vanish, for each equation; None when one cannot vanish."""
        cleaned: list[list[Poly]] = []
        seen: set[tuple[str, ...]] = set()
        for equation in case.equations:
            poly = self._reduce(equation, case.algebraic)
            if poly.is_zero():
                continue
            factors = [f for f in self.system.ring.factors(poly) if self._may_vanish(f, case)]
            if not factors:
                return None
            key = tuple(sorted(map(str, factors)))
            if key not in seen:
                seen.add(key)
                cleaned.append(factors)
        cleaned.sort(key=lambda factors: (len(factors), sum(len(f.to_dict()) for f in factors)))
        zero = {str(factors[0]) for factors in cleaned if len(factors) == 1}
        return [f for f in cleaned if len(f) == 1 or not any(str(x) in zero for x in f)]

    def _may_vanish(self, factor: Poly, case: _Case) -> bool:
        if self._is_known(factor):
            if self._vanishes_somewhere(factor, case):
                raise Unsolved("algebraic numbers that depend on each other")
            self._remember(factor, case)
            return False
        if any(factor == p or factor == -p for p in case.nonzero):
            return False
        return not self._definite(factor, case)

    def _definite(self, poly: Poly, case: _Case) -> bool:
        """A sum of squares of one sign with a term that cannot vanish has no real zero."""
        terms = poly.to_dict()
        if len({c > 0 for c in terms.values()}) > 1 or any(e % 2 for m in terms for e in m):
            return False
        ring = self.system.ring
        sure = {
            s
            for p in case.nonzero
            if len(ring.variables(p)) == 1 == p.total_degree()
            for s in ring.variables(p)
        }
        sure |= set(ring.symbols) - self._unknown - set(case.algebraic)
        return any(all(s in sure for s, e in zip(ring.symbols, m, strict=True) if e) for m in terms)

    def _is_known(self, poly: Poly) -> bool:
        return not (self.system.ring.variables(poly) & self._unknown)

    def _vanishes_somewhere(self, factor: Poly, case: _Case) -> bool:
        """Whether a number of several roots is zero for some choice of them: its norm vanishes.

        One root of an irreducible polynomial leaves no choice; a second one may depend on the first.
        """
        ring = self.system.ring
        if len(case.algebraic) < 2 or factor.is_constant():
            return False
        for symbol, minimal in reversed(case.algebraic.items()):
            if ring.degree(factor, symbol):
                factor = factor.resultant(minimal, str(ring.context.names()[ring.index[symbol]]))
                factor = self._reduce(factor, case.algebraic)
        return bool(factor.is_zero())

    def _remember(self, poly: Poly, case: _Case) -> None:
        new = not poly.is_constant() and not any(poly == p for p in self.conditions)
        if new and not self.system.ring.variables(poly) & set(case.algebraic):
            self.conditions.append(poly)

    def _reduce(self, poly: Poly, algebraic: dict[Symbol, Poly]) -> Poly:
        for symbol, minimal in algebraic.items():
            poly = remainder(self.system.ring, poly, minimal, symbol)
        return poly

    # -- elimination ------------------------------------------------------------------------------

    def _certain_pivot(self, case: _Case, cleaned: list[list[Poly]]) -> tuple[Symbol, Fraction] | None:
        """An unknown that enters an irreducible equation linearly with a nonzero coefficient."""
        for symbol in self.system.unknowns:
            if symbol in case.values:
                continue
            for factors in cleaned:
                if len(factors) > 1 or self.system.ring.degree(factors[0], symbol) != 1:
                    continue
                parts = self.system.ring.coefficients(factors[0], symbol)
                rest = self.system.ring.part(parts, 0)
                if symbol in self._angles and not (self._is_known(parts[1]) and self._is_known(rest)):
                    continue  # amplitudes first: they form a pair with determinant one
                if self._certainly_nonzero(parts[1], case):
                    return symbol, Fraction(self.system.ring, -rest, parts[1]).reduced()
        return None

    def _certainly_nonzero(self, poly: Poly, case: _Case) -> bool:
        return all(not self._may_vanish(f, case) for f in self.system.ring.factors(poly))

    def _eliminate(self, case: _Case, symbol: Symbol, value: Fraction) -> None:
        ring = self.system.ring
        kept = []
        for poly in case.nonzero:
            image = self._reduce(ring.substitute(poly, symbol, value), case.algebraic)
            if image.is_zero():
                case.equations = [ring.one]  # contradicts an inequation: the case is empty
                return
            kept += [f for f in ring.factors(image) if not self._is_known(f)]
        case.nonzero = kept
        case.equations = [ring.substitute(p, symbol, value) for p in case.equations]
        try:
            case.values = {s: v.substitute(symbol, value) for s, v in case.values.items()}
        except ZeroDivisionError:  # a denominator that was known not to vanish: the case is empty
            case.equations = [ring.one]
            return
        case.values[symbol] = value

    def _branch(self, case: _Case, cleaned: list[list[Poly]]) -> None:
        several = [factors for factors in cleaned if len(factors) > 1]
        pair = self._pair(case, [factors[0] for factors in cleaned if len(factors) == 1])
        if pair is not None:
            for symbol, value in pair:
                self._eliminate(case, symbol, value)
            self._solve(case)
        elif several:
            self._split(case, several[0])
        elif not self._split_on_pivot(case, cleaned):
            self._adjoin(case, cleaned)

    def _pair(self, case: _Case, polys: list[Poly]) -> list[tuple[Symbol, Fraction]] | None:
        """Two unknowns from two linear equations whose determinant is nonzero on the circles."""
        if not any(s not in case.values for s, _ in self.system.circles):
            return None
        ring = self.system.ring
        for x, y in combinations([s for s in self.system.unknowns if s not in case.values], 2):
            linear = [p for p in polys if max(ring.degree(p, x), ring.degree(p, y)) == 1]
            rows = [r for p in linear if (r := _row(ring, p, x, y)) is not None]
            for (a, b, e), (c, d, f) in combinations(rows, 2):
                determinant = self._on_circles(a * d - b * c, case)
                if not determinant.is_zero() and self._certainly_nonzero(determinant, case):
                    first = self._on_circles(b * f - d * e, case)
                    second = self._on_circles(c * e - a * f, case)
                    if not ring.degree(first, x) and not ring.degree(second, y):
                        return [
                            (x, Fraction(ring, first, determinant).reduced()),
                            (y, Fraction(ring, second, determinant).reduced()),
                        ]
        return None

    def _on_circles(self, poly: Poly, case: _Case) -> Poly:
        for symbol, circle in self.system.circles:
            if symbol not in case.values:
                poly = remainder(self.system.ring, poly, circle, symbol)
        return poly

    def _split(self, case: _Case, factors: list[Poly]) -> None:
        for i, factor in enumerate(factors):
            self._solve(
                _Case(
                    [factor, *case.equations],
                    dict(case.values),
                    dict(case.algebraic),
                    [*case.nonzero, *factors[:i]],
                )
            )

    def _split_on_pivot(self, case: _Case, cleaned: list[list[Poly]]) -> bool:
        ring = self.system.ring
        for factors in cleaned:
            for symbol in self.system.unknowns:
                if symbol in case.values or ring.degree(factors[0], symbol) != 1:
                    continue
                coefficient = ring.coefficients(factors[0], symbol)[1]
                open_factors = [f for f in ring.factors(coefficient) if self._may_vanish(f, case)]
                if any(f == g[0] for f in open_factors for g in cleaned if len(g) == 1):
                    continue  # the coefficient is zero already
                self._solve(
                    _Case(
                        list(case.equations),
                        dict(case.values),
                        dict(case.algebraic),
                        [*case.nonzero, *open_factors],
                    )
                )
                self._solve(
                    _Case(
                        [_product(open_factors), *case.equations],
                        dict(case.values),
                        dict(case.algebraic),
                        list(case.nonzero),
                    )
                )
                return True
        return False

    # -- algebraic numbers ------------------------------------------------------------------------

    def _adjoin(self, case: _Case, cleaned: list[list[Poly]]) -> None:
        """Solve one univariate equation (or the last one) by adjoining a root."""
        ring = self.system.ring
        candidates = []
        for factors in cleaned:
            poly = factors[0]
            open_symbols = [s for s in self.system.unknowns if ring.degree(poly, s) > 0]
            if len(open_symbols) == 1 or len(cleaned) == 1:
                symbol = min(open_symbols, key=lambda s: (ring.degree(poly, s), not _binomial(ring, poly, s)))
                candidates.append((ring.degree(poly, symbol), symbol, poly))
        if not candidates:
            eliminant = self._eliminant([factors[0] for factors in cleaned])
            if eliminant is None:
                raise Unsolved("a nonlinear system in several unknowns remains")
            case.equations.append(eliminant)
            self._solve(case)
            return
        degree, symbol, poly = min(candidates, key=lambda c: c[0])
        if (
            divided := self._divided(case, symbol, poly, [c[2] for c in candidates if c[1] == symbol])
        ) is not None:
            case.equations = divided
            self._solve(case)
            return
        spare = next((s for s in self.system.spare if s not in case.algebraic), None)
        if spare is None:
            raise Unsolved("too many algebraic numbers")
        for factor in ring.factors(ring.coefficients(poly, symbol)[degree]):
            self._may_vanish(factor, case)
        root, minimal = self._root(poly, symbol, degree, spare)
        if root is None:
            return
        case = _Case(list(case.equations), dict(case.values), dict(case.algebraic), list(case.nonzero))
        case.algebraic[spare] = minimal
        self._eliminate(case, symbol, root)
        self._solve(case)

    def _divided(self, case: _Case, symbol: Symbol, poly: Poly, alike: list[Poly]) -> list[Poly] | None:
        """The equations with another one in the same unknown replaced by its remainder, as Euclid does."""
        other = next((p for p in alike if p != poly), None)
        if other is None or self.system.ring.variables(other) & self._unknown != {symbol}:
            return None
        rest = self._reduce(remainder(self.system.ring, other, poly, symbol), case.algebraic)
        return [*(e for e in case.equations if e != other), rest]

    def _eliminant(self, polys: list[Poly]) -> Poly | None:
        """A resultant of two equations in two unknowns, which has only one of them."""
        ring = self.system.ring
        choices = []
        for p, q in combinations(polys, 2):
            inside = (ring.variables(p) | ring.variables(q)) & self._unknown
            for x in inside if len(inside) == 2 else ():
                degree = ring.degree(p, x) * ring.degree(q, x)
                if 0 < degree <= RESULTANT_LIMIT:
                    choices.append((degree, str(x), x, p, q))
        for _, _, x, p, q in sorted(choices, key=lambda c: c[:2]):
            self.budget.check("eliminating an unknown")
            found = p.resultant(q, str(ring.context.names()[ring.index[x]]))
            if not found.is_zero():
                return found
        return None

    def _root(self, poly: Poly, symbol: Symbol, degree: int, spare: Symbol) -> tuple[Fraction | None, Poly]:
        """The root of ``poly`` as a fraction in ``spare``, with the minimal polynomial of ``spare``."""
        ring = self.system.ring
        parts = ring.coefficients(poly, symbol)
        r = ring.generator(spare)
        if degree == 2:
            a, b, c = (ring.part(parts, i) for i in (2, 1, 0))
            square, radicand = square_part(ring, b * b - 4 * a * c)
            if radicand.is_constant() and radicand.leading_coefficient() < 0:
                return None, radicand
            return Fraction(ring, -b + square * r, 2 * a).reduced(), r * r - radicand
        minimal = ring.substitute(poly, symbol, Fraction(ring, r, ring.one))
        return Fraction(ring, r, ring.one), minimal

    def _finish(self, case: _Case) -> None:
        free = tuple(s for s in self.system.unknowns if s not in case.values)
        self.solutions.append(Solution(dict(case.values), free, dict(case.algebraic), tuple(case.nonzero)))


def _binomial(ring: Ring, poly: Poly, symbol: Symbol) -> bool:
    """Whether the polynomial is ``a*x**n + b``, whose root needs no distinction of cases."""
    return len(ring.coefficients(poly, symbol)) == 2


def _row(ring: Ring, poly: Poly, x: Symbol, y: Symbol) -> tuple[Poly, Poly, Poly] | None:
    """``(a, b, e)`` with ``poly = a*x + b*y + e``, or None where x and y are multiplied."""
    parts = ring.collect(poly, (x, y))
    if set(parts) - {(1, 0), (0, 1), (0, 0)}:
        return None
    return ring.part(parts, (1, 0)), ring.part(parts, (0, 1)), ring.part(parts, (0, 0))


def _product(factors: Iterable[Poly]) -> Poly:
    total = None
    for factor in factors:
        total = factor if total is None else total * factor
    return total


def remainder(ring: Ring, poly: Poly, modulus: Poly, symbol: Symbol) -> Poly:
    """The pseudo-remainder of ``poly`` by ``modulus`` in ``symbol``."""
    target = ring.degree(modulus, symbol)
    parts = ring.coefficients(modulus, symbol)
    lead, tail = parts[target], modulus - parts[target] * ring.generator(symbol) ** target
    while (degree := ring.degree(poly, symbol)) >= target:
        top = ring.coefficients(poly, symbol)[degree]
        x = ring.generator(symbol)
        poly = lead * (poly - top * x**degree) - top * tail * x ** (degree - target)
    return poly


def square_part(ring: Ring, poly: Poly) -> tuple[Poly, Poly]:
    """``(s, m)`` with ``poly = s**2 * m`` and m free of squares."""
    if poly.is_zero():
        return ring.zero, ring.one
    constant, factors = poly.factor()
    square, rest = ring.one, ring.one
    for factor, exponent in factors:
        square *= factor ** (int(exponent) // 2)
        if int(exponent) % 2:
            rest *= factor
    root, left = _integer_square_part(int(constant))
    return square * root, rest * left


def _integer_square_part(n: int) -> tuple[int, int]:
    root, k = 1, 2
    while k * k <= abs(n) and k < 1000:
        while n % (k * k) == 0:
            n //= k * k
            root *= k
        k += 1
    return root, n


def solve(system: System, budget: Budget) -> tuple[Sequence[Solution], Sequence[Poly]]:
    """All solutions of ``system`` and the polynomials in the knowns assumed nonzero on the way."""
    solver = Solver(system, budget)
    return solver.run(), solver.conditions
