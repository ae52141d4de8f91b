"""The command line: one file per command, each of them thin."""

from __future__ import annotations

import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the program ``identify`` and leave with its exit code."""
    from identify.command.arguments import protect_law
    from identify.command.outcome import settle, standard_streams
    from identify.command.program import app

    given = sys.argv[1:] if arguments is None else arguments
    settle()
    with standard_streams():
        app(args=protect_law(given), prog_name="identify")
