"""Velocity features and the route of a law, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sympy import Expr, Rational

RouteName = Literal["semilinear", "feature-separation", "canonical", "unsupported"]


@dataclass(frozen=True, order=True)
class Feature:
    """The velocity feature ``|v|**power * sign(v)**odd``.

    ``v**r`` is ``Feature(r, r odd)``, ``v*|v|`` is ``Feature(2, True)``, ``|v|`` is
    ``Feature(1, False)``.  Under ``v -> lambda*v`` it is multiplied by
    ``|lambda|**power * sign(lambda)**odd``.
    """

    power: Rational
    odd: bool

    @property
    def polynomial(self) -> bool:
        """Whether the feature is a power ``v**r`` with a non-negative integer ``r``."""
        return bool(self.power.is_integer) and (self.power % 2 == 1) == self.odd


ONE = Feature(Rational(0), False)
LINEAR = Feature(Rational(1), True)
SQUARE = Feature(Rational(2), False)


@dataclass(frozen=True)
class Route:
    """Which theorem compares a report with the truth, and the law's channels ``c_k(z)``.

    ``channels`` pairs each feature that occurs with its coefficient function of the state, so
    that the acceleration is ``sum c_k(z) * phi_k(v)``; ``features`` is the declared feature space
    (always containing 1 and, in the canonical route, every power up to the degree).
    An unsupported route has no channels; ``reason`` names the failing premise and ``suggestion``
    what could be declared instead.
    """

    name: RouteName
    features: tuple[Feature, ...]
    channels: tuple[tuple[Feature, Expr], ...]
    theorem: str | None
    reason: str | None = None
    suggestion: str | None = None
