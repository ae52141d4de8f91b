"""Contact sheets: a few frames of every clip beside one another, for people to look at."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from identify.scene.recording import Pixels, Recording, Shot

_ROWS, _COLUMNS = 6, 8
_GAP = 2  # white pixels between frames
_WIDTH, _LABEL, _BELOW = 9.0, 0.75, 0.2  # inches: the frames of a row, its name, the times below it
_DPI = 110


def draw_contact(recording: Recording, file: Path) -> None:
    """The sheet as a PNG file: one row a clip, times under the frames."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    height, width = recording.shots[0].frames.shape[1:3]
    shots = _some(recording.shots, _ROWS if height <= 1.5 * width else _ROWS // 2)
    tall = _WIDTH / (_COLUMNS * (width + _GAP) - _GAP) * height
    whole = _LABEL + _WIDTH + 0.05, (tall + _BELOW) * len(shots) + 0.05
    figure = Figure(figsize=whole, dpi=_DPI)
    FigureCanvasAgg(figure)
    for index, shot in enumerate(shots):
        bottom = whole[1] - 0.05 - (tall + _BELOW) * index - tall
        box = _LABEL / whole[0], bottom / whole[1], _WIDTH / whole[0], tall / whole[1]
        _strip(figure, figure.add_axes(box), shot, "" if index < len(shots) - 1 else " s")
    figure.savefig(file, format="png", metadata={"Software": None})


def chosen_frames(shot: Shot) -> list[int]:
    """The frames shown: evenly over the clip, or over its first swing if it has more."""
    last = len(shot.time) - 1
    turns = np.flatnonzero(np.diff(np.sign(shot.velocity)) != 0)
    if len(turns) > 2:
        last = int(turns[2])
    count = min(_COLUMNS, last + 1)
    return [round(i * last / max(count - 1, 1)) for i in range(count)]


def _strip(figure: Any, axes: Any, shot: Shot, unit: str) -> None:
    """One row; labels are texts, since ticks take ten times as long to draw."""
    frames = chosen_frames(shot)
    width = shot.frames.shape[2]
    whole = _COLUMNS * (width + _GAP) - _GAP
    axes.set_axis_off()
    axes.imshow(_joined(shot.frames[frames]), cmap="gray", vmin=0, vmax=255, interpolation="nearest")
    axes.set_xlim(-0.5, whole - 0.5)
    box = axes.get_position()
    figure.text(box.x0 - 0.008, (box.y0 + box.y1) / 2, shot.name, fontsize=8, ha="right", va="center")
    digits = 2 if shot.time[-1] < 2 else 1
    for place, frame in enumerate(frames):
        x = box.x0 + box.width * (place * (width + _GAP) + width / 2) / whole
        told = f"{shot.time[frame]:.{digits}f}{unit}"
        figure.text(
            x, box.y0 - 0.02 / figure.get_figheight(), told, fontsize=7, color="0.35", ha="center", va="top"
        )


def _joined(frames: Pixels) -> Pixels:
    white = np.full((frames.shape[1], _GAP, *frames.shape[3:]), 255, dtype=np.uint8)
    parts = [part for frame in frames for part in (frame, white)][:-1]
    return np.concatenate(parts, axis=1)


def _some(shots: tuple[Shot, ...], rows: int) -> list[Shot]:
    """Clips from the beginning, the middle and the end."""
    if len(shots) <= rows:
        return list(shots)
    return [shots[round(i * (len(shots) - 1) / (rows - 1))] for i in range(rows)]
