"""Blocks are executed as a reader would: in a folder of their own, with this interpreter's ``identify``."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.docs.pages import ROOT, Block, agrees
from tests.docs.warm import programs

_PROMPT = re.compile(r"^\$ ", re.MULTILINE)


@dataclass(frozen=True)
class Step:
    """One command, the output that the page shows for it (None: not shown), and the exit code expected."""

    script: str
    shown: str | None
    code: int


@dataclass(frozen=True)
class Result:
    """What a step printed, and why that is not what the page says (None: it is)."""

    step: Step
    printed: str
    complaint: str | None


def steps(block: Block) -> Iterator[Step]:
    """The commands of a block, each with its own output."""
    if block.language != "console":
        yield Step(block.text, block.shown, block.code)
        return
    sessions = _PROMPT.split(block.text)
    assert not sessions[0].strip(), f"{block.place}: a console block begins with $"
    for position, session in enumerate(sessions[1:], start=1):
        lines = session.splitlines()
        count = 1
        while lines[count - 1].endswith("\\"):
            count += 1
        last = position == len(sessions) - 1
        output = "\n".join(lines[count:])
        yield Step(
            "\n".join(line.removeprefix("> ") for line in lines[:count]), output, block.code if last else 0
        )


@contextmanager
def library() -> Iterator[Path]:
    """A folder with warm programs; a socket's address is short on every system, pytest's folders are not."""
    with tempfile.TemporaryDirectory() as folder, programs(Path(folder), _environment(Path(folder))) as path:
        yield path


def reader(place: Path, path: Path) -> Callable[[Block], list[Result]]:
    """Someone who works in ``place``: executes blocks there and compares with what their page shows."""
    (place / "examples").symlink_to(ROOT / "examples")
    environment = _environment(place)
    environment["PATH"] = f"{path}{os.pathsep}{environment['PATH']}"
    return lambda block: [_run(block.language, step, place, environment) for step in steps(block)]


def _environment(place: Path) -> dict[str, str]:
    """What the tests' own process has, at 80 columns, without colours, on one thread."""
    dropped = {"FORCE_COLOR", "MAKEFLAGS", "MFLAGS"}
    return {
        **{key: value for key, value in os.environ.items() if key not in dropped},
        "PYTHONPATH": str(ROOT),
        "PYTHONUTF8": "1",
        "COLUMNS": "80",
        "NO_COLOR": "1",
        "OMP_NUM_THREADS": "1",
        "MPLBACKEND": "agg",
        "XDG_CACHE_HOME": str(place / ".cache"),
    }


def _run(language: str, step: Step, place: Path, environment: dict[str, str]) -> Result:
    if language == "python":
        command = ["python", "-c", step.script]
    else:
        command = ["bash", "-euo", "pipefail", "-c", _without_make(step.script)]
    done = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True)
    # A session shows both streams as a terminal does; what a script or program prints is standard output.
    printed = done.stdout + (done.stderr if language == "console" else "")
    if done.returncode != step.code:
        complaint = f"exit code {done.returncode}, expected {step.code}\n{done.stdout}{done.stderr}"
    elif step.shown is not None and not agrees(step.shown, printed):
        complaint = f"printed\n{printed}\nthe page shows\n{step.shown}"
    else:
        complaint = None
    return Result(step, printed, complaint)


def _without_make(script: str) -> str:
    """``make test`` runs these very tests, so that a target is only looked up; CI runs it for real."""
    return re.sub(r"^make ", f"make --dry-run -C '{ROOT}' ", script, flags=re.MULTILINE)
