"""The program as a process: pipes, terminals, encodings, ``python -m identify``."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import identify

ROOT = Path(__file__).parent.parent.parent
LAW = "z''+d*z'+a*z+b*z**3=0"

# The real command line around a recorded answer: these tests are about the process, not about the engine.
RECORDED = """
import sys, types
engine = types.ModuleType("identify.engine")
from tests.report.samples import CUBIC
engine.analyze = lambda law, **options: CUBIC
sys.modules["identify.engine"] = engine
from identify.command import main
main()
"""


def recorded(*arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-c", RECORDED, *arguments],
        capture_output=True,
        cwd=ROOT,
        env={**os.environ, **environment},
    )


def test_module_runs() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "identify", "--version"], capture_output=True, text=True, cwd=ROOT
    )
    assert done.stdout == f"identify {identify.__version__}\n"


def test_no_arguments_show_the_help() -> None:
    done = subprocess.run([sys.executable, "-m", "identify"], capture_output=True, text=True, cwd=ROOT)
    assert "analyze" in done.stdout + done.stderr


def test_broken_pipe_is_quiet() -> None:
    code = RECORDED.replace(
        "lambda law, **options: CUBIC", "lambda law, **options: __import__('time').sleep(0.5) or CUBIC"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, "analyze", LAW], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    with process.stderr as errors:
        assert errors.read() == b""
    assert process.wait() == 141


@pytest.mark.parametrize("columns", ["80", "120"])
def test_pipe_gets_plain_text(columns: str) -> None:
    done = recorded("analyze", LAW, COLUMNS=columns, PYTHONIOENCODING="utf-8")
    assert done.returncode == 0
    assert b"\x1b" not in done.stdout
    assert max(map(len, done.stdout.decode().splitlines())) <= int(columns)


def test_terminal_gets_colours_unless_no_color() -> None:
    """FORCE_COLOR stands in for a terminal; NO_COLOR wins over it."""
    coloured = recorded("analyze", LAW, FORCE_COLOR="1", TERM="xterm", PYTHONIOENCODING="utf-8")
    assert b"\x1b[1;32m" in coloured.stdout
    plain = recorded("analyze", LAW, FORCE_COLOR="1", NO_COLOR="1", TERM="xterm", PYTHONIOENCODING="utf-8")
    assert b"\x1b[1;32m" not in plain.stdout
    assert b"32m" not in plain.stdout


def test_terminal_without_unicode_gets_ascii() -> None:
    done = recorded("analyze", LAW, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 0, done.stderr
    assert done.stdout.isascii()
    assert LAW.encode() in done.stdout


def test_machine_formats_are_utf8_everywhere() -> None:
    done = recorded("analyze", LAW, "--json", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 0, done.stderr
    assert done.stdout.decode("utf-8").startswith("{")


@pytest.mark.skipif(find_spec("identify.engine") is None, reason="the engine is not written yet")
class TestEngine:
    """The whole program, nothing replaced."""

    def run(self, *arguments: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "identify", *arguments]
        environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
        return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, input=text, env=environment)

    def test_cubic_duffing(self) -> None:
        done = self.run("analyze", LAW, "--assume", "b != 0")
        assert done.returncode == 0, done.stderr
        assert "sign only" in done.stdout

    def test_leading_minus_and_standard_input(self) -> None:
        assert self.run("analyze", "-z''+a*z=0").returncode == 0
        assert self.run("analyze", "-", text=LAW).returncode == 0

    def test_bad_law_shows_a_caret(self) -> None:
        done = self.run("analyze", "z''+*z=0")
        assert done.returncode == 2
        assert done.stdout == ""
        assert "^" in done.stderr
        assert "Traceback" not in done.stderr

    def test_saved_analysis_verifies(self, tmp_path: Path) -> None:
        saved = str(tmp_path / "cubic.json")
        assert self.run("analyze", LAW, "--assume", "b != 0", "-o", saved).returncode == 0
        done = self.run("verify", saved)
        assert done.returncode == 0, done.stdout + done.stderr
