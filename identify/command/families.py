"""``identify families [NAME]``: the catalogue, listed, searched, or one family with its analysis."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from identify.command.complete import family_names
from identify.command.options import Debug
from identify.command.outcome import DONE, UNDECIDED, orderly, refuse

if TYPE_CHECKING:
    from rich.console import RenderableType

    from identify.families.declared import Declared
    from identify.families.listing import Entry

_WIDE = 110  # columns from which on the tags fit beside the titles


def families(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="A family of the catalogue, or a family file.",
            autocompletion=family_names,
        ),
    ] = None,
    tag: Annotated[
        list[str] | None, typer.Option(metavar="TAG", help="Only families with this tag; repeatable.")
    ] = None,
    search: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Only families that mention this, anywhere.")
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="The list, or the family's analysis, as JSON.")
    ] = False,
    tags: Annotated[bool, typer.Option("--tags", help="List the tags instead.")] = False,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of family files, for editors.")
    ] = False,
    debug: Debug = False,
) -> None:
    """List the catalogue of known laws, or show one of them with its analysis.

    Examples:

        identify families

        identify families --tag drag

        identify families cubic-duffing
    """
    with orderly(debug):
        if schema:
            from identify.families.listing import published_schema

            sys.stdout.write(published_schema())
            raise typer.Exit(DONE)
        if name is not None:
            raise typer.Exit(_show(name, json))
        from identify.families.listing import entries, select

        found = select(entries(), tag or [], search)
        if not found:
            raise refuse(
                "no family of the catalogue fits",
                "identify families lists all, --tags their tags",
            )
        _list(found, json, tags)


def _list(found: list[Entry], json: bool, tags: bool) -> None:
    if tags:
        counts: dict[str, int] = {}
        for entry in found:
            for word in entry.tags:
                counts[word] = counts.get(word, 0) + 1
        for word in sorted(counts):
            typer.echo(f"{word} ({counts[word]})")
        return
    if json:
        import json as format_

        typer.echo(format_.dumps([entry.to_dict() for entry in found], indent=2, ensure_ascii=False))
        return
    from rich.console import Console

    console = Console(soft_wrap=False)
    console.print(_table(found, with_tags=console.width >= _WIDE))
    if console.is_terminal:
        told = f"{len(found)} laws; identify families NAME shows one, --tag and --search narrow the list"
        console.print(told, style="dim", highlight=False)


def _table(found: list[Entry], with_tags: bool) -> RenderableType:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("family", no_wrap=True, style="bold")
    table.add_column("title")
    if with_tags:
        table.add_column("tags", style="dim")
    for entry in found:
        tags = [Text(", ".join(entry.tags))] if with_tags else []
        table.add_row(Text(entry.name), Text(entry.title), *tags)
    return table


def _show(name: str, json: bool) -> int:
    from identify.families.listing import load

    declared, lawful = load(name)
    from identify.command.output import show
    from identify.engine import analyze

    if not json:
        from rich.console import Console

        Console(soft_wrap=False).print(_description(declared))
    analysis = analyze(lawful.law, isolated=True)
    show(analysis, "json" if json else "text")
    return UNDECIDED if analysis.outcome == "undecided" else DONE


def _description(declared: Declared) -> RenderableType:
    from rich.console import Group
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    parts: list[RenderableType] = [Text(declared.title, style="bold")]
    if declared.bases:
        parts.append(Text(f"extends {' -> '.join(declared.bases)}"))
    if declared.parameters:
        grid = Table.grid(padding=(0, 2))
        for name, described in declared.parameters.items():
            told = described.parameter
            example = "" if told.example is None else f"e.g. {told.example:g}"
            grid.add_row(Text(name, style="bold"), *map(Text, (told.meaning or "", told.unit or "", example)))
        parts.append(grid)
    parts += [Text(reference, style="dim") for reference in declared.reference]
    return Padding(Group(*parts), (0, 0, 1, 1))
