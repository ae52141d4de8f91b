"""Rows as a table for other programs: CSV or Parquet, a line for each task."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from identify.errors import InputError
from identify.files import write_whole
from identify.sweep.row import Row, flat

SUFFIXES = (".csv", ".parquet")


def check_export(path: Path) -> None:
    """Refuse a name whose format is unknown, before the work begins."""
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(f"cannot export to {path.name}", hint="name the file .csv or .parquet")


def export(rows: Sequence[Row], path: Path) -> None:
    """Write the table in one step."""
    check_export(path)
    lines = [flat(row) for row in rows]
    columns = list(dict.fromkeys(name for line in lines for name in line))
    try:
        if path.suffix.lower() == ".csv":
            write_whole(path, _csv(lines, columns))
        else:
            _parquet(lines, columns, path)
    except OSError as error:
        raise InputError(
            f"cannot write {path}: {error.strerror or error}",
            hint="name a file in a folder that exists and that you may write to",
        ) from None


def _csv(lines: Sequence[dict[str, Any]], columns: Sequence[str]) -> str:
    file = io.StringIO()
    writer = csv.DictWriter(file, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return file.getvalue()


def _parquet(lines: Sequence[dict[str, Any]], columns: Sequence[str], path: Path) -> None:
    import pyarrow
    import pyarrow.parquet as parquet

    table = pyarrow.table({name: _column([line.get(name) for line in lines]) for name in columns})
    file = io.BytesIO()
    parquet.write_table(table, file)
    write_whole(path, file.getvalue())


def _column(values: list[Any]) -> list[Any]:
    """Values of one type, as a column must be: numbers, truths, or else text."""
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int, float} and len(kinds) > 1:
        return [None if value is None else float(value) for value in values]
    return values if len(kinds) <= 1 else [None if value is None else str(value) for value in values]
