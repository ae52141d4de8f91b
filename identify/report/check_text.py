"""The result of ``identify check`` for people: one line for each finding, with the line it points at."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.text import Text

from identify.checked import Checked, CheckReport, Finding, Kind
from identify.printable import printable

_LABEL: dict[Kind, tuple[str, str]] = {
    "input": ("cannot be read", "bold red"),
    "difference": ("differs", "bold red"),
    "requirement": ("not met", "bold red"),
    "undecided": ("open", "bold magenta"),
    "note": ("note", "dim"),
}
_WINDOW = 100
_MOST_READ = 100_000  # characters; a family file has fewer


def print_check(report: CheckReport, console: Console) -> None:
    """Print all findings and a closing line on the console."""
    for result in report.results:
        for finding in result.findings:
            console.print(Text("\n").join(_finding(result, finding)), soft_wrap=True, highlight=False)
    console.print(summary(report), soft_wrap=True, highlight=False)
    if any(result.rewrite and result.outcome == "failed" for result in report.results):
        console.print(
            "If the new answers are right, write them into the files with: identify check --update PATH",
            soft_wrap=True,
            highlight=False,
        )


def _finding(result: Checked, finding: Finding) -> Iterator[Text]:
    label, style = _LABEL[finding.kind]
    yield Text.assemble(
        (f"{printable(result.path)}:{finding.line}:{finding.column}", "bold"),
        ": ",
        (label, style),
        ": ",
        printable(finding.message),
    )
    if finding.kind != "note":
        yield from map(Text, excerpt(result.path, finding))
    if finding.hint:
        yield Text.assemble(("  hint: ", "dim"), printable(finding.hint))


def excerpt(path: str, finding: Finding) -> list[str]:
    """The line of the file and a caret below the column; nothing where the file cannot be read."""
    try:
        with Path(path).open(encoding="utf-8-sig", errors="replace") as file:
            lines = file.read(_MOST_READ).split("\n")
    except OSError:
        return []
    line = lines[finding.line - 1] if finding.line <= len(lines) else ""
    start = max(0, finding.column - 1 - _WINDOW // 2)
    shown = "".join(c if c.isprintable() else " " for c in line[start : start + _WINDOW])
    if not shown.strip():
        return []
    return [f"    {shown}".rstrip(), "    " + " " * (finding.column - 1 - start) + "^"]


def summary(report: CheckReport) -> str:
    """``61 families: 60 passed, 1 failed; 58 from the cache; 0.4 s``."""
    number = len(report.results)
    counts = [f"{report.count('passed')} passed"]
    words = {"failed": "failed", "invalid": "could not be read", "undecided": "undecided"}
    counts += [f"{report.count(key)} {word}" for key, word in words.items() if report.count(key)]  # type: ignore[arg-type]
    cached = sum(result.cached for result in report.results)
    noun = "family" if number == 1 else "families"
    kept = f"; {cached} from the cache" if cached else ""
    return f"{number} {noun}: {', '.join(counts)}{kept}; {report.seconds:.1f} s."
