"""A search for reports that the document does not know of.

Branches that a document lists are easy to test; a branch that it misses makes a wrong verdict
without making any listed claim false.  So the affine part of the compatible set,
``F_eta(lambda u + tau, lambda v) = lambda F_theta(u, v)``, is attacked by damped least squares from
random starts.  Whatever is found, and confirmed to many digits, must agree with the invariants
and verdicts.  Finding nothing proves nothing; the check then says how many reports were compared.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

import mpmath
from sympy import Expr, Symbol

from identify.certificate.branch import Branch
from identify.certificate.conclusions import Evidence, value_at
from identify.certificate.document import Document
from identify.certificate.evaluation import Undefined, Unreadable, compiled
from identify.certificate.least_squares import System, Vector, descend
from identify.certificate.maps import Jet
from identify.certificate.problem import Problem, Theta
from identify.certificate.reading import derivative
from identify.certificate.reports import identity_gap
from identify.certificate.sampling import Sampler
from identify.certificate.verification import Check
from identify.certificate.whole import keeps_domain, spread

STARTS = 4  # and as many again for each sample asked for: 16 by default
SECONDS = 2.0  # of processor time: a busy machine must not change the answer
SMALLEST = 1e-3
WHOLE = tuple(mpmath.mpf((k + 1) // 2 * (-1) ** k) for k in range(61))  # 0, 1, -1, 2, -2, ...
TURNS = 4000
DIFFERENT = mpmath.mpf(10) ** -12


@dataclass(frozen=True)
class Affine:
    """A compatible affine report: ``f = scale*u + shift`` and eta."""

    scale: Any
    shift: Any
    eta: Theta

    def image(self, state: Any) -> Any:
        """f(state)."""
        return self.scale * state + self.shift


def check_search(evidence: Evidence, document: Document, sampler: Sampler) -> list[Check]:
    """No affine report found by the search contradicts the document."""
    claim = "no affine report outside the listed answer is found by a random search"
    try:
        problem = evidence.problem
        partials = {s: derivative(problem.acceleration, s)
                    for s in (problem.state, problem.velocity, *problem.parameters)}  # fmt: skip
        found, detail = _search(evidence, document, sampler, partials)
    except Unreadable as refusal:
        return [Check("search", claim, None, str(refusal))]
    result = f"{found} reports found, all agree" if found else "no report found"
    local = document.guarantee is not None and document.guarantee.scope != "global"
    if detail and local:
        return [Check("search", claim, None, f"{detail}; the document speaks of maps near the identity only")]
    return [Check("search", claim, not detail, detail or f"{result}; a search, not a proof")]


def _search(
    evidence: Evidence, document: Document, sampler: Sampler, partials: dict[Symbol, Expr]
) -> tuple[int, str]:
    """How many reports were found, and the first contradiction."""
    found, end = 0, time.process_time() + SECONDS
    for start in range(STARTS * (1 + sampler.samples)):
        if time.process_time() > end or sampler.late:
            break
        report, theta = _one_report(evidence.problem, sampler, partials, start)
        if report is None or theta is None:
            continue
        found += 1
        contradiction = _contradiction(evidence, document, theta, report.eta)
        if contradiction:
            return found, f"{contradiction}, by f = {_n(report.scale)}*u + {_n(report.shift)}"
    return found, ""


def _one_report(
    problem: Problem, sampler: Sampler, partials: dict[Symbol, Expr], start: int
) -> tuple[Affine | None, Theta | None]:
    theta = sampler.theta(problem)
    guess = _near(sampler, theta) if start % 2 and theta is not None else sampler.theta(problem)
    if theta is None or guess is None:
        return None, None
    states = sampler.states(problem, theta, len(problem.parameters) + 4)
    if len(states) < 3:
        return None, None
    points = [(u, v) for u in states for v in sampler.velocities(2)]
    scale = sampler.random.uniform(0.5, 2) * sampler.random.choice((1, -1))
    shift = sampler.random.uniform(-3, 3) if start % 3 else 0.0
    first = [scale, shift, *(guess[p] for p in problem.parameters)]
    coarse = descend(_system(problem, partials, theta, points, fast=True), [float(x) for x in first])
    if coarse is None:
        return None, theta
    fine = descend(_system(problem, partials, theta, points, fast=False), [mpmath.mpf(x) for x in coarse])
    return (_confirmed(problem, sampler, theta, fine) if fine is not None else None), theta


def _near(sampler: Sampler, theta: Theta) -> Theta:
    """Parameters of the size of theta with random signs, where discrete branches tend to lie."""
    choose = sampler.random
    return {p: x * choose.choice((1, -1)) * choose.uniform(0.7, 1.4) for p, x in theta.items()}


def _system(
    problem: Problem, partials: dict[Symbol, Expr], theta: Theta, points: list[tuple[Any, Any]], fast: bool
) -> System:
    """Residuals ``F_eta(lambda u + tau, lambda v)/lambda - F_theta(u, v)`` and their Jacobian."""
    number: Callable[[Any], Any] = float if fast else mpmath.mpf
    force = compiled(problem.acceleration, fast)
    slopes = [compiled(partials[p], fast) for p in problem.parameters]
    along, across = compiled(partials[problem.state], fast), compiled(partials[problem.velocity], fast)
    data = [(number(u), number(v), number(problem.force(theta, u, v))) for u, v in points]

    def system(x: Vector) -> tuple[Vector, list[Vector]]:
        scale, shift, eta = x[0], x[1], dict(zip(problem.parameters, x[2:], strict=True))
        residuals, rows = [], []
        if abs(scale) < SMALLEST:
            raise Undefined("the map degenerates")
        for u, v, target in data:
            at = {**eta, problem.state: scale * u + shift, problem.velocity: scale * v}
            value, tilt = force(at) / scale, along(at)
            residuals.append(value - target)
            stretch = (tilt * u + across(at) * v - value) / scale
            rows.append([stretch, tilt / scale, *(slope(at) / scale for slope in slopes)])
        return residuals, rows

    return system


def _confirmed(problem: Problem, sampler: Sampler, theta: Theta, x: Vector) -> Affine | None:
    """The report if it is admissible and the identity holds at fresh points."""
    report = Affine(x[0], x[1], dict(zip(problem.parameters, x[2:], strict=True)))
    seen = 0
    try:
        if not problem.admits(report.eta):
            return None
        for state in sampler.states(problem, theta, 6):
            image = report.image(state)
            if not problem.inside(report.eta, image):
                continue
            jet = Jet(image, report.scale, mpmath.mpf(0))
            gap = identity_gap(problem, theta, report.eta, state, jet, sampler.velocities(4))
            if gap is None or gap > mpmath.mpf(10) ** -24:
                return None
            seen += 1
        if not keeps_domain(problem, report.eta, spread(problem, theta), report.image):
            return None
    except ArithmeticError:
        return None
    return report if seen > 2 else None


def _contradiction(evidence: Evidence, document: Document, theta: Theta, eta: Theta) -> str:
    """Which claim of the document the pair (theta, eta) contradicts; empty if none."""
    for text in (*document.invariants, *document.sign_invariants):
        expression = evidence.problem.reader.expression(text)
        before, after = value_at(expression, theta), value_at(expression, eta)
        if before is not None and after is not None and _differ(before, after):
            return f"{text} goes from {_n(before)} to {_n(after)}"
    for parameter in evidence.problem.parameters:
        verdict = document.parameters.get(parameter.name)
        if verdict is not None and _refutes(evidence, verdict.status, parameter, theta, eta):
            before, after = theta[parameter], eta[parameter]
            return f"{parameter} is {verdict.status} but goes from {_n(before)} to {_n(after)}"
    return ""


def _refutes(evidence: Evidence, status: str, parameter: Symbol, theta: Theta, eta: Theta) -> bool:
    before, after = theta[parameter], eta[parameter]
    if status == "identified":
        return _differ(before, after)
    if status == "sign":
        return bool(mpmath.sign(before) != mpmath.sign(after))
    return status == "finite" and not _listed(evidence, parameter, theta, after)


def _listed(evidence: Evidence, parameter: Symbol, theta: Theta, value: Any) -> bool:
    """Whether some branch reports this value at theta; the free symbols do not matter to it."""
    for trial in evidence.trials:
        point = {**theta, **{s: mpmath.mpf(k + 3) / 2 for k, s in enumerate(trial.branch.free)}}
        try:
            for complete in _completions(trial.branch, point):
                reported = value_at(trial.branch.parameters[parameter], complete)
                if reported is not None and not _differ(reported, value):
                    return True
        except ArithmeticError:
            continue
    return False


def _completions(branch: Branch, point: dict[Symbol, Any]) -> Iterator[dict[Symbol, Any]]:
    """The point with every choice of algebraic numbers and of small integers."""
    for values in islice(product(WHOLE, repeat=len(branch.integers)), TURNS):
        yield from branch.with_roots({**point, **dict(zip(branch.integers, values, strict=True))})


def _differ(left: Any, right: Any) -> bool:
    return bool(abs(left - right) > DIFFERENT * (1 + abs(left)))


def _n(value: Any) -> str:
    return str(mpmath.nstr(value, 6))
