"""Fits of folders of clips: what ``identify fit`` does with a folder, as a row."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from identify.errors import InputError
from identify.sweep.task import Task

_MOST_FILES = 10_000


@dataclass(frozen=True)
class Videos:
    """One folder and how to fit it; the law is that of its experiment.yaml unless one is given.

    ``state`` changes with the folder's files (names, sizes, times), so that a clip that was added is fitted.
    """

    folder: str
    state: str
    fitted: str | None = None
    fitted_assume: Sequence[str] | None = None
    fitted_domain: Sequence[str] | None = None
    method: str = "default"
    seed: int = 0
    preset: str | None = None
    updates: int | None = None
    time_limit: float | None = None

    @classmethod
    def of(cls, folder: Path, fit: Mapping[str, Any]) -> Videos:
        """The fit of a folder as it is now."""
        return cls(str(folder), folder_state(folder), **fit)

    def task(self) -> Task:
        """The task that does it."""
        return Task("videos", {k: v for k, v in asdict(self).items() if v is not None})


def folder_state(folder: Path) -> str:
    """A hash of what is in the folder; the run folder of an earlier fit does not count."""
    files = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_file():
                about = entry.stat()
                files.append((entry.name, about.st_size, about.st_mtime_ns))
            if len(files) > _MOST_FILES:
                raise InputError(
                    f"{folder} has more than {_MOST_FILES:,} files",
                    hint="name a folder that holds the clips only",
                )
    return hashlib.sha256(repr(sorted(files)).encode()).hexdigest()[:16]


def run(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Decision, parameters, metrics where there are references, and evidence of one folder."""
    from identify.fit.results.flow import run as fit_folder
    from identify.fit.results.progress import Progress

    with tempfile.TemporaryDirectory(prefix="identify-sweep-") as out:
        conclusion = fit_folder(_plan(Videos(**settings), Path(out)), Progress(shown=False), isolated=True)
    return _result(conclusion.document)


def _plan(asked: Videos, out: Path) -> Any:
    from identify.fit.clips.experiment import read_experiment
    from identify.fit.results.conclusion import Asked
    from identify.fit.results.filmed import Plan
    from identify.law import read_law

    folder = Path(asked.folder)
    if not folder.is_dir():
        raise InputError(f"there is no folder {folder}", hint="a cluster needs it at the same place")
    said = read_experiment(folder).settings
    law, assume, domain = asked.fitted, asked.fitted_assume or (), asked.fitted_domain or ()
    if law is None:
        law, assume, domain = _law_of(said)
    return Plan(
        folder=folder,
        out=out,
        law=read_law(law, assume, domain),
        asked=Asked(tuple(said.anchors), dict(said.units)),
        method=asked.method,
        seed=asked.seed,
        time_limit=asked.time_limit,
        updates=asked.updates,
        preset=asked.preset,
    )


def _law_of(said: Any) -> tuple[str, Sequence[str], Sequence[str]]:
    """The law of an experiment.yaml, or of its family."""
    from identify.families.listing import load

    if said.law is not None:
        return said.law, said.assume, said.domain
    if said.family is None:
        raise InputError(
            "which law? Give it in experiment.yaml, or under fitted", hint="fitted: \"z''+a*z=0\""
        )
    declared, lawful = load(said.family)
    return declared.law.text, [*lawful.assume, *said.assume], [*lawful.domain, *said.domain]


def _result(document: Mapping[str, Any]) -> dict[str, Any]:
    metrics = document["metrics"] or {}
    fit = document["fit"] or {}
    return {
        "accepted": document["accepted"],
        "reason": document["reason"],
        "warnings": document["warnings"],
        "parameters": document["parameters"],
        "calibrated": document["calibrated"],
        **{name: metrics.get(name) for name in ("e_map", "e_theta", "e_dyn")},
        "iterations": int(document["evidence"].get("updates", len(fit.get("candidates", ())))),
        "evidence": {k: v for k, v in document["evidence"].items() if k != "seconds"},
        "fit_seconds": document["seconds"].get("fitting"),
    }
