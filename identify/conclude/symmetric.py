"""Symmetric functions over the discrete branches of a compatible set."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from operator import mul

from sympy import Abs, Add, Expr, Mul, Pow, Rational, S, Symbol, cos, pi, sqrt

from identify.algebra.ring import Fraction, NotPolynomial, Ring
from identify.conclude.form import has_root, positive_lead, tidy
from identify.orbit.branch import LAMBDA, TAU, Branch
from identify.orbit.compatible import CompatibleSet
from identify.orbit.equality import same
from identify.orbit.real import Realness


@dataclass(frozen=True)
class Symmetric:
    """Candidates for invariants, and a set of them that is known to separate (empty if none is)."""

    candidates: tuple[Expr, ...]
    separating: tuple[Expr, ...] = ()


def symmetrised(functions: list[Expr], compatible: CompatibleSet) -> Symmetric:
    """Functions unchanged on every branch: the given ones where they are, else symmetric functions."""
    # the branch of the identity too, where it runs through all multiples of a period
    branches = [r.branch for r in compatible.branches if not r.branch.identity or r.branch.integers]
    rooted = any(has_root(f) for f in functions)
    branches += [b for r in compatible.branches for b in _reflection(r, rooted)]
    kept: list[Expr] = []
    changed: list[Expr] = []
    for f in functions:
        images = [f.xreplace(b.parameters) for b in branches]
        (kept if all(same(f, image) for image in images) else changed).append(f)
    countable = [f for f in changed if any(_depends_on_integers(f, b) for b in branches)]
    kept += [c for f in countable for c in _periodic(f, branches)]
    changed = [f for f in changed if f not in countable]
    if not changed:
        return Symmetric(tuple(kept))
    plain = [b for b in branches if not b.algebraic]
    numbers = [b for b in branches if len(b.algebraic) == 1]
    orbit = _distinct(changed, plain)
    values = [[row[j] for row in orbit] for j in range(len(changed))]
    if numbers:
        kept += [
            c for f, column in zip(changed, values, strict=True) for c in _over_roots(f, column, numbers)
        ]
        return Symmetric(tuple(kept))
    base = tuple(kept) if not countable else ()
    whole = _distinct(changed, [*plain, *_conjugates(compatible)])  # as many as the equations have solutions
    columns = [[row[j] for row in whole] for j in range(len(changed))]
    for column in [*values, *(columns if len(whole) > len(orbit) else [])]:
        kept += _elementary(_different(column))
    for first, second in combinations(range(len(changed)), 2):
        mixed = [a * b for a, b in zip(values[first], values[second], strict=True)]
        kept += _elementary(_different(mixed))[:1]
    finite = compatible.dimensions is not None and compatible.dimensions.orbit == 0
    exact = interpolants(values) if finite else []
    # conditional branches need not form a group, so each candidate is tried on every branch
    kept = [f for f in kept if all(_unchanged(f, b) for b in plain)]
    if any(not _unchanged(f, b) for f in exact for b in plain):
        exact = []
    return Symmetric((*kept, *exact), (*base, *exact) if exact and not countable else ())


def _conjugates(compatible: CompatibleSet) -> list[Branch]:
    """Branches with square roots that were dropped, as conjugates of others."""
    return [
        b
        for b in compatible.dropped
        if not b.algebraic and not b.integers and any(has_root(e) for e in b.parameters.values())
    ]


def _different(values: list[Expr]) -> list[Expr]:
    """The values without repetitions, which the branches permute as well."""
    found: list[Expr] = []
    for value in values:
        if not any(same(value, other) for other in found):
            found.append(value)
    return found


def interpolants(values: list[list[Expr]]) -> list[Expr]:
    """Symmetric functions that separate the rows: for a column r of distinct values, the elementary
    ones of r and, for every other column f, the sums of ``r**m * f`` (they give f as a polynomial in r).
    """
    choices: list[list[Expr]] = []
    for column in values:
        count = len(column)
        if count > 6 or any(same(a, b) for a, b in combinations(column, 2)):
            continue
        found = _elementary(column)
        for other in values:
            if other is not column:
                sums = (Add(*(r**m * f for r, f in zip(column, other, strict=True))) for m in range(count))
                found += [positive_lead(tidy(e)) for s in sums if (e := rational_form(s)).free_symbols]
        choices.append(list(dict.fromkeys(found)))
    return min(choices, key=lambda c: len(str(c)), default=[])


def _periodic(function: Expr, branches: list[Branch]) -> list[Expr]:
    """``cos(2*pi*f/P)`` for a function that the branches move by multiples of P."""
    for branch in branches:
        image = function.xreplace(branch.parameters)
        for n in branch.integers:
            period = image.diff(n).cancel()
            if period != 0 and not period.has(n):
                candidate = cos((2 * pi * function / period).cancel())
                if all(_unchanged(candidate, b) for b in branches):
                    return [candidate]
    return []


def _unchanged(function: Expr, branch: Branch) -> bool:
    start = {s: S.Zero if s == TAU else S.One for s in branch.free}
    image = function.xreplace(branch.parameters).xreplace(start)
    return all(same(function, image.xreplace({n: S(k) for n in branch.integers})) for k in (0, 1, 2))


def _depends_on_integers(function: Expr, branch: Branch) -> bool:
    return bool(function.xreplace(branch.parameters).free_symbols & set(branch.integers))


def _distinct(functions: list[Expr], branches: list[Branch]) -> list[list[Expr]]:
    """The different tuples of values that the functions take over the branches, the truth first."""
    rows = [list(functions)]
    for branch in branches:
        start = {s: S.Zero if s == TAU else S.One for s in branch.free}
        row = [f.xreplace(branch.parameters).xreplace(start) for f in functions]
        if not any(all(same(a, b) for a, b in zip(row, other, strict=True)) for other in rows):
            rows.append(row)
    return rows


def _reflection(realness: Realness, rooted: bool) -> list[Branch]:
    """The reflected maps of a branch that depends on |lambda|, as a branch of their own.

    A function with a root was found for positive lambda, so ``rooted`` ones must be tried on them too.
    """
    branch = realness.branch
    apart = any(e.has(Abs(LAMBDA)) for e in branch.parameters.values()) or (rooted and LAMBDA in branch.free)
    if not apart or realness.facts.sign(LAMBDA) == "+":
        return []
    return [branch.substitute({LAMBDA: S.NegativeOne})]


def _over_roots(function: Expr, values: list[Expr], rooted: list[Branch]) -> list[Expr]:
    """Coefficients of the polynomial whose roots are the values on all branches, conjugates included."""
    x = Symbol("_x", real=True)
    images = []
    for branch in rooted:
        start = {s: S.Zero if s == TAU else S.One for s in branch.free}
        images.append(
            (function.xreplace(branch.parameters).xreplace(start), *next(iter(branch.algebraic.items())))
        )
    used = {x}.union(*(v.free_symbols for v in values), *(e.free_symbols for i in images for e in i))
    ring = Ring(sorted(used, key=str))
    try:
        total = reduce(mul, (ring.fraction(x - v).numerator for v in values))
        for value, root, minimal in images:
            image = ring.fraction(value)
            graph = image.denominator * ring.generator(x) - image.numerator
            total *= graph.resultant(ring.polynomial(minimal), str(ring.context.names()[ring.index[root]]))
    except NotPolynomial:
        return []
    parts = ring.coefficients(total, x)
    lead = parts.pop(max(parts))
    found = [Fraction(ring, c, lead).reduced() for _, c in sorted(parts.items(), reverse=True)]
    return [
        positive_lead(f.shortest())
        for f in found
        if not (f.numerator.is_constant() and f.denominator.is_constant())
    ]


def _elementary(values: list[Expr]) -> list[Expr]:
    """Elementary symmetric functions, constants and repetitions left out."""
    found = []
    for k in range(1, len(values) + 1):
        total = rational_form(Add(*(Mul(*subset) for subset in combinations(values, k))))
        if total.free_symbols:
            found.append(positive_lead(total))
    return found


def rational_form(expression: Expr) -> Expr:
    """The expression with square roots that cancel between conjugates removed."""
    roots = sorted((p for p in expression.atoms(Pow) if _halved(p.exp)), key=str)
    table: dict[Expr, Symbol] = {}
    for root in roots:
        symbol = table.setdefault(sqrt(root.base), Symbol(f"_r{len(table)}", real=True))
        expression = expression.xreplace({root: symbol ** int(2 * root.exp)})
    try:
        symbols = sorted(expression.free_symbols, key=str)
        ring = Ring(symbols)
        value = ring.fraction(expression)
        result = value.expression()
        for root, symbol in table.items():
            result = _even(ring, result, symbol, root.base)
        return result.cancel().factor() if not result.has(*table.values()) and result.is_Add else result
    except (NotPolynomial, ZeroDivisionError):
        return expression.xreplace({s: r for r, s in table.items()})


def _halved(exponent: Expr) -> bool:
    return isinstance(exponent, Rational) and exponent.q == 2


def _even(ring: Ring, expression: Expr, symbol: Symbol, radicand: Expr) -> Expr:
    """Replace even powers of the symbol; put the root back where odd ones remain."""
    numerator, denominator = expression.as_numer_denom()
    parts = []
    for part in (numerator, denominator):
        poly = part.as_poly(symbol)
        if poly is None or not part.has(symbol):
            parts.append(part)
            continue
        total = S.Zero
        for (power,), coefficient in poly.terms():
            total += coefficient * radicand ** (power // 2) * (sqrt(radicand) if power % 2 else 1)
        parts.append(total.expand())
    return (parts[0] / parts[1]).cancel()
