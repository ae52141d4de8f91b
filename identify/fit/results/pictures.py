"""The pictures of a report as PNG on an opaque ground of their own; each says in words what it shows."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import numpy as np

from identify.fit.film import Track
from identify.fit.results.branch import Branch, branches
from identify.fit.results.conclusion import Conclusion
from identify.fit.results.warrant import values_of
from identify.motion.extra import need
from identify.motion.palette import BLUE, FAINT, GROUND, INK, ORANGE, SERIES, STYLE, plain_names
from identify.motion.picture import coverage_png

_MOST_CLIPS = 8
_MOST_POINTS = 1500


@dataclass(frozen=True)
class Picture:
    """A picture with its title and what a reader should see in it."""

    title: str
    caption: str
    png: bytes


def draw(rows: int, columns: int, size: tuple[float, float], paint: Callable[[Any], None]) -> bytes:
    """A figure with ``rows`` by ``columns`` axes, painted and saved."""
    need("a picture", "matplotlib")
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with rc_context(STYLE), plain_names():
        figure = Figure(figsize=size, dpi=130, layout="constrained")
        FigureCanvasAgg(figure)
        paint(figure.subplots(rows, columns, squeeze=False))
        file = BytesIO()
        figure.savefig(file, format="png")
    return file.getvalue()


def pictures(conclusion: Conclusion) -> list[Picture]:
    """Every picture that the fit has the data for."""
    if not conclusion.fit.tracks:
        return []
    makers = (_time, _phase, _residuals, _orbit, _coverage)
    return [picture for make in makers if (picture := make(conclusion)) is not None]


def _shown(tracks: Sequence[Track]) -> list[Track]:
    """Training clips first, a few at most."""
    return sorted(tracks, key=lambda t: t.role == "test")[:_MOST_CLIPS]


def _thin(count: int) -> slice:
    return slice(None, None, max(1, count // _MOST_POINTS))


def _label(name: str) -> str:
    """A legend leaves out labels that begin with an underscore, and long ones fill the picture."""
    short = name if len(name) <= 28 else f"{name[:13]}...{name[-12:]}"
    return f"\u200b{short}" if short.startswith("_") else short


def _time(conclusion: Conclusion) -> Picture | None:
    tracks = _shown(conclusion.fit.tracks)

    def paint(axes: Any) -> None:
        for place, track in zip(axes[:, 0], tracks, strict=True):
            few = _thin(len(track.time))
            left_out = ~track.used if track.role == "train" else np.zeros(len(track.time), dtype=bool)
            place.plot(track.time[few], np.where(left_out, np.nan, track.latent)[few], ".", ms=2, color=BLUE)
            place.plot(track.time[few], np.where(left_out, track.latent, np.nan)[few], ".", ms=2, color=FAINT)
            place.plot(track.time[few], track.fitted[few], color=ORANGE, lw=1)
            place.set_title(f"{_label(track.name)} ({_role(track)})", fontsize=8, loc="left")
            place.set_ylabel("latent")
        axes[-1, 0].set_xlabel("time in s")

    png = draw(len(tracks), 1, (7.2, 1.1 + 1.25 * len(tracks)), paint)
    caption = (
        "Blue: the latent state of each frame. Orange: the law's own solution through the fitted start. "
        "Grey: frames that took no part. Where blue leaves orange, the law does not explain the frames."
    )
    left = len(conclusion.fit.tracks) - len(tracks)
    return Picture(
        "Latent against time", caption + (f" {left} more clips are not drawn." if left else ""), png
    )


def _role(track: Track) -> str:
    return "held out" if track.role == "test" else "training"


def _phase(conclusion: Conclusion) -> Picture | None:
    tracks = _shown(conclusion.fit.tracks)

    def paint(axes: Any) -> None:
        place = axes[0, 0]
        for i, track in enumerate(tracks):
            few = _thin(len(track.time))
            good = track.used | (track.role == "test")
            state = np.where(good, track.latent, np.nan)[few]
            place.plot(
                state,
                track.velocity[few],
                ".",
                ms=2,
                color=SERIES[i % len(SERIES)],
                label=_label(track.name),
            )
        _field(place, conclusion)
        place.set_xlabel("latent")
        place.set_ylabel("latent velocity, 1/s")
        place.legend(
            fontsize=7, markerscale=4, frameon=True, facecolor=GROUND, labelcolor=INK, loc="upper right"
        )

    caption = "Latent velocity over latent state, a colour for each clip, and the law's direction field."
    return Picture("Phase portrait", caption, draw(1, 1, (6.4, 4.6), paint))


def _field(place: Any, conclusion: Conclusion) -> None:
    """The law's direction field, in proportions of the axes."""
    if conclusion.fit.estimate is None:
        return
    from identify.motion.dynamics import compiled

    law = conclusion.law
    (low, high), (slow, fast) = place.get_xlim(), place.get_ylim()
    state, velocity = np.meshgrid(np.linspace(low, high, 23), np.linspace(slow, fast, 17))
    force = compiled(law.acceleration, law.state, law.velocity, *law.parameters)
    values = values_of(law, conclusion.fit.estimate).values
    change = np.broadcast_to(np.asarray(force(state, velocity, *values), dtype=float), state.shape)
    across, up = velocity / (high - low), change / (fast - slow)
    size = np.hypot(across, up)
    good = np.isfinite(size) & (size > 0)
    if good.any():
        place.quiver(
            state[good], velocity[good], (across / size)[good], (up / size)[good],
            color=FAINT, angles="uv", scale=38, width=0.0022, zorder=0,
        )  # fmt: skip
    place.set_xlim(low, high)
    place.set_ylim(slow, fast)


def _residuals(conclusion: Conclusion) -> Picture | None:
    found = []
    for track in conclusion.fit.tracks:
        good = track.used & np.isfinite(track.fitted) & np.isfinite(track.latent)
        if good.sum() > 3:
            found.append((track, good))
    if not found:
        return None
    spread = float(np.std(np.concatenate([t.latent[g] for t, g in found]))) or 1.0

    def paint(axes: Any) -> None:
        left, right = axes[0]
        for i, (track, good) in enumerate(found[:_MOST_CLIPS]):
            rest = 100 * (track.latent - track.fitted)[good] / spread
            few = _thin(len(rest))
            left.plot(
                track.time[good][few],
                rest[few],
                ".",
                ms=2,
                color=SERIES[i % len(SERIES)],
                label=_label(track.name),
            )
        together = np.concatenate([100 * (t.latent - t.fitted)[g] / spread for t, g in found])
        edge = float(np.quantile(np.abs(together), 0.995)) or 1.0
        right.hist(np.clip(together, -edge, edge), bins=41, color=BLUE)
        left.axhline(0, color=INK, lw=0.6)
        left.set_xlabel("time in s")
        left.set_ylabel("latent minus solution, % of spread")
        right.set_xlabel("% of spread")
        right.set_yticks([])

    caption = (
        "Latent minus the law's solution. Noise without a pattern is what a right law leaves; a wave means "
        "that something in the motion is not in the law."
    )
    return Picture("Residuals", caption, draw(1, 2, (7.6, 3.2), paint))


def _orbit(conclusion: Conclusion) -> Picture | None:
    """How the parameters that video leaves open change along the orbit, with the fit and the calibration."""
    if conclusion.fit.estimate is None:
        return None
    law = conclusion.law
    branch = next((b for b in branches(law, conclusion.analysis) if b.kind == "identity"), None)
    names = [] if branch is None else [s.name for s in branch.unknowns]
    if branch is None or "lambda" not in names:
        return None
    values = values_of(law, conclusion.fit.estimate)
    moving = [
        i
        for i, p in enumerate(law.parameters)
        if branch.images[p].has(branch.unknowns[names.index("lambda")])
    ]
    if not moving:
        return None
    place_of = names.index("lambda")
    anchored = _anchored(conclusion, branch, place_of)
    reach = max(5.0, 2 * anchored[0], 2 / anchored[0]) if anchored else 5.0
    factors = np.geomspace(1 / reach, reach, 121)
    curves = _curves(branch, place_of, factors, values.values)

    def paint(axes: Any) -> None:
        place = axes[0, 0]
        for k, i in enumerate(moving):
            name, colour = law.parameters[i].name, SERIES[k % len(SERIES)]
            place.plot(factors, curves[:, i], color=colour, label=name)
            place.plot([1.0], [values.values[i]], "o", color=colour, ms=6)
            if anchored:
                place.plot([anchored[0]], [anchored[1][i]], "*", color=colour, ms=13)
        place.set_xscale("log")
        if all((curves[:, i] > 0).all() for i in moving):
            place.set_yscale("log")
        place.axvline(1.0, color=FAINT, lw=0.8, zorder=0)
        place.set_xticks(_round_numbers(factors[0], factors[-1]))
        for axis in (place.xaxis, place.yaxis):  # powers of ten would be set as mathematics
            axis.set_major_formatter(lambda value, _: f"{value:g}")
        place.minorticks_off()
        place.set_xlabel("scale of the coordinate, relative to the latent's own")
        place.set_ylabel("reported value")
        place.legend(fontsize=8, frameon=True, facecolor=GROUND, labelcolor=INK)

    caption = (
        "The same frames are explained equally well at every latent scale: along each line only the reported "
        "value changes. The dot is where this fit happens to sit; an anchor picks the physical point"
        + (" (star)." if anchored else ".")
    )
    return Picture("Orbit", caption, draw(1, 1, (6.0, 3.6), paint))


def _round_numbers(low: float, high: float) -> list[float]:
    """Ones, twos and fives between the ends; only powers of ten where these would be too many."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1, 2, 5) if len(powers) <= 4 else (1,)
    every = max(1, len(powers) // 8)
    numbers = [step * 10.0**power for power in powers[::every] for step in steps]
    return [x for x in numbers if low * 0.999 <= x <= high * 1.001]


def _anchored(conclusion: Conclusion, branch: Branch, place: int) -> tuple[float, Any] | None:
    """The scale and the parameters that the anchors pick, where they do."""
    solution = conclusion.physical.solution
    if solution is None or solution.branch.text != branch.text or not conclusion.physical.state_known:
        return None
    scale = abs(float(solution.free[place]))
    return (scale, solution.parameters) if 1e-9 < scale < 1e9 else None


def _curves(branch: Branch, place: int, factors: Any, values: Any) -> Any:
    start = branch.identity(values)
    found = []
    for factor in factors:
        free = start.copy()
        free[place] = factor
        found.append(branch.image(free, values))
    return np.array(found)


def _coverage(conclusion: Conclusion) -> Picture | None:
    report = conclusion.seen.report
    if report is None or not report.levels:
        return None
    png = coverage_png(report, conclusion.seen.clips, conclusion.law.state.name)
    caption = (
        f"At each latent level the velocities that were filmed there. Green circles have the full rank "
        f"{report.needed_rank} that the theorem asks for; crosses do not."
    )
    return Picture("Velocity coverage", caption, png)
