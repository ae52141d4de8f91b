"""Antialiased shapes: the share of each pixel that a shape covers, seen through a lens of fixed sharpness."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Plane = NDArray[np.float32]

# The lens: a Gaussian of this many pixels.  The moments of a sampled Gaussian edge differ from those of the
# edge by exp(-2 pi^2 sharpness^2), 3e-4 here, so that a shape that moves by less than a pixel is seen to move.
SHARPNESS = 0.65


def edge(inside: Plane) -> Plane:
    """Coverage from the signed distance in pixels, positive inside: the Gaussian distribution function."""
    x = inside * np.float32(np.sqrt(2 / np.pi) / SHARPNESS)
    # The usual approximation of the distribution function by tanh, within 3e-4 and smooth.
    cubic = np.float32(0.044715 * np.pi / 2)
    return np.float32(0.5) + np.float32(0.5) * np.tanh(x + cubic * x * x * x)


def stroke(distance: Plane, width: float) -> Plane:
    """Coverage of a line of this width at the given distance from its middle."""
    half = np.float32(width / 2)
    return edge(half - distance) - edge(-half - distance)


def between(x: Plane, low: Plane | float, high: Plane | float) -> Plane:
    """Coverage of the stretch from ``low`` to ``high`` along one axis."""
    return edge(x - np.float32(low)) - edge(x - np.float32(high))


def disc(x: Plane, y: Plane, radius: Plane | float) -> Plane:
    """Coverage of a disc about the origin of ``x`` and ``y``."""
    return edge(np.float32(radius) - np.sqrt(x * x + y * y))


def rod(x: Plane, y: Plane, along: tuple[Plane, Plane], length: Plane | float, width: float) -> Plane:
    """Coverage of a rod from the origin of ``x`` and ``y`` in the unit direction ``along``."""
    reach = np.clip(x * along[0] + y * along[1], np.float32(0), np.float32(length))
    across, down = x - reach * along[0], y - reach * along[1]
    return stroke(np.sqrt(across * across + down * down), width)


def coil(x: Plane, y: Plane, length: Plane, turns: int, height: float, width: float) -> Plane:
    """Coverage of a coil spring seen from the side, from ``x = 0`` to ``x = length`` about ``y = 0``."""
    share = x / length
    middle = np.float32(2) * np.clip(share, np.float32(0), np.float32(1)) - np.float32(1)
    square = middle * middle
    taper = np.float32(height) * (np.float32(1) - square * square * square * square)
    phase = np.float32(2 * np.pi * turns) * share
    slope = taper * np.float32(2 * np.pi * turns) / length * np.cos(phase)
    distance = (y - taper * np.sin(phase)) / np.sqrt(np.float32(1) + slope * slope)
    return stroke(distance, width) * between(x, 0.0, length)
