"""Output error: the law is integrated from fitted initial states and compared with the frames' places.

``s = h(Z(t)) + noise`` with ``h`` a spline from the latent to the curve.  Parameters, initial states and ``h``
are fitted together.  Where the analysis leaves scale or origin of the latent free, its spread or mean is held:
the fit picks one point of the orbit and stays there.  Output error removes the bias of every derivative
estimate and yields standard errors.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from identify.fit.least_squares import Minimum, minimise, pseudo_inverse
from identify.fit.samples import Samples
from identify.fit.shooting import Motion, Shooting
from identify.fit.splines import Spline
from identify.fit.torch_law import TorchLaw

_STEPS_PER_PERIOD = 60
_HUBER = 2.5  # residuals beyond this many standard deviations count linearly


@dataclass(frozen=True)
class Refined:
    """The fitted law: parameters, initial states, the map from latent to place, and how well it fits."""

    theta: Tensor
    start: Tensor  # (m, 2)
    spline: Spline
    place_map: Tensor  # coefficients of h
    motion: Motion
    residual: Tensor  # place less fitted place
    spread: float  # robust standard deviation of the residual
    cost: float  # mean of squares over spread of the places squared
    formal: Tensor  # (p, p) covariance of theta from the residuals alone
    clustered: Tensor  # (p, p) with the residuals of a clip (or a stretch of one) taken as dependent
    flat: int  # directions that the data do not see
    converged: bool


@dataclass(frozen=True)
class Held:
    """Which freedoms of the coordinate are exact, so that holding them costs nothing."""

    scale: bool = False
    origin: bool = False


class OutputError:
    """The output-error problem for given samples."""

    def __init__(self, law: TorchLaw, samples: Samples, period: float, held: Held) -> None:
        self.law, self.samples, self.held = law, samples, held
        steps = _STEPS_PER_PERIOD
        self.count = len(law.names)
        self.shooting = Shooting(law, samples.time, samples.clip, samples.duration(), period / steps)
        self.period = period

    def refine(
        self,
        theta: Tensor,
        start: Tensor,
        spline: Spline,
        place_map: Tensor,
        steps: int,
        penalty: float = 1e-3,
        robust: int = 1,
        stop: Callable[[], bool] | None = None,
    ) -> Refined | None:
        """The fit reached from a point; ``robust`` rounds of re-weighting follow the first."""
        point = torch.cat([theta, start.flatten(), place_map])
        weight = torch.ones_like(self.samples.place)
        rough = self._rough(spline, penalty)
        motion = self.shooting.run(start, theta, derivatives=False)
        if motion is None:
            return None
        self.mean, self.std = motion.state.mean(), motion.state.std()
        found: Minimum | None = None
        for _ in range(robust + 1):
            found = minimise(lambda x: self._problem(x, spline, weight, rough), point, steps, 1e-7)  # noqa: B023
            if found is None:
                return None
            point = found.point
            residual, _, _ = self._residual(point, spline)
            if residual is None or (stop is not None and stop()):
                break
            weight = _weights(residual)
        return None if found is None else self._finished(found, spline, weight, rough)

    def _split(self, point: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        p, m = self.count, self.samples.clips
        return point[:p], point[p : p + 2 * m].view(m, 2), point[p + 2 * m :]

    def _residual(self, point: Tensor, spline: Spline) -> tuple[Tensor | None, Motion | None, Tensor | None]:
        theta, start, place_map = self._split(point)
        motion = self.shooting.run(start, theta, derivatives=False)
        if motion is None:
            return None, None, None
        return spline.basis(motion.state) @ place_map - self.samples.place, motion, place_map

    def _problem(
        self, point: Tensor, spline: Spline, weight: Tensor, rough: Tensor
    ) -> tuple[Tensor, Tensor] | None:
        theta, start, place_map = self._split(point)
        if not self.law.admissible(theta):
            return None
        motion = self.shooting.run(start, theta)
        if motion is None or motion.state_by is None:
            return None
        if not bool(self.law.domain_ok(motion.state, theta).all()):
            return None
        basis, slope = spline.basis_and_slope(motion.state)
        residual = basis @ place_map - self.samples.place
        by = (slope @ place_map).unsqueeze(1) * motion.state_by
        p, m = self.count, self.samples.clips
        jacobian = torch.zeros(len(residual) + len(rough), len(point), dtype=point.dtype, device=point.device)
        n = len(residual)
        jacobian[:n, :p] = by[:, 2:]
        rows = torch.arange(n, device=point.device)
        jacobian[rows, p + 2 * self.samples.clip] = by[:, 0]
        jacobian[rows, p + 2 * self.samples.clip + 1] = by[:, 1]
        jacobian[:n, p + 2 * m :] = basis
        root = weight.sqrt()
        jacobian[:n] *= root.unsqueeze(1)
        jacobian[n:, p + 2 * m :] = rough
        residual = torch.cat([residual * root, rough @ place_map])
        if not (self.held.scale or self.held.origin):
            return residual, jacobian
        wanted, rows = self._gauge(motion.state, motion.state_by, len(point))
        return torch.cat([residual, wanted]), torch.cat([jacobian, rows])

    def _gauge(self, z: Tensor, by: Tensor, size: int) -> tuple[Tensor, Tensor]:
        """Rows that hold the mean and the spread of the latent, as strongly as the frames hold the rest."""
        p, m, n = self.count, self.samples.clips, len(z)
        weight = n**0.5 * self.samples.place.std() / self.std
        share = {"origin": torch.ones_like(z) / n, "scale": (z - z.mean()) / (n * z.std())}
        gap = {"origin": z.mean() - self.mean, "scale": z.std() - self.std}
        wanted = [name for name in ("origin", "scale") if getattr(self.held, name)]
        rows = torch.zeros(len(wanted), size, dtype=z.dtype, device=z.device)
        for row, name in zip(rows, wanted, strict=True):
            row[:p] = share[name] @ by[:, 2:]
            starts = torch.zeros(m, 2, dtype=z.dtype, device=z.device)
            row[p : p + 2 * m] = starts.index_add_(0, self.samples.clip, by[:, :2] * share[name][:, None]).flatten()
        return weight * torch.stack([gap[name] for name in wanted]), weight * rows

    def _rough(self, spline: Spline, penalty: float) -> Tensor:
        return penalty * spline.roughness(self.samples.place, 3)

    def _finished(self, found: Minimum, spline: Spline, weight: Tensor, rough: Tensor) -> Refined | None:
        theta, start, place_map = self._split(found.point)
        residual, motion, _ = self._residual(found.point, spline)
        full = self._problem(found.point, spline, weight, rough)
        if residual is None or motion is None or full is None:
            return None
        jacobian = full[1][: len(residual)]
        inverse, flat = pseudo_inverse(full[1].T @ full[1])
        freedom = max(float(weight.sum()) - (len(found.point) - flat), 1.0)
        variance = float((weight * residual.square()).sum()) / freedom
        p = self.count
        scores = jacobian * (residual * weight.sqrt()).unsqueeze(1)
        meat = _meat(scores, self._groups())
        spread = float(1.4826 * (residual - residual.median()).abs().median())
        cost = float(residual.square().mean()) / float(self.samples.place.var())
        return Refined(
            theta,
            start,
            spline,
            place_map,
            motion,
            residual,
            spread,
            cost,
            (variance * inverse)[:p, :p],
            (inverse @ meat @ inverse)[:p, :p],
            flat,
            found.converged,
        )

    def _groups(self) -> Tensor:
        """Frames that may err together: a clip; a single clip is cut by the period."""
        if self.samples.clips >= 6:
            return self.samples.clip
        length = max(self.period, float(self.samples.duration().max()) / 24)
        block = (self.samples.time / length).floor().long()
        return self.samples.clip * (int(block.max()) + 1) + block


def _weights(residual: Tensor) -> Tensor:
    """Huber's weights against the robust spread."""
    spread = 1.4826 * (residual - residual.median()).abs().median().clamp_min(1e-300)
    return (_HUBER * spread / residual.abs().clamp_min(1e-300)).clamp_max(1.0)


def _meat(scores: Tensor, group: Tensor) -> Tensor:
    """The sum over groups of the outer products of their summed scores, for few groups corrected."""
    count = int(group.max()) + 1
    sums = torch.zeros(count, scores.shape[1], dtype=scores.dtype, device=scores.device)
    sums.index_add_(0, group, scores)
    used = int((torch.bincount(group, minlength=count) > 0).sum())
    return sums.T @ sums * (used / max(used - 1, 1))
