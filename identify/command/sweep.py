"""``identify sweep SPEC.yaml``: many fits, on this machine or on a cluster, into a store."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from identify.command.options import Debug
from identify.command.outcome import DONE, INTERRUPTED, UNDECIDED, complain, orderly, refuse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from identify.sweep.row import Row
    from identify.sweep.task import Task
    from identify.sweep.watch import Watch

_MOST_SHOWN = 10


def sweep(
    spec: Annotated[
        Path | None, typer.Argument(metavar="SPEC.yaml", help="The grids of fits: docs/sweep.md.")
    ] = None,
    store: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where results go; SPEC.sqlite beside the file.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", metavar="N", min=1, max=1024, help="Processes; one a core.")
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Run on this Dask cluster, such as tcp://host:8786.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume/--again", help="Skip what the store has done, or do it all again.")
    ] = True,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only print the fits.")] = False,
    show: Annotated[
        Path | None, typer.Option(metavar="STORE", help="Show what a store has, also while it grows.")
    ] = None,
    export: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the rows to a .csv or .parquet file.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="The document identify/sweep/1.")] = False,
    debug: Debug = False,
) -> None:
    """Run every fit of a grid over laws, collections of initial states, seeds, methods and settings.

    Each result is kept as soon as it is there, so that the same command goes on where it was stopped.
    Exit code 0 if every fit gave a result (refused fits count), 3 if some failed, 2 for bad input.

    Examples:

        identify sweep noise.yaml --dry-run

        identify sweep noise.yaml --jobs 8 --export noise.csv

        identify sweep noise.yaml --scheduler tcp://head:8786

        identify sweep --show noise.sqlite
    """
    with orderly(debug):
        from identify.motion.extra import need

        need("identify sweep", "numpy", "scipy", "torch")
        if (spec is None) == (show is None):
            raise refuse("which fits?", "give a file of grids, or a store with --show")
        if scheduler is not None and jobs is not None:
            raise refuse(
                "--jobs and --scheduler contradict each other",
                "with --scheduler the cluster decides: leave --jobs out",
            )
        if export is not None:
            from identify.sweep.export import check_export

            check_export(export)
        if show is not None:
            raise typer.Exit(_show(show, export, json))
        assert spec is not None
        raise typer.Exit(_sweep(spec, store, jobs, scheduler, resume, dry_run, export, json))


def _sweep(
    spec: Path,
    store: Path | None,
    jobs: int | None,
    scheduler: str | None,
    resume: bool,
    dry_run: bool,
    export: Path | None,
    json: bool,
) -> int:
    from identify.sweep.grid import tasks_of
    from identify.sweep.reading import read_sweep
    from identify.sweep.run import run_tasks
    from identify.sweep.watch import Watch

    file = read_sweep(spec)
    tasks = tasks_of(file)
    if dry_run:
        return _list(tasks, json)
    place = store if store is not None else spec.with_suffix(".sqlite")
    watch = Watch(tasks)
    try:
        with watch.shown():
            rows = run_tasks(tasks, place, jobs, scheduler, resume, watch)
    except KeyboardInterrupt:
        complain(f"interrupted; {len(watch.rows)} of {len(watch.tasks)} fits are in {place}")
        complain("the same command goes on from there", label="hint")
        raise typer.Exit(INTERRUPTED) from None
    return _tell(tasks, rows, place, file.sweep.title, watch, export, json)


def _list(tasks: Sequence[Task], json: bool) -> int:
    if json:
        from identify.motion.page import print_json

        print_json({"tasks": [{"key": t.key, "kind": t.kind, "settings": dict(t.settings)} for t in tasks]})
    else:
        for task in tasks:
            typer.echo(f"{task.key}  {task.told()}")
        typer.echo(f"{len(tasks)} fits", err=True)
    return DONE


def _show(store: Path, export: Path | None, json: bool) -> int:
    from identify.sweep.store import Store
    from identify.sweep.task import Task
    from identify.sweep.watch import Watch

    with Store(store, make=False) as opened:
        rows = list(opened.rows())
    tasks = [Task(row["kind"], row["task"]) for row in rows]
    watch = Watch(tasks)
    watch.known = len(rows)
    return _tell(tasks, rows, store, None, watch, export, json)


def _tell(
    tasks: Sequence[Task],
    rows: Sequence[Row],
    store: Path,
    title: str | None,
    watch: Watch,
    export: Path | None,
    json: bool,
) -> int:
    """The summary on standard output; what failed, and mixed versions, on the other channel."""
    from identify.motion.page import Page, print_json
    from identify.sweep.export import export as write
    from identify.sweep.summary import HEADER, document

    found = document(tasks, rows, store, title, watch.known, watch.seconds)
    if export is not None:
        write(rows, export)
    if json:
        print_json(found)
    else:
        from identify.sweep.summary import grouped

        page = Page()
        page.title(title or str(store))
        page.table(HEADER, [group.cells() for group in grouped(tasks, rows)])
        new = f", {found['known']} of them before" if found["known"] else ""
        page.say(f"{found['done']} of {found['tasks']} fits done{new}, {found['failed']} failed; in {store}")
        page.print()
    if len(found["versions"]) > 1:
        complain("the rows come from different versions of the packages: see versions", label="note")
    for failure in found["failures"][:_MOST_SHOWN]:
        complain(f"{failure['key']}: {' '.join(failure['failure'].split())[:300]}", label="failed")
    return UNDECIDED if found["failed"] else DONE
