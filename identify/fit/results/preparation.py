"""Pictures of the preparation: the scene with the motion region, and what the encoder sees of each clip."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from identify.fit.film import Film, View
from identify.fit.results.pictures import Picture, draw
from identify.motion.palette import ORANGE, SERIES

_FRAMES = 6
_MOST_FILMS = 6
_BRIGHT = 6  # colours of the series that stand out on a dark thing


def preparation(prepared: Any) -> list[Picture]:
    """Scene, region and example frames, as far as the preparation has them."""
    found = []
    background = getattr(prepared, "background", None)
    if background is not None and np.size(background):
        found.append(_scene(prepared, np.asarray(background)))
    views: Sequence[View] = getattr(prepared, "views", ()) or ()
    if views and any(film.count for film in views[0].films):
        found.append(_strip(views[0]))
    return found


def _scene(prepared: Any, background: Any) -> Picture:
    scale = float(getattr(prepared, "scale", 1.0) or 1.0)
    left, top = getattr(prepared, "corner", None) or (0, 0)
    region = getattr(prepared, "region", None)
    points = [np.asarray(p, dtype=float) for p in getattr(prepared, "points", ()) or ()]

    def paint(axes: Any) -> None:
        from matplotlib.patches import Rectangle

        place = axes[0, 0]
        height, width = background.shape[:2]
        right, bottom = left + width * scale, top + height * scale
        place.imshow(background, cmap="gray", extent=(left, right, bottom, top), aspect="equal")
        for i, path in enumerate(points):
            if path.ndim == 2 and path.shape[-1] == 2:
                place.plot(path[:, 0], path[:, 1], ".", ms=1.5, color=SERIES[i % _BRIGHT])
        if region is not None:
            x, y, w, h = region
            place.add_patch(Rectangle((x, y), w, h, fill=False, edgecolor=ORANGE, lw=1.5))
        place.set_xlim(left, right)
        place.set_ylim(bottom, top)
        place.set_xlabel("pixels")

    caption = (
        "The empty scene as it was found, with the region in which motion was looked for (orange) and the "
        "places of the moving thing. If the box is on the wrong thing, give --crop x,y,width,height."
    )
    return Picture("What was looked at", caption, draw(1, 1, (6.4, 4.4), paint))


def _strip(view: View) -> Picture:
    films = [film for film in view.films if film.count][:_MOST_FILMS]

    def paint(axes: Any) -> None:
        for row, film in zip(axes, films, strict=True):
            chosen = _spread(film)
            for place, index in zip(row, chosen, strict=True):
                place.imshow(film.frames[index], cmap="gray", vmin=0, vmax=255)
                place.set_xticks([])
                place.set_yticks([])
                place.set_title(f"{film.time[index]:.2f} s", fontsize=7)
            row[0].set_ylabel(film.name[:14], fontsize=7)

    height, width = films[0].frames.shape[1:3]
    size = (7.2, min(12.0, 0.5 + len(films) * (1.2 * height / width + 0.3)))
    caption = f"Frames as the encoder sees them (view {view.name}), {_FRAMES} of each clip."
    return Picture("Example frames", caption, draw(len(films), _FRAMES, size, paint))


def _spread(film: Film) -> list[int]:
    return [round(i * (film.count - 1) / (_FRAMES - 1)) for i in range(_FRAMES)]
