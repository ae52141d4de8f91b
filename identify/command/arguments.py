"""Laws may begin with a minus sign: ``identify analyze "-z''+a*z=0"`` needs no ``--``."""

from __future__ import annotations

import re
from collections.abc import Sequence

_WITH_VALUE = frozenset(
    """--assume --domain --format --timeout --memory --output -o --anchor --unit --family --require
    --parameters --interval --clips --levels --duration --rate --speed --initial --plot --parameter --map
    --velocities""".split()
)
_WITH_LAW = frozenset({"analyze", "plan", "alias"})
_PRIME = re.compile("['\"′″’]")
_OPERATOR = re.compile(r"[*^=+/(|\s]")


def protect_law(arguments: Sequence[str]) -> list[str]:
    """``arguments`` with a law that begins with ``-`` moved behind ``--``, where no option is read."""
    given = list(arguments)
    if not given or given[0] not in _WITH_LAW or "--" in given:
        return given
    position = 1
    while position < len(given):
        word = given[position]
        if word in _WITH_VALUE:
            position += 2
        elif _is_law(word):
            return [*given[:position], *given[position + 1 :], "--", word]
        else:
            position += 1
    return given


def _is_law(word: str) -> bool:
    """Whether a word that begins with ``-`` is a law rather than a (perhaps misspelt) option.

    A long option keeps its meaning, also as ``--assume=...``, and so does ``-oFILE``; ``-o''+o=0`` is a law.
    """
    if not word.startswith("-") or word == "-" or re.match(r"--[a-z]+(-[a-z]{2,})*(=|$)", word):
        return False
    if _PRIME.search(word):
        return True
    return not word.startswith("-o") and (_OPERATOR.search(word) is not None or not word[1].isalpha())
