"""CheckReport -> the formats of ``identify check``.  Reads data, computes nothing."""

from __future__ import annotations

from typing import Literal

from identify.checked import CheckReport

CheckFormat = Literal["text", "json", "github", "junit", "sarif"]


def render_check(report: CheckReport, form: CheckFormat) -> str:
    """The whole result as a string without terminal colours, ending in a newline."""
    match form:
        case "json":
            return report.to_json() + "\n"
        case "github":
            from identify.report.check_github import render_github

            return render_github(report)
        case "junit":
            from identify.report.check_junit import render_junit

            return render_junit(report)
        case "sarif":
            from identify.report.check_sarif import render_sarif

            return render_sarif(report)
        case "text":
            from io import StringIO

            from rich.console import Console

            from identify.report.check_text import print_check

            file = StringIO()
            print_check(report, Console(file=file, width=100, color_system=None, legacy_windows=False))
            return file.getvalue()
