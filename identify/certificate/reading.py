"""Texts of the document turned into expressions, by the law parser alone.

Everything that reaches the checker passes here once: unknown names, unknown functions and
oversized trees are refused before anything is evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import mpmath
from sympy import DiracDelta, Expr, Integer, Symbol, diff, preorder_traversal

from identify.certificate.evaluation import Point, Unreadable, compiled, evaluate
from identify.errors import IdentifyError
from identify.law import read_expression

NODES_ALLOWED = 3000
NEAR_ZERO = mpmath.mpf(10) ** -9
COMPARISON = re.compile(r"(<=|>=|==|!=|<|>|=|≤|≥|≠)")
# The text is hostile: whatever reading it raises, it is refused.
REFUSALS = (
    IdentifyError,
    ArithmeticError,
    ValueError,
    TypeError,
    AttributeError,
    LookupError,
    RecursionError,
)
RELATIONS = {"≤": "<=", "≥": ">=", "≠": "!=", "=": "=="}


@dataclass(frozen=True)
class Comparison:
    """``expression relation 0`` with relation one of ``!= > >= ==``."""

    expression: Expr
    relation: str

    def holds(self, point: Point) -> bool:
        """Whether it holds at the point, ``!=`` with a margin and ``==`` within rounding."""
        value = evaluate(self.expression, point)
        tiny = mpmath.mpf(10) ** (-mpmath.mp.dps // 2)
        tests = {
            "!=": abs(value) > NEAR_ZERO,
            ">": value > tiny,
            ">=": value > -tiny,
            "==": abs(value) < tiny,
        }
        return bool(tests[self.relation])


@dataclass(frozen=True)
class Reader:
    """Reads expressions in a fixed set of symbols."""

    symbols: Mapping[str, Symbol]

    @classmethod
    def of(cls, symbols: Iterable[Symbol]) -> Reader:
        """The reader that knows exactly these symbols."""
        return cls({symbol.name: symbol for symbol in symbols})

    def with_names(self, names: Iterable[str]) -> Reader:
        """This reader with new real symbols; a name already taken is refused."""
        added: dict[str, Symbol] = {}
        for name in names:
            if name in self.symbols or name in added:
                raise Unreadable(f"the name {name[:40]!r} is used twice")
            added[name] = Symbol(name, real=True)
        return Reader({**self.symbols, **added})

    def expression(self, text: str) -> Expr:
        """The expression, checked to be one that can be evaluated."""
        expression = self._parsed(text)
        unknown = {s.name for s in expression.free_symbols} - set(self.symbols)
        if unknown:
            raise Unreadable(f"unknown names {sorted(unknown)[:5]} in {text[:60]!r}")
        own = expression.xreplace({s: self.symbols[s.name] for s in expression.free_symbols})
        return evaluable(own)

    def equation(self, text: str) -> Expr:
        """``lhs - rhs`` of an equation, or the expression itself where there is no equals sign."""
        sides = [self.expression(side) for side in re.split(r"==?", text)]
        if len(sides) > 2:
            raise Unreadable(f"not an equation: {text[:60]!r}")
        return sides[0] if len(sides) == 1 else sides[0] - sides[1]

    def comparisons(self, text: str) -> tuple[Comparison, ...]:
        """The comparisons of a chain such as ``0 < a < 1``."""
        pieces = [piece.strip() for piece in COMPARISON.split(text)]
        if len(pieces) < 3:
            raise Unreadable(f"not a condition: {text[:60]!r}")
        sides = [self.expression(piece) for piece in pieces[0::2]]
        signs = [RELATIONS.get(piece, piece) for piece in pieces[1::2]]
        return tuple(_compare(a, s, b) for a, s, b in zip(sides, signs, sides[1:], strict=False))

    def _parsed(self, text: str) -> Any:
        try:
            return read_expression(text, tuple(self.symbols))
        except REFUSALS as problem:
            first = (str(problem).splitlines() or [type(problem).__name__])[0]
            raise Unreadable(f"{text[:60]!r} cannot be read: {first[:120]}") from None


def evaluable(expression: Expr) -> Expr:
    """The expression itself, once it is known to be small and to have only known functions."""
    for count, _ in enumerate(preorder_traversal(expression)):
        if count > NODES_ALLOWED:
            raise Unreadable("an expression is too large")
    compiled(expression)
    return expression


def derivative(expression: Expr, *symbols: Symbol) -> Expr:
    """The derivative away from kinks, checked to be one that can be evaluated."""
    found = diff(expression, *symbols)
    return evaluable(found.replace(DiracDelta, lambda *_: Integer(0)) if found.has(DiracDelta) else found)


def _compare(left: Expr, sign: str, right: Expr) -> Comparison:
    if sign in ("<", "<="):
        return Comparison(right - left, ">" + sign[1:])
    return Comparison(left - right, sign)
