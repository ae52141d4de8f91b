"""``identify page``: where the file goes, what is printed, and how it ends."""

from __future__ import annotations

import webbrowser
from pathlib import Path

import pytest
from typer.testing import CliRunner

from identify.command.program import app
from identify.errors import InputError
from identify.page import build


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page that is in the cache already."""
    path = tmp_path / "cache" / "identify-0.html"
    path.parent.mkdir()
    path.write_text("<!DOCTYPE html>page")
    monkeypatch.setattr(build, "built_page", lambda folder: path)
    monkeypatch.chdir(tmp_path)
    return path


def test_writes_the_file(built: Path, tmp_path: Path) -> None:
    """The page is where it was asked for, else in identify.html, and its name is printed."""
    for arguments, name in ((["-o", "other.html"], "other.html"), ([], "identify.html")):
        result = CliRunner().invoke(app, ["page", *arguments])
        assert result.exit_code == 0
        assert result.stdout.startswith(f"{name} (")
        assert (tmp_path / name).read_bytes() == built.read_bytes()


def test_a_folder_that_is_not_there(built: Path) -> None:
    """A place that cannot be written is named, with exit code 2."""
    result = CliRunner().invoke(app, ["page", "-o", "nowhere/page.html"])
    assert result.exit_code == 2
    assert "cannot write nowhere/page.html" in result.stderr


def test_opens_the_kept_page(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """--open shows the page of the cache; without a browser the exit code is 1 and the path is told."""
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda address: opened.append(address) or True)
    assert CliRunner().invoke(app, ["page", "--open"]).exit_code == 0
    assert opened == [built.as_uri()]
    monkeypatch.setattr(webbrowser, "open", lambda address: False)
    result = CliRunner().invoke(app, ["page", "--open"])
    assert result.exit_code == 1
    assert str(built) in result.stderr


def test_no_registry(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without what building needs: the reason, the next step, exit code 2, no traceback, no file."""

    def fails(folder: Path) -> Path:
        raise InputError("npm could not bring pyodide@1", hint="connect and try again")

    monkeypatch.setattr(build, "built_page", fails)
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["page"])
    assert result.exit_code == 2
    assert "npm could not bring" in result.stderr
    assert "connect and try again" in result.stderr
    assert not list(tmp_path.iterdir())
