"""An experiment: a folder of clips with what its ``experiment.yaml`` says, defaults where there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from identify.checked import Finding
from identify.errors import InputError
from identify.families.reading import nearest
from identify.families.tree import MOST_BYTES, Node
from identify.fit.clips.experiment_reading import ExperimentError, read_settings
from identify.fit.clips.folder import Clips, Skipped, find_clips
from identify.fit.clips.reference import Reference, bare, read_references, reference_for
from identify.fit.clips.settings import ClipRole, ClipSettings, Settings
from identify.fit.clips.source import Source
from identify.fit.film import Crop

FILE = "experiment.yaml"
_MOST_REFERENCE_BYTES = 50_000_000


@dataclass(frozen=True)
class Experiment:
    """The settings of a folder, and where in the file each of them stands; ``options`` were typed instead."""

    folder: Path
    settings: Settings = field(default_factory=Settings)
    file: Path | None = None
    text: str = ""
    tree: Node | None = None
    options: frozenset[str] = frozenset()

    @property
    def crop(self) -> Crop | None:
        """The region to look at, where it was given."""
        crop = self.settings.crop
        return None if crop is None else (crop[0], crop[1], crop[2], crop[3])

    def clip(self, name: str) -> ClipSettings:
        """What is said of one clip, called with or without its extension."""
        for written, settings in self.settings.clips.items():
            if _called(written, name):
                return settings
        return ClipSettings()

    def timing(self, name: str) -> tuple[float | None, float | None]:
        """A clip's fps and time_scale, its own before the common ones."""
        own, common = self.clip(name), self.settings
        fps = common.fps if own.fps is None else own.fps
        return fps, common.time_scale if own.time_scale is None else own.time_scale

    def trim(self, name: str) -> tuple[float | None, float | None]:
        """Start and stop of a clip in true time; None where the clip begins or ends by itself."""
        trim = self.clip(name).trim
        if trim is None:
            return None, None
        return trim[0], trim[1] if len(trim) > 1 else None

    def role(self, name: str) -> ClipRole:
        """What was typed first, then its own role, then the patterns; one list leaves the others the rest."""
        train, test = self.settings.train, self.settings.test
        for key, patterns in (("train", train), ("test", test)):
            if key in self.options and _matches(patterns, name):
                return "train" if key == "train" else "test"
        own = self.clip(name).role
        if own is not None:
            return own
        if _matches(test, name):
            return "test"
        if _matches(train, name) or not train:
            return "train"
        return "skip" if test else "test"

    def size(self, width: int, height: int) -> tuple[int, int] | None:
        """The size that a crop of that size is scaled to; None where nothing was asked for."""
        resize = self.settings.resize
        if resize is None:
            return None
        if len(resize) == 2:
            return resize[0], resize[1]
        scale = resize[0] / max(width, height)
        return max(1, round(width * scale)), max(1, round(height * scale))

    def check_names(self, names: Sequence[str]) -> None:
        """Every clip and pattern in the file means at least one clip, and no clip both trains and tests."""
        findings = [*self._strangers(names), *self._both(names)]
        typed = next((f for f in findings if f.field in self.options), None)
        if typed is not None:
            raise InputError(f"--{typed.field}: {typed.message}", hint=typed.hint)
        if findings:
            raise ExperimentError(FILE, self.text, findings)

    def references(self, sources: Sequence[Source]) -> dict[str, Reference]:
        """Physical states by clip: from the reference file, else from inside the clip's own file."""
        table = read_references(self._reference_file()) if self.settings.reference else {}
        found = {}
        for source in sources:
            reference = reference_for(table, source.name, len(sources) == 1) or source.reference
            if reference is not None:
                found[source.name] = reference
        return found

    def _reference_file(self) -> Path:
        file = self.folder / str(self.settings.reference)
        if not file.is_file():
            self._refuse(f"there is no file {self.settings.reference}", "reference")
        if file.stat().st_size > _MOST_REFERENCE_BYTES:
            self._refuse(
                f"{self.settings.reference} has more than {_MOST_REFERENCE_BYTES:,} bytes", "reference"
            )
        return file

    def _refuse(self, message: str, *steps: str | int) -> None:
        place = self.tree.place(*steps) if self.tree else (1, 1)
        raise ExperimentError(FILE, self.text, [Finding("input", message, *place)])

    def _strangers(self, names: Sequence[str]) -> list[Finding]:
        found = []
        for written in self.settings.clips:
            if not any(_called(written, name) for name in names):
                place = self.tree.key_place("clips", written) if self.tree else (1, 1)
                found.append(self._stranger(written, names, place))
        for key in ("train", "test"):
            for index, pattern in enumerate(getattr(self.settings, key)):
                if not any(_called(pattern, name) for name in names):
                    known = self.tree is not None and key not in self.options
                    place = self.tree.place(key, index) if self.tree and known else (1, 1)
                    found.append(self._stranger(pattern, names, place, key))
        return found

    @staticmethod
    def _stranger(written: str, names: Sequence[str], place: tuple[int, int], key: str = "clips") -> Finding:
        hint = nearest(written, names) or f"the clips are {', '.join(names[:12])}"
        return Finding("input", f"there is no clip '{written}'", *place, field=key, hint=hint)

    def _both(self, names: Sequence[str]) -> list[Finding]:
        train, test = self.settings.train, self.settings.test
        if len(self.options & {"train", "test"}) == 1:
            return []  # what was typed takes the clip from the other list, which stands in the file
        twice = [name for name in names if _matches(train, name) and _matches(test, name)]
        key = "train" if "train" in self.options else "test"
        place = self.tree.key_place(key) if self.tree and key not in self.options else (1, 1)
        told = "the clip '{}' is in train and in test"
        hint = "a clip is fitted or held out: name in train and in test which is which"
        return [Finding("input", told.format(name), *place, field=key, hint=hint) for name in twice[:5]]


def read_experiment(folder: Path, **changes: Any) -> Experiment:
    """What the folder's ``experiment.yaml`` says; ``changes`` replace single settings, as options do."""
    folder = Path(folder)
    file = folder / FILE
    options = frozenset(key for key, value in changes.items() if value is not None)
    if not folder.is_dir() or not file.is_file():
        return Experiment(folder, _changed(Settings(), changes), options=options)
    try:
        with file.open("rb") as opened:
            content = opened.read(MOST_BYTES + 1)
    except OSError as error:
        raise InputError(
            f"cannot read {file}: {error.strerror or error}",
            hint="check that the file exists and that you may read it",
        ) from None
    settings, tree, text = read_settings(content, FILE)
    return Experiment(folder, _changed(settings, changes), file, text, tree, options)


def _changed(settings: Settings, changes: Mapping[str, Any]) -> Settings:
    """The settings with some replaced; another law than the file's leaves that one's conditions behind."""
    given = {key: value for key, value in changes.items() if value is not None}
    values = {**settings.model_dump(), **given}
    for key, other in (("law", "family"), ("family", "law")):
        if key in given and other not in given:
            values[other] = None
        stated = getattr(settings, key) or getattr(settings, other)
        if key in given and stated is not None and _bare(stated) != _bare(given[key]):
            values |= {"assume": [], "domain": []}
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise InputError(
            f"{'.'.join(map(str, first['loc']))}: {first['msg']}",
            hint="docs/fit.md lists what experiment.yaml may hold",
        ) from None


def _bare(text: str) -> str:
    return "".join(text.split())


def open_clips(experiment: Experiment) -> Clips:
    """The folder's clips with their rates and time scales; those with the role skip are among the skipped."""
    found = find_clips(experiment.folder, experiment.timing)
    experiment.check_names([source.name for source in found] + [skipped.name for skipped in found.skipped])
    kept = [source for source in found if experiment.role(source.name) != "skip"]
    why = (
        "neither in --train nor in --test"
        if experiment.options & {"train", "test"}
        else f"left out by {FILE}"
    )
    left = [
        Skipped(source.name, source.path, why) for source in found if experiment.role(source.name) == "skip"
    ]
    return Clips(kept, [*found.skipped, *left])


def _called(written: str, name: str) -> bool:
    """Whether a name or pattern, with or without the extension of a file, means the clip."""
    return name == written or any(
        fnmatchcase(called, pattern) for called in {name, bare(name)} for pattern in {written, bare(written)}
    )


def _matches(patterns: Sequence[str], name: str) -> bool:
    return any(_called(pattern, name) for pattern in patterns)
