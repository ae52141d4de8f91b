"""The commands around a fit: exit codes, documents, bad input.  Preparation and solver are stand-ins."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from typer.testing import CliRunner, Result

from identify.analysis import Analysis
from identify.command.calibrate import calibrate
from identify.command.compare import compare
from identify.command.fit import fit as fit_command
from identify.command.predict import predict
from identify.command.report import report
from identify.fit import prepare as prepare_package
from identify.fit.film import Film, LawFit, Track, View
from identify.fit.prepare.prepared import Options, Recipe, Trim, Window
from identify.fit.results import flow
from identify.fit.results import predict as prediction
from identify.fit.results.filmed import Plan
from identify.fit.results.progress import Progress
from identify.law import read_law
from identify.motion.dynamics import Dynamics, simulate
from identify.motion.values import read_parameters
from tests.fit.results_fits import estimate

LAW = "z''+d*z'+a*z=0"
Run = Callable[..., Result]


@dataclass(frozen=True)
class Made:
    """What the commands read of a preparation."""

    views: tuple[View, ...]
    recipes: tuple[Recipe, ...]
    background: Any
    trims: tuple[Trim, ...]
    position: tuple[Any, ...]
    region: tuple[int, int, int, int] = (0, 0, 96, 48)
    scale: float = 1.0
    warnings: tuple[str, ...] = ()


@pytest.fixture
def identify() -> Run:
    """The five commands as one program."""
    app = typer.Typer(pretty_exceptions_enable=False)
    for name, command in (
        ("fit", fit_command),
        ("report", report),
        ("calibrate", calibrate),
        ("predict", predict),
        ("compare", compare),
    ):
        app.command(name)(command)

    def run(*arguments: object) -> Result:
        return CliRunner().invoke(app, [str(a) for a in arguments])

    return run


@pytest.fixture(scope="session")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three small clips of a bright disc on a spring, with their states beside them."""
    folder = tmp_path_factory.mktemp("spring")
    law = read_law(LAW)
    dynamics = Dynamics(law, read_parameters("d=0.2,a=9", law))
    rows, columns = np.mgrid[:48, :96]
    for name, start in (("one", (1.0, 0.0)), ("two", (0.6, 1.5)), ("three", (0.8, -1.0))):
        clip = simulate(dynamics, start, 5.0, 30.0, name=name)
        places = 48 + 30 * clip.state[:, None, None]
        disc = 1 / (1 + np.exp(2 * (np.hypot(columns - places, rows - 24) - 6)))
        noise = np.random.default_rng(0).normal(0, 2, disc.shape)
        frames = np.clip(40 + 180 * disc + noise, 0, 255).astype(np.uint8)
        np.savez(folder / f"{name}.npz", frames=frames, time=clip.time, state=clip.state)
    return folder


@pytest.fixture(autouse=True)
def preparation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole clips as they are."""

    def prepare(sources: Any, options: Options, progress: Any) -> Made:
        progress(0.5, "reading")
        films, trims, position = [], [], []
        for source in sources:
            time, frames = zip(*source.read(colour=False), strict=True)
            film = Film(source.name, np.array(time), np.stack(frames), options.roles[source.name])
            films.append(film)
            trims.append(Trim(source.name, source.name, 0, film.count, time[0], time[-1], "start", "end"))
            bright = np.clip(film.frames.astype(float) - 80, 0, None)
            position.append((bright * np.arange(96)).sum((1, 2)) / bright.sum((1, 2)))
        recipe = Recipe("grey", "grey", "plain", Window((0, 0, 96, 48)))
        views = (View("grey", tuple(films)),)
        return Made(views, (recipe,), films[0].frames[0], tuple(trims), tuple(position))

    monkeypatch.setattr(prepare_package, "prepare", prepare)


@pytest.fixture(autouse=True)
def solver(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fit that reads the references, so that the commands can be tried without training."""

    def solve(plan: Plan, analysis: Analysis, prepared: Any, progress: Progress) -> LawFit:
        progress(0.5, "training")
        tracks = []
        for film in prepared.views[0].films:
            assert film.reference is not None
            latent = 5 * film.reference
            tracks.append(
                Track(film.name, film.role, film.time, latent, np.gradient(latent, film.time), latent,
                      np.ones(film.count), np.full(film.count, film.role == "train"), film.reference)
            )  # fmt: skip
        values = {"d": 0.2, "a": 9.0}
        weights = {"w": np.ones(2, dtype=np.float32)}
        made = LawFit(plan.method, True, None, None, estimate(values), tuple(tracks), {"weak_residual": 0.01},
                      weights=weights, settings={"view": "grey"})  # fmt: skip
        return flow._with_recipe(made, prepared)

    monkeypatch.setattr(flow, "solve", solve)


def _document(result: Result) -> dict[str, Any]:
    found = json.loads(result.stdout)
    assert isinstance(found, dict)
    return found


def test_a_bare_folder_with_a_law(identify: Run, clips: Path, tmp_path: Path) -> None:
    result = identify("fit", clips, "--law", LAW, "--test", "three", "--out", tmp_path / "run", "--json")
    assert result.exit_code == 0, result.stderr
    document = _document(result)
    assert document["schema"] == "identify/fit/1"
    assert document["accepted"] is True
    assert document["metrics"]["e_map"] < 1e-6
    assert document["metrics"]["on"] == "held-out clips"
    assert document["seconds"]["total"] > 0
    assert {c["role"] for c in document["data"]["clips"]} == {"train", "test"}
    written = {p.name for p in (tmp_path / "run").iterdir()}
    assert {"report.html", "report.json", "latent.csv", "config.yaml", "weights.safetensors"} <= written
    assert not [name for name in written if name.endswith(".part")]
    assert result.stderr == ""


def test_the_run_is_used_afterwards(
    identify: Run, clips: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    assert identify("fit", clips, "--law", LAW, "--out", run).exit_code == 0
    shown = identify("report", run)
    assert shown.exit_code == 0
    assert "Determined: d, a" in shown.stdout
    anchored = identify("calibrate", run, "--anchor", "size=1.0+-0.01 m over 30 px", "--known", "m=2 kg",
                        "--derive", "k=m*a", "--json")  # fmt: skip
    assert anchored.exit_code == 0, anchored.stderr
    found = _document(anchored)
    assert found["calibrated"]["k"]["value"] == pytest.approx(18.0)
    assert found["calibrated"]["k"]["unit"] == "N/m"

    def encode(fit: LawFit, frames: Any) -> tuple[Any, Any]:
        return np.linspace(-9, 9, len(frames)), np.full(len(frames), 9.0)

    monkeypatch.setattr(prediction, "encode", encode)
    told = identify("predict", run, clips / "one.npz", "-o", tmp_path / "states.csv", "--json")
    assert told.exit_code == 0, told.stderr
    (one,) = _document(told)["clips"]
    assert any("outside the trained range" in w for w in one["warnings"])
    assert any("off the curve" in w for w in one["warnings"])
    assert one["unit"] == "m"
    assert np.ptp(one["state"]) == pytest.approx(18 / 5, rel=0.1)
    assert (tmp_path / "states.csv").read_text().startswith("clip,time,latent,state")
    same = identify("compare", run, run, "--json")
    assert same.exit_code == 0
    assert _document(same)["better"] is None
    shown = identify("compare", run, run).stdout
    assert "about as well" in shown
    assert "residual of the law, weak form" in shown
    assert "_" not in shown  # the diagnostics have names of their own for people


def test_a_refusal_exits_three(
    identify: Run, clips: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> LawFit:
        return LawFit("default", False, "the law does not fit", "try another law", None, (), {})

    monkeypatch.setattr(flow, "solve", refuse)
    result = identify("fit", clips, "--law", LAW, "--out", tmp_path / "run", "--json")
    assert result.exit_code == 3
    document = _document(result)
    assert document["accepted"] is False
    assert document["reason"] == "the law does not fit"
    assert identify("report", tmp_path / "run").exit_code == 3


def test_an_interrupt_leaves_a_result(
    identify: Run, clips: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*arguments: Any) -> LawFit:
        arguments[-1].interrupted = True
        raise KeyboardInterrupt

    monkeypatch.setattr(flow, "solve", interrupted)
    result = identify("fit", clips, "--law", LAW, "--out", tmp_path / "run", "--json")
    assert result.exit_code == 3
    assert _document(result)["interrupted"] is True
    assert (tmp_path / "run" / "report.html").exists()


def test_an_interrupt_without_a_result_keeps_the_earlier_run(
    identify: Run, clips: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    assert identify("fit", clips, "--law", LAW, "--out", run).exit_code == 0
    before = {file.name: file.read_bytes() for file in run.iterdir()}

    def interrupted(*arguments: Any) -> LawFit:
        arguments[-1].interrupted = True
        raise KeyboardInterrupt

    monkeypatch.setattr(flow, "solve", interrupted)
    result = identify("fit", clips, "--law", LAW, "--out", run)
    assert result.exit_code == 3
    assert "earlier run" in " ".join(result.stdout.split())
    assert {file.name: file.read_bytes() for file in run.iterdir()} == before


def test_a_refusal_leaves_no_weights_of_an_earlier_run(
    identify: Run, clips: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    assert identify("fit", clips, "--law", LAW, "--out", run).exit_code == 0
    assert (run / "weights.safetensors").exists()
    refusal = LawFit("default", False, "no", "none", None, (), {})
    monkeypatch.setattr(flow, "solve", lambda *_: refusal)
    assert identify("fit", clips, "--law", LAW, "--out", run).exit_code == 3
    assert not (run / "weights.safetensors").exists()


def test_a_limit_that_passes_while_reading_is_a_refusal(identify: Run, clips: Path, tmp_path: Path) -> None:
    result = identify("fit", clips, "--law", LAW, "--out", tmp_path / "run", "--time-limit", "1e-6", "--json")
    assert result.exit_code == 3, result.stderr
    assert "passed while the clips were read" in _document(result)["reason"]


def test_a_dry_run_shows_pictures_and_fits_nothing(
    identify: Run, clips: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flow, "solve", None)
    result = identify("fit", clips, "--law", LAW, "--out", tmp_path / "run", "--dry-run")
    assert result.exit_code == 0, result.stderr
    assert "--crop" in result.stdout
    assert [p.name for p in (tmp_path / "run").iterdir()] == ["preview.html"]
    assert (tmp_path / "run" / "preview.html").read_text().count("data:image/png") == 2


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "which law"),
        (("--law", LAW, "--family", "lti"), "contradict"),
        (("--law", "z'' ="), ""),
        (("--law", LAW, "--crop", "1,2"), "--crop needs"),
        (("--law", LAW, "--trim", "one"), "--trim needs"),
        (("--law", LAW, "--trim", "one=5,2"), "it ends at 2 s"),
        (("--law", LAW, "--trim", "one=-1,2"), "cannot be negative"),
        (("--law", LAW, "--crop", "-5,0,40,40"), "cannot be negative"),
        (("--law", LAW, "--crop", "5,0,0,40"), "at least 1 pixel"),
        (("--law", LAW, "--anchor", "amplitude=1 m of clip nine"), "clips are one, three, two"),
        (("--law", LAW, "--anchor", "amplitude=1 m"), "in which clip"),
        (("--law", LAW, "--anchor", "variance=1"), "variance normalisation"),
        (("--law", LAW, "--anchor", "mass=1 kg"), "no anchor"),
        (("--law", LAW, "--derive", "k=m*a"), "m"),
        (("--law", LAW, "--known", "a=1"), "part of the law"),
        (("--law", LAW, "--unit", "z"), "--unit needs"),
        (("--law", LAW, "--test", "nine"), "--test: there is no clip 'nine'"),
        (("--law", LAW, "--train", "one, nine"), "--train: there is no clip 'nine'"),
        (("--law", LAW, "--train", "one", "--test", "one"), "--train: the clip 'one' is in train and"),
        (("--law", LAW, "--trim", "nine=1,2"), "nine"),
        (("--law", LAW, "--time-limit", "0"), "--time-limit"),
        (("--law", LAW, "--channel", "infrared"), "channel"),
        (("--law", LAW, "--updates", "9"), "--method paper"),
        (("--law", LAW, "--method", "paper", "--preset", "none"), "preset"),
    ],
)
def test_bad_input_exits_two_before_the_work(
    identify: Run, clips: Path, tmp_path: Path, arguments: tuple[str, ...], says: str
) -> None:
    result = identify("fit", clips, *arguments, "--out", tmp_path / "run")
    assert result.exit_code == 2, result.output
    assert says in result.stderr
    assert result.stderr.startswith("error: ")
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("command", ["report", "calibrate", "predict", "compare"])
def test_a_folder_that_is_no_run(identify: Run, tmp_path: Path, command: str) -> None:
    extra = {"calibrate": ["--anchor", "a=3"], "predict": [tmp_path / "x.mp4"], "compare": [tmp_path]}
    result = identify(command, tmp_path, *extra.get(command, []))
    assert result.exit_code == 2
    assert "no run folder" in result.stderr


def test_a_missing_folder(identify: Run, tmp_path: Path) -> None:
    result = identify("fit", tmp_path / "nothing", "--law", LAW)
    assert result.exit_code == 2
    assert "there is no file or folder" in result.stderr


def test_a_device_that_is_not_there_is_told(
    identify: Run, clips: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    result = identify("fit", clips, "--law", LAW, "--out", tmp_path / "run", "--device", "cuda")
    assert result.exit_code == 2
    assert "no CUDA device" in result.stderr
