"""``identify verify``: the exit code says whether the saved claims held."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from identify.certificate.verification import Check, Verification
from identify.isolation import Ended
from tests.report.samples import CUBIC

Run = Callable[..., int]
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def saved(tmp_path: Path) -> str:
    path = tmp_path / "cubic.json"
    path.write_text(CUBIC.to_json(), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("outcomes", "code"),
    [
        ((True, True), 0),
        ((True, None), 3),
        ((True, False), 1),
        ((None, False), 1),
        ((None, None), 3),
        ((), 0),
    ],
)
def test_code_follows_the_checks(
    monkeypatch: pytest.MonkeyPatch,
    identify: Run,
    capsys: Capture,
    saved: str,
    outcomes: tuple[bool | None, ...],
    code: int,
) -> None:
    def fake(document: dict[str, Any], budget: float) -> Verification:
        assert document == json.loads(CUBIC.to_json())
        return Verification.of(tuple(Check(f"c{i}", "a claim", passed) for i, passed in enumerate(outcomes)))

    def within(seconds: float, memory: int, work: Callable[..., Any], *arguments: Any) -> Ended:
        return Ended(work(None, *arguments))

    # A process of its own would not see the stand-in where earlier tests left threads and it must be spawned.
    monkeypatch.setattr("identify.isolation.within", within)
    monkeypatch.setattr("identify.certificate.verify", fake)
    assert identify("verify", saved) == code
    out = capsys.readouterr().out
    assert out.count("a claim") == len(outcomes)


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "{}", '{"schema": "identify/analysis/9"}', "[" * 100_000, "\x00"]
)
def test_what_is_no_analysis_is_bad_input(
    identify: Run, capsys: Capture, tmp_path: Path, content: str
) -> None:
    path = tmp_path / "a.json"
    path.write_text(content)
    assert identify("verify", str(path)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert str(path) in err


def test_missing_file_is_bad_input(identify: Run, capsys: Capture, tmp_path: Path) -> None:
    assert identify("verify", str(tmp_path / "none.json")) == 2
    assert "cannot read" in capsys.readouterr().err


def test_bytes_that_are_no_text_are_bad_input(identify: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"\xff\xfe\x00")
    assert identify("verify", str(path)) == 2


def test_dash_reads_standard_input(identify: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("{}"))
    assert identify("verify", "-") == 2
