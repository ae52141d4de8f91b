"""The catalogue that ships: every file passes, can be listed and searched, and is in the wheel."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from identify.command import main
from identify.families.catalogue import catalogue_folder, find_family
from identify.families.listing import entries, load, select

ROOT = Path(__file__).parent.parent.parent

pytestmark = pytest.mark.skipif(not catalogue_folder().is_dir(), reason="there is no catalogue yet")


def test_there_are_many_and_each_is_cited() -> None:
    found = entries()
    assert len(found) >= 50
    assert all(entry.title and entry.tags and "reference:" in entry.text for entry in found)


def test_the_whole_catalogue_passes(pytestconfig: pytest.Config) -> None:
    """Kept between runs by content, so only what changed is analysed again."""
    kept = pytestconfig.cache.mkdir("identify-check")  # type: ignore[union-attr]
    command = [
        sys.executable,
        "-m",
        "identify",
        "check",
        "families",
        "--cache",
        str(kept),
        "--timeout",
        "300",
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_search_and_tags() -> None:
    found = entries()
    tag = found[0].tags[0]
    assert found[0] in select(found, [tag], None)
    assert all(tag in entry.tags for entry in select(found, [tag], None))
    assert [e.name for e in select(found, [], "duffing cubic-duffing")][:1]
    assert select(found, ["no-such-tag"], None) == []


def test_a_family_is_shown_with_its_analysis(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as leaving:
        main(["families", "cubic-duffing"])
    assert not leaving.value.code
    out = capsys.readouterr().out
    assert "Video alone determines" in out
    assert "Duffing" in out


def test_the_list_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["families", "--json", "--search", "cubic-duffing"])
    assert any(entry["name"] == "cubic-duffing" for entry in json.loads(capsys.readouterr().out))


def test_a_misspelt_name_is_corrected(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as leaving:
        main(["families", "cubic-dufing"])
    assert leaving.value.code == 2
    assert "cubic-duffing" in capsys.readouterr().err


def test_names_and_paths_find_the_same_family() -> None:
    path = find_family("cubic-duffing")
    assert load(str(path))[0].law.text == load("cubic-duffing")[0].law.text


def test_the_catalogue_is_in_the_wheel() -> None:
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]
    assert build["wheel"]["force-include"] == {"families": "identify/catalogue"}
    assert "/families" in build["sdist"]["include"]
