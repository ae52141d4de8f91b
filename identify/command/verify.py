"""``identify verify FILE.json``: re-check a saved analysis with code that the solver does not share."""

from __future__ import annotations

import json
import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from identify.analysis import SCHEMA
from identify.command.budget import check_budget
from identify.command.options import Debug
from identify.command.outcome import DONE, NOT_MET, UNDECIDED, orderly, refuse

if TYPE_CHECKING:
    from identify.certificate.verification import Verification

_MOST_INPUT = 20_000_000  # characters; an analysis has a few thousand
_SHARE = 2 / 3  # of the time after which no new claim is begun, so that the one under way can end
_SAVE = "identify analyze LAW -o FILE.json saves an analysis"
_MARK = {True: "passed", False: "FAILED", None: "open"}


def verify(
    file: Annotated[
        str, typer.Argument(metavar="FILE.json", help="A saved JSON analysis; - reads standard input.")
    ],
    timeout: Annotated[
        float, typer.Option(metavar="SECONDS", help="Stop after this time; what is untested is then open.")
    ] = 30.0,
    debug: Debug = False,
) -> None:
    """Re-check a saved analysis by substitution and high-precision evaluation.

    Branches, dimensions, invariants, verdicts, coverage and calibration are checked, unknown clocks too. That
    anchors suffice is tested by ranks and by a search for reports that disagree: a search, not a proof.
    Exit code 0 if every check passes, 1 if one fails, 3 if one stays open.

    Examples:

        identify analyze "z''+d*z'+a*z=0" -o lti.json

        identify verify lti.json
    """
    with orderly(debug):
        check_budget(timeout)
        verification = _verified(_document(file), timeout)
        _show(verification)
        raise typer.Exit(_code(verification))


def _verified(document: dict[str, Any], timeout: float) -> Verification:
    """The verification, in a process that is killed when the time or the memory is used up."""
    import identify.certificate.checker  # noqa: F401 - loaded here, so that a forked process has it
    from identify.certificate.verification import Check, Verification
    from identify.isolation import MEMORY, within

    ended = within(timeout, MEMORY, _check, document, timeout * _SHARE)
    if ended.because is not None:
        return Verification.of((Check("time", "all claims were tested", None, ended.because),))
    return cast("Verification", ended.value)


def _check(keep: object, document: dict[str, Any], budget: float) -> Verification:
    from identify.certificate import verify as check

    return check(document, budget=budget)


def _document(file: str) -> dict[str, Any]:
    if file == "-" and sys.stdin is None:
        raise refuse("standard input is closed", _SAVE)
    try:
        with nullcontext(sys.stdin) if file == "-" else open(file, encoding="utf-8") as opened:
            text = opened.read(_MOST_INPUT + 1)
        if len(text) > _MOST_INPUT:
            raise refuse(
                f"{file} is too large for an analysis: more than {_MOST_INPUT:,} characters",
                _SAVE,
            )
        document = json.loads(text)
    except OSError as error:
        raise refuse(f"cannot read {file}: {error.strerror or error}", _SAVE) from None
    except (ValueError, RecursionError) as error:
        raise refuse(f"{file} is not JSON: {error}", _SAVE) from None
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise refuse(f"{file} is not an analysis: a document with schema {SCHEMA} was expected", _SAVE)
    return document


def _show(verification: Verification) -> None:
    for check in verification.checks:
        detail = f" ({check.detail})" if check.detail else ""
        typer.echo(f"{_MARK[check.passed]:6}  {check.name}: {check.claim}{detail}")
    passed = sum(check.passed is True for check in verification.checks)
    typer.echo("Words for people, such as why, because and notes, are not read.")
    counts = f"{passed} passed, {len(verification.failed)} failed, {len(verification.undecided)} open"
    typer.echo(f"{counts}." if verification.checks else "The document claims nothing that could be checked.")
    sys.stdout.flush()


def _code(verification: Verification) -> int:
    if verification.failed:
        return NOT_MET
    return UNDECIDED if verification.undecided else DONE
