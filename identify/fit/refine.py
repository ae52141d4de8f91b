"""Output error: the law is integrated from fitted initial states and compared with the frames' places.

``s = h(Z(t)) + noise`` with ``h`` a spline from the latent to the curve.  Parameters, initial states and
``h`` are fitted together.  Where the analysis leaves scale or origin of the latent free, its spread or mean
is held: the fit picks one point of the orbit and stays there.  Output error removes the bias of every
derivative estimate and yields standard errors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from identify.fit.held import Held
from identify.fit.least_squares import Minimum, minimise, pseudo_inverse
from identify.fit.samples import Samples, smoothed
from identify.fit.shooting import Motion, Shooting
from identify.fit.splines import Spline
from identify.fit.straight import USUAL, Straight, bending
from identify.fit.torch_law import TorchLaw

_STEPS_PER_PERIOD = 40  # at first; doubled until halving the step changes nothing that could be seen
_ACCURACY = 1e-6  # of the latent's spread
# Second and third differences of a map that counts as straight and smooth, by the spread of the places.
# Frames that determine the map outweigh this; where they do not, the straightest map is taken.
_BENDS = {2: 0.01, 3: 0.01}
_STATED = 0.25  # of its value: how far a parameter is thought to be from where it was said to start
_HUBER, _BIWEIGHT = 2.5, 8.0  # robust standard deviations


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
    penalised: float  # the same with bends of the map and distances from the stated start
    formal: Tensor  # (p, p) covariance of theta from the residuals alone
    clustered: Tensor  # (p, p) with the residuals of a clip (or a stretch of one) taken as dependent
    flat: int  # directions that the data do not see
    bends: float  # standard deviation of the map's bends, by the spread of the places: how open they are
    converged: bool


class OutputError:
    """The output-error problem for given samples."""

    def __init__(
        self,
        law: TorchLaw,
        samples: Samples,
        period: float,
        held: Held,
        stated: Mapping[str, float] | None = None,
        straight: Straight | None = None,
    ) -> None:
        self.law, self.samples, self.held = law, samples, held
        self.stated, self.straight = dict(stated or {}), straight
        value, _ = smoothed(samples, 0.15 * period)
        self.noise = float((samples.place - value).square().mean().sqrt())
        self.count = len(law.names)
        self.period = period
        self.shooting = self._shooting(period / _STEPS_PER_PERIOD)
        self.settled = False

    @property
    def all_stated(self) -> bool:
        """Whether it was said of every parameter where it starts."""
        return bool(self.stated) and set(self.stated) == set(self.law.names)

    def of(self, samples: Samples) -> OutputError:
        """The same problem for other places of the same frames; what was settled stays so.

        Where the straightest map was taken the parameters are held: finer structure must not undo it.
        """
        held = self.held if self.straight is None else replace(self.held, parameters=self.law.names)
        other = OutputError(self.law, samples, self.period, held, self.stated)
        other.shooting, other.settled = self.shooting, self.settled
        return other

    def straightened(self, straight: Straight, best: Refined) -> OutputError:
        """The same problem with the map held straight in the picture, weighed by what the ``best`` leaves."""
        other = OutputError(self.law, self.samples, self.period, self.held, self.stated, straight)
        other.shooting.guess(self.samples.time, self.samples.clip, best.motion.state, best.motion.velocity)
        other.noise = best.cost**0.5 * float(self.samples.place.std())
        return other

    def _shooting(self, step: float) -> Shooting:
        samples = self.samples
        return Shooting(self.law, samples.time, samples.clip, samples.duration(), step)

    def _settle_step(self, theta: Tensor, start: Tensor) -> Motion | None:
        """Choose the step so that the motions through ``start`` are accurate; None where there are none."""
        motion = self.shooting.run(start, theta, derivatives=False)
        for _ in range(0 if self.settled else 4):
            finer = self.shooting.finer(self.samples.time, self.samples.duration())
            checked = finer.run(start, theta, derivatives=False)
            if checked is None:
                return motion
            gap = float("inf") if motion is None else float((motion.state - checked.state).abs().max())
            if gap <= 16 * _ACCURACY * float(checked.state.std()):
                self.settled = True
                return motion
            self.shooting, motion = finer, checked
        return motion

    def refine(
        self,
        theta: Tensor,
        start: Tensor,
        spline: Spline,
        place_map: Tensor,
        steps: int,
        quick: bool = False,
        trusted: bool = False,
        stop: Callable[[], bool] | None = None,
    ) -> Refined | None:
        """The fit reached from a point: all frames alike, then outliers eased, then left out; ``quick``: no.

        The map from latent to place is held smooth: where frames are many it does not matter, where they are
        few it keeps the map from wandering.  A start that is ``trusted`` tells outliers at once.
        """
        point = torch.cat([theta, start.flatten(), place_map])
        weight = torch.ones_like(self.samples.place)
        easing: Sequence[tuple[Easing | None, float]] = _EASING
        if trusted:
            first, _, _ = self._residual(point, spline)
            weight, easing = weight if first is None else _biweight(first, self.samples.clip), _EASING[-1:]
        prior = self._prior(spline)
        motion = self._settle_step(theta, start)
        if motion is None:
            return None
        self.mean, self.std, self.theta = motion.state.mean(), motion.state.std(), theta
        found: Minimum | None = None
        for ease, tolerance in ((None, 1e-4),) if quick else easing:
            found = minimise(
                lambda x: self._problem(x, spline, weight, prior),  # noqa: B023
                point,
                steps,
                tolerance,
                stop,
            )
            if found is None:
                return None
            point = found.point
            residual, _, _ = self._residual(point, spline)
            if ease is None or residual is None or (stop is not None and stop()):
                break
            weight = ease(residual, self.samples.clip)
        return None if found is None else self._finished(found, spline, weight, prior)

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
        self, point: Tensor, spline: Spline, weight: Tensor, prior: Tensor
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
        jacobian = torch.zeros(len(residual) + len(prior), len(point), dtype=point.dtype, device=point.device)
        n = len(residual)
        jacobian[:n, :p] = by[:, 2:]
        rows = torch.arange(n, device=point.device)
        jacobian[rows, p + 2 * self.samples.clip] = by[:, 0]
        jacobian[rows, p + 2 * self.samples.clip + 1] = by[:, 1]
        jacobian[:n, p + 2 * m :] = basis
        root = weight.sqrt()
        jacobian[:n] *= root.unsqueeze(1)
        jacobian[n:, p + 2 * m :] = prior
        residual = torch.cat([residual * root, prior @ place_map])
        gauge = self._gauge(theta, motion.state, motion.state_by, len(point))
        stated = self._near_stated(theta, len(point))
        bends = self._bends(spline, place_map, len(point))
        more = gauge, stated, bends
        return torch.cat([residual, *(x for x, _ in more)]), torch.cat([jacobian, *(x for _, x in more)])

    def _bends(self, spline: Spline, place_map: Tensor, size: int) -> tuple[Tensor, Tensor]:
        """Rows that keep the map straight in the picture, in units of the places' noise."""
        if self.straight is None:
            return place_map.new_zeros(0), place_map.new_zeros(0, size)
        gaps, by = self.straight.bends(spline, place_map)
        rows = torch.cat([by.new_zeros(len(by), size - by.shape[1]), by], 1)
        return self.noise / USUAL * gaps, self.noise / USUAL * rows

    def _near_stated(self, theta: Tensor, size: int) -> tuple[Tensor, Tensor]:
        """Rows that keep parameters near their stated start where the frames leave them free."""
        places = [self.law.names.index(name) for name in self.stated]
        rows = theta.new_zeros(len(places), size)
        gaps = theta.new_zeros(len(places))
        for row, (place, value) in enumerate(zip(places, self.stated.values(), strict=True)):
            usual = _STATED * max(abs(value), float(self.std))
            rows[row, place] = self.noise / usual
            gaps[row] = (theta[place] - value) * self.noise / usual
        return gaps, rows

    def _gauge(self, theta: Tensor, z: Tensor, by: Tensor, size: int) -> tuple[Tensor, Tensor]:
        """Rows that hold what the orbit leaves free, as strongly as the frames hold the rest."""
        p, m, n = self.count, self.samples.clips, len(z)
        strength = n**0.5 * self.samples.place.std()
        gaps, rows = [], []
        share = {"origin": torch.ones_like(z) / n, "scale": (z - z.mean()) / (n * z.std())}
        gap = {"origin": z.mean() - self.mean, "scale": z.std() - self.std}
        for name in ("origin", "scale"):
            if getattr(self.held, name):
                row = torch.zeros(size, dtype=z.dtype, device=z.device)
                row[:p] = share[name] @ by[:, 2:]
                starts = torch.zeros(m, 2, dtype=z.dtype, device=z.device)
                starts.index_add_(0, self.samples.clip, by[:, :2] * share[name].unsqueeze(1))
                row[p : p + 2 * m] = starts.flatten()
                gaps.append(strength / self.std * gap[name])
                rows.append(strength / self.std * row)
        for name in self.held.parameters:
            place = self.law.names.index(name)
            row = torch.zeros(size, dtype=z.dtype, device=z.device)
            unit = self.theta[place].abs().clamp_min(1e-3)
            row[place] = strength / unit
            gaps.append(strength / unit * (theta[place] - self.theta[place]))
            rows.append(row)
        if not rows:
            return z.new_zeros(0), z.new_zeros(0, size)
        return torch.stack(gaps), torch.stack(rows)

    def _prior(self, spline: Spline) -> Tensor:
        """Rows of the penalty on bends of the map from latent to place, in units of the places' noise."""
        unit = self.noise / self.samples.place.std()
        rows = [spline.roughness(self.samples.place, order) / usual for order, usual in _BENDS.items()]
        return unit * torch.cat(rows)

    def _finished(self, found: Minimum, spline: Spline, weight: Tensor, prior: Tensor) -> Refined | None:
        theta, start, place_map = self._split(found.point)
        residual, motion, _ = self._residual(found.point, spline)
        full = self._problem(found.point, spline, weight, prior)
        if residual is None or motion is None or full is None:
            return None
        jacobian = full[1][: len(residual)]
        inverse, flat = pseudo_inverse(full[1].T @ full[1])
        freedom = max(float(weight.sum()) - (len(found.point) - flat), 1.0)
        variance = float((weight * residual.square()).sum()) / freedom
        p = self.count
        scores = jacobian * (residual * weight.sqrt()).unsqueeze(1)
        meat = _meat(scores, self._groups())
        spread = float(_spread(residual))
        total = len(residual) * float(self.samples.place.var())
        cost = float(residual.square().sum()) / total
        beyond = float(full[0][len(residual) :].square().sum()) / total
        basis, project = bending(spline, place_map)
        bent = project @ basis
        size = len(place_map)
        open_ = (bent @ (variance * inverse[-size:, -size:]) @ bent.T).diagonal().max().clamp_min(0.0).sqrt()
        return Refined(
            theta,
            start,
            spline,
            place_map,
            motion,
            residual,
            spread,
            cost,
            cost + beyond,
            (variance * inverse)[:p, :p],
            (inverse @ meat @ inverse)[:p, :p],
            flat,
            float(open_ / self.samples.place.std()),
            found.converged,
        )

    def _groups(self) -> Tensor:
        """Frames that may err together: a clip; a single clip is cut by the period."""
        if self.samples.clips >= 6:
            return self.samples.clip
        length = max(self.period, float(self.samples.duration().max()) / 24)
        block = (self.samples.time / length).floor().long()
        return self.samples.clip * (int(block.max()) + 1) + block


def _spread(residual: Tensor) -> Tensor:
    return 1.4826 * (residual - residual.median()).abs().median().clamp_min(1e-300)


def _usual(residual: Tensor, clip: Tensor) -> Tensor:
    """The spread by which each frame is judged: that of all, or of its own clip where that is larger.

    A clip that is off as a whole has not been fitted yet; its frames are no outliers.
    """
    overall = _spread(residual)
    own = [1.4826 * residual[clip == c].abs().median() for c in range(int(clip.max()) + 1)]
    return torch.maximum(torch.stack(own), overall)[clip]


def _huber(residual: Tensor, clip: Tensor) -> Tensor:
    """Weights under which large residuals count linearly."""
    return (_HUBER * _usual(residual, clip) / residual.abs().clamp_min(1e-300)).clamp_max(1.0)


def _biweight(residual: Tensor, clip: Tensor) -> Tensor:
    """Tukey's weights, under which the largest residuals do not count."""
    return (1 - (residual / (_BIWEIGHT * _usual(residual, clip))).square()).clamp_min(1e-6).square()


Easing = Callable[[Tensor, Tensor], Tensor]
_EASING: tuple[tuple[Easing | None, float], ...] = ((_huber, 1e-4), (_biweight, 1e-5), (None, 1e-7))


def _meat(scores: Tensor, group: Tensor) -> Tensor:
    """The sum over groups of the outer products of their summed scores, for few groups corrected."""
    count = int(group.max()) + 1
    sums = torch.zeros(count, scores.shape[1], dtype=scores.dtype, device=scores.device)
    sums.index_add_(0, group, scores)
    used = int((torch.bincount(group, minlength=count) > 0).sum())
    return sums.T @ sums * (used / max(used - 1, 1))
