"""``identify analyze LAW``: which parameters of the law video can identify."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from identify.analysis import Analysis
from identify.command.budget import check_budget
from identify.command.complete import family_names
from identify.command.measured import Measured, read_units
from identify.command.options import Assume, Debug, Domain, Memory, Unit
from identify.command.outcome import DONE, UNDECIDED, orderly, refuse, unwritable
from identify.command.question import from_family, required
from identify.report import Format

_MOST_INPUT = 100_000  # characters read from standard input; the parser's own limit is lower


class FormatName(StrEnum):
    """The report formats."""

    text = "text"
    json = "json"
    markdown = "markdown"
    latex = "latex"


_BY_SUFFIX: dict[str, Format] = {".json": "json", ".md": "markdown", ".tex": "latex"}


def analyze(
    law: Annotated[
        str | None,
        typer.Argument(
            metavar="LAW", help="The law, such as \"z''+d*z'+a*z+b*z**3=0\"; - reads standard input."
        ),
    ] = None,
    assume: Assume = None,
    domain: Domain = None,
    family: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Take the law from the catalogue, or from a family file.",
            autocompletion=family_names,
        ),
    ] = None,
    require: Annotated[
        str | None,
        typer.Option(metavar="NAMES", help="Exit with 1 unless these are identified, such as d,a."),
    ] = None,
    anchor: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND[=VALUE]",
            help='What was measured, such as "displacement=0.400+-0.002 m" or "g=9.81"; repeatable.',
        ),
    ] = None,
    unit: Unit = None,
    unknown_clock: Annotated[
        bool, typer.Option("--unknown-clock", help="Footage whose frame rate is not known.")
    ] = False,
    form: Annotated[
        FormatName | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="text, json, markdown or latex; text, unless --output ends in .json, .md or .tex.",
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Short for --format json.")] = False,
    strata: Annotated[
        bool, typer.Option("--strata", help="Answer the special cases too, such as b == 0.")
    ] = False,
    timeout: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="Stop after this time; what is open is then undecided."),
    ] = None,
    memory: Memory = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write the report to FILE.")
    ] = None,
    debug: Debug = False,
) -> None:
    """Tell which parameters of a law can be learned from video, and prove it.

    The law is a second-order equation for one state, written with primes: z' is the velocity, z'' the
    acceleration. All other names are parameters.

    Examples:

        identify analyze "z''+d*z'+a*z+b*z**3=0" --assume "b != 0"

        identify analyze "z'' = rho*z'**2/z - k*z**2" --domain "z > 0" --strata

        identify analyze "m*q'' + c*q' + k*q = 0" --json -o oscillator.json

        identify analyze --family cubic-duffing --require d,a

        identify analyze "z''+d*z'+a*z+b*z**3=0" --anchor "displacement=0.400+-0.002 m"
    """
    with orderly(debug):
        chosen = _format(form, json, output)
        check_budget(timeout, memory)
        question = from_family(family, law, assume or [], domain or [])
        text = _law_text(question.law)
        measured = Measured(anchor or [], read_units(unit or []), unknown_clock)
        from identify.engine import analyze as answer

        with _patience():
            analysis = answer(
                text,
                assume=question.assume,
                domain=question.domain,
                strata=strata,
                timeout=timeout,
                memory=memory,
                isolated=True,
                anchors=measured.anchors,
                units=measured.units,
                unknown_clock=measured.unknown_clock,
            )
        raise typer.Exit(_shown(analysis, chosen, output, require))


def _shown(analysis: Analysis, form: Format, output: Path | None, require: str | None) -> int:
    from identify.command.output import save, show

    if output is None or str(output) == "-":
        show(analysis, form)
    else:
        try:
            save(analysis, form, output)
        except OSError as error:
            raise unwritable(output, error) from None
    sys.stdout.flush()
    if require is not None:
        return required(analysis, require)
    return UNDECIDED if analysis.outcome == "undecided" else DONE


def _format(form: FormatName | None, json: bool, output: Path | None) -> Format:
    if json:
        if form not in {None, FormatName.json}:
            raise refuse(f"--json and --format {form} contradict each other", "give one of them")
        return "json"
    if form is not None:
        return form.value
    return _BY_SUFFIX.get(output.suffix.lower(), "text") if output else "text"


def _law_text(law: str) -> str:
    if law != "-":
        return law
    try:
        return sys.stdin.read(_MOST_INPUT).strip()
    except UnicodeDecodeError:
        raise refuse(
            "standard input is not text in the terminal's encoding",
            "send the law as UTF-8 and set PYTHONUTF8=1",
        ) from None


@contextmanager
def _patience() -> Iterator[None]:
    """A sign of life on standard error, for a person at a terminal only.

    It does not move: a thread to move it would keep the engine from forking, which costs half a second.
    """
    if not sys.stderr.isatty():
        yield
        return
    sys.stderr.write("analysing the law ...\r")
    sys.stderr.flush()
    try:
        yield
    finally:
        sys.stderr.write("\x1b[2K")
        sys.stderr.flush()
