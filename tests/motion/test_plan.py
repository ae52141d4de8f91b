"""Plans reach full rank where motion can, and say why where it cannot."""

from __future__ import annotations

import pytest

from identify.law import read_law
from identify.motion.coverage import measure
from identify.motion.dynamics import Dynamics, simulate
from identify.motion.plan import PlanReport, Wish, default_interval, fastest_speed, plan
from identify.motion.values import read_parameters

DRAG = ("q''=-k*q-d*q'-c*q'*abs(q')", "k=0.8,d=0.18,c=0.22")
OSCILLATOR = ("z''+a*z=0", "a=1")


def proposed(law: str, values: str, domain: str = "", **options: object) -> PlanReport:
    read = read_law(law, (), domain or ())
    dynamics = Dynamics(read, read_parameters(values, read))
    interval = default_interval(dynamics)
    wish = {"clips": 4, "duration": 5.0, "rate": 60.0, "count": 11} | options
    return plan(dynamics, Wish(interval, fastest=fastest_speed(dynamics, interval, 5.0), **wish))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("law", "values", "domain"),
    [
        (*DRAG, ""),
        (*OSCILLATOR, ""),
        ("z''+d*z'+a*z+b*z**3=0", "d=0.2,a=1,b=0.5", ""),
        ("z''=rho*z'**2/z-k*z**2", "rho=2,k=1", "z > 0"),
    ],
)
def test_the_plan_films_what_it_promises(law: str, values: str, domain: str) -> None:
    """A fresh simulation of the proposed initial conditions has full rank at every level."""
    report = proposed(law, values, domain)
    assert report.reached
    assert report.after is not None
    assert report.wish is not None
    read = read_law(law, (), domain or ())
    dynamics = Dynamics(read, read_parameters(values, read))
    clips = [simulate(dynamics, start, 5.0, 60.0) for start in report.after.initial]
    check = measure(read, clips, source="", interval=report.wish.interval, count=11, simulated=True)
    assert check.answer == "holds"
    worst = min(level.smallest_singular_value for level in check.levels)
    assert worst == pytest.approx(report.after.worst_singular_value, rel=0.05)


def test_before_and_after() -> None:
    report = proposed(*DRAG)
    assert [design.name for design in report.before] == ["single release", "one-way motion"]
    release, one_way = report.before
    assert release.least_rank < 4
    assert one_way.least_rank == 3
    assert any("one way" in warning for warning in one_way.warnings)
    assert report.after is not None
    assert report.after.worst_singular_value > 0.05


def test_one_way_motion_cannot_serve_odd_drag() -> None:
    report = proposed(*DRAG, one_way=True, clips=6)
    assert not report.reached
    assert report.reason is not None
    assert "rank 3 of 4" in report.reason


def test_one_way_motion_serves_an_oscillator() -> None:
    assert proposed(*OSCILLATOR, one_way=True).reached


def test_a_single_release_of_an_undamped_oscillator_cannot() -> None:
    report = proposed(*OSCILLATOR, from_rest=True, clips=1, duration=7.0)
    assert not report.reached
    assert report.after is not None
    assert report.after.least_rank == 2


def test_more_clips_are_hardly_ever_worse() -> None:
    """The search is greedy with exchanges, so a tenth is allowed."""
    found = [proposed(*OSCILLATOR, clips=n).after for n in (2, 4)]
    assert all(found)
    few, many = (design.worst_singular_value for design in found if design)
    assert many >= few * 0.9
