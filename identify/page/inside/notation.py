"""Sentences with formulas marked in them, for a page that typesets the formulas and escapes the rest."""

from __future__ import annotations

import re

from identify.report.latex_notation import latex
from identify.report.unicode_notation import Unicode

OPEN, BETWEEN, CLOSE = "\x02", "\x1f", "\x03"
_MARKS = re.compile(f"[{OPEN}{BETWEEN}{CLOSE}]")
_SWITCH = {
    "run again with --strata for the answer there": "tick “answer the special cases too” for the answer there"
}


class Marked:
    """A formula is ``OPEN latex BETWEEN unicode CLOSE``; prose is as in the terminal, without the marks."""

    def __init__(self) -> None:
        self._terminal = Unicode()

    def formula(self, text: str) -> str:
        shown = _MARKS.sub("", self._terminal.formula(text))
        return f"{OPEN}{_MARKS.sub('', latex(text))}{BETWEEN}{shown}{CLOSE}"

    def prose(self, text: str) -> str:
        return _MARKS.sub("", self._terminal.prose(text))

    def verbatim(self, text: str) -> str:
        return _MARKS.sub("", text)


def for_page(line: str) -> str:
    """A report's sentence, where it names an option of the terminal, in terms of the page."""
    for option, switch in _SWITCH.items():
        line = line.replace(option, switch)
    return line
