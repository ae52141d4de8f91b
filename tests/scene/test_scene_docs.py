"""Every block of docs/simulate.md runs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("av")
pytest.importorskip("matplotlib")

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs/simulate.md").read_text(encoding="utf-8")
# One block at a time, by the command alone: the page is about nothing else.
LAUNCH = """
import sys
import typer
from identify.command.simulate import simulate
assert sys.argv.pop(1) == "simulate"
program = typer.Typer(add_completion=False)
program.command()(simulate)
program()
"""


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("script", blocks("sh"))
def test_shell_block_runs(script, tmp_path):
    """In an empty folder, with ``identify simulate`` first on the path."""
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "launch.py").write_text(LAUNCH, encoding="utf-8")
    program = programs / "identify"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{programs}/launch.py" "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}
    command = ["bash", "-euo", "pipefail", "-c", script]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("code", blocks("python"))
def test_python_block_runs(code, capsys):
    """The example prints the law and the size of the frames."""
    exec(compile(code, "docs/simulate.md", "exec"), {})
    assert "(61, 96, 96)" in capsys.readouterr().out
