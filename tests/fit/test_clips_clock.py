"""Times of frames: strictly increasing whatever the container says, and even where it only rounded."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from identify.fit.clips.clock import Clock
from identify.fit.clips.timing import timing_of

STAMPS = st.none() | st.floats(-1e6, 1e6) | st.sampled_from([0.0, 0.1, 0.2, 5.0])


@given(st.lists(STAMPS, max_size=40))
def test_any_stamps_give_times_that_increase(stamps: list[float | None]) -> None:
    clock = Clock(0.1)
    found = [time for stamp in stamps if (time := clock.time(stamp)) is not None]
    assert all(after > before for before, after in itertools.pairwise(found))
    assert len(found) + clock.dropped == len(stamps)


def test_a_clock_that_starts_again_is_continued() -> None:
    clock = Clock(0.1)
    stamps = [*np.arange(30) / 10, *np.arange(20) / 10]
    found = [time for stamp in stamps if (time := clock.time(stamp)) is not None]
    assert np.allclose(found, np.arange(49) / 10)
    assert (clock.restarts, clock.dropped) == (1, 1)


def test_good_stamps_are_kept_as_they_are() -> None:
    clock = Clock(0.1)
    stamps = [0.0, 0.05, 0.3, 0.31, 9.0]
    assert [clock.time(stamp) for stamp in stamps] == stamps
    assert clock.notes() == []


@given(
    st.sampled_from([10, 24, 25, 30, 50, 60, 120, 240]),
    st.booleans(),
    st.sampled_from([1000, 100, 90_000, 15_360]),
    st.integers(12, 400),
)
def test_a_constant_rate_is_recovered_from_rounded_stamps(
    whole: int, broadcast: bool, ticks: int, count: int
) -> None:
    rate = Fraction(whole * 1000, 1001) if broadcast else Fraction(whole)
    if ticks < 2 * rate:
        return  # stamps that coincide are another matter
    stamps = np.array([round(n * ticks / rate) for n in range(count)])
    told = timing_of(stamps, Fraction(1, ticks), rate, 0)
    assert np.allclose(told.time, np.arange(count) / float(rate), atol=1e-3 / ticks)
    guessed = timing_of(stamps, Fraction(1, ticks), None, 0)
    assert np.abs(guessed.time - np.arange(count) / float(rate)).max() <= 1.52 / ticks
    assert told.notes == ()


@given(st.lists(st.integers(1, 200), min_size=3, max_size=60))
def test_times_stay_within_a_tick_of_the_stamps(steps: list[int]) -> None:
    stamps = np.cumsum([7, *steps])
    timing = timing_of(stamps, Fraction(1, 1000), None, 0)
    assert np.abs(timing.time - (stamps - 7) / 1000).max() <= 1.02e-3
    assert np.all(np.diff(timing.time) > 0)
    assert timing.rate == pytest.approx(len(steps) / timing.time[-1])
