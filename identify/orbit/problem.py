"""A declared law made ready for the orbit stage."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sympy import Expr, Pow, S, Symbol

from identify.errors import InputError
from identify.law.law import Condition, Law
from identify.orbit.branch import Family
from identify.orbit.facts import Facts, resolve_absolute_values
from identify.orbit.generators import Unhandled
from identify.orbit.hidden import Hidden, hidden_parameters, written
from identify.orbit.real import SIGNS, declared_facts
from identify.orbit.sampling import Sampler, exact_bounds
from identify.routes.classify import classify
from identify.routes.route import Route


@dataclass(frozen=True)
class Problem:
    """A law with equalities eliminated, absolute values resolved, hidden parameters in place."""

    law: Law
    route: Route
    family: Family
    sampler: Sampler
    hidden: tuple[Hidden, ...] = ()

    def on(self, stratum: dict[Symbol, Expr]) -> Problem:
        """The problem for a truth on the stratum and reports in the whole family."""
        truth = {**self.sampler.truth, **stratum}
        truth = {p: e.xreplace(stratum) for p, e in truth.items()}
        return replace(
            self,
            family=replace(self.family, stratum=stratum),
            sampler=replace(self.sampler, truth=truth),
        )


def pose(law: Law) -> Problem:
    """Classify the law and set up its family."""
    eliminated = eliminations(law)
    check_consistent(law)
    facts = declared_facts((*law.assumptions, *law.domain))
    acceleration = resolve_absolute_values(law.acceleration.xreplace(eliminated), facts)
    route = classify(replace(law, acceleration=acceleration))
    functions = [c for _, c in route.channels]
    open_parameters = [p for p in law.parameters if p not in eliminated]
    hidden = hidden_parameters(functions, open_parameters, law.state, facts)
    table = {h.parameter: h.forward for h in hidden}
    parameters = (*law.parameters, *(h.symbol for h in hidden))
    eliminated = {**{p: e.xreplace(table) for p, e in eliminated.items()}, **table}
    assumptions = (*law.assumptions, *(h.condition for h in hidden), *denominators(law))
    assumptions += tuple(
        replace(c, expression=c.expression.xreplace(table)) for c in assumptions if c.expression.has(*table)
    )
    channels = tuple((f, written(c, table, facts)) for f, c in route.channels)
    given = (c.expression.xreplace(eliminated) for c in assumptions if c.relation in ("!=", ">"))
    nonzero = tuple(dict.fromkeys(e.base if e.is_Pow else e for e in given))
    between = {p: exact_bounds(p, assumptions) for p in parameters}
    limits = {p: (low, high) for p, (low, high) in between.items() if low is not None and high is not None}
    family = Family(law.state, parameters, channels, eliminated, nonzero, bounds=limits)
    sampler = Sampler(law.state, parameters, eliminated, assumptions, law.domain)
    return Problem(law, replace(route, channels=channels), family, sampler, tuple(hidden))


def check_consistent(law: Law) -> None:
    """Refuse conditions that contradict each other in their signs."""
    conditions = (*law.assumptions, *law.domain)
    whole = declared_facts(conditions)
    apart = ((c, declared_facts(tuple(o for o in conditions if o is not c))) for c in conditions)
    for condition, facts in (*((c, whole) for c in conditions), *apart):  # apart: not believed of itself
        if facts.implied([(condition.expression, SIGNS[condition.relation])], ()) is None:
            raise InputError(
                f"the conditions contradict each other: {condition.text} cannot hold with the others",
                condition.text,
                hint="leave one of them out",
            )


def denominators(law: Law) -> list[Condition]:
    """What the law divides by, among the parameters, is not zero."""
    bases = [law.leading, *(p.base for p in law.acceleration.atoms(Pow) if p.exp.could_extract_minus_sign())]
    found = dict.fromkeys(b for b in bases if b.free_symbols and b.free_symbols <= set(law.parameters))
    return [Condition(b, "!=", f"{b} != 0") for b in found]


def eliminations(law: Law) -> dict[Symbol, Expr]:
    """Declared equalities solved for a parameter that enters linearly."""
    found: dict[Symbol, Expr] = {}
    facts = declared_facts(law.assumptions)
    for condition in law.assumptions:
        if condition.relation != "==":
            continue
        solved = solve_for_parameter(condition.expression.xreplace(found), law.parameters, facts)
        if solved is None:
            raise Unhandled(f"the equality {condition.text}, which no parameter enters linearly")
        parameter, value = solved
        found = {p: e.xreplace({parameter: value}) for p, e in found.items()}
        found[parameter] = value
    return found


def solve_for_parameter(
    expression: Expr, parameters: tuple[Symbol, ...], facts: Facts | None = None
) -> tuple[Symbol, Expr] | None:
    """``(p, value)`` with ``expression = 0`` exactly where ``p = value``, for the last such parameter.

    The factor of p must be a number, or not vanish by the facts or because the rest is a number.
    """
    slopes = {p: expression.diff(p) for p in reversed(parameters)}
    for parameter, slope in slopes.items():
        if slope.is_number and slope != 0:
            return parameter, (parameter - expression / slope).expand()
    for parameter, slope in slopes.items():
        if facts is None:
            break
        rest = expression.xreplace({parameter: S.Zero})
        nonzero = facts.sign(slope) in ("+", "-", "!=") or (rest.is_number and rest != 0)
        if not slope.is_number and not slope.has(parameter) and nonzero:
            return parameter, (-rest / slope).cancel()
    return None
