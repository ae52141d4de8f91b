"""One family file checked: read, analysed, compared with what it expects and requires."""

from __future__ import annotations

import time
from pathlib import Path

from identify.analysis import Analysis
from identify.checked import Checked, Finding, outcome_of
from identify.errors import BudgetExceeded, InputError
from identify.families.compare import compare, found_expect, required
from identify.families.declared import Declared, declare
from identify.families.lawful import Lawful, read_declared
from identify.families.lookup import Lookup
from identify.families.measured import Measured, measured
from identify.families.reading import read_family
from identify.families.task import Task
from identify.families.tree import decode


def check(task: Task) -> tuple[Checked, dict[str, str | None]]:
    """The result, and the other files that it depends on (see ``Lookup.tried``)."""
    start = time.monotonic()
    path = Path(task.path)
    lookup = Lookup(path.parent)
    run = _Run()
    findings = run.everything(task, path.stem, lookup)
    checked = Checked(
        task.path,
        run.name or path.stem,
        outcome_of(findings),
        tuple(sorted(findings, key=lambda f: (f.line, f.column))),
        round(time.monotonic() - start, 3),
        expect=run.expect,
        rewrite=run.rewrite,
    )
    return checked, lookup.tried


class _Run:
    """The stages of one check; each stops the run where the next would have nothing to work on."""

    def __init__(self) -> None:
        self.name = ""
        self.expect: dict[str, object] = {}
        self.rewrite: tuple[str, ...] = ()

    def everything(self, task: Task, stem: str, lookup: Lookup) -> list[Finding]:
        text, findings = decode(task.content)
        if findings:
            return findings
        file, findings = read_family(text, stem)
        if file is None:
            return findings
        self.name = file.family.name
        declared, findings = declare(file, lookup)
        if declared is None:
            return findings
        lawful, findings = read_declared(declared)
        if lawful is None:
            return findings
        return findings + self.analysed(declared, lawful, task.timeout)

    def analysed(self, declared: Declared, lawful: Lawful, timeout: float) -> list[Finding]:
        try:
            analysis, anchors = analyse(declared, lawful, timeout)
        except InputError as error:
            return [_refused(declared, error)]
        except BudgetExceeded as error:
            return [_open(declared, error.reason)]
        findings = compare(declared, lawful, analysis, anchors)
        findings += required(declared, lawful, analysis, anchors)
        if analysis.outcome == "undecided" and not any(f.kind == "undecided" for f in findings):
            findings.append(_open(declared, analysis.undecided_because or "the method could not tell"))
        if declared.expect is None and declared.require is None:
            place = declared.tree.place("name")
            hint = "identify check --update writes what the analysis finds"
            findings.append(Finding("note", "nothing is expected or required", *place, "expect", hint))
        self.expect = found_expect(analysis, anchors)
        self.rewrite = _rewrite(declared, self.expect, findings)
        return findings


def analyse(declared: Declared, lawful: Lawful, timeout: float | None) -> tuple[Analysis, Measured]:
    """The analysis of a declared law, with the anchors that its requirement allows."""
    from identify.engine import analyze

    after = declared.require.after if declared.require is not None else []
    analysis = analyze(lawful.law, timeout=timeout, anchors=after)
    return analysis, measured(analysis)


def _refused(declared: Declared, error: InputError) -> Finding:
    """A complaint of the engine, placed at the condition that it quotes, else at the law."""
    for placed in (*declared.assume, *declared.domain):
        if placed.text == error.text:
            return placed.finding(error.message, error.offset, error.hint)
    if declared.require is not None:
        for i, kind in enumerate(declared.require.after):
            if error.text == kind:
                place = declared.tree.place("require", "after", i)
                return Finding("input", error.message, *place, f"require.after.{i}", error.hint)
    return declared.law.finding(error.message, hint=error.hint)


def _open(declared: Declared, because: str) -> Finding:
    place = declared.tree.place("law" if declared.law.source.base is None else "extends")
    hint = "give it more time with --timeout, or simplify the law"
    return Finding("undecided", f"undecided: {because}", *place, "law", hint)


def _rewrite(declared: Declared, found: dict[str, object], findings: list[Finding]) -> tuple[str, ...]:
    """The keys of ``expect`` that differ from the analysis, and those that are not there yet."""
    wrong = {
        f.field.split(".")[1] for f in findings if f.kind == "difference" and f.field.startswith("expect.")
    }
    given = set() if declared.expect is None else declared.expect.model_fields_set
    return tuple(sorted(wrong | (set(found) - given)))
