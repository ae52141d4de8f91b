"""``identify analyze``: arguments reach the engine, reports reach their place, failures stay quiet."""

from __future__ import annotations

import io
import json
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from identify.errors import BudgetExceeded, InputError
from tests.command.conftest import Engine
from tests.report.samples import UNDECIDED, UNSUPPORTED

LAW = "z''+d*z'+a*z+b*z**3=0"
Run = Callable[..., int]
Capture = pytest.CaptureFixture[str]


def test_everything_reaches_the_engine(engine: Engine, identify: Run) -> None:
    options = [
        "--assume",
        "b != 0",
        "--assume",
        "-a > 0",
        "--domain",
        "-1 < z < 1",
        "--strata",
        "--timeout",
        "2.5",
        "--memory",
        "300",
        "--anchor",
        "amplitude=0.4 m",
        "--anchor",
        "origin",
        "--unit",
        "z=m",
        "--unknown-clock",
    ]
    assert identify("analyze", LAW, *options) == 0
    expected = {
        "assume": ["b != 0", "-a > 0"],
        "domain": ["-1 < z < 1"],
        "strata": True,
        "timeout": 2.5,
        "memory": 300,
        "isolated": True,
        "anchors": ["amplitude=0.4 m", "origin"],
        "units": {"z": "m"},
        "unknown_clock": True,
    }
    assert engine.calls == [(LAW, expected)]


@pytest.mark.parametrize("law", ["-z''+a*z=0", "-(z'')=a*z"])
def test_law_may_begin_with_a_minus_sign(engine: Engine, identify: Run, law: str) -> None:
    assert identify("analyze", law, "--json", "--assume", "a > 0") == 0
    assert engine.calls[0][0] == law


def test_dash_reads_standard_input(engine: Engine, identify: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{LAW}\n"))
    assert identify("analyze", "-") == 0
    assert engine.calls[0][0] == LAW


@pytest.mark.parametrize(
    ("options", "mark"),
    [
        ([], "z″ + dz′"),
        (["--format", "text"], "z″ + dz′"),
        (["--json"], '"schema": "identify/analysis/1"'),
        (["--format", "json"], '"schema": "identify/analysis/1"'),
        (["--format", "markdown"], "## $z''"),
        (["--format", "latex"], r"\begin{tabular}"),
    ],
)
def test_formats(engine: Engine, identify: Run, capsys: Capture, options: list[str], mark: str) -> None:
    assert identify("analyze", LAW, *options) == 0
    out, err = capsys.readouterr()
    assert mark in out
    assert "\x1b" not in out
    assert err == ""


def test_contradicting_formats_are_refused(engine: Engine, identify: Run, capsys: Capture) -> None:
    assert identify("analyze", LAW, "--json", "--format", "latex") == 2
    assert "contradict" in capsys.readouterr().err


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "soon"])
def test_timeout_must_be_a_positive_number(engine: Engine, identify: Run, seconds: str) -> None:
    assert identify("analyze", LAW, "--timeout", seconds) == 2
    assert not engine.calls


def test_undecided_is_three_and_unsupported_is_an_answer(
    engine: Engine, identify: Run, capsys: Capture
) -> None:
    engine.answer = UNDECIDED
    assert identify("analyze", LAW) == 3
    assert "Undecided" in capsys.readouterr().out
    engine.answer = UNSUPPORTED
    assert identify("analyze", LAW) == 0
    assert "No claim" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("error", "code", "told"),
    [
        (InputError("expected a name", "z''+*z=0", 4), 2, "^"),
        (BudgetExceeded("elimination took too long"), 3, "elimination took too long"),
        (ZeroDivisionError("division\nby zero"), 3, "internal error: ZeroDivisionError: division by zero"),
        (RecursionError(), 3, "internal error: RecursionError"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
)
def test_failures_are_a_few_lines_and_a_code(
    engine: Engine, identify: Run, capsys: Capture, error: BaseException, code: int, told: str
) -> None:
    engine.error = error
    assert identify("analyze", LAW) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert told in err
    assert "Traceback" not in err


def test_debug_lets_the_traceback_through(engine: Engine) -> None:
    from identify.command import main

    engine.error = ZeroDivisionError("division by zero")
    with pytest.raises(ZeroDivisionError):
        main(["analyze", LAW, "--debug"])


@pytest.mark.parametrize(
    ("name", "start"), [("a.json", "{"), ("a.md", "## "), ("a.tex", "%"), ("a.txt", "╭"), ("a", "╭")]
)
def test_output_takes_its_format_from_the_suffix(
    engine: Engine, identify: Run, capsys: Capture, tmp_path: Path, name: str, start: str
) -> None:
    assert identify("analyze", LAW, "-o", str(tmp_path / name)) == 0
    assert (tmp_path / name).read_text(encoding="utf-8").startswith(start)
    assert capsys.readouterr().out == ""
    assert os.listdir(tmp_path) == [name]


def test_output_replaces_a_file_in_one_step(engine: Engine, identify: Run, tmp_path: Path) -> None:
    """Permissions stay, a symbolic link stays a link, and no temporary file remains."""
    target, link = tmp_path / "real.json", tmp_path / "link.json"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    assert identify("analyze", LAW, "--json", "-o", str(link)) == 0
    assert link.is_symlink()
    assert json.loads(target.read_text())["schema"] == "identify/analysis/1"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert sorted(os.listdir(tmp_path)) == ["link.json", "real.json"]


def test_a_failed_write_leaves_the_old_file(
    engine: Engine, identify: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "kept.json"
    target.write_text("old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert identify("analyze", LAW, "-o", str(target)) == 2
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["kept.json"]


def test_output_to_a_device_does_not_replace_it(engine: Engine, identify: Run) -> None:
    assert identify("analyze", LAW, "-o", os.devnull) == 0
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


@pytest.mark.parametrize("place", ["missing/a.json", "."])
def test_unwritable_output_is_bad_input(
    engine: Engine, identify: Run, capsys: Capture, tmp_path: Path, place: str
) -> None:
    assert identify("analyze", LAW, "-o", str(tmp_path / place)) == 2
    assert "cannot write" in capsys.readouterr().err


def test_missing_law_and_unknown_option_are_bad_input(engine: Engine, identify: Run, capsys: Capture) -> None:
    assert identify("analyze") == 2
    assert identify("analyze", LAW, "--asume", "b != 0") == 2
    assert "--assume" in capsys.readouterr().err
