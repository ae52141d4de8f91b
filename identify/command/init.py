"""``identify init PATH``: a family file, or an experiment folder, to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from identify.command.options import Debug
from identify.command.outcome import orderly, refuse, unwritable


def init(
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="A family file to write (NAME.yaml), or a folder to make.")
    ],
    law: Annotated[
        str | None, typer.Option(metavar="LAW", help="The law; a damped cubic oscillator if not given.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False,
    debug: Debug = False,
) -> None:
    """Write a commented family file, or an experiment folder with one in it.

    Examples:

        identify init my-oscillator.yaml

        identify init my-oscillator.yaml --law "z'' + c*z' + k*z = 0"

        identify init pendulum-lab
    """
    with orderly(debug):
        from identify.families.template import files_to_write
        from identify.files import write_whole

        files = files_to_write(path, law)
        existing = [file for file in files if file.exists()]
        if existing and not force:
            raise refuse(f"{existing[0]} exists already", "choose another name; --force replaces it")
        try:
            for file, text in files.items():
                file.parent.mkdir(parents=True, exist_ok=True)
                write_whole(file, text)
                typer.echo(f"wrote {file}")
        except OSError as error:
            raise unwritable(path, error) from None
