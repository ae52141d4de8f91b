"""Where a report goes: the terminal, a pipe, or a file that is replaced in one step."""

from __future__ import annotations

import sys
from pathlib import Path

from identify.analysis import Analysis
from identify.files import write_whole
from identify.report import Format, render

_ALPHABET = "″′²λ≠−✓±○╭─√"


def show(analysis: Analysis, form: Format) -> None:
    """The report on standard output: colours on a terminal only, machine formats always in UTF-8."""
    if form == "text":
        _show_text(analysis)
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(render(analysis, form).encode("utf-8"))


def _show_text(analysis: Analysis) -> None:
    from rich.console import Console

    from identify.report.text import print_text, render_text

    console = Console(soft_wrap=False)
    unicode = _speaks_unicode(sys.stdout.encoding)
    if console.is_terminal:
        print_text(analysis, console, unicode=unicode)
    else:
        sys.stdout.write(render_text(analysis, width=console.width, unicode=unicode))


def _speaks_unicode(encoding: str | None) -> bool:
    try:
        _ALPHABET.encode(encoding or "ascii")
    except (LookupError, UnicodeEncodeError):
        return False
    return True


def save(analysis: Analysis, form: Format, path: Path) -> None:
    """The report in ``path``: either the old content or the whole new one, never a part."""
    write_whole(path, render(analysis, form))
