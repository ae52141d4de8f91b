"""Rendering: what the camera shows is a smooth and faithful function of the state."""

from __future__ import annotations

from time import process_time

import numpy as np
import pytest
from scipy.interpolate import make_lsq_spline

from identify.scene.camera import Look, photograph
from identify.scene.shapes import between, disc, edge
from identify.scene.stage import Cart, OverheadFall, Pendulum, ProjectedPendulum, SideFall, axes

CLEAN = Look(noise=0.0)
STAGES = {
    "cart": (Cart((64, 64), -1.0, 1.0), (-0.9, 0.9), 1),
    "bare cart": (Cart((64, 64), -1.0, 1.0, turns=0), (-0.9, 0.9), 1),
    "projected": (ProjectedPendulum((96, 96)), (0.35, 0.95), 1),  # beside the pivot, which the bob hides
    "side fall": (SideFall((192, 72)), (0.06, 0.55), 0),
}


def still(stage, states, look=CLEAN, seed=(0, 0)):
    states = np.asarray(states, dtype=float)
    return photograph(stage, look, np.arange(len(states)) / 60, states, np.zeros(len(states)), seed)


def painted(stage, states):
    """The picture before it is cut to 8 bits, as a share of full scale."""
    from identify.scene.camera import _backdrop, _painted

    return _painted(_backdrop(stage, CLEAN, 0), stage, CLEAN, np.asarray(states, dtype=float))[..., 0]


def centroid(pictures, axis):
    """The centroid of what differs from the empty picture."""
    changed = np.abs(pictures - np.median(pictures[:, :1, :1])).astype(float)
    place = np.arange(pictures.shape[1 + axis], dtype=float)
    weights = changed.sum(axis=2 - axis)
    return weights @ place / weights.sum(axis=1)


@pytest.mark.parametrize("name", STAGES)
def test_centroid_moves_smoothly(name):
    """The centroid is a monotone function of the state, within 0.01 px of a smooth curve."""
    stage, (low, high), axis = STAGES[name]
    states = np.linspace(low, high, 801)
    place = centroid(painted(stage, states), axis)
    assert (np.diff(place) > 0).all()
    # Four pixels between knots: what locks to the pixels cannot follow.
    knots = np.linspace(low, high, int((place[-1] - place[0]) / 4) + 1)
    curve = make_lsq_spline(states, place, np.r_[[low] * 5, knots, [high] * 5], 5)
    assert np.abs(place - curve(states)).max() < 0.01


def test_mass_moves_linearly():
    """Without its spring the cart's centroid is linear in the state, and where the stage says it is."""
    stage = Cart((64, 64), -2.0, 3.0, turns=0)
    states = np.linspace(-2, 3, 301)
    difference = painted(stage, states) - painted(stage, [0.5])[0]
    moved = difference.sum(axis=1) @ np.arange(64)  # the static part cancels
    mass = np.polyfit(stage.centre(states), moved, 1)
    assert np.abs(moved - np.polyval(mass, stage.centre(states))).max() < 0.005 * abs(mass[0])


def test_bob_goes_round():
    """A pendulum's bob is on the circle at its angle, the whole way round, and nothing leaves the picture."""
    stage = Pendulum((64, 64))
    angles = np.linspace(-np.pi, np.pi, 121)
    pictures = painted(stage, angles)
    empty = pictures[:, :2].mean()
    for edge_of in (pictures[:, 0], pictures[:, -1], pictures[:, :, 0], pictures[:, :, -1]):
        assert np.abs(edge_of - empty).max() < 1e-3
    mass = empty - pictures
    across = (mass.sum(axis=1) @ np.arange(64)) / mass.sum(axis=(1, 2)) - 31.5
    down = (mass.sum(axis=2) @ np.arange(64)) / mass.sum(axis=(1, 2)) - 31.5
    # The highlight sits at one side of the bob, which turns the centroid by a few thousandths.
    assert np.abs(np.angle(np.exp(1j * (np.arctan2(across, down) - angles)))).max() < 5e-3


def test_area_of_overhead_ball():
    """The light of the ball grows as its radius squared."""
    stage = OverheadFall((64, 64))
    radius = np.linspace(2, 10, 81)
    x, y = axes((64, 64))
    ball = disc(x - 31.5, y - 31.5, radius[:, None, None].astype(np.float32)).sum(axis=(1, 2))
    assert np.allclose(ball / np.pi, radius**2 + 0.65**2, rtol=3e-3)
    assert (np.diff(painted(stage, radius).sum(axis=(1, 2))) > 0).all()


def test_edges():
    """Coverage is 1 inside, 0 outside, and sums to the length of a stretch."""
    assert edge(np.float32(5)) == pytest.approx(1)
    assert edge(np.float32(-5)) == pytest.approx(0)
    x = np.arange(64, dtype=np.float32)
    for low in np.linspace(10, 11, 7):
        assert between(x, low, low + 7.3).sum() == pytest.approx(7.3, abs=1e-3)


@pytest.mark.parametrize("noise", [0.005, 0.01, 0.03])
def test_noise_is_as_asked(noise):
    """The noise has the standard deviation asked for, on top of that of rounding to 8 bits."""
    stage = Cart((64, 64), -1.0, 1.0)
    frames = still(stage, np.zeros(200), Look(noise=noise)).astype(float) / 255
    expected = np.hypot(noise, 1 / 255 / np.sqrt(12))
    assert frames.std(axis=0).mean() == pytest.approx(expected, rel=0.02)


def test_seeds():
    """The same seed gives the same bytes; another clip has other noise but the same texture."""
    stage = Cart((64, 64), -1.0, 1.0)
    look = Look(texture=0.05, flicker=0.02, brightness=0.1)
    one, again, other = (still(stage, np.zeros(60), look, seed) for seed in ((5, 1), (5, 1), (5, 2)))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)
    corners = [frames[:, :12].mean(axis=0).ravel() for frames in (one, other)]
    assert np.corrcoef(*corners)[0, 1] > 0.95


def test_nuisances():
    """Each nuisance changes what it says and nothing else."""
    stage = Pendulum((64, 64))
    plain = still(stage, np.zeros(50)).astype(float)
    bright = [still(stage, np.zeros(2), Look(noise=0, brightness=0.2), (0, i)).mean() for i in range(40)]
    assert 0.8 <= min(bright) / plain.mean() < 0.9 < 1.02 < max(bright) / plain.mean() <= 1.2
    flicker = still(stage, np.zeros(400), Look(noise=0, flicker=0.02)).mean(axis=(1, 2)) / plain.mean()
    assert flicker.std() == pytest.approx(0.02, rel=0.15)
    shade = still(stage, np.zeros(50), Look(noise=0, shade=0.4)).astype(float)
    assert shade.min(axis=(1, 2)).min() < plain.min()
    assert (shade <= plain + 1).all()


def test_motion_blur():
    """Blur smears a moving ball along its path, keeps its centre, and leaves a resting one alone."""
    stage = SideFall((192, 72))
    time = np.arange(6) / 60
    look, sharp = Look(noise=0, blur=0.8), CLEAN
    state, velocity = 0.1 + 4 * time, np.full(6, 4.0)
    smeared = photograph(stage, look, time, state, velocity, (0, 0)).astype(float)[2] - 50
    clear = photograph(stage, sharp, time, state, velocity, (0, 0)).astype(float)[2] - 50
    rows = np.arange(192)
    columns = slice(20, 60)
    profile = [picture[:, columns].clip(20).sum(axis=1) - 800 for picture in (smeared, clear)]
    centre = [p @ rows / p.sum() for p in profile]
    width = [np.sqrt(p @ (rows - c) ** 2 / p.sum()) for p, c in zip(profile, centre, strict=True)]
    assert abs(centre[0] - centre[1]) < 0.2
    assert width[0] > width[1] + 1
    rest = [photograph(stage, k, time, state, 0 * velocity, (0, 0)) for k in (look, sharp)]
    assert np.abs(rest[0].astype(int) - rest[1]).max() <= 1


def test_colour():
    """In colour the ball is yellow, and the grey picture is the brightness of the coloured one."""
    stage = OverheadFall((64, 64))
    colour = still(stage, [6.0], Look(noise=0, colour=True))
    grey = still(stage, [6.0])
    assert colour.shape == (1, 64, 64, 3)
    assert grey.shape == (1, 64, 64)
    assert np.abs(colour[0] @ [0.299, 0.587, 0.114] - grey[0]).max() <= 1.01
    red, green, blue = colour[0, 34, 34]
    assert green > red > 2 * blue


def test_speed():
    """A clip of 480 frames of 64 x 64 takes well under a fifth of a second of processor time."""
    stage = Cart((64, 64), -1.0, 1.0)
    states = np.sin(np.arange(480) / 20)
    spent = []
    for _ in range(3):
        start = process_time()
        still(stage, states, Look())
        spent.append(process_time() - start)
    assert min(spent) < 0.2
