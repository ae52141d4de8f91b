"""Where a family that another one extends is looked for."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

from identify.families.catalogue import SUFFIXES, catalogue_folder


@dataclass
class Lookup:
    """Finds the families that others extend; remembers every path it tried, for the cache.

    ``tried`` maps a path (relative to the folder of the file, or "catalogue/...") to the hash of its
    content, or to None where there was no such file.
    """

    folder: Path
    tried: dict[str, str | None] = field(default_factory=dict)

    def read(self, name: str) -> bytes | None:
        """The content of NAME.yaml, or None."""
        for key in [*(f"{name}{suffix}" for suffix in SUFFIXES), f"catalogue/{name}.yaml"]:
            content = probe(self.folder, key)
            self.tried[key] = None if content is None else hashlib.sha256(content).hexdigest()
            if content is not None:
                return content
        return None


def probe(folder: Path, key: str) -> bytes | None:
    """The content behind a key of ``Lookup.tried``, or None."""
    name = key.removeprefix("catalogue/")
    path = (folder if name == key else catalogue_folder()) / name
    try:
        return path.read_bytes()
    except OSError:
        return None
