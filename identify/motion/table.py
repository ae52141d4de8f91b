"""Clips from CSV, Parquet or NPZ; an error names the file, the row and the column.

Columns are time, state, and optionally velocity and clip.  Rows count from 1 without the header; a CSV error
also names the line.  In an NPZ file the arrays are either columns of equal length, or state (and velocity) as
clips by frames with one time axis for all.
"""

from __future__ import annotations

import csv
import io
import itertools
import math
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from identify.errors import IdentifyError
from identify.motion.extra import need
from identify.motion.trajectory import LEAST_SAMPLES, Array, Clip

MOST_ROWS = 5_000_000
MOST_BYTES = 400_000_000  # of a file, and of what a compressed one holds
# What damaged files make the libraries raise: broken compression, unknown methods, names that are no text,
# sizes beyond the memory.
_DAMAGED = (
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ArithmeticError,
    MemoryError,
    SyntaxError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
)

_TABLE = "a table has the columns time and state, if need be velocity and clip, and a number in every cell"
_SMALLER = "give fewer clips, or fewer frames of each"

_ALIASES = {
    "time": ("time", "t", "seconds", "time_s"),
    "state": ("state", "z", "x", "q", "position", "latent"),
    "velocity": ("velocity", "v", "zdot", "xdot", "qdot", "dz", "dx", "dq"),
    "clip": ("clip", "clip_id", "id", "trajectory", "run", "video"),
}
ROLES = tuple(_ALIASES)


class DataError(IdentifyError):
    """Data that cannot be used: which file, row and column, why, and what to do."""

    exit_code = 2

    def __init__(self, message: str, hint: str = _TABLE) -> None:
        super().__init__(f"{message}\nhint: {hint}")


@dataclass(frozen=True)
class Column:
    """A column's cells as they were read, and the name it has in the file."""

    name: str
    cells: Sequence[Any]


@dataclass(frozen=True)
class Table:
    """Columns by role, and how a row is called in this kind of file."""

    file: str
    columns: Mapping[str, Column]
    row: Callable[[int], str]


def read_clips(
    file: Path, state: str = "z", names: Mapping[str, str] | None = None, only: str | None = None
) -> list[Clip]:
    """The clips in the file; ``state`` is the law's own name for it, ``names`` maps roles to columns.

    ``only`` names a column of 0 and 1: rows with 0 are skipped, whatever else they hold.
    """
    wanted = {role: [name] for role, name in (names or {}).items()}
    for role, aliases in _ALIASES.items():
        own = (state,) if role == "state" else (f"{state}dot", f"d{state}") if role == "velocity" else ()
        wanted.setdefault(role, [*own, *aliases])
    if only is not None:
        wanted["only"] = [only]
    reader = _READERS.get(file.suffix.lower())
    if reader is None:
        raise DataError(f"{file}: a file named .csv, .tsv, .parquet or .npz was expected")
    try:
        if file.stat().st_size > MOST_BYTES:
            raise DataError(f"{file} has more than {MOST_BYTES // 10**6} MB", _SMALLER)
        table = reader(file, wanted)
    except OSError as error:
        message = f"cannot read {file}: {error.strerror or error}"
        raise DataError(message, "name a file that exists and that you may read") from None
    return _clips(table if only is None else _marked(table))


def _marked(table: Table) -> Table:
    """The rows that the column ``only`` marks; an error still names the row of the file."""
    marks = _numbers(table, table.columns["only"])
    kept = [index for index, mark in enumerate(marks) if mark]
    if not kept:
        raise DataError(f"{table.file}, column {table.columns['only'].name}: no row is marked with 1")
    columns = {
        role: Column(column.name, [column.cells[index] for index in kept])
        for role, column in table.columns.items()
    }
    return Table(table.file, columns, lambda index: table.row(kept[index]))


def read_names(text: str) -> dict[str, str]:
    """``"time=T, state=angle"`` as role -> column."""
    found: dict[str, str] = {}
    for part in text.split(","):
        role, equals, name = (piece.strip() for piece in part.partition("="))
        if role not in ROLES or not equals or not name:
            raise DataError(
                f'--columns: "{part.strip()}" is not one of {", ".join(f"{r}=NAME" for r in ROLES)}',
                'write for example --columns "state=angle"',
            )
        found[role] = name
    return found


def _csv(file: Path, wanted: Mapping[str, list[str]]) -> Table:
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{file} is not text in UTF-8 (byte {error.start})") from None
    first = text.split("\n", 1)[0]
    separator = next((s for s in ",;\t" if s in first), ",")
    lines = [(row, number) for number, row in _numbered(text, separator, file) if any(c.strip() for c in row)]
    if not lines:
        raise DataError(f"{file} is empty")
    (header, _), body = lines[0], lines[1:]
    if len(body) > MOST_ROWS:
        raise DataError(f"{file} has more than {MOST_ROWS} rows", _SMALLER)
    header = [name.strip() for name in header]
    chosen = _choose(file, header, wanted)
    for index, (row, number) in enumerate(body):
        if len(row) != len(header):
            message = f"{len(row)} cells where the header has {len(header)}"
            raise DataError(f"{file}, row {index + 1} (line {number}): {message}")
    columns = {
        role: Column(name, [row[header.index(name)].strip() for row, _ in body])
        for role, name in chosen.items()
    }
    return Table(str(file), columns, lambda index: f"row {index + 1} (line {body[index][1]})")


def _numbered(text: str, separator: str, file: Path) -> list[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        return [(reader.line_num, row) for row in reader]
    except csv.Error as error:
        raise DataError(f"{file}, line {reader.line_num}: {error}") from None


def _parquet(file: Path, wanted: Mapping[str, list[str]]) -> Table:
    need("reading Parquet", "pyarrow")
    import pyarrow.parquet as parquet
    from pyarrow import ArrowException

    try:
        source = parquet.ParquetFile(file)
        if source.metadata.num_rows > MOST_ROWS:
            raise DataError(f"{file} has more than {MOST_ROWS} rows", _SMALLER)
        chosen = _choose(file, list(source.schema_arrow.names), wanted)
        cells: dict[str, list[Any]] = {role: [] for role in chosen}
        size = 0
        for batch in source.iter_batches(_BATCH, columns=list(chosen.values())):
            size += batch.nbytes
            if size > MOST_BYTES:
                raise DataError(f"{file} holds more than {MOST_BYTES // 10**6} MB", _SMALLER)
            for role, name in chosen.items():
                cells[role] += batch.column(name).to_pylist()
    except (ArrowException, *_DAMAGED) as error:
        raise DataError(f"{file} is not a Parquet file: {_first_line(error)}") from None
    columns = {role: Column(name, cells[role]) for role, name in chosen.items()}
    return Table(str(file), columns, lambda index: f"row {index + 1}")


_BATCH = 1000  # rows at a time, so that a long text in every row is noticed before all are in memory


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]


def _npz(file: Path, wanted: Mapping[str, list[str]]) -> Table:
    try:
        with file.open("rb") as opened, np.load(opened, allow_pickle=False) as archive:
            if sum(member.file_size for member in archive.zip.infolist()) > MOST_BYTES:
                raise DataError(f"{file} holds more than {MOST_BYTES // 10**6} MB", _SMALLER)
            chosen = _choose(file, list(archive.files), wanted)
            arrays = {role: np.asarray(archive[name]) for role, name in chosen.items()}
    except _DAMAGED as error:
        raise DataError(f"{file} is not an NPZ file of plain arrays: {_first_line(error)}") from None
    if arrays["state"].ndim == 2:
        arrays = _flatten(file, arrays)
    for role, array in arrays.items():
        if array.ndim != 1:
            raise DataError(f"{file}, column {chosen[role]}: {array.ndim} dimensions, 1 expected")
        if len(array) != len(arrays["state"]):
            message = f"{len(array)} values where {chosen['state']} has {len(arrays['state'])}"
            raise DataError(f"{file}, column {chosen[role]}: {message}")
    if len(arrays["state"]) > MOST_ROWS:
        raise DataError(f"{file} has more than {MOST_ROWS} rows", _SMALLER)
    columns = {role: Column(chosen.get(role, role), array.tolist()) for role, array in arrays.items()}
    return Table(str(file), columns, lambda index: f"row {index + 1}")


def _flatten(file: Path, arrays: dict[str, Any]) -> dict[str, Any]:
    """Clips by frames as columns; a common time axis is repeated."""
    clips, frames = arrays["state"].shape
    flat: dict[str, Any] = {"clip": np.repeat(np.arange(clips), frames)}
    if "clip" in arrays:
        if arrays["clip"].shape != (clips,):
            raise DataError(f"{file}, column clip: one name for each of the {clips} clips was expected")
        flat["clip"] = np.repeat(arrays["clip"], frames)
    for role in ("time", "state", "velocity"):
        if role not in arrays:
            continue
        array = arrays[role]
        if role == "time" and array.shape == (frames,):
            array = np.broadcast_to(array, (clips, frames))
        if array.shape != (clips, frames):
            raise DataError(f"{file}, column {role}: shape {array.shape}, {(clips, frames)} expected")
        flat[role] = array.reshape(-1)
    return flat


_READERS = {".csv": _csv, ".tsv": _csv, ".parquet": _parquet, ".npz": _npz}


def _choose(file: Path, header: list[str], wanted: Mapping[str, list[str]]) -> dict[str, str]:
    """Role -> the column that plays it; time and state must be there."""
    for name in header:
        if header.count(name) > 1:
            raise DataError(f"{file}: two columns are called '{name}'")
    lower = {name.lower(): name for name in reversed(header)}
    chosen: dict[str, str] = {}
    for role, candidates in wanted.items():
        found = next((lower[c.lower()] for c in candidates if c.lower() in lower), None)
        if found is not None:
            chosen[role] = found
        elif role in ("time", "state") or len(candidates) == 1:
            raise DataError(
                f"{file}: no column for the {role} ({' or '.join(candidates)}); it has {', '.join(header)}",
                f'name it with --columns "{role}=NAME"',
            )
    return chosen


def _clips(table: Table) -> list[Clip]:
    numbers = {
        role: _numbers(table, table.columns[role])
        for role in ("time", "state", "velocity")
        if role in table.columns
    }
    if not len(numbers["time"]):
        raise DataError(f"{table.file} has a header and no rows")
    rows = _rows_by_clip(table, len(numbers["time"]))
    for name, indices in rows.items():
        _check_clip(table, name, indices, numbers["time"], len(rows))
    return [
        Clip(
            name,
            numbers["time"][indices],
            numbers["state"][indices],
            numbers["velocity"][indices] if "velocity" in numbers else None,
        )
        for name, indices in rows.items()
    ]


def _rows_by_clip(table: Table, count: int) -> dict[str, list[int]]:
    if "clip" not in table.columns:
        return {"1": list(range(count))}
    rows: dict[str, list[int]] = {}
    for index, cell in enumerate(table.columns["clip"].cells):
        if cell is None or str(cell).strip() == "":
            raise DataError(f"{table.file}, {table.row(index)}, column {table.columns['clip'].name}: no clip")
        rows.setdefault(str(cell), []).append(index)
    return rows


def _check_clip(table: Table, name: str, indices: list[int], time: Array, clips: int) -> None:
    column = table.columns["time"].name
    for before, after in itertools.pairwise(indices):
        if not time[after] > time[before]:
            alone = "several clips in one file need a column called clip"
            raise DataError(
                f"{table.file}, {table.row(after)}, column {column}: time does not increase "
                f"({time[after]:g} after {time[before]:g}) in clip {name}",
                "put the rows of each clip in the order of time" if clips > 1 else alone,
            )
    if len(indices) < LEAST_SAMPLES:
        raise DataError(
            f"{table.file}, {table.row(indices[-1])}: clip {name} has {len(indices)} rows, "
            f"at least {LEAST_SAMPLES} are needed",
            "leave that clip out, or give all of its frames",
        )


def _numbers(table: Table, column: Column) -> Array:
    found = np.empty(len(column.cells))
    for index, cell in enumerate(column.cells):
        where = f"{table.file}, {table.row(index)}, column {column.name}"
        try:
            found[index] = float(cell)
        except (TypeError, ValueError):
            what = (
                "the cell is empty" if cell is None or cell == "" else f"'{str(cell)[:40]}' is not a number"
            )
            raise DataError(f"{where}: {what}") from None
        if not math.isfinite(found[index]):
            raise DataError(f"{where}: {cell} is not finite")
    return found
