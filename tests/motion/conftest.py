"""Motions need the extra ``fit``; without it only the message about it is tested."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from identify.command import main

ROOT = Path(__file__).parent.parent.parent

if importlib.util.find_spec("numpy") is None or importlib.util.find_spec("scipy") is None:
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture
def identify() -> Callable[..., int]:
    """Run the program with these arguments and return its exit code."""

    def run(*arguments: str) -> int:
        with pytest.raises(SystemExit) as leaving:
            main(arguments)
        return int(leaving.value.code or 0)

    return run


@pytest.fixture(scope="session")
def designs() -> ModuleType:
    """The generator of the paper's designs, examples/coverage/designs.py."""
    spec = importlib.util.spec_from_file_location("designs", ROOT / "examples/coverage/designs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["designs"] = module
    spec.loader.exec_module(module)
    return module
