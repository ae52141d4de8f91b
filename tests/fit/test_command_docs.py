"""Every shell block of docs/fit.md runs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs/fit.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("script", re.findall(r"^```sh\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE))
def test_shell_block_runs(script: str, tmp_path: Path) -> None:
    """In an empty folder, with this interpreter's ``identify`` first on the path."""
    programs = tmp_path / "bin"
    programs.mkdir()
    program = programs / "identify"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m identify "$@"\n')
    program.chmod(0o755)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}
    command = ["bash", "-euo", "pipefail", "-c", script]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
