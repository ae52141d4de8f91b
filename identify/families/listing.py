"""The catalogue as a list, and one family of it ready for analysis."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from identify.errors import InputError
from identify.families.catalogue import catalogue_files, find_family

if TYPE_CHECKING:
    from identify.families.declared import Declared
    from identify.families.lawful import Lawful


@dataclass(frozen=True)
class Entry:
    """One line of the list; ``text`` is the whole file in lower case, for the search."""

    name: str
    title: str
    tags: tuple[str, ...]
    law: str | None
    extends: str | None
    path: str
    text: str

    def to_dict(self) -> dict[str, Any]:
        """Everything but the text."""
        return {key: value for key, value in asdict(self).items() if key != "text"}


def entries() -> list[Entry]:
    """The catalogue; InputError where one of its files is broken or there is none."""
    found = [_entry(path) for path in catalogue_files()]
    if not found:
        raise InputError(
            "the catalogue is not installed", hint="install the package again: the catalogue comes with it"
        )
    return found


def _entry(path: Path) -> Entry:
    from identify.families.tree import decode, read_tree

    text, findings = decode(path.read_bytes())
    tree = None
    if not findings:
        tree, findings = read_tree(text)
    if tree is None:
        first = findings[0]
        raise InputError(
            f"{path}:{first.line}:{first.column}: {first.message}",
            hint="identify check FILE lists every mistake of a family file",
        )
    data = tree.plain()
    listed = data.get("tags", [])
    return Entry(
        path.stem,
        str(data.get("title", "")),
        tuple(map(str, listed)) if isinstance(listed, list) else (),
        data.get("law"),
        data.get("extends"),
        str(path),
        text.casefold(),
    )


def select(found: list[Entry], tags: list[str], search: str | None) -> list[Entry]:
    """The entries that have all the tags and contain all the words."""
    words = (search or "").casefold().split()
    return [
        entry
        for entry in found
        if all(tag in entry.tags for tag in tags) and all(word in entry.text for word in words)
    ]


def load(name: str) -> tuple[Declared, Lawful]:
    """A family of the catalogue, or of a file, with its law; InputError says what is wrong with it."""
    from identify.families.declared import declare
    from identify.families.lawful import read_declared
    from identify.families.lookup import Lookup
    from identify.families.reading import read_family
    from identify.families.tree import decode

    path = find_family(name)
    text, findings = decode(path.read_bytes())
    file = declared = lawful = None
    if not findings:
        file, findings = read_family(text, path.stem)
    if file is not None:
        declared, findings = declare(file, Lookup(path.parent))
    if declared is not None:
        lawful, findings = read_declared(declared)
    if declared is None or lawful is None:
        lines = [f"{path}:{f.line}:{f.column}: {f.message}" for f in findings]
        raise InputError("\n".join(lines), hint="identify check FILE lists every mistake of a family file")
    return declared, lawful


def published_schema() -> str:
    """The JSON Schema as it ships with the package."""
    return (files("identify") / "families" / "schema.json").read_text(encoding="utf-8")
