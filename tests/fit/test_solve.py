"""The default method from frames to parameters, on small recordings of the paper's protocols."""

from __future__ import annotations

import dataclasses
import functools
import json

import numpy as np
import pytest
import torch

import identify
from identify.fit.candidate import at_scale, fit_candidate
from identify.fit.encoder import encode_frames
from identify.fit.features import Filter
from identify.fit.film import Film, LawFit, View
from identify.fit.held import held
from identify.fit.least_squares import minimise
from identify.fit.results.metrics import Truth, measure
from identify.fit.seen import see
from identify.fit.solve import Settings, fit_views
from identify.fit.torch_law import TorchLaw
from identify.law import read_law
from identify.scene.camera import Look, photograph
from identify.scene.collection import Ask
from identify.scene.motion import dynamics_of, travel
from identify.scene.protocol import paper_protocol
from identify.scene.stage import Pendulum


def _quiet(fraction, text):
    assert 0 <= fraction <= 1
    assert text


@functools.cache
def _recording(name: str, clips: int | None = 6):
    return paper_protocol(name, 7, Ask(clips=clips))


def _view(name: str, clips: int | None = 6) -> View:
    shots = _recording(name, clips).shots
    return View("whole", tuple(Film(s.name, s.time, s.frames, s.role, s.state) for s in shots))


@functools.cache
def _fit(name: str, clips: int | None = 6, law: str | None = None, seed: int = 0) -> LawFit:
    recording = _recording(name, clips)
    read = read_law(law or recording.law, () if law else recording.assume, () if law else recording.domain)
    return fit_views(read, identify.analyze(read), [_view(name, clips)], Settings(seed=seed), _quiet)


def _errors(name: str, clips: int | None = 6) -> dict[str, float]:
    recording = _recording(name, clips)
    law = read_law(recording.law, recording.assume, recording.domain)
    found = measure(law, identify.analyze(law), _fit(name, clips), Truth(dict(recording.truth)))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("name", "theta", "coordinate"),
    [
        ("pendulum", 0.03, 0.25), ("van-der-pol", 0.03, 0.25), ("cubic", 0.1, 0.25), ("quintic", 0.6, 0.25),
        ("quadratic", 0.1, 0.25), ("lti", 0.1, 0.3), ("projected-pendulum", 3.0, 0.15),
        ("two-way-2", 1.5, 0.3),
    ],
)  # fmt: skip
def test_errors_stay_within_the_stated_limits(name, theta, coordinate):
    clips = 6 if name in {"pendulum", "van-der-pol", "quintic"} else None
    fit, errors = _fit(name, clips), _errors(name, clips)
    assert fit.accepted
    assert fit.reason is None
    assert errors["e_theta"] < theta
    assert errors["e_map"] < coordinate


def test_the_truth_lies_within_a_few_standard_errors():
    fit, truth = _fit("pendulum"), _recording("pendulum").truth
    spread = np.sqrt(np.diag(fit.estimate.covariance))
    for name, value, error in zip(fit.estimate.names, fit.estimate.values, spread, strict=True):
        assert abs(value - truth[name]) < 4 * error
        assert error < 0.01 * abs(value)


def test_the_same_seed_gives_the_same_numbers():
    first, second = _fit("quadratic", None), _fit.__wrapped__("quadratic", None)
    assert np.array_equal(first.estimate.values, second.estimate.values)
    assert np.array_equal(first.tracks[0].latent, second.tracks[0].latent)


def test_a_stored_encoder_gives_the_latents_of_the_fit():
    fit, view = _fit("cubic"), _view("cubic")
    json.dumps(dict(fit.settings))
    for track, film in zip(fit.tracks[:2], view.films[:2], strict=True):
        latent, score = encode_frames(fit.weights, fit.settings, film.frames)
        assert np.allclose(latent, track.latent, atol=1e-5 * np.ptp(track.latent))
        assert np.median(score) == pytest.approx(1, abs=0.5)


def test_a_frame_unlike_all_others_is_far_from_the_curve():
    fit, view = _fit("cubic"), _view("cubic")
    strange = np.random.default_rng(0).integers(0, 255, view.films[0].frames[:3].shape, dtype=np.uint8)
    assert encode_frames(fit.weights, fit.settings, strange)[1].min() > 10


@pytest.mark.parametrize(
    ("name", "law"),
    [
        ("cubic", "z''+d*z'+a*(z-c)=0"),
        ("pendulum", "z''+d*z'+a*(z-c)=0"),
        ("van-der-pol", "z''+d*z'+a*z+b*z**3=0"),
        ("lti", "z''=A"),
    ],
)
def test_a_wrong_law_is_refused(name, law):
    fit = _fit(name, 6, law)
    assert not fit.accepted
    assert "law" in fit.reason
    assert fit.advice


def test_a_law_with_a_term_too_many_finds_it_to_be_nothing():
    fit = _fit("lti", 6, "z''+d*z'+a*z+b*z**3=0")
    values = fit.estimate.by_name()
    error = float(np.sqrt(fit.estimate.covariance[2, 2]))
    assert fit.accepted
    assert values["a"] == pytest.approx(4, rel=2e-3)
    assert abs(values["b"]) < 5 * error


def test_a_law_without_parameters_is_fitted_too():
    fit = _fit("van-der-pol", 4, "z''-1.5*(1-z**2)*z'+z=0")
    assert fit.accepted
    assert fit.estimate.names == ()


def test_noise_alone_is_refused():
    chance = np.random.default_rng(1)
    frames = chance.integers(100, 130, (120, 32, 32), dtype=np.uint8)
    law = read_law("z''+d*z'+a*z=0")
    view = View("whole", (Film("a", np.arange(120) / 30, frames),))
    fit = fit_views(law, identify.analyze(law), [view], Settings(), _quiet)
    assert not fit.accepted
    assert fit.reason


def test_a_still_picture_is_refused():
    law = read_law("z''+d*z'+a*z=0")
    view = View("whole", (Film("a", np.arange(60) / 30, np.full((60, 24, 24), 90, dtype=np.uint8)),))
    fit = fit_views(law, identify.analyze(law), [view], Settings(), _quiet)
    assert not fit.accepted


def test_an_interrupt_leaves_the_best_so_far():
    calls = []

    def progress(fraction, text):
        calls.append(text)
        if len(calls) == 2:
            raise KeyboardInterrupt

    recording = _recording("quadratic", None)
    law = read_law(recording.law, recording.assume)
    fit = fit_views(law, identify.analyze(law), [_view("quadratic", None)], Settings(), progress)
    assert fit.estimate is not None
    assert fit.estimate.by_name()["a"] == pytest.approx(1.6, rel=1e-2)


def test_a_wish_to_stop_ends_with_the_candidate_at_hand():
    """From the first steps on: what is left out only matters for the last digits."""
    recording = _recording("quadratic", None)
    law = read_law(recording.law, recording.assume)
    asked = []

    def interrupted():
        asked.append(True)
        return len(asked) > 30

    settings = Settings(interrupted=interrupted)
    fit = fit_views(law, identify.analyze(law), [_view("quadratic", None)], settings, _quiet)
    assert len(fit.candidates) == 1
    assert fit.estimate is not None
    assert "interrupted" in f"{fit.reason} {fit.warnings}"


def test_a_time_limit_is_kept():
    recording = _recording("cubic")
    law = read_law(recording.law, recording.assume)
    fit = fit_views(law, identify.analyze(law), [_view("cubic")], Settings(time_limit=0.01), _quiet)
    assert len(fit.candidates) <= 1
    assert not fit.accepted
    assert "the time limit passed" in str(fit.reason)


def test_a_minimum_is_left_when_time_is_up():
    """A fit asks for the time at every step: what it has reached by then is no minimum."""
    asked = []

    def stop():
        asked.append(True)
        return len(asked) > 3

    def problem(x):
        return torch.stack([1 - x[0], 10 * (x[1] - x[0] ** 2)]), torch.tensor(
            [[-1.0, 0.0], [-20 * float(x[0]), 10.0]], dtype=torch.float64
        )

    start = torch.tensor([-1.2, 1.0], dtype=torch.float64)
    early, late = minimise(problem, start, 100, 1e-12, stop), minimise(problem, start, 100, 1e-12)
    assert early is not None
    assert late is not None
    assert (early.converged, early.steps) == (False, 3)
    assert late.converged
    assert late.cost < early.cost


def test_doubted_frames_are_left_out_before_they_can_shape_the_curve():
    """A hand over a tenth of every clip, marked as doubted, changes the answer by no more than noise does."""
    recording, view = _recording("quadratic"), _view("quadratic")
    films, marks = [], []
    for film in view.films:
        frames, mark = film.frames.copy(), np.zeros(film.count, dtype=bool)
        mark[: film.count // 10] = True
        frames[mark, 20:, 20:40] = 110
        films.append(Film(film.name, film.time, frames, film.role, film.reference))
        marks.append(mark)
    law = read_law(recording.law, recording.assume, recording.domain)
    covered = View("whole", tuple(films))
    fit = fit_views(law, identify.analyze(law), [covered], Settings(), _quiet, doubted=marks)
    assert fit.accepted
    assert any("perhaps a hand" in warning for warning in fit.warnings)
    found = measure(law, identify.analyze(law), fit, Truth(dict(recording.truth)))
    assert found is not None
    assert found["e_theta"] < 0.3


def test_a_doubtful_fit_without_any_determined_parameter_is_refused():
    from identify.fit.film import Estimate
    from identify.fit.gate import Verdict
    from identify.fit.solve import _unless_vague

    def judged(error: float, doubts: int) -> bool:
        covariance = np.diag([error**2, (2 * error) ** 2])
        estimate = Estimate(("a", "b"), np.array([1.0, -2.0]), covariance, covariance)
        return _unless_vague(Verdict(True, None, None, ("doubtful",) * doubts, doubts), estimate).accepted

    assert judged(0.4, 1)
    assert not judged(0.6, 1)
    assert judged(0.6, 0)


def test_other_latent_scales_are_tried_about_the_place_where_an_angle_swings():
    """A sine has the same swings about every full turn; how open the scale is does not depend on which."""
    law = read_law("z''+d*z'+k*sin(z)=0", ["k > 0"])
    view, freedom = _small_swings(), held(identify.analyze(law))
    found = fit_candidate(
        TorchLaw(law), freedom, see(view, Filter(1.5), torch.device("cpu"), 0), 0, lambda: False
    )
    own = found.refined
    turned = dataclasses.replace(
        own,
        start=own.start + torch.tensor([2 * torch.pi, 0.0]),
        motion=dataclasses.replace(own.motion, state=own.motion.state + 2 * torch.pi),
    )
    for factor in (0.7, 1.3):
        near, far = (
            at_scale(TorchLaw(law), freedom, dataclasses.replace(found, refined=r), factor, lambda: False)
            for r in (own, turned)
        )
        assert near.cost < 1.4 * found.coarse_cost
        assert far.cost == pytest.approx(near.cost, rel=1e-3)
        assert torch.allclose(far.theta, near.theta, rtol=1e-3)


def _small_swings() -> View:
    """A pendulum that swings by 0.2 at most: its scale is barely determined."""
    stage, time = Pendulum((64, 64)), np.arange(300) / 60
    dynamics = dynamics_of(read_law("z''+d*z'+k*sin(z)=0"), {"d": 0.1, "k": 4.0})
    films = []
    for number, start in enumerate([(0.2, 0.0), (-0.15, 0.0), (0.1, 0.2)]):
        state, velocity = travel(dynamics, start, time)
        frames = photograph(stage, Look(), time, state, velocity, (0, number))
        films.append(Film(f"clip-{number}", time, frames, "train"))
    return View("whole", tuple(films))
