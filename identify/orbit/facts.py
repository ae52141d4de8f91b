"""Signs that the declared conditions decide.

``Facts.sign`` returns a sign only with a proof from the declared conditions: products, even powers,
exponentials, sums of like signs, declared polynomials up to a positive factor, definite quadratics,
sums that declared ones outweigh.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from sympy import (
    Abs,
    Add,
    Expr,
    Integer,
    Mul,
    Number,
    NumberSymbol,
    Pow,
    Rational,
    Symbol,
    cosh,
    exp,
)
from sympy import sign as sign_of

from identify.algebra.ring import NotPolynomial, Ring

Sign = Literal["+", "-", "0", ">=", "<=", "!=", "?"]

MOST_TERMS = 12  # of a sum whose sign is looked for beside other sums

_FLIP: dict[str, Sign] = {"+": "-", "-": "+", "0": "0", ">=": "<=", "<=": ">=", "!=": "!=", "?": "?"}


def times(a: Sign, b: Sign) -> Sign:
    """The sign of a product."""
    if "0" in (a, b):
        return "0"
    if "?" in (a, b):
        return "?"
    if "!=" in (a, b):
        return "!=" if {a, b} <= {"+", "-", "!="} else "?"
    strict = {a, b} <= {"+", "-"}
    negative = (a in ("-", "<=")) != (b in ("-", "<="))
    if strict:
        return "-" if negative else "+"
    return "<=" if negative else ">="


@dataclass(frozen=True)
class Facts:
    """Known signs of expressions: ``(expression, sign)``."""

    known: tuple[tuple[Expr, Sign], ...] = ()
    _cache: dict[Expr, Sign] = field(default_factory=dict, compare=False, repr=False)

    def with_signs(self, more: Iterable[tuple[Expr, Sign]]) -> Facts:
        """These facts and more."""
        return Facts(self.known + tuple(more))

    @cached_property
    def _table(self) -> dict[Expr, Sign]:
        table: dict[Expr, Sign] = {}
        implied = [pair for e, sign in self.known for pair in _implied_signs(e, sign)]
        for expression, sign in (*self.known, *implied):
            positive, key = _normal(expression)
            _merge(table, key, sign if positive else _FLIP[sign])
            for factor, _ in _factors(key):
                if sign in ("+", "-", "!=") and factor != key:
                    _merge(table, _normal(factor)[1], "!=")
        return table

    @cached_property
    def _products(self) -> dict[frozenset[Expr], Sign]:
        """Signs of products of factors whose own signs are not known."""
        table: dict[frozenset[Expr], Sign] = {}
        for expression, sign in self.known:
            outer, rest = self._odd_part(expression)
            if sign in (">=", "<=") and all(self._table.get(f) == "!=" for f in rest):
                sign = "+" if sign == ">=" else "-"
            if sign in ("+", "-") and len(rest) > 1:
                table[rest] = times(sign, outer)
        return table

    def _odd_part(self, expression: Expr) -> tuple[Sign, frozenset[Expr]]:
        """The sign of the factors that have one, and the other factors of odd exponent."""
        outer: Sign = "+"
        rest: set[Expr] = set()
        for factor, power in _factors(expression):
            if power % 2 == 0:
                continue
            positive, key = _normal(factor)
            found = self._table.get(key, "?") if not isinstance(key, Number) else "+"
            outer = outer if positive else _FLIP[outer]
            if found in ("+", "-"):
                outer = times(outer, found)
            else:
                rest ^= {key}
        return outer, frozenset(rest)

    def sign(self, expression: Expr) -> Sign:
        """A proven sign of the (real) expression; "?" where there is no proof."""
        if expression not in self._cache:
            self._cache[expression] = "?"  # while it is being worked out, nothing may rest on it
            found = self._sign(expression)
            if found in ("?", "!=") and self._products:
                outer, rest = self._odd_part(expression)
                found = times(outer, self._products[rest]) if rest in self._products else found
            self._cache[expression] = found
        return self._cache[expression]

    def _sign(self, e: Expr) -> Sign:
        if isinstance(e, Number | NumberSymbol):
            return "0" if e == 0 else ("+" if e > 0 else "-")
        if isinstance(e, exp | cosh):
            return "+"
        looked = self._lookup(e)
        return looked if looked in ("+", "-", "0") else both(looked, self._structural(e))

    def _structural(self, e: Expr) -> Sign:
        """The sign that follows from the signs of the parts."""
        if isinstance(e, Abs):
            return "+" if self.sign(e.args[0]) in ("+", "-", "!=") else ">="
        if isinstance(e, Mul):
            total: Sign = "+"
            for factor in e.args:
                total = times(total, self.sign(factor))
            return total
        if isinstance(e, Pow):
            return self._power(e)
        if isinstance(e, Add):
            return self._sum(e)
        return self._bounded(e) if isinstance(e, Symbol) else "?"

    def _bounded(self, symbol: Symbol) -> Sign:
        """``q - p > 0`` with p positive makes q positive."""
        for known, sign in self.known:
            if sign not in ("+", "-") or not known.has(symbol):
                continue
            slope = known.diff(symbol)
            if not isinstance(slope, Rational):
                continue
            lower = (known / slope - symbol).expand() * -1  # symbol - lower has a known sign
            above = (slope > 0) == (sign == "+")
            if above and self.sign(lower) in ("+", ">=", "0"):
                return "+"
            if not above and self.sign(lower) in ("-", "<=", "0"):
                return "-"
        return "?"

    def _lookup(self, e: Expr) -> Sign:
        positive, key = _normal(e)
        sign = self._table.get(key, "?")
        return sign if positive else _FLIP[sign]

    def _power(self, e: Expr) -> Sign:
        base = self.sign(e.base)
        if isinstance(e.exp, Integer):
            if e.exp % 2 == 0:
                return "+" if base in ("+", "-", "!=") else ">="
            return base
        if base == "+":
            return "+"
        if isinstance(e.exp, Rational) and e.exp > 0:
            return ">=" if base != "!=" else "+"  # a real root is not negative
        return "+" if isinstance(e.exp, Rational) else "?"

    def _sum(self, e: Expr) -> Sign:
        alike = self._alike([self.sign(t) for t in e.args])
        if alike != "?":
            return alike
        factors = _factors(e)
        if len(factors) > 1 or factors[0][1] != 1:
            total: Sign = "+"
            for factor, power in factors:
                total = times(total, self.sign(factor**power))
            return total
        for method in (self._quadratic, self._against_root, self._combined):
            found = method(e)
            if found != "?":
                return found
        return "?"

    def _against_root(self, e: Expr) -> Sign:
        """``A + c*sqrt(B)`` has the sign of A where A**2 > c**2*B, and that of c where A**2 < c**2*B."""
        roots = [p for p in e.atoms(Pow) if p.exp == Rational(1, 2)]
        if len(roots) != 1:
            return "?"
        root = Symbol("_root", positive=True)
        poly = e.xreplace({roots[0]: root}).as_poly(root)
        if poly is None or poly.degree() != 1:
            return "?"
        factor, rest = poly.all_coeffs()
        outer, inner = self.sign(rest), self.sign(factor)
        if not {outer, inner} & {"+", "-"}:
            return "?"
        larger = self.sign((rest**2 - factor**2 * roots[0].base).expand())
        found = {"+": outer, "-": inner}.get(larger, "?")
        return found if found in ("+", "-") else "?"

    def _combined(self, e: Expr) -> Sign:
        """``e = q*K + q'*K' + R`` with known signs of K and K', and all three of one sign."""
        terms = _terms(e)
        return "?" if len(terms) > MOST_TERMS else self._beside(terms, 2)

    def _beside(self, terms: dict[Expr, Rational], depth: int) -> Sign:
        """The sign of a sum of terms, after taking out multiples of ``depth`` known expressions."""
        found = self._alike([self.sign(c * m) for m, c in terms.items()])
        if found != "?" or depth == 0:
            return found
        for sign, known in self._known_sums:
            for monomial in terms.keys() & known.keys():
                factor = terms[monomial] / known[monomial]
                taken: Sign = sign if factor > 0 else _FLIP[sign]
                rest = self._beside(_less(terms, factor, known), depth - 1)
                found = self._alike([taken, rest])
                if found != "?":
                    return found
        return "?"

    @cached_property
    def _known_sums(self) -> list[tuple[Sign, dict[Expr, Rational]]]:
        sums = [(s, _terms(e)) for e, s in self.known if s in ("+", "-", ">=", "<=")]
        return [(s, terms) for s, terms in sums if 1 < len(terms) <= MOST_TERMS]

    @staticmethod
    def _alike(signs: list[Sign]) -> Sign:
        """The sign of a sum of terms that do not work against each other."""
        found = set(signs)
        if found <= {"0"}:
            return "0"
        if found <= {"+", ">=", "0"}:
            return "+" if "+" in found else ">="
        if found <= {"-", "<=", "0"}:
            return "-" if "-" in found else "<="
        return "?"

    def _quadratic(self, e: Expr) -> Sign:
        for symbol in sorted(e.free_symbols, key=str):
            poly = e.as_poly(symbol)
            if poly is None or poly.degree() != 2:
                continue
            a, b, c = (poly.coeff_monomial(symbol**k) for k in (2, 1, 0))
            if any(x.has(symbol) for x in (a, b, c)):
                continue
            discriminant = (b**2 - 4 * a * c).expand()
            if discriminant != e and not discriminant.has(symbol) and self.sign(discriminant) == "-":
                return self.sign(a)
        return "?"

    def implied(self, requirements: Iterable[tuple[Expr, Sign]], unknown: Iterable[Symbol]) -> Facts | None:
        """The facts with signs that the requirements force on unknown symbols; None if impossible."""
        facts, wanted = self, list(requirements)
        unknown = set(unknown)
        for _ in range(len(wanted) + 1):
            more: list[tuple[Expr, Sign]] = []
            for expression, required in wanted:
                found = facts.sign(expression)
                if _contradicts(found, required):
                    return None
                more += facts._forced(expression, required, unknown)
            fresh = [(s, sign) for s, sign in more if facts.sign(s) != sign]
            if not fresh:
                return facts
            facts = facts.with_signs(fresh)
        return facts

    def _forced(self, expression: Expr, required: Sign, unknown: set[Symbol]) -> list[tuple[Expr, Sign]]:
        """The sign of the one factor of unknown sign, where the other factors' signs are known."""
        if required not in ("+", "-"):
            return []
        rest: Sign = required
        open_factor: Expr | None = None
        for factor, power in _factors(expression):
            sign = self.sign(factor**power)
            if sign in ("+", "-"):
                rest = times(rest, sign)
            elif open_factor is None and isinstance(factor, Symbol) and factor in unknown and power % 2:
                open_factor = factor
            elif power % 2:
                return []
        return [(open_factor, rest)] if open_factor is not None else []


def _terms(expression: Expr) -> dict[Expr, Rational]:
    """Monomials with their rational coefficients; the expression as one term where it has others."""
    found = expression.expand().as_coefficients_dict()
    if not all(isinstance(c, Rational) for c in found.values()):
        return {expression: Rational(1)}
    return {m: c for m, c in found.items() if c != 0}


def _less(terms: dict[Expr, Rational], factor: Rational, other: dict[Expr, Rational]) -> dict[Expr, Rational]:
    """``terms - factor*other``, without the terms that cancel."""
    rest = dict(terms)
    for monomial, coefficient in other.items():
        rest[monomial] = rest.get(monomial, Rational(0)) - factor * coefficient
    return {m: c for m, c in rest.items() if c != 0}


def _merge(table: dict[Expr, Sign], key: Expr, sign: Sign) -> None:
    table[key] = both(table.get(key, "?"), sign)


def both(a: Sign, b: Sign) -> Sign:
    """What two true statements about one sign say together."""
    pair = {a, b}
    for definite in ("0", "+", "-"):
        if definite in pair:
            return definite
    if pair == {"!=", ">="}:
        return "+"
    if pair == {"!=", "<="}:
        return "-"
    if pair == {">=", "<="}:
        return "0"
    return b if a == "?" else a


def _implied_signs(expression: Expr, sign: Sign) -> list[tuple[Expr, Sign]]:
    """``x - c > 0`` with c >= 0 makes x positive; ``c - x > 0`` with c <= 0 makes it negative."""
    if sign not in ("+", ">=") or not isinstance(expression, Add):
        return []
    constant, rest = expression.as_coeff_Add()
    coefficient, symbol = rest.as_coeff_Mul()
    if not isinstance(symbol, Symbol) or constant > 0 or (constant == 0 and sign == ">="):
        return []
    return [(symbol, "+" if coefficient > 0 else "-")]


def _contradicts(found: Sign, required: Sign) -> bool:
    impossible = {
        "+": ("-", "0", "<="),
        "-": ("+", "0", ">="),
        ">=": ("-",),
        "<=": ("+",),
        "!=": ("0",),
        "0": ("+", "-", "!="),
    }
    return found in impossible.get(required, ())


def _normal(expression: Expr) -> tuple[bool, Expr]:
    """``(positive, key)``: the expression up to a nonzero rational factor, and that factor's sign."""
    ring, poly, thaw = _to_ring(expression)
    if ring is None or poly.is_zero():
        return True, expression
    lead = poly.leading_coefficient()
    primitive = poly / poly.content()
    if lead < 0:
        return False, ring.expression(-primitive).xreplace(thaw)
    return True, ring.expression(primitive).xreplace(thaw)


def _factors(expression: Expr) -> list[tuple[Expr, int]]:
    """Factors with exponents (numerator and denominator), a rational constant among them."""
    ring, poly, thaw = _to_ring(expression, fraction=True)
    if ring is None:
        return [(expression, 1)]
    result: list[tuple[Expr, int]] = []
    for part, orientation in ((poly.numerator, 1), (poly.denominator, -1)):
        if part.is_constant():
            result.append((ring.expression(part), orientation))
            continue
        constant, factors = part.factor()
        result.append((Integer(int(constant)), orientation))
        result += [(ring.expression(f).xreplace(thaw), orientation * int(k)) for f, k in factors]
    return [(f, k) for f, k in result if f != 1] or [(Integer(1), 1)]


def _to_ring(expression: Expr, fraction: bool = False):  # type: ignore[no-untyped-def]
    table: dict[Expr, Symbol] = {}
    lifted = _lift(expression, table)
    symbols = sorted(lifted.free_symbols, key=str)
    ring = Ring(symbols)
    try:
        value = ring.fraction(lifted)
    except (NotPolynomial, ZeroDivisionError):
        return None, None, {}
    thaw = {s: e for e, s in table.items()}
    if fraction:
        return ring, value, thaw
    if not value.denominator.is_constant():
        return None, None, {}
    return ring, value.numerator, thaw


def _lift(e: Expr, table: dict[Expr, Symbol]) -> Expr:
    """Non-rational parts as symbols."""
    if isinstance(e, Symbol | Rational):
        return e
    if isinstance(e, Add | Mul):
        return e.func(*(_lift(a, table) for a in e.args))
    if isinstance(e, Pow) and isinstance(e.exp, Integer):
        return _lift(e.base, table) ** e.exp
    return table.setdefault(e, Symbol(f"_a{len(table)}", real=True))


def resolve_absolute_values(expression: Expr, facts: Facts) -> Expr:
    """``|x|`` replaced by x or -x, and ``sign(x)`` by 1 or -1, where the facts decide the sign."""
    signs = {a: facts.sign(a.args[0]) for a in expression.atoms(sign_of)}
    values = {"+": Integer(1), "-": Integer(-1)}
    expression = expression.xreplace({a: values[s] for a, s in signs.items() if s in values})
    for atom in expression.atoms(Abs):
        found = facts.sign(atom.args[0])
        if found in ("+", ">="):
            expression = expression.xreplace({atom: atom.args[0]})
        elif found in ("-", "<="):
            expression = expression.xreplace({atom: -atom.args[0]})
    return expression
