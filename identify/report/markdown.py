"""The report as Markdown with mathematics in dollar signs."""

from __future__ import annotations

from identify.analysis import Analysis
from identify.report import words
from identify.report.latex_notation import Markdown, latex


def render_markdown(analysis: Analysis) -> str:
    """Law, answer, verdict table and sections; headings start at level two, to be pasted anywhere."""
    notation = Markdown()
    blocks = [f"## {notation.formula(analysis.law.text)}"]
    conditions = words.given(analysis, notation)
    if conditions:
        blocks.append(f"Given {conditions}.")
    blocks.append(f"**{words.headline(analysis, notation)}**")
    if analysis.parameters:
        blocks += [_table(analysis, notation), _legend(analysis)]
    for section in words.sections(analysis, notation):
        blocks.append(f"### {section.title}")
        blocks.append("\n".join(f"- {line}" for line in section.lines))
    return "\n\n".join(blocks) + "\n"


def _table(analysis: Analysis, notation: Markdown) -> str:
    rows = ["| parameter | verdict | in another fit | why |", "|---|---|---|---|"]
    for name, verdict in analysis.parameters.items():
        cells = (
            f"${latex(name)}$",
            words.label(verdict),
            words.transformation(verdict, name, notation),
            notation.prose(verdict.why),
        )
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def _legend(analysis: Analysis) -> str:
    lines = [f"*{label}*: {words.meaning(verdict)}" for label, verdict in words.legend(analysis).items()]
    return "; ".join(lines) + "."
