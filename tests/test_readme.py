"""Every block of README.md runs, and what it shows is what the program prints today."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")

needs_engine = pytest.mark.skipif(
    find_spec("identify.engine") is None, reason="the engine is not written yet"
)


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)


def shell(script: str, place: Path) -> subprocess.CompletedProcess[str]:
    """Run in an empty folder, with this interpreter's ``identify`` first on the path."""
    (place / "bin").mkdir()
    program = place / "bin" / "identify"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m identify "$@"\n')
    program.chmod(0o755)
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"}
    command = ["bash", "-euo", "pipefail", "-c", script]
    return subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True)


def test_there_are_blocks() -> None:
    assert blocks("sh")
    assert blocks("console")
    assert blocks("python")


@needs_engine
@pytest.mark.parametrize("script", [block for block in blocks("sh") if not block.startswith("make ")])
def test_shell_block_runs(script: str, tmp_path: Path) -> None:
    done = shell(script, tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("script", [block for block in blocks("sh") if block.startswith("make ")])
def test_make_targets_exist(script: str) -> None:
    """``make test`` runs this very test, so its recipe is only expanded here; CI runs it for real."""
    for line in script.splitlines():
        done = subprocess.run(
            ["make", "--dry-run", *line.split("#")[0].split()[1:]],
            cwd=ROOT,
            capture_output=True,
            text=True,
            env={key: value for key, value in os.environ.items() if key not in {"MAKEFLAGS", "MFLAGS"}},
        )
        assert done.returncode == 0, done.stderr


@needs_engine
@pytest.mark.parametrize("code", blocks("python"))
def test_python_block_runs(code: str) -> None:
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@needs_engine
def test_sessions_and_pictures_are_up_to_date() -> None:
    """On failure: python docs/pictures/make.py"""
    command = [sys.executable, "docs/pictures/make.py", "--check"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr + "\nrun: python docs/pictures/make.py"


def test_local_links_exist() -> None:
    targets = re.findall(r'(?:src|srcset)="([^"]+)"|\]\((?!http)([^)#]+)\)', README)
    for target in (a or b for a, b in targets):
        assert (ROOT / target).exists(), target
