"""Frames against a template: the shift to parts of a pixel, whatever their gain and offset."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from identify.fit.film import Array, Pixels
from identify.fit.prepare.prepared import Mask, Real

_FAR = 3  # pixels, of the coarse search around the start
_SEARCHES = 8
_FINE = (-0.5, -0.25, 0.0, 0.25, 0.5)
_LEAST_SEEN = 0.5  # of the template inside the frame
_LIKE = 0.5
_RIDGE = 0.01
_CHUNK = 2000


@dataclass(frozen=True)
class Template:
    """The looks of a thing around ``centre``, (2 reach + 1)^2 pixels, and which of them are its own."""

    mean: Real
    own: Mask
    centre: tuple[int, int]
    reach: int

    @property
    def middle(self) -> tuple[float, float]:
        """The middle of its own pixels, (x, y) in the reference frame."""
        y, x = np.nonzero(self.own)
        return self.centre[0] + float(x.mean()) - self.reach, self.centre[1] + float(y.mean()) - self.reach


@dataclass(frozen=True)
class Placed:
    """The shift (x, y) of the template in each frame, nan where it is not found, and how alike they are."""

    shift: Array
    likeness: Array


def register(frames: Pixels, template: Template, start: Array) -> Placed:
    """The shift of every frame, looked for around ``start``."""
    matcher = _Matcher(template)
    found = [
        matcher.place(frames[k : k + _CHUNK], np.rint(start[k : k + _CHUNK]).astype(np.intp))
        for k in range(0, len(frames), _CHUNK)
    ]
    return Placed(np.concatenate([f.shift for f in found]), np.concatenate([f.likeness for f in found]))


class _Matcher:
    """A template at many small shifts, ready to be compared with many frames at once."""

    def __init__(self, template: Template) -> None:
        y, x = np.nonzero(template.own)
        self.x = x - template.reach + template.centre[0]
        self.y = y - template.reach + template.centre[1]
        near = range(-_FAR, _FAR + 1)
        self.coarse_steps = np.array([(a, b) for b in near for a in near])
        self.fine_steps = np.array([(a, b) for b in _FINE for a in _FINE])
        spline = ndimage.spline_filter(template.mean.astype(np.float64))

        def at(step: NDArray[np.float64]) -> Real:
            return np.asarray(
                ndimage.map_coordinates(spline, [y - step[1], x - step[0]], prefilter=False, mode="nearest"),
                dtype=np.float32,
            )

        self.coarse = np.stack([at(step) for step in self.coarse_steps])
        self.fine = np.stack([at(step) for step in self.fine_steps])
        tiny = 0.05
        self.slopes = np.stack(
            [
                np.stack([(at(step - d) - at(step + d)) / (-2 * tiny) for d in tiny * np.eye(2)])
                for step in self.fine_steps
            ]
        )  # (steps, 2, pixels): how the template changes with the shift

    def place(self, frames: Pixels, whole: NDArray[np.intp]) -> Placed:
        going, whole = np.arange(len(frames)), whole.copy()
        for _ in range(_SEARCHES):  # on, where the best is at the edge of what was looked at
            seen, valid = self._gather(frames[going], whole[going])
            step = self.coarse_steps[self._left(seen, valid, self.coarse).argmin(1)]
            whole[going] += step
            going = going[np.abs(step).max(1) == _FAR]
            if not len(going):
                break
        seen, valid = self._gather(frames, whole)
        left = self._left(seen, valid, self.fine)
        best = left.argmin(1)
        likeness = np.sqrt(np.clip(1 - left[np.arange(len(best)), best], 0, 1))
        shift = whole + self.fine_steps[best] + self._rest(seen, valid, best)
        unseen = (valid.mean(1) < _LEAST_SEEN) | (likeness < _LIKE)
        shift[unseen] = np.nan
        return Placed(shift, likeness.astype(np.float64))

    def _gather(self, frames: Pixels, whole: NDArray[np.intp]) -> tuple[Real, Real]:
        height, width = frames.shape[1:]
        x, y = self.x + whole[:, :1], self.y + whole[:, 1:]
        valid = (x >= 0) & (x < width) & (y >= 0) & (y < height)
        place = y.clip(0, height - 1) * width + x.clip(0, width - 1)
        seen = np.take_along_axis(frames.reshape(len(frames), -1), place, axis=1).astype(np.float32)
        return seen * valid, valid.astype(np.float32)

    @staticmethod
    def _left(seen: Real, valid: Real, bank: Real) -> Real:
        """The share of a frame's variance that each template of the bank leaves, gain and offset fitted."""
        count = np.maximum(valid.sum(1, keepdims=True), 1)
        total, squares = seen.sum(1, keepdims=True), (seen**2).sum(1, keepdims=True)
        first, second = valid @ bank.T, valid @ (bank**2).T
        product = seen @ bank.T - total * first / count
        own = np.maximum(second - first**2 / count, 1e-3)
        all_of_it = np.maximum(squares - total**2 / count, 1e-3)
        return np.asarray(1 - np.maximum(product, 0) ** 2 / own / all_of_it)

    def _rest(self, seen: Real, valid: Real, best: NDArray[np.intp]) -> Array:
        """What is left of the shift after the nearest fine step, by one linear step."""
        result = np.zeros((len(seen), 2))
        for step in np.unique(best):
            rows = np.flatnonzero(best == step)
            v, design = (
                valid[rows],
                np.stack([np.ones_like(self.fine[step]), self.fine[step], *self.slopes[step]]),
            )
            pairs = (design[:, None] * design[None]).reshape(16, -1)
            normal = (v @ pairs.T).reshape(-1, 4, 4).astype(np.float64)
            right = (seen[rows] @ design.T).astype(np.float64)
            strength = normal[:, 2, 2] + normal[:, 3, 3]
            normal[:, 2, 2] += _RIDGE * strength + 1e-6
            normal[:, 3, 3] += _RIDGE * strength + 1e-6
            normal[:, 0, 0] += 1e-6
            normal[:, 1, 1] += 1e-6
            numbers = np.linalg.solve(normal, right[..., None])[..., 0]
            gain = np.where(np.abs(numbers[:, 1]) > 0.1, numbers[:, 1], np.inf)
            result[rows] = np.clip(numbers[:, 2:] / gain[:, None], -0.5, 0.5)
        return result
