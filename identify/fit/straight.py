"""How straight a map is in the picture: the tie-breaker where clips do not determine the coordinate.

A passage or two are followed by many laws, each in a coordinate of its own.  Where every parameter has a
stated start and a rigid thing moves, the distance that it travels in the picture chooses among them: most
cameras bend a motion little.  It decides what the frames leave open, and proves nothing: the fit says so.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.polynomial import Chebyshev
from torch import Tensor

from identify.fit.curve import interpolate
from identify.fit.film import Pixels
from identify.fit.prepare.rigid import follow
from identify.fit.seen import Seen
from identify.fit.splines import Spline

BENDS = (2, 3)  # degrees of the Legendre polynomials that count as bends of the whole map
USUAL = 0.003  # bends of a straight map, by the spread of the positions: what a tracker errs by
_DEGREE = 5  # of the position as a function of the place: finer detail is the tracker's
_OFF = 0.05  # of the spread: a tracker that strays more from the curve follows something else
_LEAST_SPEED = 0.3  # of the usual one along the curve
_GRID = 60


@dataclass(frozen=True)
class Straight:
    """The distance travelled in the picture as a function of the place, with mean 0 and deviation 1."""

    place: Tensor  # an increasing grid
    distance: Tensor

    def bends(self, spline: Spline, place_map: Tensor) -> tuple[Tensor, Tensor]:
        """Bends of the map from latent to distance, and their derivatives by the coefficients."""
        basis, project = bending(spline, place_map)
        place = basis @ place_map
        slopes = self.distance.diff() / self.place.diff()
        cell = torch.searchsorted(self.place, place.contiguous()).clamp(1, len(self.place) - 1) - 1
        distance = self.distance[cell] + slopes[cell] * (place - self.place[cell])
        return project @ distance, project @ (slopes[cell].unsqueeze(1) * basis)


def bending(spline: Spline, like: Tensor) -> tuple[Tensor, Tensor]:
    """Values of the map on a grid from its coefficients, and its bends from these values."""
    at = np.linspace(-1, 1, _GRID)
    legendre = np.polynomial.legendre.legvander(at, max(BENDS)) * np.sqrt(2 * np.arange(max(BENDS) + 1) + 1)
    project = np.linalg.pinv(legendre)[list(BENDS)]
    grid = torch.linspace(spline.low, spline.high, _GRID, dtype=like.dtype, device=like.device)
    return spline.basis(grid), torch.from_numpy(project).to(like)


def find_straight(seen: Seen) -> Straight | None:
    """The distance along the curve in the picture; None where nothing rigid can be followed along it."""
    films = [seen.view.films[i] for i in seen.fitted]
    frames = [_grey(film.frames) for film in films]
    points = follow(frames, np.ones(frames[0].shape[1:], dtype=bool)).points
    if points is None:
        return None
    usable = torch.cat([seen.usable[i] for i in seen.fitted]).cpu().numpy()
    found, place = np.concatenate(points)[usable], seen.samples.place.cpu().numpy()
    known = np.isfinite(found).all(1)
    if known.sum() < 4 * _DEGREE:
        return None
    along = [Chebyshev.fit(place[known], found[known, k], _DEGREE) for k in (0, 1)]
    off = np.stack([found[known, k] - curve(place[known]) for k, curve in enumerate(along)])
    if float(off.std()) > _OFF * float(np.hypot(*found[known].std(0))):
        return None
    grid = np.linspace(place[known].min(), place[known].max(), 20 * _GRID)
    speed = np.hypot(*(curve.deriv()(grid) for curve in along))
    if float(speed.min()) < _LEAST_SPEED * float(np.median(speed)):
        return None
    distance = np.concatenate([[0.0], np.cumsum(speed[1:] + speed[:-1])])
    like = seen.samples.place
    told = torch.from_numpy(grid).to(like), torch.from_numpy(distance).to(like)
    at = interpolate(like, *told)
    return Straight(told[0], (told[1] - at.mean()) / at.std())


def _grey(frames: Pixels) -> Pixels:
    return frames if frames.ndim == 3 else frames.mean(3).astype(np.uint8)
