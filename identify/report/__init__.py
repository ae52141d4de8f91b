"""Analysis -> terminal, JSON, Markdown, LaTeX, notebook.  Reads data, computes nothing."""

from __future__ import annotations

from typing import Literal

from identify.analysis import Analysis

Format = Literal["text", "json", "markdown", "latex"]

__all__ = ["Format", "render"]


def render(analysis: Analysis, form: Format, *, width: int = 100) -> str:
    """The whole report as a string without terminal colours, ending in a newline."""
    match form:
        case "json":
            return analysis.to_json() + "\n"
        case "markdown":
            from identify.report.markdown import render_markdown

            return render_markdown(analysis)
        case "latex":
            from identify.report.latex import render_latex

            return render_latex(analysis)
        case "text":
            from identify.report.text import render_text

            return render_text(analysis, width=width)
