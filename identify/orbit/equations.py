"""Identities in the state as polynomial systems, and their solutions as expressions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from sympy import Expr, Integer, NumberSymbol, Rational, S, Symbol, sqrt

from identify.algebra.ring import Poly, Ring
from identify.algebra.solve import Solution, System, remainder
from identify.orbit.closing import Open, real_root
from identify.orbit.generators import StateFunctions, Unhandled
from identify.orbit.matching import Matching

SPARE = tuple(Symbol(f"_root{i}", real=True) for i in range(4))


@dataclass(frozen=True)
class RingSystem:
    """A polynomial system together with its ring and the constants frozen into symbols."""

    ring: Ring
    system: System
    thaw: dict[Symbol, Expr]
    positive: tuple[Expr, ...]

    @classmethod
    def build(
        cls,
        identities: Sequence[Expr],
        nonzero: Sequence[Expr],
        known: Sequence[Symbol],
        unknowns: Sequence[Symbol],
        state_symbols: Sequence[Symbol],
        truth: StateFunctions,
        positive: Sequence[Expr],
    ) -> RingSystem:
        constants: dict[Expr, Symbol] = {}
        fixed = set(known)
        identities = [_freeze_constants(e, constants, fixed) for e in identities]
        arguments = [_freeze_constants(g.argument, constants, fixed) for g in truth.generators]
        nonzero = [_freeze_constants(e, constants, fixed) for e in nonzero]
        ring = Ring([*known, *constants.values(), *unknowns, *SPARE, *state_symbols])
        polys: list[Poly] = []
        relations = _relations(ring, truth, arguments)
        denominators = []
        for identity in identities:
            fraction = ring.fraction(identity)
            numerator = fraction.numerator
            for symbol, modulus in relations:
                numerator = remainder(ring, numerator, modulus, symbol)
            polys += harmonics(ring, ring.collect(numerator, state_symbols), state_symbols, truth)
            denominators.append(_content(ring, fraction.denominator, state_symbols))
        inequations = [ring.polynomial(e) for e in nonzero] + denominators
        factors = [f for p in inequations for f in ring.factors(p)]
        system = System(ring, tuple(polys), tuple(unknowns), tuple(factors), SPARE, _circles(ring, unknowns))
        return cls(ring, system, {s: e for e, s in constants.items()}, tuple(positive))


def harmonics(
    ring: Ring, parts: dict[tuple[int, ...], Poly], symbols: Sequence[Symbol], truth: StateFunctions
) -> list[Poly]:
    """The coefficients with powers of a cosine rewritten in harmonics, which separates the equations."""
    for generator in truth.generators:
        if generator.kind == "trig":
            sine, cosine = (list(symbols).index(s) for s in generator.symbols)
            parts = _in_harmonics(ring, parts, sine, cosine)
    return [p for p in parts.values() if not p.is_zero()]


def _in_harmonics(
    ring: Ring, parts: dict[tuple[int, ...], Poly], sine: int, cosine: int
) -> dict[tuple[int, ...], Poly]:
    """Powers of the cosine in multiple angles; a sine factor makes them sines of multiples."""
    result: dict[tuple[int, ...], Poly] = {}
    top = max((key[cosine] for key in parts), default=0)
    for key, poly in parts.items():
        for n, weight in _multiple_angles(key[cosine], key[sine]).items():
            place = tuple(n if i == cosine else k for i, k in enumerate(key))
            term = poly * int(weight * 2**top)
            result[place] = result[place] + term if place in result else term
    return result


def _multiple_angles(power: int, sine: int) -> dict[int, Rational]:
    """``cos(x)**power * sin(x)**sine`` as a combination of cos(n*x), or of sin((n+1)*x) for sine = 1."""
    found = {0: Rational(1)}
    for _ in range(power):
        nxt: dict[int, Rational] = {}
        for n, weight in found.items():
            for m in (n + 1, n - 1):
                if sine and m < 0:
                    continue
                nxt[abs(m)] = nxt.get(abs(m), Rational(0)) + weight / 2
        found = nxt
    return found


def _circles(ring: Ring, unknowns: Sequence[Symbol]) -> tuple[tuple[Symbol, Poly], ...]:
    """The relations sine**2 + cosine**2 = 1 among the unknowns."""
    sines = [s for s in unknowns if s.name.startswith("_s_")]
    table = {s.name: s for s in unknowns}
    return tuple(
        (s, ring.generator(s) ** 2 + ring.generator(table["_c" + s.name[2:]]) ** 2 - 1) for s in sines
    )


def _content(ring: Ring, poly: Poly, symbols: Sequence[Symbol]) -> Poly:
    """The common factor of the coefficients over the monomials in ``symbols``."""
    content = ring.zero
    for coefficient in ring.collect(poly, symbols).values():
        content = content.gcd(coefficient)
    return content


def _relations(ring: Ring, truth: StateFunctions, arguments: Sequence[Expr]) -> list[tuple[Symbol, Poly]]:
    """The algebraic relations among generators: roots, sine and cosine, absolute values."""
    relations = []
    for generator, argument in zip(truth.generators, arguments, strict=True):
        symbol = generator.symbols[0]
        if generator.kind == "trig":
            cosine = ring.generator(generator.symbols[1])
            relations.append((symbol, ring.generator(symbol) ** 2 + cosine**2 - 1))
        elif generator.root is not None:
            base = ring.fraction(argument)
            power = ring.generator(symbol) ** generator.root
            relations.append((symbol, base.denominator * power - base.numerator))
        elif generator.absolute_root is not None:
            base = ring.fraction(argument)
            square = ring.generator(symbol) ** (2 * generator.absolute_root) * base.denominator**2
            relations.append((symbol, square - base.numerator**2))
    return relations


def _freeze_constants(expression: Expr, table: dict[Expr, Symbol], known: set[Symbol]) -> Expr:
    """Constants such as pi or sqrt(2), and functions of the truth alone, become symbols."""
    if isinstance(expression, Symbol | Rational):
        return expression
    if expression.is_Add or expression.is_Mul:
        return expression.func(*(_freeze_constants(a, table, known) for a in expression.args))
    if expression.is_Pow and isinstance(expression.exp, Integer):
        return _freeze_constants(expression.base, table, known) ** expression.exp
    if isinstance(expression, NumberSymbol) or expression.free_symbols <= known:
        return table.setdefault(expression, Symbol(f"_const{len(table)}", real=True))
    raise Unhandled(f"a parameter inside {expression}".replace("_hat_", ""))


def opened_solutions(system: RingSystem, solution: Solution, matching: Matching) -> Iterator[Open]:
    """The solution in SymPy terms, once for each choice of signs of its square roots."""
    values = {s: v.expression().xreplace(system.thaw) for s, v in solution.values.items()}
    minimal = {s: system.ring.expression(p).xreplace(system.thaw) for s, p in solution.algebraic.items()}
    nonzero = [system.ring.expression(p).xreplace(system.thaw) for p in solution.nonzero]
    circle = {c.values[1] for c in matching.closings if c.kind == "angle"}
    choices = [list(_roots(s, p, circle)) for s, p in minimal.items()]
    for choice in product(*choices):
        table = {s: e for s, e in zip(minimal, choice, strict=True) if e is not None}
        opened = Open(
            dict(values),
            list(solution.free),
            dict(minimal),
            list(system.positive),
            list(nonzero),
            [],
        )
        for symbol in reversed(list(table)):
            opened.put({symbol: table[symbol].xreplace(table)})
        opened.positive = [e.xreplace(opened.values) for e in opened.positive]
        opened.nonzero = [e.xreplace(opened.values) for e in opened.nonzero]
        yield opened


def opened_values(ring: Ring, solution: Solution) -> Iterator[tuple[dict[Symbol, Expr], dict[Symbol, Expr]]]:
    """Values and remaining algebraic symbols of a solution, once for each choice of square roots."""
    for opened in opened_solutions(RingSystem(ring, System(ring, (), (), ()), {}, ()), solution, Matching()):
        yield opened.values, opened.algebraic


def _roots(symbol: Symbol, minimal: Expr, circle: set[Symbol]) -> Iterator[Expr | None]:
    """Closed forms for the roots of a binomial; None keeps the symbol."""
    if minimal.free_symbols & circle:
        yield None
        return
    poly = minimal.as_poly(symbol)
    terms = dict(poly.terms())
    degree = poly.degree()
    if set(terms) - {(degree,), (0,)}:
        yield None
        return
    radicand = -terms.get((0,), S.Zero) / terms[(degree,)]
    if degree == 2:
        yield from (sqrt(radicand), -sqrt(radicand))
    elif degree % 2:
        yield real_root(radicand, degree)
    else:
        yield from (radicand ** Rational(1, degree), -(radicand ** Rational(1, degree)))
