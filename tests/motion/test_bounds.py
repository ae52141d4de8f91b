"""The bounds are never violated on random maps, laws, paths and noise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.polynomial import Polynomial

from identify.law import read_law
from identify.motion.bounds import (
    Known,
    best_time_step,
    evaluate,
    exact_level,
    near_level,
    near_residual,
    state_transfer,
    stencil_errors,
    stencil_transfer,
)
from identify.motion.dynamics import Dynamics, simulate
from identify.motion.estimate import best_triple, estimate, smallest_singular_value
from identify.motion.table import DataError
from identify.motion.trajectory import Clip
from identify.motion.values import read_parameters

LEVELS = np.linspace(-1.0, 1.0, 401)
ROUNDING = 1 + 1e-9


class RandomReport:
    """A random smooth map on [-1, 1] and a random report law, as the coefficient errors c(u)."""

    def __init__(self, generator: np.random.Generator) -> None:
        size = 10.0 ** generator.uniform(-4, 0)
        bend = Polynomial([0, 0, *(size * generator.normal(size=4) / np.arange(2, 6) ** 2)])
        least = -float(bend.deriv()(LEVELS).min())
        self.f = bend + Polynomial([generator.normal(), least + generator.uniform(0.1, 2.0)])
        self.damping = Polynomial(size * generator.normal(size=3))
        self.restoring = Polynomial(size * generator.normal(size=4))
        self.least_slope = float(self.f.deriv()(LEVELS).min())

    def errors(self, u: Any) -> Any:
        """c(u) of eq:coefficient-residual-vector."""
        slope = self.f.deriv()(u)
        return np.array([self.f.deriv(2)(u), slope * self.damping(u), self.restoring(u)])

    def residual(self, u: Any, v: Any) -> Any:
        """R_u(v)."""
        bend, linear, constant = self.errors(u)
        return bend * v**2 + linear * v + constant

    def lipschitz(self) -> float:
        parts = (self.f.deriv(2), self.f.deriv() * self.damping, self.restoring)
        slopes = np.array([part.deriv()(LEVELS) for part in parts])
        return 1.01 * float(np.linalg.norm(slopes, axis=0).max())


def test_exact_level_bounds() -> None:
    """prop:robust-collapse, level by level and for the distance from the tangent."""
    generator = np.random.default_rng(1)
    for _ in range(200):
        report = RandomReport(generator)
        velocities = np.sort(generator.uniform(-3, 3, 3))
        separation, speed = float(np.diff(velocities).min()), float(np.abs(velocities).max())
        residuals = np.abs(report.residual(LEVELS[:, None], velocities[None, :])).max(axis=1)
        bound = exact_level(float(residuals.max()), separation, speed, report.least_slope, 2.0)
        errors = np.abs(report.errors(LEVELS))
        assert errors[0].max() <= bound.curvature * ROUNDING
        assert bound.damping is not None
        assert np.abs(report.damping(LEVELS)).max() <= bound.damping * ROUNDING
        assert errors[2].max() <= bound.restoring * ROUNDING
        start = float(generator.uniform(-1, 1))
        tangent = report.f(start) + report.f.deriv()(start) * (LEVELS - start)
        assert bound.affine is not None
        assert np.abs(report.f(LEVELS) - tangent).max() <= bound.affine * ROUNDING


def test_near_level_bounds() -> None:
    """thm:near-level-stability with levels that miss the target by up to h and differ from level to level."""
    generator = np.random.default_rng(2)
    for _ in range(200):
        report = RandomReport(generator)
        mismatch = 10.0 ** generator.uniform(-4, -1)
        base = np.sort(generator.uniform(-2, 2, 3))
        targets = LEVELS[::10]
        near = np.clip(targets[:, None] + generator.uniform(-mismatch, mismatch, (len(targets), 3)), -1, 1)
        velocities = base[None, :] * (1 + 0.1 * near)
        residual = float(np.abs(report.residual(near, velocities)).max())
        sigma = min(smallest_singular_value(row) for row in velocities)
        speed = float(np.abs(velocities).max())
        budget = near_residual(residual, mismatch, report.lipschitz(), speed)
        bound = near_level(budget, sigma, report.least_slope, 2.0)
        assert np.linalg.norm(report.errors(targets), axis=0).max() <= bound.curvature * ROUNDING
        assert bound.damping is not None
        assert np.abs(report.damping(targets)).max() <= bound.damping * ROUNDING
        tangent = report.f(0.3) + report.f.deriv()(0.3) * (targets - 0.3)
        assert bound.affine is not None
        assert np.abs(report.f(targets) - tangent).max() <= bound.affine * ROUNDING


class RandomPath:
    """A sum of three waves; its derivatives are bounded by the sum of their sizes."""

    def __init__(self, generator: np.random.Generator) -> None:
        self.size = generator.normal(size=3)
        self.rate = generator.uniform(0.2, 4, 3)
        self.phase = generator.uniform(0, 6, 3)

    def __call__(self, t: Any, order: int = 0) -> Any:
        turned = self.rate * np.asarray(t)[..., None] + self.phase + order * np.pi / 2
        return (self.size * self.rate**order * np.sin(turned)).sum(axis=-1)

    def largest(self, order: int) -> float:
        return float((np.abs(self.size) * self.rate**order).sum())


def test_stencil_bounds() -> None:
    """eq:AB_stencil_bounds and eq:AB_discrete_continuous_transfer with bounded noise."""
    generator = np.random.default_rng(3)
    for _ in range(200):
        path, step = RandomPath(generator), 10.0 ** generator.uniform(-3, -0.5)
        noise = 10.0 ** generator.uniform(-8, -2)
        times = np.arange(40) * step
        sampled = path(times) + generator.choice([-1, 1, 0.3], 40) * noise
        first = (sampled[2:] - sampled[:-2]) / (2 * step)
        second = (sampled[2:] - 2 * sampled[1:-1] + sampled[:-2]) / step**2
        inner = times[1:-1]
        bounds = stencil_errors(step, noise, path.largest(3), path.largest(4))
        rounding = 1e-12 / step**2
        for value, order, bound in zip((sampled[1:-1], first, second), range(3), bounds, strict=True):
            assert np.abs(value - path(inner, order)).max() <= bound + rounding
        a, b = (Polynomial(generator.normal(size=3)) for _ in range(2))
        reach = path.largest(0) + noise
        domain = np.linspace(-reach, reach, 2001)
        constants = (np.abs(p(domain)).max() for p in (a, a.deriv(), b.deriv()))
        damping, damping_lipschitz, restoring_lipschitz = (float(c) for c in constants)
        continuous = path(inner, 2) + a(path(inner)) * path(inner, 1) + b(path(inner))
        discrete = second + a(sampled[1:-1]) * first + b(sampled[1:-1])
        transfer = stencil_transfer(
            step,
            noise,
            path.largest(3),
            path.largest(4),
            damping,
            damping_lipschitz,
            restoring_lipschitz,
            path.largest(1),
        )
        assert np.abs(discrete - continuous).max() <= transfer + rounding


def test_state_consistency_bound() -> None:
    """eq:AB_state_consistency_transfer for random errors of the encoder path."""
    generator = np.random.default_rng(4)
    times = np.linspace(0, 20, 500)
    for _ in range(200):
        path, wrong = RandomPath(generator), RandomPath(generator)
        wrong.size *= 10.0 ** generator.uniform(-6, -1)
        error = max(float(np.abs(wrong(times, order)).max()) for order in range(3))
        slope = float(
            generator.uniform(0.3, 2)
        )  # f = slope * z, so that y' = slope * z' is bounded by slope * V
        y = [slope * path(times, order) for order in range(3)]
        shifted = [y[order] + wrong(times, order) for order in range(3)]
        a, b = (Polynomial(generator.normal(size=3)) for _ in range(2))
        reach = max(float(np.abs(y[0]).max()), float(np.abs(shifted[0]).max()))
        domain = np.linspace(-reach, reach, 2001)
        constants = [float(np.abs(p(domain)).max()) for p in (a, a.deriv(), b.deriv())]
        residuals = [p[2] + a(p[0]) * p[1] + b(p[0]) for p in (shifted, y)]
        speed = float(np.abs(path(times, 1)).max())
        bound = state_transfer(error, *constants, slope, speed)
        assert np.abs(residuals[0] - residuals[1]).max() <= bound * ROUNDING


def test_the_terms_add_up_and_one_dominates() -> None:
    known = Known(
        residual=1e-3,
        level_mismatch=0.01,
        separation=1.0,
        speed=1.0,
        sigma=0.66,
        diameter=2.0,
        slope=0.5,
        lipschitz=0.1,
        time_step=1 / 60,
        noise=1e-4,
        third=1.0,
        fourth=1.0,
        damping=0.2,
        damping_lipschitz=0.0,
        restoring_lipschitz=1.0,
        latent_speed=1.0,
        state_error=1e-4,
        map_slope=2.0,
    )
    report = evaluate(known)
    assert not report.missing
    assert report.dominant == "noise, second derivative"
    assert sum(term.share for term in report.terms) == pytest.approx(1)
    assert report.near_residual == pytest.approx(sum(term.value for term in report.terms))
    assert report.residual is not None
    by_hand = (
        1e-3 + stencil_transfer(1 / 60, 1e-4, 1, 1, 0.2, 0, 1, 1) + state_transfer(1e-4, 0.2, 0, 1, 2, 1)
    )
    assert report.residual == pytest.approx(by_hand)


def test_missing_constants_are_named() -> None:
    report = evaluate(Known(residual=1e-3))
    assert report.exact_level is None
    assert any("separation" in names for names in report.missing.values())


def test_best_time_step_is_the_minimum() -> None:
    best = best_time_step(1e-4, 1.0, 2.0, 0.5)
    assert best is not None
    errors = [stencil_transfer(best * factor, 1e-4, 1, 2, 0.5, 0, 0, 0) for factor in (0.95, 1, 1.05)]
    assert min(errors) == errors[1]
    assert best_time_step(0.0, 1.0, 1.0, 1.0) is None


def clips(noise: float = 0.0) -> tuple[list[Clip], Dynamics]:
    law = read_law("z''+d*z'+a*z=0")
    dynamics = Dynamics(law, read_parameters("d=0.2,a=1", law))
    generator = np.random.default_rng(5)
    found = [simulate(dynamics, (0.0, v), 4.0, 60.0) for v in (1.0, 1.5, -1.2)]
    return [
        Clip(c.name, c.time, c.state + noise * generator.standard_normal(c.frames)) for c in found
    ], dynamics


@pytest.mark.parametrize("noise", [0.0, 1e-5, 1e-3])
def test_constants_from_data(noise: float) -> None:
    filmed, dynamics = clips(noise)
    known, origin, _ = estimate(filmed, dynamics, (-0.3, 0.3), 11)
    assert known.time_step == pytest.approx(1 / 60)
    assert (known.damping, known.restoring_lipschitz) == (pytest.approx(0.2), pytest.approx(1.0))
    assert known.noise is not None
    assert known.noise == pytest.approx(3 * noise, rel=0.3, abs=1e-9)
    assert known.residual is not None
    assert known.third is not None
    assert known.fourth is not None
    # The data obey the law, so their stencil residual is within the stencil's own error (4.5 deviations).
    allowed = stencil_transfer(1 / 60, 4.5 * noise, known.third, known.fourth, 0.2, 0.0, 1.0, 2.0)
    assert known.residual <= allowed * 1.01 + 1e-7
    assert set(origin) <= set(vars(known))


def test_too_few_velocities_are_refused() -> None:
    filmed, dynamics = clips()
    with pytest.raises(DataError, match="fewer than three velocities"):
        estimate(filmed[:1], dynamics, (-0.3, 0.3), 11)


def test_unequal_steps_are_refused() -> None:
    filmed, dynamics = clips()
    clip = filmed[0]
    bent = Clip(clip.name, clip.time**1.5, clip.state)
    with pytest.raises(DataError, match="equally spaced"):
        estimate([bent], dynamics, None, 11)


def test_best_triple() -> None:
    assert best_triple([1.0, 2.0]) is None
    found = best_triple([-1.0, 0.0, 1.0, 1.01])
    assert found is not None
    assert found[0] == pytest.approx(1.0)
