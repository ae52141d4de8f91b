"""Tables: the paper's numbers with what was found beside them, and whether what is wanted holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from identify.reproduce.statistics import Mean, Share, Summary

Found = Mapping[str, Summary | None]  # by method


@dataclass(frozen=True)
class Entry:
    """One number of a table: which, the paper's, ours by method, and what was wanted of the default.

    ``met`` is None where nothing is wanted; ``note`` says why, or what else there is to know.
    """

    row: str
    quantity: str
    paper: Summary | None
    found: Found
    wanted: str = ""
    met: bool | None = None
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The entry as plain data."""
        found = {method: None if s is None else asdict(s) for method, s in self.found.items()}
        paper = None if self.paper is None else asdict(self.paper)
        return {**asdict(self), "paper": paper, "found": found}


@dataclass(frozen=True)
class Table:
    """A table of the paper, by its label."""

    label: str
    title: str
    entries: tuple[Entry, ...]
    notes: tuple[str, ...] = field(default=())

    @property
    def met(self) -> bool:
        """Whether nothing that is wanted fails."""
        return all(entry.met is not False for entry in self.entries)

    def to_dict(self) -> dict[str, Any]:
        """The table as plain data."""
        entries = [entry.to_dict() for entry in self.entries]
        return {"label": self.label, "title": self.title, "entries": entries, "notes": list(self.notes)}


def at_most_half(
    row: str, quantity: str, paper: Summary | None, found: Found, note: str = "", wanted: bool = True
) -> Entry:
    """An error that is wanted at most half as large as the paper's."""
    ours = found.get("default")
    if not wanted or paper is None or "default" not in found:
        return Entry(row, quantity, paper, found, note=note)
    met = ours is not None and ours.value <= paper.value / 2
    return Entry(row, quantity, paper, found, "at most half", met, note)


def within(row: str, quantity: str, paper: Summary | None, found: Found, true: float, share: float) -> Entry:
    """A mean that is wanted within a share of the true value."""
    ours = found.get("default")
    if "default" not in found:
        return Entry(row, quantity, paper, found)
    met = ours is not None and abs(ours.value - true) <= share * abs(true)
    return Entry(row, quantity, paper, found, f"{true:g} within {share:.0%}", met)


def at_least(row: str, quantity: str, paper: Share, found: Found, share: float) -> Entry:
    """A count that is wanted at least this share of all."""
    ours = found.get("default")
    if "default" not in found:
        return Entry(row, quantity, paper, found)
    met = ours is not None and ours.value >= share
    return Entry(row, quantity, paper, found, f"at least {share:.0%}", met)


def grid(table: Table) -> tuple[list[str], list[list[str]]]:
    """Headings and lines of the table as text."""
    methods = list(dict.fromkeys(method for entry in table.entries for method in entry.found))
    names = {"default": "here", "paper": "paper's method here"}
    headings = ["row", "quantity", "paper", *(names.get(m, m) for m in methods), "wanted", "met"]
    lines, last = [], None
    for entry in table.entries:
        ours = [_told(entry.found.get(method)) for method in methods]
        met = "" if entry.met is None else "yes" if entry.met else "no"
        row = "" if entry.row == last else entry.row
        lines.append([row, entry.quantity, _told(entry.paper), *ours, entry.wanted or entry.note, met])
        last = entry.row
    return headings, lines


def plain_text(tables: Iterable[Table]) -> str:
    """The tables as text of a fixed pitch."""
    return "\n\n".join(_text(table) for table in tables)


def markdown(table: Table) -> str:
    """The table as Markdown."""
    headings, lines = grid(table)
    rows = [headings, ["---"] * len(headings), *lines]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def _text(table: Table) -> str:
    headings, lines = grid(table)
    widths = [max(len(row[i]) for row in [headings, *lines]) for i in range(len(headings))]
    heading = _line(headings, widths)
    body = [_line(line, widths) for line in lines]
    notes = [f"  {note}" for note in table.notes]
    title = f"{table.title} ({table.label})"
    return "\n".join([title, f"  {heading}", "  " + "-" * len(heading), *(f"  {b}" for b in body), *notes])


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()


def _told(summary: Summary | None) -> str:
    return "-" if summary is None else str(summary)


def spread(summary: Summary | None) -> str:
    """How many fits a summary is of."""
    if isinstance(summary, Share):
        return str(summary.whole)
    return "0" if summary is None else str(summary.count)


__all__ = ["Entry", "Mean", "Table", "at_least", "at_most_half", "grid", "markdown", "plain_text", "within"]
