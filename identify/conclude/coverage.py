"""Coverage: which velocities must be realized at every state of U."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import lcm

from identify.analysis import Coverage
from identify.routes.feature import feature_text
from identify.routes.route import SQUARE, Feature, Route

Row = list[Fraction]


def coverage(route: Route) -> Coverage:
    """The rank condition of the route's theorem and an example set of velocities that meets it.

    Raw routes need ``rank [phi_1 .. phi_K, v**2] = K + 1`` (eq:feature-rank-matrix); the canonical
    route needs ``max(2, p) + 1`` distinct velocities (thm:canonical-report-orbit), the same rank
    for the powers of v.  The example's rank is exact.
    """
    if route.name == "unsupported":
        raise ValueError("an unsupported route has no coverage condition")
    features = columns(route)
    rank = len(features)
    # On one half-line |v|**p and |v|**p*sign(v) agree, and distinct powers stay independent.
    one_direction = len({feature.power for feature in features})
    return Coverage(
        features=tuple(feature_text(feature) for feature in features),
        rank=rank,
        velocities=rank,
        both_directions=one_direction < rank,
        example=tuple(str(velocity) for velocity in _example(features)),
        one_direction_rank=one_direction,
    )


def columns(route: Route) -> tuple[Feature, ...]:
    """The columns of the design matrix: the route's features and the curvature column ``v**2``."""
    return route.features if SQUARE in route.features else (*route.features, SQUARE)


def velocity_rank(features: tuple[Feature, ...], velocities: tuple[int, ...]) -> int:
    """The exact rank of ``[phi_k(v_i)]``; every speed must make the fractional powers rational."""
    return len(_independent(features, iter(velocities)))


def _example(features: tuple[Feature, ...]) -> tuple[int, ...]:
    """The first velocities among 1, -1, 2, -2, ... (or their n-th powers) with full rank."""
    return _independent(features, _candidates(_root(features)))


def _candidates(root: int) -> Iterator[int]:
    base = 1
    while True:
        yield base**root
        yield -(base**root)
        base += 1


def _root(features: tuple[Feature, ...]) -> int:
    """The n for which every feature is rational at n-th powers of integers."""
    return lcm(*(int(feature.power.q) for feature in features))


def _independent(features: tuple[Feature, ...], velocities: Iterator[int]) -> tuple[int, ...]:
    """The velocities whose row is independent of the rows before, up to full column rank."""
    chosen: list[int] = []
    echelon: list[tuple[int, Row]] = []
    for velocity in velocities:
        row = _reduce([_value(feature, velocity) for feature in features], echelon)
        pivot = next((index for index, entry in enumerate(row) if entry), None)
        if pivot is not None:
            chosen.append(velocity)
            echelon.append((pivot, row))
        if len(chosen) == len(features):
            break
    return tuple(chosen)


def _reduce(row: Row, echelon: list[tuple[int, Row]]) -> Row:
    for pivot, known in echelon:
        factor = row[pivot] / known[pivot]
        row = [entry - factor * other for entry, other in zip(row, known, strict=True)]
    return row


def _value(feature: Feature, velocity: int) -> Fraction:
    """The exact value of the feature at an integer velocity with a rational root."""
    size = _exact_power(abs(velocity), int(feature.power.p), int(feature.power.q))
    return -size if feature.odd and velocity < 0 else size


def _exact_power(speed: int, numerator: int, denominator: int) -> Fraction:
    base = _integer_root(speed, denominator)
    if base**denominator != speed:
        raise ValueError(f"{speed} has no rational root of order {denominator}")
    return Fraction(base) ** numerator


def _integer_root(number: int, order: int) -> int:
    """The largest integer whose ``order``-th power is at most ``number``, by bisection."""
    low, high = 0, number + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**order <= number else (low, middle)
    return low
