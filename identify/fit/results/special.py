"""Special cases of the analysis that an estimate cannot be told from: there more may be free than it says."""

from __future__ import annotations

from identify.analysis import Analysis
from identify.errors import InputError
from identify.fit.film import Array
from identify.fit.results.warrant import Values
from identify.law import Law, read_expression

_WITHIN = 2.0  # standard errors


def special_cases(law: Law, analysis: Analysis, values: Values) -> list[str]:
    """Conditions such as ``rho == 2`` that hold within two standard errors."""
    found = []
    for stratum in analysis.strata:
        left, equals, right = stratum.condition.partition("==")
        if not equals:
            continue
        names = [*law.parameters]
        try:
            gap = read_expression(left, names) - read_expression(right, names)
        except InputError:
            continue  # a condition in other words; the analysis tells it
        value, se = values.of(gap)
        if value is not None and abs(value) <= max(_WITHIN * (se or 0.0), 1e-9):
            found.append(stratum.condition)
    return found


def exactly(law: Law, analysis: Analysis, true: Array) -> list[str]:
    """The special cases that hold at exact parameters."""
    import numpy as np

    count = len(law.parameters)
    return special_cases(law, analysis, Values(law.parameters, true, np.zeros((count, count))))


def warning(cases: list[str]) -> str:
    """One sentence for the report."""
    listed = " and ".join(cases)
    return (
        f"the fit cannot be told from the special case {listed}, in which other parameters may be free: see "
        "identify analyze --strata"
    )
