"""``identify page``: the analysis as one HTML file that runs in a browser, without a network or a server."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from identify.command.options import Debug
from identify.command.outcome import DONE, NOT_MET, complain, orderly, unwritable

_DEFAULT = Path("identify.html")


def page(
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write the page to FILE (identify.html)."),
    ] = None,
    show: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    debug: Debug = False,
) -> None:
    """Write the offline page: this engine, with a Python for browsers, in one HTML file.

    Building it needs Node.js and, the first time, the npm and Python package registries; it takes a minute or
    two. What was fetched and built is kept in the user's cache folder. The page itself needs a browser only.

    Examples:

        identify page -o identify.html

        identify page --open
    """
    with orderly(debug):
        from identify.page.build import built_page
        from identify.page.fetch import cache_folder

        built = built_page(cache_folder())
        path = built if show and output is None else _written(built, output or _DEFAULT)
        typer.echo(f"{path} ({path.stat().st_size / 1e6:.1f} MB)")
        raise typer.Exit(_opened(path) if show else DONE)


def _written(built: Path, path: Path) -> Path:
    from identify.files import write_whole

    try:
        write_whole(path, built.read_bytes())
    except OSError as error:
        raise unwritable(path, error) from None
    return path


def _opened(path: Path) -> int:
    import webbrowser

    if webbrowser.open(path.resolve().as_uri()):
        return DONE
    complain("no browser could be opened")
    complain(f"open {path} in any browser", label="hint")
    return NOT_MET
