"""From a law to its route: which theorem compares a report with the truth."""

from __future__ import annotations

from sympy import Expr, S, Symbol, sign

from identify.law.law import Law
from identify.routes.channels import Channels, expand_channels
from identify.routes.feature import power_feature
from identify.routes.refusal import Refusal, RefusedError, discontinuous, jump, mixed_square, singular
from identify.routes.route import LINEAR, ONE, SQUARE, Feature, Route
from identify.routes.zero import is_zero


def classify(law: Law) -> Route:
    """The law's route, with channels whose sum is exactly its acceleration.

    Semilinear (thm:semilinear-affine-collapse) within ``{1, v}``; feature separation
    (thm:feature-separation) for continuous features without ``v**2``; canonical
    (thm:canonical-report-orbit) for polynomials with ``v**2``; otherwise unsupported, saying which
    premise fails.
    """
    try:
        channels = expand_channels(law.acceleration, law.state, law.velocity)
    except RefusedError as error:
        return _unsupported(error.refusal)
    refusal = _failing_premise(channels, str(law.velocity)) or _jumping(channels, law.state)
    return _unsupported(refusal) if refusal else _supported(channels)


def _failing_premise(channels: Channels, velocity: str) -> Refusal | None:
    """The premise that the features break: continuity, or no ``v**2`` next to non-polynomials."""
    for feature in channels:
        if feature.power < 0:
            return singular(feature, velocity)
        if feature == Feature(ONE.power, True):
            return discontinuous(velocity)
        if SQUARE in channels and not feature.polynomial:
            return mixed_square(feature, velocity)
    return None


def _jumping(channels: Channels, state: Symbol) -> Refusal | None:
    """A coefficient that jumps with the sign of a function of the state."""
    for coefficient in channels.values():
        for node in coefficient.atoms(sign):
            if not node.has(state):
                continue
            height = coefficient.xreplace({node: S.One}) - coefficient.xreplace({node: S.NegativeOne})
            root = _linear_root(node.args[0], state)
            if root is None or not is_zero(_without_zero_powers(height.subs(state, root))):
                return jump(node, state)
    return None


def _linear_root(expression: Expr, state: Symbol) -> Expr | None:
    """Where a linear function of the state vanishes."""
    slope = expression.diff(state)
    return None if slope.has(state) or slope == 0 else -expression.subs(state, 0) / slope


def _without_zero_powers(expression: Expr) -> Expr:
    """``0**p`` as zero: an exponent that is a parameter stands for a positive number here."""
    return expression.replace(lambda e: e.is_Pow and e.base == 0, lambda e: S.Zero)


def _supported(channels: Channels) -> Route:
    pairs = tuple(channels.items())
    if SQUARE in channels:
        degree = max(int(feature.power) for feature in channels)
        powers = tuple(power_feature(power) for power in range(degree + 1))
        return Route("canonical", powers, pairs, "canonical-report-orbit")
    if channels.keys() <= {ONE, LINEAR}:
        return Route("semilinear", (ONE, LINEAR), pairs, "semilinear-affine-collapse")
    features = tuple(sorted({ONE, *channels}))
    return Route("feature-separation", features, pairs, "feature-separation")


def _unsupported(refusal: Refusal) -> Route:
    return Route("unsupported", (), (), None, refusal.reason, refusal.suggestion)
