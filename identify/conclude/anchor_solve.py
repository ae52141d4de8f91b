"""The reports of a branch that agree with an anchor, in closed form.

Rational equations are factored and solved factor by factor; others are undone from the outside
(powers, logarithms) where the unknown occurs once.  What cannot be solved raises NotSolved, and the
caller falls back to ranks.  Known symbols (true parameters, anchored states) are generic: an expression
in them alone that is not identically zero counts as nonzero and is remembered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from sympy import (
    Abs,
    Add,
    Expr,
    Function,
    I,
    Integer,
    Mul,
    Pow,
    Rational,
    S,
    Symbol,
    atan,
    exp,
    log,
    sqrt,
    tan,
)

from identify.algebra.ring import NotPolynomial, Poly, Ring
from identify.conclude.anchor_exact import equal
from identify.orbit.branch import LAMBDA, Branch
from identify.orbit.facts import Facts

DEPTH = 4
Solved = tuple[Branch, dict[Symbol, Expr]]


class NotSolved(Exception):
    """The anchor's equation on this branch has no solution in closed form here."""


@dataclass
class Conditions:
    """Polynomials in known symbols that were taken to be nonzero."""

    found: list[Expr] = field(default_factory=list)

    def remember(self, expression: Expr) -> None:
        """Keep an expression that is not a number."""
        if expression.free_symbols and expression not in self.found:
            self.found.append(expression)


def oriented(branch: Branch) -> list[Branch]:
    """The branch without ``|lambda|``: once for each sign of lambda that it admits."""
    expressions = (*branch.parameters.values(), *branch.positive, *((branch.map,) if branch.map else ()))
    if not any(e.has(Abs(LAMBDA)) for e in expressions):
        return [branch]
    result = []
    for sign in (1, -1):
        table = {Abs(LAMBDA): Integer(sign) * LAMBDA}
        if any(e == -sign * LAMBDA for e in branch.positive):
            continue
        turned = replace(
            branch,
            parameters={p: e.xreplace(table) for p, e in branch.parameters.items()},
            map=None if branch.map is None else branch.map.xreplace(table),
            positive=(*dict.fromkeys((*(e.xreplace(table) for e in branch.positive), sign * LAMBDA)),),
            nonzero=tuple(e.xreplace(table) for e in branch.nonzero),
        )
        result.append(replace(turned, identity=branch.identity and sign == 1))
    return result


def solve_anchor(
    branch: Branch, left: Expr, right: Expr, facts: Facts, conditions: Conditions
) -> list[Branch]:
    """All sub-branches on which ``left = right``."""
    return [found for found, _ in _Equation(branch, facts, conditions).solve(left, right, 0)]


class _Equation:
    def __init__(self, branch: Branch, facts: Facts, conditions: Conditions) -> None:
        self.branch, self.facts, self.conditions = branch, facts, conditions
        self.unknown = (*branch.free, *branch.integers, *branch.algebraic)

    def solve(self, left: Expr, right: Expr, depth: int) -> Iterator[Solved]:
        if depth > DEPTH:
            raise NotSolved("too many cases")
        if not (left - right).has(*self.unknown) if self.unknown else True:
            if _is_zero(left - right, self.conditions):
                yield self.branch, {}
            return
        try:
            ring, numerator = _numerator(left - right, self.unknown)
        except NotPolynomial:
            yield from self._peel(left, right)
            return
        if numerator.is_zero():
            yield self.branch, {}
            return
        for factor in ring.ring.factors(numerator):
            used = [s for s in self.unknown if s in ring.ring.variables(factor)]
            if used:
                yield from self._factor(ring, factor, used, depth)
            else:
                self.conditions.remember(ring.expression(factor))

    # -- rational equations -----------------------------------------------------------------------

    def _factor(self, ring: _Frozen, factor: Poly, used: list[Symbol], depth: int) -> Iterator[Solved]:
        if any(_proportional(ring.expression(factor), e) for e in self.branch.nonzero):
            return
        for symbol in sorted(used, key=lambda s: (ring.ring.degree(factor, s), s != LAMBDA)):
            if symbol in self.branch.algebraic:
                continue
            parts = {k: ring.expression(c) for k, c in ring.ring.coefficients(factor, symbol).items()}
            degree = max(parts)
            if degree == 1:
                yield from self._linear(symbol, parts, depth)
                return
            if symbol in self.branch.integers:
                continue
            roots = self._roots(parts, degree)
            if roots is not None:
                for value, positive in roots:
                    yield self.put(symbol, value, positive)
                return
        if all(s in self.branch.algebraic for s in used) and len(used) == 1:
            minimal = ring.frozen(self.branch.algebraic[used[0]])
            if minimal is not None and not ring.resultant(factor, minimal, used[0]).is_zero():
                return
        raise NotSolved("a polynomial equation of higher degree remains")

    def _linear(self, symbol: Symbol, parts: dict[int, Expr], depth: int) -> Iterator[Solved]:
        slope, rest = parts[1], parts.get(0, S.Zero)
        if symbol in self.branch.integers:
            yield from self._integer(symbol, -rest / slope)
            return
        if slope.has(*self.unknown):
            for special, table in self.solve(slope, S.Zero, depth + 1):
                again = _Equation(special, self.facts, self.conditions)
                yield from again.solve(rest.xreplace(table), S.Zero, depth + 1)
        else:
            self.conditions.remember(slope)
        yield self.put(symbol, -rest / slope, (), slope)

    def _integer(self, symbol: Symbol, value: Expr) -> Iterator[Solved]:
        """An integer symbol must take an integer: a number decides, anything else is not one generically."""
        value = value.cancel()
        if value.has(*(s for s in self.unknown if s != symbol)):
            raise NotSolved("an integer depends on another unknown")
        if value.is_Integer:
            yield self.put(symbol, value, ())

    def _roots(self, parts: dict[int, Expr], degree: int) -> list[tuple[Expr, tuple[Expr, ...]]] | None:
        if set(parts) <= {0, degree}:
            radicand = _tidy(-parts[0] / parts[degree])
            if degree % 2:
                return None
            sign = self.facts.sign(radicand)
            if sign in ("-", "<="):
                return []
            root = radicand ** Rational(1, degree)
            needed = () if sign == "+" else (radicand,)
            return [(root, needed), (-root, needed)]
        if degree == 2:
            a, b, c = (parts.get(k, S.Zero) for k in (2, 1, 0))
            discriminant = _tidy(b**2 - 4 * a * c)
            sign = self.facts.sign(discriminant)
            if sign == "-":
                return []
            needed = () if sign == "+" else (discriminant,)
            return [((-b + s * sqrt(discriminant)) / (2 * a), needed) for s in (1, -1)]
        return None

    # -- other equations --------------------------------------------------------------------------

    def _peel(self, left: Expr, right: Expr) -> Iterator[Solved]:
        for symbol in sorted(self.branch.free, key=lambda s: s != LAMBDA):
            if symbol not in left.free_symbols or symbol in right.free_symbols:
                continue
            found = self._undone(left, right, symbol)
            if found == "never":
                return
            if isinstance(found, tuple):
                yield self.put(symbol, found[0], found[1])
                return
        raise NotSolved("a transcendental equation remains")

    def _undone(self, left: Expr, right: Expr, symbol: Symbol) -> tuple[Expr, tuple[Expr, ...]] | str | None:
        """``symbol = value`` by undoing the outermost operation of ``left`` until the symbol is bare."""
        positive: list[Expr] = []
        while left != symbol:
            inner = [a for a in left.args if a.has(symbol)]
            if len(inner) != 1:
                return None
            rest = [a for a in left.args if not a.has(symbol)]
            if isinstance(left, Add):
                right = right - Add(*rest)
            elif isinstance(left, Mul):
                right = right / Mul(*rest)
            elif isinstance(left, Pow) and not left.exp.has(symbol):
                if left.exp.is_Integer and left.exp % 2 == 0:
                    return None
                if not (left.exp.is_Integer and left.exp % 2):
                    sign = self.facts.sign(right)
                    if sign in ("-", "<=", "0"):
                        return "never"
                    if sign != "+":
                        positive.append(right)
                right = right ** (1 / left.exp)
            elif isinstance(left, exp):
                if self.facts.sign(right) in ("-", "0", "<="):
                    return "never"
                right = log(right)
            elif isinstance(left, log):
                right = exp(right)
            elif isinstance(left, atan):
                right = tan(right)
            else:
                return None
            left = inner[0]
        return right, tuple(positive)

    # -- the result -------------------------------------------------------------------------------

    def put(
        self, symbol: Symbol, value: Expr, positive: Sequence[Expr], nonzero: Expr | None = None
    ) -> Solved:
        """The branch with the symbol replaced, and the replacement."""
        table = {symbol: _tidy(value)}
        at = self.branch.substitute(table)
        made = replace(
            at,
            map=at.map if at.map is None or at.map == self.branch.map else _tidy(at.map),
            integers=tuple(n for n in self.branch.integers if n != symbol),
            algebraic={s: e.xreplace(table) for s, e in self.branch.algebraic.items()},
            positive=(*at.positive, *positive),
            nonzero=(
                *(e for e in at.nonzero if e.free_symbols),
                *((nonzero,) if nonzero is not None and nonzero.has(*self.unknown) else ()),
            ),
        )
        return made, table


def tidied(branch: Branch) -> Branch:
    """The branch with its expressions in lowest terms; the search leaves that to the few that are shown."""
    return replace(
        branch,
        scale=None if branch.scale is None else _tidy(branch.scale),
        shift=None if branch.shift is None else _tidy(branch.shift),
        parameters={p: _tidy(e) for p, e in branch.parameters.items()},
    )


@dataclass(frozen=True)
class _Frozen:
    """A ring in which irrational expressions of known symbols stand as symbols of their own."""

    ring: Ring
    names: dict[Expr, Symbol]

    def expression(self, poly: Poly) -> Expr:
        back = {s: e for e, s in self.names.items()}
        return self.ring.expression(poly).xreplace(back)

    def frozen(self, expression: Expr) -> Poly | None:
        try:
            return self.ring.polynomial(expression)
        except NotPolynomial:
            return None

    def resultant(self, a: Poly, b: Poly, symbol: Symbol) -> Poly:
        return a.resultant(b, str(self.ring.context.names()[self.ring.index[symbol]]))


def _numerator(expression: Expr, unknown: Sequence[Symbol]) -> tuple[_Frozen, Poly]:
    names: dict[Expr, Symbol] = {}
    lifted = _freeze(expression, names, set(unknown))
    symbols = sorted(lifted.free_symbols | set(unknown), key=lambda s: s.name)
    frozen = _Frozen(Ring(symbols), names)
    return frozen, frozen.ring.fraction(lifted).numerator


def _freeze(e: Expr, names: dict[Expr, Symbol], unknown: set[Symbol]) -> Expr:
    if isinstance(e, Symbol | Rational):
        return e
    if isinstance(e, Add | Mul):
        return e.func(*(_freeze(a, names, unknown) for a in e.args))
    if isinstance(e, Pow) and isinstance(e.exp, Integer):
        return _freeze(e.base, names, unknown) ** e.exp
    if e.free_symbols & unknown:
        raise NotPolynomial(str(e))
    return names.setdefault(e, Symbol(f"_frozen{len(names)}", real=True))


def _is_zero(expression: Expr, conditions: Conditions) -> bool:
    if expression == 0:
        return True
    if expression.is_rational_function() and not expression.has(Function, I):
        frozen, numerator = _numerator(expression, ())
        if numerator.is_zero():
            return True
        if not frozen.names:
            for factor in frozen.ring.factors(numerator):
                conditions.remember(frozen.expression(factor))
            return False
    if equal(expression, S.Zero):
        return True
    conditions.remember(expression)
    return False


def _tidy(expression: Expr) -> Expr:
    """A rational expression in lowest terms, numerator and denominator factored."""
    if not expression.free_symbols or isinstance(expression, Symbol):
        return expression
    names: dict[Expr, Symbol] = {}
    lifted = _freeze(expression, names, set())
    ring = Ring(sorted(lifted.free_symbols, key=lambda s: s.name))
    try:
        fraction = ring.fraction(lifted)
    except (NotPolynomial, ZeroDivisionError):
        return expression
    top = fraction.numerator
    written = ring.factored(top) if len(top.to_dict()) > 1 else ring.expression(top)
    back = {s: e for e, s in names.items()}
    return (written / ring.factored(fraction.denominator)).xreplace(back)


def _proportional(a: Expr, b: Expr) -> bool:
    return bool(a == b or a == -b)
