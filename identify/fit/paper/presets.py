"""Which of the paper's experiments a law belongs to, read off its terms and never off its name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import permutations

from sympy import Abs, Expr, Integer, Symbol, sin, sqrt

from identify.errors import InputError
from identify.fit.law_terms import Terms, law_terms
from identify.fit.paper.settings import PRESETS, PaperSettings
from identify.law import Law
from identify.law.probe import vanishes


def published(law: Law, preset: str | None = None) -> PaperSettings:
    """The settings of the experiment the law belongs to, else the generic CNN with three-point residuals."""
    if preset is not None and preset not in PRESETS:
        raise InputError(f"there is no preset '{preset[:40]}'", hint="one of " + ", ".join(PRESETS))
    terms = law_terms(law)
    projected = _projected_roles(law, terms)
    name = preset or ("projected-pendulum" if projected else _by_features(law, terms))
    settings = PRESETS[name]
    if name == "projected-pendulum":
        return replace(settings, initial=_renamed(settings.initial, projected))
    if name == "overhead-fall":
        return replace(settings, initial=_renamed(settings.initial, _overhead_roles(law, terms)))
    return settings


def _renamed(values: Mapping[str, float], roles: Mapping[str, str] | None) -> dict[str, float]:
    """Values by role as values by parameter; a role w may be written as its square."""
    found = {}
    for role, value in values.items():
        if roles and role in roles:
            found[roles[role]] = value
        elif roles and f"{role}**2" in roles:
            found[roles[f"{role}**2"]] = value**2
    return found


def _by_features(law: Law, terms: Terms) -> str:
    z, v = law.state, law.velocity
    features = _bare((*terms.features, *terms.known.as_ordered_terms()))
    damping = {v}
    if terms.nonlinear:
        return "generic"
    if features == {Integer(1)}:
        return "side-fall"
    if features == {v**2 / z, z**2}:
        return "overhead-fall"
    if any(feature.has(Abs) for feature in features):
        return "coverage" if all(_is_drag_feature(f, z, v) for f in features) else "generic"
    if features - damping == {sin(z)}:
        return "pendulum"
    if features <= {z, v, z**2 * v, v * (z**2 - 1)} and any(f.has(z) and f.has(v) for f in features):
        return "van-der-pol"
    degrees = _degrees(features - damping, z)
    return _POLYNOMIALS.get(degrees, "generic") if degrees else "generic"


_POLYNOMIALS = {(1,): "lti", (0, 1): "lti", (1, 3): "cubic", (1, 3, 5): "quintic", (1, 2): "quadratic"}


def _degrees(features: set[Expr], z: Symbol) -> tuple[int, ...] | None:
    degrees = []
    for feature in features:
        if feature != z ** (degree := int(feature.as_base_exp()[1]) if feature != 1 else 0):
            return None
        degrees.append(degree)
    return tuple(sorted(degrees))


def _is_drag_feature(feature: Expr, z: Symbol, v: Symbol) -> bool:
    """Whether it is a polynomial of the state times 1, v or v*abs(v)."""
    parts = (feature, feature / v, feature / (v * Abs(v)))
    return any(v not in part.free_symbols and part.is_polynomial(z) for part in parts)


def _bare(features: tuple[Expr, ...]) -> set[Expr]:
    """Features without the numbers in front of them."""
    return {feature.as_coeff_Mul()[1] for feature in features if feature != 0}


def _overhead_roles(law: Law, terms: Terms) -> dict[str, str]:
    """Which parameter is the coefficient rho of the squared velocity, if it stands alone."""
    for coefficient, feature in zip(terms.coefficients, terms.features, strict=True):
        if feature.has(law.velocity) and coefficient in terms.linear:
            return {"rho": coefficient.name}
    return {}


def _projected_roles(law: Law, terms: Terms) -> dict[str, str] | None:
    """Names of d, w, rho, s, b where the law is eq:app-exp-synth-projected-law, else None."""
    if len(terms.nonlinear) != 2 or not 2 <= len(terms.features) <= 3:
        return None
    z, v = law.state, law.velocity
    for s, b in permutations(terms.nonlinear):
        u = z - b
        wanted = {"d": v, "w**2": u * sqrt(1 - u**2 / s**2), "rho": u * v**2 / (s**2 - u**2)}
        roles = {"s": s.name, "b": b.name}
        for coefficient, feature in zip(terms.coefficients, terms.features, strict=True):
            role = next((r for r, phi in wanted.items() if _proportional(feature, phi)), None)
            base = coefficient.as_base_exp()[0]
            if role is None or not isinstance(base, Symbol):
                break
            roles["w" if role == "w**2" and base != coefficient else role] = base.name
        else:
            return roles
    return None


def _proportional(feature: Expr, wanted: Expr) -> bool:
    return vanishes(feature + wanted) or vanishes(feature - wanted)
