"""e_theta: fitted against true parameters, modulo everything that the analysis permits.

A frozen map takes the true parameters to those that the fit should have.  Branches that share the map (two
parameters known up to a joint sign) are all permitted, and the nearest counts.  Parameters that enter the law
only in combination, and fits on branches without an explicit map, are compared by the invariants.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from identify.analysis import Analysis
from identify.errors import InputError
from identify.fit.film import Array
from identify.fit.results.branch import Branch
from identify.fit.results.figures import finite
from identify.law import Law, read_expression
from identify.motion.dynamics import compiled

Errors = dict[str, float | None]  # in percent, by parameter or invariant


@dataclass(frozen=True)
class Frozen:
    """A map fitted on training clips: ``back`` takes latents to the reference coordinate."""

    name: str
    back: Callable[[Array], Array]
    branch: Branch | None = None
    free: Array | None = None
    affine: tuple[float, float] = (1.0, 0.0)


def compared(
    law: Law, analysis: Analysis, permitted: Sequence[Frozen], parameters: Array, true: Array
) -> dict[str, Any]:
    """``e_theta`` and what it is the largest of, or a note why there is none."""
    if analysis.gauge is None:
        told = "no theorem says which maps are permitted, so that parameters are not compared"
        return {"e_theta": None, "note": told}
    each = [_errors(law, analysis, frozen, parameters, true) for frozen in permitted]
    by_name = min(each, key=_order, default={})
    if not by_name:
        told = "no parameter and no invariant of the law can be compared with the truth"
        return {"e_theta": None, "note": told if law.parameters else "the law has no parameters"}
    return {"e_theta": _largest(by_name), "e_theta_by_parameter": by_name}


def _order(errors: Errors) -> float:
    largest = _largest(errors)
    return np.inf if largest is None else largest


def _largest(errors: Errors) -> float | None:
    known = [error for error in errors.values() if error is not None]
    return max(known) if known and len(known) == len(errors) else None


def _errors(law: Law, analysis: Analysis, frozen: Frozen, parameters: Array, true: Array) -> Errors:
    """Relative errors over nonzero dynamical coefficients at the frozen map.

    Offsets that the translation moves are no dynamical coefficients, nor in the canonical route the sizes of
    the picture, which the paper leaves out for the projected pendulum.
    """
    branch = frozen.branch
    if branch is None or frozen.free is None:
        return _invariants(law, analysis, parameters, true, set())
    wanted = branch.image(frozen.free, true)
    left_out = branch.moved | (branch.lengths if analysis.route.name == "canonical" else frozenset())
    unseen = {s for s in branch.free if not branch.map.has(s)}
    combined = {p.name for p in law.parameters if branch.images[p].free_symbols & unseen}
    each: Errors = {}
    for p, estimate, reference in zip(law.parameters, parameters, wanted, strict=True):
        if p.name not in left_out | combined and reference != 0:
            each[p.name] = _relative(float(estimate), float(reference))
    if combined:
        each |= _invariants(law, analysis, parameters, true, combined)
    return each


def _invariants(law: Law, analysis: Analysis, parameters: Array, true: Array, among: set[str]) -> Errors:
    """Relative errors of the invariants that have one of the named parameters; of all where none is named."""
    found: Errors = {}
    for text in analysis.invariants:
        try:
            expression = read_expression(text, [*law.parameters])
        except InputError:
            continue  # a hidden name: there is no number for it
        names = {s.name for s in expression.free_symbols}
        function = compiled(expression, *law.parameters)
        reference = finite(float(function(*true)))
        if reference and (not among or names & among):
            found[text] = _relative(float(function(*parameters)), reference)
    return found


def _relative(estimate: float, reference: float) -> float | None:
    return finite(100 * abs(estimate - reference) / abs(reference))
