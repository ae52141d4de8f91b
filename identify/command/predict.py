"""``identify predict RUN CLIP``: latent and physical state of new frames."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from identify.command.options import Debug
from identify.command.outcome import DONE, orderly, unwritable

if TYPE_CHECKING:
    from identify.fit.results.predict import Prediction


def predict(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder, as identify fit writes it.")],
    clip: Annotated[
        Path, typer.Argument(metavar="CLIP", help="A clip of the same scene, or a folder of them.")
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE.csv", help="Write the frames as a table.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="The documents identify/predict/1.")] = False,
    debug: Debug = False,
) -> None:
    """Encode new frames with a finished fit; says where they lie outside what it was trained on.

    The physical state is given where the anchors of the run fix it.

    Example:

        identify predict spring/run pull_08cm.mp4 -o states.csv
    """
    with orderly(debug):
        from identify.motion.extra import need

        need("identify predict", "numpy", "scipy", "torch", "av", "safetensors")
        from identify.fit.results.folder import read_run
        from identify.fit.results.predict import predict as answer

        found = answer(read_run(run), clip, isolated=True)
        if output is not None:
            _write(output, found)
        _show(found, json, output)
        raise typer.Exit(DONE)


def _write(output: Path, found: list[Prediction]) -> None:
    from identify.files import write_whole

    tables = [one.table() for one in found]
    text = tables[0] + "".join(table.split("\n", 1)[1] for table in tables[1:])
    try:
        write_whole(output, text)
    except OSError as error:
        raise unwritable(output, error) from None


def _show(found: list[Prediction], json: bool, output: Path | None) -> None:
    from identify.fit.results.figures import plain
    from identify.motion.page import Page, number, print_json, thinned

    if json:
        print_json({"schema": "identify/predict/1", "clips": plain([one.document() for one in found])})
        return
    page = Page()
    for one in found:
        page.title(one.clip)
        rows = thinned(range(len(one.time)))
        state = one.state
        page.table(
            ("time", "latent", f"state {one.unit or ''}".strip(), "off the curve", "note"),
            (
                (
                    number(float(one.time[i])),
                    number(float(one.latent[i])),
                    "-" if state is None else number(float(state[i])),
                    number(float(one.off_curve[i])),
                    "outside the trained range" if one.outside[i] else "",
                )
                for i in rows
            ),
        )
        if len(rows) < len(one.time):
            everything = "-o FILE.csv or --json has all" if output is None else f"all are in {output}"
            page.say(f"{len(rows)} of {len(one.time)} frames are shown; {everything}.")
        if state is None:
            page.say("The latent's own scale is arbitrary: identify calibrate gives it units.")
        page.warn(one.warnings)
    if output is not None:
        page.say(f"Table: {output}")
    page.print()
