"""Contact sheets: a few frames of every clip beside one another, for people to look at."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from identify.scene.recording import Pixels, Recording, Shot

_ROWS, _COLUMNS = 6, 8
_GAP = 2  # white pixels between frames
_WIDTH = 9.0  # inches


def draw_contact(recording: Recording, file: Path) -> None:
    """The sheet as a PNG file: one row a clip, times under the frames."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    height, width = recording.shots[0].frames.shape[1:3]
    shots = _some(recording.shots, _ROWS if height <= 1.5 * width else _ROWS // 2)
    row = _WIDTH / _COLUMNS * height / width + 0.22
    figure = Figure(figsize=(_WIDTH + 0.9, row * len(shots) + 0.1), dpi=110)
    FigureCanvasAgg(figure)
    for index, shot in enumerate(shots):
        axes: Any = figure.add_subplot(len(shots), 1, index + 1)
        _strip(axes, shot, index == len(shots) - 1)
    figure.subplots_adjust(left=0.09, right=0.995, top=0.99, bottom=0.24 / (row * len(shots)), hspace=0.16)
    figure.savefig(file, format="png", metadata={"Software": None})


def chosen_frames(shot: Shot) -> list[int]:
    """The frames shown: evenly over the clip, or over its first swing if it has more."""
    last = len(shot.time) - 1
    turns = np.flatnonzero(np.diff(np.sign(shot.velocity)) != 0)
    if len(turns) > 2:
        last = int(turns[2])
    count = min(_COLUMNS, last + 1)
    return [round(i * last / max(count - 1, 1)) for i in range(count)]


def _strip(axes: Any, shot: Shot, lowest: bool) -> None:
    frames = chosen_frames(shot)
    width = shot.frames.shape[2]
    axes.imshow(_joined(shot.frames[frames]), cmap="gray", vmin=0, vmax=255, interpolation="nearest")
    axes.set_xlim(-0.5, _COLUMNS * (width + _GAP) - _GAP - 0.5)
    axes.set_xticks([i * (width + _GAP) + (width - 1) / 2 for i in range(len(frames))])
    digits = 2 if shot.time[-1] < 2 else 1
    unit = " s" if lowest else ""
    axes.set_xticklabels([f"{shot.time[i]:.{digits}f}{unit}" for i in frames], fontsize=7, color="0.35")
    axes.set_yticks([])
    axes.set_ylabel(shot.name, fontsize=8, rotation=0, ha="right", va="center")
    axes.tick_params(length=0, pad=1)
    for side in axes.spines.values():
        side.set_visible(False)


def _joined(frames: Pixels) -> Pixels:
    white = np.full((frames.shape[1], _GAP, *frames.shape[3:]), 255, dtype=np.uint8)
    parts = [part for frame in frames for part in (frame, white)][:-1]
    return np.concatenate(parts, axis=1)


def _some(shots: tuple[Shot, ...], rows: int) -> list[Shot]:
    """Clips from the beginning, the middle and the end."""
    if len(shots) <= rows:
        return list(shots)
    return [shots[round(i * (len(shots) - 1) / (rows - 1))] for i in range(rows)]
