"""The command line in this process, with the engine replaced by a recorded answer."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from identify.analysis import Analysis
from identify.command import main
from tests.report.samples import CUBIC


@dataclass
class Engine:
    """Answers with ``answer``, or raises ``error``; remembers how it was called."""

    answer: Analysis = CUBIC
    error: BaseException | None = None
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def analyze(self, law: str, **options: Any) -> Analysis:
        self.calls.append((law, options))
        if self.error is not None:
            raise self.error
        return self.answer


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Engine:
    fake = Engine()
    module = types.ModuleType("identify.engine")
    module.analyze = fake.analyze  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "identify.engine", module)
    return fake


@pytest.fixture
def identify() -> Callable[..., int]:
    """Run the program with these arguments and return its exit code."""

    def run(*arguments: str) -> int:
        with pytest.raises(SystemExit) as leaving:
            main(arguments)
        return int(leaving.value.code or 0)

    return run
