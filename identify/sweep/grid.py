"""``SweepFile -> tasks``: every combination of every grid, each once; checked before the first fit."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from identify.errors import InputError
from identify.sweep.reading import SweepFile
from identify.sweep.simulated import Simulated
from identify.sweep.spec import MOST_TASKS, Grid, Source, Stated
from identify.sweep.task import Task
from identify.sweep.videos import Videos

_LOOK = "noise brightness texture blur flicker shade".split()
_MOST_FOLDERS = 10_000

Settings = dict[str, Any]


def tasks_of(file: SweepFile) -> list[Task]:
    """The tasks in the order of the file; a task that two grids have is done once."""
    found: dict[str, Task] = {}
    for number, grid in enumerate(file.sweep.grids):
        expansion = _Expansion(file, grid, number)
        if len(found) + expansion.count > MOST_TASKS:
            raise file.refuse(f"more than {MOST_TASKS:,} fits", "grids", number, hint="split the file")
        for task in expansion.tasks():
            found.setdefault(task.key, task)
    return list(found.values())


@dataclass(frozen=True)
class _Expansion:
    """One grid of a file."""

    file: SweepFile
    grid: Grid
    number: int

    @property
    def count(self) -> int:
        """An upper bound on the tasks, before patterns are looked up."""
        shown, fits = math.prod(map(len, self.shown().values())), math.prod(map(len, self.fits().values()))
        sources = len(self.grid.experiments or ()) + sum(len(s.initial or [0]) for s in self.grid.laws or ())
        return max(1, sources * shown + len(self.grid.videos or ())) * fits

    def tasks(self) -> Iterator[Task]:
        """Data outside, fits inside: the fits of one collection follow each other."""
        fits = [_method(point) for point in _points(self.fits())]
        for data in self.data():
            for fit in fits:
                yield Simulated(**data, **fit).task()
        for folder in self.folders():
            for fit in fits:
                yield Videos.of(folder, fit).task()

    def data(self) -> Iterator[Settings]:
        """What is filmed: a source, a collection, and how the camera sees it."""
        sources = [*self.experiments(), *self.laws()]
        for source, point in product(sources, _points(self.shown())):
            look = {name: value for name, value in point.items() if name in _LOOK}
            rest = {name: value for name, value in point.items() if name not in _LOOK}
            yield {**source, **rest, "look": {**look, **({"colour": True} if self.grid.colour else {})}}

    def shown(self) -> dict[str, Sequence[Any]]:
        """The axes of the data."""
        axes: dict[str, Sequence[Any] | None] = {"collection": self.grid.collections}
        axes |= {name: getattr(self.grid, name) for name in ("clips", "size", "rate", "duration", *_LOOK)}
        return {name: values for name, values in axes.items() if values is not None}

    def fits(self) -> dict[str, Sequence[Any]]:
        """The axes of the fit."""
        grid = self.grid
        axes: dict[str, Sequence[Any] | None] = {
            "fitted": None if grid.fitted is None else [self.stated(i) for i in range(len(grid.fitted))],
            "method": grid.methods,
            "updates": grid.updates,
            "preset": grid.preset,
            "time_limit": grid.time_limit,
            "seed": grid.seeds,
        }
        return {name: values for name, values in axes.items() if values is not None}

    def experiments(self) -> Iterator[Settings]:
        from identify.scene.protocol import PROTOCOLS

        for index, name in enumerate(self.grid.experiments or ()):
            if name not in PROTOCOLS:
                raise self.refuse(
                    f"the paper has no experiment '{name[:80]}'",
                    "experiments",
                    index,
                    hint=f"one of {', '.join(PROTOCOLS)}; other families go under laws",
                )
            yield {"experiment": name}

    def laws(self) -> Iterator[Settings]:
        for index, source in enumerate(self.grid.laws or ()):
            self.check(source, index)
            fixed = {
                "law": source.law,
                "family": source.family,
                "parameters": source.parameters,
                "assume": source.assume or None,
                "domain": source.domain or None,
                "scene": source.scene,
            }
            collections: Sequence[Any] = source.initial or [None]
            for initial in collections:
                yield {**fixed, "initial": initial}

    def check(self, source: Source, index: int) -> None:
        """Whether the law can be simulated at its values."""
        from identify.scene.lawbook import from_catalogue, from_law
        from identify.sweep.simulated import typed

        values = typed(source.parameters)
        try:
            if source.family is not None:
                from_catalogue(source.family, values, source.scene)
            else:
                from_law(source.law or "", values, source.assume, source.domain, source.scene)
        except InputError as error:
            hint = error.hint or ""
            if "--parameters" in hint:  # that is how a command is told; a file has a key for it
                hint = "give every parameter of the law a value: parameters: {name: value, ...}"
            raise self.refuse(error.message, "laws", index, hint=hint or None) from None

    def stated(self, index: int) -> Mapping[str, Any]:
        """A law to fit, written out."""
        from identify.families.listing import load
        from identify.law import read_law

        assert self.grid.fitted is not None
        stated: Stated = self.grid.fitted[index]
        law, assume, domain = stated.law or "", list(stated.assume), list(stated.domain)
        try:
            if stated.family is not None:
                declared, lawful = load(stated.family)
                law, assume, domain = declared.law.text, list(lawful.assume), list(lawful.domain)
            read_law(law, assume, domain)
        except InputError as error:
            raise self.refuse(error.message, "fitted", index, hint=error.hint) from None
        return {"fitted": law, "fitted_assume": assume or None, "fitted_domain": domain or None}

    def folders(self) -> Iterator[Path]:
        base = self.file.path.absolute().parent
        for index, pattern in enumerate(self.grid.videos or ()):
            try:
                found = _matching(base, pattern)
            except (ValueError, NotImplementedError, RecursionError):
                raise self.refuse(f"{pattern[:80]} is no pattern of folders", "videos", index) from None
            if not found:
                raise self.refuse(f"there is no folder {pattern[:80]}", "videos", index)
            if len(found) > _MOST_FOLDERS:
                raise self.refuse(f"more than {_MOST_FOLDERS:,} folders", "videos", index)
            yield from found

    def refuse(self, message: str, key: str, index: int, hint: str | None = None) -> InputError:
        """An error at an item of the grid."""
        return self.file.refuse(message, "grids", self.number, key, index, hint=hint)


def _points(axes: Mapping[str, Sequence[Any]]) -> Iterator[Settings]:
    """Every combination of the axes, the last one fastest."""
    for values in product(*axes.values()):
        yield dict(zip(axes, values, strict=True))


def _method(point: Settings) -> Settings:
    """A point of the fit's axes as settings; the default method knows no updates and no preset."""
    stated = point.pop("fitted", {})
    if point["method"] != "paper":
        point = {name: value for name, value in point.items() if name not in ("updates", "preset")}
    return {**stated, **point}


def _matching(base: Path, pattern: str) -> list[Path]:
    """The folders of a pattern, relative to the file."""
    path = Path(pattern)
    if not any(mark in pattern for mark in "*?["):
        return [base / path] if (base / path).is_dir() else []
    root, rest = (Path(path.anchor), path.relative_to(path.anchor)) if path.anchor else (base, path)
    return sorted(folder for folder in root.glob(str(rest)) if folder.is_dir())
