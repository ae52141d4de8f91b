"""Positions are those of the rigid thing that moves, in pixels, on every simulated scene."""

from __future__ import annotations

import numpy as np
import pytest

from identify.fit.prepare import Prepared
from identify.fit.prepare.trim import SERIES, Repeats, find_repeats, stretches
from identify.scene.collection import Ask
from identify.scene.lawbook import from_catalogue
from identify.scene.protocol import paper_protocol
from identify.scene.recording import Recording
from identify.scene.trial import film
from tests.fit.prepare_recordings import prepared

_ARMS = {"pendulum": 0.36, "projected-pendulum": 0.37}  # of the picture's side, as the scenes draw them


def strays(found: Prepared, recording: Recording) -> tuple[float, float]:
    """The scale of positions over the true one, and the rms of what is left over the span."""
    shots = {shot.name: shot for shot in recording.shots}
    state = np.concatenate([shots[t.clip].state[t.first : t.last] for t in found.trims])
    if recording.scene == "pendulum":
        state = np.sin(state)
    place = np.concatenate(found.position)
    known = np.isfinite(place)
    assert known.mean() > 0.95
    slope, offset = np.polyfit(state[known], place[known], 1)
    side = min(recording.shots[0].frames.shape[1:3])
    pixels = recording.ruler or _ARMS[recording.scene] * side
    left = place[known] - offset - slope * state[known]
    return abs(slope) / pixels, float(np.std(left) / np.ptp(slope * state[known]))


@pytest.mark.parametrize(
    ("name", "seconds"),
    [
        ("lti", 1.0),
        ("cubic", 1.5),
        ("pendulum", 2.0),
        ("one-way-1", None),
        ("two-way-2", None),
        ("projected-pendulum", 1.5),
        ("side-fall", None),
    ],
)
def test_the_position_is_that_of_the_thing_and_not_of_its_spring(name: str, seconds: float | None) -> None:
    recording = paper_protocol(name, 2, Ask(duration=seconds))
    found = prepared(recording)
    assert isinstance(found, Prepared)
    scale, left = strays(found, recording)
    assert scale == pytest.approx(1, abs=0.01)
    assert left < 0.01


@pytest.mark.parametrize(
    ("size", "look"),
    [((24, 24), {"blur": 0.5}), ((96, 48), {"texture": 0.05}), ((120, 160), {"texture": 0.1, "shade": 0.3})],
)
def test_positions_at_other_sizes_and_looks(size: tuple[int, int], look: dict) -> None:
    trial = from_catalogue("duffing-van-der-pol", None, None)
    recording = film(trial, [], 1, Ask(size=size, clips=3, look=look))
    found = prepared(recording)
    assert isinstance(found, Prepared)
    scale, left = strays(found, recording)
    assert scale == pytest.approx(1, abs=0.015)
    assert left < 0.01


def test_a_thing_that_grows_has_no_position() -> None:
    found = prepared(paper_protocol("overhead-fall", 0, Ask()))
    assert isinstance(found, Prepared)
    assert np.isnan(np.concatenate(found.position)).all()


def moving(steps: np.ndarray) -> np.ndarray:
    """A soft bump of light at the sum of the steps, (n, pixels)."""
    return 200 * np.exp(-(((np.arange(80.0) - 20 - np.cumsum(steps)[:, None]) / 5) ** 2))


def test_of_two_equal_frames_the_one_out_of_time_is_marked() -> None:
    late = np.ones(40)
    late[[10, 25]], late[[11, 26]] = 0, 2  # frames 10 and 25 stand in for lost ones
    assert np.flatnonzero(find_repeats(moving(late)).frames).tolist() == [10, 25]
    early = np.ones(40)
    early[[10, 25]], early[[9, 24]] = 0, 2  # frames 9 and 24 are shown one step early
    assert np.flatnonzero(find_repeats(moving(early)).frames).tolist() == [9, 24]


@pytest.mark.parametrize(("after", "first"), [(True, 6), (False, 5)])
def test_in_a_series_of_repeats_one_of_each_pair_is_marked(after: bool, first: int) -> None:
    """The lost frame is missing after the pair, or the pair's first frame is shown early."""
    steps = 0.5 * np.ones(120)
    steps[6:30:3], steps[7 if after else 5 : 31 : 3] = 0, 1
    found = find_repeats(moving(steps))
    assert np.flatnonzero(found.frames).tolist() == list(range(first, 28, 3))
    assert found.spans == ((5, 28),)


def test_a_repeat_at_a_turning_point_is_marked_with_its_series() -> None:
    place = 15 * np.cos(0.18 * (np.arange(120.0) - 26.2))
    for frame in range(15, 39, 3):
        place[frame] = place[frame - 1]
    found = find_repeats(moving(np.diff(place, prepend=-1.0)))
    assert np.flatnonzero(found.frames).tolist() == list(range(15, 39, 3))


def test_a_series_that_does_not_tell_its_clock_is_marked_whole() -> None:
    steps = 0.5 * np.ones(120)
    steps[6:30], steps[6:30:3] = 0.75, 0
    found = find_repeats(moving(steps))
    assert set(range(6, 28)) <= set(np.flatnonzero(found.frames))


def test_a_series_of_repeats_becomes_a_film_of_its_own() -> None:
    """Its frames keep time among themselves, but perhaps not with those around it."""
    nothing = np.zeros(120, dtype=bool)
    frames = nothing.copy()
    frames[6:60:3] = True
    found = stretches(nothing, nothing, nothing, 0, 0, Repeats(frames, ((5, 58),)))
    assert [(s.first, s.last) for s in found] == [(5, 58), (58, 120)]
    assert [s.ends for s in found] == [SERIES, "the clip's end"]


def test_a_turning_point_is_no_repeat() -> None:
    place = 15 * np.cos(0.1 * (np.arange(120) - 30.5))
    assert not find_repeats(moving(np.diff(place, prepend=-20.0))).frames.any()
