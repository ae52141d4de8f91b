"""``identify check PATH...``: families in files against what they expect and require."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from identify.command.budget import check_budget
from identify.command.options import Debug, Memory
from identify.command.outcome import complain, orderly, refuse, unwritable

if TYPE_CHECKING:
    from identify.checked import Checked, CheckReport
    from identify.families.runner import Advance

DEFAULT_TIMEOUT = 60.0


class CheckFormatName(StrEnum):
    """The formats of a check."""

    text = "text"
    json = "json"
    github = "github"
    junit = "junit"
    sarif = "sarif"


def check(
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH...", help="Family files, folders of them, or globs.")
    ],
    form: Annotated[
        CheckFormatName,
        typer.Option("--format", metavar="FORMAT", help="text, json, github, junit or sarif."),
    ] = CheckFormatName.text,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write the result to FILE.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", metavar="N", min=1, help="Processes; one for each core.")
    ] = None,
    timeout: Annotated[
        float, typer.Option(metavar="SECONDS", help="Time for one family; then it is undecided.")
    ] = DEFAULT_TIMEOUT,
    memory: Memory = None,
    update: Annotated[
        bool, typer.Option("--update", help="Write what the analysis found into 'expect'; comments stay.")
    ] = False,
    cache: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep results here, not in the user's cache folder.")
    ] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Neither read nor keep results.")] = False,
    debug: Debug = False,
) -> None:
    """Check that families in files are what they claim to be: for continuous integration.

    Every file is read, analysed, and compared with its 'expect' and 'require'. Exit code 0 if all of it
    holds, 1 if something does not, 2 if a file cannot be read, 3 if something could not be decided.

    Examples:

        identify check families/

        identify check --format github "laws/**/*.yaml"

        identify check --update laws/my-oscillator.yaml
    """
    with orderly(debug):
        check_budget(timeout, memory)
        if no_cache and cache is not None:
            raise refuse("--cache and --no-cache contradict each other", "give one of them")
        budget = _Budget(jobs or os.cpu_count() or 1, timeout, memory)
        report = _run(paths, budget, cache, no_cache)
        if update:
            changed = [result for result in report.results if _update(result)]
            report = _run(paths, budget, cache, no_cache) if changed else report
        _show(report, form, output)
        raise typer.Exit(report.exit_code)


@dataclass(frozen=True)
class _Budget:
    jobs: int
    timeout: float
    memory: int | None


def _run(paths: list[str], budget: _Budget, folder: Path | None, no_cache: bool) -> CheckReport:
    from identify.families.cache import Cache, default_folder
    from identify.families.catalogue import find_files
    from identify.families.runner import check_files
    from identify.isolation import MEMORY

    cache = Cache(None if no_cache else folder or default_folder())
    files = find_files(paths)
    with _progress() as advance:
        memory = MEMORY if budget.memory is None else budget.memory
        return check_files(
            files, jobs=budget.jobs, timeout=budget.timeout, cache=cache, advance=advance, memory=memory
        )


def _update(result: Checked) -> bool:
    """Bring the file's ``expect`` up to date; whether the file changed."""
    if not result.rewrite or result.outcome not in {"passed", "failed"}:
        return False
    from identify.families.update import updated
    from identify.files import write_whole

    path = Path(result.path)
    text = path.read_bytes().decode("utf-8")
    new = updated(text.replace("\r\n", "\n"), result)
    new = new.replace("\n", "\r\n") if "\r\n" in text else new
    if new == text:
        return False
    try:
        write_whole(path, new)
    except OSError as error:
        raise unwritable(path, error) from None
    complain(f"{path}: {', '.join(result.rewrite)}", label="updated")
    return True


def _show(report: CheckReport, form: CheckFormatName, output: Path | None) -> None:
    from identify.report.check import CheckFormat, render_check

    name: CheckFormat = form.value
    if output is not None and str(output) != "-":
        from identify.files import write_whole

        try:
            write_whole(output, render_check(report, name))
        except OSError as error:
            raise unwritable(output, error) from None
    elif form is CheckFormatName.text:
        _print(report)
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(render_check(report, name).encode("utf-8"))
    sys.stdout.flush()


def _print(report: CheckReport) -> None:
    from rich.console import Console

    from identify.report.check_text import print_check

    print_check(report, Console(soft_wrap=True))


@contextmanager
def _progress() -> Iterator[Advance | None]:
    """A bar on standard error, for a person at a terminal only; it appears with the first result."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=None)
        yield lambda done, of, name: bar.update(task, completed=done, total=of, description=name)
