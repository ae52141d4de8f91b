"""All affine maps between laws of the family, with the parameters they lead to.

With ``f(u) = lambda*(u + t)`` the orbit equations (eq:feature-orbit-equation) read, channel by
channel, ``c_k(f(u); eta) = lambda * D_k(lambda)**-1 * c_k(u; theta)``.  They hold as identities in u,
so their coefficients over the generators of the state give a polynomial system for
``(lambda, t, eta)``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import lcm

from sympy import Abs, Expr, Integer, NumberSymbol, Rational, S, Symbol, sqrt

from identify.algebra.budget import Budget
from identify.algebra.ring import Poly, Ring
from identify.algebra.solve import Solution, System, Unsolved, remainder, solve
from identify.orbit.branch import LAMBDA, TAU, Branch, Family, hat
from identify.orbit.closing import Open, Transcendental, close, real_root
from identify.orbit.generators import StateFunctions, Unhandled, refined, state_functions
from identify.orbit.matching import Matching, Pairing
from identify.routes.route import Feature

_SCALE = Symbol("_scale", real=True)
_SHIFT = Symbol("_shift", real=True)
REFINEMENTS = (2, 3)
_SPARE = tuple(Symbol(f"_root{i}", real=True) for i in range(4))


@dataclass(frozen=True)
class AffineBranches:
    """All affine branches over the reals-to-be-checked, and what was assumed of the truth.

    ``conditions`` are polynomials in the true parameters assumed nonzero; ``unsolved`` names what
    could not be solved (then the list may be incomplete).
    """

    branches: tuple[Branch, ...]
    conditions: tuple[Expr, ...]
    unsolved: tuple[str, ...]


def affine_branches(family: Family, budget: Budget) -> AffineBranches:
    """Solve the orbit equations of ``family`` for all affine maps."""
    problem = _Problem(family, budget)
    branches: list[Branch] = []
    for orientation in problem.orientations():
        for truth, matching in problem.matchings(orientation):
            branches += problem.solve(orientation, truth, matching)
    return AffineBranches(tuple(branches), tuple(problem.conditions), tuple(problem.unsolved))


@dataclass(frozen=True)
class _Orientation:
    """``lambda = sign * scale**order``; order 0 stands for lambda itself, of either sign."""

    sign: int
    order: int

    @property
    def scale(self) -> Expr:
        return _SCALE if self.order == 0 else self.sign * _SCALE**self.order

    def dilation(self, feature: Feature) -> Expr:
        """``lambda / D_k(lambda) = |lambda|**(1-p) * sign(lambda)**(1+s)``."""
        if self.order == 0:
            return _SCALE ** (1 - feature.power)
        return _SCALE ** (self.order * (1 - feature.power)) * Integer(self.sign) ** (1 + int(feature.odd))


class _Problem:
    def __init__(self, family: Family, budget: Budget) -> None:
        self.family, self.budget = family, budget
        self.conditions: list[Expr] = []
        self.unsolved: list[str] = []
        self.report_symbols = {p: hat(p) for p in family.independent}
        functions = [c for _, c in family.channels]
        truth = [c.xreplace(family.stratum) for c in functions]
        self.truth = state_functions(truth, family.state)
        generic = self.truth if not family.stratum else state_functions(functions, family.state)
        self.report = _renamed(generic, self.report_symbols)
        self.partial = bool(family.stratum)

    def orientations(self) -> list[_Orientation]:
        """Both signs apart where |lambda| enters."""
        features = [f for f, _ in self.family.channels]
        if all(f.polynomial for f in features):
            return [_Orientation(1, 0)]
        order = lcm(*(int(f.power.q) for f in features))
        return [_Orientation(1, order), _Orientation(-1, order)]

    def matchings(self, orientation: _Orientation) -> Iterator[tuple[StateFunctions, Matching]]:
        """Pairings of generators; on a stratum also over finer exponents (sin 2z can report as sin z)."""
        image = orientation.scale * (self.family.state + _SHIFT)
        truths = (
            [self.truth, *(refined(self.truth, q) for q in REFINEMENTS)] if self.partial else [self.truth]
        )
        for truth in truths:
            for matching in Pairing(truth, self.report, image, self.partial).matchings():
                yield truth, matching

    def solve(self, orientation: _Orientation, truth: StateFunctions, matching: Matching) -> list[Branch]:
        """All branches for one orientation and one pairing of generators."""
        try:
            system = self._system(orientation, truth, matching)
            solutions, conditions = solve(system.system, self.budget)
        except Unsolved as error:
            self.unsolved.append(str(error))
            return []
        self._remember(system, conditions)
        branches = []
        for solution in solutions:
            for opened in _opened(system, solution, matching):
                try:
                    if close(opened, matching.closings):
                        branches.append(self._branch(opened, orientation))
                except Transcendental as error:
                    self.unsolved.append(str(error))
        return branches

    def _remember(self, system: _RingSystem, conditions: Sequence[Poly]) -> None:
        for poly in conditions:
            expression = system.ring.expression(poly).xreplace(system.thaw)
            if expression not in self.conditions and not expression.free_symbols.isdisjoint(
                self.family.known
            ):
                self.conditions.append(expression)

    def _system(self, orientation: _Orientation, truth: StateFunctions, matching: Matching) -> _RingSystem:
        family = self.family
        image = orientation.scale * (family.state + _SHIFT)
        table = {**matching.substitution, family.state: image}
        identities = list(matching.identities)
        for (feature, _), ours, theirs in zip(
            family.channels, self.report.functions, truth.functions, strict=True
        ):
            identities.append(ours.xreplace(table) - orientation.dilation(feature) * theirs)
        nonzero = [e.xreplace(self.report_symbols) for e in family.nonzero]
        unknowns = (*self.report_symbols.values(), *matching.unknowns, _SHIFT, _SCALE)
        state_symbols = (*truth.symbols, *matching.independent)
        positive = [*matching.positive] + ([_SCALE] if orientation.order else [])
        return _RingSystem.build(
            identities,
            [*nonzero, *matching.nonzero, _SCALE],
            family.known,
            unknowns,
            state_symbols,
            truth,
            positive,
        )

    def _branch(self, opened: Open, orientation: _Orientation) -> Branch:
        """The solution in the public symbols lambda and tau."""
        _free_the_scale(opened)
        table: dict[Symbol, Expr] = {}
        scale = orientation.scale.xreplace({_SCALE: opened.value(_SCALE)})
        if _SCALE in opened.free:
            table[_SCALE] = (
                LAMBDA if orientation.order == 0 else Abs(LAMBDA) ** Rational(1, orientation.order)
            )
            if orientation.order:
                opened.positive.append(orientation.sign * LAMBDA)
            scale = LAMBDA
        if _SHIFT in opened.free:
            # where lambda itself depends on t, tau stands for t
            table[_SHIFT] = TAU if scale.has(_SHIFT) else TAU / scale.xreplace(table)
        shift = (scale * opened.value(_SHIFT)).xreplace(table)
        if shift.has(TAU):
            shift = shift.cancel()
        names = {_SCALE: LAMBDA, _SHIFT: TAU}
        reported = {p: _plain(opened.value(h).xreplace(table)) for p, h in self.report_symbols.items()}
        reported.update({p: e.xreplace(reported) for p, e in self.family.eliminated.items()})
        return Branch(
            map=scale.xreplace(table) * self.family.state + shift,
            scale=scale.xreplace(table),
            shift=shift,
            parameters=reported,
            free=tuple(names.get(s, s) for s in opened.free),
            integers=tuple(opened.integers),
            algebraic={s: e.xreplace(table) for s, e in opened.algebraic.items()},
            positive=tuple(e.xreplace(table) for e in opened.positive),
            nonzero=(
                *((LAMBDA,) if _SCALE in opened.free else ()),
                *(e.xreplace(table) for e in opened.nonzero),
            ),
        )


def _plain(expression: Expr) -> Expr:
    """The expression without nested fractions in tau."""
    if not expression.has(TAU) or not expression.is_rational_function():
        return expression
    return expression.cancel().expand()


def _free_the_scale(opened: Open) -> None:
    """Where lambda is plus or minus a power of a free positive auxiliary, let lambda be the free one."""
    value = opened.value(_SCALE)
    if value in opened.free:
        return
    sign, power = value.as_coeff_Mul()
    auxiliary, exponent = power.as_base_exp()
    if sign in (1, -1) and auxiliary in opened.free and auxiliary.name.startswith("_K"):
        opened.put({auxiliary: (sign * _SCALE) ** (1 / exponent)})
        del opened.values[_SCALE], opened.values[auxiliary]
        opened.free.append(_SCALE)


@dataclass(frozen=True)
class _RingSystem:
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
    ) -> _RingSystem:
        constants: dict[Expr, Symbol] = {}
        fixed = set(known)
        identities = [_freeze_constants(e, constants, fixed) for e in identities]
        arguments = [_freeze_constants(g.argument, constants, fixed) for g in truth.generators]
        nonzero = [_freeze_constants(e, constants, fixed) for e in nonzero]
        ring = Ring([*known, *constants.values(), *unknowns, *_SPARE, *state_symbols])
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
        system = System(ring, tuple(polys), tuple(unknowns), tuple(factors), _SPARE, _circles(ring, unknowns))
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


def _opened(system: _RingSystem, solution: Solution, matching: Matching) -> Iterator[Open]:
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
    for opened in _opened(_RingSystem(ring, System(ring, (), (), ()), {}, ()), solution, Matching()):
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


def _renamed(functions: StateFunctions, names: dict[Symbol, Symbol]) -> StateFunctions:
    """The same functions for the reported parameters, with generators of their own."""
    from dataclasses import replace

    fresh = {s: Symbol(f"_h{s.name}", real=True) for g in functions.generators for s in g.symbols}
    table = {**names, **fresh}
    generators = tuple(
        replace(
            g,
            symbols=tuple(fresh[s] for s in g.symbols),
            argument=g.argument.xreplace(table),
            exponent=None if g.exponent is None else g.exponent.xreplace(table),
        )
        for g in functions.generators
    )
    return StateFunctions(functions.state, tuple(f.xreplace(table) for f in functions.functions), generators)
