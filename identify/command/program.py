"""The program ``identify``: its commands, its version, its exit codes."""

from __future__ import annotations

from typing import Annotated

import typer

import identify
from identify.command.alias import alias
from identify.command.analyze import analyze
from identify.command.bounds import bounds
from identify.command.calibrate import calibrate
from identify.command.check import check
from identify.command.compare import compare
from identify.command.coverage import coverage
from identify.command.explain import explain
from identify.command.families import families
from identify.command.fit import fit
from identify.command.help import PlainCommand, PlainGroup
from identify.command.init import init
from identify.command.page import page
from identify.command.plan import plan
from identify.command.predict import predict
from identify.command.report import report
from identify.command.reproduce import reproduce
from identify.command.simulate import simulate
from identify.command.sweep import sweep
from identify.command.verify import verify

_EPILOG = (
    "Exit codes: 0 the question was answered (a law that no theorem covers counts as answered: the claim "
    "is withheld and the report says why); 1 a check was not met; 2 the input could not be read; "
    "3 undecided or refused. Results go to standard output, everything else to standard error."
)

app = typer.Typer(
    name="identify",
    help="Which physical parameters of a law z'' = F(z, z') can be learned from video.",
    epilog=_EPILOG,
    no_args_is_help=True,
    cls=PlainGroup,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"identify {identify.__version__}")
        raise typer.Exit()


@app.callback()
def _program(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    pass


_COMMANDS = {
    "A law": (analyze, verify, alias, explain, page),
    "Families of laws": (families, init, check),
    "What to film": (plan, coverage, bounds),
    "Videos": (fit, report, calibrate, predict, compare, simulate),
    "Many fits": (sweep, reproduce),
}
for _panel, _functions in _COMMANDS.items():
    for _function in _functions:
        app.command(cls=PlainCommand, epilog=_EPILOG, rich_help_panel=_panel)(_function)
