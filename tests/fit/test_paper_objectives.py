"""Each objective vanishes on exact motions to its order, and the integral one recovers what it profiles."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from identify.errors import InputError
from identify.fit.paper.integral import IntegralObjective, integral_form
from identify.fit.paper.parameters import bounded, recovered, starting_values
from identify.fit.paper.penalties import domain_margin, variance_floor
from identify.fit.paper.residual import ResidualObjective
from identify.fit.paper.settings import PRESETS, PaperSettings, with_changes
from identify.fit.paper.stencil import full_derivatives, stencil
from identify.fit.paper.weak import conditional_covariance, solutions, weak_residual
from identify.fit.paper.windows import Encoded, Window, drawn
from identify.fit.torch_law import TorchLaw
from identify.law import Law, read_law
from identify.motion.dynamics import Dynamics, simulate

CPU = torch.device("cpu")
PENDULUM = "z'' + d*z' + w**2*sin(z) = 0"
PROJECTED = "z'' = -d*z' - w**2*(z-b)*sqrt(1-(z-b)**2/s**2) - rho*(z-b)/(s**2-(z-b)**2)*z'**2"
OVERHEAD = "z'' = rho*z'**2/z - k*z**2"


def motion(
    law: Law, values: dict[str, float], start: tuple[float, float], rate: float, seconds: float
) -> Encoded:
    table = {p: values[p.name] for p in law.parameters}
    clip = simulate(Dynamics(law, table), start, seconds, rate)
    motion.times.append(clip.time)
    window = Window(len(motion.times) - 1, 0, len(clip.time))
    return Encoded(window, torch.from_numpy(np.ascontiguousarray(clip.state)))


@pytest.fixture(autouse=True)
def _no_times() -> None:
    motion.times = []


def theta_of(law: Law, values: dict[str, float]) -> torch.Tensor:
    return torch.tensor([values[p.name] for p in law.parameters], dtype=torch.float64)


@given(st.integers(3, 9), st.floats(0.0, 0.3), st.integers(0, 9))
def test_stencils_are_exact_for_polynomials_at_any_spacing(window: int, jitter: float, seed: int) -> None:
    window |= 1
    random = np.random.default_rng(seed)
    time = np.cumsum(1 + jitter * random.uniform(-1, 1, 30)) / 30
    q = 0.3 - time + 2 * time**2
    found = stencil(time, window, 2)
    pieces = np.lib.stride_tricks.sliding_window_view(q, window)
    middle = time[window // 2 : len(time) - window // 2]
    assert (found.first * pieces).sum(1) == pytest.approx(-1 + 4 * middle, abs=1e-9)
    assert (found.second * pieces).sum(1) == pytest.approx(np.full(len(middle), 4.0), abs=1e-7)
    smooth, first, second = full_derivatives(time, q, window, 2)
    assert smooth == pytest.approx(q)
    assert first == pytest.approx(-1 + 4 * time, abs=1e-8)
    assert second == pytest.approx(np.full(30, 4.0), abs=1e-6)


def test_the_default_stencil_is_the_three_point_one() -> None:
    found = stencil(np.arange(5) / 60, 3, 2)
    assert found.first[1] == pytest.approx([-30, 0, 30], abs=1e-9)
    assert found.second[1] == pytest.approx([3600, -7200, 3600])


@pytest.mark.parametrize(("window", "degree", "order"), [(3, 2, 2), (7, 2, 2), (5, 4, 4)])
def test_the_residual_vanishes_to_the_order_of_its_stencil(window: int, degree: int, order: int) -> None:
    law, values = read_law(PENDULUM), {"d": 0.15, "w": 2.0}
    errors = []
    for rate in (30, 60):
        motion.times = []
        encoded = motion(law, values, (1.2, 0.3), rate, 4.0)
        settings = PaperSettings("generic", window=window, degree=degree)
        objective = ResidualObjective(TorchLaw(law), settings, motion.times, CPU)
        errors.append(float(objective([encoded], theta_of(law, values)).sqrt()))
    assert errors[0] / errors[1] == pytest.approx(2**order, rel=0.15)


def test_the_residual_of_part_of_a_clip_is_part_of_the_residual() -> None:
    law, values = read_law(PENDULUM), {"d": 0.15, "w": 2.0}
    whole = motion(law, values, (1.2, 0.3), 30, 3.0)
    objective = ResidualObjective(TorchLaw(law), PaperSettings("generic"), motion.times, CPU)
    part = Encoded(Window(0, 10, 40), whole.latent[10:40])
    theta = theta_of(law, values)
    assert torch.allclose(objective.residual(part, theta), objective.residual(whole, theta)[10:38])


def test_states_outside_the_domain_leave_loss_and_gradient_finite() -> None:
    law = read_law(PROJECTED, ["s > 0"], ["b - s < z < b + s"])
    latent = torch.linspace(-1.5, 1.5, 40, dtype=torch.float64).requires_grad_()
    compiled = TorchLaw(law)
    theta = torch.tensor([0.1, 2.0, 0.0, 0.8, 0.8], dtype=torch.float64)
    theta = theta_of(law, {"d": 0.1, "w": 2.0, "b": 0.0, "s": 0.8, "rho": 0.8}).requires_grad_()
    objective = ResidualObjective(compiled, PaperSettings("generic"), [np.arange(40) / 30], CPU)
    windows = [Encoded(Window(0, 0, 40), latent)]
    loss = objective(windows, theta) + domain_margin(windows, compiled, theta, PaperSettings("generic"))
    grads = torch.autograd.grad(loss, [latent, theta])
    assert all(torch.isfinite(g).all() for g in grads)
    assert float(grads[0][0]) < 0  # the state left of the domain is pulled to the right
    assert float(grads[0][-1]) > 0


CASES = [
    (OVERHEAD, {"rho": 2.0, "k": 0.3}, ["z > 0"], [(1.0, 0.2), (1.5, -0.1), (0.7, 0.4)]),
    (OVERHEAD, {"rho": 1.0, "k": 0.4}, ["z > 0"], [(1.0, 0.2), (1.5, -0.1)]),
    ("z'' = A", {"A": 9.8}, [], [(0.0, 0.2), (0.5, -0.1)]),
    (PENDULUM, {"d": 0.15, "w": 2.0}, [], [(1.2, 0.0), (-0.4, 1.0)]),
    ("z'' + mu*(z**2 - 1)*z' + z = 0", {"mu": 1.5}, [], [(0.5, 0.0), (2.5, 0.3)]),
    (
        PROJECTED,
        {"d": 0.15, "w": 2.0, "rho": 1.0, "s": 1.0, "b": 0.1},
        ["b - s < z < b + s"],
        [(0.8, 0.0), (0.5, 0.2)],
    ),
]


@pytest.mark.parametrize(("text", "values", "domain", "starts"), CASES)
def test_the_integral_objective_recovers_the_profiled_coefficients(
    text: str, values: dict[str, float], domain: list[str], starts: list[tuple[float, float]]
) -> None:
    positive = [f"{name} > 0" for name in ("w", "s", "k") if name in values]
    law = read_law(text, positive, domain)
    compiled, form = TorchLaw(law), integral_form(law)
    assert form is not None
    windows = [motion(law, values, start, 60, 1.5) for start in starts]
    objective = IntegralObjective(compiled, form, motion.times, CPU)
    truth = theta_of(law, values)
    profile = objective.profile(windows, truth)
    assert float(profile.relative) < 1e-7
    wrong = truth.clone()
    for symbol in form.terms.linear:
        wrong[law.parameters.index(symbol)] = 0.7
    bounds = bounded(compiled, False)
    found = recovered(form.terms, compiled, profile.coefficients.numpy(), wrong.numpy(), bounds)
    assert found == pytest.approx(truth.numpy(), rel=2e-3)


def test_the_canonical_state_of_the_overhead_fall_is_the_published_one() -> None:
    law = read_law(OVERHEAD, ["k > 0"], ["z > 0"])
    form = integral_form(law)
    assert form is not None
    z = torch.linspace(0.5, 1.4, 20, dtype=torch.float64)
    objective = IntegralObjective(TorchLaw(law), form, [np.arange(20) / 30], CPU)
    for rho in (1.0, 1.7, 2.0):
        theta = torch.tensor([rho, 0.3], dtype=torch.float64)
        r, known, features = objective._integrals(Encoded(Window(0, 0, 20), z), theta)
        closed = torch.log(z) if rho == 1 else (z ** (1 - rho) - 1) / (1 - rho)
        assert torch.allclose(r, closed - closed[0], atol=1e-12)
        assert torch.count_nonzero(known) == 0
        time = np.arange(20) / 30
        force = -(z.numpy() ** (2 - rho))
        fine = np.linspace(0, time[-1], 20001)
        exact = np.trapezoid((time[-1] - fine) * np.interp(fine, time, force), fine)
        assert float(features[-1, 0]) == pytest.approx(exact, rel=1e-7)


def test_gradients_flow_through_the_profiled_fit() -> None:
    law = read_law(OVERHEAD, ["k > 0"], ["z > 0"])
    form = integral_form(law)
    assert form is not None
    random = np.random.default_rng(1)
    z = torch.from_numpy(1 + 0.3 * random.uniform(size=12)).requires_grad_()
    theta = torch.tensor([1.8, 1.0], dtype=torch.float64, requires_grad=True)
    objective = IntegralObjective(TorchLaw(law), form, [np.arange(12) / 30], CPU)
    assert torch.autograd.gradcheck(
        lambda z, theta: objective([Encoded(Window(0, 0, 12), z)], theta), (z, theta), atol=1e-5
    )


def test_no_integral_form_where_the_velocity_enters_otherwise() -> None:
    assert integral_form(read_law("z'' + a*z + k*z'*abs(z') = 0")) is None
    assert integral_form(read_law("z'' + a*z + f*tanh(z'/s) = 0")) is None


def test_the_variance_floor_is_the_published_formula() -> None:
    z = torch.tensor([0.0, 0.01, 0.0, -0.01], dtype=torch.float64)
    windows = [Encoded(Window(0, 0, 4), z), Encoded(Window(1, 0, 4), 100 * z)]
    settings = PaperSettings("generic", floor=0.02, floor_weight=100.0)
    short = 0.02 - math.sqrt(0.5e-4 + 1e-8)
    assert float(variance_floor(windows, settings, 1.0)) == pytest.approx(100 * short**2 / 2)
    overhead = PRESETS["overhead-fall"]
    assert float(variance_floor(windows[1:], overhead, 0.1)) == 0.0


def test_weak_residual_and_solutions_see_the_right_law() -> None:
    law, values = read_law(PENDULUM), {"d": 0.15, "w": 2.0}
    encoded = [motion(law, values, start, 30, 5.0) for start in [(1.2, 0.0), (-0.5, 1.0)]]
    clips = [(time, e.latent.numpy()) for time, e in zip(motion.times, encoded, strict=True)]
    compiled, theta = TorchLaw(law), theta_of(law, values).numpy()
    weak = weak_residual(compiled, theta, clips)
    assert weak.relative < 1e-3
    assert np.isfinite(conditional_covariance(weak)).all()
    assert weak_residual(compiled, theta * [1, 1.3], clips).relative > 0.1
    for (_, z), path in zip(clips, solutions(compiled, theta, clips), strict=True):
        assert path == pytest.approx(z, abs=1e-4)


def test_windows_depend_on_seed_and_step_only() -> None:
    counts = [50, 200, 61]
    assert drawn(counts, 4, 64, 3, 17) == drawn(counts, 4, 64, 3, 17)
    assert drawn(counts, 4, 64, 3, 17) != drawn(counts, 4, 64, 3, 18)
    for window in drawn(counts, 8, 64, 1, 0):
        assert 0 <= window.start < window.stop <= counts[window.clip]
        assert window.count == min(64, counts[window.clip])
    assert [w.count for w in drawn([9, 11], 0, 64, 0, 5)] == [9, 11]


def test_starting_values_respect_the_assumptions() -> None:
    law = read_law("z'' + d*z' + k*z**p = 0", ["k > 0", "p > 0", "p != 1", "d >= 0"], "z > 0")
    compiled = TorchLaw(law)
    bounds = bounded(compiled, False)
    start = starting_values(compiled, {}, bounds)
    assert compiled.admissible(torch.from_numpy(start))
    assert bounds.inside(bounds.raw(start)).numpy() == pytest.approx(start)


def test_settings_are_checked() -> None:
    assert with_changes(PRESETS["lti"], {"updates": 5}).updates == 5
    for wrong in (
        {"upates": 5},
        {"updates": -1},
        {"updates": "many"},
        {"window": 4},
        {"preset": "lti"},
        {"floor": math.nan},
        {"encoder": "resnet"},
        {"initial": {"d": "a"}},
        {"positive": 1},
    ):
        with pytest.raises(InputError):
            with_changes(PRESETS["lti"], wrong)
