"""Syntax tree -> SymPy, with every bound checked before SymPy does the work.

The acceleration z'' is never a SymPy symbol: a ``Value`` carries its coefficient instead, so that
linearity in z'' holds by construction and a violation is found where it is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import NoReturn

from sympy import Add, E, Expr, I, Integer, Mul, Pow, Rational, S, log, nan, oo, zoo

from identify.errors import InputError
from identify.law.functions import FUNCTIONS
from identify.law.limits import Limits
from identify.law.probe import size, vanishes
from identify.law.tree import Node, walk

_GROWING = ("exp", "sinh", "cosh", "erfi")
_LARGEST_LOGARITHM = 500  # constants stay below exp(500), well inside what evalf can handle


_PRINTABLE_BITS = 13_000  # Python prints integers of up to 4300 digits


@dataclass(frozen=True)
class Value:
    """``rest + leading * z''``, with bounds on the total degree and on the number of nodes."""

    rest: Expr
    leading: Expr = S.Zero
    degree: int = 0
    size: int = 1


class Builder:
    """Builds the expressions of one text; ``names`` gives each name (and ``z'``) its meaning."""

    def __init__(self, text: str, names: Mapping[str, Expr], limits: Limits) -> None:
        self.text = text
        self.names = names
        self.limits = limits

    def expression(self, node: Node) -> Expr:
        """The SymPy expression of a tree without z''."""
        value = self.value(node)
        self.check_numbers(value.rest, node)
        return value.rest

    def check_numbers(self, expression: Expr, node: Node) -> None:
        """Refuse coefficients with too many digits, which Python would not even print."""
        if any(_bits(number) > _PRINTABLE_BITS for number in expression.atoms(Rational)):
            self._fail("the numbers in this expression are too large", node)

    def value(self, node: Node) -> Value:
        """The value of a tree, real and within the limits; raises InputError otherwise."""
        value: Value = getattr(self, f"_{node.shape}")(node)
        if value.degree > self.limits.degree:
            self._fail(f"the total degree exceeds {self.limits.degree}", node)
        if value.size > self.limits.size:
            self._fail("this expression is too large", node)
        return value

    def _number(self, node: Node) -> Value:
        return Value(Rational(node.value.numerator, node.value.denominator))

    def _name(self, node: Node) -> Value:
        meaning = self.names[node.text]
        return Value(meaning, degree=1 if meaning.free_symbols else 0)

    def _prime(self, node: Node) -> Value:
        if node.order == 2:
            return Value(S.Zero, S.One, 1)
        return Value(self.names[node.text + "'"], degree=1)

    def _negate(self, node: Node) -> Value:
        value = self.value(node.children[0])
        return Value(-value.rest, -value.leading, value.degree, value.size + 1)

    def _sum(self, node: Node) -> Value:
        values = [self.value(child) for child in node.children]
        rest, leading = Add(*(v.rest for v in values)), Add(*(v.leading for v in values))
        return Value(rest, leading, max(v.degree for v in values), sum(v.size for v in values))

    def _product(self, node: Node) -> Value:
        values = self._factors(node)
        degree, length = sum(v.degree for v in values), sum(v.size for v in values)
        rest = Mul(*(v.rest for v in values))
        holders = [i for i, v in enumerate(values) if v.leading != 0]
        if len(holders) > 1:
            self._nonlinear(node, 2)
        if not holders:
            return Value(rest, degree=degree, size=length)
        others = [v.rest for i, v in enumerate(values) if i != holders[0]]
        return Value(rest, Mul(values[holders[0]].leading, *others), degree, length)

    def _factors(self, node: Node) -> list[Value]:
        """The factors, with the sign of the first apart: SymPy would distribute -(a + b) over a sum
        but keeps -1*(a + b)*c, which is how it prints such a product itself."""
        first, *others = node.children
        if first.shape != "negate":
            return [self.value(child) for child in node.children]
        return [Value(S.NegativeOne), *(self.value(child) for child in (first.children[0], *others))]

    def _inverse(self, node: Node) -> Value:
        """One over the child, factor by factor, so that z/(2*(a + 1)) stays as it is printed."""
        child = node.children[0]
        parts = self._factors(child) if child.shape == "product" else [self.value(child)]
        if any(part.leading != 0 for part in parts):
            self._nonlinear(child)
        if any(vanishes(part.rest) for part in parts):
            self._fail("division by zero", child, "divide by something that is not zero")
        degree, length = sum(part.degree for part in parts), sum(part.size for part in parts)
        return Value(Mul(*(1 / part.rest for part in parts)), degree=degree, size=length + 1)

    def _power(self, node: Node) -> Value:
        base, exponent = (self._without_acceleration(child) for child in node.children)
        if base.rest is E:
            return self._exponential(exponent, node)
        if vanishes(base.rest) and not exponent.rest.is_positive:
            self._fail("zero to a power that is not positive", node, "write the number that is meant")
        degree = self._power_degree(base, exponent, node)
        result = self._real(Pow(base.rest, exponent.rest), node)
        return Value(result, degree=degree, size=base.size + exponent.size)

    def _power_degree(self, base: Value, exponent: Value, node: Node) -> int:
        if not exponent.rest.is_Rational:
            self._check_constant_power(base.rest, exponent.rest, node)
            return base.degree + exponent.degree
        self._check_rational_power(base.rest, exponent.rest, node)
        degree: int = max(base.degree, ceil(base.degree * abs(exponent.rest)))
        if degree > self.limits.degree:
            self._fail(f"the total degree exceeds {self.limits.degree}", node)
        return degree

    def _check_rational_power(self, base: Expr, exponent: Rational, node: Node) -> None:
        limit = self.limits.exponent
        if abs(exponent) > limit or exponent.q > self.limits.denominator:
            self._fail(f"the exponent is too large: the limit is {limit}", node.children[1])
        bits = sum(_bits(number) for number in base.atoms(Rational))
        if bits * abs(exponent) > 4 * self.limits.power_digits:
            self._fail("this power is too large a number", node)

    def _check_constant_power(self, base: Expr, exponent: Expr, node: Node) -> None:
        if base.free_symbols or exponent.free_symbols:
            return
        if size(exponent) * max(abs(size(log(abs(base)))), 1) > _LARGEST_LOGARITHM:
            self._fail("this power is too large a number", node)

    def _call(self, node: Node) -> Value:
        argument = self._without_acceleration(node.children[0])
        if node.text == "exp":
            return self._exponential(argument, node)
        if node.text in _GROWING:
            self._check_growth(argument.rest, node)
        size = 2 * argument.size + 4 if node.text == "cbrt" else argument.size + 1
        if size > self.limits.size:
            self._fail("this expression is too large", node)
        result = self._real(FUNCTIONS[node.text](argument.rest), node)
        return Value(result, degree=argument.degree, size=size)

    def _exponential(self, argument: Value, node: Node) -> Value:
        """``exp(n*log(x))`` is ``x**n`` for SymPy, so the exponent's bound applies to n as well."""
        self._check_growth(argument.rest, node)
        largest = 1
        for term in Add.make_args(argument.rest):
            coefficient = abs(term.as_coeff_Mul()[0])
            if term.has(log) and coefficient > self.limits.exponent:
                self._fail(f"the exponent is too large: the limit is {self.limits.exponent}", node)
            largest = max(largest, ceil(coefficient)) if term.has(log) else largest
        if argument.degree * largest > self.limits.degree:
            self._fail(f"the total degree exceeds {self.limits.degree}", node)
        result = self._real(FUNCTIONS["exp"](argument.rest), node)
        return Value(result, degree=argument.degree * largest, size=argument.size + 1)

    def _check_growth(self, argument: Expr, node: Node) -> None:
        if not argument.free_symbols and size(argument) > _LARGEST_LOGARITHM:
            self._fail("this number is too large", node)

    def _without_acceleration(self, node: Node) -> Value:
        value = self.value(node)
        if value.leading != 0:
            self._nonlinear(node)
        return value

    def _real(self, expression: Expr, node: Node) -> Expr:
        if expression.has(zoo, oo, -oo, nan):
            self._fail(f"{self._source(node)} is infinite or undefined", node, "write a finite number")
        if expression.has(I) or expression.is_extended_real is False or _has_complex_root(expression):
            root = "write cbrt(...) for the real cube root"
            hint = root if node.shape == "power" else "write what is real wherever the law is used"
            self._fail(f"{self._source(node)} is not a real number", node, hint)
        return expression

    def _source(self, node: Node) -> str:
        written = self.text[node.start : node.end]
        return written if len(written) <= 40 else written[:37] + "..."

    def _nonlinear(self, node: Node, occurrence: int = 1) -> NoReturn:
        place = [part for part in walk(node) if part.order == 2][occurrence - 1]
        hint = f"{place.text}'' may only be multiplied by terms without it"
        self._fail(f"{place.text}'' must enter linearly", place, hint)

    def _fail(self, message: str, node: Node, hint: str = "write it smaller or simpler") -> NoReturn:
        raise InputError(message, self.text, node.start, hint)


def _has_complex_root(expression: Expr) -> bool:
    """Whether a fractional power of a negative number occurs, which SymPy splits off as (-1)**(1/3)."""
    return any(
        power.base.is_negative and power.exp.is_Rational and not power.exp.is_Integer
        for power in expression.atoms(Pow)
    )


def _bits(number: Rational) -> int:
    return int(number.p).bit_length() + int(number.q).bit_length()


def integer_constant(node: Node) -> int | None:
    """The value of a plain integer such as ``2`` or ``-3``, or None."""
    if node.shape == "negate":
        inside = integer_constant(node.children[0])
        return None if inside is None else -inside
    if node.shape == "number" and node.value.denominator == 1:
        return int(Integer(node.value.numerator))
    return None
