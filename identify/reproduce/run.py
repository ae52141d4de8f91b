"""``names -> tables, figures, record``: the fits are run once, whatever tables need them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from identify.files import write_whole
from identify.reproduce.experiments import Experiment
from identify.reproduce.plan import Plan
from identify.reproduce.table import Table, markdown
from identify.sweep.row import Row
from identify.sweep.run import Progress, run_tasks
from identify.sweep.task import Task

SCHEMA = "identify/reproduce/1"
STORE, RECORD, TABLES = "fits.sqlite", "record.json", "tables.md"
_PICTURES_ONLY = ("coordinate", "residuals")  # kept in the store, too long for the record


@dataclass(frozen=True)
class Reproduced:
    """The tables of an experiment and the pictures that were written."""

    experiment: str
    tables: tuple[Table, ...]
    rows: tuple[Row, ...]
    figures: tuple[str, ...] = ()

    @property
    def met(self) -> bool:
        """Whether everything that is wanted holds."""
        return all(table.met for table in self.tables)


def all_tasks(experiments: Sequence[Experiment], plan: Plan) -> list[Task]:
    """The tasks of all experiments, each once."""
    return list({task.key: task for e in experiments for task in e.tasks(plan)}.values())


def reproduce(
    experiments: Sequence[Experiment],
    plan: Plan,
    out: Path,
    jobs: int | None = None,
    scheduler: str | None = None,
    resume: bool = False,
    progress: Progress | None = None,
    pictures: bool = True,
) -> list[Reproduced]:
    """Run what the store in ``out`` does not have, and write tables, pictures and the record there."""
    tasks = all_tasks(experiments, plan)
    rows = run_tasks(tasks, out / STORE, jobs, scheduler, resume, progress)
    by_key = dict(zip((task.key for task in tasks), rows, strict=True))
    found = [_one(e, plan, [by_key[t.key] for t in e.tasks(plan)], out, pictures) for e in experiments]
    write_whole(out / RECORD, json.dumps(record(found, plan), indent=1, allow_nan=False) + "\n")
    write_whole(out / TABLES, _page(found))
    return found


def _one(experiment: Experiment, plan: Plan, rows: Sequence[Row], out: Path, pictures: bool) -> Reproduced:
    tables = tuple(replace(t, notes=(*t.notes, *_shortened(plan))) for t in experiment.tables(rows, plan))
    drawn: tuple[str, ...] = ()
    if pictures:
        from identify.reproduce.figures import draw

        drawn = tuple(draw(experiment.name, rows, out))
    return Reproduced(experiment.name, tables, tuple(rows), drawn)


def _shortened(plan: Plan) -> tuple[str, ...]:
    """That the paper's method did not have its number of updates."""
    if "paper" not in plan.methods or plan.updates is None:
        return ()
    return (
        f"the paper's method had {plan.updates} updates here instead of its own thousands:",
        "these errors say nothing about it",
    )


def record(found: Sequence[Reproduced], plan: Plan) -> dict[str, Any]:
    """Everything that was found, with seeds, versions and cost, as plain data."""
    rows = {row["key"]: row for one in found for row in one.rows}
    versions = {json.dumps(row.get("versions"), sort_keys=True): row.get("versions") for row in rows.values()}
    return {
        "schema": SCHEMA,
        "plan": _finite(asdict(plan)),
        "versions": list(versions.values()),
        "cpu_seconds": round(sum(row.get("cpu_seconds") or 0.0 for row in rows.values()), 1),
        "experiments": [
            {
                "name": one.experiment,
                "met": one.met,
                "tables": [_finite(table.to_dict()) for table in one.tables],
                "figures": list(one.figures),
            }
            for one in found
        ],
        "fits": [_kept(row) for row in rows.values()],
    }


def _kept(row: Row) -> Row:
    return {name: value for name, value in row.items() if name not in (*_PICTURES_ONLY, "versions")}


def _finite(value: Any) -> Any:
    """Numbers that JSON does not have (quartiles that the paper does not give) as None."""
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and value != value else value


def _page(found: Sequence[Reproduced]) -> str:
    parts = []
    for one in found:
        for table in one.tables:
            notes = "\n".join(f"{note}  " for note in table.notes)
            parts.append(f"## {table.title} ({table.label})\n\n{markdown(table)}\n\n{notes}\n")
        parts += [f"![{name}]({name})\n" for name in one.figures if name.endswith(".png")]
    return "\n".join(["# The paper's tables again\n", *parts])
