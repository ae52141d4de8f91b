"""Signs that frames or clocks are not what a law needs: seen in the places, before any law is known."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from identify.fit.curve import Curve, geodesic
from identify.fit.samples import Samples, spread_out

_CELLS = 40  # along the curve, in which what is always the same is taken out
_FAST = 0.35  # of the largest speed: slower steps tell nothing about the clock
_STUMBLE = 0.5  # of a step
_CLEAR = 0.12  # of a usual fast step: noise beyond which a clip's stumbles are hidden
_SURE = 5.0  # times that noise
_LANDMARKS = 300  # frames that show the course of a clip
_LEAST_COURSE = 60  # frames
_MIDDLE = 0.05  # of its length, on either side
_TWO = 3.5  # times the size of a place: the halves of a single one are 2.5 apart
_AROUND = 4  # steps on either side that a step is compared with


def other_change(
    points: Sequence[Tensor], places: Sequence[Tensor], usable: Sequence[Tensor], curve: Curve
) -> float:
    """How much the pictures change beside the motion along the curve, as a share of that motion.

    Pixel noise leaves the curve anew in every frame.  What leaves it in the same direction in two frames that
    follow each other is something else that moves: the camera, a shadow, a second object, a turning one.
    """
    places_all = torch.cat([p[u] for p, u in zip(places, usable, strict=True)])
    low, high = places_all.min(), places_all.max()
    offs = [p - curve.spline.basis(s) @ curve.coefficients for p, s in zip(points, places, strict=True)]
    cells = [((s - low) / (high - low).clamp_min(1e-12) * _CELLS).long().clamp(0, _CELLS - 1) for s in places]
    usual = _by_cell(torch.cat([o[u] for o, u in zip(offs, usable, strict=True)]), cells, usable)
    products = []
    for off, cell, use in zip(offs, cells, usable, strict=True):
        rest = off - usual[cell]
        both = use[1:] & use[:-1]
        products.append((rest[1:] * rest[:-1]).sum(1)[both])
    together = float(torch.cat(products).mean().clamp_min(0.0)) if products else 0.0
    return math.sqrt(together) / max(_spread(curve, places_all), 1e-300)


def _spread(curve: Curve, places: Tensor) -> float:
    """The spread of the frames along the curve, in feature units."""
    at = curve.spline.basis(places) @ curve.coefficients
    return float((at - at.mean(0)).square().sum(1).mean().sqrt())


def _by_cell(offs: Tensor, cells: Sequence[Tensor], usable: Sequence[Tensor]) -> Tensor:
    """The mean distance from the curve in each cell along it: the curve's own shortcomings."""
    cell = torch.cat([c[u] for c, u in zip(cells, usable, strict=True)])
    total = torch.zeros(_CELLS, offs.shape[1], dtype=offs.dtype, device=offs.device)
    total.index_add_(0, cell, offs)
    count = torch.bincount(cell, minlength=_CELLS).clamp_min(1).unsqueeze(1)
    return total / count


def stumbles(samples: Samples) -> float:
    """The share of fast steps that are half as long again as their neighbours, or half as short.

    A frame that is missing without a gap in the times makes one step twice as long, a repeated one makes
    none; a law follows neither.  A clip in which noise hides such steps does not count.
    """
    found = []
    for clip in range(samples.clips):
        index = samples.of(clip)
        if len(index) < 4 * _AROUND:
            continue
        rate = samples.place[index].diff() / samples.time[index].diff()
        around = rate.unfold(0, 2 * _AROUND + 1, 1).median(1).values
        fast = around.abs() > _FAST * around.abs().max()
        off, usual = (rate[_AROUND:-_AROUND] - around)[fast].abs(), around[fast].abs()
        noise = 1.4826 * off.median() if len(off) else torch.inf
        if noise <= _CLEAR * usual.median():
            found.append((off > _STUMBLE * usual) & (off > _SURE * noise))
    return float(torch.cat(found).double().mean()) if found else 0.0


def closed(clips: Sequence[Tensor], seed: int) -> float:
    """How far apart the two sides of a clip's closed course lie, by its extent; 0 where it is open.

    Half way between the two frames farthest apart along the course there is one place, or, where an object
    goes all the way round, two.
    """
    return max((_two_places(points, seed) for points in clips if len(points) > _LEAST_COURSE), default=0.0)


def _two_places(points: Tensor, seed: int) -> float:
    """The distance of two places in the middle of the course, by its extent; 0 where there is one."""
    landmarks = points[spread_out(len(points), max(1, len(points) // _LANDMARKS), seed).to(points.device)]
    along = geodesic(landmarks).to(points)
    middle = landmarks[along.abs() < _MIDDLE * along.abs().max()]
    if len(middle) < 4:
        return 0.0
    places = middle[list(divmod(int(torch.cdist(middle, middle).argmax()), len(middle)))]
    for _ in range(3):
        away, nearest = torch.cdist(middle, places).min(1)
        if int(nearest.sum()) in (0, len(middle)):
            return 0.0
        places = torch.stack([middle[nearest == k].mean(0) for k in (0, 1)])
    apart = float((places[0] - places[1]).norm())
    if apart < _TWO * float(away.quantile(0.9)):
        return 0.0
    return apart / max(float(torch.cdist(landmarks, landmarks).max()), 1e-300)
