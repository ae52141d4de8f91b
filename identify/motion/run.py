"""A finished fit's folder read as data: the law of its configuration and the latent motions it found."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from identify.motion.table import DataError, read_clips
from identify.motion.trajectory import LEAST_SAMPLES, Clip

CONFIGURATION, LATENT = "config.yaml", "latent.csv"
MOST_BYTES = 1_000_000
_LAW = "give the law with --law"
_RUN = "name the folder that identify fit wrote (run/ beside the clips), or a table of states"
GAP = 3.5  # skipped frames leave a gap of more than this many usual steps


@dataclass(frozen=True)
class Question:
    """The law that was fitted, with its conditions, as texts."""

    law: str
    assume: tuple[str, ...]
    domain: tuple[str, ...]


def read_question(folder: Path) -> Question:
    """The law of the run, from its configuration."""
    file = folder / CONFIGURATION
    content = _mapping(file)
    law = content.get("law")
    if not isinstance(law, str) or not law.strip():
        raise DataError(f"{file}: no law under the key 'law'", _LAW)
    return Question(law, _texts(file, content, "assume"), _texts(file, content, "domain"))


def read_latent(folder: Path, state: str) -> list[Clip]:
    """The motions of the frames that took part in the fit, as its audit takes them.

    The law's own solution is taken where all frames have it: it passes each level once, where a noisy latent
    crosses it several times with velocities that were never there.
    """
    file = folder / LATENT
    if not file.is_file():
        raise DataError(f"{folder} holds no {LATENT}: it is not the folder of a finished fit", _RUN)
    names = {"clip": "clip", "time": "time", "velocity": "velocity"}
    try:
        clips = [solution(c) for c in read_clips(file, state, {**names, "state": "fitted"}, only="used")]
    except DataError:
        clips = read_clips(file, state, {**names, "state": "state"}, only="used")
    found = [piece for clip in clips for piece in pieces(clip)]
    if not found:
        raise DataError(
            f"{file}: no clip has {LEAST_SAMPLES} frames in a row that took part in the fit", _RUN
        )
    return found


def solution(clip: Clip) -> Clip:
    """A clip of a law's own solution, whose velocity is that of the smooth path through its states."""
    return Clip(clip.name, clip.time, clip.state, Clip(clip.name, clip.time, clip.state).path.velocity)


def pieces(clip: Clip) -> list[Clip]:
    """The clip cut where frames were left out, so that no motion is invented between them."""
    steps = np.diff(clip.time)
    cuts = np.flatnonzero(steps > GAP * np.median(steps)) + 1 if len(steps) else np.array([], dtype=int)
    parts = np.split(np.arange(clip.frames), cuts)
    long = [part for part in parts if len(part) >= LEAST_SAMPLES]
    return [_piece(clip, part, f" part {k}" if len(long) > 1 else "") for k, part in enumerate(long, 1)]


def _piece(clip: Clip, rows: Any, suffix: str) -> Clip:
    velocity = None if clip.velocity is None else clip.velocity[rows]
    return Clip(clip.name + suffix, clip.time[rows], clip.state[rows], velocity)


def _mapping(file: Path) -> dict[str, Any]:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        if file.stat().st_size > MOST_BYTES:
            raise DataError(f"{file} has more than {MOST_BYTES:,} bytes: it is no configuration", _RUN)
        content = YAML(typ="safe", pure=True).load(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(f"cannot read {file}: {error.strerror or error}", _RUN) from None
    except (YAMLError, ValueError, RecursionError) as error:
        raise DataError(f"{file} is not YAML: {' '.join(str(error).split())[:160]}", _RUN) from None
    return content if isinstance(content, dict) else {}


def _texts(file: Path, content: dict[str, Any], key: str) -> tuple[str, ...]:
    """A text or a list of texts under the key; nothing where it is absent."""
    value = content.get(key)
    found = [] if value is None else [value] if isinstance(value, str) else value
    if not isinstance(found, list) or not all(isinstance(text, str) for text in found):
        raise DataError(f"{file}: '{key}' must be a condition or a list of conditions", _RUN)
    return tuple(found)
