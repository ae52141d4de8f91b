"""The shared worked cases (``../shared/cases.json``) in the input language."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
CASES = Path(os.environ.get("IDENTIFY_CASES") or ROOT.parent / "shared" / "cases.json")
BANK = ROOT / "tests" / "bank"


def shared(kind: str) -> list[dict[str, Any]]:
    """The cases of one kind ("raw", "canonical", "strata"); none where the file is absent."""
    found: list[dict[str, Any]] = json.loads(CASES.read_text())[kind] if CASES.exists() else []
    return found


def bank(name: str = "laws") -> list[dict[str, Any]]:
    """The laws of our own bank: ``laws`` with full answers, ``searched`` with statuses and dimensions."""
    found: list[dict[str, Any]] = json.loads((BANK / f"{name}.json").read_text())["laws"]
    return found


def declared(case: dict[str, Any]) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Law, assumptions and domain of a shared case."""
    text = case["law"] if "law" in case else "z'' = " + case["F"]
    text = re.sub(r"\bAbs\b", "abs", re.sub(r"\bv\b", "z'", text))
    clauses = _clauses(re.sub(r",?\s*(signs? free|both velocity signs)", "", case.get("restrictions", "")))
    domain = tuple(c for c in clauses if re.search(r"\bz\b", c))
    return text, tuple(c for c in clauses if c not in domain), domain


def _clauses(words: str) -> list[str]:
    """``a,b != 0, r not in {1,2}`` as its two clauses."""
    found: list[str] = []
    pending = ""
    for piece in re.split(r",(?![^{]*\})", words):
        pending += piece
        if re.search(r"[<>=]|not in", piece):
            found.append(pending.strip())
            pending = ""
        else:
            pending += ","
    return found
