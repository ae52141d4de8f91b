"""Help and error messages as a set: every option says what it does, every refusal what to do next."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from identify.command.program import app

ROOT = Path(__file__).parent.parent.parent
COMMANDS: dict[str, Any] = typer.main.get_command(app).commands  # type: ignore[attr-defined]
# These classes pass on the hint of the error that they stand for, or are given one by their caller.
HINTED = {"InputError": 3, "refuse": 1, "ClipError": 1}


def parameters() -> Iterator[tuple[str, Any]]:
    for name, command in COMMANDS.items():
        for parameter in command.params:
            yield f"{name} {parameter.opts[0]}", parameter


def test_every_option_has_help() -> None:
    told = {name: parameter.help or "" for name, parameter in parameters()}
    assert len(told) > 100
    assert not {name: text for name, text in told.items() if not text.endswith(".") or "  " in text}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_summary_and_an_example(name: str) -> None:
    text = COMMANDS[name].help
    assert text.split("\n")[0].endswith(".")
    assert re.search(rf"^    identify {name}\b", text, re.MULTILINE), text


@pytest.mark.parametrize("name", COMMANDS)
def test_help_pages_show_no_types(name: str) -> None:
    done = CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "80", "NO_COLOR": "1"})
    assert done.exit_code == 0
    assert not re.findall(r"<(?:bool|str|path|float|int)\b[^>]*>", done.stdout)
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_one_option_means_one_thing() -> None:
    """Options of one name take the same kind of value in every command."""
    shown: dict[str, set[str]] = {}
    for _, parameter in parameters():
        if parameter.opts[0] in {"--assume", "--domain", "--law", "--initial", "--interval", "--unit"}:
            shown.setdefault(parameter.opts[0], set()).add(parameter.metavar)
    assert all(len(values) == 1 for values in shown.values()), shown


def test_every_refusal_says_what_to_do_next() -> None:
    """Each place that refuses an input gives a hint; a hint that is None or empty does not count."""
    silent = [place for place, call, position in refusals() if not hinted(call, position)]
    assert not silent, "\n".join(silent)
    assert sum(1 for _ in refusals()) > 150


def refusals() -> Iterator[tuple[str, ast.Call, int]]:
    for path in sorted((ROOT / "identify").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "id", getattr(node.func, "attr", None))
                if name in HINTED:
                    place = f"{path.relative_to(ROOT)}:{node.lineno}: {ast.unparse(node)[:100]}"
                    yield place, node, HINTED[name]


def hinted(call: ast.Call, position: int) -> bool:
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        return True
    given = [keyword.value for keyword in call.keywords if keyword.arg == "hint"] + call.args[position:]
    return any(not isinstance(value, ast.Constant) or bool(value.value) for value in given)
