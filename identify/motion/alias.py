"""An alias within the declared family: two parameter values and a map that make the same observations.

It is read off a branch of the analysis and then confirmed by integrating both laws, so a mistake anywhere
before would show as a difference.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from scipy.optimize import brentq
from sympy import Expr, Poly, Rational, Symbol, real_roots

from identify.analysis import Analysis, BranchInfo
from identify.errors import InputError
from identify.law import read_condition, read_expression
from identify.law.law import Law
from identify.motion.comparison import TOLERANCE, Comparison, compare
from identify.motion.dynamics import Dynamics, compiled
from identify.motion.trajectory import Array
from identify.motion.values import Values, holds, real_number

SCHEMA = "identify/alias/1"
Kind = Literal["parameters", "two-slope", "one-way", "none"]

# 3/2 comes first: scaling by a power of two is exact in floating point, and a motion would meet itself.
_SCALES = tuple(map(Rational, ("3/2", "2/3", "2", "1/2", "-1", "-3/2", "3", "1/3")))
_SHIFTS = tuple(map(Rational, ("1/2", "0", "-1/2", "1", "-1", "2")))
_OTHERS = tuple(map(Rational, ("3/2", "2/3", "2", "1/2", "-1", "-2", "3")))
_INTEGERS = tuple(map(Rational, ("0", "1", "-1")))
_MOST_CHOICES = 400
_MOST_TRIED = 24


@dataclass(frozen=True)
class AliasReport:
    """The alias, or why there is none; ``identify/alias/1`` as JSON.

    ``verified`` says that every clip's ``difference`` is at most ``tolerance`` (relative).  ``table`` samples
    the coefficients of a law that is not in the declared family.  ``apart`` is a clip outside the premise,
    which tells the two laws apart.
    """

    law: str
    kind: Kind
    parameter: str | None
    truth: dict[str, float]
    report: dict[str, float] | None
    map: str | None
    choices: dict[str, str]
    construction: tuple[str, ...]
    table: tuple[dict[str, float], ...]
    clips: tuple[Comparison, ...]
    apart: Comparison | None
    difference: float | None
    tolerance: float
    verified: bool
    why: dict[str, str]
    outcome: Literal["found", "none", "undecided"]
    reason: str | None = None
    notes: tuple[str, ...] = field(default=())

    def to_dict(self) -> dict[str, Any]:
        """The JSON document; the samples of the clips are left to the picture."""
        document = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        document["clips"] = [clip.summary() for clip in self.clips]
        document["apart"] = self.apart.summary() if self.apart else None
        return {"schema": SCHEMA, **document}


def no_alias(law: Law, values: Values, why: dict[str, str], reason: str, *, decided: bool) -> AliasReport:
    """The answer where no alias exists, or none could be built."""
    return AliasReport(
        law=law.text,
        kind="none",
        parameter=None,
        truth={symbol.name: real_number(value) for symbol, value in values.items()},
        report=None,
        map=None,
        choices={},
        construction=(),
        table=(),
        clips=(),
        apart=None,
        difference=None,
        tolerance=TOLERANCE,
        verified=False,
        why=why,
        outcome="none" if decided else "undecided",
        reason=reason,
    )


def family_alias(
    analysis: Analysis,
    dynamics: Dynamics,
    initials: Sequence[tuple[float, float]],
    duration: float,
    parameter: str | None = None,
) -> AliasReport:
    """An alias that changes ``parameter``, or as many parameters as one branch can change."""
    law, why = dynamics.law, {name: verdict.why for name, verdict in analysis.parameters.items()}
    if parameter is not None and parameter not in {p.name for p in law.parameters}:
        listed = ", ".join(p.name for p in law.parameters) or "none"
        raise InputError(f"the law has no parameter '{parameter}'", hint=f"it has {listed}")
    if analysis.outcome == "unsupported":
        return no_alias(law, dynamics.values, {}, analysis.route.reason or "no theorem", decided=False)
    asked = [parameter] if parameter else list(analysis.parameters)
    known = [name for name in asked if name in analysis.parameters]
    if known and all(analysis.parameters[name].status == "identified" for name in known):
        reason = f"every report of the same video has the same {', '.join(known)}"
        return no_alias(law, dynamics.values, {name: why[name] for name in known}, reason, decided=True)
    ranked = sorted(_proposals(analysis, dynamics, asked), key=lambda p: -p.changed)
    for proposal in ranked[:_MOST_TRIED]:
        clips = proposal.verify(initials, duration)
        if clips:
            return _found(proposal, clips, parameter, why)
    reason = analysis.undecided_because or (
        "no branch of the analysis gave another admissible value at these parameters; the analysis with "
        "--strata tells whether they are special"
    )
    return no_alias(law, dynamics.values, why, reason, decided=False)


@dataclass(frozen=True)
class Proposal:
    """A branch with numbers: the report's parameters and the map as functions of the state."""

    truth: Dynamics
    report: Dynamics
    text: str
    mapping: Callable[[Array], Array]
    slope: Callable[[float], float]
    choices: dict[str, str]
    changed: int

    def verify(self, initials: Sequence[tuple[float, float]], duration: float) -> tuple[Comparison, ...]:
        """The clips, each within the tolerance, or none; a clip is shortened while it is not."""
        found = [self._clip(initial, duration) for initial in initials]
        clips = tuple(clip for clip in found if clip is not None)
        return clips if clips and all(clip.difference <= TOLERANCE for clip in clips) else ()

    def _clip(self, initial: tuple[float, float], duration: float) -> Comparison | None:
        with np.errstate(all="ignore"):
            state = float(self.mapping(np.array(initial[0])))
            velocity = self.slope(initial[0]) * initial[1]
        if not (np.isfinite([state, velocity]).all() and self.report.inside(state)):
            return None
        clip: Comparison | None = None
        # An unstable motion amplifies rounding errors exponentially; a shorter clip of it is still a proof.
        for halvings in range(5):
            clip = compare(
                self.truth.field,
                self.report.field,
                initial,
                (state, velocity),
                self.mapping,
                duration / 2**halvings,
                self.truth.stops(),
                self.report.stops(),
            )
            if clip is None or clip.difference <= TOLERANCE:
                break
        return clip


def _found(
    proposal: Proposal, clips: tuple[Comparison, ...], parameter: str | None, why: dict[str, str]
) -> AliasReport:
    truth = {s.name: real_number(v) for s, v in proposal.truth.values.items()}
    report = {s.name: real_number(v) for s, v in proposal.report.values.items()}
    kept = {name: why[name] for name in truth if _same(truth[name], report[name]) and name in why}
    return AliasReport(
        law=proposal.truth.law.text,
        kind="parameters",
        parameter=parameter,
        truth=truth,
        report=report,
        map=proposal.text,
        choices=proposal.choices,
        construction=(),
        table=(),
        clips=clips,
        apart=None,
        difference=max(clip.difference for clip in clips),
        tolerance=TOLERANCE,
        verified=True,
        why=kept,
        outcome="found",
    )


def _same(one: float, other: float) -> bool:
    return abs(one - other) <= 1e-12 * max(1.0, abs(one), abs(other))


def _proposals(analysis: Analysis, dynamics: Dynamics, asked: Sequence[str]) -> Iterator[Proposal]:
    for branch in analysis.gauge.branches if analysis.gauge else ():
        names = _names(branch, dynamics.law)
        for choice in itertools.islice(_choices(branch, names, dynamics), _MOST_CHOICES):
            proposal = _proposal(branch, names, choice, dynamics, asked)
            if proposal is not None:
                yield proposal


def _names(branch: BranchInfo, law: Law) -> dict[str, Symbol]:
    """Every name that the branch may use."""
    table = {s.name: s for s in (*law.parameters, law.state)}
    extra = (*branch.free, *branch.symbols, *branch.integers, f"{law.state.name}hat")
    return {**{name: Symbol(name, real=True) for name in extra}, **table}


def _choices(branch: BranchInfo, names: dict[str, Symbol], dynamics: Dynamics) -> Iterator[Values]:
    """Numbers for the free symbols, the integers, and the algebraic numbers of the branch."""
    axes = [[(names[n], value) for value in _options(n, dynamics)] for n in branch.free]
    axes += [[(names[n], value) for value in _INTEGERS] for n in branch.integers]
    for chosen in itertools.product(*axes):
        values = dict(chosen)
        for roots in itertools.product(*_roots(branch, names, {**dynamics.values, **values})):
            yield {**values, **dict(roots)}


def _options(name: str, dynamics: Dynamics) -> Sequence[Expr]:
    if name.startswith("lambda"):
        return _SCALES
    if name.startswith("tau"):
        return _SHIFTS
    own = next((v for s, v in dynamics.values.items() if name == f"{s.name}_hat"), None)
    if own is None or own == 0:
        return _OTHERS
    return [own * factor for factor in _OTHERS]


def _roots(branch: BranchInfo, names: dict[str, Symbol], values: Values) -> list[list[tuple[Symbol, Expr]]]:
    found = []
    for name, text in branch.symbols.items():
        polynomial = read_expression(text, names.values()).subs(values)
        try:
            roots = real_roots(Poly(polynomial, names[name]))
        except (NotImplementedError, ValueError):
            roots = []
        found.append([(names[name], root.evalf(40)) for root in dict.fromkeys(roots)])
    return found


def _proposal(
    branch: BranchInfo, names: dict[str, Symbol], choice: Values, dynamics: Dynamics, asked: Sequence[str]
) -> Proposal | None:
    law = dynamics.law
    every = {**dynamics.values, **choice}
    if not _admitted(branch, names, every):
        return None
    report: Values = {}
    for parameter in law.parameters:
        value = read_expression(branch.parameters[parameter.name], names.values()).subs(every)
        report[parameter] = value if value.is_Rational else value.evalf(40)
    numbers = {p.name: real_number(v) for p, v in report.items()}
    if not all(np.isfinite(list(numbers.values()))):
        return None
    changed = [p for p in law.parameters if not _same(numbers[p.name], real_number(dynamics.values[p]))]
    if not any(p.name in asked for p in changed):
        return None
    # A value with rounding, such as sqrt(2)/2, may break an equality by its last digit: that is no violation.
    if not all(holds(condition, report) for condition in law.assumptions):
        return None
    functions = _map(branch, names, every, law)
    if functions is None:
        return None
    shown = {symbol.name: str(value) for symbol, value in choice.items()}
    text = branch.map if branch.map is not None else (branch.relation or "")
    return Proposal(dynamics, replace(dynamics, values=report), text, *functions, shown, len(changed))


def _admitted(branch: BranchInfo, names: dict[str, Symbol], every: Values) -> bool:
    """Whether the branch's conditions hold; one in words only is left to the integration."""
    for text in branch.conditions:
        try:
            conditions = read_condition(text, names.values())
        except InputError:
            continue
        if not all(holds(condition, every) for condition in conditions):
            return False
    return True


def _map(
    branch: BranchInfo, names: dict[str, Symbol], every: Values, law: Law
) -> tuple[Callable[[Array], Array], Callable[[float], float]] | None:
    """The map and its slope, from its formula or from the relation between z and zhat."""
    state = law.state
    if branch.map is not None:
        expression = read_expression(branch.map, names.values()).subs(every)
        return _vectorised(compiled(expression, state)), compiled(expression.diff(state), state)
    if branch.relation is None:
        return None
    hat = names[f"{state.name}hat"]
    left, _, right = branch.relation.partition("=")
    relation = (read_expression(left, names.values()) - read_expression(right, names.values())).subs(every)
    value, across = compiled(relation, state, hat), compiled(relation.diff(hat), state, hat)
    along = compiled(relation.diff(state), state, hat)

    def solved(u: float) -> float:
        return _solve(lambda y: float(value(u, y)), u)

    def slope(u: float) -> float:
        y = solved(u)
        return -float(along(u, y)) / float(across(u, y))

    return _vectorised(lambda states: np.array([solved(float(u)) for u in np.ravel(states)])), slope


def _vectorised(function: Callable[[Any], Any]) -> Callable[[Array], Array]:
    def mapped(states: Array) -> Array:
        return np.asarray(function(states), dtype=float).reshape(np.shape(states)) + 0 * states

    return mapped


def _solve(function: Callable[[float], float], near: float) -> float:
    """The zero nearest to ``near`` on a growing bracket, or nan."""
    with np.errstate(all="ignore"):
        for reach in np.geomspace(1e-2, 1e3, 60) * max(1.0, abs(near)):
            low, high = near - float(reach), near + float(reach)
            at_low, at_high = function(low), function(high)
            if np.isfinite([at_low, at_high]).all() and at_low * at_high <= 0:
                return float(brentq(function, low, high, xtol=1e-15, rtol=1e-14))
    return float("nan")
