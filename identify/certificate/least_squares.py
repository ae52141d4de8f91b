"""Damped least squares (Levenberg-Marquardt) in machine floats or in mpmath reals."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath

Vector = list[Any]
System = Callable[[Vector], tuple[Vector, list[Vector]]]  # residuals and the rows of their Jacobian

STEPS = 40
CONVERGED = 1e-11
CONFIRMED = mpmath.mpf(10) ** -30
LARGEST = 1e4


def descend(system: System, x: Vector, damping: Any = None) -> Vector | None:
    """Levenberg-Marquardt; the point if the residual vanishes to the precision of the numbers."""
    goal = CONVERGED if isinstance(x[0], float) else CONFIRMED
    if damping is None:  # mpmath reals usually refine what floats have found
        damping = 0.1 if isinstance(x[0], float) else mpmath.mpf(10) ** -18
    try:
        residuals, rows = system(x)
    except ArithmeticError:
        return None
    cost = _norm(residuals)
    for _ in range(STEPS):
        if cost < goal:
            return x
        trial = newton_step(x, residuals, rows, damping)
        try:
            better = system(trial) if trial is not None else None
        except ArithmeticError:
            better = None
        if better is None or not _norm(better[0]) < cost:
            damping = damping * 8
            if damping > 1e8:
                return None
            continue
        x, (residuals, rows) = trial or x, better
        damping, cost = max(damping / 8, _floor(x)), _norm(residuals)
    return None


def _floor(x: Vector) -> Any:
    return 1e-14 if isinstance(x[0], float) else mpmath.mpf(10) ** -40


def _norm(vector: Vector) -> Any:
    return math.inf if any(x != x for x in vector) else max(abs(x) for x in vector)


def newton_step(x: Vector, residuals: Vector, rows: list[Vector], damping: Any) -> Vector | None:
    """``x - (J'J + damping)**-1 J'r`` by elimination; None if it leaves the bounds."""
    size = range(len(x))
    columns = list(zip(*rows, strict=True))
    normal = [[_dot(columns[i], columns[j]) for j in size] + [_dot(columns[i], residuals)] for i in size]
    for i in size:
        normal[i][i] += damping * (1 + normal[i][i])
    for i in size:
        pivot = max(range(i, len(x)), key=lambda k, i=i: abs(normal[k][i]))  # type: ignore[misc]
        normal[i], normal[pivot] = normal[pivot], normal[i]
        if not normal[i][i]:
            return None
        for k in size:
            if k != i and normal[k][i]:
                factor = normal[k][i] / normal[i][i]
                normal[k] = [a - factor * b for a, b in zip(normal[k], normal[i], strict=True)]
    moved = [a - normal[i][-1] / normal[i][i] for i, a in enumerate(x)]
    bounded = all(abs(a) < LARGEST for a in moved)
    return moved if bounded else None


def _dot(left: Any, right: Any) -> Any:
    return sum(a * b for a, b in zip(left, right, strict=True))
