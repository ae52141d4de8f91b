"""The words of the reports and the documentation: each noun once, as data in ``glossary.toml``."""

from __future__ import annotations

import difflib
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True)
class Entry:
    """A term, its other spellings, what it means, and where to read on."""

    term: str
    also: tuple[str, ...]
    text: str
    see: tuple[str, ...]


@cache
def entries() -> dict[str, Entry]:
    """All entries by term, in alphabetical order."""
    read = tomllib.loads(resources.files("identify").joinpath("glossary.toml").read_text(encoding="utf-8"))
    found = (
        Entry(term, tuple(e.get("also", ())), " ".join(e["text"].split()), tuple(e.get("see", ())))
        for term, e in read.items()
    )
    return {entry.term: entry for entry in sorted(found, key=lambda entry: entry.term.lower())}


def look_up(word: str) -> Entry | None:
    """The entry of a term or of one of its other spellings; case, hyphens and underscores do not matter."""
    return _spellings().get(_plain(word))


def near(word: str, most: int = 3) -> list[str]:
    """Terms that are spelled like ``word`` or contain it, the likeliest first."""
    plain, spellings = _plain(word), _spellings()
    alike = difflib.get_close_matches(plain, spellings, n=2 * most, cutoff=0.6)
    alike += [spelling for spelling in spellings if len(plain) > 2 and plain in spelling]
    return list(dict.fromkeys(spellings[spelling].term for spelling in alike))[:most]


@cache
def _spellings() -> dict[str, Entry]:
    """Every spelling; a term comes before another entry's second spelling."""
    second = {_plain(word): entry for entry in entries().values() for word in entry.also}
    return {**second, **{_plain(entry.term): entry for entry in entries().values()}}


def _plain(word: str) -> str:
    return " ".join(word.lower().replace("-", " ").replace("_", " ").split())
