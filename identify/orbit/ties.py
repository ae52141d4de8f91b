"""Parameters inside functions: ``exp(-k)`` beside ``k``, ``sin(p)`` and ``cos(p)``.

Such a function of the parameters becomes a symbol of its own, tied to the parameters by the value of
the function.  The orbit equations are solved with the symbol independent of the parameters; what the
tie then demands of a solution is found by ``settle``.  Every function here is invertible, up to the
choice of an angle.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil, floor, gcd, lcm

from sympy import (
    Expr,
    Integer,
    Mul,
    Pow,
    Rational,
    S,
    Symbol,
    acos,
    asin,
    asinh,
    atan,
    cos,
    cosh,
    cot,
    coth,
    csc,
    csch,
    exp,
    expand_trig,
    log,
    pi,
    sec,
    sech,
    sin,
    sinh,
    tan,
    tanh,
)

from identify.orbit.closing import Open, Transcendental
from identify.orbit.equality import same
from identify.orbit.generators import Unhandled, multiple_angle

_HYPERBOLIC = (sinh, cosh, tanh, coth, sech, csch)
_RECIPROCAL: dict[type[Expr], type[Expr]] = {cot: tan, sec: cos, csc: sin}
_INVERSE: dict[type[Expr], type[Expr]] = {exp: log, log: exp, atan: tan, asin: sin, asinh: sinh}
Interval = tuple[Expr, Expr]


@dataclass(frozen=True)
class Tie:
    """``symbol = function(argument)`` with an argument that is rational in the parameters.

    ``half``: the tangent of half the argument instead, of which sine and cosine are rational.
    ``range`` is where declared bounds put the argument.
    """

    symbol: Symbol
    function: type[Expr]
    argument: Expr
    half: bool = False
    range: Interval | None = None

    def at(self, argument: Expr) -> Expr:
        """The value that the symbol has for an argument."""
        return self.function(argument / 2) if self.half else self.function(argument)

    def arguments(self, value: Expr, turn: Symbol) -> Iterator[Expr]:
        """All arguments at which the symbol has the value; ``turn`` stands for any integer."""
        if self.function in _INVERSE:
            yield self.argument if value == self.symbol else _INVERSE[self.function](value)
            return
        for angle, inside in self._angles(value):
            for n in self._turns(inside, self.period, turn):
                yield angle + self.period * n

    @property
    def period(self) -> Expr:
        """The period of the symbol in its argument."""
        return pi if self.function is tan and not self.half else 2 * pi

    def without_turns(self, argument: Expr, turn: Symbol) -> Expr:
        """The argument without the whole periods in it (SymPy reduces tan(x + pi*n - pi/2) wrongly)."""
        whole = self.function not in _INVERSE and (argument.diff(turn) / self.period).is_Integer
        return argument.xreplace({turn: S.Zero}) if whole else argument

    def _angles(self, value: Expr) -> Iterator[tuple[Expr, Interval | None]]:
        """Angles with the value, one for each class modulo the period, and where they lie."""
        a, s, where = self.argument, self.symbol, self.range
        mirrored = None if where is None else (-where[1], -where[0])
        turned = None if mirrored is None else (pi + mirrored[0], pi + mirrored[1])
        back = None if where is None else (where[0] - pi, where[1] - pi)
        if self.half:
            known = {s: (a, where), -s: (-a, mirrored), 1 / s: (pi - a, turned), -1 / s: (a - pi, back)}
            yield known.get(value, (2 * atan(value), (-pi, pi)))
        elif self.function is tan:
            known = {s: (a, where), -s: (-a, mirrored)}
            yield known.get(value, (atan(value), (-pi / 2, pi / 2)))
        elif self.function is sin:
            known = {s: (a, where), -s: (-a, mirrored)}
            angle, inside = known.get(value, (asin(value), (-pi / 2, pi / 2)))
            yield angle, inside
            yield pi - angle, None if inside is None else (pi - inside[1], pi - inside[0])
        else:
            known = {s: (a, where), -s: (pi - a, turned)}
            angle, inside = known.get(value, (acos(value), (S.Zero, pi)))
            yield angle, inside
            yield -angle, None if inside is None else (-inside[1], -inside[0])

    def _turns(self, inside: Interval | None, period: Expr, turn: Symbol) -> list[Expr]:
        """The integers n for which the angle plus n periods can lie in the declared range."""
        if self.range is None or inside is None:
            return [turn]
        low, high = (self.range[0] - inside[1]) / period, (self.range[1] - inside[0]) / period
        return [Integer(n) for n in range(floor(low), ceil(high) + 1) if low < n < high]


@dataclass(frozen=True)
class Tied:
    """Functions in which every function of the parameters alone is a symbol."""

    functions: tuple[Expr, ...]
    ties: tuple[Tie, ...]

    @property
    def values(self) -> dict[Symbol, Expr]:
        """What the symbols stand for."""
        return {t.symbol: t.at(t.argument) for t in self.ties}


def tied(
    functions: Sequence[Expr], parameters: Iterable[Symbol], state: Symbol, bounds: dict[Symbol, Interval]
) -> Tied:
    """The functions with their ties; functions without an inverse here stay as they are."""
    known = frozenset(parameters)
    plain = tuple(_rewritten(f, known, state) for f in functions)
    groups: dict[tuple[object, Expr], dict[Expr, Rational]] = {}
    for atom in dict.fromkeys(a for f in plain for a in _atoms(f, known, state)):
        multiple, unit = atom.args[0].as_coeff_Mul(rational=True)
        if isinstance(atom, exp):
            groups.setdefault((exp, unit), {})[atom] = multiple
        elif isinstance(atom, sin | cos | tan):
            groups.setdefault(("circular", unit), {})[atom] = multiple
        else:
            groups.setdefault((atom.func, atom.args[0]), {})[atom] = S.One
    table: dict[Expr, Expr] = {}
    ties: list[Tie] = []
    for (kind, unit), atoms in groups.items():
        symbol = Symbol(f"_tie{len(ties)}", real=True)
        tie, values = _tie(kind, unit, atoms, symbol, bounds)
        ties.append(tie)
        table.update(values)
    return Tied(tuple(f.xreplace(table) for f in plain), tuple(ties))


def _tie(
    kind: object, unit: Expr, atoms: dict[Expr, Rational], symbol: Symbol, bounds: dict[Symbol, Interval]
) -> tuple[Tie, dict[Expr, Expr]]:
    """The tie of a group of functions of multiples of one argument, and the functions in its symbol."""
    function = next(iter(atoms)).func
    if kind not in (exp, "circular"):
        return Tie(symbol, function, unit), dict.fromkeys(atoms, symbol)
    step = Rational(gcd(*(int(m.p) for m in atoms.values())), lcm(*(int(m.q) for m in atoms.values())))
    argument, where = step * unit, _range(unit, bounds)
    inside = None if where is None else (step * where[0], step * where[1])
    if kind is exp:
        return Tie(symbol, function, argument), {a: symbol ** (m / step) for a, m in atoms.items()}
    if len(atoms) == 1:
        return Tie(symbol, function, argument, False, inside), dict.fromkeys(atoms, symbol)
    pair = (2 * symbol / (1 + symbol**2), (1 - symbol**2) / (1 + symbol**2))
    values = {}
    for atom, multiple in atoms.items():
        sine, cosine = multiple_angle((Symbol("_s"), Symbol("_c")), int(multiple / step))
        value = {sin: sine, cos: cosine, tan: sine / cosine}[atom.func]
        values[atom] = value.xreplace(dict(zip((Symbol("_s"), Symbol("_c")), pair, strict=True)))
    return Tie(symbol, tan, argument, True, inside), values


def _range(unit: Expr, bounds: dict[Symbol, Interval]) -> Interval | None:
    """Where declared bounds put the argument, for a parameter on its own."""
    return bounds.get(unit) if isinstance(unit, Symbol) else None


def settle(
    solution: Open, tie: Tie, hats: dict[Symbol, Symbol], true: dict[Symbol, Expr], turn: Symbol
) -> list[Expr]:
    """What is left to demand of a solution: nothing, or expressions of which one must vanish.

    ``hats`` are the reported symbols, ``true`` the values of tied symbols of the truth.  A symbol that is
    still free gets its value at once.
    """
    hat, argument = hats[tie.symbol], tie.argument.xreplace(hats)
    at = tie.without_turns(argument.xreplace(solution.values), turn)
    value = solution.value(hat)
    unknown = {*solution.free, *solution.algebraic}
    if value == hat:
        if at.has(hat):
            raise Transcendental("a transcendental equation for the parameters")
        solution.put({hat: tie.at(at)})
        return []
    if same(value.xreplace(true), tie.at(at).xreplace(true)):
        return []
    if at.free_symbols.isdisjoint(unknown):
        return [hat - (tie.symbol if at == tie.argument else tie.at(at))]
    if value.free_symbols.isdisjoint(unknown):
        return [argument - a for a in tie.arguments(value, turn)]
    raise Transcendental("a transcendental equation for the parameters")


def _rewritten(expression: Expr, known: frozenset[Symbol], state: Symbol) -> Expr:
    """Functions of the parameters alone written in exp, log, sin, cos, tan and inverse functions."""
    if not expression.args or expression.free_symbols.isdisjoint(known):
        return expression
    whole = expression.func(*(_rewritten(a, known, state) for a in expression.args))
    if whole.has(state):
        return whole
    if isinstance(whole, _HYPERBOLIC):
        return whole.rewrite(exp).expand(power_exp=True)
    if whole.func in _RECIPROCAL:
        return 1 / _rewritten(_RECIPROCAL[whole.func](whole.args[0]), known, state)
    if isinstance(whole, Pow) and not isinstance(whole.exp, Rational):
        whole = exp(whole.exp * log(whole.base))
    if isinstance(whole, exp):
        return whole.expand(power_exp=True)
    if isinstance(whole, sin | cos) and whole.args[0].is_Add:
        return expand_trig(whole)
    return whole


def _atoms(expression: Expr, known: frozenset[Symbol], state: Symbol) -> Iterator[Expr]:
    """The outermost functions of the parameters alone, of a rational argument."""
    if expression.free_symbols.isdisjoint(known):
        return
    handled = expression.func in _INVERSE or isinstance(expression, sin | cos | tan)
    if handled and not expression.has(state):
        if any(_unknown_function(e, known) for e in expression.args):
            raise Unhandled(f"a parameter inside {expression}")
        yield expression
        return
    for argument in expression.args:
        yield from _atoms(argument, known, state)


def _unknown_function(expression: Expr, known: frozenset[Symbol]) -> bool:
    """Whether an argument has a part with parameters that is not rational in them."""
    if expression.free_symbols.isdisjoint(known) or isinstance(expression, Symbol):
        return False
    rational = expression.is_Add or isinstance(expression, Mul)
    if not rational and not (isinstance(expression, Pow) and isinstance(expression.exp, Integer)):
        return True
    return any(_unknown_function(a, known) for a in expression.args)
