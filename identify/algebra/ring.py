"""Polynomials and fractions over the integers in named variables.

The only module that imports flint for polynomials: SymPy expressions come in, flint does the
arithmetic and the factoring (a hundred times faster than SymPy on these sizes), SymPy expressions
go out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from flint import Ordering, fmpz_mpoly_ctx
from sympy import Add, Expr, Integer, Mul, Pow, Rational, Symbol

from identify.errors import BudgetExceeded

Poly = Any  # flint.fmpz_mpoly; flint ships no type information


class NotPolynomial(Exception):
    """An expression has a part that is not a rational function of the ring's variables."""


class Ring:
    """Z[symbols], with conversion from and to SymPy."""

    def __init__(self, symbols: Iterable[Symbol]) -> None:
        self.symbols: tuple[Symbol, ...] = tuple(symbols)
        self.index = {symbol: i for i, symbol in enumerate(self.symbols)}
        names = tuple(f"x{i}" for i in range(len(self.symbols)))
        self.context = fmpz_mpoly_ctx.get(names, Ordering.lex)
        self.generators: tuple[Poly, ...] = self.context.gens()
        self.zero: Poly = self.context.constant(0)
        self.one: Poly = self.context.constant(1)

    def generator(self, symbol: Symbol) -> Poly:
        """The symbol as a polynomial."""
        return self.generators[self.index[symbol]]

    def fraction(self, expression: Expr) -> Fraction:
        """The rational function equal to ``expression``, or NotPolynomial."""
        if isinstance(expression, Symbol):
            if expression not in self.index:
                raise NotPolynomial(str(expression))
            return Fraction(self, self.generator(expression), self.one)
        if isinstance(expression, Rational):
            return Fraction(
                self, self.context.constant(int(expression.p)), self.context.constant(int(expression.q))
            )
        if isinstance(expression, Add):
            return self._sum(expression.args)
        if isinstance(expression, Mul):
            total = Fraction(self, self.one, self.one)
            for factor in expression.args:
                total = total * self.fraction(factor)
            return total
        if isinstance(expression, Pow) and isinstance(expression.exp, Integer):
            return self.fraction(expression.base) ** int(expression.exp)
        raise NotPolynomial(str(expression))

    def _sum(self, terms: Sequence[Expr]) -> Fraction:
        total = Fraction(self, self.zero, self.one)
        for term in terms:
            total = total + self.fraction(term)
        return total

    def polynomial(self, expression: Expr) -> Poly:
        """The numerator of ``expression`` in lowest terms."""
        return self.fraction(expression).numerator

    def expression(self, poly: Poly) -> Expr:
        """The polynomial as a SymPy expression, expanded."""
        terms = []
        for exponents, coefficient in poly.to_dict().items():
            factors: list[Expr] = [Integer(int(coefficient))]
            factors += [s**e for s, e in zip(self.symbols, map(int, exponents), strict=True) if e]
            terms.append(Mul(*factors))
        return Add(*terms)

    def factored(self, poly: Poly) -> Expr:
        """The polynomial as a product of irreducible factors."""
        if poly.is_constant():
            return self.expression(poly)
        constant, factors = poly.factor()
        return Mul(Integer(int(constant)), *(self.expression(f) ** int(e) for f, e in factors))

    def variables(self, poly: Poly) -> frozenset[Symbol]:
        """The symbols that occur in ``poly``."""
        return frozenset(s for s, d in zip(self.symbols, poly.degrees(), strict=True) if d > 0)

    def degree(self, poly: Poly, symbol: Symbol) -> int:
        """The degree in one symbol (0 for the zero polynomial)."""
        return max(0, int(poly.degrees()[self.index[symbol]]))

    def coefficients(self, poly: Poly, symbol: Symbol) -> dict[int, Poly]:
        """``{i: c_i}`` with ``poly = sum c_i * symbol**i`` and every ``c_i`` free of the symbol."""
        position = self.index[symbol]
        groups: dict[int, dict[tuple[int, ...], Any]] = {}
        for exponents, coefficient in poly.to_dict().items():
            power = int(exponents[position])
            rest = (*exponents[:position], 0, *exponents[position + 1 :])
            groups.setdefault(power, {})[rest] = coefficient
        return {power: self.context.from_dict(terms) for power, terms in groups.items()}

    def part(self, parts: dict[Any, Poly], key: Any) -> Poly:
        """A coefficient from ``coefficients`` or ``collect``, zero where it is absent."""
        found = parts.get(key)
        return self.zero if found is None else found

    def collect(self, poly: Poly, symbols: Sequence[Symbol]) -> dict[tuple[int, ...], Poly]:
        """Coefficients with respect to the monomials in ``symbols``."""
        positions = [self.index[s] for s in symbols]
        groups: dict[tuple[int, ...], dict[tuple[int, ...], Any]] = {}
        for exponents, coefficient in poly.to_dict().items():
            rest = list(exponents)
            for position in positions:
                rest[position] = 0
            key = tuple(int(exponents[p]) for p in positions)
            groups.setdefault(key, {})[tuple(rest)] = coefficient
        return {key: self.context.from_dict(terms) for key, terms in groups.items()}

    def substitute(self, poly: Poly, symbol: Symbol, value: Fraction) -> Poly:
        """The numerator of ``poly`` with ``symbol`` replaced by ``value`` (denominators cleared)."""
        parts = self.coefficients(poly, symbol)
        degree = max(parts, default=0)
        if degree == 0:
            return poly
        total = self.zero
        for power, coefficient in parts.items():
            total += coefficient * value.numerator**power * value.denominator ** (degree - power)
        return total

    def factors(self, poly: Poly) -> list[Poly]:
        """The distinct irreducible factors that are not constants, each with a positive leading term."""
        if poly.is_constant():
            return []
        try:
            return [factor for factor, _ in poly.factor()[1]]
        except OverflowError:
            raise BudgetExceeded("a polynomial grew too large to factor") from None


@dataclass(frozen=True)
class Fraction:
    """A quotient of two polynomials of one ring; arithmetic keeps it in lowest terms."""

    ring: Ring
    numerator: Poly
    denominator: Poly

    def reduced(self) -> Fraction:
        """The same fraction in lowest terms, with a positive leading denominator."""
        if self.numerator.is_zero():
            return Fraction(self.ring, self.ring.zero, self.ring.one)
        common = self.numerator.gcd(self.denominator)
        numerator, denominator = self.numerator / common, self.denominator / common
        if denominator.leading_coefficient() < 0:
            numerator, denominator = -numerator, -denominator
        return Fraction(self.ring, numerator, denominator)

    def __add__(self, other: Fraction) -> Fraction:
        return Fraction(
            self.ring,
            self.numerator * other.denominator + other.numerator * self.denominator,
            self.denominator * other.denominator,
        ).reduced()

    def __neg__(self) -> Fraction:
        return Fraction(self.ring, -self.numerator, self.denominator)

    def __sub__(self, other: Fraction) -> Fraction:
        return self + (-other)

    def __mul__(self, other: Fraction) -> Fraction:
        return Fraction(
            self.ring, self.numerator * other.numerator, self.denominator * other.denominator
        ).reduced()

    def __truediv__(self, other: Fraction) -> Fraction:
        if other.numerator.is_zero():
            raise ZeroDivisionError
        return Fraction(
            self.ring, self.numerator * other.denominator, self.denominator * other.numerator
        ).reduced()

    def __pow__(self, exponent: int) -> Fraction:
        if exponent >= 0:
            return Fraction(self.ring, self.numerator**exponent, self.denominator**exponent)
        if self.numerator.is_zero():
            raise ZeroDivisionError
        return Fraction(self.ring, self.denominator**-exponent, self.numerator**-exponent).reduced()

    def substitute(self, symbol: Symbol, value: Fraction) -> Fraction:
        """The fraction with ``symbol`` replaced by ``value``."""
        ring = self.ring
        top, bottom = ring.degree(self.numerator, symbol), ring.degree(self.denominator, symbol)
        if top == bottom == 0:
            return self
        numerator = ring.substitute(self.numerator, symbol, value)
        denominator = ring.substitute(self.denominator, symbol, value)
        if denominator.is_zero():
            raise ZeroDivisionError
        lift = value.denominator ** abs(top - bottom)
        if top > bottom:
            denominator *= lift
        else:
            numerator *= lift
        return Fraction(ring, numerator, denominator).reduced()

    def expression(self) -> Expr:
        """The fraction as a SymPy expression, numerator and denominator factored."""
        return self.ring.factored(self.numerator) / self.ring.factored(self.denominator)

    def shortest(self) -> Expr:
        """The fraction as a SymPy expression, factored or expanded, whichever is shorter."""
        expanded = self.ring.expression(self.numerator) / self.ring.expression(self.denominator)
        return min((expanded, self.expression()), key=lambda e: len(str(e)))
