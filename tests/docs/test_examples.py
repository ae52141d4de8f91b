"""Every example runs, and every notebook shows what its cells give."""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.notebooks import FOLDER, executed, stored
from tests.docs.pages import ROOT

EXAMPLES = ROOT / "examples"
LONG = sorted(path for path in EXAMPLES.rglob("*.py") if "argparse" in path.read_text(encoding="utf-8"))
PAPER = sorted(path.parent for path in (EXAMPLES / "paper").glob("*/run"))


def run(*command: str, **environment: str) -> str:
    done = subprocess.run(
        command,
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_two_networks_agree_on_all_but_the_size_of_b() -> None:
    first, second, agreed = run(sys.executable, "examples/laws/two_networks.py").splitlines()
    assert first.endswith("d = 0.2, a = 4, b = 4")
    assert second.endswith("d = 0.2, a = 4, b = 1")
    assert agreed == "all agree on d, a, sign(b)"


def test_the_catalogue_is_tabulated() -> None:
    told = run(sys.executable, "examples/laws/catalogue.py", "drag").splitlines()
    assert any(line.split()[0] == "odd-quadratic-drag" and "c sign" in line for line in told)


def test_each_experiment_of_the_paper_has_a_folder() -> None:
    """One folder, one command for each; none that the program does not know."""
    experiments = pytest.importorskip("identify.reproduce.experiments")
    assert {folder.name for folder in PAPER} == set(experiments.EXPERIMENTS)
    assert all((folder / "README.md").exists() for folder in PAPER)


def test_an_experiment_starts() -> None:
    """The command line that each folder starts is read; the fits take minutes and have their own tests."""
    pytest.importorskip("identify.reproduce.experiments")
    for folder in PAPER:
        words = (folder / "run").read_text().split()
        assert words[words.index("reproduce") + 1] == folder.name
        assert os.access(folder / "run", os.X_OK)
    program = f"{sys.executable} -m identify"
    assert "Usage" in run(str(PAPER[0] / "run"), "--help", IDENTIFY=program)


@pytest.mark.parametrize("program", LONG, ids=lambda path: path.name)
def test_a_long_example_starts(
    program: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It loads all that it needs and says how it is called; docs and README name every one of them."""
    pytest.importorskip("torch")
    monkeypatch.syspath_prepend(str(program.parent))
    monkeypatch.setattr(sys, "argv", [str(program), "--help"])
    with pytest.raises(SystemExit) as left:
        runpy.run_path(str(program), run_name="__main__")
    assert left.value.code == 0
    assert capsys.readouterr().out.startswith("usage:")
    assert f"examples/{program.relative_to(EXAMPLES)}" in (EXAMPLES / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("notebook", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.name)
def test_notebooks_show_what_their_cells_give(notebook: Path) -> None:
    """On failure: python -m tests.docs.notebooks"""
    text = run(
        sys.executable,
        "-c",
        f"from tests.docs.notebooks import *; print(stored(executed(Path({str(notebook)!r}))), end='')",
        PYTHONUTF8="1",
    )
    assert json.loads(text)["cells"] == json.loads(notebook.read_text(encoding="utf-8"))["cells"]


def test_a_wrong_notebook_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "wrong.ipynb"
    cell = {"cell_type": "code", "execution_count": 1, "metadata": {}, "outputs": [], "source": ["1 + 1"]}
    page.write_text(json.dumps({"cells": [cell]}))
    assert stored(executed(page)) != page.read_text()
    cell["source"] = ["1 / 0"]
    page.write_text(json.dumps({"cells": [cell]}))
    with pytest.raises(ZeroDivisionError):
        executed(page)
