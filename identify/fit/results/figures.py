"""Figures for people and for JSON: a value with its error in as many digits as the error allows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def finite(value: float | None) -> float | None:
    """The number, or None where it is missing, infinite or not a number."""
    return None if value is None or not math.isfinite(value) else float(value)


def plain(value: Any) -> Any:
    """The value as JSON can hold it: arrays as lists, numbers that are not finite as null."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return finite(float(value))
    if value is None or isinstance(value, str):
        return value
    return str(value)


def measured(value: float | None, error: float | None, unit: str | None = None) -> str:
    """``33.70 +- 0.12 1/s^2``: two digits of the error and as many of the value."""
    if value is None:
        return "-"
    tail = f" {unit}" if unit and unit != "1" else ""
    if error is None or not error > 0 or not math.isfinite(error):
        return f"{value:.5g}{tail}"
    if error >= 1e6 or abs(value) >= 1e7 or error < 1e-6:
        return f"{value:.4g} +- {error:.2g}{tail}"
    places = max(0, 1 - math.floor(math.log10(error)))
    return f"{value:.{places}f} +- {error:.{places}f}{tail}"


def percent(value: float | None) -> str:
    """A percentage with three digits."""
    return "-" if value is None else f"{value:.3g} %"
