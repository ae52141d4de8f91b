"""How an Analysis shows itself in a notebook: HTML by preference, mathematics for LaTeX front ends."""

from __future__ import annotations

from html import escape

from identify.analysis import Analysis, Status
from identify.report import words
from identify.report.latex_notation import latex
from identify.report.unicode_notation import Unicode

# Mid tones that keep their contrast on a white and on a black page.
_COLOUR: dict[Status, str] = {
    "identified": "#2e9e44",
    "finite": "#1f93a8",
    "sign": "#b455c8",
    "free": "#d9534f",
    "undecided": "#888888",
}


class _Html(Unicode):
    """Unicode notation with everything escaped; no text of the user reaches the page as markup."""

    def formula(self, text: str) -> str:
        return f"<i>{escape(super().formula(text))}</i>"

    def prose(self, text: str) -> str:
        return escape(super().prose(text))

    def verbatim(self, text: str) -> str:
        return escape(text)


def analysis_html(analysis: Analysis) -> str:
    """The report as one ``<div>`` without scripts, links or external resources."""
    notation = _Html()
    conditions = words.given(analysis, notation)
    parts = [
        '<div class="identify-analysis">',
        f'<p style="font-size:120%"><b>{notation.formula(analysis.law.text)}</b>',
        f"<br>given {conditions}</p>" if conditions else "</p>",
        f"<p><b>{words.headline(analysis, notation)}</b></p>",
        _table(analysis, notation) if analysis.parameters else "",
        "<dl>",
    ]
    for section in words.sections(analysis, notation):
        parts.append(f"<dt><b>{escape(section.title)}</b></dt><dd>{'<br>'.join(section.lines)}</dd>")
    return "\n".join([*filter(None, parts), "</dl>", "</div>"])


def _table(analysis: Analysis, notation: _Html) -> str:
    head = "".join(f"<th>{title}</th>" for title in ("parameter", "verdict", "in another fit", "why"))
    rows = "".join(_row(name, analysis, notation) for name in analysis.parameters)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _row(name: str, analysis: Analysis, notation: _Html) -> str:
    verdict = analysis.parameters[name]
    label = f'<b style="color:{_COLOUR[verdict.status]}">{words.label(verdict)}</b>'
    cells = (
        notation.formula(name),
        f'<span title="{words.meaning(verdict)}">{label}</span>',
        words.transformation(verdict, name, notation),
        notation.prose(verdict.why),
    )
    return "<tr>" + "".join(f'<td style="text-align:left">{cell}</td>' for cell in cells) + "</tr>"


def analysis_latex(analysis: Analysis) -> str:
    """The law over its verdicts as one displayed array, within what MathJax understands."""
    rows = [
        rf"{latex(name)} & \text{{{words.label(verdict)}}} & {_reported(analysis, name)} \\"
        for name, verdict in analysis.parameters.items()
    ]
    law = rf"\begin{{array}}{{l}} {latex(analysis.law.text)} \\"
    if not rows:
        return rf"$\displaystyle {law} \text{{{analysis.outcome}}} \end{{array}}$"
    table = r"\begin{array}{lll} " + "\n".join(rows) + r" \end{array}"
    return rf"$\displaystyle {law} {table} \end{{array}}$"


def _reported(analysis: Analysis, name: str) -> str:
    verdict = analysis.parameters[name]
    if verdict.status == "finite" and verdict.alternatives:
        return r",\;".join(map(latex, verdict.alternatives))
    return latex(verdict.transform) if verdict.transform is not None else ""
