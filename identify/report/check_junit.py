"""``identify check`` as JUnit XML: a test case for each family."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from identify.checked import Checked, CheckReport

# What XML 1.0 cannot contain, not even escaped.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render_junit(report: CheckReport) -> str:
    """One suite; a failed check is a failure, unreadable input an error, an open question is skipped."""
    suite = ElementTree.Element(
        "testsuite",
        name="identify check",
        tests=str(len(report.results)),
        failures=str(report.count("failed")),
        errors=str(report.count("invalid")),
        skipped=str(report.count("undecided")),
        time=f"{report.seconds:.3f}",
    )
    for result in report.results:
        _case(suite, result)
    root = ElementTree.Element("testsuites")
    root.append(suite)
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _case(suite: ElementTree.Element, result: Checked) -> None:
    case = ElementTree.SubElement(
        suite,
        "testcase",
        name=_clean(result.name),
        classname=_clean(result.path),
        file=_clean(result.path),
        time=f"{result.seconds:.3f}",
    )
    told = [f for f in result.findings if f.kind != "note"]
    if not told:
        return
    kind = {"failed": "failure", "invalid": "error", "undecided": "skipped"}[result.outcome]
    problem = ElementTree.SubElement(case, kind, message=_clean(told[0].message))
    if kind != "skipped":
        problem.set("type", told[0].kind)
    problem.text = _clean("\n".join(f"{result.path}:{f.line}:{f.column}: {f.message}" for f in told))


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)
