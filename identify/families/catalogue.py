"""Where families are found: paths given by the user, and the catalogue that ships with the package."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable
from pathlib import Path

import identify
from identify.errors import InputError

SUFFIXES = (".yaml", ".yml")


def catalogue_folder() -> Path:
    """The catalogue inside an installed package, else the folder ``families`` of the checkout."""
    package = Path(identify.__file__).parent
    installed = package / "catalogue"
    return installed if installed.is_dir() else package.parent / "families"


def catalogue_files() -> list[Path]:
    """The files of the catalogue, by name."""
    return _inside(catalogue_folder())


def find_family(name: str) -> Path:
    """The file of a catalogue name, or the file itself where a path is given."""
    path = Path(name)
    if path.suffix in SUFFIXES or "/" in name or "\\" in name:
        if path.is_file():
            return path
        raise InputError(
            f"there is no file {name}",
            hint="identify families lists the catalogue; identify init NAME.yaml writes a file",
        )
    known = {file.stem: file for file in catalogue_files()}
    if name in known:
        return known[name]
    from difflib import get_close_matches

    near = get_close_matches(name, known, 3, 0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else "identify families lists them"
    raise InputError(f"the catalogue has no family '{name[:80]}'", hint=hint)


def find_files(paths: Iterable[str]) -> list[Path]:
    """The family files of files, folders (searched to the bottom) and globs, each once, in order."""
    found: dict[str, Path] = {}
    for given in paths:
        for path in _expanded(given):
            found.setdefault(os.path.realpath(path), path)
    return list(found.values())


def _expanded(given: str) -> list[Path]:
    path = Path(given)
    if path.is_dir():
        files = _inside(path)
        if not files:
            raise InputError(
                f"there are no .yaml files in {given}", hint="identify init NAME.yaml writes one"
            )
        return files
    if path.exists():
        return [path]
    matches = sorted(glob.glob(given, recursive=True))
    files = [
        file
        for match in matches
        for file in (_inside(Path(match)) if Path(match).is_dir() else [Path(match)])
    ]
    if not files:
        raise InputError(
            f"there is no file or folder {given}",
            hint="identify families lists the catalogue; identify init NAME.yaml writes a file",
        )
    return files


def _inside(folder: Path) -> list[Path]:
    """The YAML files below the folder; hidden files and folders are left out."""
    return sorted(
        path
        for path in folder.rglob("*")
        if path.suffix in SUFFIXES
        and path.is_file()
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    )
