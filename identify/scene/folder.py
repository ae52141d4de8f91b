"""A recording as a folder: videos, arrays, the truth, a contact sheet, and what ``identify fit`` reads."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from identify.errors import InputError
from identify.files import replacing, write_whole
from identify.scene.contact import draw_contact
from identify.scene.recording import Recording, Shot
from identify.scene.video import CODECS, write_video

Progress = Callable[[int, int], None]

_STALE = re.compile(r"(train|test)-\d{2,4}\.(mp4|mkv|npz)")
_EVEN = 1e-6  # a share of the frame interval: clips whose times are even to this have a rate


def check_folder(folder: Path, force: bool) -> None:
    """Raise unless the folder is new or empty, or may be written over."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file", hint="name a folder")
    if folder.is_dir() and any(folder.iterdir()) and not force:
        raise InputError(f"the folder {folder} is not empty", hint="name another one, or use --force")


def write_recording(
    recording: Recording, folder: Path, codec: str = "h264", progress: Progress | None = None
) -> list[str]:
    """Write everything, each file in one step; the names of what was written.

    Clips of an earlier simulation are removed, nothing else is.
    """
    arrays = folder / "arrays"
    arrays.mkdir(parents=True, exist_ok=True)
    clips = [f"{shot.name}{CODECS[codec]}" for shot in recording.shots]
    for number, (shot, clip) in enumerate(zip(recording.shots, clips, strict=True)):
        if progress is not None:
            progress(number, len(clips))
        with replacing(folder / clip) as part:
            write_video(part, shot.frames, shot.time, codec)
        with replacing(arrays / f"{shot.name}.npz") as part:
            _write_arrays(part, shot)
    if progress is not None:
        progress(len(clips), len(clips))
    _remove_stale(folder, set(clips))
    _remove_stale(arrays, {f"{shot.name}.npz" for shot in recording.shots})
    with replacing(folder / "contact.png") as part:
        draw_contact(recording, part)
    write_whole(folder / "truth.csv", truth_table(recording))
    write_whole(folder / "experiment.yaml", experiment_text(recording, codec))
    return [*clips, "arrays/", "contact.png", "truth.csv", "experiment.yaml"]


def truth_table(recording: Recording) -> str:
    """The true states as CSV; a last column has the physical quantity where it is another one."""
    lines = ["clip,time,state,velocity" + (",physical" if recording.physical else "")]
    for shot in recording.shots:
        columns = [shot.time, shot.state, shot.velocity]
        if recording.physical and shot.physical is not None:
            columns.append(shot.physical)
        rows = np.stack(columns, axis=1)
        lines += [f"{shot.name}," + ",".join(f"{value:.12g}" for value in row) for row in rows]
    return "\n".join(lines) + "\n"


def experiment_text(recording: Recording, codec: str) -> str:
    """The file that ``identify fit`` reads; JSON texts are YAML texts."""
    quote = json.dumps
    lines = [f"# {recording.name}, simulated: scene {recording.scene}"]
    if recording.ruler is not None and not recording.anchors:
        length = f"size=1 m over {recording.ruler:.6g} px"
        lines.append(f"# A ruler in the picture would say: anchors: [{quote(length)}]")
    lines.append(f"law: {quote(recording.law)}")
    for key, conditions in (("assume", recording.assume), ("domain", recording.domain)):
        if conditions:
            lines.append(f"{key}: {quote(list(conditions))}")
    for role in ("train", "test"):
        if any(shot.role == role for shot in recording.shots):
            lines.append(f'{role}: ["{role}-*"]')
    rate = _rate(recording)
    if codec == "ffv1" and rate is not None:
        lines.append(f"fps: {rate:.12g}  # the container rounds times to milliseconds")
    if recording.units:
        lines.append(f"units: {quote(dict(recording.units))}")
    if recording.anchors:
        lines += ["anchors:", *(f"  - {quote(anchor)}" for anchor in recording.anchors)]
    lines.append("reference: truth.csv")
    if recording.physical:
        lines.append(f"# state is the law's own; the column physical is the {recording.physical}")
    values = ", ".join(f"{name}: {value:.12g}" for name, value in recording.truth.items())
    lines.append(f"truth: {{{values}}}")
    return "\n".join(lines) + "\n"


def _rate(recording: Recording) -> float | None:
    """The frame rate of all clips, if they have the same and their times are even."""
    steps = np.concatenate([np.diff(shot.time) for shot in recording.shots])
    step = float(np.median(steps))
    return 1 / step if np.abs(steps - step).max() < _EVEN * step else None


def _write_arrays(path: Path, shot: Shot) -> None:
    kept: dict[str, Any] = {
        "frames": shot.frames,
        "time": shot.time,
        "state": shot.state,
        "velocity": shot.velocity,
    }
    if shot.physical is not None:
        kept["physical"] = shot.physical
    with path.open("wb") as file:
        np.savez(file, **kept)  # noise does not compress


def _remove_stale(folder: Path, kept: set[str]) -> None:
    for entry in folder.iterdir():
        if entry.is_file() and entry.name not in kept and _STALE.fullmatch(entry.name):
            entry.unlink()
