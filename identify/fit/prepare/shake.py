"""Camera shift and roll of every frame, from the sharp detail of pixels on which nothing moves.

``frame = background - shift . gradient + roll * rotation`` is linear in three numbers for small motions;
larger ones are reached in rounds, each moving the frames back by what was found.  Frames are high-passed
first, so that soft shadows and uneven lighting do not pass for a shift.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from identify.fit.film import Array, Pixels
from identify.fit.prepare.prepared import Mask, Real

_PRIOR = np.array([1.0, 1.0, 0.005])  # pixels, pixels, radians
_BLURS = (2.0, 1.0, 1.0)  # pixels, by round: a wide blur reaches further
_WIDER = (4.0, *_BLURS)
_REWEIGHTED = 3
_MOST_PIXELS = 3000
SHAKEN = 0.1  # survey pixels: a smaller shift is left alone
_CHUNK = 400
_LEAST_PIXELS = 150
_CLOSE = 0.15  # of the picture's side: the spread of all detail of one small thing
_LEAST_DETAIL = 0.2  # grey levels a pixel


@dataclass(frozen=True)
class Shake:
    """Per frame: shift in pixels (x, y), roll in radians; ``sure`` is the shift over its standard error."""

    shift: Array
    roll: Array
    sure: float

    @property
    def size(self) -> float:
        """The 90th percentile of the shift around its median, in pixels."""
        return float(np.percentile(np.hypot(*(self.shift - np.median(self.shift, axis=0)).T), 90))

    @property
    def matters(self) -> bool:
        """Whether it is large enough to be seen in the films, and certain."""
        return self.size > SHAKEN and self.sure > 5


def find_shake(frames: Pixels, background: Real, still: Mask, noise: float, apart: bool = True) -> Shake:
    """The camera's motion in each frame relative to the background; roll only where it is beyond doubt.

    ``apart`` keeps away from what is not still, whose blur would pass for a shift.  A scene without detail
    shows no motion, and none is reported.
    """
    blurs = _BLURS if apart else _WIDER
    masks = [_apart(still, blur) if apart else still for blur in blurs]
    rounds = [(b, m) for b, m in zip(blurs, masks, strict=True) if _shows(background, m, b, noise)]
    if not rounds:
        return Shake(np.zeros((len(frames), 2)), np.zeros(len(frames)), 0.0)
    found, error = _found(frames, background, rounds, noise, _PRIOR)
    reach = 0.5 * float(np.hypot(*background.shape))
    roll = float(np.percentile(np.abs(found[:, 2] - np.median(found[:, 2])), 90))
    if roll < 6 * error[1] or roll * reach < 2 * SHAKEN:
        found, error = _found(frames, background, rounds, noise, _PRIOR * np.array([1, 1, 1e-4]))
        found[:, 2] = 0
    size = float(np.percentile(np.hypot(*(found[:, :2] - np.median(found[:, :2], axis=0)).T), 90))
    return Shake(found[:, :2], found[:, 2], size / max(error[0], 1e-9))


def _found(
    frames: Pixels, background: Real, rounds: Sequence[tuple[float, Mask]], noise: float, prior: Array
) -> tuple[Array, tuple[float, float]]:
    numbers, error = np.zeros((len(frames), 3)), (np.inf, np.inf)
    for blur, still in rounds:
        design, target = _design(background, still, blur)
        step = np.empty((len(frames), 3))
        for start in range(0, len(frames), _CHUNK):
            part = slice(start, start + _CHUNK)
            back = frames[part]
            if numbers.any():
                back = stabilised(back, numbers[part, :2], numbers[part, 2])
            change = _high_pass(back.astype(np.float32), blur)[:, target.y, target.x] - target.values
            step[part], error = _robust(change, design, noise, prior)
        numbers += step
        if np.percentile(np.abs(step), 95) < 0.02:
            break
    return numbers, error


def _apart(still: Mask, blur: float) -> Mask:
    """Still pixels that the blur of what moves does not reach; single specks do not count as moving."""
    moving = ndimage.binary_opening(~still)
    return np.asarray(still & ~ndimage.binary_dilation(moving, iterations=round(3 * blur)))


def _shows(background: Real, still: Mask, blur: float, noise: float) -> bool:
    """Whether there is enough detail to see a shift by."""
    if still.sum() < _LEAST_PIXELS:
        return False
    design, _ = _design(background, still, blur)
    return float(np.sqrt((design[:, :2] ** 2).sum(1).mean())) > max(_LEAST_DETAIL, 0.15 * noise)


def confined(background: Real) -> bool:
    """Whether all detail of the picture lies close together."""
    power = (_high_pass(background, 1.0) ** 2).astype(np.float64)
    for side in (0, 1):
        share, place = power.sum(side) / power.sum(), np.arange(power.shape[1 - side])
        if float(np.sqrt(share @ (place - share @ place) ** 2)) > _CLOSE * len(place):
            return False
    return True


def calmed(values: Array, rate: float) -> Array:
    """Per-frame numbers without their noise where they change slowly; unchanged where they change fast."""
    width = max(1.0, 0.25 * rate)
    if len(values) < 6 * width:
        return values
    smooth = ndimage.gaussian_filter1d(values, width, axis=0, mode="nearest")
    rest = values - smooth
    following = float((rest[1:] * rest[:-1]).sum() / max((rest**2).sum(), 1e-12))
    return smooth if following < 0.5 else values


@dataclass(frozen=True)
class _Target:
    y: NDArray[np.intp]
    x: NDArray[np.intp]
    values: Real


def _high_pass(frames: Real, blur: float) -> Real:
    box = round(6 * blur) + 1
    fine = ndimage.gaussian_filter(frames, blur, truncate=2.5, axes=(-2, -1))
    return np.asarray(fine - ndimage.uniform_filter(fine, box, axes=(-2, -1)))


def _design(background: Real, still: Mask, blur: float) -> tuple[Array, _Target]:
    """How each chosen pixel changes with the three numbers; pixels with the most detail are chosen."""
    sharp = _high_pass(background, blur)
    down, across = (np.asarray(part, dtype=np.float64) for part in np.gradient(sharp))
    detail = np.hypot(down, across) * still
    detail[:3], detail[-3:], detail[:, :3], detail[:, -3:] = 0, 0, 0, 0
    order = np.argsort(detail.ravel())[::-1][: min(_MOST_PIXELS, max(30, int(still.sum()) // 3))]
    y, x = np.unravel_index(order, detail.shape)
    height, width = background.shape
    rotation = (y - (height - 1) / 2) * across[y, x] - (x - (width - 1) / 2) * down[y, x]
    design = np.stack([-across[y, x], -down[y, x], rotation], axis=1).astype(np.float64)
    return design, _Target(y, x, sharp[y, x])


def _robust(
    change: Real, design: Array, noise: float, prior_spread: Array
) -> tuple[Array, tuple[float, float]]:
    """Reweighted least squares for all frames at once, and the usual standard errors of shift and roll."""
    products = (design[:, :, None] * design[:, None, :]).reshape(len(design), 9).astype(np.float32)
    weight = np.ones_like(change)
    prior = np.diag(1 / prior_spread**2)
    for _ in range(_REWEIGHTED):
        scale = max(0.15 * noise, 0.1)
        normal = (weight @ products).reshape(-1, 3, 3) / scale**2 + prior
        right = ((weight * change) @ design.astype(np.float32)) / scale**2
        numbers = np.linalg.solve(normal, right[..., None])[..., 0]
        left = change - (numbers @ design.T).astype(np.float32)
        spread = 1.4826 * np.median(np.abs(left), axis=1, keepdims=True) + np.float32(scale)
        weight = (1 / (1 + (left / (2 * spread)) ** 2) ** 2).astype(np.float32)
    variance = np.linalg.inv(normal) * (np.median(spread) / scale) ** 2
    shift = float(np.sqrt(np.median(variance[:, 0, 0] + variance[:, 1, 1])))
    return numbers, (shift, float(np.sqrt(np.median(variance[:, 2, 2]))))


def stabilised(frames: Pixels, shift: Array, roll: Array) -> Pixels:
    """The frames moved back by their shift (x, y in their own pixels) and turned back by their roll."""
    result = np.empty_like(frames)
    centre = (np.array(frames.shape[1:3]) - 1) / 2
    for place in range(len(frames)):
        angle = roll[place]
        turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        offset = centre + shift[place][::-1] - turn @ centre
        _transform(frames[place], turn, offset, result[place])
    return result


def _transform(frame: Pixels, turn: Array, offset: Array, out: Pixels) -> None:
    if frame.ndim == 3:
        for channel in range(frame.shape[2]):
            _transform(frame[..., channel], turn, offset, out[..., channel])
        return
    ndimage.affine_transform(frame, turn, offset, output=out, order=1, mode="nearest")
