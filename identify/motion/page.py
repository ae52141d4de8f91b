"""A report on standard output: plain paragraphs and tables, in ASCII apart from what the user typed."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from io import StringIO
from typing import Any

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from identify.printable import printable

MOST_COLUMNS = 120
MOST_ROWS = 21


@dataclass
class Page:
    """Parts in reading order."""

    parts: list[RenderableType] = field(default_factory=list)

    def title(self, text: str) -> None:
        """The law, first."""
        self.parts.append(Text(printable(text), style="bold"))

    def say(self, *lines: str, style: str = "") -> None:
        """A paragraph of one or more lines."""
        if lines:
            self.parts.append(Padding(Text(printable("\n".join(lines)), style=style), (1, 1, 0, 1)))

    def warn(self, lines: Iterable[str]) -> None:
        """Lines that must not be overlooked."""
        self.say(*(f"! {line}" for line in lines), style="red")

    def table(self, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        """A table without frames."""
        table = Table(box=None, header_style="dim", padding=(0, 2, 0, 0), pad_edge=False)
        for name in header:
            table.add_column(Text(printable(name)))
        for row in rows:
            table.add_row(*(Text(printable(cell)) for cell in row))
        self.parts.append(Padding(table, (1, 1, 0, 1)))

    def print(self) -> None:
        """Colours on a terminal only; no trailing blanks elsewhere."""
        console = Console(soft_wrap=False)
        width = min(console.width, MOST_COLUMNS)
        if console.is_terminal:
            for part in self.parts:
                console.print(part, width=width, highlight=False)
            return
        sys.stdout.write(self.render(width))

    def render(self, width: int = 100) -> str:
        """The page as plain text."""
        file = StringIO()
        console = Console(
            file=file, width=width, color_system=None, force_terminal=False, legacy_windows=False
        )
        for part in self.parts:
            console.print(part, highlight=False)
        return "\n".join(line.rstrip() for line in file.getvalue().splitlines()) + "\n"


def number(value: float | None) -> str:
    """A number for people: three or four digits, a dash where there is none."""
    if value is None or math.isnan(value):
        return "-"
    return f"{value:.4g}"


def thinned(rows: Sequence[Any], most: int = MOST_ROWS) -> list[Any]:
    """At most ``most`` rows, evenly chosen, with the first and the last."""
    if len(rows) <= most:
        return list(rows)
    return [rows[round(i * (len(rows) - 1) / (most - 1))] for i in range(most)]


def print_json(document: dict[str, Any]) -> None:
    """The document on standard output, always in UTF-8."""
    sys.stdout.flush()
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    sys.stdout.buffer.write(text.encode("utf-8"))
    sys.stdout.flush()
