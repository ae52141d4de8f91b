"""The arithmetic of the tables, against rows made by hand and numpy."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from identify.errors import InputError
from identify.reproduce import coverage, overhead_fall, pendulum_real, side_fall, six_family
from identify.reproduce.experiments import EXPERIMENTS, chosen
from identify.reproduce.plan import Cohort, Plan, read_cohort, read_methods
from identify.reproduce.run import Reproduced, all_tasks, record
from identify.reproduce.statistics import Mean, Quartiles, Share, mean, number, quartiles
from identify.reproduce.table import Entry, Table, at_least, at_most_half, plain_text, within
from identify.sweep.row import done
from tests.reproduce.reproduce_rows import RESULTS, rows_of

SMALL = Plan(Cohort(2, 1))
_values = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30)


@given(_values)
def test_quartiles_are_numpys(values: list[float]) -> None:
    found = quartiles([*values, None, math.nan])
    assert found is not None
    assert found.count == len(values)
    assert np.allclose(
        [found.low, found.median, found.high], np.percentile(values, [25, 50, 75]), rtol=1e-9, atol=1e-9
    )


@given(_values)
def test_deviation_is_the_sample_deviation(values: list[float]) -> None:
    found = mean(values)
    assert found is not None
    wanted = np.std(values, ddof=1) if len(values) > 1 else 0.0
    assert found.deviation == pytest.approx(wanted, rel=1e-6, abs=1e-6)


def test_nothing_has_no_summary() -> None:
    assert quartiles([None, math.nan]) is None
    assert mean([]) is None


def test_numbers_keep_three_digits() -> None:
    assert [number(x) for x in (0.0144, 12.345, 0.00001)] == ["0.0144", "12.3", "1.0e-05"]


@pytest.mark.parametrize(("ours", "met"), [(0.5, True), (0.51, False)])
def test_half_is_half_of_the_papers_median(ours: float, met: bool) -> None:
    entry = at_most_half("row", "e", Quartiles(1.0, 0.9, 1.1), {"default": Quartiles(ours, 0, 1)})
    assert entry.met is met


def test_a_missing_result_is_not_met_and_another_method_is_not_judged() -> None:
    paper = Quartiles(1.0, 0.9, 1.1)
    assert at_most_half("row", "e", paper, {"default": None}).met is False
    assert at_most_half("row", "e", paper, {"paper": Quartiles(9, 9, 9)}).met is None
    assert within("row", "g", Mean(9, 1), {"default": Mean(10.1, 1)}, 9.81, 0.02).met is False
    assert at_least("row", "wins", Share(92, 100), {"default": Share(98, 100)}, 0.99).met is False


def test_a_cohort_is_read_and_bounded() -> None:
    assert read_cohort("10x5") == Cohort(10, 5)
    assert read_methods("both") == ("default", "paper")
    for text in ("", "10", "0x1", "ten x one", "9999x1", "1x1x1"):
        with pytest.raises(InputError):
            read_cohort(text)
    with pytest.raises(InputError):
        read_methods("best")


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_task_is_counted_once_and_every_table_has_its_numbers(name: str) -> None:
    experiment = EXPERIMENTS[name]
    rows = rows_of(experiment, SMALL, RESULTS[name])
    tables = experiment.tables(rows, SMALL)
    assert len({row["key"] for row in rows}) == len(rows)
    for table in tables:
        assert all(entry.found["default"] is not None for entry in table.entries)
        text = plain_text([table])
        assert table.label in text
        assert all(entry.quantity in text for entry in table.entries)
    document = record([Reproduced(name, tuple(tables), tuple(rows))], SMALL)
    assert json.loads(json.dumps(document, allow_nan=False)) == document


def test_the_sizes_of_the_cohorts_are_the_papers() -> None:
    plan = Plan()
    counts = {name: len(experiment.tasks(plan)) for name, experiment in EXPERIMENTS.items()}
    assert counts["six-family"] == 600
    assert counts["matched-lti"] == 1100
    assert counts["coverage"] == 300
    assert counts["side-fall"] == 25
    assert counts["overhead-fall"] == 75
    assert counts["pendulum-real"] == 50
    # The fits of the six families serve two tables.
    both = all_tasks([EXPERIMENTS["six-family"], EXPERIMENTS["matched-lti"]], plan)
    assert len(both) == 1100


def test_the_paper_method_takes_its_updates_into_the_task() -> None:
    plan = Plan(Cohort(1, 1), ("default", "paper"), 50)
    for experiment in EXPERIMENTS.values():
        for task in experiment.tasks(plan):
            assert (task.settings.get("updates") == 50) == (task.settings["method"] == "paper")


def test_wins_count_pairs_and_a_linear_law_without_errors_loses() -> None:
    plan = Plan(Cohort(3, 1))
    rows = []
    for task in six_family.matched_tasks(plan):
        linear = {0: 10.0, 1: 0.01, 2: None}[task.settings["collection"]]
        rows.append(done(task, {"accepted": True, "e_dyn": linear if task.settings.get("linear") else 1.0}))
    (table,) = six_family.matched_tables(rows, plan)
    wins = {e.row: e for e in table.entries if e.quantity == "family wins"}
    assert wins["Cubic"].found["default"] == Share(2, 3)
    assert wins["Cubic"].met is False
    assert wins["Affine LTI"].met is None  # one and the same law


def test_one_way_rows_are_flagged_and_nothing_is_wanted_of_them() -> None:
    plan = Plan(Cohort(1, 1))
    ranks = {"one-way-1": 1, "one-way-3": 3, "one-way-6": 3, "two-way-1": 2, "two-way-2": 4, "two-way-3": 4}
    rows = [
        done(task, {"rank": ranks[task.settings["experiment"]], "e_theta": 50.0, "e_map": 1.0})
        for task in coverage.tasks(plan)
    ]
    (table,) = coverage.tables(rows, plan)
    for entry in table.entries:
        assert ("flagged" in entry.row) == ("rank 4/4" not in entry.row)
        if entry.row.startswith("One-way"):
            assert entry.met is None
    assert not table.met  # 50 % of drag from full rank is no reproduction


def test_the_overhead_fall_wants_rho_from_each_start() -> None:
    plan = Plan(Cohort(5, 1))
    rows = [
        done(task, {**RESULTS["overhead-fall"], "rho": 2.3 if task.settings["start"] == 3.0 else 2.01})
        for task in overhead_fall.tasks(plan)
    ]
    (table,) = overhead_fall.tables(rows, plan)
    judged = {e.row: e.met for e in table.entries if e.quantity == "rho" and e.met is not None}
    assert judged == {"IC5, start 1": True, "IC5, start 2": True, "IC5, start 3": False}


def test_heights_have_equal_weight_whatever_their_number() -> None:
    heights = np.array([1.0, 1.0, 1.2, 1.4])
    canonical = np.array([0.9, 1.1, 1.2, 1.4])  # the two at 1.0 m err by as much up and down
    once = overhead_fall._height_scale(np.array([1.0, 1.2, 1.4]), np.array([1.0, 1.2, 1.4]))
    assert once == pytest.approx(1.0)
    more = overhead_fall._height_scale(np.append(canonical, canonical[:2]), np.append(heights, heights[:2]))
    assert more == pytest.approx(overhead_fall._height_scale(canonical, heights))


def test_the_canonical_coordinate_of_the_overhead_fall() -> None:
    z = np.linspace(0.5, 3, 7)
    assert np.allclose(overhead_fall.psi(z, 2.0), 1 - 1 / z)
    assert np.allclose(overhead_fall.psi(z, 1.0), np.log(z))
    assert np.allclose(overhead_fall.psi(z, 1 + 1e-7), np.log(z), atol=1e-6)


def test_the_pool_has_one_acceleration_and_a_line_for_each_clip() -> None:
    times = [np.arange(5) / 60.0, np.arange(7) / 60.0]
    clips = [(t, 3.0 * n + (1.0 + n) * t + 4.0 * t**2) for n, t in enumerate(times)]
    assert side_fall._pool_acceleration(clips) == pytest.approx(8.0)


def test_sign_and_turns_of_an_angle() -> None:
    q = np.linspace(-1, 1, 50)
    assert pendulum_real._angle(q, -q + 2 * np.pi * 3) == (-1, 3)
    assert pendulum_real._angle(q, q - 2 * np.pi) == (1, -1)


def test_a_name_that_is_none() -> None:
    assert len(chosen("all")) == len(EXPERIMENTS)
    with pytest.raises(InputError, match="no table"):
        chosen("seven-family")


def test_an_entry_without_a_wish_never_fails_a_table() -> None:
    entry = Entry("row", "raw", Quartiles(1, 1, 1), {"default": Quartiles(99, 99, 99)})
    assert Table("tab", "title", (entry,)).met
