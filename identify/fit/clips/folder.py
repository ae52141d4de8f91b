"""A folder -> its clips in natural order, and what was left out and why; a broken clip stops no other."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

from identify.fit.clips import arrays, images, video
from identify.fit.clips.images import natural
from identify.fit.clips.info import ClipError, check_size
from identify.fit.clips.source import Source, open_arrays, open_images, open_video
from identify.printable import one_line

_MOST_ENTRIES = 200_000
_RUN_FILES = ("report.json", "latent.csv", "weights.safetensors")
_NUMBERED = re.compile(r"[0-9]")

Timing = Callable[[str], tuple[float | None, float | None]]  # a clip's name -> its fps and time_scale


@dataclass(frozen=True)
class Skipped:
    """A clip that was left out: why, and what would help."""

    name: str
    path: Path
    reason: str
    hint: str | None = None


class Clips(list[Source]):
    """The clips that can be read; ``skipped`` are those that cannot."""

    def __init__(self, sources: Iterable[Source] = (), skipped: Iterable[Skipped] = ()) -> None:
        super().__init__(sources)
        self.skipped = tuple(skipped)


def find_clips(folder: Path, timing: Timing | None = None) -> Clips:
    """All clips of a folder, or the one at a path; each has been opened and its packets counted.

    ``timing`` gives a clip's fps and time_scale by name.  InputError where the path itself is no use.
    """
    sources, skipped, taken = [], [], set[str]()
    for opener in _openers(Path(folder)):
        try:
            for found in opener.open():
                source = replace(found, name=_readable(found.name, taken))
                try:
                    sources.append(_ready(source, timing))
                except ClipError as error:
                    skipped.append(Skipped(source.name, source.path, error.message, error.hint))
        except ClipError as error:
            skipped.append(Skipped(_readable(opener.name, taken), opener.path, error.message, error.hint))
    return Clips(sources, skipped)


def _readable(name: str, taken: set[str]) -> str:
    """The name as it can be shown and written; two that look the same then are numbered."""
    plain = one_line(name)
    unique = next(text for n in count(1) if (text := plain if n == 1 else f"{plain} ({n})") not in taken)
    taken.add(unique)
    return unique


def _ready(source: Source, timing: Timing | None) -> Source:
    if timing:
        source = source.timed(*timing(source.name))
    check_size(
        source.info.width, source.info.height, source.name
    )  # a broken clip is found here, not in a fit
    return source


@dataclass(frozen=True)
class _Opener:
    name: str
    path: Path
    files: tuple[Path, ...] = ()

    def open(self) -> list[Source]:
        if self.files:
            return [open_images(self.path, self.files, self.name)]
        if self.path.suffix.lower() in arrays.EXTENSIONS:
            return open_arrays(self.path, self.name)
        return [open_video(self.path, self.name)]


def _openers(path: Path) -> list[_Opener]:
    if not path.exists():
        raise ClipError(
            f"there is no file or folder {path}",
            hint="name a folder of clips; identify simulate makes one to try",
        )
    if path.is_file():
        return [_Opener(path.stem, path)]
    if not path.is_dir():  # a pipe or device could be waited for without end
        raise ClipError(f"{path} is neither a file nor a folder", hint="name a folder of clips, or one clip")
    entries = _entries(path)
    found = _files(entries) + _sequences(entries)
    if not found and (files := _sequence(entries)):
        return [_Opener(path.resolve().name, path, files)]
    if not found:
        raise ClipError(
            f"there are no clips in {path}",
            "clips are videos (.mp4 .mov .avi .mkv .webm .gif), .npz or .npy arrays, or folders of images",
        )
    return sorted(found, key=lambda opener: natural(opener.name))


def _entries(folder: Path) -> list[Path]:
    """What is in the folder, hidden files left out, in natural order."""
    try:
        found = [entry for entry in folder.iterdir() if not entry.name.startswith((".", "_"))]
    except OSError as error:
        raise ClipError(
            f"cannot read {folder}: {error.strerror or error}",
            hint="check that the folder exists and that you may read it",
        ) from None
    if len(found) > _MOST_ENTRIES:
        raise ClipError(
            f"{folder} has more than {_MOST_ENTRIES} files", hint="name a folder that holds the clips only"
        )
    return sorted(found, key=lambda entry: natural(entry.name))


def _files(entries: list[Path]) -> list[_Opener]:
    """Videos, and arrays that are not the same clip as a video; named by stem unless two share it."""
    files = [entry for entry in entries if entry.is_file()]
    videos = [file for file in files if file.suffix.lower() in video.EXTENSIONS]
    stems = {file.stem for file in videos}
    others = [f for f in files if f.suffix.lower() in arrays.EXTENSIONS and f.stem not in stems]
    count = Counter(file.stem for file in videos + others)
    return [_Opener(file.stem if count[file.stem] == 1 else file.name, file) for file in videos + others]


def _sequences(entries: list[Path]) -> list[_Opener]:
    """Folders of numbered images; the folders of finished runs are none."""
    found = []
    for entry in entries:
        if not entry.is_dir() or any((entry / name).exists() for name in _RUN_FILES):
            continue
        try:
            files = _sequence(_entries(entry))
        except ClipError:
            continue
        if files:
            found.append(_Opener(entry.name, entry, files))
    return found


def _sequence(entries: list[Path]) -> tuple[Path, ...]:
    """The numbered images among the entries, of the one kind and name that is most frequent."""
    groups: dict[tuple[str, str], list[Path]] = {}
    for entry in entries:
        if entry.suffix.lower() in images.EXTENSIONS and _NUMBERED.search(entry.stem) and entry.is_file():
            prefix = re.sub(r"[0-9]+(?=[^0-9]*$)", "", entry.stem)
            groups.setdefault((prefix, entry.suffix.lower()), []).append(entry)
    largest: list[Path] = max(groups.values(), key=len, default=[])
    return tuple(largest)
