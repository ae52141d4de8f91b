"""The schema: all mistakes at once, each at its place, with the nearest name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import identify
from identify.families.reading import read_family
from identify.families.schema import json_schema
from tests.families.samples import DUFFING, place_of


def test_the_sample_reads() -> None:
    file, findings = read_family(DUFFING, "sample")
    assert findings == []
    assert file is not None
    assert file.family.parameters["b"].restrict == ["b > 0"]


@pytest.mark.parametrize(
    ("old", "new", "mark", "words", "hint"),
    [
        ("title:", "titel:", "titel:", "unknown key 'titel'", "did you mean 'title'?"),
        ("meaning: damping", "meaming: damping", "meaming", "unknown key 'meaming'", "'meaning'"),
        ("  route:", "  rout:", "rout:", "unknown key 'rout'", "'route'"),
        ("orbit_dimension", "orbit_dim", "orbit_dim", "unknown key", "'orbit_dimension'"),
        ("b: sign}", "b: sing}", "sing}", "'sing' is not one of", "did you mean sign?"),
        ("route: semilinear", "route: semi-linear", "semi-linear", "is not one of", "semilinear"),
        ("name: sample", "name: Sample One", "Sample One", "cannot be a name", "hyphens"),
        ("name: sample", "name: other", "other", "but the file is sample.yaml", "sample"),
        ("rank: 3", "rank: three", "three", "must be a whole number", None),
        ("both_directions: false", "both_directions: no", "no}", "must be true or false", None),
        ("title: Damped cubic oscillator", "title: 3", "3\n", "must be text, not the number 3", "quotes"),
        ("example: 0.5", 'example: "0.5"', '"0.5"', "must be a number", "without quotes"),
        ("tags: [oscillator, polynomial]", "tags: harmonic", "harmonic", "must be a list", None),
        ("identified: [d, a, b]", "identified: []", "identified: []", "at least 1 item", None),
    ],
)
def test_a_mistake_points_at_its_place(old: str, new: str, mark: str, words: str, hint: str | None) -> None:
    text = DUFFING.replace(old, new)
    file, findings = read_family(text, "sample")
    assert file is None
    found = next((f for f in findings if words in f.message), None)
    assert found is not None, findings
    assert (found.line, found.column) == place_of(text, mark)
    assert hint is None or (found.hint and hint in found.hint)


def test_all_mistakes_are_told_at_once() -> None:
    text = DUFFING.replace("title:", "titel:").replace("rank: 3", "rank: -3").replace("b: sign}", "b: sing}")
    findings = read_family(text, "sample")[1]
    assert len(findings) == 4  # title is missing as well


def test_a_law_or_something_to_extend_is_needed() -> None:
    findings = read_family("name: sample\ntitle: x\n", "sample")[1]
    assert "no law" in findings[0].message


def test_the_published_schema_is_fresh() -> None:
    """On failure, write what ``identify.families.schema.json_schema()`` returns into the file."""
    path = Path(identify.__file__).parent / "families" / "schema.json"
    assert path.read_text(encoding="utf-8") == json_schema()


def test_the_published_schema_knows_every_key() -> None:
    schema = json.loads(json_schema())
    assert schema["additionalProperties"] is False
    assert set(schema["properties"]) >= {"name", "law", "extends", "expect", "require", "parameters"}
    assert "null" not in json_schema()
