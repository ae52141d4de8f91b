"""The result of ``identify check``: frozen, plain data, the same shape as its JSON document.

A finding points at a line and column of the family file that was checked, also where its cause is in
a family that this one extends (the message then names that file).
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field
from typing import Any, Literal

SCHEMA = "identify/check/1"

Kind = Literal["input", "difference", "requirement", "undecided", "note"]
CheckOutcome = Literal["passed", "failed", "invalid", "undecided"]


@dataclass(frozen=True)
class Finding:
    """One thing to know about a family file, and where.

    ``field`` is the dotted path inside the file, such as ``expect.parameters.b``; ``claimed`` and
    ``found`` are the two sides of a difference.  Lines and columns count from 1.
    """

    kind: Kind
    message: str
    line: int = 1
    column: int = 1
    field: str = ""
    hint: str | None = None
    claimed: str | None = None
    found: str | None = None


@dataclass(frozen=True)
class Checked:
    """One family file: its outcome, what was found, and the ``expect`` that the analysis would write.

    ``rewrite`` names the keys of ``expect`` that are missing or differ, for ``--update``.
    """

    path: str
    name: str
    outcome: CheckOutcome
    findings: tuple[Finding, ...]
    seconds: float
    cached: bool = False
    expect: dict[str, Any] = field(default_factory=dict)
    rewrite: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain dictionaries and lists."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, document: dict[str, Any]) -> Checked:
        """The result whose ``to_dict`` is ``document``."""
        findings = tuple(Finding(**finding) for finding in document["findings"])
        rewrite = tuple(document["rewrite"])
        return cls(**{**document, "findings": findings, "rewrite": rewrite})


def outcome_of(findings: tuple[Finding, ...] | list[Finding]) -> CheckOutcome:
    """Unreadable input weighs most, then a check that was not met, then an open question."""
    kinds = {finding.kind for finding in findings}
    if "input" in kinds:
        return "invalid"
    if kinds & {"difference", "requirement"}:
        return "failed"
    return "undecided" if "undecided" in kinds else "passed"


@dataclass(frozen=True)
class CheckReport:
    """All files of one run, in the order in which they were found."""

    results: tuple[Checked, ...]
    seconds: float

    def count(self, outcome: CheckOutcome) -> int:
        """How many files ended that way."""
        return sum(result.outcome == outcome for result in self.results)

    @property
    def exit_code(self) -> int:
        """2 for unreadable input, 1 for a check that was not met, 3 for an open question, else 0."""
        found = {result.outcome for result in self.results}
        if "invalid" in found:
            return 2
        return 1 if "failed" in found else 3 if "undecided" in found else 0

    def to_json(self) -> str:
        """The versioned JSON document ``identify/check/1``."""
        outcomes: tuple[CheckOutcome, ...] = ("passed", "failed", "invalid", "undecided")
        document = {
            "schema": SCHEMA,
            "exit_code": self.exit_code,
            "seconds": round(self.seconds, 3),
            "counts": {outcome: self.count(outcome) for outcome in outcomes},
            "files": [result.to_dict() for result in self.results],
        }
        return json.dumps(document, indent=2, ensure_ascii=False)
