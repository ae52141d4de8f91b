"""The principal curve through the frames: a moving thing seen by a fixed camera leaves a curve of pictures.

A first order comes from distances along the neighbourhood graph, which does not fold where a straight
projection would; then the curve and the frames' places on it are improved in turns.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components, dijkstra
from torch import Tensor

from identify.fit.splines import Spline

_NEIGHBOURS, _EACH = 8, 600  # so many for each so many points: fewer follow the noise, more cut corners
_ROUNDS = 4
_GRID = 4  # grid points for each coefficient, from which the projection starts
STIFF, SUPPLE = (12,), (24, 80)  # coefficients
_FEW = 34  # coefficients that few frames may have for themselves
_EVENLY = 24  # up to how many coefficients the curve is measured evenly along its length
_BEYOND = 0.1  # of the range of places
_STRENGTHS = tuple(10.0**k for k in range(-6, 2))


@dataclass(frozen=True)
class Curve:
    """A spline in feature space over its own arclength, scaled to [0, 1]."""

    spline: Spline
    coefficients: Tensor  # (size, k)
    length: float  # in feature units
    noise: float  # distance of a usual frame from the curve, per remaining dimension

    def project(self, points: Tensor) -> tuple[Tensor, Tensor]:
        """The place of the nearest point of the curve, and the distance to it.

        Beyond its ends the curve goes on straight for a tenth of its range.
        """
        place, distance = _project(points, self.spline, self.coefficients)
        reach = _BEYOND * (self.spline.high - self.spline.low)
        outside = (place <= self.spline.low) | (place >= self.spline.high)
        if not bool(outside.any()):
            return place, distance
        basis, slope = self.spline.basis_and_slope(place[outside])
        off, tangent = points[outside] - basis @ self.coefficients, slope @ self.coefficients
        move = (off * tangent).sum(1) / tangent.square().sum(1).clamp_min(1e-30)
        place = place.clone()
        place[outside] = (place[outside] + move).clamp(self.spline.low - reach, self.spline.high + reach)
        off = points[outside] - self.spline.basis(place[outside]) @ self.coefficients
        distance = distance.clone()
        distance[outside] = off.norm(dim=1)
        return place, distance


def find_curves(points: Tensor, sizes: tuple[int, ...], known: Tensor | None = None) -> list[Curve]:
    """Principal curves through the points (one row each) with so many coefficients, from stiff to supple.

    ``known`` are places of the points on the curve of another filter, to start from.
    """
    first = place = _first_order(points) if known is None else known
    # Each frame has many numbers and the penalty bridges gaps: through few frames of a fast motion a curve of
    # few coefficients cuts corners (places off by 0.3 instead of 0.02 pixels from 56 frames of a fall).
    # From some frames on a third as many suffice; more of them wander in the gaps between frames.
    most = max(6, min(2 * len(points) // 3, max(_FEW, len(points) // 3)))
    found: list[Curve] = []
    for size in dict.fromkeys(min(size, most) for size in sizes):
        # A stiff curve may cut corners, so that it hands no places on.  With many coefficients the places
        # keep their scale: measured by its own length, a curve that wiggles in a gap between frames would
        # give the gap ever more room.
        begin = first if size <= _EVENLY else place
        spline, coefficients, place = _improve(points, begin, size, evenly=size <= _EVENLY)
        found.append(_curve(points, spline, coefficients))
    return found


def curves_at(points: Tensor, place: Tensor, sizes: tuple[int, ...]) -> list[Curve]:
    """Curves of the mean picture at known places: what else moves in the picture bends them little."""
    found = []
    for size in dict.fromkeys(min(size, max(6, 2 * len(points) // 3)) for size in sizes):
        spline = Spline(float(place.min()), float(place.max()), size)
        found.append(_curve(points, spline, regress(spline, place, points)))
    return found


def _curve(points: Tensor, spline: Spline, coefficients: Tensor) -> Curve:
    distance = _project(points, spline, coefficients)[1]
    length = float(_arclength(spline, coefficients)[1][-1])
    noise = float((distance.square().median() / max(points.shape[1] - 1, 1)).sqrt())
    return Curve(spline, coefficients, length, noise)


def _first_order(points: Tensor) -> Tensor:
    """A coordinate in [0, 1] that follows the graph of neighbouring points from one end to the other."""
    along = geodesic(points).to(points)
    return (along - along.min()) / (along.max() - along.min()).clamp_min(1e-12)


def geodesic(points: Tensor) -> Tensor:
    """Along neighbours, how much farther each point is from one end of them than from the other.

    All points take part: the end of a motion is visited once, and fast, and a sample of points misses it.
    """
    distance = torch.cdist(points, points)
    count = len(points)
    near = distance.topk(min(_NEIGHBOURS * max(1, count // _EACH) + 1, count), largest=False)
    rows = np.repeat(np.arange(count), near.indices.shape[1])
    edges = near.values.clamp_min(1e-12).cpu().numpy().ravel(), (rows, near.indices.cpu().numpy().ravel())
    graph = _connected(csr_matrix(edges, shape=(count, count)), distance)
    first = dijkstra(graph, directed=False, indices=0)
    one = int(np.argmax(first))
    from_one = dijkstra(graph, directed=False, indices=one)
    other = int(np.argmax(from_one))
    from_other = dijkstra(graph, directed=False, indices=other)
    return torch.from_numpy(np.asarray(from_one - from_other, dtype=float))


def _connected(graph: csr_matrix, distance: Tensor) -> csr_matrix:
    """The graph with its parts joined by their shortest links."""
    while True:
        count, label = connected_components(graph, directed=False)
        if count == 1:
            return graph
        inside = torch.from_numpy(label == label[0]).to(distance.device)
        gap = distance[inside][:, ~inside]
        i, j = divmod(int(gap.argmin()), gap.shape[1])
        a, b = int(inside.nonzero()[i]), int((~inside).nonzero()[j])
        link = csr_matrix(([max(float(gap[i, j]), 1e-12)], ([a], [b])), shape=graph.shape)
        graph = graph + link


def _improve(points: Tensor, place: Tensor, size: int, evenly: bool) -> tuple[Spline, Tensor, Tensor]:
    """Curve through the points at their places, then better places, in turns; ``evenly``: by arclength."""
    spline = Spline(float(place.min()), float(place.max()), size)
    coefficients = regress(spline, place, points)
    for _ in range(_ROUNDS):
        place = _project(points, spline, coefficients)[0]
        place = _by_arclength(spline, coefficients, place) if evenly else place
        coefficients = regress(spline, place, points)
    return spline, coefficients, _project(points, spline, coefficients)[0]


def regress(spline: Spline, place: Tensor, points: Tensor) -> Tensor:
    """The penalised least-squares spline, its smoothness chosen by generalised cross-validation.

    Every stretch of the curve counts alike, however often it was visited; the penalty bridges gaps.
    """
    basis = spline.basis(place)
    weight = _evening(place)
    rough = spline.roughness(points, 3)
    normal = basis.T @ (basis * weight.unsqueeze(1))
    right = basis.T @ (points * weight.unsqueeze(1))
    scale = float(normal.diagonal().mean())
    ridge = 1e-9 * scale * torch.eye(spline.size).to(points)
    power = float((points.square().sum(1) * weight).sum())
    best: tuple[float, Tensor] | None = None
    for strength in _STRENGTHS:
        penalised = normal + strength * scale * (rough.T @ rough) + ridge
        factor = torch.linalg.cholesky(penalised)
        found = torch.cholesky_solve(right, factor)
        freedom = float(torch.cholesky_solve(normal, factor).diagonal().sum())
        misfit = power - 2 * float((found * right).sum()) + float((found * (normal @ found)).sum())
        score = max(misfit, 0.0) / (1 - min(freedom / len(points), 0.95)) ** 2
        if best is None or score < best[0]:
            best = (score, found)
    assert best is not None
    return best[1]


def _evening(place: Tensor) -> Tensor:
    low, high = place.min(), place.max()
    cells = ((place - low) / (high - low).clamp_min(1e-12) * 32).long().clamp(0, 31)
    counts = torch.bincount(cells, minlength=32).clamp_min(1).to(place.dtype)
    return (1 / counts[cells]).clamp(max=float(4 / counts.max() * 8))


def _arclength(spline: Spline, coefficients: Tensor) -> tuple[Tensor, Tensor]:
    grid = torch.linspace(spline.low, spline.high, 40 * spline.size).to(coefficients)
    speed = (spline.basis_and_slope(grid)[1] @ coefficients).norm(dim=1)
    step = (spline.high - spline.low) / (len(grid) - 1)
    length = torch.cat([speed.new_zeros(1), torch.cumsum((speed[1:] + speed[:-1]) * step / 2, 0)])
    return grid, length


def _by_arclength(spline: Spline, coefficients: Tensor, place: Tensor) -> Tensor:
    """The places measured along the curve from the first to the last frame, in [0, 1]."""
    grid, length = _arclength(spline, coefficients)
    at = interpolate(place, grid, length)
    low, high = at.min(), at.max()
    return (at - low) / (high - low).clamp_min(1e-12)


def interpolate(x: Tensor, grid: Tensor, values: Tensor) -> Tensor:
    """Linear interpolation of ``values`` on the increasing ``grid``, held constant outside."""
    right = torch.searchsorted(grid, x.contiguous()).clamp(1, len(grid) - 1)
    left = right - 1
    share = ((x - grid[left]) / (grid[right] - grid[left]).clamp_min(1e-300)).clamp(0, 1)
    return values[left] + share * (values[right] - values[left])


def _project(points: Tensor, spline: Spline, coefficients: Tensor) -> tuple[Tensor, Tensor]:
    """The nearest point of the curve: the best of a grid, then Gauss-Newton."""
    reach = 0.5 / (spline.size - 3)
    grid = torch.linspace(spline.low - reach, spline.high + reach, _GRID * spline.size).to(points)
    at = spline.basis(grid) @ coefficients
    place = grid[torch.cdist(points, at).argmin(1)]
    step = float(grid[1] - grid[0])
    for _ in range(3):
        basis, slope = spline.basis_and_slope(place)
        off, tangent = points - basis @ coefficients, slope @ coefficients
        move = (off * tangent).sum(1) / tangent.square().sum(1).clamp_min(1e-30)
        place = (place + move.clamp(-2 * step, 2 * step)).clamp(float(grid[0]), float(grid[-1]))
    distance = (points - spline.basis(place) @ coefficients).norm(dim=1)
    return place, distance
