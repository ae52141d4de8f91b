"""How a command ends: an exit code and at most a few lines on standard error, never a traceback."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import typer

from identify.errors import IdentifyError
from identify.printable import printable

DONE, NOT_MET, BAD_INPUT, UNDECIDED = 0, 1, 2, 3
INTERRUPTED, BROKEN_PIPE, TERMINATED = 130, 141, 143  # what a shell reports for SIGINT, SIGPIPE and SIGTERM
_LEAST_COLUMNS = 20  # nothing can be read in fewer


@contextmanager
def orderly(debug: bool) -> Iterator[None]:
    """Turn every way a command can fail into its exit code; ``debug`` lets the traceback through."""
    try:
        yield
        sys.stdout.flush()
    except typer.Exit:
        raise
    except BrokenPipeError:
        _discard_stdout()
        raise typer.Exit(BROKEN_PIPE) from None
    except KeyboardInterrupt:
        complain("interrupted")
        raise typer.Exit(INTERRUPTED) from None
    except IdentifyError as error:
        if debug:
            raise
        complain(str(error))
        # Only a failed check is "not met"; an analysis that could not go on has decided nothing.
        raise typer.Exit(error.exit_code if error.exit_code == BAD_INPUT else UNDECIDED) from None
    except OSError as error:
        if debug:
            raise
        _discard_stdout()
        raise refuse(
            _refused_by_system(error), "make room, or ask for the right to read and write there"
        ) from None
    except Exception as error:  # the last line of defence against a traceback
        if debug:
            raise
        complain(f"undecided, because of an internal error: {_one_line(error)}")
        complain("please report it with the output of the same command and --debug", label="hint")
        raise typer.Exit(UNDECIDED) from None


def settle() -> None:
    """End in order when the system asks for it, worker processes and unfinished files included."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(TERMINATED))
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns[:9]) < _LEAST_COLUMNS:
        os.environ["COLUMNS"] = str(_LEAST_COLUMNS)


@contextmanager
def standard_streams() -> Iterator[None]:
    """Bring everything out; a standard output that is full is an error, one that is closed swallows."""
    if sys.stdout is None or sys.stderr is None:
        nowhere = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - until the program ends
        sys.stdout, sys.stderr = sys.stdout or nowhere, sys.stderr or nowhere
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        _discard_stdout()
        sys.exit(BROKEN_PIPE)
    except OSError as error:
        _discard_stdout()
        complain(_refused_by_system(error))
        sys.exit(BAD_INPUT)


def _refused_by_system(error: OSError) -> str:
    place = f" ({error.filename})" if error.filename else ""
    return f"the system refuses: {error.strerror or error}{place}"


def complain(message: str, label: str = "error") -> None:
    """One message on standard error; where that is full or closed the exit code has to do."""
    with suppress(OSError):
        typer.echo(f"{label}: {printable(message)}", err=True)


def refuse(message: str, hint: str | None = None) -> typer.Exit:
    """Complain about the input and say what to do next; the caller raises the result."""
    complain(message)
    if hint is not None:
        complain(hint, label="hint")
    return typer.Exit(BAD_INPUT)


def unwritable(path: object, error: OSError) -> typer.Exit:
    """Complain about a file that cannot be written; the caller raises the result."""
    return refuse(
        f"cannot write {path}: {error.strerror or error}",
        "name a file in a folder that exists and that you may write to",
    )


def _one_line(error: Exception) -> str:
    text = " ".join(str(error).split())[:200]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _discard_stdout() -> None:
    """Point standard output nowhere, so that the interpreter's last flush does not complain again."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
