"""``identify report RUN``: the report of a finished fit, again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from identify.command.options import Debug
from identify.command.outcome import DONE, UNDECIDED, orderly


def report(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder, as identify fit writes it.")],
    open_: Annotated[bool, typer.Option("--open", help="Open report.html in the browser.")] = False,
    json: Annotated[bool, typer.Option("--json", help="The document identify/fit/1.")] = False,
    debug: Debug = False,
) -> None:
    """Show the report of a finished fit and write report.html again if it is missing.

    Exit code 0 if the fit was accepted, 3 if it was refused, 2 where the folder is no run.

    Example:

        identify report spring/run --open
    """
    with orderly(debug):
        from identify.motion.extra import need

        need("identify report", "numpy", "scipy")
        from identify.fit.results.again import rewritten
        from identify.fit.results.folder import PAGE, read_run
        from identify.fit.results.words import fit_page
        from identify.motion.page import print_json

        found = read_run(run)
        if not (run / PAGE).exists():
            rewritten(found, isolated=True)
        print_json(found.document) if json else fit_page(found.document, str(run / PAGE)).print()
        if open_:
            typer.launch(str((run / PAGE).resolve()))
        raise typer.Exit(DONE if found.document["accepted"] else UNDECIDED)
