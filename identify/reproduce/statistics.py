"""Statistics as the paper reports them (app:metric-conventions): over fits, each of which has its errors."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Quartiles:
    """Median [Q25, Q75]; quartiles by linear interpolation between ordered observations."""

    median: float
    low: float
    high: float
    count: int = 0

    def __str__(self) -> str:
        if math.isnan(self.low):  # the paper gives some medians alone
            return number(self.median)
        return f"{number(self.median)} [{number(self.low)}, {number(self.high)}]"

    @property
    def value(self) -> float:
        """What is compared."""
        return self.median


@dataclass(frozen=True)
class Mean:
    """Mean and sample standard deviation (divisor n - 1)."""

    mean: float
    deviation: float
    count: int = 0

    def __str__(self) -> str:
        return f"{self.mean:#.4g} ± {number(self.deviation)}"

    @property
    def value(self) -> float:
        """What is compared."""
        return self.mean


@dataclass(frozen=True)
class Share:
    """So many of so many."""

    part: int
    whole: int

    def __str__(self) -> str:
        return f"{self.part}/{self.whole}"

    @property
    def value(self) -> float:
        """What is compared."""
        return self.part / self.whole if self.whole else math.nan


Summary = Quartiles | Mean | Share


def number(value: float) -> str:
    """Three digits that count, without an exponent where there is no need."""
    return f"{value:.3g}" if 1e-3 <= abs(value) < 1e4 or value == 0 else f"{value:.1e}"


def known(values: Iterable[float | None]) -> list[float]:
    """The values that are numbers."""
    return [float(v) for v in values if v is not None and math.isfinite(v)]


def quartiles(values: Iterable[float | None]) -> Quartiles | None:
    """Median and quartiles of the values that are there; None without any."""
    ordered = sorted(known(values))
    if not ordered:
        return None
    median, low, high = (_quantile(ordered, q) for q in (0.5, 0.25, 0.75))
    return Quartiles(median, low, high, len(ordered))


def mean(values: Iterable[float | None]) -> Mean | None:
    """Mean and sample deviation of the values that are there; None without any."""
    found = known(values)
    if not found:
        return None
    middle = sum(found) / len(found)
    squares = sum((v - middle) ** 2 for v in found)
    return Mean(middle, math.sqrt(squares / (len(found) - 1)) if len(found) > 1 else 0.0, len(found))


def _quantile(ordered: Sequence[float], share: float) -> float:
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])
