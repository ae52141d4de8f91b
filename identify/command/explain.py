"""``identify explain TERM``: what a word of the reports means."""

from __future__ import annotations

import shutil
import textwrap
from typing import TYPE_CHECKING, Annotated

import typer

from identify.command.complete import terms
from identify.command.options import Debug
from identify.command.outcome import orderly, refuse

if TYPE_CHECKING:
    from identify.glossary import Entry

_WIDEST = 100


def explain(
    term: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="TERM",
            help="A word of the reports, such as anchor or top gap; without one, all are listed.",
            autocompletion=terms,
        ),
    ] = None,
    debug: Debug = False,
) -> None:
    """Explain a word of the reports in a few sentences, or list all words.

    Examples:

        identify explain anchor

        identify explain top gap

        identify explain
    """
    with orderly(debug):
        from identify.glossary import entries, look_up, near

        if not term:
            typer.echo(_wrapped(", ".join(entries())))
            return
        word = " ".join(term)
        entry = look_up(word)
        if entry is None:
            alike = near(word)
            hint = f"did you mean {', '.join(alike)}?" if alike else "identify explain lists all words"
            raise refuse(f"the glossary has no entry '{word[:60]}'", hint)
        typer.echo(_shown(entry))


def _shown(entry: Entry) -> str:
    lines = [entry.term, textwrap.indent(_wrapped(entry.text, 2), "  ")]
    if entry.also:
        lines.append(textwrap.indent(_wrapped(f"Also: {', '.join(entry.also)}.", 2), "  "))
    if entry.see:
        lines.append(textwrap.indent(_wrapped(f"See: {', '.join(entry.see)}.", 2), "  "))
    return "\n".join(lines)


def _wrapped(text: str, indent: int = 0) -> str:
    width = min(shutil.get_terminal_size().columns, _WIDEST) - indent
    return textwrap.fill(text, max(width, 20), break_on_hyphens=False, break_long_words=False)
