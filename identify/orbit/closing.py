"""From solutions of the polynomial system to real closed forms: ``R = exp(kappa)`` and its kin."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import mpmath
from sympy import Abs, Expr, S, Symbol, atan, cos, exp, lambdify, log, pi, sign, sin

from identify.orbit.facts import Facts
from identify.orbit.matching import Closing


class Transcendental(Exception):
    """A relation such as ``exp(t) = 1 + a*t`` remains; the method cannot enumerate its roots."""


@dataclass
class Open:
    """A solution under construction: values of the unknowns, free symbols, algebraic symbols."""

    values: dict[Symbol, Expr]
    free: list[Symbol]
    algebraic: dict[Symbol, Expr]
    positive: list[Expr]
    nonzero: list[Expr]
    integers: list[Symbol]

    def value(self, symbol: Symbol) -> Expr:
        """The value of an unknown; itself where it is free."""
        return self.values.get(symbol, symbol)

    def put(self, table: dict[Symbol, Expr]) -> None:
        """Replace symbols everywhere; replaced ones are no longer free."""
        self.values = {s: e.xreplace(table) for s, e in self.values.items()}
        self.values.update(table)
        self.free = [s for s in self.free if s not in table]
        self.positive = [e.xreplace(table) for e in self.positive]
        self.nonzero = [e.xreplace(table) for e in self.nonzero]
        self.algebraic = {s: e.xreplace(table) for s, e in self.algebraic.items() if s not in table}


def close(solution: Open, closings: tuple[Closing, ...], facts: Facts) -> bool:
    """Apply the closings in turn; False when the solution contradicts one."""
    if any(_only_trivial(solution, c, facts) for c in closings):
        return False
    steps = {"exp": _close_exp, "angle": _close_angle, "power": _close_power, "log": _close_log}
    open_first = sorted(closings, key=lambda c: solution.value(c.values[0]) != c.values[0])
    return all(steps[closing.kind](solution, closing) for closing in open_first)


def _close_exp(solution: Open, closing: Closing) -> bool:
    factor, kappa = solution.value(closing.values[0]), solution.value(closing.argument)
    if factor == closing.values[0]:
        _refuse_circle(kappa, factor)
        solution.put({closing.values[0]: exp(kappa)})
        return True
    if factor == 1:
        return False
    return _set_linear(solution, kappa, log(factor), lambda: exp(kappa) - factor, [factor])


def _only_trivial(solution: Open, closing: Closing, facts: Facts) -> bool:
    """Whether ``R = exp(kappa(R))`` holds at R = 1 alone, which is a case of its own: one side overtakes."""
    factor, kappa = solution.value(closing.values[0]), solution.value(closing.argument)
    if closing.kind != "exp" or factor != closing.values[0] or not kappa.has(factor):
        return False
    positive = facts.with_signs([(factor, "+")])
    trivial = kappa.is_rational_function() and kappa.subs(factor, S.One).cancel() == 0
    slope = (1 / factor - kappa.diff(factor)).together()
    return trivial and positive.sign(slope) in ("+", "-")


def _refuse_circle(argument: Expr, symbol: Expr) -> None:
    """``R = exp(kappa(R))`` has solutions that cannot be enumerated."""
    if argument.has(symbol):
        raise Transcendental("a transcendental equation for the coordinate map")


def _close_log(solution: Open, closing: Closing) -> bool:
    value, kappa = solution.value(closing.values[0]), solution.value(closing.argument)
    if value == closing.values[0]:
        _refuse_circle(kappa, value)
        solution.put({closing.values[0]: log(kappa)})
        return True
    if value == 0:
        return False
    return _set_linear(solution, kappa, exp(value), lambda: log(kappa) - value, [])


def _close_power(solution: Open, closing: Closing) -> bool:
    factor, kappa = solution.value(closing.values[0]), solution.value(closing.argument)
    assert closing.exponent is not None
    p = closing.exponent.xreplace(solution.values)
    if factor == closing.values[0]:
        _refuse_circle(kappa, factor)
        solution.put({closing.values[0]: kappa**p})
        return True
    if kappa == 1:
        return False
    for x in solution.free:
        left, right = monomial(kappa, x), monomial(factor, x)
        if left is None or right is None:
            continue
        (c1, j), (c2, m) = left, right
        if j * p - m == 0:
            continue
        base = c2 / c1**p
        if base == 1:
            return False  # only x = 1, where kappa is one: the case without a factor
        solution.positive.append(c1)
        solution.positive.append(c2)
        solution.put({x: base ** (1 / (j * p - m))})
        return True
    return _set_linear(solution, kappa, factor ** (1 / p), lambda: kappa**p - factor, [factor])


def _close_angle(solution: Open, closing: Closing) -> bool:
    sine, cosine = (solution.value(v) for v in closing.values)
    delta = solution.value(closing.argument)
    circle = _on_circle(solution, sine, cosine)
    if circle is not None:
        solution.put({circle[0]: sin(delta), circle[1]: cos(delta)})
        return True
    if sine.free_symbols & set(solution.free) or cosine.free_symbols & set(solution.free):
        raise Transcendental("an angle that depends on a free symbol")
    turn = Symbol(f"_n{len(solution.integers)}", integer=True)
    angle = _angle(sine, cosine)
    for x in solution.free:
        root = root_in(delta - angle - 2 * pi * turn, x)
        if root is not None:
            solution.integers.append(turn)
            solution.put({x: root})
            return True
    if delta.free_symbols & _moving(solution):
        raise Transcendental("an angle that depends on a free symbol")
    return not _differs(sin(delta) - sine) and not _differs(cos(delta) - cosine)


def _moving(solution: Open) -> set[Symbol]:
    """The free symbols, and the algebraic ones that depend on them."""
    free = set(solution.free)
    return free | {s for s, e in solution.algebraic.items() if e.free_symbols & free}


def _on_circle(solution: Open, sine: Expr, cosine: Expr) -> tuple[Symbol, Symbol] | None:
    """The symbols that stand for sine and cosine where these are free on the circle."""
    for one, other in ((sine, cosine), (cosine, sine)):
        root = one if isinstance(one, Symbol) else -one
        if root not in solution.algebraic or other not in solution.free:
            continue
        if (solution.algebraic[root] - root**2 - other**2 + 1).expand() == 0:
            return (root, other) if one is sine else (other, root)
    return None


def _angle(sine: Expr, cosine: Expr) -> Expr:
    if sine == 0:
        return S.Zero if cosine == 1 else pi
    if cosine == 0:
        return sign(sine) * pi / 2
    return 2 * atan(sine / (1 + cosine))


def _set_linear(
    solution: Open, argument: Expr, target: Expr, gap: Callable[[], Expr], positive: list[Expr]
) -> bool:
    """Solve ``argument = target`` for a free symbol that enters the argument alone and linearly."""
    for x in solution.free:
        root = root_in(argument - target, x)
        if root is None:
            continue
        if argument.xreplace({x: root}).expand() == 0:
            return False  # only the map without this constant, which is a case of its own
        solution.positive += positive
        solution.put({x: root})
        return True
    if (argument.free_symbols | target.free_symbols) & _moving(solution):
        raise Transcendental("a transcendental relation between free symbols")
    return not _differs(gap())


def root_in(expression: Expr, symbol: Symbol) -> Expr | None:
    """The only zero of the expression as a function of the symbol, where its numerator is linear in it."""
    if not expression.has(symbol):
        return None
    numerator = (
        expression if not expression.diff(symbol).has(symbol) else expression.together().as_numer_denom()[0]
    )
    slope = numerator.expand().diff(symbol)
    if slope.has(symbol) or slope == 0:
        return None
    return -numerator.expand().xreplace({symbol: S.Zero}) / slope


def monomial(expression: Expr, symbol: Symbol) -> tuple[Expr, Expr] | None:
    """``(c, m)`` with ``expression = c * symbol**m``."""
    exponent = (symbol * expression.diff(symbol) / expression).cancel()
    if exponent.has(symbol) or not exponent.is_Integer:
        return None
    return (expression / symbol**exponent).cancel(), exponent


def _differs(expression: Expr) -> bool:
    """Whether the expression is nonzero at one random point (then it is no identity)."""
    symbols = sorted(expression.free_symbols, key=str)
    if not symbols:
        return abs(complex(expression.evalf(40))) > 1e-30
    with mpmath.workdps(50):
        points = [mpmath.mpf(7 + 3 * i) / (11 + 2 * i) for i in range(len(symbols))]
        return bool(abs(lambdify(symbols, expression, "mpmath")(*points)) > mpmath.mpf(10) ** -35)


def real_root(radicand: Expr, order: int) -> Expr:
    """The real root of odd order."""
    return sign(radicand) * Abs(radicand) ** (S.One / order)
