"""``identify calibrate RUN --anchor ...``: physical units for a finished fit, without refitting."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from identify.command.measured import read_units
from identify.command.options import Debug, Derive, Known, Unit
from identify.command.outcome import DONE, UNDECIDED, orderly, refuse


def calibrate(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder, as identify fit writes it.")],
    anchor: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND=VALUE [WHERE]",
            help='What was measured, such as "state=0.20 m at clip pull t=1.2"; repeatable.',
        ),
    ] = None,
    unit: Unit = None,
    known: Known = None,
    derive: Derive = None,
    add: Annotated[bool, typer.Option("--add", help="Keep the anchors that the run already has.")] = False,
    json: Annotated[bool, typer.Option("--json", help="The document identify/fit/1.")] = False,
    debug: Debug = False,
) -> None:
    """Give physical units to a finished fit; the report in the run folder is written again.

    Exit code 0 if the fit is accepted, 3 if it was refused, 2 for anchors that cannot be read.

    Examples:

        identify calibrate spring/run --anchor "size=0.400+-0.002 m over 713 px"

        identify calibrate spring/run --known "m=0.1515 kg" --derive "k=m*a" --add
    """
    with orderly(debug):
        from identify.motion.extra import need

        need("identify calibrate", "numpy", "scipy", "matplotlib", "jinja2")
        from identify.command.fit import show
        from identify.fit.results.again import rewritten
        from identify.fit.results.conclusion import Asked
        from identify.fit.results.folder import read_run

        if not (anchor or known or derive):
            raise refuse("what was measured?", 'give --anchor "size=0.400 m over 713 px" or another one')
        found = read_run(run)
        before = found.asked if add else Asked()
        asked = Asked(
            tuple(dict.fromkeys([*before.anchors, *(anchor or [])])),
            {**found.asked.units, **read_units(unit or [])},
            tuple(dict.fromkeys([*before.known, *(known or [])])),
            tuple(dict.fromkeys([*before.derive, *(derive or [])])),
        )
        conclusion = rewritten(found, asked, isolated=True)
        show(conclusion, run, json)
        raise typer.Exit(DONE if conclusion.accepted else UNDECIDED)
