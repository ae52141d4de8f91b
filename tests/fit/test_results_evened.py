"""New clips are seen as the training clips were, whatever the light and wherever the camera stands by now."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from identify.errors import InputError
from identify.fit.clips.source import Source, open_arrays
from identify.fit.film import LawFit, Pixels
from identify.fit.prepare import Options, Prepared, prepare
from identify.fit.results.evened import SETTING, WEIGHT, check_size, kept, scene_of
from identify.fit.results.predict import seen_frames

HEIGHT, WIDTH, COUNT = 180, 320, 90


def wall(shift: float) -> Pixels:
    """A wall with detail, seen by a camera that stands ``shift`` pixels further to the left."""
    columns, rows = np.meshgrid(np.arange(WIDTH) - shift, np.arange(HEIGHT))
    pattern = np.sin(columns / 7) * np.cos(rows / 9) + np.sin(columns / 17 + rows / 11)
    return np.asarray(90 + 20 * pattern)


def clip(folder: Path, name: str, shift: float = 0.0, gain: float = 1.0, phase: float = 0.0) -> Source:
    """A dark ball that swings before the wall."""
    rows, columns = np.mgrid[:HEIGHT, :WIDTH]
    time = np.arange(COUNT) / 30
    rng = np.random.default_rng(3)
    frames = np.empty((COUNT, HEIGHT, WIDTH), np.uint8)
    for k, t in enumerate(time):
        place = 160 + 90 * np.cos(4 * t + phase) + shift
        ball = 1 / (1 + np.exp(np.hypot(columns - place, rows - 90) - 12))
        light = gain * (wall(shift) * (1 - ball) + 10 * ball)
        frames[k] = np.clip(light + rng.normal(0, 1, light.shape), 0, 255).astype(np.uint8)
    np.savez(folder / f"{name}.npz", frames=frames, time=time)
    return open_arrays(folder / f"{name}.npz")[0]


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Prepared, LawFit]:
    folder = tmp_path_factory.mktemp("scene")
    found = prepare([clip(folder, "one"), clip(folder, "two", phase=1.0)], Options())
    assert isinstance(found, Prepared)
    weight, setting = kept(found.background, (WIDTH, HEIGHT), None)
    fit = LawFit(
        "default", True, None, None, None, (), {}, weights={WEIGHT: weight}, settings={SETTING: setting}
    )
    return folder, found, fit


@pytest.mark.parametrize(("shift", "gain"), [(0.0, 1.25), (3.0, 1.0), (-4.0, 0.8)])
def test_light_and_camera_are_taken_out(
    scene: tuple[Path, Prepared, LawFit], shift: float, gain: float
) -> None:
    folder, found, fit = scene
    source = clip(folder, f"new{shift}{gain}", shift, gain)
    recipe = next(r for r in found.recipes if r.kind == "plain" and not r.untouched)
    film = next(v for v in found.views if v.name == recipe.name).films[0]

    def off(known: bool) -> float:
        seen = np.concatenate([f for _, f in seen_frames(recipe, source, scene_of(fit) if known else None)])
        return float(np.abs(seen[: film.count].astype(float) - film.frames).mean())

    assert off(True) < 0.35 * off(False)
    assert off(True) < 3.0


def test_a_clip_of_another_size_is_refused(scene: tuple[Path, Prepared, LawFit], tmp_path: Path) -> None:
    np.savez(tmp_path / "small.npz", frames=np.zeros((9, 20, 30), np.uint8), time=np.arange(9.0))
    with pytest.raises(InputError, match="30 x 20 pixels"):
        check_size(scene_of(scene[2]), open_arrays(tmp_path / "small.npz")[0])
