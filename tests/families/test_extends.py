"""A family that extends another: what it takes over, and what can be wrong with the chain."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.families.samples import DUFFING, at, checked, told

CHILD = """\
name: stiff
title: A spring that stiffens
extends: sample
assume: [a > 0]
parameters: {d: {restrict: d > 0}}
expect:
  parameters: {d: identified, a: identified, b: sign}
require: {identified: [b], after: [displacement]}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sample.yaml").write_text(DUFFING)
    return tmp_path


def test_law_and_conditions_are_taken_over(folder: Path) -> None:
    result = checked(CHILD, folder, "stiff")
    assert (result.outcome, told(result)) == ("passed", [])


def test_the_base_says_nothing_about_the_claims(folder: Path) -> None:
    """Expectations are not taken over: the assumptions of the child change the answer."""
    result = checked("name: bare\ntitle: x\nextends: sample\n", folder, "bare")
    assert result.outcome == "passed"
    assert "nothing is expected" in told(result)[0]


def test_a_parameter_gets_further_restrictions(folder: Path) -> None:
    """The example value is the base's, the condition the child's."""
    result = checked(CHILD.replace("d > 0", "d > 1"), folder, "stiff")
    assert at(result, "(d = 0.1) do not meet 'd > 1'").line == 5


def test_a_mistake_in_the_base_is_told_at_extends(folder: Path) -> None:
    (folder / "sample.yaml").write_text(DUFFING.replace("b*z**3", "b*z**"))
    found = checked(CHILD, folder, "stiff").findings[0]
    assert (found.line, found.column) == (3, 10)
    assert "in sample.yaml, line 5, column" in found.message


@pytest.mark.parametrize(
    ("base", "words"),
    [
        ("sample-two", "there is no family 'sample-two'"),
        ("stiff", "extends itself: stiff -> stiff"),
        ("loop", "extends itself: stiff -> loop -> stiff"),
        ("broken", "in broken.yaml, line 2, column 1: unknown key 'titel'"),
    ],
)
def test_a_broken_chain(folder: Path, base: str, words: str) -> None:
    (folder / "loop.yaml").write_text("name: loop\ntitle: x\nextends: stiff\n")
    (folder / "stiff.yaml").write_text(CHILD)
    (folder / "broken.yaml").write_text("name: broken\ntitel: x\nlaw: z''=a\n")
    result = checked(CHILD.replace("extends: sample", f"extends: {base}"), folder, "stiff")
    assert result.outcome == "invalid"
    assert at(result, words).line == 3


@pytest.mark.parametrize("base", ["../sample", "/etc/passwd", "sample.yaml"])
def test_a_path_cannot_be_extended(folder: Path, base: str) -> None:
    result = checked(CHILD.replace("extends: sample", f"extends: {base}"), folder, "stiff")
    assert at(result, "cannot be a name here").line == 3
