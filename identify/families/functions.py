"""Functions of the parameters compared as functions: on reports drawn from every branch, and by rank.

Two lists of invariants say the same where each function is constant on every compatible report and
the lists have the same differentials: rank(E) = rank(C) = rank(E and C) at random admissible points.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import mpmath
from sympy import Expr, Poly, PolynomialError, Symbol
from sympy.core.sympify import SympifyError

from identify.analysis import Analysis, BranchInfo
from identify.certificate.evaluation import Unreadable, evaluate
from identify.certificate.linear import eliminate
from identify.errors import InputError
from identify.law import Condition, Law, read_condition, read_expression, to_text
from identify.orbit.problem import pose
from identify.orbit.sampling import to_number

DIGITS = 60
AGREE = mpmath.mpf(10) ** -40
THETAS, SIGN_THETAS = 4, 40
REPORTS = 6
_NUMBERS = (2, 0.5, -1, 3, -2, 0.3, 1.7, -0.6, 5.2, 1)

Values = dict[Symbol, Any]


@dataclass(frozen=True)
class Report:
    """True parameters, and what a compatible fit returns in their place."""

    branch: BranchInfo
    theta: Values
    eta: Values


@dataclass(frozen=True)
class Evidence:
    """Admissible points, and reports drawn at some of them from every branch that could be drawn from."""

    law: Law
    thetas: tuple[Values, ...]
    reports: tuple[Report, ...]
    undrawn: int  # branches without a report

    @property
    def names(self) -> tuple[Symbol, ...]:
        """The parameters of the law."""
        return self.law.parameters


def gather(analysis: Analysis, law: Law) -> Evidence:
    """Points inside the assumptions, and reports of every branch of the analysis."""
    with mpmath.workdps(DIGITS):
        points = pose(law).sampler.points(SIGN_THETAS)
        thetas = tuple({p: to_number(point.parameters[p]) for p in law.parameters} for point in points)
        reports: list[Report] = []
        undrawn = 0
        for branch in analysis.gauge.branches if analysis.gauge else ():
            drawn = list(_draw(branch, law, thetas[:THETAS]))
            undrawn += not drawn
            reports += drawn
    return Evidence(law, thetas, tuple(reports), undrawn)


def _draw(branch: BranchInfo, law: Law, thetas: Sequence[Values]) -> Iterator[Report]:
    """A few reports of the branch at each theta, inside the branch's conditions and the assumptions."""
    extra = [Symbol(name, real=True) for name in (*branch.free, *branch.integers, *branch.symbols)]
    names = (*law.parameters, *extra)
    try:
        image = {p: read_expression(branch.parameters[p.name], names) for p in law.parameters}
        conditions = [c for text in branch.conditions for c in read_condition(text, (*names, law.state))]
        roots = {
            Symbol(n, real=True): read_expression(t.split("=")[0], names) for n, t in branch.symbols.items()
        }
    except InputError:
        return
    conditions = [c for c in conditions if law.state not in c.expression.free_symbols]
    generator = random.Random(1)
    for theta in thetas:
        yield from islice(_reports(branch, law, theta, image, conditions, roots, generator), REPORTS)


def _reports(
    branch: BranchInfo,
    law: Law,
    theta: Values,
    image: dict[Symbol, Expr],
    conditions: list[Condition],
    roots: dict[Symbol, Expr],
    generator: random.Random,
) -> Iterator[Report]:
    for attempt in range(8 * REPORTS):
        free = {Symbol(n, real=True): _number(attempt, generator) for n in branch.free}
        whole = {Symbol(n, real=True): mpmath.mpf(generator.randint(-3, 3)) for n in branch.integers}
        for point in _with_roots({**theta, **free, **whole}, roots):
            try:
                eta = {p: evaluate(e, point) for p, e in image.items()}
                admissible = all(_holds(c, point) for c in conditions)
                admissible = admissible and all(_holds(c, eta) for c in law.assumptions)
            except (ArithmeticError, Unreadable):
                continue
            if admissible:
                yield Report(branch, theta, eta)


def _number(attempt: int, generator: random.Random) -> Any:
    if attempt < len(_NUMBERS) // 2:
        return mpmath.mpf(_NUMBERS[attempt])
    return mpmath.mpf(generator.choice(_NUMBERS)) * generator.randint(50, 200) / 101


def _with_roots(point: Values, roots: dict[Symbol, Expr]) -> Iterator[Values]:
    """The point with every choice of real values for algebraic symbols."""
    if not roots:
        yield point
        return
    symbol, polynomial = next(iter(roots.items()))
    rest = {s: e for s, e in roots.items() if s != symbol}
    try:
        coefficients = [evaluate(c, point) for c in Poly(polynomial, symbol).all_coeffs()]
        found = mpmath.polyroots(coefficients, maxsteps=200, extraprec=400)
    except (PolynomialError, SympifyError, ArithmeticError, Unreadable, mpmath.libmp.NoConvergence):
        return
    for root in found:
        if abs(mpmath.im(root)) < AGREE:
            yield from _with_roots({**point, symbol: mpmath.re(root)}, rest)


def _holds(condition: Condition, point: Values) -> bool:
    value = evaluate(condition.expression, point)
    if condition.relation == "==":
        return bool(abs(value) < AGREE)
    if condition.relation == "!=":
        return bool(abs(value) > AGREE)
    return bool(value > 0 if condition.relation == ">" else value > -AGREE)


# -- constancy ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Change:
    """How a function that was claimed constant changes: its image under a branch, or two values."""

    told: str


def change(function: Expr, evidence: Evidence) -> Change | None:
    """The first report on which the function has another value, or None."""
    with mpmath.workdps(DIGITS):
        for report in evidence.reports:
            try:
                before, after = evaluate(function, report.theta), evaluate(function, report.eta)
            except (ArithmeticError, Unreadable):
                continue
            if abs(before - after) > AGREE * (1 + abs(before) + abs(after)):
                return Change(_told(function, report, before, after, evidence))
    return None


def _told(function: Expr, report: Report, before: Any, after: Any, evidence: Evidence) -> str:
    """The image as a formula where it is short, else the two values."""
    names = (*evidence.names, *report.branch.free, *report.branch.integers, *report.branch.symbols)
    image = function.xreplace(
        {p: read_expression(report.branch.parameters[p.name], names) for p in evidence.names}
    )
    text = to_text(image.cancel() if image.is_rational_function() else image)
    if len(text) <= 60:
        return f"another fit reports it as {text}"
    return f"another fit reports {mpmath.nstr(after, 6)} where it is {mpmath.nstr(before, 6)}"


# -- mutual dependence ----------------------------------------------------------------------------


def outside(functions: Iterable[Expr], known: Sequence[Expr], evidence: Evidence) -> list[Expr]:
    """The functions whose differential the known ones (and declared equalities) do not span."""
    with mpmath.workdps(DIGITS):
        return [f for f in functions if not _spanned(f, known, evidence)]


def _spanned(function: Expr, known: Sequence[Expr], evidence: Evidence) -> bool:
    ties = [c.expression for c in evidence.law.assumptions if c.relation == "=="]
    width = len(evidence.names)
    for theta in evidence.thetas[:THETAS]:
        try:
            rows = [_gradient(f, evidence.names, theta) for f in (*ties, *known)]
            both = [*rows, _gradient(function, evidence.names, theta)]
        except (ArithmeticError, Unreadable):
            continue
        before, after = eliminate(rows, width).rank, eliminate(both, width).rank
        if before is not None and after is not None and after > before:
            return False
    return True


def testable(all_functions: Iterable[Expr], evidence: Evidence) -> bool:
    """Whether all the functions can be differentiated at one of the points at least."""
    wanted = list(all_functions)
    with mpmath.workdps(DIGITS):
        return any(_differentiable(wanted, evidence.names, theta) for theta in evidence.thetas[:THETAS])


def _differentiable(wanted: list[Expr], names: Sequence[Symbol], theta: Values) -> bool:
    try:
        return bool([_gradient(f, names, theta) for f in wanted]) or not wanted
    except (ArithmeticError, Unreadable):
        return False


def _gradient(function: Expr, names: Sequence[Symbol], theta: Values) -> list[Any]:
    return [evaluate(function.diff(p), theta) for p in names]


# -- signs ----------------------------------------------------------------------------------------


def undetermined_signs(signs: Iterable[Expr], known: Sequence[Expr], evidence: Evidence) -> list[Expr]:
    """The signs that differ somewhere although all the known signs agree."""
    with mpmath.workdps(DIGITS):
        table = [(tuple(_value(k, t) for k in known), t) for t in evidence.thetas]
        return [s for s in signs if _differs(s, table)]


def _differs(function: Expr, table: list[tuple[tuple[Any, ...], Values]]) -> bool:
    seen: dict[tuple[Any, ...], Any] = {}
    for pattern, theta in table:
        value = _value(function, theta)
        if value is not None and seen.setdefault(pattern, value) != value:
            return True
    return False


def _value(function: Expr, theta: Values) -> int | None:
    try:
        return int(evaluate(function, theta))
    except (ArithmeticError, Unreadable):
        return None
