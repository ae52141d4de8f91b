"""Pictures of what was prepared: the scene with its motion region, the trims, example frames of each view."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from identify.fit.film import Array, Crop, View
from identify.fit.prepare.prepared import Prepared, Refused, Signals, Trim
from identify.motion.palette import AMBER, GREEN, ORANGE, plain_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_USED, _HAND, _LEAVES = GREEN, ORANGE, AMBER
_EXAMPLES = 6  # frames of each view
_MOST_CLIPS = 12  # strips in one picture


def draw_prepared(prepared: Prepared | Refused, folder: Path) -> tuple[Path, ...]:
    """Write scene.png, trims.png and views.png, as far as there is something to show, and name them."""
    folder.mkdir(parents=True, exist_ok=True)
    with plain_names():
        return tuple(_written(folder / name, figure) for name, figure in _drawn(prepared))


def _drawn(prepared: Prepared | Refused) -> Iterator[tuple[str, Figure]]:
    if prepared.background is not None:
        yield "scene.png", _scene(prepared)
    if prepared.signals:
        trims = prepared.trims if isinstance(prepared, Prepared) else ()
        places = prepared.position if isinstance(prepared, Prepared) else ()
        yield "trims.png", _trims(prepared.signals, trims, places)
    if isinstance(prepared, Prepared):
        yield "views.png", _views(prepared.views)


def _figure(width: float, height: float) -> Figure:
    from matplotlib.figure import Figure as NewFigure  # without pyplot: no global state, no window

    return NewFigure(figsize=(width, height), layout="constrained")


def _written(path: Path, figure: Figure) -> Path:
    """Through a file beside it: never half a picture."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        figure.savefig(part, format="png", dpi=100)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
    return path


def _scene(prepared: Prepared | Refused) -> Figure:
    """The empty scene in full-frame pixels, with the motion region and where the object was."""
    background = prepared.background
    assert background is not None
    scale, corner = (prepared.scale, prepared.corner) if isinstance(prepared, Prepared) else (1.0, (0, 0))
    height, width = background.shape
    figure = _figure(7, max(2.5, min(9.0, 7 * height / width + 0.6)))
    axes = figure.add_subplot()
    left, top = corner
    edges = (left, left + width * scale, top + height * scale, top)
    axes.imshow(background, cmap="gray", vmin=0, vmax=255, extent=edges)
    axes.set_xlabel("x in pixels")
    axes.set_ylabel("y in pixels")
    if isinstance(prepared, Prepared):
        _outlined(axes, prepared.region, _USED)
        for places in prepared.points:
            axes.plot(*places[:: max(1, len(places) // 400)].T, ".", markersize=1.5, color=_LEAVES, alpha=0.6)
        axes.set_title("the scene without the object, the motion region, the object's places", fontsize=9)
    else:
        axes.set_title(f"refused: {prepared.reason}", fontsize=9, wrap=True)
    return figure


def _outlined(axes: Axes, region: Crop, colour: str) -> None:
    from matplotlib.patches import Rectangle

    x, y, width, height = region
    axes.add_patch(Rectangle((x, y), width, height, fill=False, edgecolor=colour, linewidth=1.6))


def _trims(signals: Sequence[Signals], trims: Sequence[Trim], places: Sequence[Array]) -> Figure:
    """One strip per clip: foreground and position against time, what is used, and why it ends there."""
    shown = signals[:_MOST_CLIPS]
    figure = _figure(8, 0.5 + 1.35 * len(shown))
    for number, signal in enumerate(shown):
        axes = figure.add_subplot(len(shown), 1, number + 1)
        axes.plot(signal.time, signal.extent, color="0.55", linewidth=0.8)
        axes.set_ylim(bottom=0)
        axes.margins(x=0.01)
        for mask, colour in ((signal.hand, _HAND), (signal.leaves, _LEAVES), (signal.repeated, "0.6")):
            _marked(axes, signal, mask, colour)
        own = [trim for trim in trims if trim.clip == signal.name]
        beside = axes.twinx()
        beside.set_yticks([])
        for trim, place in zip(trims, places, strict=True):
            if trim.clip == signal.name:
                beside.plot(signal.time[trim.first : trim.first + len(place)], place, "k", linewidth=0.8)
        for trim in own:
            axes.axvspan(trim.start, trim.stop, color=_USED, alpha=0.18, linewidth=0)
        axes.set_title(_words(signal.name, own), fontsize=8, loc="left")
        axes.tick_params(labelsize=7)
        axes.set_yticks([])
    figure.supxlabel("time in seconds (green: used; black: position; grey: pixels of foreground)", fontsize=8)
    return figure


def _marked(axes: Axes, signal: Signals, mask: Any, colour: str) -> None:
    bottom, top = axes.get_ylim()
    axes.fill_between(signal.time, bottom, top, where=mask, color=colour, alpha=0.25, linewidth=0)


def _words(name: str, trims: Sequence[Trim]) -> str:
    if not trims:
        return f"{name}: not used"
    parts = [f"{t.start:.2f} s ({t.begins}) to {t.stop:.2f} s ({t.ends})" for t in trims]
    return f"{name}: " + "; ".join(parts)


def _views(views: Sequence[View]) -> Figure:
    """Frames of the film that moves most, one row for each view; a profile is drawn as its rows over time."""
    figure = _figure(9, 0.4 + 1.7 * len(views))
    rows = np.atleast_1d(np.asarray(figure.subfigures(len(views), 1), dtype=object))
    for row, view in zip(rows, views, strict=True):
        film = max(view.films, key=lambda one: one.count)
        row.suptitle(f"{view.name}: {film.name}", fontsize=8, x=0.01, ha="left")
        if min(film.frames.shape[1:3]) == 1:
            axes = row.add_subplot()
            axes.imshow(film.frames.reshape(film.count, -1).T, cmap="gray", aspect="auto", vmin=0, vmax=255)
            axes.tick_params(labelsize=6)
            continue
        for column, place in enumerate(np.linspace(0, film.count - 1, _EXAMPLES).astype(int)):
            axes = row.add_subplot(1, _EXAMPLES, column + 1)
            axes.imshow(film.frames[place], cmap="gray", vmin=0, vmax=255)
            axes.axis("off")
            axes.set_title(f"{film.time[place]:.2f} s", fontsize=7, loc="left")
    return figure
