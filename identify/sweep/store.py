"""A store: the rows of a sweep in one SQLite file that is only ever added to.

Every row is on the disk before the next is waited for (a transaction of its own, full synchronisation), so
that a driver that is killed has lost nothing that was finished.  No write-ahead log: it does not work on
network file systems, and the store stays a single file.  A task may have several rows; the last one counts.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from identify.errors import InputError
from identify.sweep.row import Row

_APPLICATION = 0x1DE7F175  # "identifits": marks the file as ours
_VERSION = 1
_MOST_ROW_BYTES = 4_000_000
_PATIENCE = 60.0  # seconds for another process that is writing
_TABLES = """
CREATE TABLE rows (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL,
    outcome TEXT NOT NULL,
    finished REAL NOT NULL,
    row TEXT NOT NULL
);
CREATE INDEX rows_by_key ON rows (key);
CREATE TRIGGER rows_stay BEFORE UPDATE ON rows BEGIN SELECT RAISE(ABORT, 'rows are only added'); END;
CREATE TRIGGER rows_last BEFORE DELETE ON rows BEGIN SELECT RAISE(ABORT, 'rows are only added'); END;
"""


class Store:
    """The rows in a file; a new file is made unless ``make`` is False."""

    def __init__(self, path: Path, *, make: bool = True) -> None:
        self.path = Path(path)
        if not self.path.exists() and not make:
            raise InputError(f"there is no store {self.path}", hint="identify sweep SPEC.yaml makes one")
        with self._told():
            # A driver that was killed leaves a journal that only a connection which may write rolls back.
            mode = "rwc" if make else "rw" if os.access(self.path, os.W_OK) else "ro"
            self._base = sqlite3.connect(
                f"{self.path.absolute().as_uri()}?mode={mode}",
                uri=True,
                timeout=_PATIENCE,
                isolation_level=None,
            )
            self._base.execute("PRAGMA trusted_schema = OFF")
            self._base.execute("PRAGMA synchronous = FULL")
            self._open(make)

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._base.close()

    def add(self, row: Row) -> Row:
        """Keep a row; it is on the disk when this returns."""
        row = {**row, "finished": round(time.time(), 3)}
        text = json.dumps(row, allow_nan=False)
        with self._told():
            self._base.execute(
                "INSERT INTO rows (key, outcome, finished, row) VALUES (?, ?, ?, ?)",
                (row["key"], row["outcome"], row["finished"], text),
            )
        return row

    def rows(self) -> Iterator[Row]:
        """The last row of every task, in the order in which they were finished."""
        last = "SELECT MAX(number) FROM rows GROUP BY key"
        found = self._all(f"SELECT row FROM rows WHERE number IN ({last}) ORDER BY number")
        for (text,) in found:
            yield self._row(text)

    def done(self) -> dict[str, Row]:
        """The rows of the tasks that are done, by key; those that failed last are not among them."""
        return {row["key"]: row for row in self.rows() if row["outcome"] == "done"}

    def _all(self, question: str) -> list[Any]:
        with self._told():
            return self._base.execute(question).fetchall()

    def _row(self, text: Any) -> Row:
        try:
            row = json.loads(text) if len(text) <= _MOST_ROW_BYTES else None
        except (TypeError, ValueError):
            row = None
        if not isinstance(row, dict) or not {"key", "kind", "task", "outcome"} <= row.keys():
            raise InputError(
                f"{self.path} has a row that no sweep wrote",
                hint="choose another store; this file was changed",
            )
        return row

    def _open(self, make: bool) -> None:
        """Check that the file is a store; an empty one becomes one."""
        (mark,) = self._base.execute("PRAGMA application_id").fetchone()
        (version,) = self._base.execute("PRAGMA user_version").fetchone()
        if mark == _APPLICATION and version == _VERSION:
            return
        (tables,) = self._base.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
        if mark == _APPLICATION or tables or mark or not make:
            raise InputError(
                f"{self.path} is no store of this version of identify", hint="give another file with --store"
            )
        pragmas = f"PRAGMA application_id = {_APPLICATION}; PRAGMA user_version = {_VERSION};"
        self._base.executescript(f"BEGIN EXCLUSIVE; {_TABLES} {pragmas} COMMIT;")

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Errors of the file as errors of the input."""
        try:
            yield
        except sqlite3.Error as error:
            raise InputError(
                f"cannot use the store {self.path}: {error}", hint="give another file with --store"
            ) from None
