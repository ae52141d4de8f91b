"""The terminal report.

Colours are the terminal's own eight, so that light and dark themes both keep their contrast; yellow, white
and black are avoided.  Every colour is doubled by a mark or a word, so nothing is lost without them.
"""

from __future__ import annotations

from io import StringIO

from rich import box
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from identify.analysis import Analysis, ParameterVerdict, Status
from identify.report import words
from identify.report.notation import AsTyped, Notation
from identify.report.unicode_notation import Unicode

MOST_COLUMNS = 120
_NARROW = 60

_COLOUR: dict[Status, str] = {
    "identified": "bold green",
    "finite": "bold cyan",
    "sign": "bold magenta",
    "free": "bold red",
    "undecided": "bold",
}
_MARK: dict[Status, str] = {"identified": "✓", "finite": "≈", "sign": "±", "free": "○", "undecided": "?"}
_PLAIN_MARK: dict[Status, str] = {
    "identified": "+",
    "finite": "~",
    "sign": "s",
    "free": "o",
    "undecided": "?",
}


def render_text(analysis: Analysis, *, width: int = 80, unicode: bool = True) -> str:
    """The report as plain text, without escape codes."""
    file = StringIO()
    console = Console(file=file, width=width, color_system=None, force_terminal=False, legacy_windows=False)
    print_text(analysis, console, unicode=unicode)
    # Panels and tables pad to the full width; trailing blanks are noise in a file or a diff.
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines()) + "\n"


def print_text(analysis: Analysis, console: Console, *, unicode: bool = True) -> None:
    """Print the report on ``console``, at most ``MOST_COLUMNS`` wide."""
    width = min(console.width, MOST_COLUMNS)
    console.print(_Report(analysis, width, unicode).everything(), width=width, highlight=False)


class _Report:
    def __init__(self, analysis: Analysis, width: int, unicode: bool) -> None:
        self.analysis = analysis
        self.width = width
        self.notation: Notation = Unicode() if unicode else AsTyped()
        self.marks = _MARK if unicode else _PLAIN_MARK
        self.frame = box.ROUNDED if unicode else box.ASCII
        self.rule = box.SIMPLE_HEAD if unicode else box.ASCII

    def everything(self) -> RenderableType:
        parts: list[RenderableType] = [self.law(), self.indented(self.headline())]
        if self.analysis.parameters:
            narrow = self.width < _NARROW
            parts += [
                self.indented(self.verdict_list()) if narrow else self.indented(self.verdicts(), above=0)
            ]
            parts += [self.indented(self.legend(), above=int(narrow))]
        footer = Text("identify explain TERM tells what a word of this report means.", style="dim")
        parts += [self.indented(self.sections()), self.indented(footer, above=0), Text()]
        return Group(*parts)

    def indented(self, inner: RenderableType, above: int = 1) -> Padding:
        return Padding(inner, (above, 1, 0, 1))

    def law(self) -> Panel:
        lines = Text(self.notation.formula(self.analysis.law.text), style="bold")
        conditions = words.given(self.analysis, self.notation)
        if conditions:
            lines.append(f"\ngiven {conditions}", style="not bold")
        return Panel(
            Padding(lines, (0, 1)), box=self.frame, title="identify", title_align="left", border_style="dim"
        )

    def headline(self) -> Text:
        style = "bold" if self.analysis.outcome == "done" else "bold red"
        return Text(words.headline(self.analysis, self.notation), style=style)

    def verdicts(self) -> Table:
        table = Table(box=self.rule, header_style="dim", padding=(0, 1), pad_edge=False, expand=True)
        table.add_column("parameter", no_wrap=True)
        table.add_column("verdict", no_wrap=True)
        rows = [self.row(name, verdict) for name, verdict in self.analysis.parameters.items()]
        longest = max(row[2].cell_len for row in rows)
        table.add_column("in another fit", width=max(14, min(longest, self.width // 4)))
        table.add_column("why", ratio=1)
        for row in rows:
            table.add_row(*row)
        return table

    def verdict_list(self) -> Group:
        """The same without columns, for terminals too narrow for a table."""
        rows = (self.row(name, verdict) for name, verdict in self.analysis.parameters.items())
        return Group(*(Text.assemble(n, "  ", label, ": ", told, "; ", why) for n, label, told, why in rows))

    def row(self, name: str, verdict: ParameterVerdict) -> list[Text]:
        return [
            Text(self.notation.formula(name), style="bold"),
            self.label(verdict),
            Text(words.transformation(verdict, name, self.notation)),
            Text(self.notation.prose(verdict.why)),
        ]

    def label(self, verdict: ParameterVerdict) -> Text:
        return Text(f"{self.marks[verdict.status]} {words.label(verdict)}", style=_COLOUR[verdict.status])

    def legend(self) -> RenderableType:
        """What the verdicts that occur mean."""
        entries = words.legend(self.analysis).values()
        if self.width < _NARROW:
            return Group(*(Text.assemble(self.label(entry), ": ", words.meaning(entry)) for entry in entries))
        grid = Table.grid(padding=(0, 2))
        grid.add_column(no_wrap=True)
        grid.add_column()
        for entry in entries:
            grid.add_row(self.label(entry), Text(words.meaning(entry), style="dim"))
        return grid

    def sections(self) -> RenderableType:
        found = words.sections(self.analysis, self.notation)
        if self.width < _NARROW:
            return Group(*(Group(Text(s.title, style="bold"), *map(Text, s.lines), Text()) for s in found))
        grid = Table.grid(padding=(0, 2), expand=True)
        grid.add_column(no_wrap=True, style="bold")
        grid.add_column(ratio=1)
        for section in found:
            style = "red" if section.title == "Warnings" else ""
            blank = "\n" if section is not found[-1] else ""
            grid.add_row(Text(section.title, style=style), Text("\n".join(section.lines) + blank))
        return grid
