"""The experiments by the names of ``identify reproduce``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from identify.errors import InputError
from identify.reproduce import canonical, coverage, overhead_fall, pendulum_real, side_fall, six_family
from identify.reproduce.plan import Plan
from identify.reproduce.table import Table
from identify.sweep.row import Row
from identify.sweep.task import Task


@dataclass(frozen=True)
class Experiment:
    """What is run for a name, and how its rows become tables."""

    name: str
    tasks: Callable[[Plan], list[Task]]
    tables: Callable[[Sequence[Row], Plan], list[Table]]


EXPERIMENTS = {
    experiment.name: experiment
    for experiment in (
        Experiment("six-family", six_family.tasks, six_family.tables),
        Experiment("matched-lti", six_family.matched_tasks, six_family.matched_tables),
        Experiment("coverage", coverage.tasks, coverage.tables),
        Experiment("canonical", canonical.tasks, canonical.tables),
        Experiment("canonical-controls", canonical.control_tasks, canonical.control_tables),
        Experiment("side-fall", side_fall.tasks, side_fall.tables),
        Experiment("overhead-fall", overhead_fall.tasks, overhead_fall.tables),
        Experiment("pendulum-real", pendulum_real.tasks, pendulum_real.tables),
    )
}


def chosen(name: str) -> list[Experiment]:
    """The experiment of a name, or all of them."""
    if name == "all":
        return list(EXPERIMENTS.values())
    if name not in EXPERIMENTS:
        raise InputError(
            f"the paper has no table '{name[:40]}'", hint=f"one of {', '.join(EXPERIMENTS)}, or all"
        )
    return [EXPERIMENTS[name]]
