"""A conventional tracker and least squares: the position in the picture is taken as the coordinate.

The thing that moves is followed by its template; the law is integrated and fitted to its positions with no
map between but a scale and an offset.  That the coordinate is straight in the picture is assumed, not found.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from identify.analysis import Analysis
from identify.engine import analyze
from identify.fit.film import Array, Estimate, Film, LawFit, Track, View
from identify.fit.held import Held, held
from identify.fit.least_squares import minimise
from identify.fit.prepare.rigid import follow
from identify.fit.samples import Samples, smoothed
from identify.fit.shooting import Shooting
from identify.fit.starts import parameters_of
from identify.fit.torch_law import TorchLaw
from identify.fit.weak import WeakForm
from identify.law import Law
from identify.reproduce.fitting import Fitted

_INNER = (
    0.0,
    1.1,
    1.5,
    2.5,
    4.0,
)  # values tried for parameters inside the law's terms, latents being about 1
_SCALES = (1.0, 0.7, 1.4, 0.5, 2.0)  # tried where the law fixes the scale
_STEPS_PER_PERIOD = 80
_BEST = 4
_LEAST_FRAMES = 5


def fit_position(law: Law, view: View) -> Fitted:
    """The law fitted to the tracked position."""
    analysis = analyze(law)
    start = time.process_time()
    found = _fitted(law, analysis, view)
    return Fitted(law, analysis, found, time.process_time() - start)


def _fitted(law: Law, analysis: Analysis, view: View) -> LawFit:
    positions = _positions(view)
    if positions is None:
        return _without("nothing rigid moves in the picture")
    training = [
        i for i, film in enumerate(view.films) if film.role == "train" and film.count >= _LEAST_FRAMES
    ]
    if not training:
        return _without("no training clip has enough frames")
    known = np.concatenate([positions[i] for i in training])
    latents = [torch.from_numpy((p - known.mean()) / known.std()) for p in positions]
    problem = _Problem(TorchLaw(law), _samples(view, latents, training), held(analysis))
    best = problem.solved()
    if best is None:
        return _without("the law does not follow the tracked motion")
    theta, scale, offset = best
    undefined = np.full((len(theta),) * 2, np.nan)
    estimate = Estimate(problem.law.names, theta.numpy(), undefined, undefined)
    tracks = tuple(
        _track(film, ((latent - offset) / scale).numpy(), i in training)
        for i, (film, latent) in enumerate(zip(view.films, latents, strict=True))
    )
    return LawFit("position", True, None, None, estimate, tracks, {})


def _without(reason: str) -> LawFit:
    return LawFit("position", False, reason, "no rigid thing can be followed", None, (), {})


def _positions(view: View) -> list[Array] | None:
    """The position along the motion in each film, in pixels; None where a frame does not show the thing."""
    frames = [f.frames if f.frames.ndim == 3 else f.frames.mean(3).astype(np.uint8) for f in view.films]
    points = follow(frames, np.ones(frames[0].shape[1:], dtype=bool)).points
    if points is None:
        return None
    everything = np.concatenate(points)
    axis = int(np.nanstd(everything[:, 1]) > np.nanstd(everything[:, 0]))
    tracked = [p[:, axis] for p in points]
    return tracked if np.isfinite(np.concatenate(tracked)).all() else None


def _samples(view: View, latents: Sequence[Tensor], training: Sequence[int]) -> Samples:
    times = [torch.from_numpy(view.films[i].time - view.films[i].time[0]) for i in training]
    clip = torch.cat([torch.full((len(time),), number) for number, time in enumerate(times)])
    return Samples(torch.cat(times), torch.cat([latents[i] for i in training]), clip, len(training))


class _Problem:
    """The law's own motion, with initial states, a scale and an offset, against the positions.

    A scale or an offset that the law leaves free is held.
    """

    def __init__(self, law: TorchLaw, samples: Samples, free: Held) -> None:
        self.law, self.samples, self.free = law, samples, free
        self.count = len(law.names)

    def solved(self) -> tuple[Tensor, float, float] | None:
        """Parameters, scale and offset of the best of several starts."""
        found = [minimum for start in self._starts() if (minimum := self._refined(*start)) is not None]
        if not found:
            return None
        point = min(found, key=lambda m: m[0])[1]
        return point[: self.count], float(point[-2]), float(point[-1])

    def _starts(self) -> list[tuple[Tensor, float]]:
        """Coefficients by least squares in the weak form, for several scales and values inside the terms."""
        try:
            weak = WeakForm(self.law, self.samples, self.samples.tempo(), Held(), 10)
        except ValueError:  # no clip is long enough for a window
            return []
        inner = [self.law.names.index(p.name) for p in self.law.terms().nonlinear]
        tried: list[tuple[float, Tensor, float]] = []
        scales = (1.0,) if self.free.scale else _SCALES
        for scale, *values in itertools.product(scales, *[_INNER] * len(inner)):
            straight = weak.spline.straight(0.0, 1 / scale, weak.place)
            theta = torch.ones(self.count, dtype=torch.float64)
            theta[inner] = torch.tensor(values, dtype=torch.float64)
            if not bool(self.law.domain_ok(self.samples.place / scale, theta).all()):
                continue
            profiled = weak.profile(straight, theta)
            solved = None if profiled is None else parameters_of(self.law, profiled[0], theta)
            if profiled is not None and solved is not None:
                tried.append((profiled[1], solved[0], scale))
        return [(theta, scale) for _, theta, scale in sorted(tried, key=lambda one: one[0])[:_BEST]]

    def _refined(self, theta: Tensor, scale: float) -> tuple[float, Tensor] | None:
        samples = self.samples
        value, rate = (x / scale for x in smoothed(samples, 0.3 * samples.tempo()))
        first = torch.stack([samples.of(c)[0] for c in range(samples.clips)])
        shooting = Shooting(
            self.law, samples.time, samples.clip, samples.duration(), samples.tempo() / _STEPS_PER_PERIOD
        )
        shooting.guess(samples.time, samples.clip, value, rate)
        start = torch.stack([value[first], rate[first]], 1)
        point = torch.cat([theta, start.flatten(), torch.tensor([scale, 0.0], dtype=torch.float64)])
        found = minimise(lambda x: self._problem(x, shooting), point, 150, 1e-12)
        return None if found is None else (found.cost, found.point)

    def _problem(self, point: Tensor, shooting: Shooting) -> tuple[Tensor, Tensor] | None:
        p, m = self.count, self.samples.clips
        theta, start, scale, offset = point[:p], point[p : p + 2 * m].view(m, 2), point[-2], point[-1]
        if not self.law.admissible(theta):
            return None
        motion = shooting.run(start, theta)
        if motion is None or motion.state_by is None:
            return None
        if not bool(self.law.domain_ok(motion.state, theta).all()):
            return None
        n = self.samples.count
        jacobian = torch.zeros(n, len(point), dtype=torch.float64)
        jacobian[:, :p] = scale * motion.state_by[:, 2:]
        rows = torch.arange(n)
        jacobian[rows, p + 2 * self.samples.clip] = scale * motion.state_by[:, 0]
        jacobian[rows, p + 2 * self.samples.clip + 1] = scale * motion.state_by[:, 1]
        if not self.free.scale:
            jacobian[:, -2] = motion.state
        if not self.free.origin:
            jacobian[:, -1] = 1.0
        return scale * motion.state + offset - self.samples.place, jacobian


def _track(film: Film, latent: Array, fitted: bool) -> Track:
    nothing, used = np.full(film.count, np.nan), np.full(film.count, fitted)
    return Track(film.name, film.role, film.time, latent, nothing, nothing, nothing, used, film.reference)
