"""Arguments of functions of the state: polynomials in it, and the lattice that they generate."""

from __future__ import annotations

from collections.abc import Callable
from math import lcm

from sympy import Add, Expr, Integer, Mul, Pow, Rational, S, Symbol

from identify.algebra.lattice import lattice_basis
from identify.algebra.ring import NotPolynomial, Poly, Ring


def polynomial_coefficients(argument: Expr, state: Symbol) -> dict[int, Expr]:
    """``{k: c_k}`` with ``argument = sum c_k state**k``; NotPolynomial where it is none."""
    others = sorted((s for s in argument.free_symbols if s != state), key=str)
    table, lifted = _freeze(argument, state)
    ring = Ring([state, *others, *table.values()])
    fraction = ring.fraction(lifted)
    if ring.degree(fraction.denominator, state) > 0:
        raise NotPolynomial(str(argument))
    back = {symbol: value for value, symbol in table.items()}
    denominator = ring.expression(fraction.denominator).xreplace(back)
    parts = ring.coefficients(fraction.numerator, state)
    return {k: ring.expression(c).xreplace(back) / denominator for k, c in sorted(parts.items())}


def _freeze(expression: Expr, state: Symbol) -> tuple[dict[Expr, Symbol], Expr]:
    """Replace state-free parts that are not rational (pi, sqrt(a), exp(k)) by fresh symbols."""
    table: dict[Expr, Symbol] = {}

    def walk(e: Expr) -> Expr:
        if isinstance(e, Symbol | Rational):
            return e
        if isinstance(e, Add | Mul) or (isinstance(e, Pow) and isinstance(e.exp, Integer)):
            return e.func(*(walk(a) for a in e.args))
        if e.has(state):
            raise NotPolynomial(str(e))
        return table.setdefault(e, Symbol(f"_k{len(table)}", real=True))

    return table, walk(expression)


def integer_combinations(
    polynomials: list[dict[int, Expr]], state: Symbol
) -> tuple[list[Expr], list[list[int]]]:
    """A lattice basis of the given polynomials (no constant term) and each one's integer coordinates."""
    vectors, rebuild = _as_vectors(polynomials, state)
    basis, coordinates = lattice_basis(vectors)
    return [rebuild(b) for b in basis], coordinates


def _as_vectors(
    polynomials: list[dict[int, Expr]], state: Symbol
) -> tuple[list[list[int]], Callable[[list[Rational]], Expr]]:
    """Polynomials as rational vectors over the monomials in the parameters and the state."""
    whole = [Add(*(c * state**k for k, c in p.items())) for p in polynomials]
    frozen: dict[Expr, Symbol] = {}
    lifted = []
    for expression in whole:
        table, flat = _freeze(expression, state)
        flat = flat.xreplace(
            {s: frozen.setdefault(e, Symbol(f"_f{len(frozen)}", real=True)) for e, s in table.items()}
        )
        lifted.append(flat)
    symbols = sorted({s for e in lifted for s in e.free_symbols}, key=str)
    ring = Ring(symbols)
    fractions = [ring.fraction(e) for e in lifted]
    common = ring.one
    for f in fractions:
        common = common * (f.denominator / common.gcd(f.denominator))
    rows = [(f.numerator * (common / f.denominator)).to_dict() for f in fractions]
    monomials = sorted({m for row in rows for m in row})
    vectors = [[int(row.get(m, 0)) for m in monomials] for row in rows]
    back = {s: e for e, s in frozen.items()}

    def rebuild(vector: list[Rational]) -> Expr:
        denominator = lcm(*(int(v.q) for v in vector))
        poly: Poly = ring.context.from_dict(
            {m: int(v * denominator) for m, v in zip(monomials, vector, strict=True) if v}
        )
        expression = ring.expression(poly) / denominator / ring.expression(common)
        return expression.xreplace(back)

    return vectors, rebuild


def shared_constants(
    arguments: list[Expr], polynomials: list[dict[int, Expr]], multiples: list[list[int]], rank: int
) -> tuple[list[Expr], list[Expr]]:
    """Constants moved into the basis where one choice serves every argument, else left over."""
    constants = [p.get(0, S.Zero) for p in polynomials]
    zero = [S.Zero] * rank
    if all(c == 0 for c in constants):
        return zero, constants
    for i, unit in enumerate(multiples):
        if rank == 1 and unit[0]:
            shift = constants[i] / unit[0]
            left = [(c - m[0] * shift).expand() for c, m in zip(constants, multiples, strict=True)]
            if all(x == 0 for x in left):
                return [shift], left
    return zero, constants
