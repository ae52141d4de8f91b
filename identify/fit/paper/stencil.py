"""First and second derivatives by local polynomials; window 3 with degree 2 is the three-point stencil."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from identify.fit.film import Array


@dataclass(frozen=True)
class Stencil:
    """``first[k] @ q[k : k + window]`` is q' at the centre of the window, ``second`` likewise q''.

    Exact for polynomials up to the degree at any spacing of the times.  No row reaches over the ends
    (eq:AB_centered_stencil).
    """

    window: int
    first: Array
    second: Array


def fitting_window(count: int, window: int, degree: int) -> tuple[int, int] | None:
    """The window and degree that fit into ``count`` frames: as wanted, else as large as possible."""
    largest = count if count % 2 else count - 1
    window = min(window, largest)
    return (window, min(degree, window - 1)) if window >= 3 else None


def stencil(time: Array, window: int, degree: int) -> Stencil:
    """The stencil at every frame that has a full window."""
    places = np.arange(len(time) - window + 1)[:, None] + np.arange(window)
    return _weights(time[places], time[places[:, window // 2]], window, degree)


def full_derivatives(time: Array, values: Array, window: int, degree: int) -> tuple[Array, Array, Array]:
    """Smoothed value and derivatives at every frame; near the ends the window is shifted, not cut."""
    found = fitting_window(len(time), window, degree)
    if found is None:
        return values.copy(), np.full_like(values, np.nan), np.full_like(values, np.nan)
    window, degree = found
    first = np.clip(np.arange(len(time)) - window // 2, 0, len(time) - window)
    places = first[:, None] + np.arange(window)
    inverse, scale = _inverse(time[places], time, degree)
    fitted = np.einsum("kdw,kw->kd", inverse[:, :3], values[places])
    return fitted[:, 0], fitted[:, 1] / scale, 2 * fitted[:, 2] / scale**2


def _weights(times: Array, centres: Array, window: int, degree: int) -> Stencil:
    inverse, scale = _inverse(times, centres, degree)
    return Stencil(window, inverse[:, 1] / scale[:, None], 2 * inverse[:, 2] / scale[:, None] ** 2)


def _inverse(times: Array, centres: Array, degree: int) -> tuple[Array, Array]:
    """Least-squares inverses of the Vandermonde matrices in times scaled to the window."""
    offset = times - centres[:, None]
    scale = np.abs(offset).max(axis=1)
    basis = (offset / scale[:, None])[:, :, None] ** np.arange(degree + 1)
    return np.linalg.pinv(basis), scale
