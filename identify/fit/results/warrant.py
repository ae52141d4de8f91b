"""What a fit warrants about each parameter: the analysis says what may be told, the estimate the numbers.

A number appears only where every compatible report has it: identified parameters, the finite sets, the
sign, and the invariants (by the delta method with the full covariance).  Where the velocity coverage fails
or no theorem covers the law, the same numbers are told as not guaranteed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sympy import Expr, Symbol

from identify.analysis import Analysis, AnchorSet, ParameterVerdict
from identify.errors import InputError
from identify.fit.film import Array, Estimate
from identify.fit.results.dimension import Dimensions, dimensions, shared_dimension, text_of
from identify.fit.results.figures import finite
from identify.law import Law, read_expression
from identify.motion.dynamics import compiled

NOT_GUARANTEED = "not guaranteed"
_SHOWN_SETS = 3


@dataclass(frozen=True)
class Warranted:
    """One parameter: its status, and as much of its value as the status allows.

    ``fitted`` is the value at the fitted point of the orbit, kept for later calibration; it is no result
    where the status is ``free`` or ``sign``.
    """

    status: str
    value: float | None
    se: float | None
    unit: str | None
    why: str
    values: tuple[float, ...] = ()
    sign: str | None = None
    needs: str | None = None
    anchors: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class Invariant:
    """A function of the parameters that every compatible report shares."""

    value: float | None
    se: float | None
    unit: str | None


@dataclass(frozen=True)
class Values:
    """The parameters of a law at a point of its orbit, with their covariance."""

    symbols: tuple[Symbol, ...]
    values: Array
    covariance: Array

    def of(self, expression: Expr) -> tuple[float | None, float | None]:
        """Value and standard error of an expression, to first order."""
        function = compiled(expression, *self.symbols)
        value = finite(float(function(*self.values)))
        slopes = [compiled(expression.diff(s), *self.symbols)(*self.values) for s in self.symbols]
        gradient = np.array([float(slope) for slope in slopes])
        if value is None or not np.isfinite(gradient).all():
            return value, None
        # A parameter without a covariance (nan) says nothing only where it enters.
        inside = gradient != 0
        variance = gradient[inside] @ self.covariance[np.ix_(inside, inside)] @ gradient[inside]
        return value, finite(float(np.sqrt(max(variance, 0.0)))) if np.isfinite(variance) else None


def values_of(law: Law, estimate: Estimate) -> Values:
    """The estimate in the order of the law's parameters; a missing one is nan."""
    order = [estimate.names.index(p.name) if p.name in estimate.names else -1 for p in law.parameters]
    values = np.array([estimate.values[i] if i >= 0 else np.nan for i in order], dtype=float)
    covariance = np.full((len(order), len(order)), np.nan)
    for row, i in enumerate(order):
        for column, j in enumerate(order):
            if i >= 0 and j >= 0:
                covariance[row, column] = estimate.covariance[i, j]
    return Values(law.parameters, values, covariance)


def warranted(
    law: Law, analysis: Analysis, estimate: Estimate | None, units: Dimensions, doubt: str | None
) -> dict[str, Warranted]:
    """Every parameter's warrant; ``doubt`` is why nothing is guaranteed, where that is so."""
    values = None if estimate is None else values_of(law, estimate)
    return {p.name: _warrant(p, law, analysis, values, units, doubt) for p in law.parameters}


def _warrant(
    parameter: Symbol,
    law: Law,
    analysis: Analysis,
    values: Values | None,
    units: Dimensions,
    doubt: str | None,
) -> Warranted:
    verdict = analysis.parameters.get(parameter.name)
    unit = text_of(units.get(parameter))
    value, se = (None, None) if values is None else values.of(parameter)
    if verdict is None or verdict.status == "undecided":  # a value in the latent's own scale: time is known
        told = "the analysis gives no verdict" if verdict is None else verdict.why
        unit = text_of(dimensions(law, [], {}).get(parameter))
        return Warranted(NOT_GUARANTEED, value, se, unit, doubt or told)
    sets = _sets(analysis, parameter.name)
    if verdict.redundant:  # what is seen in the picture does not help: only another parameter does
        only = (tuple(a for a in chosen if a.startswith("parameter ")) for chosen in sets)
        sets = tuple(dict.fromkeys(chosen for chosen in only if chosen))
    needs = _needs(parameter.name, verdict, sets, analysis)
    match verdict.status:
        case "identified":
            status = NOT_GUARANTEED if doubt else "identified"
            return Warranted(status, value, se, unit, doubt or verdict.why)
        case "finite":
            status = NOT_GUARANTEED if doubt else "finite"
            found = _finite_set(value, verdict.alternatives, law, values)
            return Warranted(status, None, se, unit, doubt or verdict.why, found, None, needs, sets)
        case "sign":
            status = NOT_GUARANTEED if doubt else "sign"
            return Warranted(
                status, None, None, unit, doubt or verdict.why, (), _sign(value, se), needs, sets
            )
        case _:
            return Warranted("free", None, None, unit, verdict.why, (), None, needs, sets)


def _sign(value: float | None, se: float | None) -> str | None:
    """The sign, unless the error bar covers zero."""
    if value is None or value == 0 or (se is not None and abs(value) < 2 * se):
        return None
    return "+" if value > 0 else "-"


def _finite_set(
    value: float | None, alternatives: Sequence[str], law: Law, values: Values | None
) -> tuple[float, ...]:
    if values is None or value is None:
        return ()
    found = [value]
    for text in alternatives:
        try:
            other, _ = values.of(read_expression(text, [*law.parameters]))
        except InputError:
            continue  # it has a name of its own, such as an integer; the words of the verdict tell it
        if other is not None and not any(np.isclose(other, known, rtol=1e-9) for known in found):
            found.append(other)
    return tuple(found)


def _sets(analysis: Analysis, name: str) -> tuple[tuple[str, ...], ...]:
    """The smallest sets of anchors that fix a parameter; to give the parameter itself is none."""
    if analysis.calibration is None:
        return ()
    own = f"parameter {name}"
    sets: Sequence[AnchorSet] = analysis.calibration.parameters.get(name, ())
    chosen = [s.anchors for s in sets or analysis.calibration.everything if own not in s.anchors]
    least = min((len(anchors) for anchors in chosen), default=0)
    return tuple(anchors for anchors in chosen if len(anchors) == least)[:_SHOWN_SETS]


def _needs(name: str, verdict: ParameterVerdict, sets: Sequence[tuple[str, ...]], analysis: Analysis) -> str:
    """What would settle the parameter, in one sentence."""
    if verdict.redundant:
        return _redundancy(name, sets, analysis)
    choices = " or ".join(" with ".join(chosen) for chosen in sets)
    if verdict.status == "finite":
        if sets:
            return f"an anchor tells which ({choices})"
        sign = verdict.alternatives == (f"-{name}",)
        shown = f'--assume "{name} > 0"' if sign else "--assume"
        return f"no measurement tells which: the law is the same; declare it with {shown}"
    if not sets:
        return f"{name} depends on the latent scale, and no set of three anchors fixes it"
    return f"{name} depends on the latent coordinate: give an anchor ({choices})"


def _redundancy(name: str, sets: Sequence[tuple[str, ...]], analysis: Analysis) -> str:
    """A parameter that enters only in combination: no measurement in the picture settles it."""
    symbol = re.compile(rf"\b{re.escape(name)}\b")
    known = [text for text in analysis.invariants if symbol.search(text)]
    others = " or ".join(" with ".join(a.removeprefix("parameter ") for a in chosen) for chosen in sets)
    told = f"only in combination ({', '.join(known)})" if known else "only in combination with others"
    return told + (f": {name} follows once {others} is known" if others else "")


def invariants(
    law: Law, analysis: Analysis, estimate: Estimate | None, units: Dimensions
) -> dict[str, Invariant]:
    """The invariants of the law at the estimate, with propagated standard errors."""
    if estimate is None:
        return {}
    values = values_of(law, estimate)
    found: dict[str, Invariant] = {}
    for text in analysis.invariants:
        try:
            expression = read_expression(text, [*law.parameters])
        except InputError:
            continue  # a hidden name: there is no number for it
        value, se = values.of(expression)
        found[text] = Invariant(value, se, text_of(shared_dimension(expression, law, units)))
    return found


def table(found: Mapping[str, Warranted]) -> dict[str, dict[str, Any]]:
    """The parameters as the document has them; keys that say nothing are left out."""
    shown: dict[str, dict[str, Any]] = {}
    for name, w in found.items():
        entry: dict[str, Any] = {
            "value": w.value,
            "se": w.se,
            "status": w.status,
            "unit": w.unit,
            "why": w.why,
        }
        if w.values:
            entry["values"] = list(w.values)
        if w.sign is not None:
            entry["sign"] = w.sign
        if w.needs is not None:
            entry |= {"needs": w.needs, "anchors": [list(s) for s in w.anchors]}
        shown[name] = entry
    return shown
