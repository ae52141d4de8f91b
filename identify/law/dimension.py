"""Dimensional homogeneity: the units of the parameters that the law and the state's unit force.

Every sum has terms of one dimension, every function and exponent takes pure numbers, and the
acceleration has the dimension of the state over time squared.  These are linear equations for the
exponents of the parameters' dimensions, solved exactly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from sympy import Abs, Add, Expr, Mul, Pow, Rational, Symbol

from identify.errors import InputError
from identify.law.law import Law
from identify.law.printer import to_text
from identify.law.unit import BASES, SECOND, Dimension, combined, unit_text

_ZERO: Dimension = (Fraction(0),) * len(BASES)


@dataclass(frozen=True)
class _Form:
    """A dimension that is affine in the unknown dimensions of the parameters."""

    constant: Dimension = _ZERO
    parts: dict[Symbol, Fraction] = field(default_factory=dict)

    def plus(self, other: _Form, times: Fraction = Fraction(1)) -> _Form:
        constant = combined({self.constant: Fraction(1)})
        constant = tuple(a + times * b for a, b in zip(constant, other.constant, strict=True))
        parts = dict(self.parts)
        for symbol, count in other.parts.items():
            parts[symbol] = parts.get(symbol, Fraction(0)) + times * count
        return _Form(constant, {s: c for s, c in parts.items() if c})


class _Homogeneity:
    """Collects ``form = 0`` equations, each with the sentence that explains it."""

    def __init__(self, known: Mapping[Symbol, Dimension]) -> None:
        self.known = known
        self.equations: list[tuple[_Form, str]] = []

    def equal(self, left: _Form, right: _Form, because: str) -> None:
        self.equations.append((left.plus(right, Fraction(-1)), because))

    def form(self, e: Expr) -> _Form:
        if isinstance(e, Symbol):
            return _Form(self.known[e]) if e in self.known else _Form(parts={e: Fraction(1)})
        if isinstance(e, Add):
            first, *others = e.args
            found = self.form(first)
            for term in others:
                because = f"{_text(first)} and {_text(term)} are added"
                self.equal(self.form(term), found, because)
            return found
        if isinstance(e, Mul):
            total = _Form()
            for factor in e.args:
                total = total.plus(self.form(factor))
            return total
        if isinstance(e, Abs):
            return self.form(e.args[0])
        if isinstance(e, Pow):
            return self.power(e)
        for argument in e.args:
            self.equal(self.form(argument), _Form(), f"{_text(e)} needs a pure number inside")
        return _Form()

    def power(self, e: Pow) -> _Form:
        if isinstance(e.exp, Rational):
            return _Form().plus(self.form(e.base), Fraction(int(e.exp.p), int(e.exp.q)))
        self.equal(self.form(e.exp), _Form(), f"the exponent of {_text(e)} must be a pure number")
        self.equal(self.form(e.base), _Form(), f"{_text(e)} has a parameter in its exponent")
        return _Form()


def _text(e: Expr) -> str:
    return to_text(e)


def parameter_dimensions(
    law: Law, state: Dimension, declared: Mapping[Symbol, Dimension]
) -> dict[Symbol, Dimension | None]:
    """The dimension of every parameter; None where the law leaves it open.

    Raises InputError where the declared units contradict the law.
    """
    velocity = combined({state: Fraction(1), SECOND: Fraction(-1)})
    acceleration = combined({velocity: Fraction(1), SECOND: Fraction(-1)})
    system = _Homogeneity({law.state: state, law.velocity: velocity, **declared})
    because = f"the acceleration is in {unit_text(acceleration)}"
    for term in Add.make_args(law.acceleration.expand()):
        if term != 0:
            system.equal(system.form(term), _Form(acceleration), f"{_text(term)}: {because}")
    for condition in (*law.assumptions, *law.domain):
        if condition.relation == "==":
            system.form(condition.expression)
    solved = _solve(system.equations, law, state)
    return {p: declared.get(p, solved.get(p)) for p in law.parameters}


def _solve(equations: list[tuple[_Form, str]], law: Law, state: Dimension) -> dict[Symbol, Dimension]:
    """Gauss elimination; a row without unknowns and with a remainder is a contradiction."""
    rows: list[tuple[Symbol, _Form]] = []
    for form, because in equations:
        for pivot, row in rows:
            if pivot in form.parts:
                form = form.plus(row, -form.parts[pivot])
        if not form.parts:
            if any(form.constant):
                raise _contradiction(law, state, because)
            continue
        pivot = next(iter(form.parts))
        row = _Form().plus(form, 1 / form.parts[pivot])
        rows = [(s, r.plus(row, -r.parts[pivot]) if pivot in r.parts else r) for s, r in rows]
        rows.append((pivot, row))
    return {s: tuple(-x for x in r.constant) for s, r in rows if set(r.parts) == {s}}


def _contradiction(law: Law, state: Dimension, because: str) -> InputError:
    unit = unit_text(state)
    said = "a pure number" if unit == "1" else f"in {unit}"
    return InputError(
        f"the units do not fit the law, with {law.state.name} {said}: {because}",
        law.text,
        hint="declare other units with --unit NAME=UNIT, or a parameter for the missing scale",
    )
