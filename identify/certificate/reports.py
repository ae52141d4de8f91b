"""Compatible reports drawn from a branch, each one tested by substitution.

The identity tested is ``F_eta(f(u), f'(u) v) = f'(u) F_theta(u, v) + f''(u) v**2``; it covers every
route at once and needs no split into velocity features.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import mpmath
from sympy import Symbol

from identify.certificate.branch import Branch
from identify.certificate.evaluation import Point, Value, evaluate
from identify.certificate.maps import ExplicitMap, Jet
from identify.certificate.problem import Problem, Theta
from identify.certificate.sampling import Sampler
from identify.certificate.verification import Check
from identify.certificate.whole import keeps_domain, spread

STATES = 2
VELOCITIES = 4
DRAWS = 120
OUTSIDE_ENOUGH = 25
PATIENCE = 24
FAR = 8
FAR_DRAWS = 40
INTEGERS = (0, 1, -1, 2, -3)
FAR_ATTEMPT = 10**6  # as after many attempts: the sampler then ranges widely
BARREN = "without a state where map and laws are defined"


@dataclass(frozen=True)
class Report:
    """One compatible pair: the truth ``theta``, the report ``eta`` and all symbols in ``point``."""

    theta: Theta
    eta: Theta
    point: Point
    jets: tuple[tuple[Value, Jet], ...]
    whole: bool  # the map keeps the whole declared domain


@dataclass
class Trial:
    """The reports found on one branch, why other draws were dropped, and a refutation if any."""

    branch: Branch
    reports: list[Report] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)
    refuted: str = ""
    far: list[tuple[Theta, Theta]] = field(default_factory=list)

    def check(self, digits: int) -> Check:
        """Whether the branch maps the law onto the declared family."""
        claim = "F_eta(f, f' v) = f' F_theta(u, v) + f'' v**2 inside the assumptions"
        name = f"branch {self.branch.label}"
        if self.refuted:
            return Check(name, claim, False, self.refuted)
        if self.reports:
            return Check(name, claim, True, f"to {digits} digits at {len(self.reports)} reports")
        if self.dropped["outside the assumptions"] >= OUTSIDE_ENOUGH:
            return Check(name, claim, False, "every sampled report lies outside the assumptions")
        reasons = ", ".join(f"{count} {why}" for why, count in self.dropped.most_common(3))
        return Check(name, claim, None, f"no admissible point found: {reasons or 'out of time'}")


def try_branch(problem: Problem, branch: Branch, sampler: Sampler) -> Trial:
    """Reports of the branch at random points: for each theta two choices of the free symbols."""
    trial = Trial(branch)
    for draw in range(DRAWS):
        if sampler.late or trial.refuted or len(trial.reports) >= 2 * sampler.samples:
            break
        if trial.dropped[BARREN] >= PATIENCE and not trial.reports:
            break
        theta = sampler.theta(problem, fresh=draw % 2 == 1)  # the pooled ones may all miss the conditions
        if theta is None:
            trial.dropped["without admissible parameters"] += 1
            break
        _two_reports(problem, branch, sampler, theta, trial)
    trial.far = [pair for report in trial.reports for pair in _far(problem, branch, sampler, report)]
    return trial


def _far(problem: Problem, branch: Branch, sampler: Sampler, report: Report) -> Iterator[tuple[Theta, Theta]]:
    """Admissible parameters far along the branch, where a sign that is not fixed shows."""
    explicit = isinstance(branch.map, ExplicitMap) and branch.free and not branch.roots
    states, found = spread(problem, report.theta), 0
    for draw in range(FAR_DRAWS if explicit and not sampler.late else 0):
        if found == FAR or (draw >= FAR and not problem.domain):
            return
        point = {**report.theta, **integer_values(branch, sampler)}
        point |= {s: sampler.real(FAR_ATTEMPT if draw % 2 else 0) for s in branch.free}
        try:
            eta = {p: evaluate(expression, point) for p, expression in branch.parameters.items()}
            admitted = problem.admits(eta)
        except ArithmeticError:
            continue
        # the map must keep the domain, or the sign would change on no report
        kept = admitted and _maps_some(problem, branch, point, eta, report)
        if kept and _keeps(problem, branch, point, eta, states):
            found += 1
            yield report.theta, eta


def integer_values(branch: Branch, sampler: Sampler) -> dict[Symbol, Value]:
    """Small integers for the symbols that run through all integers."""
    return {s: mpmath.mpf(sampler.random.choice(INTEGERS)) for s in branch.integers}


def _keeps(problem: Problem, branch: Branch, point: Point, eta: Theta, states: list[Value]) -> bool:
    """Whether the map sends all these states into the domain; an implicit map is not traced so far."""
    coordinate = branch.map
    if not isinstance(coordinate, ExplicitMap):
        return not states

    def image(state: Value) -> Value | None:
        try:
            return evaluate(coordinate.expression, {**point, problem.state: state})
        except ArithmeticError:
            return None

    return keeps_domain(problem, eta, states, image)


def _maps_some(problem: Problem, branch: Branch, point: Point, eta: Theta, report: Report) -> bool:
    """Whether the map takes one of the report's states into the domain, under the conditions."""
    return any(list(_admissible_jets(problem, branch, point, eta, state)) for state, _ in report.jets)


def _two_reports(
    problem: Problem, branch: Branch, sampler: Sampler, theta: dict[Symbol, Value], trial: Trial
) -> None:
    """Adds up to two reports with this theta, or a refutation."""
    wanted = 2 if branch.free or branch.integers else 1
    for _ in range(6 * wanted):
        drawn = {**theta, **sampler.values(branch.free), **integer_values(branch, sampler)}
        found = _reports_at(problem, branch, sampler, drawn, trial)
        trial.reports.extend(found)
        wanted -= bool(found)
        if not wanted or trial.refuted:
            return


def _reports_at(
    problem: Problem, branch: Branch, sampler: Sampler, drawn: Point, trial: Trial
) -> list[Report]:
    """The reports at one choice of theta and free symbols; a refutation when every root fails."""
    found, failures = [], []
    try:
        for point in branch.with_roots(drawn):
            outcome = _attempt(problem, branch, sampler, point)
            if isinstance(outcome, Report):
                found.append(outcome)
            elif outcome.startswith("the identity"):
                failures.append(outcome)
            else:
                trial.dropped[outcome] += 1
    except ArithmeticError:
        trial.dropped["without real values"] += 1
    if failures and not found:
        trial.refuted = failures[0]
    return found


def _attempt(problem: Problem, branch: Branch, sampler: Sampler, point: Point) -> Report | str:
    """The report at a point, or why there is none."""
    eta = _reported(problem, branch, point)
    return eta if isinstance(eta, str) else _along_states(problem, branch, sampler, point, eta)


def fault_at(problem: Problem, branch: Branch, sampler: Sampler, point: Point, states: list[Value]) -> str:
    """What is wrong with the report at a given point and given states; empty if nothing is."""
    eta = _reported(problem, branch, point)
    if isinstance(eta, str):
        return eta
    for state in states:
        jet, failure = _fitting_jet(problem, branch, sampler, point, eta, state)
        if jet is None:
            return f"the identity fails by {failure}" if failure else "a state outside the map or the domain"
    return ""


def _reported(problem: Problem, branch: Branch, point: Point) -> dict[Symbol, Value] | str:
    """The parameters of the report at a point, or why there are none."""
    try:
        constants = (c for c in branch.conditions if problem.state not in c.expression.free_symbols)
        if not all(condition.holds(point) for condition in constants):
            return "outside the branch's conditions"
        eta = {p: evaluate(expression, point) for p, expression in branch.parameters.items()}
        return eta if problem.admits(eta) else "outside the assumptions"
    except ArithmeticError:
        return "without real values"


def _along_states(
    problem: Problem, branch: Branch, sampler: Sampler, point: Point, eta: Theta
) -> Report | str:
    """Tests the identity at a few states and velocities of both signs."""
    theta = {p: point[p] for p in problem.parameters}
    jets, failure = [], ""
    wanted = 8 if isinstance(branch.map, ExplicitMap) else 2  # implicit maps cost a root search each
    for state in sampler.states(problem, theta, wanted * STATES):
        jet, failure = _fitting_jet(problem, branch, sampler, point, eta, state)
        if failure:
            return _describe(failure, theta, branch)
        if jet is not None:
            jets.append((state, jet))
        if len(jets) == STATES:
            whole = _keeps(problem, branch, point, eta, spread(problem, theta))
            return Report(theta, eta, point, tuple(jets), whole)
    return BARREN


def _describe(failure: str, theta: Theta, branch: Branch) -> str:
    where = ", ".join(f"{s}={mpmath.nstr(x, 6)}" for s, x in theta.items())
    return f"the identity fails by {failure} at {where} on branch {branch.label}"


def _fitting_jet(
    problem: Problem, branch: Branch, sampler: Sampler, point: Point, eta: Theta, state: Value
) -> tuple[Jet | None, str]:
    """A jet of the map that satisfies the identity; or the smallest failure of those that do not."""
    theta = {p: point[p] for p in problem.parameters}
    failures = []
    for jet in _admissible_jets(problem, branch, point, eta, state):
        gap = identity_gap(problem, theta, eta, state, jet, sampler.velocities(VELOCITIES))
        if gap is not None and gap < mpmath.mpf(10) ** -sampler.digits:
            return jet, ""
        if gap is not None:
            failures.append(gap)
    return None, mpmath.nstr(min(failures), 3) if failures else ""


def _admissible_jets(
    problem: Problem, branch: Branch, point: Point, eta: Theta, state: Value
) -> Iterator[Jet]:
    """The jets at a state that meet the state conditions, keep f' away from 0 and stay in the domain."""
    try:
        here = {**point, problem.state: state}
        if not all(condition.holds(here) for condition in branch.conditions):
            return
        for jet in branch.map.jets(point, eta, state):
            if abs(jet.first) > mpmath.mpf(10) ** -12 and problem.inside(eta, jet.value):
                yield jet
    except (ArithmeticError, ValueError):
        return


def identity_gap(
    problem: Problem, theta: Theta, eta: Theta, state: Value, jet: Jet, velocities: list[Value]
) -> Value | None:
    """The largest relative failure of the identity over the velocities; None where F is undefined."""
    worst = mpmath.mpf(0)
    for velocity in velocities:
        try:
            left = problem.force(eta, jet.value, jet.first * velocity)
            right = jet.first * problem.force(theta, state, velocity)
        except ArithmeticError:
            return None
        bend = jet.second * velocity**2
        scale = max(abs(left) + abs(right) + abs(bend), mpmath.mpf(10) ** -6)
        worst = max(worst, abs(left - right - bend) / scale)
    return worst
