"""Text of a stranger made fit for a terminal, which would obey the control characters in it."""

from __future__ import annotations

import re

_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    """The text with control characters (line ends apart), reversals and halves of characters replaced."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def one_line(text: str) -> str:
    """A printable text without line ends, such as a name."""
    return printable(text).replace("\n", "\N{REPLACEMENT CHARACTER}")
