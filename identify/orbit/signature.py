"""The signature of a canonical law: scalars that every compatible map preserves.

``c_0`` transforms like a vector field, so ``X = c_0 d/du`` is an invariant derivation, and
``c_1``, ``J_0 = c_0' - c_2 c_0`` and ``J_r = c_r c_0**(r-1)`` (r >= 3) are scalars: at f(u) they take for
eta the value they take at u for theta.  If some scalar J is not constant, two laws are compatible
exactly when the curves ``u -> (all scalars, X J)`` agree: J gives f, ``X J`` gives ``c_0(f) = f' c_0``, and
J_0 gives the transformation of c_2.  If every scalar is constant, equality of the constants suffices.
Where ``c_0 = 0`` the same is done with c_3, and failing that with c_1 in an affine coordinate.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import mpmath
from sympy import Expr, S, Symbol, exp

from identify.algebra.budget import Budget
from identify.algebra.lattice import lattice_basis
from identify.algebra.ring import Fraction, NotPolynomial, Poly, Ring
from identify.algebra.solve import System, remainder, solve
from identify.orbit.branch import Branch, Family, hat
from identify.orbit.facts import Facts
from identify.orbit.generators import StateFunctions, Unhandled, state_functions
from identify.orbit.sampling import Point, compiled, to_number
from identify.routes.zero import is_zero

_J = Symbol("_J", real=True)
_T = Symbol("_T", real=True)
_SPARE = tuple(Symbol(f"_root{i}", real=True) for i in range(3))
DEGREE_LIMIT = 400
MOST_RATIOS = 4


class NotAlgebraic(Exception):
    """The scalars are not algebraic over one function of the state."""


@dataclass(frozen=True)
class Signature:
    """Scalars that do not depend on the state, scalars that do, and the dimension of their fibres.

    ``stabiliser`` is the dimension of the maps that leave the law as it is: 0 where some scalar varies,
    1 where all are constant, 2 where only the connection c_2 is there.
    """

    constants: tuple[Expr, ...]
    curve: tuple[Expr, ...]
    stabiliser: int


def signature(family: Family) -> Signature:
    """The signature of the family's law (see the module docstring)."""
    z = family.state
    c = {int(f.power): e for f, e in family.channels}
    c1, c2 = c.get(1, S.Zero), c.get(2, S.Zero)
    higher = [r for r in c if r >= 3]
    if 0 in c:
        c0 = c[0]
        scalars = [c1, c0.diff(z) - c2 * c0, *(c[r] * c0 ** (r - 1) for r in higher)]
        return _assemble(scalars, z, lambda j: c0 * j.diff(z), 1)
    if 3 in c:
        return _cubic_signature(c, z)
    if higher:
        raise Unhandled("a law with velocity powers above three and neither force nor cubic drag")
    slope = c1.diff(z)
    if is_zero(slope):
        return Signature((c1,) if 1 in c else (), (), 2)
    return _assemble([c1, (slope.diff(z) + c2 * slope) / slope**2], z, None, 0)


def _cubic_signature(c: dict[int, Expr], z: Symbol) -> Signature:
    """Without a force, ``c_3 du**2`` is preserved, and so are some one-forms.

    ``(c_3'/c_3 + 2 c_2) du`` and ``c_r c_3**(1-r/2) du`` for even r are one-forms; ``c_r c_3**((1-r)/2)`` for
    odd r is a scalar.  Ratios of one-forms are scalars with their signs.
    """
    c3 = c[3]
    scalars = [c.get(1, S.Zero), *(e * c3 ** ((1 - r) // 2) for r, e in c.items() if r > 3 and r % 2)]
    forms = [c3.diff(z) / c3 + 2 * c.get(2, S.Zero)]
    forms += [e * c3 ** (1 - r // 2) for r, e in c.items() if r > 3 and r % 2 == 0]
    forms = [f for f in forms if not is_zero(f)]
    if not forms:
        return _assemble(scalars, z, lambda j: j.diff(z) ** 2 / c3, 1)
    first = forms[0]
    scalars += [first**2 / c3, *(f / first for f in forms[1:])]
    return _assemble(scalars, z, lambda j: j.diff(z) ** 2 / c3, 1, lambda j: first / j.diff(z))


_Derived = Callable[[Expr], Expr]


def _assemble(
    scalars: Sequence[Expr],
    z: Symbol,
    derivation: _Derived | None,
    stabiliser: int,
    ratio: _Derived | None = None,
) -> Signature:
    """Sort the scalars into constants and a curve, and add what derives from the first of the curve."""
    constants, curve = [], []
    for scalar in scalars:
        if scalar == 0:
            continue
        simple = _tidy(scalar)
        if is_zero(simple.diff(z)):
            constants.append(at_one_state(simple, z))
        else:
            curve.append(simple)
    if not curve:
        return Signature(tuple(constants), (), stabiliser)
    curve.sort(key=lambda e: e.count_ops())
    for derived in (derivation, ratio):
        if derived is None:
            continue
        scalar = _tidy(derived(curve[0]))
        if is_zero(scalar.diff(z)):
            constants.append(at_one_state(scalar, z))
        else:
            curve.insert(1, scalar)
    return Signature(tuple(constants), tuple(curve), 0)


def _tidy(expression: Expr) -> Expr:
    return expression.cancel() if expression.is_rational_function() else expression


def at_one_state(expression: Expr, z: Symbol) -> Expr:
    """A constant function of the state, without the state."""
    if not expression.has(z):
        return expression
    values = [expression.subs(z, value) for value in (S.Zero, S.One, S.Half, S(2), S.NegativeOne)]
    finite = [v for v in values if v.is_finite is not False and not v.has(S.ComplexInfinity, S.NaN)]
    rational = [v for v in finite if v.is_rational_function()]
    if rational or finite:
        return _tidy((rational or finite)[0])
    raise Unhandled("a constant scalar that could not be evaluated")


# -- compatible parameters ------------------------------------------------------------------------


@dataclass(frozen=True)
class SignatureBranches:
    """All parameters with the same signature, over the complex numbers save for negative squares."""

    branches: tuple[Branch, ...]
    conditions: tuple[Expr, ...]
    signature: Signature


def signature_branches(family: Family, point: Point, budget: Budget, facts: Facts) -> SignatureBranches:
    """Solve ``signature(eta) = signature(theta)`` for eta; NotAlgebraic or Unsolved where that fails."""
    found = signature(family)
    truth = list(family.independent)
    hats = {p: hat(p) for p in truth}
    invariants = [*found.constants]
    nonzero: list[Expr] = [e.xreplace(hats) for e in family.nonzero]
    ring = Ring([*truth, *hats.values(), *_SPARE])
    polys: list[Poly] = []
    if len(found.curve) > 1:
        coefficients = curve_invariants(found.curve, family, point, budget)
        reference = min(coefficients, key=lambda e: (len(e.free_symbols), e.count_ops()))
        nonzero.append(reference.xreplace(hats))
        polys += _simple_ratios(ring, coefficients, hats)
        for c in coefficients:
            if c != reference:
                polys.append(_numerator(ring, c.xreplace(hats) * reference - c * reference.xreplace(hats)))
    polys += [_numerator(ring, e.xreplace(hats) - e) for e in invariants]
    inequations = [f for e in nonzero for f in ring.factors(_numerator(ring, e))]
    unknowns = tuple(reversed(list(hats.values())))
    solutions, conditions = solve(System(ring, tuple(polys), unknowns, tuple(inequations), _SPARE), budget)
    branches = []
    from identify.orbit.equations import opened_values

    for solution in solutions:
        for values, algebraic in opened_values(ring, solution):
            reported = {p: values.get(h, h) for p, h in hats.items()}
            reported.update({p: e.xreplace(reported) for p, e in family.eliminated.items()})
            positive = _cubic_sign(family, reported, facts)
            branches.append(
                Branch(None, None, None, reported, solution.free, (), algebraic, positive, (), None)
            )
    remembered = tuple(ring.expression(p) for p in conditions)
    if found.curve:
        remembered += tuple(c for c in varying_conditions(found.curve[0], family) if c not in remembered)
    return SignatureBranches(tuple(branches), remembered, found)


def _simple_ratios(ring: Ring, coefficients: Sequence[Expr], hats: dict[Symbol, Symbol]) -> list[Poly]:
    """Equal ratios of coefficients in which much cancels: no new equations, but easy ones."""
    found = []
    values = [ring.polynomial(c) for c in coefficients]
    for a, b in combinations(values, 2):
        ratio = Fraction(ring, a, b).reduced()
        size = len(ratio.numerator.to_dict()) + len(ratio.denominator.to_dict())
        if not (ratio.numerator.is_constant() and ratio.denominator.is_constant()):
            found.append((size, ratio))
    found.sort(key=lambda pair: pair[0])
    polys = []
    for _, ratio in found[:MOST_RATIOS]:
        expression = ratio.expression()
        polys.append(_numerator(ring, expression.xreplace(hats) - expression))
    return polys


def _cubic_sign(family: Family, reported: dict[Symbol, Expr], facts: Facts) -> tuple[Expr, ...]:
    """Without a force the sign of c_3 is preserved: what that says of the reported parameters."""
    c = {int(f.power): e for f, e in family.channels}
    if 0 in c or 3 not in c:
        return ()
    factor, rest = c[3].as_independent(family.state, as_Add=False)
    square = rest.is_positive or (rest.is_nonnegative and not rest.is_zero)
    declared = rest.free_symbols == {family.state} and facts.sign(rest) in ("+", "-")
    if not (square or declared or rest == 1 or _one_sign(rest, family)):
        raise Unhandled("a cubic drag whose sign changes with the state")
    return ((factor * factor.xreplace(reported)),)


def _one_sign(rest: Expr, family: Family) -> bool:
    """A power of the state or an exponential keeps its sign on every interval that maps can use."""
    z = family.state
    return bool(rest.is_Pow and rest.base == z and rest.exp.is_even) or rest.func is exp


def varying_conditions(scalar: Expr, family: Family) -> list[Expr]:
    """Factors of the scalar's derivative in the parameters alone: where one vanishes, it is constant."""
    slope = state_functions([scalar.diff(family.state)], family.state)
    ring = Ring([*family.independent, *slope.symbols])
    try:
        numerator = ring.fraction(slope.functions[0]).numerator
    except NotPolynomial:
        return []
    state = set(slope.symbols)
    return [ring.expression(f) for f in ring.factors(numerator) if not ring.variables(f) & state]


def _numerator(ring: Ring, expression: Expr) -> Poly:
    try:
        return ring.polynomial(expression)
    except NotPolynomial as error:
        raise Unhandled(f"a parameter inside {error}") from error


def curve_invariants(curve: Sequence[Expr], family: Family, point: Point, budget: Budget) -> list[Expr]:
    """Coefficients (up to a common factor) of the relation between the scalars of the curve.

    With ``T = S_2 + s_3 S_3 + ...`` for symbolic s the relation between the first scalar and T describes
    the joint curve of all of them.
    """
    plain = even_angles(in_root(state_functions(curve, family.state)), family)
    functions = merged_monomials(one_generator(plain), family)
    mixers = [Symbol(f"_mix{i}", real=True) for i in range(len(curve) - 2)]
    first = functions.functions[0]
    second = functions.functions[1]
    for mixer, function in zip(mixers, functions.functions[2:], strict=True):
        second = second + mixer * function
    ring = Ring([*family.independent, _J, _T, *mixers, *functions.symbols])
    try:
        left = _graph(ring, _J, ring.fraction(first))
        right = _graph(ring, _T, ring.fraction(second))
    except NotPolynomial as error:
        raise Unhandled(f"a parameter inside {error}") from error
    relation = _eliminate(ring, left, right, functions, budget)
    factor = _vanishing_factor(ring, relation, curve, family, point, mixers)
    parts = ring.collect(factor, (_J, _T, *mixers))
    return [ring.expression(p) for p in parts.values()]


def _graph(ring: Ring, symbol: Symbol, value: Fraction) -> Poly:
    return value.denominator * ring.generator(symbol) - value.numerator


def _eliminate(ring: Ring, left: Poly, right: Poly, functions: StateFunctions, budget: Budget) -> Poly:
    """The resultant with respect to the root (if any) and then the one free generator."""
    roots = [g for g in functions.generators if g.root is not None]
    names = [str(x) for x in ring.context.names()]
    for generator in roots:
        symbol = generator.symbols[0]
        base = ring.fraction(generator.argument)
        relation = base.denominator * ring.generator(symbol) ** int(generator.root or 1) - base.numerator
        if ring.degree(left, symbol):
            left = left.resultant(relation, names[ring.index[symbol]])
        if ring.degree(right, symbol):
            right = right.resultant(relation, names[ring.index[symbol]])
    budget.check("eliminating the state from the signature")
    open_symbols = [
        s
        for s in functions.symbols
        if s not in {g.symbols[0] for g in roots} and (ring.degree(left, s) or ring.degree(right, s))
    ]
    if len(open_symbols) != 1:
        raise NotAlgebraic(
            "the scalars of the signature depend on several independent functions of the state"
        )
    x = open_symbols[0]
    if ring.degree(left, x) * ring.degree(right, x) > DEGREE_LIMIT:
        raise NotAlgebraic("the signature has too high a degree")
    return left.resultant(right, names[ring.index[x]])


def _vanishing_factor(
    ring: Ring, relation: Poly, curve: Sequence[Expr], family: Family, point: Point, mixers: Sequence[Symbol]
) -> Poly:
    """The irreducible factor of the relation that holds on the curve, found at an exact point."""
    moving = [f for f in ring.factors(relation) if {_J, _T} & ring.variables(f)]
    if len(moving) == 1:
        return moving[0]
    with mpmath.workdps(60):
        parameters = [to_number(point.parameters[p]) for p in family.independent]
        scalars = compiled((family.state, *family.independent), list(curve))
        weights = [mpmath.mpf(3 + 2 * i) / (7 + i) for i in range(len(mixers))]
        good: list[Poly] = []
        for factor in moving:
            used = compiled((*family.independent, _J, _T, *mixers), [ring.expression(factor)])
            if all(_vanishes(used, scalars, parameters, weights, to_number(u)) for u in point.states):
                good.append(factor)
    if len(good) != 1:
        raise NotAlgebraic("the relation of the signature is not unique")
    return good[0]


def _vanishes(used, scalars, parameters, weights, state) -> bool:  # type: ignore[no-untyped-def]
    try:
        first, second, *rest = scalars(state, *parameters)
    except (ValueError, ZeroDivisionError):
        return True
    total = second + sum((w * r for w, r in zip(weights, rest, strict=True)), mpmath.mpf(0))
    value = used(*parameters, first, total, *weights)[0]
    nearby = used(*parameters, first * 1.01, total * 1.02, *weights)[0]
    return bool(abs(value) < mpmath.mpf(10) ** -30 * abs(nearby))


@dataclass(frozen=True)
class WithHalves(StateFunctions):
    """State functions in which tangents of half angles stand for sine and cosine pairs.

    ``halves`` maps each such symbol to its angle.
    """

    halves: dict[Symbol, Expr] = field(default_factory=dict)

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """The state, the generator symbols and the half-angle tangents."""
        return (self.state, *(s for g in self.generators for s in g.symbols), *self.halves)


def in_root(functions: StateFunctions) -> StateFunctions:
    """The functions in one root of the state, of which the state is a power."""
    roots = [g for g in functions.generators if g.root is not None]
    if len(roots) != 1 or roots[0].argument != functions.state:
        return functions
    (y,), n = roots[0].symbols, roots[0].root
    rest = tuple(g for g in functions.generators if g is not roots[0])
    plain = tuple(f.xreplace({functions.state: y**n}) for f in functions.functions)
    return WithHalves(functions.state, plain, rest, halves={y: functions.state})


def even_angles(functions: StateFunctions, family: Family) -> StateFunctions:
    """The functions in the cosine alone, or in the sine alone, where they are even in the other one."""
    pairs = [g for g in functions.generators if g.kind == "trig"]
    if len(pairs) != 1:
        return functions
    ring = Ring([*family.independent, *functions.symbols])
    try:
        fractions = [ring.fraction(f) for f in functions.functions]
    except NotPolynomial:
        return functions
    for odd, even in (pairs[0].symbols, pairs[0].symbols[::-1]):
        circle = ring.generator(odd) ** 2 + ring.generator(even) ** 2 - 1
        found = [_even_part(ring, f, odd, circle) for f in fractions]
        if all(f is not None for f in found):
            rest = tuple(g for g in functions.generators if g is not pairs[0])
            plain = tuple(f.expression() for f in found if f is not None)
            return WithHalves(functions.state, plain, rest, halves={even: pairs[0].argument})
    return functions


def _even_part(ring: Ring, fraction: Fraction, odd: Symbol, circle: Poly) -> Fraction | None:
    """The fraction without ``odd``, whose square the circle gives; None where it depends on its sign."""
    top, bottom = (
        ring.coefficients(remainder(ring, p, circle, odd), odd)
        for p in (fraction.numerator, fraction.denominator)
    )
    (a, b), (c, d) = ((ring.part(p, 0), ring.part(p, 1)) for p in (top, bottom))
    if c.is_zero() or not (b * c - a * d).is_zero():
        return None
    return Fraction(ring, a, c).reduced()


def one_generator(functions: StateFunctions) -> StateFunctions:
    """The functions with every sine and cosine pair written in the tangent of the half angle."""
    table: dict[Symbol, Expr] = {}
    halves: dict[Symbol, Expr] = {}
    for generator in functions.generators:
        if generator.kind == "trig":
            x = Symbol(f"_half{generator.symbols[0].name}", real=True)
            halves[x] = generator.argument
            table[generator.symbols[0]] = 2 * x / (1 + x**2)
            table[generator.symbols[1]] = (1 - x**2) / (1 + x**2)
    if not halves:
        return functions
    rest = tuple(g for g in functions.generators if g.kind != "trig")
    return WithHalves(
        functions.state, tuple(f.xreplace(table) for f in functions.functions), rest, halves=halves
    )


def merged_monomials(functions: StateFunctions, family: Family) -> StateFunctions:
    """One new variable where several generators enter only through one monomial (``z**n/z``, say)."""
    symbols = [s for s in functions.symbols if any(f.has(s) for f in functions.functions)]
    if len(symbols) < 2 or any(g.root is not None for g in functions.generators):
        return functions
    ring = Ring([*family.independent, *symbols])
    try:
        fractions = [ring.fraction(f) for f in functions.functions]
    except NotPolynomial:
        return functions
    vectors = []
    for fraction in fractions:
        first = next(iter(ring.collect(fraction.denominator, symbols)))
        for part in (fraction.numerator, fraction.denominator):
            for exponents in ring.collect(part, symbols):
                vectors.append([a - b for a, b in zip(exponents, first, strict=True)])
    vectors = [v for v in vectors if any(v)]
    basis, _ = lattice_basis(vectors)
    if len(basis) != 1:
        return functions
    keep = next(i for i, x in enumerate(basis[0]) if x)
    y = Symbol("_mono", real=True)
    table = {s: S.One for i, s in enumerate(symbols) if i != keep}
    table[symbols[keep]] = y ** (1 / basis[0][keep])
    replaced = tuple(
        _tidy(f.expression().xreplace(table).replace(lambda e: e.is_Pow, lambda e: e)) for f in fractions
    )
    return WithHalves(functions.state, replaced, (), halves={y: functions.state})
