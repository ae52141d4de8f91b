"""The parts of the default fit: splines, least squares, shooting, weak form, samples, curve, correction."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

import identify
from identify.fit import solve
from identify.fit.align import Transport, aligned
from identify.fit.correction import find_correction
from identify.fit.curve import SUPPLE, find_curves
from identify.fit.film import LawFit
from identify.fit.held import Held, held
from identify.fit.least_squares import linear_solution, minimise, pseudo_inverse
from identify.fit.samples import Samples, smoothed, spread_out
from identify.fit.shooting import Shooting
from identify.fit.splines import Spline
from identify.fit.torch_law import TorchLaw
from identify.fit.weak import WeakForm
from identify.law import read_law

DOUBLE = torch.float64


@given(
    low=st.floats(-3, 3),
    width=st.floats(0.1, 5),
    size=st.integers(4, 30),
    slope=st.floats(-4, 4),
    start=st.floats(-4, 4),
)
@settings(max_examples=40, deadline=None)
def test_a_straight_line_is_a_spline_inside_and_outside(low, width, size, slope, start):
    spline = Spline(low, low + width, size)
    x = torch.linspace(low - width, low + 2 * width, 50, dtype=DOUBLE)
    value, rate = spline.evaluate(x, spline.straight(start, slope, x))
    assert torch.allclose(value, start + slope * x, atol=1e-9)
    assert torch.allclose(rate, torch.full_like(x, slope), atol=1e-8)


def test_the_slope_of_a_spline_is_its_derivative():
    spline = Spline(-1.0, 2.0, 9)
    x = torch.linspace(-0.99, 1.99, 40, dtype=DOUBLE)
    coefficients = torch.randn(9, dtype=DOUBLE, generator=torch.Generator().manual_seed(0))
    step = 1e-6
    slope = spline.evaluate(x, coefficients)[1]
    numeric = (spline.evaluate(x + step, coefficients)[0] - spline.evaluate(x - step, coefficients)[0]) / (
        2 * step
    )
    assert torch.allclose(slope, numeric, atol=1e-6)


def test_levenberg_marquardt_reaches_the_minimum_of_a_curved_valley():
    def problem(x):
        residual = torch.stack([10 * (x[1] - x[0] ** 2), 1 - x[0]])
        jacobian = torch.tensor([[-20 * float(x[0]), 10.0], [-1.0, 0.0]], dtype=DOUBLE)
        return residual, jacobian

    found = minimise(problem, torch.tensor([-1.2, 1.0], dtype=DOUBLE), 100, 1e-14)
    assert found is not None
    assert torch.allclose(found.point, torch.ones(2, dtype=DOUBLE), atol=1e-5)


def test_a_direction_without_effect_is_counted_and_does_not_blow_up():
    jacobian = torch.tensor([[1.0, 1.0, 0.0], [0.0, 0.0, 2.0]], dtype=DOUBLE)
    inverse, flat = pseudo_inverse(jacobian.T @ jacobian)
    assert flat == 1
    assert bool(torch.isfinite(inverse).all())


LAWS = {
    "z''+d*z'+a*z+b*z**3=0": (0.2, 4.0, 4.0),
    "z''+d*z'+k*sin(z)=0": (0.15, 4.0),
    "z''-mu*(1-z**2)*z'+z=0": (1.5,),
    "z''=-k*z-d*z'-c*z'*abs(z')": (0.8, 0.18, 0.22),
    "z''=rho*z'**2/z-k*z**2": (2.0, 0.7),
}


def _motions(text, values, duration=4.0, rate=60):
    law = TorchLaw(read_law(text))
    theta = torch.tensor(values, dtype=DOUBLE)
    start = torch.tensor([[0.9, 0.3], [0.6, -0.5], [1.1, 0.8]], dtype=DOUBLE)
    frames = torch.arange(int(duration * rate) + 1, dtype=DOUBLE) / rate
    time, clip = frames.repeat(3), torch.arange(3).repeat_interleave(len(frames))
    shooting = Shooting(law, time, clip, torch.full((3,), duration, dtype=DOUBLE), 0.01)
    return law, theta, start, time, clip, shooting


@pytest.mark.parametrize("text", LAWS)
def test_motions_agree_with_an_independent_integrator_and_their_derivatives_with_differences(text):
    law, theta, start, time, clip, shooting = _motions(text, LAWS[text], duration=1.2)
    motion = shooting.run(start, theta)
    assert motion is not None
    for c in range(3):
        at = time[clip == c].numpy()
        exact = solve_ivp(
            lambda _, y: [y[1], float(law.acceleration(torch.tensor(y[0]), torch.tensor(y[1]), theta))],
            (0, at[-1]), start[c].numpy(), t_eval=at, rtol=1e-10, atol=1e-12,
        )  # fmt: skip
        assert np.abs(exact.y[0] - motion.state[clip == c].numpy()).max() < 1e-6
        assert np.abs(exact.y[1] - motion.velocity[clip == c].numpy()).max() < 1e-5
    step = 1e-6
    for i in range(len(theta)):
        shifted = [
            shooting.run(start, theta + s * step * torch.eye(len(theta), dtype=DOUBLE)[i]) for s in (1, -1)
        ]
        numeric = (shifted[0].state - shifted[1].state) / (2 * step)
        assert torch.allclose(numeric, motion.state_by[:, 2 + i], atol=1e-5)


def test_newton_from_a_bad_guess_gives_the_same_motion_as_steps_in_order():
    _, theta, start, time, clip, shooting = _motions("z''+d*z'+k*sin(z)=0", (0.15, 4.0))
    expected = shooting.run(start, theta).state
    shooting.guess(time, clip, torch.zeros_like(time), torch.ones_like(time))
    assert torch.allclose(shooting.run(start, theta).state, expected, atol=1e-9)


def test_a_motion_that_blows_up_is_none():
    _, _, start, _, _, shooting = _motions("z''=a*z**3", (50.0,))
    assert shooting.run(start, torch.tensor([50.0], dtype=DOUBLE)) is None


@pytest.mark.parametrize("text", LAWS)
def test_the_weak_residual_of_the_true_law_is_small_and_its_jacobian_right(text):
    law, theta, start, time, clip, shooting = _motions(text, LAWS[text], 1.2 if "rho" in text else 4.0)
    motion = shooting.run(start, theta)
    samples = Samples(time, motion.state, clip, 3)
    weak = WeakForm(law, samples, samples.tempo(), Held(), 8, width=0.1)
    encoder = weak.spline.straight(0.0, 1.0, time)
    residual = weak.residual(encoder, theta)
    assert float(residual.norm()) < 3e-3
    point = torch.cat([encoder, theta])
    _, jacobian = weak.problem(point)
    for i in (0, 3, len(point) - 1):
        step = 1e-6 * torch.eye(len(point), dtype=DOUBLE)[i]
        numeric = (weak.problem(point + step)[0] - weak.problem(point - step)[0]) / 2e-6
        assert torch.allclose(numeric[: len(residual)], jacobian[: len(residual), i], atol=1e-4)


@given(period=st.floats(0.3, 3.0), phase=st.floats(0, 6), noise=st.floats(0, 0.02))
@settings(max_examples=25, deadline=None)
def test_the_period_of_a_sine_is_found(period, phase, noise):
    time = torch.arange(600, dtype=DOUBLE) / 60
    chance = torch.Generator().manual_seed(1)
    place = torch.sin(2 * torch.pi * time / period + phase) + noise * torch.randn(
        600, generator=chance, dtype=DOUBLE
    )
    samples = Samples(time, place, torch.zeros(600, dtype=torch.long), 1)
    assert samples.period() == pytest.approx(period, rel=0.1)


def test_local_polynomials_reproduce_polynomials_at_uneven_times():
    time = torch.cumsum(torch.rand(80, generator=torch.Generator().manual_seed(2), dtype=DOUBLE) + 0.1, 0)
    place = 1 + 2 * time - 0.1 * time**2 + 0.002 * time**3
    samples = Samples(time - time[0], place, torch.zeros(80, dtype=torch.long), 1)
    value, rate = smoothed(samples, 8.0)
    assert torch.allclose(value, place, atol=1e-7)
    assert torch.allclose(rate, 2 - 0.2 * time + 0.006 * time**2, atol=1e-6)


def test_a_bent_curve_in_many_dimensions_keeps_its_order():
    along = torch.rand(900, generator=torch.Generator().manual_seed(3), dtype=DOUBLE).sort().values
    angles = 6 * along.unsqueeze(1) * torch.arange(1, 6)
    points = torch.cat([torch.sin(angles), torch.cos(angles)], 1)
    points = points + 0.01 * torch.randn(
        points.shape, generator=torch.Generator().manual_seed(4), dtype=DOUBLE
    )
    place, _ = find_curves(points, SUPPLE)[-1].project(points)
    order = np.corrcoef(np.argsort(np.argsort(place.numpy())), np.arange(900))[0, 1]
    assert abs(order) > 0.9999


def test_the_correction_takes_out_a_wobble_and_never_folds():
    place = torch.rand(2000, generator=torch.Generator().manual_seed(5), dtype=DOUBLE)
    true = place + 0.003 * torch.sin(60 * place)
    correction = find_correction(place, true)
    assert float((correction(place) - true).abs().max()) < 5e-4
    wild = find_correction(place, place + 0.2 * torch.sin(60 * place))
    grid = torch.linspace(0, 1, 4000, dtype=DOUBLE)
    assert bool((torch.diff(wild(grid)) > 0).all())


def test_what_the_orbit_leaves_free_is_held():
    assert held(identify.analyze("z''+d*z'+a*(z-c)=0")) == Held(True, True)
    assert held(identify.analyze("z''+d*z'+a*z+b*z**3=0", assume=["b != 0"])) == Held(True, False)
    assert held(identify.analyze("z''+d*z'+k*sin(z)=0", assume=["k > 0"])) == Held()


def test_parameters_move_along_the_orbit():
    law = read_law("z''+d*z'+a*z+b*z**3=0", ["b != 0"])
    transport = Transport(law, identify.analyze(law))
    one, other = torch.tensor([[0.2, 4.0, 4.0], [0.2, 4.0, 1.0]], dtype=DOUBLE)
    assert torch.allclose(transport.moved(one, 2.0, 0.0, other), other)


def test_fits_about_two_equilibria_of_one_law_agree():
    """(d, a, b) about one rest is (d, -a, b/lambda) about the other: no spread of a."""
    law = read_law("z''+d*z'+a*z+b*z**2=0", ["b != 0"])
    transport = Transport(law, identify.analyze(law))
    one, other = torch.tensor([[0.2, 1.6, 0.5], [0.2, -1.6, 0.25]], dtype=DOUBLE)
    latent = torch.linspace(-1, 1, 50, dtype=DOUBLE)
    moved = aligned(transport, one, [latent], [2 * latent + 6.4], other)
    assert torch.allclose(moved, other)


def test_a_linear_solution_does_not_depend_on_what_memory_held_before():
    generator = torch.Generator().manual_seed(0)
    matrix, target = (torch.randn(*n, generator=generator, dtype=DOUBLE) for n in ((200, 5), (200,)))
    found = set()
    for _ in range(100):
        _ = [torch.randint(-1, 2, (5,), dtype=torch.int32) for _ in range(50)]
        found.add(tuple(linear_solution(matrix, target).tolist()))
    assert len(found) == 1
    rest = matrix @ linear_solution(matrix, target) - target
    assert float((matrix.T @ rest).abs().max()) < 1e-10


@pytest.mark.parametrize(("count", "step"), [(1, 1), (5, 2), (1999, 3), (20_000, 10)])
def test_frames_chosen_for_learning_are_spread_and_never_in_step_with_a_period(count, step):
    chosen = spread_out(count, step, 0)
    assert len(chosen) == count // step
    assert torch.equal(chosen // step, torch.arange(count // step))
    assert len(torch.unique(chosen % step)) == min(step, len(chosen))


@pytest.mark.parametrize("seed", range(3))
def test_an_end_that_was_visited_once_is_not_folded_back(seed):
    along = torch.cat([torch.linspace(0, 1, 2000), torch.linspace(1.015, 1.3, 20)]).double()
    points = torch.stack([(2 * along).cos(), (2 * along).sin(), along**2], 1)
    noise = torch.randn(points.shape, generator=torch.Generator().manual_seed(seed)).double()
    (curve,) = find_curves(points + 1e-4 * noise, (24,))
    steps = curve.project(points)[0][-20:].diff()
    assert bool((steps > 0).all() | (steps < 0).all())


@pytest.mark.parametrize(
    ("without", "whole", "accepted"),
    [(0.001, 0.001, True), (0.04, 0.001, True), (0.04, 0.04, False)],
)
def test_what_half_an_object_leaves_of_a_law_is_refused(monkeypatch, without, whole, accepted):
    """Frames in which something crosses the border are left out; refused where the law strays anyway."""
    left = iter([without, whole])

    def one(*_):
        evidence = {"structured_residual": next(left), "place_noise": 0.001}
        return LawFit("default", True, None, None, None, (), evidence)

    monkeypatch.setattr(solve, "_fit", one)
    law = read_law("z''+d*z'+a*z=0")
    doubted = [np.array([False, True])]
    fit = solve.fit_views(law, identify.analyze(law), [], solve.Settings(), lambda *_: None, doubted=doubted)
    assert fit.accepted == accepted
    if not accepted:
        assert fit.reason is not None
        assert fit.advice is not None
        assert fit.reason.startswith("something crosses the border")
