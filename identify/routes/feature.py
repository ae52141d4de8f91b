"""Velocity features as text and as factors: the algebra of ``|v|**power * sign(v)**odd``."""

from __future__ import annotations

from sympy import Rational

from identify.routes.route import Feature


def power_feature(power: int) -> Feature:
    """The feature of the monomial ``v**power``."""
    return Feature(Rational(power), power % 2 == 1)


def multiply_features(left: Feature, right: Feature) -> Feature:
    """The feature of the product: powers add, signs multiply (away from ``v = 0``)."""
    return Feature(left.power + right.power, left.odd != right.odd)


def feature_text(feature: Feature, velocity: str = "v") -> str:
    """The feature in the input language, e.g. ``1``, ``v``, ``v*abs(v)``, ``abs(v)**(3/2)``."""
    power = feature.power
    if feature.polynomial:
        return "1" if power == 0 else _power_text(velocity, power)
    size = f"abs({velocity})"
    if not feature.odd:
        return _power_text(size, power)
    if power == 0:
        return f"sign({velocity})"
    if power > 1:
        return f"{velocity}*{_power_text(size, power - 1)}"
    return f"sign({velocity})*{_power_text(size, power)}"


def _power_text(base: str, power: Rational) -> str:
    if power == 1:
        return base
    return f"{base}**{power}" if power.is_integer and power > 0 else f"{base}**({power})"
