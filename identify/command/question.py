"""What ``identify analyze`` is asked: a law or a family, and which parameters must be identified."""

from __future__ import annotations

from dataclasses import dataclass

from identify.analysis import Analysis
from identify.command.outcome import DONE, NOT_MET, UNDECIDED, complain, refuse


@dataclass(frozen=True)
class Question:
    """The law and its conditions, as texts."""

    law: str
    assume: list[str]
    domain: list[str]


def from_family(family: str | None, law: str | None, assume: list[str], domain: list[str]) -> Question:
    """The question as typed, or the one of a family with the typed conditions added."""
    if family is None:
        if law is None:
            raise refuse(
                "which law?", "give it as text, or with --family NAME; identify families lists the catalogue"
            )
        return Question(law, assume, domain)
    if law is not None:
        raise refuse("a law and --family contradict each other", "give one of them")
    from identify.families.listing import load

    declared, lawful = load(family)
    return Question(declared.law.text, [*lawful.assume, *assume], [*lawful.domain, *domain])


def required(analysis: Analysis, names: str) -> int:
    """The exit code: 1 where one of the comma-separated names is not identified, 3 where one is open."""
    from identify.families.compare import unmet_requirement
    from identify.families.measured import measured

    code = DONE
    for name in filter(None, (part.strip() for part in names.split(","))):
        unmet = unmet_requirement(name, analysis.law.parameters, analysis, measured(analysis))
        if unmet is None:
            continue
        kind, because, hint = unmet
        complain(f"`{name}` is required to be identified; {because}", label="not met")
        if hint is not None:
            complain(hint, label="hint")
        code = UNDECIDED if kind == "undecided" and code == DONE else NOT_MET
    return code
