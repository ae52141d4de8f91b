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
from identify.command.families import families
from identify.command.fit import fit
from identify.command.init import init
from identify.command.plan import plan
from identify.command.predict import predict
from identify.command.report import report
from identify.command.simulate import simulate
from identify.command.verify import verify

_EPILOG = (
    "Exit codes: 0 the question was answered (a law that no theorem covers counts as answered: the claim "
    "is withheld and the report says why); 1 a check was not met; 2 the input could not be read; "
    "3 undecided. Results go to standard output, everything else to standard error."
)

app = typer.Typer(
    name="identify",
    help="Which physical parameters of a law z'' = F(z, z') can be learned from video.",
    epilog=_EPILOG,
    no_args_is_help=True,
    add_completion=False,
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


app.command(epilog=_EPILOG)(analyze)
app.command(epilog=_EPILOG)(verify)
app.command(epilog=_EPILOG)(check)
app.command(epilog=_EPILOG)(families)
app.command(epilog=_EPILOG)(init)
app.command(epilog=_EPILOG)(coverage)
app.command(epilog=_EPILOG)(plan)
app.command(epilog=_EPILOG)(alias)
app.command(epilog=_EPILOG)(bounds)
app.command(epilog=_EPILOG)(simulate)
app.command(epilog=_EPILOG)(fit)
app.command(epilog=_EPILOG)(report)
app.command(epilog=_EPILOG)(predict)
app.command(epilog=_EPILOG)(calibrate)
app.command(epilog=_EPILOG)(compare)
