"""The cache: hit by unchanged content only, never by anything that could change the answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from identify.checked import Checked, Finding
from identify.families import cache as module
from identify.families.cache import Cache
from identify.families.checking import check
from identify.families.task import Task

RESULT = Checked("x/a.yaml", "a", "failed", (Finding("difference", "words", 2, 3),), 0.5, rewrite=("route",))


def test_a_kept_result_comes_back(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "deep" / "cache")
    cache.put("x/a.yaml", b"content", RESULT, {})
    found = cache.get("elsewhere/a.yaml", b"content")
    assert found is not None
    assert found.cached
    assert found.path == "elsewhere/a.yaml"
    assert found.findings == RESULT.findings
    assert cache.get("x/a.yaml", b"content ") is None
    assert cache.get("x/b.yaml", b"content") is None


def test_another_engine_is_another_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = Cache(tmp_path)
    cache.put("a.yaml", b"content", RESULT, {})
    monkeypatch.setattr(module, "engine_hash", lambda: "changed")
    assert cache.get("a.yaml", b"content") is None


def test_undecided_is_not_kept(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put("a.yaml", b"content", Checked("a.yaml", "a", "undecided", (), 1.0), {})
    assert cache.get("a.yaml", b"content") is None


def test_a_changed_base_is_noticed(tmp_path: Path) -> None:
    """So is a base that appears in the folder and hides the one of the catalogue."""
    cache = Cache(tmp_path / "cache")
    base = tmp_path / "base.yaml"
    base.write_text("name: base\ntitle: x\nlaw: \"z'' + a*z = 0\"\n")
    content = b"name: child\ntitle: x\nextends: base\nexpect: {parameters: {a: identified}}\n"
    path = str(tmp_path / "child.yaml")
    result, tried = check(Task(path, content, 60))
    assert result.outcome == "passed"
    cache.put(path, content, result, tried)
    assert cache.get(path, content) is not None
    base.write_text(base.read_text() + "assume: [a > 0]\n")
    assert cache.get(path, content) is None


@pytest.mark.parametrize("content", ["", "{", "[]", '{"key": 1}', "\x00"])
def test_a_broken_entry_is_a_miss(tmp_path: Path, content: str) -> None:
    cache = Cache(tmp_path)
    cache.put("a.yaml", b"content", RESULT, {})
    entry = next(tmp_path.glob("*.json"))
    entry.write_text(content)
    assert cache.get("a.yaml", b"content") is None


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = Cache(tmp_path / "file" / "cache")
    cache.put("a.yaml", b"content", RESULT, {})
    assert cache.get("a.yaml", b"content") is None


def test_an_old_cache_is_pruned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_ENTRIES", 4)
    cache = Cache(tmp_path)
    for i in range(6):
        cache.put("a.yaml", str(i).encode(), RESULT, {})
    cache.prune()
    assert len(list(tmp_path.glob("*.json"))) == 2
