"""Antialiased shapes: the share of each pixel that a shape covers, seen through a lens of fixed sharpness."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Plane = NDArray[np.float32]
Real = Plane | np.float32 | float

# The lens: a Gaussian of this many pixels.  Sampling changes the moments of such an edge by a share of
# exp(-2 pi^2 sharpness^2), 3e-4, so that a motion of far less than a pixel is seen as it is.
SHARPNESS = 0.65
_PARTS = 4  # of a pixel, for what is finer than one


def edge(inside: Plane) -> Plane:
    """Coverage from the signed distance in pixels, positive inside: the Gaussian distribution function."""
    x = inside * np.float32(np.sqrt(2 / np.pi) / SHARPNESS)
    # The usual approximation of the distribution function by tanh, within 3e-4 and smooth.
    cubic = np.float32(0.044715 * np.pi / 2)
    share: Plane = np.float32(0.5) + np.float32(0.5) * np.tanh(x + cubic * x * x * x)
    return share


def stroke(distance: Plane, width: float) -> Plane:
    """Coverage of a line of this width at the given distance from its middle."""
    half = np.float32(width / 2)
    return edge(half - distance) - edge(-half - distance)


def between(x: Plane, low: Real, high: Real) -> Plane:
    """Coverage of the stretch from ``low`` to ``high`` along one axis."""
    return edge(x - np.float32(low)) - edge(x - np.float32(high))


def disc(x: Plane, y: Plane, radius: Real) -> Plane:
    """Coverage of a disc about the origin of ``x`` and ``y``."""
    return edge(np.float32(radius) - np.sqrt(x * x + y * y))


def rod(x: Plane, y: Plane, along: tuple[Plane, Plane], length: Real, width: float) -> Plane:
    """Coverage of a rod from the origin of ``x`` and ``y`` in the unit direction ``along``."""
    reach = np.clip(x * along[0] + y * along[1], np.float32(0), np.float32(length))
    across, down = x - reach * along[0], y - reach * along[1]
    return stroke(np.sqrt(across * across + down * down), width)


def coil(x: Plane, y: Plane, length: Plane, turns: int, height: float, width: float) -> Plane:
    """Coverage of a coil spring seen from the side, from ``x = 0`` to ``x = length`` about ``y = 0``.

    The crests are finer than a pixel, so each pixel is the mean over its width.
    """
    rows = np.flatnonzero(np.abs(y).ravel() < height + width + 4 * SHARPNESS)
    shifts = (np.arange(_PARTS) + 0.5) / _PARTS - 0.5
    parts = [_coil(x + np.float32(s), y[:, rows], length, turns, height, width) for s in shifts]
    seen = np.zeros((len(length), y.shape[1], x.shape[2]), dtype=np.float32)
    seen[:, rows] = sum(parts[1:], parts[0]) / np.float32(_PARTS)
    return seen


def _coil(x: Plane, y: Plane, length: Plane, turns: int, height: float, width: float) -> Plane:
    share = x / length
    middle = np.float32(2) * np.clip(share, np.float32(0), np.float32(1)) - np.float32(1)
    square = middle * middle
    taper = np.float32(height) * (np.float32(1) - square * square * square * square)
    phase = np.float32(2 * np.pi * turns) * share
    slope = taper * np.float32(2 * np.pi * turns) / length * np.cos(phase)
    # To first order; it underestimates above the crests of a tight coil, hence the limit on y.
    distance = (y - taper * np.sin(phase)) / np.sqrt(np.float32(1) + slope * slope)
    limit = height + width / 2
    return stroke(distance, width) * between(x, 0.0, length) * between(y, -limit, limit)
