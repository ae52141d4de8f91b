"""Functions of the parameters that are constant along the free symbols of a branch.

Monomials from the integer kernel of the weights where the parameters only rescale; otherwise a moving
frame: some reported parameters are normalised, and the others become invariants.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from math import gcd, lcm

from sympy import Abs, Expr, Mul, Pow, Rational, S, Symbol, log
from sympy.functions.elementary.trigonometric import TrigonometricFunction

from identify.algebra.lattice import integer_kernel
from identify.algebra.ring import NotPolynomial, Ring
from identify.conclude.form import positive_lead, tidy
from identify.conclude.verdict import varies
from identify.orbit.branch import LAMBDA, TAU, Branch
from identify.orbit.compatible import CompatibleSet
from identify.orbit.generators import Unhandled, state_functions
from identify.orbit.ties import tied


def continuous_invariants(branch: Branch, parameters: Sequence[Symbol]) -> list[Expr]:
    """Functions constant along the free symbols of the branch, complete where a frame was found."""
    branch = branch.substitute(dict.fromkeys(branch.integers, S.Zero))
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
    found = law_coefficients(compatible)
    table = {Symbol(f"_k{i}", real=True): c for i, c in enumerate(found)}
    images = {s: c.xreplace(branch.parameters) for s, c in table.items()}
    fixed = [c for s, c in table.items() if not varies(images[s], branch.free)]
    moving = [s for s, c in table.items() if c not in fixed]
    weights = weight_rows(replace(branch, parameters=images), moving)
    products = [] if weights is None else _monomials(weights, moving)
    return [positive_lead(tidy(c)) for c in (*fixed, *(p.xreplace(table) for p in products))]


def centred_invariants(compatible: CompatibleSet) -> list[Expr]:
    """Monomials in the coefficients of a polynomial law after the shift that removes the power below the top.

    No affine map changes them.  Besides the shortest ones: powers of each coefficient over the leading one,
    which divide by nothing else.
    """
    family = compatible.family
    polys = {f: c.as_poly(family.state) for f, c in family.channels}
    if any(p is None or not f.polynomial for f, p in polys.items()):
        return []
    top = next((p for p in polys.values() if p.degree() > 1), None)
    if top is None or top.all_coeffs()[1] == 0:
        return []
    centre = -top.all_coeffs()[1] / (top.degree() * top.LC())
    table: dict[Symbol, Expr] = {}
    weights: list[Rational] = []
    for feature, poly in polys.items():
        shifted = poly.as_expr().xreplace({family.state: family.state + centre}).expand()
        for (power,), coefficient in shifted.as_poly(family.state).terms():
            if (value := coefficient.cancel()).free_symbols:
                table[Symbol(f"_k{len(table)}", real=True)] = value
                weights.append(feature.power + power - 1)
    products = _monomials([weights], list(table))
    for lead, heavy in zip(table, weights, strict=True):
        if table[lead] == top.LC() and heavy:
            for s, w in zip(table, weights, strict=True):
                step = gcd(int(heavy), int(w))
                products += [s ** (heavy / step) / lead ** (w / step)] if s != lead else []
    return [positive_lead(tidy(m.xreplace(table))) for m in products]


def law_coefficients(compatible: CompatibleSet) -> list[Expr]:
    """Coefficients of the channels over the monomials in the state and its functions."""
    family = compatible.family
    try:
        plain = tied([c for _, c in family.channels], family.independent, family.state, {})
        functions = state_functions(plain.functions, family.state)
        ring = Ring([*family.independent, *plain.values, *functions.symbols])
        fractions = [ring.fraction(f) for f in functions.functions]
    except (Unhandled, NotPolynomial):
        return []
    found: list[Expr] = []
    for fraction in fractions:
        below = list(ring.collect(fraction.denominator, functions.symbols).values())
        above = list(ring.collect(fraction.numerator, functions.symbols).values())
        for part in (*above, *below[1:]):
            ratio = (ring.expression(part) / ring.expression(below[0])).cancel().xreplace(plain.values)
            if ratio.free_symbols and ratio not in found:
                found.append(ratio)
    return found


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
        weights = [_exponent(e, symbol) for e in values.values()]
        if symbol == LAMBDA and all(isinstance(w, Rational) for w in weights):
            return [positive_lead(tidy(f)) for f in _scaled(values, weights)]
        step = _normalisation(values, symbol, symbol in branch.positive)
        if step is not None:
            values = step
    return [positive_lead(tidy(e)) for e in values.values() if not e.free_symbols & set(branch.free)]


def _scaled(values: dict[Symbol, Expr], weights: Sequence[Expr | None]) -> list[Expr]:
    """Products of values that only rescale with lambda, of total weight zero."""
    at_one = {p: e.xreplace({LAMBDA: S.One}) for p, e in values.items()}
    monomials = _monomials([[w for w in weights if isinstance(w, Rational)]], list(values))
    return [m.xreplace(at_one) for m in monomials]


def _normalisation(values: dict[Symbol, Expr], symbol: Symbol, one_sided: bool) -> dict[Symbol, Expr] | None:
    """The other values once a reported parameter is set to a constant and solved for the free symbol."""
    best: tuple[int, dict[Symbol, Expr]] | None = None
    for parameter, expression in values.items():
        for solution in _solve_simple(expression, symbol, one_sided):
            rest = {p: e.subs(symbol, solution) for p, e in values.items() if p != parameter}
            if any(e.has(S.ComplexInfinity, S.NaN, S.Infinity) or not e.free_symbols for e in rest.values()):
                continue
            size = int(solution.count_ops()) + sum(int(e.count_ops()) for e in rest.values())
            if best is None or size < best[0]:
                best = (size, rest)
    return None if best is None else best[1]


def _solve_simple(expression: Expr, symbol: Symbol, one_sided: bool) -> list[Expr]:
    """Values of the symbol (positive, if one-sided) at which the expression is a simple constant."""
    if not expression.has(symbol):
        return []
    slope = expression.diff(symbol).cancel()
    if not slope.has(symbol):
        rest = expression.xreplace({symbol: S.Zero})
        if rest == 0 and one_sided:
            return [1 / Abs(slope)]
        targets = (S.Zero,) if rest != 0 else (S.One, S.Zero, S(2), S.NegativeOne)
        return [((target - rest) / slope).cancel() for target in targets]
    weight = _exponent(expression, symbol)
    if weight is None:
        return []
    if symbol == TAU:
        return [-log(Abs(expression.xreplace({symbol: S.Zero}))) / weight]
    size = expression.xreplace({symbol: S.One})
    return [Pow(Abs(size) if one_sided else size, -1 / weight)]


def _rotations(branch: Branch, moving: Sequence[Symbol]) -> list[Expr]:
    """``a**2 + b**2`` for pairs that turn into each other, times a power of a parameter that rescales."""
    found = []
    turning = [p for p in moving if branch.parameters[p].has(TrigonometricFunction)]
    for a, b in combinations(turning, 2):
        square = branch.parameters[a] ** 2 + branch.parameters[b] ** 2
        if not varies(square, branch.free):
            found.append(a**2 + b**2)
            continue
        for p in moving:
            for power in (2, -2, 1, -1):
                if p not in (a, b) and not varies(square * branch.parameters[p] ** power, branch.free):
                    found.append((a**2 + b**2) * p**power)
    return found
