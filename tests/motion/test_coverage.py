"""Ranks level by level, against the paper's table and against exact ranks."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from identify.law import read_law
from identify.motion.coverage import Need, measure, needed
from identify.motion.design import distinct, feature_matrix, normalised_singular_values, rank_and_smallest
from identify.motion.dynamics import Dynamics, simulate
from identify.motion.table import read_clips
from identify.motion.trajectory import Clip, smooth
from identify.motion.values import read_parameters

DRAG = "z''+k*z+d*z'+c*z'*abs(z')=0"
OSCILLATOR = "z''+a*z=0"


def need(law: str) -> Need:
    found = needed(read_law(law))
    assert isinstance(found, Need)
    return found


def oscillator(amplitude: float, *, duration: float = 10.0) -> Clip:
    law = read_law(OSCILLATOR)
    return simulate(Dynamics(law, read_parameters("a=1", law)), (amplitude, 0.0), duration, 60.0)


@pytest.mark.parametrize("seed", range(10))
def test_ranks_of_the_papers_designs(designs: ModuleType, seed: int) -> None:
    """All ten collections give the rank of each design (printed in tab:exp-coverage for three of them)."""
    law = read_law(designs.LAW)
    for name, velocities in designs.crossing_velocities(seed).items():
        filmed = designs.clips(velocities)
        assert len(filmed) == 24
        assert {clip.frames for clip in filmed} == {61}
        report = measure(law, filmed, source=name, interval=designs.INTERVAL, count=designs.LEVELS)
        assert report.features == ("1", "v", "v*abs(v)", "v**2")
        assert report.least_rank == designs.RANKS[name], name
        assert {level.rank for level in report.levels} == {designs.RANKS[name]}
        assert (report.answer == "holds") == (designs.RANKS[name] == 4)


def test_ranks_without_measured_velocities(designs: ModuleType, tmp_path: Path) -> None:
    """The same from state and time alone, through a file."""
    law = read_law(designs.LAW)
    for name, velocities in designs.crossing_velocities(0).items():
        file = tmp_path / f"{name}.csv"
        designs.write(file, designs.clips(velocities), with_velocity=False)
        report = measure(law, read_clips(file, "q"), source=name, interval=designs.INTERVAL, count=21)
        assert report.least_rank == designs.RANKS[name], name


def test_ranks_survive_noise_that_the_window_removes(designs: ModuleType) -> None:
    """Independent noise in every clip: the 31-frame degree-two fit of the paper, and a coarser separation."""
    law, generator = read_law(designs.LAW), np.random.default_rng(1)
    for name, velocities in designs.crossing_velocities(0).items():
        noisy = [
            Clip(c.name, c.time, c.state + 1e-3 * generator.standard_normal(c.frames))
            for c in designs.clips(velocities)
        ]
        smoothed = [smooth(clip, 31) for clip in noisy]
        report = measure(law, smoothed, source="", interval=(-0.1, 0.1), count=11, separation=0.1)
        assert report.least_rank == designs.RANKS[name], name


def test_odd_drag_in_both_directions() -> None:
    assert rank_and_smallest(need(DRAG).features, (1, -1, 2, -2))[0] == 4
    assert rank_and_smallest(need(DRAG).features, (1, 2, 3, 4, 5, 6))[0] == 3
    assert need(DRAG).one_direction_rank == 3


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=7, unique=True))
def test_odd_drag_rank_is_the_proved_one(velocities: list[int]) -> None:
    """Four velocities with both signs give rank four; without both signs the rank stops at three."""
    rank, _ = rank_and_smallest(need(DRAG).features, velocities)
    if min(velocities) < 0 < max(velocities):
        assert rank == min(len(velocities), 4)
    else:
        assert rank == min(len(velocities), 3)


@given(
    st.lists(st.floats(-3, 3), min_size=3, max_size=6, unique=True),
    st.floats(0.2, 5).flatmap(lambda x: st.sampled_from([x, -x])),
)
def test_normalised_singular_values_do_not_see_the_scale(velocities: list[float], scale: float) -> None:
    features = need(DRAG).features
    one = normalised_singular_values(feature_matrix(features, velocities))
    other = normalised_singular_values(feature_matrix(features, [scale * v for v in velocities]))
    assert np.allclose(one, other, atol=1e-9)


@pytest.mark.parametrize(
    ("law", "columns"),
    [
        ("z''+d*z'+a*z=0", 3),
        ("z''=-a*z-d*z'-c*z'**3", 4),
        ("z''=-a*z+c*z'**2", 3),
        ("z''=-a*z+c*z'**2+e*z'**3", 4),
    ],
)
def test_distinct_velocities_are_enough_for_polynomials(law: str, columns: int) -> None:
    features = need(law).features
    assert len(features) == columns
    assert rank_and_smallest(features, (0.0, 1.0, -1.0, 2.0, 0.5)[:columns])[0] == columns


def test_one_orbit_has_two_slopes_and_two_orbits_have_four() -> None:
    law = read_law(OSCILLATOR)
    one = measure(law, [oscillator(1.0)], source="", interval=(-0.5, 0.5), count=11, simulated=True)
    assert {len(level.velocities) for level in one.levels} == {2}
    assert one.answer == "not met"
    two = measure(law, [oscillator(1.0), oscillator(2.0)], source="", count=41, simulated=True)
    assert two.answer == "holds in part"
    ((low, high),) = two.intervals
    assert -1.05 < low < -0.9
    assert 0.9 < high < 1.05


def test_crossing_velocities_are_exact() -> None:
    clip = oscillator(1.0)
    for level in (-0.7, 0.0, 0.4):
        for crossing in clip.path.crossings(level):
            assert abs(abs(crossing.velocity) - np.sqrt(1 - level**2)) < 1e-6


def test_endpoints_are_not_interior() -> None:
    time = np.linspace(0, 1, 11)
    clip = Clip("line", time, time)
    assert clip.path.crossings(0.0) == []
    assert clip.path.crossings(1.0) == []
    assert len(clip.path.crossings(0.5)) == 1


def test_level_tolerance_counts_near_turning_points() -> None:
    clip = oscillator(1.0)
    assert clip.path.crossings(1.004) == []
    assert len(clip.path.crossings(1.004, 0.01)) >= 1


def test_repeated_motion_is_no_coverage_and_rest_is_rest() -> None:
    assert distinct([1.0, 1.004, 0.998, -1e-9, 1e-9], 0.01) == (0.0, pytest.approx(1.000667, abs=1e-5))
    assert rank_and_smallest(need(DRAG).features, distinct([1, 2, 3, -1e-9], 1e-4))[0] == 3


def test_unsupported_laws_have_no_condition() -> None:
    report = measure(read_law("z''=-a*z-c*sign(z')"), [oscillator(1.0)], source="")
    assert report.answer == "undecided"
    assert "discontinuous" in report.advice[0]
