"""Summaries: the rows of a sweep counted by law and method, for the live table and for the end."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from identify.sweep.row import Row
from identify.sweep.task import Task

SCHEMA = "identify/sweep/1"
HEADER = ("fit", "method", "done", "accepted", "failed", "e_theta %", "e_map %", "CPU s")
_MOST_FAILURES = 20
_WIDEST = 48


@dataclass(frozen=True)
class Group:
    """The fits of one law by one method: counts, and medians over those that are done."""

    name: str
    method: str
    tasks: int
    done: int
    accepted: int
    failed: int
    e_theta: float | None
    e_map: float | None
    cpu_seconds: float | None

    def cells(self) -> tuple[str, ...]:
        """The group as a line of a table."""
        medians = (self.e_theta, self.e_map, self.cpu_seconds)
        shown = ["-" if value is None else f"{value:.3g}" for value in medians]
        name = self.name if len(self.name) <= _WIDEST else f"{self.name[: _WIDEST - 3]}..."
        counts = f"{self.done}/{self.tasks}", str(self.accepted), str(self.failed)
        return name, self.method, *counts, *shown


def grouped(tasks: Iterable[Task], rows: Iterable[Row]) -> list[Group]:
    """The groups in the order of the tasks."""
    wanted: dict[tuple[str, str], int] = {}
    for task in tasks:
        wanted[_group(task.settings)] = wanted.get(_group(task.settings), 0) + 1
    found: dict[tuple[str, str], list[Row]] = {place: [] for place in wanted}
    for row in rows:
        found.setdefault(_group(row["task"]), []).append(row)
    return [_counted(place, wanted.get(place, len(own)), own) for place, own in found.items()]


def document(
    tasks: Sequence[Task], rows: Sequence[Row], store: Path, title: str | None, known: int, seconds: float
) -> dict[str, Any]:
    """The sweep as JSON for other programs."""
    failures = [row for row in rows if row["outcome"] != "done"]
    return {
        "schema": SCHEMA,
        "title": title,
        "store": str(store),
        "tasks": len({task.key for task in tasks}),
        "done": len(rows) - len(failures),
        "known": known,
        "accepted": sum(bool(row.get("accepted")) for row in rows),
        "failed": len(failures),
        "seconds": round(seconds, 3),
        "cpu_seconds": round(sum(row.get("cpu_seconds") or 0.0 for row in rows), 3),
        "groups": [vars(group) for group in grouped(tasks, rows)],
        "failures": [
            {"key": row["key"], "task": row["task"], "failure": row["failure"]}
            for row in failures[:_MOST_FAILURES]
        ],
        "versions": several_versions(rows),
    }


def several_versions(rows: Iterable[Row]) -> list[dict[str, str]]:
    """The different versions that computed the rows; more than one may differ in the last digits."""
    found = {tuple(sorted((row.get("versions") or {}).items())) for row in rows}
    return [dict(one) for one in sorted(found) if one]


def _group(settings: Any) -> tuple[str, str]:
    names = [settings.get(key) for key in ("experiment", "family", "law", "folder")]
    name = str(next((name for name in names if name), "task"))
    if settings.get("fitted"):
        name += f" as {settings['fitted']}"
    return name, str(settings.get("method", "-"))


def _counted(place: tuple[str, str], tasks: int, rows: Sequence[Row]) -> Group:
    done = [row for row in rows if row["outcome"] == "done"]
    medians = (_median(done, name) for name in ("e_theta", "e_map", "cpu_seconds"))
    accepted = sum(bool(row.get("accepted")) for row in done)
    return Group(*place, tasks, len(done), accepted, len(rows) - len(done), *medians)


def _median(rows: Iterable[Row], name: str) -> float | None:
    values = [row[name] for row in rows if isinstance(row.get(name), int | float)]
    return statistics.median(values) if values else None
