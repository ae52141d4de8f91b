"""``identify verify FILE.json``: re-check a saved analysis with code that the solver does not share."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from identify.analysis import SCHEMA
from identify.command.outcome import DONE, NOT_MET, UNDECIDED, orderly, refuse

if TYPE_CHECKING:
    from identify.certificate.verification import Verification

_MARK = {True: "passed", False: "FAILED", None: "open"}


def verify(
    file: Annotated[
        str, typer.Argument(metavar="FILE.json", help="A saved JSON analysis; - reads standard input.")
    ],
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """Re-check a saved analysis by substitution and high-precision evaluation.

    Branches, dimensions, invariants, verdicts, coverage and calibration are checked, unknown clocks too. That
    anchors suffice is tested by ranks and by a search for reports that disagree: a search, not a proof.
    Exit code 0 if every check passes, 1 if one fails, 3 if one stays open.

    Example:

        identify analyze "z''+d*z'+a*z=0" --json -o lti.json && identify verify lti.json
    """
    with orderly(debug):
        document = _document(file)
        from identify.certificate import verify as check

        verification = check(document)
        _show(verification)
        raise typer.Exit(_code(verification))


def _document(file: str) -> dict[str, Any]:
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
        document = json.loads(text)
    except OSError as error:
        raise refuse(f"cannot read {file}: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise refuse(f"{file} is not JSON: {error}") from None
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise refuse(f"{file} is not an analysis: a document with schema {SCHEMA} was expected")
    return document


def _show(verification: Verification) -> None:
    for check in verification.checks:
        detail = f" ({check.detail})" if check.detail else ""
        typer.echo(f"{_MARK[check.passed]:6}  {check.name}: {check.claim}{detail}")
    passed = sum(check.passed is True for check in verification.checks)
    counts = f"{passed} passed, {len(verification.failed)} failed, {len(verification.undecided)} open"
    typer.echo(f"{counts}." if verification.checks else "The document claims nothing that could be checked.")
    sys.stdout.flush()


def _code(verification: Verification) -> int:
    if verification.failed:
        return NOT_MET
    return UNDECIDED if verification.undecided else DONE
