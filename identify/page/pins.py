"""The published packages that the page contains: exact versions, and the hash that each file must have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Pin:
    """One file of a registry; ``sha256`` is that of the file as published."""

    source: Literal["npm", "pip"]
    name: str
    version: str
    file: str
    sha256: str

    @property
    def requirement(self) -> str:
        """How the registry's client is asked for it."""
        return f"{self.name}{'@' if self.source == 'npm' else '=='}{self.version}"


# One Pyodide release fixes the Python version and the platform tag of compiled wheels.
PYTHON = "3.14"
PLATFORM = "pyemscripten_2026_0_wasm32"

PYODIDE = Pin(
    "npm",
    "pyodide",
    "314.0.7",
    "pyodide-314.0.7.tgz",
    "66b7949e5a0cba2250b586d7e368bf12fb482800748d182c4618254b685ffaa0",
)
KATEX = Pin(
    "npm",
    "katex",
    "0.19.1",
    "katex-0.19.1.tgz",
    "24da5a599eb2fcede2e270b99a6ff48bca816beecc95feeb84e8cccbd1bb34fd",
)
SYMPY = Pin(
    "pip",
    "sympy",
    "1.14.0",
    "sympy-1.14.0-py3-none-any.whl",
    "e091cc3e99d2141a0ba2847328f5479b05d94a6635cb96148ccb3f34671bd8f5",
)
MPMATH = Pin(
    "pip",
    "mpmath",
    "1.3.0",
    "mpmath-1.3.0-py3-none-any.whl",
    "a0b2b9fe80bbcd81a6647ff13108738cfb482d481d826cc0e02f5b35e5c88d2c",
)
FLINT = Pin(
    "pip",
    "python-flint",
    "0.9.0",
    f"python_flint-0.9.0-cp314-cp314-{PLATFORM}.whl",
    "b31f5c00e0e36040ab58d00b3025156e20869b990d776e4bf90f870b1ee11ad3",
)
PINS = (PYODIDE, KATEX, SYMPY, MPMATH, FLINT)
