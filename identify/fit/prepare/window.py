"""The window that films show: the motion region at a size at which the object spans several pixels."""

from __future__ import annotations

from identify.fit.film import Crop
from identify.fit.prepare.prepared import Options, Window
from identify.fit.prepare.survey import SMALL, Survey

_ENOUGH = 100  # pixels on the longer side of the region: the surveyed frames are fine enough as they are
_LEAST = 72
_LEAST_ACROSS = 28  # on the shorter side, where twice the resolution is at hand
_LONGEST = 160
_USUAL = 128
_BYTES = 120_000_000  # of one view's films


def choose_window(region: Crop, limits: Crop, clip: Survey, frames: int, options: Options) -> Window:
    """Where possible the surveyed pixels themselves, so that no second pass is needed."""
    longer = max(limits[2], limits[3])
    if longer <= SMALL and (options.size is None or options.size >= longer):
        return Window(limits, options.crop)
    if options.size is None:
        for double in (1, 2):
            least = _ENOUGH if double == 1 else _LEAST
            window = _on_grid(region, limits, clip, double, options.crop)
            at_hand = double == 1 or clip.fine is not None
            if not (at_hand and window.cut and least <= max(window.cut[2:]) <= 1.5 * _LONGEST):
                continue
            if double == 2 or clip.fine is None or min(window.cut[2:]) >= _LEAST_ACROSS:
                return window
    size = _working_size(region, frames, options.size)
    return Window(region, region, size, None, (region[2] / size[0], region[3] / size[1]))


def surveyed(window: Window, clip: Survey) -> bool:
    """Whether the survey has the window's pixels already."""
    shapes = [frames.shape[2:0:-1] for frames in (clip.grey, clip.fine) if frames is not None]
    return window.size in shapes if window.size else window.cut is None


def _on_grid(region: Crop, limits: Crop, clip: Survey, double: int, crop: Crop | None) -> Window:
    """The survey's pixels (or those of twice the resolution) that cover the region."""
    pixel = (clip.pixel[0] / double, clip.pixel[1] / double)
    size = (round(limits[2] / pixel[0]), round(limits[3] / pixel[1]))
    x, y = int((region[0] - limits[0]) / pixel[0]), int((region[1] - limits[1]) / pixel[1])
    right = min(size[0], -int(-(region[0] + region[2] - limits[0]) // pixel[0]))
    bottom = min(size[1], -int(-(region[1] + region[3] - limits[1]) // pixel[1]))
    cut = (x, y, right - x, bottom - y)
    seen = (
        limits[0] + round(x * pixel[0]),
        limits[1] + round(y * pixel[1]),
        round(cut[2] * pixel[0]),
        round(cut[3] * pixel[1]),
    )
    return Window(seen, crop, size, cut, pixel)


def _working_size(region: Crop, frames: int, wanted: int | None) -> tuple[int, int]:
    """Width and height of the films: the region's own size or smaller, so that all frames fit in memory."""
    _, _, width, height = region
    longer, shorter = max(width, height), min(width, height)
    side = wanted or (_LONGEST if longer > 1.8 * shorter else _USUAL)
    room = (_BYTES / max(frames, 1) * longer / shorter) ** 0.5
    side = int(max(32, min(side, longer, room)))
    return max(4, round(width * side / longer)), max(4, round(height * side / longer))
