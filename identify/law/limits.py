"""Bounds on the work that reading a text may cause."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Every bound that is checked before SymPy sees the expression."""

    length: int = 2000
    depth: int = 60
    digits: int = 40
    exponent: int = 64
    degree: int = 200
    power_digits: int = 1000
    denominator: int = 10**6  # of an exponent
    size: int = 3000  # nodes, counting what a function such as cbrt repeats


LAW = Limits()

# Expressions that the package printed itself: longer than a human's, the same guards otherwise.
PRINTED = Limits(
    length=200_000,
    depth=100,
    digits=4000,
    exponent=1000,
    degree=20_000,
    power_digits=20_000,
    denominator=10**18,
    size=200_000,
)
