"""All affine maps between laws of the family, with the parameters they lead to.

With ``f(u) = lambda*(u + t)`` the orbit equations (eq:feature-orbit-equation) read, channel by
channel, ``c_k(f(u); eta) = lambda * D_k(lambda)**-1 * c_k(u; theta)``.  They hold as identities in u,
so their coefficients over the generators of the state give a polynomial system for
``(lambda, t, eta)``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import lcm

from sympy import Abs, Expr, Integer, Rational, Symbol, exp

from identify.algebra.budget import Budget
from identify.algebra.ring import Poly
from identify.algebra.solve import Unsolved, solve
from identify.orbit.branch import LAMBDA, TAU, Branch, Family, hat, is_hat
from identify.orbit.closing import Open, Transcendental, close, monomial, root_in
from identify.orbit.equations import RingSystem, opened_solutions
from identify.orbit.facts import Facts
from identify.orbit.generators import StateFunctions, Unhandled, refined, state_functions
from identify.orbit.matching import Matching, Pairing
from identify.orbit.ties import settle, tied
from identify.routes.route import Feature

_SCALE = Symbol("_scale", real=True)
_SHIFT = Symbol("_shift", real=True)
_TURN = Symbol("_n9", integer=True)
REFINEMENTS = (2, 3)


@dataclass(frozen=True)
class AffineBranches:
    """All affine branches over the reals-to-be-checked, and what was assumed of the truth.

    ``conditions`` are polynomials in the true parameters assumed nonzero; ``unsolved`` names what
    could not be solved (then the list may be incomplete).
    """

    branches: tuple[Branch, ...]
    conditions: tuple[Expr, ...]
    unsolved: tuple[str, ...]


def affine_branches(family: Family, budget: Budget, facts: Facts) -> AffineBranches:
    """Solve the orbit equations of ``family`` for all affine maps; ``facts`` are the declared signs."""
    problem = _Problem(family, budget, facts)
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
    def __init__(self, family: Family, budget: Budget, facts: Facts) -> None:
        self.family, self.budget, self.facts = family, budget, facts
        self.conditions: list[Expr] = []
        self.unsolved: list[str] = []
        self.report_symbols = {p: hat(p) for p in family.independent}
        plain = tied([c for _, c in family.channels], family.independent, family.state, family.bounds)
        self.ties, self.values = plain.ties, plain.values
        if self.ties and family.stratum:
            raise Unhandled("a parameter inside a function, on a special case")
        functions = list(plain.functions)
        truth = [c.xreplace(family.stratum) for c in functions]
        self.truth = state_functions(truth, family.state)
        generic = self.truth if not family.stratum else state_functions(functions, family.state)
        self.tied_symbols = {t.symbol: hat(t.symbol) for t in self.ties}
        self.report = _renamed(generic, {**self.report_symbols, **self.tied_symbols})
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

    def solve(
        self,
        orientation: _Orientation,
        truth: StateFunctions,
        matching: Matching,
        more: tuple[Expr, ...] = (),
    ) -> list[Branch]:
        """All branches for one orientation and one pairing of generators; ``more`` must vanish as well."""
        try:
            system = self._system(orientation, truth, matching, more)
            solutions, conditions = solve(system.system, self.budget)
        except Unsolved as error:
            self.unsolved.append(str(error))
            return []
        self._remember(system, conditions)
        branches = []
        for solution in solutions:
            for opened in opened_solutions(system, solution, matching):
                try:
                    if not close(opened, matching.closings, self.facts):
                        continue
                    demanded = self._demanded(opened, len(more))
                except Transcendental as error:
                    self.unsolved.append(str(error))
                    continue
                if not demanded:
                    branches.append(self._branch(opened, orientation))
                for expression in demanded:
                    branches += self.solve(orientation, truth, matching, (*more, expression))
        return branches

    def _demanded(self, opened: Open, steps: int) -> list[Expr]:
        """What the first tie that a solution does not respect demands of it."""
        for tie in self.ties:
            hats = {**self.report_symbols, tie.symbol: self.tied_symbols[tie.symbol]}
            demanded = settle(opened, tie, hats, self.values, _TURN)
            if demanded and steps > 2 * len(self.ties):
                raise Transcendental("a transcendental equation for the parameters")
            if demanded:
                return demanded
        return []

    def _remember(self, system: RingSystem, conditions: Sequence[Poly]) -> None:
        for poly in conditions:
            expression = system.ring.expression(poly).xreplace(system.thaw).xreplace(self.values)
            if expression not in self.conditions and not expression.free_symbols.isdisjoint(
                self.family.known
            ):
                self.conditions.append(expression)

    def _system(
        self,
        orientation: _Orientation,
        truth: StateFunctions,
        matching: Matching,
        more: tuple[Expr, ...],
    ) -> RingSystem:
        family = self.family
        image = orientation.scale * (family.state + _SHIFT)
        table = {**matching.substitution, family.state: image}
        identities = [*matching.identities, *more]
        for (feature, _), ours, theirs in zip(
            family.channels, self.report.functions, truth.functions, strict=True
        ):
            identities.append(ours.xreplace(table) - orientation.dilation(feature) * theirs)
        nonzero = [e.xreplace(self.report_symbols) for e in family.nonzero]
        ties = self.tied_symbols
        unknowns = (*self.report_symbols.values(), *matching.unknowns, _SHIFT, _SCALE, *ties.values())
        state_symbols = (*truth.symbols, *matching.independent)
        exponentials = [hat(t.symbol) for t in self.ties if t.function is exp]
        positive = [*matching.positive, *exponentials] + ([_SCALE] if orientation.order else [])
        return RingSystem.build(
            identities,
            [*nonzero, *matching.nonzero, *exponentials, _SCALE],
            (*family.known, *ties, *([_TURN] if more else [])),
            unknowns,
            state_symbols,
            truth,
            positive,
        )

    def _free_the_parameters(self, opened: Open) -> None:
        """Where an auxiliary that fixes a reported parameter is free, the parameter is the free one."""
        public = {*self.report_symbols.values(), _SCALE, _SHIFT}
        for auxiliary in [s for s in opened.free if s not in public]:
            for reported in self.report_symbols.values():
                value = opened.value(reported)
                root = root_in(value - reported, auxiliary)
                power = None if root is not None else monomial(value, auxiliary)
                if power is not None and power[1] != 0:
                    root = (reported / power[0]) ** (1 / power[1])  # auxiliaries of powers are positive
                if root is not None:
                    opened.put({auxiliary: root})
                    del opened.values[reported], opened.values[auxiliary]
                    opened.free.append(reported)
                    break

    def _branch(self, opened: Open, orientation: _Orientation) -> Branch:
        """The solution in the public symbols lambda and tau."""
        _free_the_scale(opened)
        self._free_the_parameters(opened)
        if self.ties:
            opened.put(self.values)
            if any(e.has(_TURN) for e in opened.values.values()):
                opened.integers.append(_TURN)
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
        if shift.has(TAU) or (opened.integers and shift.is_rational_function()):
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
    """The expression without nested fractions in tau, and without what cancels."""
    if not expression.is_rational_function():
        return expression
    if expression.has(TAU) and expression.has(LAMBDA):
        return expression.cancel().expand()
    return expression.cancel().factor() if any(map(is_hat, expression.free_symbols)) else expression


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
