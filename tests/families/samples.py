"""A family file in which every key is used, and ways to run a check on a changed copy of it."""

from __future__ import annotations

from pathlib import Path

from identify.checked import Checked, Finding
from identify.families.checking import check
from identify.families.task import Task

DUFFING = """\
# A damped cubic oscillator.
name: sample
title: Damped cubic oscillator
tags: [oscillator, polynomial]
law: "z'' + d*z' + a*z + b*z**3 = 0"
state: {name: z, unit: m}
parameters:
  d: {meaning: damping, unit: 1/s, example: 0.1}
  a: {meaning: linear stiffness, unit: 1/s^2, example: 1}
  b: {meaning: cubic stiffness, unit: 1/(m^2*s^2), restrict: b > 0, example: 0.5}
reference: G. Duffing, 1918
expect:
  route: semilinear
  parameters: {d: identified, a: identified, b: sign} # the claim
  invariants: [a + d, a - d]
  gauge: {dimension: 1, orbit_dimension: 1}
  coverage: {rank: 3, velocities: 3, both_directions: false}
  anchors: [[amplitude], [displacement]]
require:
  identified: [d, a, b]
  after: [amplitude]
"""


def checked(text: str, folder: Path, name: str = "sample", timeout: float = 60) -> Checked:
    """The result of a check of this text, in this process."""
    return check(Task(str(folder / f"{name}.yaml"), text.encode(), timeout))[0]


def place_of(text: str, mark: str) -> tuple[int, int]:
    """Line and column of the first occurrence of ``mark``."""
    offset = text.index(mark)
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def told(result: Checked) -> list[str]:
    return [finding.message for finding in result.findings]


def at(result: Checked, message: str) -> Finding:
    """The finding with these words."""
    found = [finding for finding in result.findings if message in finding.message]
    assert found, told(result)
    return found[0]
