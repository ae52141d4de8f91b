"""A short generating set of the functions of the parameters that every report agrees on.

First the invariants of the continuous part of the compatible set: monomials from the integer kernel
of the weights where the parameters only rescale, otherwise a moving frame (normalise some reported
parameters; the others become invariants).  Then symmetric functions over the discrete branches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import lcm

import mpmath
from sympy import Abs, Add, Expr, Mul, Pow, Rational, S, Symbol, cos, log, pi, sqrt

from identify.algebra.lattice import integer_kernel
from identify.algebra.ring import NotPolynomial, Ring
from identify.conclude.verdict import Verdict, keeps_sign, varies
from identify.orbit.branch import LAMBDA, TAU, Branch
from identify.orbit.compatible import CompatibleSet
from identify.orbit.equality import same
from identify.orbit.generators import polynomial_coefficients
from identify.orbit.infinitesimal import rank
from identify.orbit.real import Realness
from identify.orbit.sampling import Point, compiled, to_number


@dataclass(frozen=True)
class Invariants:
    """Generating functions; ``complete`` when their Jacobian has the full rank."""

    functions: tuple[Expr, ...]
    signs: tuple[Expr, ...]
    complete: bool


def invariants(compatible: CompatibleSet, verdicts: dict[Symbol, Verdict]) -> Invariants:
    """Invariants of the whole compatible set, in readable form."""
    identity = compatible.identity
    if identity is None or compatible.dimensions is None:
        return Invariants((), (), False)
    parameters = compatible.family.known
    point = compatible.filter.points[0]
    wanted = len(parameters) - compatible.dimensions.orbit
    continuous = continuous_invariants(identity.branch, parameters)
    if len(independent(continuous, parameters, point, wanted)) < wanted:
        continuous = [*continuous, *coefficient_invariants(identity.branch, compatible)]
    chosen = independent(symmetrised(continuous, compatible), parameters, point, wanted)
    signs = sign_invariants(compatible, verdicts)
    return Invariants(tuple(chosen), signs, len(chosen) == wanted)


# -- the continuous part --------------------------------------------------------------------------


def continuous_invariants(branch: Branch, parameters: Sequence[Symbol]) -> list[Expr]:
    """Functions constant along the free symbols of the branch, complete where a frame was found."""
    fixed = [p for p in parameters if not varies(branch.parameters[p], branch.free)]
    moving = [p for p in parameters if p not in fixed]
    weights = weight_rows(branch, moving)
    if weights is not None:
        return [*fixed, *_monomials(weights, moving)]
    symbolic = _symbolic_weights(branch, moving)
    if symbolic is not None:
        return [*fixed, *symbolic]
    return [*fixed, *_moving_frame(branch, moving), *_rotations(branch, moving)]


def weight_rows(branch: Branch, moving: Sequence[Symbol]) -> list[list[Rational]] | None:
    """Exponents: row j says how each moving parameter scales with the j-th free symbol."""
    rows = []
    for symbol in branch.free:
        row = []
        for p in moving:
            weight = _exponent(branch.parameters[p], symbol)
            if weight is None or not isinstance(weight, Rational):
                return None
            row.append(weight)
        if any(row):
            rows.append(row)
    return rows


def coefficient_invariants(branch: Branch, compatible: CompatibleSet) -> list[Expr]:
    """Monomials in the coefficients of the law, where these only rescale although the parameters do not."""
    family = compatible.family
    found: list[Expr] = []
    for _, channel in family.channels:
        try:
            parts = list(polynomial_coefficients(channel, family.state).values())
        except NotPolynomial:
            continue
        found += [p for p in parts if p.free_symbols and p not in found]
    table = {Symbol(f"_k{i}", real=True): c for i, c in enumerate(found)}
    images = {s: c.xreplace(branch.parameters) for s, c in table.items()}
    fixed = [c for s, c in table.items() if not varies(images[s], branch.free)]
    moving = [s for s, c in table.items() if c not in fixed]
    weights = weight_rows(replace(branch, parameters=images), moving)
    products = [] if weights is None else _monomials(weights, moving)
    return [_positive_lead(c) for c in (*fixed, *(_tidy(p.xreplace(table)) for p in products))]


def _exponent(expression: Expr, symbol: Symbol) -> Expr | None:
    """The exponent m in ``symbol**m`` (or ``exp(m*symbol)`` for a translation)."""
    if not expression.has(symbol):
        return S.Zero
    positive = Symbol("_p", positive=True)
    e = expression.xreplace({symbol: positive})
    factor = S.One if symbol == TAU else positive
    weight = (factor * e.diff(positive) / e).cancel()
    return None if weight.has(positive) else weight


def _monomials(rows: list[list[Rational]], moving: Sequence[Symbol]) -> list[Expr]:
    integer_rows = []
    for row in rows:
        scale = lcm(*(int(w.q) for w in row))
        integer_rows.append([int(w * scale) for w in row])
    kernel = integer_kernel(integer_rows, len(moving))
    return [_monomial(v, moving) for v in kernel]


def _monomial(vector: list[int], symbols: Sequence[Symbol]) -> Expr:
    """The monomial or its inverse, whichever has fewer symbols below the line."""
    below = sum(1 for x in vector if x < 0)
    above = sum(1 for x in vector if x > 0)
    last = next((x for x in reversed(vector) if x), 0)
    flip = below > above or (below == above and last < 0)
    return Mul(*(s ** (-x if flip else x) for s, x in zip(symbols, vector, strict=True)))


def _symbolic_weights(branch: Branch, moving: Sequence[Symbol]) -> list[Expr] | None:
    """One scale with exponents that depend on fixed parameters: ``a**w_b / b**w_a``."""
    used = [s for s in branch.free if any(branch.parameters[p].has(s) for p in moving)]
    if len(used) != 1:
        return None
    weights = [_exponent(branch.parameters[p], used[0]) for p in moving]
    if any(w is None or w.free_symbols & set(moving) for w in weights):
        return None
    reference, first = moving[0], weights[0]
    assert first is not None
    return [p**first / reference**w for p, w in zip(moving[1:], weights[1:], strict=True) if w is not None]


def _moving_frame(branch: Branch, moving: Sequence[Symbol]) -> list[Expr]:
    """Normalise reported parameters one by one; the rest become invariants."""
    values = {p: branch.parameters[p] for p in moving}
    free = [s for s in branch.free if any(e.has(s) for e in values.values())]
    free.sort(key=lambda s: (s == LAMBDA, s != TAU))
    for symbol in free:
        step = _normalisation(values, symbol)
        if step is not None:
            values = step
    return [_positive_lead(_tidy(e)) for e in values.values() if not e.free_symbols & set(branch.free)]


def _normalisation(values: dict[Symbol, Expr], symbol: Symbol) -> dict[Symbol, Expr] | None:
    """The other values once a reported parameter is set to a constant and solved for the free symbol."""
    best: tuple[int, dict[Symbol, Expr]] | None = None
    for parameter, expression in values.items():
        for solution in _solve_simple(expression, symbol):
            rest = {p: e.subs(symbol, solution) for p, e in values.items() if p != parameter}
            if any(e.has(S.ComplexInfinity, S.NaN, S.Infinity) or not e.free_symbols for e in rest.values()):
                continue
            size = int(solution.count_ops()) + sum(int(e.count_ops()) for e in rest.values())
            if best is None or size < best[0]:
                best = (size, rest)
    return None if best is None else best[1]


def _solve_simple(expression: Expr, symbol: Symbol) -> list[Expr]:
    """Values of the symbol at which the expression is a simple constant."""
    if not expression.has(symbol):
        return []
    slope = expression.diff(symbol).cancel()
    if not slope.has(symbol):
        rest = expression.xreplace({symbol: S.Zero})
        targets = (S.Zero,) if rest != 0 else (S.One, S.Zero, S(2), S.NegativeOne)
        return [((target - rest) / slope).cancel() for target in targets]
    weight = _exponent(expression, symbol)
    if weight is None:
        return []
    if symbol == TAU:
        return [-log(expression.xreplace({symbol: S.Zero})) / weight]
    return [Pow(expression.xreplace({symbol: S.One}), -1 / weight)]


def _rotations(branch: Branch, moving: Sequence[Symbol]) -> list[Expr]:
    """``a**2 + b**2`` for pairs that turn into each other."""
    found = []
    for a, b in combinations(moving, 2):
        candidate = branch.parameters[a] ** 2 + branch.parameters[b] ** 2
        if not varies(candidate, branch.free):
            found.append(a**2 + b**2)
    return found


def _tidy(expression: Expr) -> Expr:
    if not expression.is_rational_function():
        return expression
    plain = expression.cancel()
    return min((plain, plain.factor()), key=lambda e: len(str(e)))


# -- discrete branches ----------------------------------------------------------------------------


def symmetrised(functions: list[Expr], compatible: CompatibleSet) -> list[Expr]:
    """Functions unchanged on every branch: the given ones where they are, else symmetric functions."""
    branches = [r.branch for r in compatible.branches if not r.branch.identity]
    branches += [b for r in compatible.branches for b in _reflection(r)]
    kept: list[Expr] = []
    changed: list[Expr] = []
    for f in functions:
        images = [f.xreplace(b.parameters) for b in branches]
        (kept if all(same(f, image) for image in images) else changed).append(f)
    countable = [f for f in changed if any(_depends_on_integers(f, b) for b in branches)]
    kept += [c for f in countable for c in _periodic(f, branches)]
    changed = [f for f in changed if f not in countable]
    if not changed:
        return kept
    plain = [b for b in branches if not b.algebraic]
    rooted = [b for b in branches if len(b.algebraic) == 1]
    orbit = _distinct(changed, plain)
    values = [[row[j] for row in orbit] for j in range(len(changed))]
    if rooted:
        kept += [c for f, column in zip(changed, values, strict=True) for c in _over_roots(f, column, rooted)]
        return [f for f in kept if f.free_symbols]
    for column in values:
        kept += _elementary(column)
    for first, second in combinations(range(len(changed)), 2):
        mixed = [a * b for a, b in zip(values[first], values[second], strict=True)]
        kept += _elementary(mixed)[:1]
    return [f for f in kept if f.free_symbols]


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
    image = function.xreplace(branch.parameters)
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


def _reflection(realness: Realness) -> list[Branch]:
    """The reflected maps of a branch that depends on |lambda|, as a branch of their own."""
    branch = realness.branch
    if not any(e.has(Abs(LAMBDA)) for e in branch.parameters.values()) or realness.facts.sign(LAMBDA) == "+":
        return []
    return [branch.substitute({LAMBDA: S.NegativeOne})]


def _over_roots(function: Expr, values: list[Expr], rooted: list[Branch]) -> list[Expr]:
    """Coefficients of the polynomial whose roots are the values on all branches, conjugates included."""
    x = Symbol("_x", real=True)
    total = Mul(*(x - v for v in values))
    for branch in rooted:
        (root, minimal) = next(iter(branch.algebraic.items()))
        start = {s: S.Zero if s == TAU else S.One for s in branch.free}
        value = function.xreplace(branch.parameters).xreplace(start)
        try:
            ring = Ring(sorted(value.free_symbols | minimal.free_symbols | {x, root}, key=str))
            image = ring.fraction(value)
        except NotPolynomial:
            return []
        graph = image.denominator * ring.generator(x) - image.numerator
        name = str(ring.context.names()[ring.index[root]])
        total = total * ring.expression(graph.resultant(ring.polynomial(minimal), name))
    poly = rational_form(total).as_numer_denom()[0].as_poly(x)
    lead = poly.LC()
    return [
        _positive_lead(_tidy(c / lead)) for c in poly.all_coeffs()[1:] if (c / lead).cancel().free_symbols
    ]


def _elementary(values: list[Expr]) -> list[Expr]:
    """Elementary symmetric functions, constants and repetitions left out."""
    found = []
    for k in range(1, len(values) + 1):
        total = rational_form(Add(*(Mul(*subset) for subset in combinations(values, k))))
        if total.free_symbols:
            found.append(_positive_lead(total))
    return found


def _positive_lead(expression: Expr) -> Expr:
    """The expression without a constant factor, and with a plus sign in front where there is a choice."""
    coefficient, rest = expression.as_coeff_Mul()
    if not coefficient.is_Rational:
        return expression
    return -rest if rest.could_extract_minus_sign() else rest


def rational_form(expression: Expr) -> Expr:
    """The expression with square roots that cancel between conjugates removed."""
    roots = sorted((p for p in expression.atoms(Pow) if p.exp == Rational(1, 2)), key=str)
    roots += sorted((p for p in expression.atoms(Pow) if p.exp == Rational(-1, 2)), key=str)
    table: dict[Expr, Symbol] = {}
    for root in roots:
        symbol = table.setdefault(sqrt(root.base), Symbol(f"_r{len(table)}", real=True))
        expression = expression.xreplace({root: symbol if root.exp > 0 else 1 / symbol})
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


# -- choice and signs -----------------------------------------------------------------------------


def independent(functions: list[Expr], parameters: Sequence[Symbol], point: Point, wanted: int) -> list[Expr]:
    """The shortest functions with independent differentials at the point."""
    unique: list[Expr] = []
    for f in sorted(functions, key=lambda f: (not f.is_Symbol, len(str(f)))):
        if not any(f == g for g in unique):
            unique.append(f)
    chosen: list[Expr] = []
    rows: list[list[object]] = []
    with mpmath.workdps(50):
        values = [to_number(point.parameters[p]) for p in parameters]
        for f in unique:
            try:
                gradient = compiled(parameters, [f.diff(p) for p in parameters])(*values)
            except (ValueError, ZeroDivisionError):
                continue
            if len(chosen) < wanted and rank([*rows, gradient]) == len(rows) + 1:
                rows.append(gradient)
                chosen.append(f)
    order = {p: i for i, p in enumerate(parameters)}
    return sorted(chosen, key=lambda f: (not f.is_Symbol, order.get(f, 0), len(str(f))))


def sign_invariants(compatible: CompatibleSet, verdicts: dict[Symbol, Verdict]) -> tuple[Expr, ...]:
    """Parameters without a fixed value whose sign every report agrees on, where it was not declared."""
    return tuple(
        p
        for p, v in verdicts.items()
        if v.status in ("sign", "finite")
        and compatible.filter.facts.sign(p) not in ("+", "-")
        and keeps_sign(compatible, p)
    )
