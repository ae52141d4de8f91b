"""Results kept by content: an unchanged file, checked by the same engine, is not analysed again.

The key is the hash of the file's content and of everything that could change the answer: the source of
the engine, the versions of the libraries it computes with, of Python, and the file's name.  What the
file extends is recorded beside the result, and compared when it is read.  Undecided results are not
kept, since more time or less load could decide them.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import identify
from identify.checked import Checked
from identify.files import write_whole

MOST_ENTRIES = 5000
_LIBRARIES = ("sympy", "mpmath", "python-flint", "pydantic", "ruamel.yaml")
_NOT_ENGINE = ("command", "report", "page", "fit", "catalogue")


def default_folder() -> Path | None:
    """The user's cache folder, by the custom of the system; None for a user without a home folder."""
    try:
        return _cache_folder() / "identify-ode" / "check"
    except RuntimeError:
        return None


def _cache_folder() -> Path:
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base)


class Cache:
    """Entries in one folder, a JSON file each; a folder that cannot be used is a cache that is empty."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    def get(self, path: str, content: bytes) -> Checked | None:
        """The kept result for this content, if all that it depends on is unchanged."""
        if self.folder is None:
            return None
        key = _key(path, content)
        try:
            entry = json.loads((self.folder / f"{key}.json").read_text(encoding="utf-8"))
            if entry["key"] != key or not _unchanged(Path(path).parent, entry["tried"]):
                return None
            return Checked.from_dict({**entry["result"], "path": path, "cached": True})
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def put(self, path: str, content: bytes, checked: Checked, tried: dict[str, str | None]) -> None:
        """Keep a result; a failure to write costs time on the next run and nothing else."""
        if self.folder is None or checked.outcome == "undecided":
            return
        key = _key(path, content)
        entry = {"key": key, "tried": tried, "result": checked.to_dict()}
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_whole(self.folder / f"{key}.json", json.dumps(entry))
        except OSError:
            return

    def prune(self) -> None:
        """Drop the oldest entries of a cache that has grown too large."""
        if self.folder is None or not self.folder.is_dir():
            return
        entries = list(self.folder.glob("*.json"))
        if len(entries) <= MOST_ENTRIES:
            return
        try:
            entries.sort(key=lambda entry: entry.stat().st_mtime)
            for entry in entries[: len(entries) - MOST_ENTRIES // 2]:
                entry.unlink(missing_ok=True)
        except OSError:
            return


def _key(path: str, content: bytes) -> str:
    digest = hashlib.sha256(engine_hash().encode())
    digest.update(Path(path).name.encode("utf-8", "surrogateescape") + b"\0" + content)
    return digest.hexdigest()


def _unchanged(folder: Path, tried: dict[str, str | None]) -> bool:
    """Whether every file that was looked for is as it was, also those that were not there."""
    return all(_hash(folder, key) == found for key, found in tried.items())


def _hash(folder: Path, key: str) -> str | None:
    from identify.families.lookup import probe

    content = probe(folder, key)
    return None if content is None else hashlib.sha256(content).hexdigest()


@lru_cache(maxsize=1)
def engine_hash() -> str:
    """The hash of the package's source, its libraries' versions and Python's."""
    package = Path(identify.__file__).parent
    digest = hashlib.sha256(f"{sys.version_info[:3]} {identify.__version__}".encode())
    for library in _LIBRARIES:
        digest.update(f"{library} {_version(library)}".encode())
    for source in sorted(package.rglob("*.py")):
        if source.relative_to(package).parts[0] not in _NOT_ENGINE:
            digest.update(source.relative_to(package).as_posix().encode() + b"\0" + source.read_bytes())
    return digest.hexdigest()


def _version(library: str) -> Any:
    try:
        return version(library)
    except PackageNotFoundError:
        return None
