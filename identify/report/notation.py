"""What a report needs from an output format: how to write a formula and how to write prose."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Protocol


class Notation(Protocol):
    """One output format's way of writing."""

    def formula(self, text: str) -> str:
        """An expression of the input language, typeset."""

    def prose(self, text: str) -> str:
        """A sentence from the analysis, escaped for the format."""

    def verbatim(self, text: str) -> str:
        """A sentence with something to type in it: escaped, never typeset."""


class AsTyped:
    """Everything as it stands in the JSON document: for terminals without Unicode."""

    def formula(self, text: str) -> str:
        return text

    def prose(self, text: str) -> str:
        return text.encode("ascii", "replace").decode("ascii")

    verbatim = prose


def with_formulas(text: str, notation: Notation) -> str:
    """A sentence from the analysis with its formulas, which stand in backquotes, typeset."""
    pieces = text.split("`")
    return "".join(notation.formula(p) if i % 2 else notation.prose(p) for i, p in enumerate(pieces))


def listing(items: Iterable[str], last: str = "and") -> str:
    """``a, b and c``."""
    words = list(items)
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def sentence(text: str) -> str:
    """``text`` with one full stop at its end; the first letter is left alone (it may be a symbol)."""
    text = text.strip()
    return text if not text or text[-1] in ".!?" else text + "."


def mentions(expression: str | None, symbol: str) -> bool:
    """Whether ``symbol`` occurs in ``expression`` as a whole name."""
    return expression is not None and re.search(rf"(?<!\w){re.escape(symbol)}(?!\w)", expression) is not None
