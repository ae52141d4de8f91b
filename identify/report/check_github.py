"""``identify check`` as workflow commands, which GitHub shows beside the lines of a pull request."""

from __future__ import annotations

from identify.checked import CheckReport, Kind
from identify.report.check_text import summary

_LEVEL: dict[Kind, str] = {
    "input": "error",
    "difference": "error",
    "requirement": "error",
    "undecided": "warning",
    "note": "notice",
}


def render_github(report: CheckReport) -> str:
    """One workflow command for each finding, and a closing line for the log."""
    lines = []
    for result in report.results:
        for finding in result.findings:
            words = finding.message + (f"\nhint: {finding.hint}" if finding.hint else "")
            place = f"file={_property(result.path)},line={finding.line},col={finding.column}"
            title = _property(f"identify: {result.name}")
            lines.append(f"::{_LEVEL[finding.kind]} {place},title={title}::{_data(words)}")
    return "\n".join([*lines, summary(report)]) + "\n"


def _data(text: str) -> str:
    """The escapes that the runner undoes in a message; without them a file could issue commands."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
