"""State dependence as rational functions over generators.

A coefficient function of the state is written as a rational function of the state z, of the
parameters, and of a few generators that are algebraically independent over the rational functions
of z (or satisfy one known relation): exponentials, sine and cosine pairs, powers, absolute values,
logarithms, and odd inverse functions, each of a polynomial argument.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import lcm
from typing import Literal

from sympy import (
    Abs,
    Add,
    Expr,
    Function,
    Integer,
    Mul,
    Pow,
    Rational,
    S,
    Symbol,
    acos,
    acot,
    asin,
    asinh,
    atan,
    atanh,
    cos,
    cosh,
    cot,
    coth,
    csc,
    csch,
    erf,
    exp,
    log,
    pi,
    sec,
    sech,
    sign,
    sin,
    sinh,
    tan,
    tanh,
)

from identify.algebra.ring import NotPolynomial, Ring
from identify.orbit.arguments import integer_combinations, polynomial_coefficients, shared_constants

Kind = Literal["exp", "trig", "power", "abs", "log", "odd"]
ODD_FUNCTIONS = (asin, atan, asinh, atanh, erf)
RATIONAL_ROOT_LIMIT = 12


class Unhandled(Exception):
    """The state dependence is outside what the method treats; the message says what."""


@dataclass(frozen=True)
class Generator:
    """One generator: ``symbols`` stand for its value(s), ``argument`` is a polynomial in the state.

    exp: ``exp(argument)``; trig: ``(sin, cos)(argument)``; power: ``argument**exponent`` with a
    parameter as exponent or a root ``argument**(1/n)``; abs, log, odd: the function of the argument.
    ``uses`` lists the exponents ``m*exponent + n`` that occur, for a parameter as exponent.
    """

    kind: Kind
    symbols: tuple[Symbol, ...]
    argument: Expr
    exponent: Expr | None = None
    function: type[Function] | None = None
    uses: tuple[tuple[int, int], ...] = ((1, 0),)

    @property
    def root(self) -> int | None:
        """n for a generator ``argument**(1/n)``."""
        return self._order if self.kind == "power" else None

    @property
    def absolute_root(self) -> int | None:
        """n for a generator ``|argument|**(1/n)``."""
        return self._order if self.kind == "abs" else None

    @property
    def _order(self) -> int | None:
        return int(self.exponent.q) if isinstance(self.exponent, Rational) else None

    def value(self) -> tuple[Expr, ...]:
        """The functions that the symbols stand for."""
        if self.kind == "exp":
            return (exp(self.argument),)
        if self.kind == "trig":
            return (sin(self.argument), cos(self.argument))
        if self.kind == "power":
            return (self.argument**self.exponent,)
        if self.kind == "abs":
            return (Abs(self.argument) ** self.exponent,)
        if self.kind == "log":
            return (log(self.argument),)
        assert self.function is not None
        return (self.function(self.argument),)


@dataclass(frozen=True)
class StateFunctions:
    """Coefficient functions as rational expressions in the state, the generators, the parameters.

    ``frequencies`` gives, for "exp" and "trig", the arguments that occur as integer combinations of the
    arguments of the generators.
    """

    state: Symbol
    functions: tuple[Expr, ...]
    generators: tuple[Generator, ...]
    frequencies: dict[str, tuple[tuple[int, ...], ...]] = field(default_factory=dict)

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """The state and all generator symbols."""
        return (self.state, *(s for g in self.generators for s in g.symbols))


def state_functions(functions: Sequence[Expr], state: Symbol) -> StateFunctions:
    """The functions over generators; raises Unhandled for anything outside the classes above."""
    rewritten = [elementary(f, state) for f in functions]
    builder = _Builder(state, rewritten)
    return StateFunctions(
        state, tuple(builder.replace(f) for f in rewritten), tuple(builder.generators), builder.frequencies
    )


def refined(functions: StateFunctions, q: int) -> StateFunctions:
    """The same functions over exponentials and angles of the q-th part of each argument."""
    table: dict[Symbol, Expr] = {}
    generators = []
    for g in functions.generators:
        if g.kind not in ("exp", "trig"):
            generators.append(g)
            continue
        finer = tuple(Symbol(f"{s.name}_{q}", real=True) for s in g.symbols)
        generators.append(replace(g, symbols=finer, argument=g.argument / q))
        values = (finer[0] ** q,) if g.kind == "exp" else multiple_angle(finer, q)
        table.update(zip(g.symbols, values, strict=True))
    return StateFunctions(
        functions.state, tuple(f.xreplace(table) for f in functions.functions), tuple(generators)
    )


def poles(functions: StateFunctions) -> list[Expr]:
    """Factors of the denominators that are polynomials in the state and contain parameters."""
    found: list[Expr] = []
    for function in functions.functions:
        symbols = sorted(function.free_symbols, key=str)
        ring = Ring(symbols)
        try:
            denominator = ring.fraction(function).denominator
        except NotPolynomial:
            return []
        for factor in ring.factors(denominator):
            inside = ring.variables(factor)
            if functions.state in inside and not inside & set(functions.symbols[1:]):
                expression = ring.expression(factor)
                if len(inside) > 1 and expression not in found:
                    found.append(expression)
    return found


_TO_SIMPLE = {
    tan: lambda x: sin(x) / cos(x),
    cot: lambda x: cos(x) / sin(x),
    sec: lambda x: 1 / cos(x),
    csc: lambda x: 1 / sin(x),
    sinh: lambda x: (exp(x) - exp(-x)) / 2,
    cosh: lambda x: (exp(x) + exp(-x)) / 2,
    tanh: lambda x: (exp(2 * x) - 1) / (exp(2 * x) + 1),
    coth: lambda x: (exp(2 * x) + 1) / (exp(2 * x) - 1),
    sech: lambda x: 2 * exp(x) / (exp(2 * x) + 1),
    csch: lambda x: 2 * exp(x) / (exp(2 * x) - 1),
    acos: lambda x: pi / 2 - asin(x),
    acot: lambda x: pi / 2 - atan(x),
    sign: lambda x: x / Abs(x),
}


def elementary(expression: Expr, state: Symbol) -> Expr:
    """The expression in exp, sin, cos, powers, Abs, log and odd functions wherever the state enters."""
    if not expression.has(state) or expression == state:
        return expression
    arguments = [elementary(a, state) for a in expression.args]
    rule = _TO_SIMPLE.get(expression.func)
    if rule is not None:
        return rule(arguments[0])
    if isinstance(expression, Pow) and not arguments[0].has(state):
        return exp(arguments[1] * log(arguments[0]))
    return expression.func(*arguments)


class _Builder:
    """Collects the atoms of all functions, chooses generators, and replaces the atoms."""

    def __init__(self, state: Symbol, functions: Iterable[Expr]) -> None:
        self.state = state
        self.generators: list[Generator] = []
        self.frequencies: dict[str, tuple[tuple[int, ...], ...]] = {}
        self._table: dict[Expr, Expr] = {}
        atoms: list[Expr] = []
        for function in functions:
            _collect(function, state, atoms)
        self._exponentials([a for a in atoms if isinstance(a, exp)])
        self._trigonometric([a for a in atoms if isinstance(a, sin | cos)])
        self._absolute_values([a for a in atoms if isinstance(_base(a), Abs)])
        self._powers([a for a in atoms if isinstance(a, Pow) and not isinstance(a.base, Abs)])
        for atom in atoms:
            if atom not in self._table:
                self._single(atom)

    def replace(self, expression: Expr) -> Expr:
        """The expression with every atom written in generator symbols."""
        if expression in self._table:
            return self._table[expression]
        if not expression.args:
            return expression
        return expression.func(*(self.replace(a) for a in expression.args))

    def _add(
        self, kind: Kind, argument: Expr, exponent: Expr | None = None, function: object = None
    ) -> tuple[Symbol, ...]:
        count = len(self.generators)
        names = ("S", "C") if kind == "trig" else (kind[0].upper(),)
        symbols = tuple(Symbol(f"_{name}{count}", real=True) for name in names)
        self.generators.append(Generator(kind, symbols, argument, exponent, function))  # type: ignore[arg-type]
        return symbols

    def _polynomial(self, argument: Expr) -> dict[int, Expr]:
        """Coefficients of the argument as a polynomial in the state."""
        try:
            return polynomial_coefficients(argument, self.state)
        except NotPolynomial as error:
            raise Unhandled(f"a function of {argument}, which is not a polynomial in the state") from error

    def _exponentials(self, atoms: list[Expr]) -> None:
        for basis, parts in self._lattice([a.args[0] for a in atoms]):
            symbols = [self._add("exp", b)[0] for b in basis]
            self.frequencies["exp"] = tuple(tuple(m) for m, _ in parts.values())
            for argument, (multiples, constant) in parts.items():
                value = Mul(*(s**m for s, m in zip(symbols, multiples, strict=True)))
                self._table[exp(argument)] = value * exp(constant)

    def _trigonometric(self, atoms: list[Expr]) -> None:
        for basis, parts in self._lattice([a.args[0] for a in atoms]):
            pairs = [self._add("trig", b) for b in basis]
            self.frequencies["trig"] = tuple(tuple(m) for m, _ in parts.values())
            for argument, (multiples, constant) in parts.items():
                s, c = S.Zero, S.One
                for (sine, cosine), multiple in zip(pairs, multiples, strict=True):
                    s, c = add_angle(s, c, *multiple_angle((sine, cosine), multiple))
                s, c = add_angle(s, c, sin(constant), cos(constant))
                self._table[sin(argument)], self._table[cos(argument)] = s, c

    def _lattice(self, arguments: list[Expr]) -> list[tuple[list[Expr], dict[Expr, tuple[list[int], Expr]]]]:
        """Arguments as integer combinations of a basis plus a constant."""
        if not arguments:
            return []
        unique = list(dict.fromkeys(arguments))
        polynomials = [self._polynomial(a) for a in unique]
        nonconstant = [{k: c for k, c in p.items() if k > 0} for p in polynomials]
        basis, multiples = integer_combinations(nonconstant, self.state)
        shift, rest = shared_constants(unique, polynomials, multiples, len(basis))
        basis = [b + s for b, s in zip(basis, shift, strict=True)]
        return [(basis, {a: (m, r) for a, m, r in zip(unique, multiples, rest, strict=True)})]

    def _absolute_values(self, atoms: list[Expr]) -> None:
        """``|x|`` and its powers: one generator for the rational ones, one for each other exponent."""
        orders: dict[Expr, int] = {}
        for atom in atoms:
            exponent = atom.exp if isinstance(atom, Pow) else S.One
            if isinstance(exponent, Rational):
                base = _base(atom)
                orders[base] = lcm(orders.get(base, 1), int(exponent.q))
        for base, n in orders.items():
            if n > RATIONAL_ROOT_LIMIT:
                raise Unhandled(f"a root of order {n}")
            self._polynomial(base.args[0])
            symbol = self._add("abs", base.args[0], Rational(1, n))[0]
            for atom in atoms:
                exponent = atom.exp if isinstance(atom, Pow) else S.One
                if _base(atom) == base and isinstance(exponent, Rational):
                    self._table[atom] = symbol ** (exponent * n)
        for atom in atoms:
            if atom not in self._table:
                self._polynomial(atom.base.args[0])
                self._table[atom] = self._add("abs", atom.base.args[0], atom.exp)[0]

    def _powers(self, atoms: list[Expr]) -> None:
        roots: dict[Expr, int] = {}
        for atom in atoms:
            if isinstance(atom.exp, Rational):
                roots[atom.base] = lcm(roots.get(atom.base, 1), int(atom.exp.q))
        for base, n in roots.items():
            if n > RATIONAL_ROOT_LIMIT:
                raise Unhandled(f"a root of order {n}")
            self._polynomial(base)
            roots_symbol = self._add("power", base, Rational(1, n))[0]
            for atom in atoms:
                if atom.base == base and isinstance(atom.exp, Rational):
                    self._table[atom] = roots_symbol ** (atom.exp * n)
        for atom in atoms:
            if atom not in self._table:
                self._symbolic_power(atom)

    def _symbolic_power(self, atom: Expr) -> None:
        self._polynomial(atom.base)
        constant, rest = atom.exp.as_coeff_Add()
        multiple, unit = rest.as_coeff_Mul()
        for known in self.generators:
            if known.kind != "power" or known.argument != atom.base or known.root is not None:
                continue
            ratio = (unit * multiple / known.exponent) if known.exponent != 0 else S.NaN
            if isinstance(ratio, Integer) and isinstance(constant, Integer):
                self._table[atom] = known.symbols[0] ** ratio * atom.base**constant
                place = self.generators.index(known)
                self.generators[place] = replace(known, uses=(*known.uses, (int(ratio), int(constant))))
                return
        if not isinstance(constant, Integer):
            constant, rest = S.Zero, atom.exp
        symbol = self._add("power", atom.base, rest)[0]
        self.generators[-1] = replace(self.generators[-1], uses=((1, int(constant)),))
        self._table[atom] = symbol * atom.base**constant

    def _single(self, atom: Expr) -> None:
        argument = atom.args[0]
        self._polynomial(argument)
        if isinstance(atom, log):
            self._table[atom] = self._add("log", argument)[0]
        elif isinstance(atom, ODD_FUNCTIONS):
            self._table[atom] = self._add("odd", argument, None, atom.func)[0]
        else:
            raise Unhandled(f"the function {atom.func.__name__} of the state")


def _base(atom: Expr) -> Expr:
    return atom.base if isinstance(atom, Pow) else atom


def _collect(expression: Expr, state: Symbol, atoms: list[Expr]) -> None:
    """All non-rational subexpressions in which the state occurs, outermost first."""
    if not expression.has(state) or isinstance(expression, Symbol):
        return
    if isinstance(expression, Add | Mul):
        for argument in expression.args:
            _collect(argument, state, atoms)
    elif isinstance(expression, Pow) and isinstance(expression.exp, Integer):
        _collect(expression.base, state, atoms)
    elif expression not in atoms:
        if isinstance(expression, Pow) and expression.exp.has(state):
            raise Unhandled("the state in both base and exponent")
        atoms.append(expression)


def multiple_angle(pair: Sequence[Symbol], n: int) -> tuple[Expr, Expr]:
    """(sin, cos)(n x) from the symbols for (sin, cos)(x), expanded."""
    s, c = pair
    sine, cosine = S.Zero, S.One
    for _ in range(abs(n)):
        sine, cosine = (sine * c + cosine * s).expand(), (cosine * c - sine * s).expand()
    return (sine if n >= 0 else -sine), cosine


def add_angle(s1: Expr, c1: Expr, s2: Expr, c2: Expr) -> tuple[Expr, Expr]:
    return s1 * c2 + c1 * s2, c1 * c2 - s1 * s2
