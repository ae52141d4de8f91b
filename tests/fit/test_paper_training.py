"""Training by the paper's method: the loss falls, seeds repeat, a killed run continues as it would have."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from identify.errors import InputError
from identify.fit.film import Film, View
from identify.fit.paper.fit import encode_frames, fit_paper
from identify.fit.paper.presets import published
from identify.fit.paper.run import PaperRun
from identify.fit.paper.settings import PRESETS, PaperSettings, with_changes
from identify.fit.paper.training import Trainer
from identify.fit.torch_law import TorchLaw
from identify.law import Law, read_law

LTI = read_law("z'' + d*z' + a*z = 0")


def blob(x: np.ndarray, size: int = 16, width: float = 1.5) -> np.ndarray:
    """Frames with a bright spot at x in -1..1."""
    columns, rows = np.meshgrid(np.arange(size), np.arange(size))
    centre = (0.5 + 0.35 * x[:, None, None]) * size
    light = np.exp(-0.5 * ((columns - centre) ** 2 + (rows - size / 2) ** 2) / width**2)
    return np.round(40 + 180 * light).astype(np.uint8)


def clips(count: int = 2, frames: int = 40, rate: float = 20.0) -> View:
    films = []
    for i in range(count):
        time = np.arange(frames) / rate
        state = (0.5 + 0.4 * i) * np.exp(-0.1 * time) * np.cos(2 * time + i)
        films.append(Film(f"clip{i}", time, blob(state), "train", state))
    test = Film("test", time, blob(0.6 * np.cos(2 * time)), "test")
    return View("all", (*films, test))


def small(**changes: object) -> PaperSettings:
    return with_changes(published(LTI), {"updates": 12, "windows": 2, "frames": 24, **changes})


def trained(
    view: View, settings: PaperSettings, law: Law = LTI, **run: object
) -> tuple[Trainer, list[float]]:
    films = [film for film in view.films if film.role == "train"]
    trainer = Trainer(TorchLaw(law), films, settings, PaperRun(**run), 3)
    return trainer, [trainer.update() for _ in range(settings.updates)]


@pytest.mark.parametrize(
    ("preset", "law", "changes"),
    [
        ("lti", LTI, {}),
        ("real-pendulum", read_law("z'' + d*z' + k*sin(z) = 0"), {}),
        ("coverage", read_law("z'' + d*z' + a*z + c*z'*abs(z') = 0"), {"window": 11}),
        ("side-fall", read_law("z'' = A"), {}),
        ("overhead-fall", read_law("z'' = rho*z'**2/z - k*z**2", ["k > 0"], ["z > 0"]), {}),
    ],
)
def test_a_few_dozen_updates_lower_the_loss(preset: str, law: Law, changes: dict[str, object]) -> None:
    settings = with_changes(
        PRESETS[preset], {"updates": 25, "frames": 24, "windows": 2, "encoder_rate": 2e-3, **changes}
    )
    _, losses = trained(clips(frames=24), settings, law)
    assert np.isfinite(losses).all()
    assert np.mean(losses[-5:]) < np.mean(losses[:5])


def test_the_same_seed_gives_the_same_numbers_and_another_does_not() -> None:
    view = clips()
    one, two, other = (fit_paper(LTI, None, view, small(), PaperRun(seed=s)) for s in (1, 1, 2))
    assert one.estimate is not None
    assert two.estimate is not None
    assert other.estimate is not None
    assert np.array_equal(one.estimate.values, two.estimate.values)
    assert np.array_equal(one.tracks[2].latent, two.tracks[2].latent)
    assert not np.array_equal(one.estimate.values, other.estimate.values)


class Killed(BaseException):
    """Stands for the end of the process."""


@pytest.mark.parametrize("at", [1, 5, 11])
def test_a_killed_run_continues_to_the_same_numbers(
    tmp_path: Path, at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    view, whole = clips(), fit_paper(LTI, None, clips(), small())
    path = tmp_path / "state.safetensors"
    update = Trainer.update

    def killed(trainer: Trainer) -> float:
        if trainer.step == at:
            raise Killed
        return update(trainer)

    monkeypatch.setattr(Trainer, "update", killed)
    with pytest.raises(Killed):
        fit_paper(LTI, None, view, small(), PaperRun(checkpoint=path, checkpoint_seconds=0.0))
    monkeypatch.undo()
    fit = fit_paper(LTI, None, view, small(), PaperRun(checkpoint=path, resume=True))
    assert fit.settings["resumed"]
    assert fit.estimate is not None
    assert whole.estimate is not None
    assert np.array_equal(fit.estimate.values, whole.estimate.values)
    assert all(torch.equal(fit.weights[name], whole.weights[name]) for name in whole.weights)
    assert {n: e for n, e in fit.evidence.items() if n != "seconds"} == pytest.approx(
        {n: e for n, e in whole.evidence.items() if n != "seconds"}
    )
    assert [p.name for p in tmp_path.iterdir()] == ["state.safetensors"]


def test_a_damaged_or_foreign_checkpoint_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "state.safetensors"
    run = PaperRun(checkpoint=path, resume=True)
    fit_paper(LTI, None, clips(), small(updates=2), run)
    good = path.read_bytes()
    with pytest.raises(InputError, match="other clips"):
        fit_paper(LTI, None, clips(), small(updates=2), replace(run, seed=5))
    with pytest.raises(InputError, match="other clips"):
        fit_paper(LTI, None, clips(frames=30), small(updates=2), run)
    for bad in (b"", b"junk" * 9, good[: len(good) // 2]):
        path.write_bytes(bad)
        with pytest.raises(InputError, match="cannot be read"):
            fit_paper(LTI, None, clips(), small(updates=2), run)


def test_an_interrupt_leaves_a_usable_fit_and_the_last_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "state.safetensors"

    def interrupt(step: int, total: int, loss: float) -> None:
        if step >= 8:
            raise KeyboardInterrupt

    settings = small(updates=5000)
    run = PaperRun(checkpoint=path, checkpoint_seconds=0.0, progress=interrupt)
    fit = fit_paper(LTI, None, clips(), settings, run)
    assert any("interrupted" in warning for warning in fit.warnings)
    assert 8 <= fit.evidence["updates"] < 5000
    assert path.exists()


def test_the_time_limit_ends_training() -> None:
    fit = fit_paper(LTI, None, clips(), small(updates=100000), PaperRun(time_limit=0.2))
    assert fit.evidence["updates"] < 1000
    assert any("time limit" in warning for warning in fit.warnings)


def test_a_fit_says_what_it_does_not_know() -> None:
    view = clips()
    fit = fit_paper(LTI, None, view, small())
    assert fit.method == "paper"
    assert not fit.accepted  # a dozen updates are not enough
    assert fit.reason
    assert fit.advice
    assert fit.estimate is not None
    assert fit.estimate.names == ("d", "a")
    assert np.isnan(fit.estimate.covariance).all()
    assert any("no error bars" in warning for warning in fit.warnings)
    assert [track.role for track in fit.tracks] == ["train", "train", "test"]
    for film, track in zip(view.films, fit.tracks, strict=True):
        assert track.latent.shape == track.velocity.shape == track.off_curve.shape == (film.count,)
        assert track.used.all() == (film.role == "train")
    assert np.isnan(fit.tracks[2].fitted).all()


def test_new_frames_are_encoded_from_the_weights_alone() -> None:
    view = clips()
    fit = fit_paper(LTI, None, view, small())
    latent, score = encode_frames(fit.weights, fit.settings, view.films[2].frames)
    assert latent == pytest.approx(fit.tracks[2].latent)
    assert score == pytest.approx(fit.tracks[2].off_curve)
    _, strange = encode_frames(fit.weights, fit.settings, 255 - view.films[2].frames)
    assert strange.min() > 3 * score.max()
    with pytest.raises(InputError, match="shape"):
        encode_frames(fit.weights, fit.settings, view.films[2].frames[:, 1:])


def test_films_that_cannot_be_used_are_refused() -> None:
    view = clips()
    short = replace(view.films[0], time=view.films[0].time[:2], frames=view.films[0].frames[:2])
    with pytest.raises(InputError, match="three frames"):
        fit_paper(LTI, None, replace(view, films=(short,)), small())
    back = replace(view.films[0], time=-view.films[0].time)
    with pytest.raises(InputError, match="increase"):
        fit_paper(LTI, None, replace(view, films=(back,)), small())
    cut = replace(view.films[0], frames=view.films[0].frames[:, 1:])
    with pytest.raises(InputError, match="sizes"):
        fit_paper(LTI, None, replace(view, films=(*view.films, cut)), small())
    law = read_law("z'' + a*z + k*z'*abs(z') = 0")
    with pytest.raises(InputError, match="integral"):
        fit_paper(law, None, view, small(objective="integral"))


def test_the_integral_objective_learns_the_overhead_law() -> None:
    """A spot that grows like 1/(H - h): the small positive encoder finds a latent that follows the law."""
    law = read_law("z'' = rho*z'**2/z - k*z**2", ["k > 0"], ["z > 0"])
    films = []
    for i, speed in enumerate((0.0, 0.6, 1.2)):
        time = np.arange(16) / 30
        height = 1.0 + speed * time - 4.9 * time**2
        films.append(Film(f"fall{i}", time, _discs(1.0 / (2.2 - height)), "train"))
    settings = with_changes(published(law), {"updates": 60, "encoder_rate": 1e-2})
    fit = fit_paper(law, None, View("overhead", tuple(films)), settings)
    assert fit.evidence["dynamics_loss"] < 0.02
    assert fit.evidence["outside_domain"] == 0.0
    assert fit.estimate is not None
    assert fit.estimate.by_name()["k"] > 0


def _discs(radius: np.ndarray, size: int = 20) -> np.ndarray:
    columns, rows = np.meshgrid(np.arange(size), np.arange(size))
    distance = np.hypot(columns - size / 2, rows - size / 2)
    light = 1 / (1 + np.exp(distance[None] - 7 * radius[:, None, None]))
    return np.round(30 + 200 * light).astype(np.uint8)
