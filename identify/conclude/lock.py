"""Translation lock and scaling weights."""

from __future__ import annotations

from sympy import Expr, S, Symbol

from identify.algebra.ring import NotPolynomial
from identify.analysis import TranslationLock
from identify.conclude.continuous import weight_rows
from identify.orbit.arguments import polynomial_coefficients
from identify.orbit.branch import LAMBDA
from identify.orbit.compatible import CompatibleSet
from identify.routes.route import LINEAR, ONE, Route


def translation_lock(compatible: CompatibleSet, route: Route) -> TranslationLock:
    """Whether every compatible map is free of translations, and by which argument."""
    moved = [r for r in compatible.branches if r.branch.shift is None or r.branch.shift != 0]
    gap = top_gap(compatible, route) if route.name == "semilinear" else None
    if moved:
        if any(r.branch.shift is None for r in moved):
            return TranslationLock(False, "the compatible maps are not affine")
        return TranslationLock(False, "solving the orbit equations leaves maps with a translation")
    if gap is not None:
        return TranslationLock(True, gap)
    return TranslationLock(True, "solved, and no solution of the orbit equations has a translation")


def top_gap(compatible: CompatibleSet, route: Route) -> str | None:
    """The structural top gap of lem:translation-lock, in words, where there is one."""
    words = {ONE: "restoring", LINEAR: "damping"}
    for feature, coefficient in route.channels:
        try:
            degrees = polynomial_coefficients(coefficient, compatible.family.state)
        except NotPolynomial:
            continue
        top = max(degrees, default=0)
        nonzero = compatible.filter.facts.sign(degrees.get(top, coefficient)) in (
            "+",
            "-",
            "!=",
        )
        if top >= 2 and top - 1 not in degrees and nonzero and feature in words:
            missing = f"degree {top - 1}, which a shift would add (top gap)"
            return f"the {words[feature]} term has degree {top} and none of {missing}"
    return None


def weights(compatible: CompatibleSet, lock: TranslationLock) -> dict[Symbol, Expr] | None:
    """``w`` with ``eta = lambda**(-w) * theta`` for every parameter, where all of them only rescale."""
    identity = compatible.identity
    if identity is None or not lock.locked or identity.branch.free != (LAMBDA,):
        return None
    parameters = compatible.family.parameters
    rows = weight_rows(identity.branch, parameters)
    if rows is None:
        return None
    row = rows[0] if rows else [S.Zero] * len(parameters)
    return {p: -w for p, w in zip(parameters, row, strict=True)}
