"""A folder of clips -> films, or why there are none; with what a report says of the clips."""

from __future__ import annotations

import dataclasses
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from identify.errors import InputError
from identify.fit.film import Crop
from identify.fit.results.anchor import check_places
from identify.fit.results.conclusion import Asked
from identify.fit.results.metrics import Truth
from identify.fit.results.pictures import Picture
from identify.fit.results.preparation import preparation
from identify.fit.results.progress import Progress
from identify.law import Law

Trimmed = tuple[float | None, float | None]
_LONG_SWING = 4.0  # seconds: a pendulum of 4 m


@dataclass(frozen=True)
class Plan:
    """What is to be done: the folder, the law, and everything that was chosen by hand."""

    folder: Path
    out: Path
    law: Law
    family: str | None = None
    asked: Asked = field(default_factory=Asked)
    changes: Mapping[str, Any] = field(default_factory=dict)  # of experiment.yaml, as options do
    trims: Mapping[str, Trimmed] = field(default_factory=dict)
    method: str = "default"
    device: str = "cpu"
    seed: int = 0
    seeds: int = 1
    time_limit: float | None = None
    updates: int | None = None  # of the paper's method, as is the preset
    preset: str | None = None
    resume: bool = False


@dataclass(frozen=True)
class Filmed:
    """The clips as films, or the refusal; ``pictures`` show what was found."""

    prepared: Any
    data: dict[str, Any]
    truth: Truth | None
    pictures: tuple[Picture, ...]
    warnings: tuple[str, ...]
    size: tuple[int, int]  # of the clips' frames, most of them
    crop: Crop | None
    clock_stated: bool  # whether somebody said what the clips' times are

    @property
    def refused(self) -> bool:
        """Whether no film could be made."""
        return not hasattr(self.prepared, "views")


def film(plan: Plan, progress: Progress, since: Callable[[], float] | None = None) -> Filmed:
    """The clips of the folder as films; ``since`` tells the seconds spent, where there is a limit to keep."""
    from identify.fit.clips.experiment import open_clips, read_experiment
    from identify.fit.prepare import Options, prepare

    experiment = read_experiment(plan.folder, **plan.changes)
    sources = open_clips(experiment)
    if not sources:
        reasons = "; ".join(f"{s.name}: {s.reason}" for s in sources.skipped[:5])
        raise InputError(
            f"no clip in {plan.folder} can be used ({reasons})",
            hint="identify fit DIR --dry-run shows what is seen in each clip",
        )
    names = [source.name for source in sources]
    check_places(plan.asked.anchors, plan.law, names)
    given = _by_clip(plan.trims, names)
    trims = {name: given.get(name, experiment.trim(name)) for name in names}
    channel = experiment.settings.channel
    options = Options(
        crop=experiment.crop,
        channel=None if channel == "auto" else channel,
        trims={name: trim for name, trim in trims.items() if trim != (None, None)},
        roles={name: "test" if experiment.role(name) == "test" else "train" for name in names},
    )
    untold = [source for source in sources if experiment.timing(source.name) == (None, None)]
    prepared: Any = clock_refusal(untold)
    if prepared is None:
        with warnings.catch_warnings():  # means over nothing are nan, and treated as such
            warnings.simplefilter("ignore", RuntimeWarning)
            prepared = _in_time(plan, lambda told: prepare(sources, options, told), progress, since)
    prepared = _with_references(prepared, experiment.references(sources))
    return Filmed(
        prepared,
        _data(prepared, sources),
        _truth(experiment),
        tuple(preparation(prepared)),
        (*_skipped(sources), *clock_warnings(sources), *getattr(prepared, "warnings", ())),
        Counter((s.info.width, s.info.height) for s in sources).most_common(1)[0][0],
        experiment.crop,
        not untold or bool(experiment.settings.truth),
    )


class _TimeUp(Exception):
    """Reading took longer than the command may take."""


def _in_time(
    plan: Plan, work: Callable[[Any], Any], progress: Progress, since: Callable[[], float] | None
) -> Any:
    """The preparation, or its refusal where the time limit passes meanwhile."""
    from identify.fit.prepare.prepared import Refused

    limit = plan.time_limit
    if limit is None or since is None:
        return work(progress)

    def told(fraction: float, text: str = "") -> None:
        if since() > limit:
            raise _TimeUp(text)
        progress(fraction, text)

    try:
        return work(told)
    except _TimeUp as up:
        reason = f"the time limit of {limit:g} s passed while the clips were read ({up})"
        return Refused("time limit", reason, "give a longer --time-limit, or less to read with --trim")


def _skipped(sources: Any) -> list[str]:
    return [f"{s.name} is skipped: {s.reason}" for s in getattr(sources, "skipped", ())][:8]


def clock_warnings(sources: Iterable[Any]) -> list[str]:
    """Clips whose camera noted another rate than their times have: slow motion that nobody else can see."""
    return [f"{source.name}: {source.info.clock}" for source in sources if source.info.clock]


def clock_refusal(sources: Iterable[Any]) -> Any:
    """The refusal of clips whose clock the camera contradicts while nobody said which is right; else None.

    Every rate in the answer would be wrong by a power of the factor, and no picture shows it.
    """
    from identify.fit.prepare.prepared import Refused

    told = clock_warnings(sources)
    if not told:
        return None
    more = f"; so do {len(told) - 1} more" if len(told) > 1 else ""
    return Refused(
        "clock",
        f"a clip may be slow motion: {told[0]}{more}",
        "say which is right: --time-scale with that factor if it is slow motion, --time-scale 1 if the times "
        "of the file are true (time_scale: in experiment.yaml, for all clips or for one)",
    )


def clock_reminder(evidence: Mapping[str, float]) -> list[str]:
    """A reminder where the motion is so slow that the clips may be slow motion: frames cannot tell."""
    tempo = evidence.get("tempo", 0.0)
    if tempo < _LONG_SWING:
        return []
    return [
        f"a swing takes about {tempo:.0f} s by the clips' times: if the scene was faster, they are slow "
        "motion; give --time-scale (1 where the times are true)"
    ]


def _by_clip(trims: Mapping[str, Trimmed], names: list[str]) -> dict[str, Trimmed]:
    """The trims by the clips' own names, typed with or without the extension of a file."""
    from identify.fit.clips.reference import bare

    found: dict[str, Trimmed] = {}
    for typed, trim in trims.items():
        meant = [name for name in names if typed == name or bare(typed) == bare(name)]
        if not meant:
            listed = ", ".join(names[:12])
            raise InputError(f"--trim: there is no clip '{typed}'", hint=f"clips are {listed}")
        found |= dict.fromkeys(meant, trim)
    return found


def _with_references(prepared: Any, references: Mapping[str, Any]) -> Any:
    """The films with the physical state at their frames, where a reference tells it."""
    if not references or not hasattr(prepared, "views"):
        return prepared
    clip_of = {trim.film: trim.clip for trim in getattr(prepared, "trims", ())}
    views = []
    for view in prepared.views:
        films = tuple(
            dataclasses.replace(f, reference=references[clip_of.get(f.name, f.name)].at(f.time))
            if clip_of.get(f.name, f.name) in references
            else f
            for f in view.films
        )
        views.append(dataclasses.replace(view, films=films))
    return dataclasses.replace(prepared, views=tuple(views))


def _truth(experiment: Any) -> Truth | None:
    """The true parameters that a simulated folder carries."""
    values = getattr(experiment.settings, "truth", None)
    if not values:
        return None
    return Truth({str(name): float(value) for name, value in dict(values).items()})


def _data(prepared: Any, sources: Any) -> dict[str, Any]:
    """Clips used, trims, crop, frame counts."""
    films = prepared.views[0].films if getattr(prepared, "views", ()) else ()
    trims = {trim.film: trim for trim in getattr(prepared, "trims", ())}
    clips = []
    for one in films:
        trim = trims.get(one.name)
        entry = {"name": one.name, "role": one.role, "frames": one.count, "used": one.count}
        entry |= {"from": float(one.time[0]), "to": float(one.time[-1])} if one.count else {}
        if trim is not None:
            entry |= {"clip": trim.clip, "begins": trim.begins, "ends": trim.ends}
            entry["note"] = f"begins: {trim.begins}; ends: {trim.ends}"
        clips.append(entry)
    return {
        "clips": clips,
        "crop": getattr(prepared, "region", None),
        "views": [view.name for view in getattr(prepared, "views", ())],
        "skipped": [{"name": s.name, "reason": s.reason} for s in getattr(sources, "skipped", ())],
        "notes": [note for source in sources for note in source.notes][:50],
    }
