"""The report as a LaTeX fragment, for a paper or its appendix."""

from __future__ import annotations

from identify.analysis import Analysis
from identify.report import words
from identify.report.latex_notation import Latex, latex

_PREAMBLE = r"% Written by identify; \input this file in a document that loads amsmath."


def render_latex(analysis: Analysis) -> str:
    """Law, answer, verdict table and a description list of all sections; amsmath is the only need."""
    notation = Latex()
    blocks = [
        _PREAMBLE,
        _law(analysis, notation),
        rf"\noindent\textbf{{{words.headline(analysis, notation)}}}",
    ]
    if analysis.parameters:
        blocks.append(_table(analysis, notation))
    blocks.append(_description(analysis, notation))
    return "\n\n".join(blocks) + "\n"


def _law(analysis: Analysis, notation: Latex) -> str:
    display = f"\\[\n  {latex(analysis.law.text)}\n\\]"
    conditions = words.given(analysis, notation)
    return f"{display}\nGiven {conditions}." if conditions else display


def _table(analysis: Analysis, notation: Latex) -> str:
    rows = [_row(name, analysis, notation) for name in analysis.parameters]
    return "\n".join(
        [
            r"\begin{center}\small",
            r"\begin{tabular}{@{}llp{0.22\linewidth}p{0.42\linewidth}@{}}",
            r"\hline",
            r"Parameter & Verdict & In another fit & Why \\",
            r"\hline",
            *rows,
            r"\hline",
            r"\end{tabular}",
            r"\end{center}",
        ]
    )


def _row(name: str, analysis: Analysis, notation: Latex) -> str:
    verdict = analysis.parameters[name]
    cells = (
        notation.formula(name),
        words.label(verdict),
        words.transformation(verdict, name, notation),
        notation.prose(verdict.why),
    )
    return " & ".join(cells) + r" \\"


def _description(analysis: Analysis, notation: Latex) -> str:
    lines = [r"\begin{description}"]
    for section in words.sections(analysis, notation):
        lines.append(rf"  \item[{section.title}] " + "\n    ".join(_dashes(line) for line in section.lines))
    return "\n".join([*lines, r"\end{description}"])


def _dashes(line: str) -> str:
    """LaTeX would join the two hyphens of a program option into a dash."""
    return line.replace("--strata", r"\texttt{-{}-strata}").replace("--assume", r"\texttt{-{}-assume}")
