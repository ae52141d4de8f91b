"""``identify reproduce TABLE``: the paper's experiments again, beside the paper's numbers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from identify.command.complete import tables
from identify.command.options import Debug
from identify.command.outcome import DONE, INTERRUPTED, NOT_MET, complain, orderly, refuse, unwritable

if TYPE_CHECKING:
    from identify.reproduce.run import Reproduced


def reproduce(
    table: Annotated[
        str, typer.Argument(metavar="TABLE", help="Which experiment, or all.", autocompletion=tables)
    ],
    cohort: Annotated[
        str | None,
        typer.Option(metavar="ICxSEEDS", help="Collections times seeds; the paper's size if not given."),
    ] = None,
    method: Annotated[str, typer.Option(metavar="NAME", help="default, paper or both.")] = "default",
    updates: Annotated[
        int | None, typer.Option(metavar="N", min=1, max=100_000, help="Shorten the paper's training.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", metavar="N", min=1, max=1024, help="Processes; one a core.")
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Run on this Dask cluster, such as tcp://host:8786.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Keep the fits that --out already has.")] = False,
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Where fits, tables, pictures and the record go.")
    ] = Path("reproduced"),
    videos: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Real clips for pendulum-real, instead of simulated ones."),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Exit with 1 where something wanted is not met.")
    ] = False,
    pictures: Annotated[bool, typer.Option("--pictures/--no-pictures", help="Draw pictures.")] = True,
    json: Annotated[bool, typer.Option("--json", help="The document identify/reproduce/1.")] = False,
    debug: Debug = False,
) -> None:
    """Simulate the paper's data, fit all of it, and print each table beside the paper's numbers.

    TABLE is six-family, matched-lti, coverage, canonical, canonical-controls, side-fall, overhead-fall,
    pendulum-real or all. --method both runs the paper's own training as well, which takes hours.

    Examples:

        identify reproduce six-family --jobs 2

        identify reproduce overhead-fall --out falls/ --check

        identify reproduce side-fall --method both --updates 200 --cohort 1x1
    """
    with orderly(debug):
        from identify.motion.extra import need

        need("identify reproduce", "numpy", "scipy", "torch", "matplotlib")
        from identify.reproduce.experiments import chosen
        from identify.reproduce.plan import Plan, read_cohort, read_methods
        from identify.reproduce.run import STORE, all_tasks, record
        from identify.reproduce.run import reproduce as run
        from identify.reproduce.table import plain_text
        from identify.sweep.watch import Watch

        if scheduler is not None and jobs is not None:
            raise refuse(
                "--jobs and --scheduler contradict each other",
                "with --scheduler the cluster decides: leave --jobs out",
            )
        experiments = chosen(table)
        size = None if cohort is None else read_cohort(cohort)
        place = None if videos is None else str(videos.absolute())
        plan = Plan(size, read_methods(method), updates, place)
        watch = Watch(all_tasks(experiments, plan))
        try:
            out.mkdir(parents=True, exist_ok=True)
            with watch.shown():
                found = run(experiments, plan, out, jobs, scheduler, resume, watch, pictures)
        except KeyboardInterrupt:
            complain(f"interrupted; {len(watch.rows)} of {len(watch.tasks)} fits are in {out / STORE}")
            complain("the same command with --resume goes on from there", label="hint")
            raise typer.Exit(INTERRUPTED) from None
        except OSError as error:
            raise unwritable(out, error) from None
        if json:
            from identify.motion.page import print_json

            print_json(record(found, plan))
        else:
            typer.echo(plain_text(shown for one in found for shown in one.tables))
        raise typer.Exit(_ended(found, check))


def _ended(found: list[Reproduced], check: bool) -> int:
    """What is not met and what failed, on standard error; 1 only where a check was asked for."""
    failed = {row["key"]: row for one in found for row in one.rows if row["outcome"] == "failed"}
    for each in list(failed.values())[:5]:
        complain(f"a fit failed: {each['failure']}")
    missed = [(e.row, e.quantity) for one in found for t in one.tables for e in t.entries if e.met is False]
    for row, quantity in missed:
        complain(f"{row}: {quantity}", label="not met")
    return NOT_MET if check and (missed or failed) else DONE
