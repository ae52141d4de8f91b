"""Clips of any law: the catalogue's families, and laws with states of the user's choice."""

from __future__ import annotations

import numpy as np
import pytest

from identify.errors import InputError
from identify.motion.dynamics import simulate
from identify.scene.collection import Ask
from identify.scene.lawbook import from_catalogue, from_law
from identify.scene.motion import dynamics_of
from identify.scene.trial import film

SMALL = Ask(size=(16, 16), clips=2)


@pytest.mark.parametrize(
    "name",
    ["helmholtz", "angular-pendulum", "side-fall", "snap-through-arch", "toda"],
)
def test_families_move(name):
    """A family of the catalogue gives training clips that obey its law and do not stand still."""
    trial = from_catalogue(name, None, None)
    recording = film(trial, [], 0, SMALL)
    assert recording.truth == trial.truth
    train = [shot for shot in recording.shots if shot.role == "train"]
    assert train
    assert any(shot.role == "test" for shot in recording.shots)
    for shot in train:
        assert len(shot.time) >= 12
        assert np.ptp(shot.state) > 0
    shot = train[0]
    clip = simulate(
        dynamics_of(trial.law, trial.truth),
        (shot.state[0], shot.velocity[0]),
        0.5 * shot.time[-1],
        1 / shot.time[1],
    )
    count = min(len(clip.time), len(shot.time)) - 1
    assert np.abs(clip.state[:count] - shot.state[:count]).max() < 1e-6 * np.abs(shot.state).max()


@pytest.mark.parametrize("name", ["josephson-junction", "kepler-radial", "hertz-contact"])
def test_families_that_no_camera_films(name):
    """A family whose example values are atomic or ultrasonic is refused with the reason and a way on."""
    with pytest.raises(InputError, match="camera films"):
        film(from_catalogue(name, None, None), [], 0, SMALL)


def test_given_states_are_kept():
    """Initial conditions of the user are used as they are, in order."""
    trial = from_law("q''+d*q'+a*q=0", "d=0.1,a=9", [], [], None)
    recording = film(trial, [(1.0, 0.0), (0.0, -2.0)], 0, Ask(size=(32, 48), rate=50.0, duration=2.0))
    assert [(shot.state[0], shot.velocity[0]) for shot in recording.shots] == [(1.0, 0.0), (0.0, -2.0)]
    assert recording.shots[0].frames.shape == (101, 32, 48)


@pytest.mark.parametrize(
    ("scene", "law", "start"),
    [
        ("pendulum", "z''+4*sin(z)=0", (1.0, 0.0)),
        ("projected-pendulum", "z''+4*z=0", (0.5, 0.0)),
        ("side-fall", "z''+4*(z-0.3)=0", (0.4, 0.0)),
        ("overhead-fall", "z''+4*(z-5)=0", (6.0, 0.0)),
    ],
)
def test_scenes(scene, law, start):
    """Any law can be shown in any scene whose states it keeps to; others are refused by their range."""
    trial = from_law(law, "", [], [], scene)
    assert film(trial, [start], 0, Ask(duration=1.0)).scene == scene
    if scene != "pendulum":
        with pytest.raises(InputError, match="do not fit the scene"):
            film(trial, [(100.0, 0.0)], 0, Ask(duration=1.0))


@pytest.mark.parametrize(
    ("law", "parameters", "initial", "words"),
    [
        ("z''=-k*z", "k=1", [(np.inf, 0.0)], "domain|finite|ends"),
        ("z''=1/z", "", [(0.0, 1.0)], "domain"),
        ("z''=z**3", "", [(50.0, 1e5)], "leaves the domain or ends"),
        ("z''=0*z", "", [], "no ordinary states"),
        ("z''=k*z", "j=1", [], "no parameter 'j'"),
    ],
)
def test_refusals(law, parameters, initial, words):
    """Motions that cannot be are refused in words."""
    with pytest.raises(InputError, match=words):
        film(from_law(law, parameters, [], [], None), initial, 0, SMALL)


def test_unknown_scene():
    """An unknown scene is refused with the known ones."""
    with pytest.raises(InputError, match="overhead-fall"):
        film(from_law("z''+z=0", "", [], [], "theatre"), [(1.0, 0.0)], 0, SMALL)
