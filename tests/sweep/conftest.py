"""Workers find the cheap jobs of this folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def jobs_can_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    known = os.environ.get("PYTHONPATH")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(HERE), known] if known else [str(HERE)]))
