"""Ways in which the generators of a report can go over into those of the truth.

Under ``f(u) = lambda*(u + t)`` a generator of the reported law, taken at f(u), must be a function of
the generators of the true law at u, because distinct exponentials, branch points and so on are
independent.  That leaves finitely many pairings.  Each pairing gives identities in u and new
unknowns; what a new unknown means (``R = exp(kappa)``) is kept as a closing, to be applied after
the polynomial equations are solved.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import permutations, product
from math import prod
from operator import or_
from typing import Literal

from sympy import Expr, Integer, Mul, S, Symbol

from identify.algebra.lattice import lattice_symmetries
from identify.orbit.generators import (
    Generator,
    Kind,
    StateFunctions,
    Unhandled,
    add_angle,
    multiple_angle,
    poles,
)

MATCHING_LIMIT = 600


@dataclass(frozen=True)
class Closing:
    """``exp``: values[0] = exp(argument); ``angle``: values = (sin, cos)(argument);
    ``power``: values[0] = argument**exponent; ``log``: values[0] = log(argument)."""

    kind: Literal["exp", "angle", "power", "log"]
    values: tuple[Symbol, ...]
    argument: Symbol
    exponent: Expr | None = None


@dataclass(frozen=True)
class Matching:
    """One pairing: what to put for the report's generators, and what follows."""

    substitution: dict[Symbol, Expr] = field(default_factory=dict)
    unknowns: tuple[Symbol, ...] = ()
    identities: tuple[Expr, ...] = ()
    positive: tuple[Expr, ...] = ()
    nonzero: tuple[Expr, ...] = ()
    closings: tuple[Closing, ...] = ()
    independent: tuple[Symbol, ...] = ()

    def __or__(self, other: Matching) -> Matching:
        return Matching(
            {**self.substitution, **other.substitution},
            self.unknowns + other.unknowns,
            self.identities + other.identities,
            self.positive + other.positive,
            self.nonzero + other.nonzero,
            self.closings + other.closings,
            self.independent + other.independent,
        )


@dataclass(frozen=True)
class Pairing:
    """The two sides and the image f(u) of the state; ``partial`` when the truth is on a stratum."""

    truth: StateFunctions
    report: StateFunctions
    image: Expr
    partial: bool

    def matchings(self) -> Iterator[Matching]:
        """All pairings of all generators (at most MATCHING_LIMIT)."""
        groups = [
            list(self._lattice("exp")),
            list(self._lattice("trig")),
            list(self._roots()),
            list(self._assignments("power", symbolic=True)),
            *(list(self._assignments("abs", absolute=n)) for n in self._absolute_orders()),
            list(self._assignments("log")),
            list(self._assignments("odd")),
            list(self._poles()),
        ]
        if prod(len(g) for g in groups) > MATCHING_LIMIT:
            raise Unhandled("so many functions of the state at once")
        yield from map(_joined, product(*groups))

    def _of(self, side: StateFunctions, kind: Kind) -> list[Generator]:
        return [g for g in side.generators if g.kind == kind]

    def _at_image(self, expression: Expr) -> Expr:
        return expression.xreplace({self.report.state: self.image})

    # -- exponentials and trigonometric pairs -----------------------------------------------------

    def _lattice(self, kind: Literal["exp", "trig"]) -> Iterator[Matching]:
        ours, theirs = self._of(self.report, kind), self._of(self.truth, kind)
        if not ours:
            if not theirs or self.partial:
                yield Matching()
            return
        for rows in self._row_choices(kind, len(ours), len(theirs)):
            yield from self._row_matchings(kind, ours, theirs, rows)

    def _row_choices(self, kind: str, ours: int, theirs: int) -> Iterator[tuple[tuple[int, ...] | None, ...]]:
        """Integer rows: the i-th exponent at the image is this combination of the true exponents.

        ``None`` leaves a generator unpaired: its coefficients must vanish.  A row of zeros lets
        its exponent degenerate to a constant.  Both happen only on strata.
        """
        units = [tuple(s if i == j else 0 for i in range(theirs)) for j in range(theirs) for s in (1, -1)]
        if not self.partial:
            if ours == theirs:
                yield from lattice_symmetries(self.truth.frequencies[kind])
            return
        options: list[tuple[int, ...] | None] = [*units, tuple([0] * theirs), None]
        yield from product(options, repeat=ours)

    def _row_matchings(
        self,
        kind: Literal["exp", "trig"],
        ours: Sequence[Generator],
        theirs: Sequence[Generator],
        rows: Sequence[tuple[int, ...] | None],
    ) -> Iterator[Matching]:
        pieces = []
        for generator, row in zip(ours, rows, strict=True):
            if row is None:
                pieces.append([_unpaired(generator)])
            else:
                pieces.append([self._row(kind, generator, theirs, row, still) for still in (True, False)])
        tied = all(
            row is not None and _linear_form(g, self.report.state) for g, row in zip(ours, rows, strict=True)
        )
        choices = zip(*pieces, strict=True) if tied else product(*pieces)
        yield from map(_joined, choices)

    def _row(
        self,
        kind: Literal["exp", "trig"],
        generator: Generator,
        theirs: Sequence[Generator],
        row: tuple[int, ...],
        still: bool,
    ) -> Matching:
        """One generator against an integer combination of the true ones; ``still``: no constant."""
        combination = sum((n * g.argument for n, g in zip(row, theirs, strict=True)), S.Zero)
        name = generator.symbols[0].name
        if kind == "exp":
            image = Mul(*(g.symbols[0] ** n for n, g in zip(row, theirs, strict=True)))
            values: tuple[Symbol, ...] = (Symbol(f"_R{name}", real=True),)
        else:
            sine, cosine = S.Zero, S.One
            for n, g in zip(row, theirs, strict=True):
                sine, cosine = add_angle(sine, cosine, *multiple_angle(g.symbols, n))
            values = (Symbol(f"_s{name}", real=True), Symbol(f"_c{name}", real=True))
        difference = self._at_image(generator.argument) - combination
        if still:
            images = (image,) if kind == "exp" else (sine, cosine)
            return Matching(dict(zip(generator.symbols, images, strict=True)), identities=(difference,))
        kappa = Symbol(f"_q{name}", real=True)
        if kind == "exp":
            return Matching(
                {generator.symbols[0]: values[0] * image},
                (values[0], kappa),
                (difference - kappa,),
                positive=(values[0],),
                nonzero=(values[0], kappa),
                closings=(Closing("exp", values, kappa),),
            )
        turned = add_angle(sine, cosine, *values)
        return Matching(
            dict(zip(generator.symbols, turned, strict=True)),
            (*values, kappa),
            (difference - kappa, values[0] ** 2 + values[1] ** 2 - 1),
            nonzero=(kappa,),
            closings=(Closing("angle", values, kappa),),
        )

    # -- powers, absolute values, logarithms, odd functions ---------------------------------------

    def _roots(self) -> Iterator[Matching]:
        orders = {g.root for g in self.report.generators if g.root}
        orders |= {g.root for g in self.truth.generators if g.root}
        lists = [list(self._assignments("power", order=n)) for n in sorted(orders)]
        yield from map(_joined, product(*lists))

    def _absolute_orders(self) -> list[int]:
        """The orders of roots of absolute values; 0 for powers with a parameter as exponent."""
        generators = (*self.report.generators, *self.truth.generators)
        return sorted({g.absolute_root or 0 for g in generators if g.kind == "abs"})

    def _assignments(
        self, kind: Kind, symbolic: bool = False, order: int | None = None, absolute: int = 0
    ) -> Iterator[Matching]:
        def wanted(g: Generator) -> bool:
            if kind == "power":
                return g.kind == kind and (g.root is None if symbolic else g.root == order)
            return g.kind == kind and (kind != "abs" or (g.absolute_root or 0) == absolute)

        ours = [g for g in self.report.generators if wanted(g)]
        theirs = [g for g in self.truth.generators if wanted(g)]
        if len(ours) != len(theirs) and not self.partial:
            return
        for images in _injections(theirs, len(ours), self.partial):
            pieces = [
                [_unpaired(g)] if image is None else list(self._single(g, image))
                for g, image in zip(ours, images, strict=True)
            ]
            yield from map(_joined, product(*pieces))

    def _poles(self) -> Iterator[Matching]:
        """Several poles that depend on parameters go over into one another, in some order."""
        ours, theirs = poles(self.report), poles(self.truth)
        if self.partial or len(ours) != len(theirs) or len(theirs) < 2:
            yield Matching()
            return
        for images in permutations(theirs):
            pieces = []
            for i, (our, image) in enumerate(zip(ours, images, strict=True)):
                kappa = Symbol(f"_pole{i}", real=True)
                pieces.append(
                    Matching({}, (kappa,), (self._at_image(our) - kappa * image,), nonzero=(kappa,))
                )
            yield _joined(pieces)

    def _single(self, ours: Generator, theirs: Generator) -> Iterator[Matching]:
        symbol, image = ours.symbols[0], theirs.symbols[0]
        if ours.kind == "odd":
            if ours.function is theirs.function:
                for epsilon in (Integer(1), Integer(-1)):
                    same = self._at_image(ours.argument) - epsilon * theirs.argument
                    yield Matching({symbol: epsilon * image}, identities=(same,))
            return
        kappa = Symbol(f"_q{symbol.name}", real=True)
        same = self._at_image(ours.argument) - kappa * theirs.argument
        scale = Symbol(f"_K{symbol.name}", real=True)
        if ours.kind == "abs":
            for s in (Integer(1), Integer(-1)):
                yield from self._absolute(ours, theirs, same.xreplace({kappa: s * kappa}), kappa, scale)
            return
        if ours.root is not None:
            tie = scale**ours.root - kappa
            yield Matching(
                {symbol: scale * image}, (kappa, scale), (same, tie), (kappa, scale), (kappa, scale)
            )
            return
        if ours.kind == "power":
            yield from self._symbolic(ours, theirs, same, kappa, scale)
            return
        fixed = same.xreplace({kappa: S.One})
        if ours.kind == "log":
            yield Matching({symbol: image}, identities=(fixed,))
            yield Matching(
                {symbol: image + scale},
                (scale, kappa),
                (same,),
                (kappa,),
                (kappa, kappa - 1),
                (Closing("log", (scale,), kappa),),
            )
            return

    def _absolute(
        self, ours: Generator, theirs: Generator, same: Expr, kappa: Symbol, scale: Symbol
    ) -> Iterator[Matching]:
        """``|x|**(1/n)`` or ``|x|**p``; the arguments agree up to sign and the positive factor kappa."""
        symbol, image = ours.symbols[0], theirs.symbols[0]
        n = ours.absolute_root
        if n is None:
            yield from self._symbolic(ours, theirs, same, kappa, scale)
        elif n == 1:
            yield Matching({symbol: kappa * image}, (kappa,), (same,), (kappa,), (kappa,))
        else:
            tie = scale**n - kappa
            yield Matching(
                {symbol: scale * image}, (kappa, scale), (same, tie), (kappa, scale), (kappa, scale)
            )

    def _symbolic(
        self, ours: Generator, theirs: Generator, same: Expr, kappa: Symbol, scale: Symbol
    ) -> Iterator[Matching]:
        """A power with a parameter as exponent: the exponents that occur go over into one another."""
        symbol, image = ours.symbols[0], theirs.symbols[0]
        assert ours.exponent is not None
        assert theirs.exponent is not None
        for multiple, offset in _exponent_maps(ours.uses, theirs.uses):
            exponent = multiple * theirs.exponent + offset
            equal = ours.exponent - exponent
            power = image**multiple * theirs.argument**offset
            yield Matching({symbol: power}, identities=(same.xreplace({kappa: S.One}), equal))
            yield Matching(
                {symbol: scale * power},
                (scale, kappa),
                (same, equal),
                (kappa, scale),
                (kappa, kappa - 1, scale),
                (Closing("power", (scale,), kappa, exponent),),
            )


def _exponent_maps(
    ours: Sequence[tuple[int, int]], theirs: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """``(m, n)`` such that ``p -> m*p + n`` takes the exponents that occur onto those of the other side."""
    first, start = ours[0]
    found = []
    for m, n in dict.fromkeys(theirs):
        if m % first == 0 and (n - start) % first == 0:
            a, b = m // first, (n - start) // first
            if {(i * a, i * b + j) for i, j in ours} == set(theirs):
                found.append((a, b))
    return found


def _joined(pieces: Iterable[Matching]) -> Matching:
    return reduce(or_, pieces, Matching())


def _unpaired(generator: Generator) -> Matching:
    return Matching(independent=generator.symbols)


def _linear_form(generator: Generator, state: Symbol) -> bool:
    """Whether the argument is a multiple of the state, so that its constant is a multiple of t."""
    return not (generator.argument / state).expand().has(state)


def _injections(
    targets: Sequence[Generator], count: int, partial: bool
) -> Iterator[tuple[Generator | None, ...]]:
    if not partial:
        yield from permutations(targets, count)
        return
    yield from product([*targets, None], repeat=count)
