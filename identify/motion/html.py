"""A coverage report as one HTML page: the picture inlined, no script, nothing fetched, all text escaped."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from html import escape

from identify.motion.coverage import CoverageReport
from identify.motion.words import LEVEL_HEADER, coverage_headline, coverage_tolerance, level_row

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem;"
    "color:#222;background:#fff}"
    "img{max-width:100%;height:auto}table{border-collapse:collapse;font-size:14px}"
    "th,td{text-align:left;padding:.15rem .8rem .15rem 0;border-bottom:1px solid #ddd}"
    ".warn{color:#a00}.full{color:#00664a}code{font-size:1.05em}"
)


def coverage_html(report: CoverageReport, picture: bytes | None) -> str:
    """The whole page; without levels there is no picture."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Coverage of {escape(report.law)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f"{coverage_fragment(report, picture)}</body>\n</html>\n"
    )


def coverage_fragment(report: CoverageReport, picture: bytes | None) -> str:
    """The body of the page, for a larger report to include."""
    parts = [
        f"<h1>Coverage</h1>\n<p><code>{escape(report.law)}</code></p>",
        _strong(coverage_headline(report)),
    ]
    if report.levels:
        features = ", ".join(report.features)
        parts.append(
            f"<p>Rank of <code>[{escape(features)}]</code>, {report.needed_rank} needed "
            f"({escape(report.theorem or '')}); {report.clips} clips, {report.frames} frames, "
            f"{escape(report.source)}.</p>"
        )
    parts += [f'<p class="warn">{escape(text)}</p>' for text in report.advice]
    if picture is not None:
        data = base64.b64encode(picture).decode("ascii")
        parts.append(
            f'<p><img alt="Phase plane: velocities at the levels, coloured by rank" '
            f'src="data:image/png;base64,{data}"></p>'
        )
    if report.levels:
        parts.append(_table(LEVEL_HEADER, (level_row(x, report.needed_rank) for x in report.levels)))
    parts += [f"<p>{escape(text)}</p>" for text in coverage_tolerance(report)]
    return "\n".join(parts) + "\n"


def _strong(text: str) -> str:
    return f"<p><strong>{escape(text)}</strong></p>"


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in header)
    body = "\n".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table>\n<tr>{head}</tr>\n{body}\n</table>"
