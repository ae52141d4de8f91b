"""The progress of a sweep on standard error: a live table on a terminal, a line for each fit elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from identify.sweep.row import Row
from identify.sweep.run import Step
from identify.sweep.summary import HEADER, grouped
from identify.sweep.task import Task

_MOST_LINES = 20
_PAUSE = 0.5  # seconds between two tables


class Watch:
    """Told every step; counts what came from the store and what is new."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        self.tasks = list({task.key: task for task in tasks}.values())
        self.rows: list[Row] = []
        self.known = self.fresh = 0
        self.running: dict[str, Task] = {}
        self.start = time.monotonic()
        self._live: Any = None
        self._shown = 0.0

    def __call__(self, step: Step) -> None:
        if step.what == "started":
            self.running[step.task.key] = step.task
        elif step.row is not None:
            self.running.pop(step.task.key, None)
            self.rows.append(step.row)
            self.known += step.what == "known"
            self.fresh += step.what == "finished"
            if step.what == "finished" and self._live is None:
                print(self.line(step.task, step.row), file=sys.stderr, flush=True)
        if self._live is not None and time.monotonic() - self._shown > _PAUSE:
            self._shown = time.monotonic()
            self._live.update(self.table())

    @property
    def seconds(self) -> float:
        """Since the start."""
        return time.monotonic() - self.start

    @contextmanager
    def shown(self) -> Iterator[None]:
        """The live table while the sweep goes on, for a person at a terminal."""
        if not sys.stderr.isatty():
            yield
            return
        from rich.console import Console
        from rich.live import Live

        with Live(console=Console(stderr=True), transient=True, auto_refresh=True) as self._live:
            try:
                yield
            finally:
                self._live = None

    def line(self, task: Task, row: Row) -> str:
        """One finished fit."""
        if row["outcome"] != "done":
            told = f"FAILED: {' '.join(row['failure'].split())[:200]}"
        else:
            error = row.get("e_theta")
            told = "accepted" if row.get("accepted") else f"refused ({row.get('reason')})"
            told += "" if error is None else f", e_theta {error:.3g} %"
        again = "" if row.get("attempts", 1) == 1 else f", attempt {row['attempts']}"
        seconds = f"{row.get('wall_seconds', 0):.1f} s{again}"
        return f"{len(self.rows)}/{len(self.tasks)} {task.told()}: {told}, {seconds}"

    def table(self) -> Any:
        """The groups, and how long it will take."""
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, header_style="dim", padding=(0, 2, 0, 0), caption=self.caption())
        for name in HEADER:
            table.add_column(name)
        groups = grouped(self.tasks, self.rows)
        for group in groups[:_MOST_LINES]:
            table.add_row(*map(Text, group.cells()))
        if len(groups) > _MOST_LINES:
            table.add_row(Text(f"and {len(groups) - _MOST_LINES} more"))
        return table

    def caption(self) -> str:
        """Done, running, time spent and left."""
        left = len(self.tasks) - len(self.rows)
        told = (
            f"{len(self.rows)} of {len(self.tasks)} done, {len(self.running)} running, {_time(self.seconds)}"
        )
        return told + (
            f", about {_time(left * self.seconds / self.fresh)} left" if self.fresh and left else ""
        )


def _time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"
