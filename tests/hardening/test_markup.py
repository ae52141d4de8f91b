"""Text of a stranger stays text: in pages, in reports for machines, on the terminal."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

import pytest

from identify.analysis import Analysis
from identify.checked import Checked, CheckReport, Finding
from identify.report.check import render_check
from identify.report.notebook import analysis_html
from tests.report.samples import CUBIC

MARKUP = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>&lt;{{7*7}}{%x%}</style>]]>--><b>"
HOSTILE = MARKUP + "\n::error::x%0Ay\r\x1b[2J\x07"


class Tags(HTMLParser):
    """The tags of a page with their attributes' names."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[tuple[str, tuple[str, ...]]] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.add((tag, tuple(sorted(name for name, _ in attrs))))


def tags(page: str) -> set[tuple[str, tuple[str, ...]]]:
    parser = Tags()
    parser.feed(page)
    return parser.found


def injected(document: Any) -> Iterator[Any]:
    """The document with markup added to each of its texts in turn."""
    for path in _texts(document):
        changed = copy.deepcopy(document)
        holder = changed
        for key in path[:-1]:
            holder = holder[key]
        holder[path[-1]] += MARKUP
        yield changed


def _texts(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(value, str):
        return [path]
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, part in items for found in _texts(part, (*path, key))]


def only_text(render: Callable[[Any], str], document: Any) -> int:
    """No text adds a tag; returns how many texts reached the page."""
    usual, reached = tags(render(document)), 0
    for changed in injected(document):
        try:
            page = render(changed)
        except (KeyError, ValueError, AttributeError):
            continue  # a word that the program itself chooses, such as a status
        assert tags(page) <= usual
        reached += "alert(1)" in page
    return reached


def test_an_analysis_in_a_notebook() -> None:
    document = json.loads(CUBIC.to_json())
    assert only_text(lambda d: analysis_html(Analysis.from_dict(d)), document) > 10


def test_the_page_of_a_fit() -> None:
    pytest.importorskip("jinja2")
    pytest.importorskip("scipy")
    from identify.fit.results.conclusion import Asked, conclude
    from identify.fit.results.html import report_page
    from tests.fit.results_fits import analyze, duffing

    law, fit = duffing()
    tracks = tuple(replace(t, name=f"{t.name}{MARKUP}") for t in fit.tracks)
    found = conclude(
        law, analyze("z''+d*z'+a*z+b*z**3=0", assume=("b != 0",)), replace(fit, tracks=tracks), Asked()
    )
    document = json.loads(json.dumps(found.document))
    document["warnings"] = [*document.get("warnings", []), MARKUP]
    page = report_page(document, [])
    assert "onerror" not in {name for _, names in tags(page) for name in names}
    assert only_text(lambda d: report_page(d, []), document) > 5


def test_the_page_of_a_coverage_report() -> None:
    pytest.importorskip("scipy")
    from identify.law import read_law
    from identify.motion.coverage import measure
    from identify.motion.dynamics import Dynamics, simulate
    from identify.motion.html import coverage_html
    from identify.motion.values import read_parameters

    law = read_law("z''+a*z=0")
    clips = [simulate(Dynamics(law, read_parameters("a=4", law)), (1.0, 0.0), 3.0, 60.0, name="one")]
    report = measure(law, clips, source="simulated")
    page = coverage_html(replace(report, law=MARKUP, source=MARKUP, advice=(MARKUP,)), None)
    assert tags(page) <= tags(coverage_html(replace(report, advice=("x",)), None))
    assert "alert(1)" in page


def hostile_check() -> CheckReport:
    finding = Finding(
        "difference", HOSTILE, 1, 1, f"expect.{HOSTILE}", HOSTILE, claimed=HOSTILE, found=HOSTILE
    )
    return CheckReport((Checked(f"a/{HOSTILE}.yaml", HOSTILE, "failed", (finding,), 0.1),), 0.2)


def test_machine_reports_of_a_check_keep_their_form() -> None:
    """XML and JSON parse, and an annotation is one line, so that no command of the stranger's is read."""
    report = hostile_check()
    junit = ElementTree.fromstring(render_check(report, "junit").encode())
    assert {element.tag for element in junit.iter()} <= {
        "testsuites",
        "testsuite",
        "testcase",
        "failure",
        "properties",
    }
    assert json.loads(render_check(report, "sarif"))["runs"]
    assert json.loads(render_check(report, "json"))
    lines = render_check(report, "github").splitlines()
    assert len([line for line in lines if line.startswith("::")]) == 1
    assert not any(line.startswith("::error::x") for line in lines)


def test_the_terminal_gets_no_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    from identify.command.outcome import complain

    complain(HOSTILE)
    assert not set(capsys.readouterr().err) & {"\x1b", "\x07", "\r"}
    assert not set(render_check(hostile_check(), "text")) & {"\x1b", "\x07"}


def test_a_family_cannot_smuggle_them_in() -> None:
    from identify.families.reading import read_family

    file, findings = read_family('name: a\ntitle: "\\e[2J"\nlaw: "z\'\'+a*z=0"\n', "a")
    assert file is None
    assert "control character" in findings[0].message
