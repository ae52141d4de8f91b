"""Pictures as PNG on an opaque ground of their own, so that light and dark pages show them alike."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from identify.files import write_whole
from identify.motion.extra import need
from identify.motion.palette import (
    AMBER,
    BLUE,
    FAINT,
    GREEN,
    GREY,
    GROUND,
    INK,
    ORANGE,
    PINK,
    SKY,
    STYLE,
    YELLOW,
)
from identify.motion.trajectory import Clip

if TYPE_CHECKING:
    from identify.motion.alias import AliasReport
    from identify.motion.coverage import CoverageReport, Level
    from identify.motion.plan import PlanReport

# The colour of a rank that is not full, by the rank.
_SHORT = (GREY, AMBER, SKY, PINK, ORANGE, BLUE, YELLOW)


def _figure(columns: int, width: float, height: float = 4.2) -> tuple[Any, Any]:
    need("a picture", "matplotlib")
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with rc_context(STYLE):
        figure = Figure(figsize=(width, height), dpi=150, layout="constrained")
        FigureCanvasAgg(figure)
        return figure, figure.subplots(1, columns, squeeze=False)[0]


def _png(figure: Any) -> bytes:
    from matplotlib import rc_context

    made = BytesIO()
    with rc_context(STYLE):
        figure.savefig(made, format="png")
    return made.getvalue()


def draw_coverage(report: CoverageReport, clips: Sequence[Clip], state: str, file: Path) -> None:
    """The picture of ``coverage_png`` in a file."""
    write_whole(file, coverage_png(report, clips, state))


def coverage_png(report: CoverageReport, clips: Sequence[Clip], state: str) -> bytes:
    """The phase plane: motions in grey, the velocities at the levels coloured by the rank there."""
    figure, (axes,) = _figure(1, 6.4)
    _phase_plane(axes, report.levels, report.needed_rank, clips, state)
    for low, high in report.intervals:
        axes.axvspan(low, high, color=GREEN, alpha=0.10, linewidth=0)
    axes.set_title(f"{report.law}\nrank of [{', '.join(report.features)}]", fontsize=9)
    return _png(figure)


def _phase_plane(axes: Any, levels: Sequence[Level], full: int, clips: Sequence[Clip], state: str) -> None:
    for clip in clips:
        axes.plot(clip.state, clip.path.velocity, color=FAINT, linewidth=0.8, zorder=1)
    for rank in sorted({level.rank for level in levels}):
        points = [(level.level, v) for level in levels if level.rank == rank for v in level.velocities]
        if points:
            colour = GREEN if rank == full else _SHORT[rank % len(_SHORT)]
            mark = "o" if rank == full else "X"
            u, v = zip(*points, strict=True)
            axes.scatter(u, v, s=16, color=colour, marker=mark, label=f"rank {rank} of {full}", zorder=2)
    axes.axhline(0.0, color=INK, linewidth=0.6, zorder=0)
    axes.set_xlabel(state)
    axes.set_ylabel(f"velocity {state}'")
    if axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize=8, frameon=True, facecolor=GROUND, labelcolor=INK)


def draw_plan(report: PlanReport, clips: Sequence[Sequence[Clip]], state: str, file: Path) -> None:
    """Before and after, side by side."""
    designs = [*report.before, *([report.after] if report.after else [])]
    figure, axes = _figure(len(designs), 4.4 * len(designs))
    for place, design, filmed in zip(axes, designs, clips, strict=True):
        _phase_plane(place, design.levels, report.needed_rank, filmed, state)
        place.set_title(f"{design.name}: least rank {design.least_rank} of {report.needed_rank}", fontsize=9)
    write_whole(file, _png(figure))


def draw_alias(report: AliasReport, state: str, file: Path) -> None:
    """Left the two coordinates of each clip, right how far the second law strays from the mapped truth."""
    figure, (left, right) = _figure(2, 9.0)
    for index, clip in enumerate(report.clips):
        first = index == 0
        left.plot(clip.time, clip.truth, color=BLUE, label=f"truth, {state}" if first else None)
        left.plot(clip.time, clip.mapped, color=AMBER, linewidth=4, alpha=0.5,
                  label=f"truth through the map, f({state})" if first else None)  # fmt: skip
        left.plot(clip.time, clip.report, color=INK, linestyle="--", linewidth=1,
                  label=f"second law, {state}hat" if first else None)  # fmt: skip
        _difference(right, clip, BLUE, "filmed" if first else None)
    if report.apart is not None:
        _difference(right, report.apart, ORANGE, "not filmed: tells them apart")
    right.axhline(report.tolerance, color=INK, linewidth=0.6, linestyle=":")
    right.set_yscale("log")
    right.set_ylim(1e-17, 10)
    right.set_ylabel("relative difference")
    left.set_ylabel("coordinate")
    for place in (left, right):
        place.set_xlabel("time")
        place.legend(fontsize=8, frameon=True, facecolor=GROUND, labelcolor=INK)
    figure.suptitle(f"{report.law}   f = {report.map}", fontsize=9)
    write_whole(file, _png(figure))


def _difference(axes: Any, clip: Any, colour: str, label: str | None) -> None:
    mapped, other = np.array(clip.mapped), np.array(clip.report)
    gap = np.maximum(np.abs(other - mapped) / np.abs(mapped).max(), 1e-17)
    axes.plot(clip.time, gap, color=colour, label=label)
