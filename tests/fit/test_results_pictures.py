"""The pictures of a report."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import identify
from identify.fit.results.pictures import _round_numbers


def test_colours_are_named_in_one_place() -> None:
    """Two palettes would drift apart: a picture takes its colours from identify.motion.palette."""
    package = Path(identify.__file__).parent
    files = [file for file in package.rglob("*.py") if file != package / "motion" / "palette.py"]
    drawn = [file for file in files if "matplotlib" in file.read_text(encoding="utf-8")]
    assert len(drawn) >= 2
    own = [file.name for file in drawn if re.search(r"#[0-9a-fA-F]{6}\b", file.read_text(encoding="utf-8"))]
    assert own == []


@pytest.mark.parametrize(("low", "high"), [(0.2, 5.0), (0.05, 20.0), (1e-6, 1e6)])
def test_a_logarithmic_axis_has_a_few_round_numbers(low: float, high: float) -> None:
    """With one tick alone a reader cannot tell the scale of a picture."""
    found = _round_numbers(low, high)
    assert 3 <= len(found) <= 15
    assert all(low * 0.99 <= x <= high * 1.01 and f"{x:e}"[0] in "125" for x in found)
