"""Rows: what is kept of a finished task, as plain JSON.

Every row has ``key``, ``kind``, ``task`` (the settings), ``outcome`` ("done" or "failed"), ``failure``
(words, or None), ``attempts``, ``cpu_seconds``, ``wall_seconds``, ``versions`` and ``finished``; a fit adds
what ``identify.sweep.simulated.fit_row`` lists.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from identify.sweep.task import Task

Row = dict[str, Any]

# What may differ between two runs of the same task.
CIRCUMSTANCES = frozenset("attempts cpu_seconds wall_seconds fit_seconds finished versions".split())


def done(task: Task, result: Mapping[str, Any], **circumstances: Any) -> Row:
    """The row of a task that gave a result."""
    return {**_heading(task), "outcome": "done", "failure": None, **_finite(result), **_finite(circumstances)}


def failed(task: Task, words: str, **circumstances: Any) -> Row:
    """The row of a task that gave none."""
    return {**_heading(task), "outcome": "failed", "failure": words[:2000], **_finite(circumstances)}


def same(one: Row, other: Row) -> bool:
    """Whether two rows say the same, to the last digit, whatever the circumstances were."""
    return _said(one) == _said(other)


def flat(row: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """The row as a line of a table: nested names joined by dots, lists as text."""
    found: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, dict):
            found |= flat(value, f"{before}{name}.")
        else:
            found[before + name] = "; ".join(map(str, value)) if isinstance(value, list) else value
    return found


def _said(row: Row) -> Row:
    return {name: value for name, value in row.items() if name not in CIRCUMSTANCES}


def _heading(task: Task) -> Row:
    return {"key": task.key, "kind": task.kind, "task": dict(task.settings)}


def _finite(value: Any) -> Any:
    """Numbers that JSON does not have, as None."""
    if isinstance(value, Mapping):
        return {str(name): _finite(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
