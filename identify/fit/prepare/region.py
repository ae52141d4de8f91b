"""Where things move: connected regions of changing pixels, the main one, and those that move on their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import ndimage

from identify.fit.film import Array, Crop, Pixels
from identify.fit.prepare.prepared import Mask
from identify.fit.prepare.scene import Scene

_LEAST_SHARE = 0.05  # of the main mover's energy: what has less is no mover
_TOGETHER = 0.6  # share of its changes that follow the main mover's: it is a shadow or another part
_COMPONENTS = 8
_VISITS = 3  # frames: fewer are specks of noise
_MARGIN = 0.08  # of the longer side, around what moves


@dataclass(frozen=True)
class Mover:
    """A connected set of changing survey pixels; ``box`` is (x, y, width, height) in survey pixels.

    ``follows`` is the share of its changes that go together with the main mover's, 1 for the main one.
    """

    mask: Mask
    box: Crop
    energy: float
    follows: float


def find_movers(frames: Pixels, scene: Scene) -> tuple[Mover, ...]:
    """Movers by decreasing energy, from levelled sample frames; none where nothing moves."""
    quiet = float(np.median(scene.spread[scene.static])) if scene.static.any() else 0.0
    moving = scene.spread > max(scene.threshold, 6 * scene.noise, 1.6 * quiet)
    height, width = moving.shape
    reach = max(1, round(0.012 * max(width, height)))
    joined = ndimage.binary_dilation(moving, iterations=reach)
    labels, count = ndimage.label(joined)
    if not count:
        return ()
    energy = ndimage.sum_labels(np.where(moving, scene.spread**2, 0), labels, np.arange(1, count + 1))
    order = [k for k in np.argsort(energy)[::-1] if energy[k] >= _LEAST_SHARE * energy.max()]
    masks = [(labels == k + 1) & moving for k in order if ((labels == k + 1) & moving).sum() >= 4]
    if not masks:
        return ()
    if len(masks) == 1:
        return (Mover(masks[0], _box(masks[0]), float((scene.spread[masks[0]] ** 2).sum()), 1.0),)
    main = _courses(frames, masks[0], scene)
    return tuple(
        Mover(mask, _box(mask), float((scene.spread[mask] ** 2).sum()), _follows(frames, mask, scene, main))
        for mask in masks
    )


def joined(movers: Sequence[Mover]) -> tuple[Mask, tuple[Mover, ...]]:
    """The main mover with the parts that move along with it, and the movers that go their own way."""
    mask = movers[0].mask.copy()
    others = []
    for mover in movers[1:]:
        if mover.follows < _TOGETHER:
            others.append(mover)
        elif mover.energy > 0.15 * movers[0].energy:
            mask |= mover.mask
    return mask, tuple(others)


def full_frame(
    mask: Mask, pixel: tuple[float, float], origin: tuple[int, int], limits: Crop, margin: float = _MARGIN
) -> Crop:
    """The box around the mask with a margin, in pixels of the upright full frame and inside ``limits``."""
    x, y, width, height = _box(mask)
    longer = max(width * pixel[0], height * pixel[1])
    aside, above = (
        min(margin * longer, 0.25 * size * side) + 2 * side
        for size, side in ((width, pixel[0]), (height, pixel[1]))
    )
    left, right = origin[0] + x * pixel[0] - aside, origin[0] + (x + width) * pixel[0] + aside
    top, bottom = origin[1] + y * pixel[1] - above, origin[1] + (y + height) * pixel[1] + above
    first_x, first_y = max(limits[0], int(left)), max(limits[1], int(top))
    last_x = min(limits[0] + limits[2], int(np.ceil(right)))
    last_y = min(limits[1] + limits[3], int(np.ceil(bottom)))
    return first_x, first_y, last_x - first_x, last_y - first_y


def reached(main: Mask, visits: Array) -> Mask:
    """The main mover's pixels with those it visits now and then, as in its first and widest swings."""
    joined_up = main | ndimage.binary_closing(visits >= _VISITS)
    labels, _ = ndimage.label(ndimage.binary_dilation(joined_up, iterations=2))
    touched = np.unique(labels[main])
    return np.asarray(joined_up & np.isin(labels, touched[touched > 0]))


def _box(mask: Mask) -> Crop:
    rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    return (
        int(columns[0]),
        int(rows[0]),
        int(columns[-1] - columns[0] + 1),
        int(rows[-1] - rows[0] + 1),
    )


def _courses(frames: Pixels, mask: Mask, scene: Scene) -> Array:
    """The main time courses of the pixels in the mask, as orthonormal columns."""
    change = _changes(frames, mask, scene)
    power, directions = np.linalg.eigh(change.T @ change)  # far cheaper than the frames' own decomposition
    size = np.sqrt(np.clip(power[::-1], 0, None))
    kept = min(_COMPONENTS, len(frames) // 8 + 1, int((size > 1e-4 * max(size[0], 1e-9)).sum()))
    return np.asarray(change @ directions[:, ::-1][:, :kept] / size[:kept])


def _follows(frames: Pixels, mask: Mask, scene: Scene, main: Array) -> float:
    change = _changes(frames, mask, scene)
    total = float((change**2).sum()) - change.size * scene.noise**2
    return min(1.0, float(((main.T @ change) ** 2).sum()) / total) if total > 0 else 1.0


def _changes(frames: Pixels, mask: Mask, scene: Scene) -> Array:
    pixels = frames[:, mask]
    pixels = pixels[:, :: max(1, pixels.shape[1] // 600)].astype(np.float64)
    return np.asarray(pixels - pixels.mean(0))
