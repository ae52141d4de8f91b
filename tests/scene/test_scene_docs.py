"""Every block of docs/simulate.md runs."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

pytest.importorskip("av")
pytest.importorskip("matplotlib")

from identify.command.simulate import simulate

PAGE = (Path(__file__).parent.parent.parent / "docs/simulate.md").read_text(encoding="utf-8")
app = typer.Typer()
app.command()(simulate)


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


COMMANDS = [line for block in blocks("sh") for line in block.splitlines() if line.startswith("identify")]


@pytest.mark.parametrize("line", COMMANDS)
def test_command_runs(line, tmp_path, monkeypatch):
    """In an empty folder, without the cost of a new process."""
    monkeypatch.chdir(tmp_path)
    program, command, *arguments = shlex.split(line)
    assert (program, command) == ("identify", "simulate")
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.stderr
    assert list(tmp_path.glob("*/contact.png"))


@pytest.mark.parametrize("code", blocks("python"))
def test_python_block_runs(code, capsys):
    """The example prints the law and the size of the frames."""
    exec(compile(code, "docs/simulate.md", "exec"), {})
    assert "(61, 96, 96)" in capsys.readouterr().out
