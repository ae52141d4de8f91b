"""Pictures of the reproduced experiments, as PNG and SVG, from the rows alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from identify.files import write_whole
from identify.motion.palette import BLUE, FAINT, GREEN, INK, ORANGE, SERIES, STYLE
from identify.reproduce import canonical, coverage, overhead_fall, pendulum_real, side_fall, six_family
from identify.sweep.row import Row

Rows = Sequence[Row]


def draw(name: str, rows: Rows, out: Path) -> list[str]:
    """Write the pictures of an experiment; the names of the files."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    done = [row for row in rows if row["outcome"] == "done"]
    default = _of(done, method="default") or done
    written: list[str] = []
    for title, picture in PICTURES.get(name, {}).items():
        with plt.rc_context(STYLE):
            figure = picture(done if picture in _BOTH_METHODS else default)
            if figure is None:
                continue
            for kind in ("png", "svg"):
                content = BytesIO()
                figure.savefig(content, format=kind, dpi=140, bbox_inches="tight", metadata=_METADATA[kind])
                write_whole(out / f"{title}.{kind}", content.getvalue())
                written.append(f"{title}.{kind}")
            plt.close(figure)
    return written


_METADATA: dict[str, dict[str, Any]] = {"png": {"Software": None}, "svg": {"Date": None, "Creator": None}}


def _axes(columns: int, rows: int = 1, width: float = 2.6, height: float = 2.5) -> tuple[Any, Any]:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(rows, columns, figsize=(width * columns, height * rows), squeeze=False)
    figure.set_layout_engine("constrained")
    return figure, axes


def _logarithmic(*lines: Any) -> None:
    """Logarithmic axes with plain numbers: the style takes no mathematics in text."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    for line in lines:
        line.axes.set(**{f"{line.axis_name}scale": "log"})
        line.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0), numticks=7))
        line.set_major_formatter(FuncFormatter(lambda value, place: f"{value:g}"))
        line.set_minor_formatter(NullFormatter())


def _of(rows: Rows, **wanted: Any) -> list[Row]:
    return [r for r in rows if all(r["task"].get(name) == value for name, value in wanted.items())]


def _collections(rows: Rows) -> list[int]:
    return sorted({int(r["task"]["collection"]) for r in rows})


def _papers(axis: Any, medians: Sequence[float | None]) -> None:
    """The paper's medians as crosses, where it has them."""
    known = [(i, m) for i, m in enumerate(medians) if m is not None]
    axis.plot(
        [i for i, _ in known], [m for _, m in known], "x", ms=6, color=ORANGE, label="the paper's median"
    )
    axis.figure.legends.clear()
    axis.figure.legend(
        *axis.get_legend_handles_labels(), loc="outside upper right", frameon=False, fontsize=8
    )


def _each(rows: Rows, collections: Sequence[int], quantity: str) -> list[list[float | None]]:
    """The quantity of every fit, collection by collection."""
    return [[r.get(quantity) for r in _of(rows, collection=c)] for c in collections]


def _by_group(axis: Any, groups: Sequence[Sequence[float | None]], colour: str = BLUE, side: int = 0) -> None:
    """Every fit as a dot beside its neighbours, median and quartiles as bars; ``side``: left or right."""
    half = 0.25 if side == 0 else 0.18
    for number, group in enumerate(groups):
        found = [v for v in group if v is not None and np.isfinite(v)]
        if not found:
            continue
        place = number + 0.22 * side
        across = place + (np.arange(len(found)) - (len(found) - 1) / 2) * 2 * half / max(len(found), 1)
        axis.plot(across, found, "o", ms=3, alpha=0.6, color=colour, mew=0)
        low, middle, high = np.percentile(found, [25, 50, 75])
        axis.plot([place, place], [low, high], color=INK, lw=1)
        axis.plot([place - half, place + half], [middle, middle], color=INK, lw=1.5)
    if groups:
        axis.set_xticks(range(len(groups)), [str(i + 1) for i in range(len(groups))])


def orbit(rows: Rows) -> Any:
    """Coefficients along their orbits above, latents against states below."""
    mine = _of(rows, method="default") or list(rows)
    mine = [r for r in mine if r.get("orbit")]
    if not mine:
        return None
    figure, axes = _axes(len(six_family.FAMILIES), 2, 2.3, 2.2)
    for column, (family, name) in enumerate(six_family.FAMILIES.items()):
        own = _of(mine, experiment=family)
        top, bottom = axes[0, column], axes[1, column]
        _ratios(top, own, six_family.POWERS.get(family, {}))
        for number, row in enumerate(own):
            q, z = np.array(row["coordinate"]).T
            bottom.plot(q, z, lw=0.7, alpha=0.5, color=SERIES[number % len(SERIES)])
        top.set_title(name)
        top.set_xlabel("scale |λ|")
        bottom.set_xlabel("state q")
    axes[0, 0].set_ylabel("coefficient over its true value")
    axes[1, 0].set_ylabel("latent z")
    return figure


def _ratios(axis: Any, rows: Rows, powers: dict[str, int]) -> None:
    scales = np.array([abs(r["scale"]) for r in rows])
    if not len(scales):
        return
    names = list(rows[0]["orbit"])
    reach = np.geomspace(scales.min() / 3, scales.max() * 3, 50)
    for number, name in enumerate(names):
        colour, power = SERIES[number], powers.get(name, 0)
        # On a branch with a reflection an odd power changes sign; its size follows the same line.
        axis.plot(scales, [abs(r["orbit"][name]) for r in rows], "o", ms=3, alpha=0.6, mew=0, color=colour)
        axis.plot(
            reach,
            reach ** float(power),
            lw=0.8,
            color=colour,
            label=f"{name}: |λ|^{power}" if power else name,
        )
    _logarithmic(axis.xaxis, axis.yaxis)
    low, high = axis.get_ylim()
    axis.set_ylim(min(low, 0.3), max(high, 3.0))  # what does not change must look like it
    axis.legend(frameon=False, fontsize=7)


def errors_by_collection(rows: Rows) -> Any:
    """Both errors of every fit, collection by collection."""
    mine = [r for r in rows if r.get("e_map") is not None]
    if not mine:
        return None
    figure, axes = _axes(len(six_family.FAMILIES), 2, 2.4, 2.1)
    for column, (family, name) in enumerate(six_family.FAMILIES.items()):
        for line, quantity in enumerate(("e_map", "e_theta")):
            axis = axes[line, column]
            both = len({r["task"]["method"] for r in mine}) > 1
            for side, method, colour in ((-1, "default", BLUE), (1, "paper", ORANGE)):
                own = _of(mine, experiment=family, method=method)
                groups = _collections(own)
                _by_group(axis, _each(own, groups, quantity), colour, side if both else 0)
            paper = six_family.PAPER[family][1 - line]
            axis.axhline(paper.median, color=FAINT, lw=1, ls="--")
            _logarithmic(axis.yaxis)
            axis.set_xlabel("collection")
        axes[0, column].set_title(name)
    axes[0, 0].set_ylabel("e_map, %")
    figure.supxlabel("blue: default, orange: paper's method here, dashed: the paper's median", fontsize=8)
    axes[1, 0].set_ylabel("e_theta, %")
    return figure


def matched(rows: Rows) -> Any:
    """Acceleration errors of both laws, collection by collection."""
    figure, axes = _axes(len(six_family.FAMILIES), 1, 2.4, 2.3)
    for column, (family, name) in enumerate(six_family.FAMILIES.items()):
        own = [r for r in _of(rows, experiment=family) if r.get("e_dyn") is not None]
        groups, axis = _collections(own), axes[0, column]
        for side, linear, colour in ((-1, False, BLUE), (1, True, ORANGE)):
            kind = [r for r in own if bool(r["task"].get("linear")) == linear]
            _by_group(axis, _each(kind, groups, "e_dyn"), colour, side)
        _logarithmic(axis.yaxis)
        axis.set_title(name)
        axis.set_xlabel("collection")
    axes[0, 0].set_ylabel("e_dyn, %")
    figure.supxlabel("blue: declared family, orange: linear law", fontsize=8)
    return figure


def velocity_coverage(rows: Rows) -> Any:
    """Rank, coordinate error and drag error of each design."""
    figure, axes = _axes(3, 1, 3.2, 2.8)
    designs = list(coverage.DESIGNS)
    ranks = [min((r["rank"] for r in _of(rows, experiment=d)), default=0) for d in designs]
    axes[0, 0].bar(
        range(len(designs)), ranks, color=[GREEN if r == coverage.NEEDED else ORANGE for r in ranks]
    )
    axes[0, 0].axhline(coverage.NEEDED, color=INK, lw=0.8, ls="--")
    axes[0, 0].set_ylabel("least rank of [1, v, v|v|, v²]")
    for column, quantity in ((1, "e_map"), (2, "e_theta")):
        axis = axes[0, column]
        _by_group(axis, [[r.get(quantity) for r in _of(rows, experiment=d)] for d in designs])
        _papers(
            axis,
            [None if p is None else p.median for p in (coverage.PAPER[d][1:][column - 1] for d in designs)],
        )
        _logarithmic(axis.yaxis)
        axis.set_ylabel(f"{quantity}, %")
    for axis in axes[0]:
        axis.set_xticks(range(len(designs)), designs, rotation=40, ha="right")
    return figure


def normalization(rows: Rows) -> Any:
    """Residuals before and after normalization, and of the force."""
    mine = [r for r in rows if "control" not in r["task"] and r.get("residuals")]
    if not mine:
        return None
    figure, axes = _axes(2, 1, 3.8, 2.8)
    for row in mine:
        for name, colour in (("raw", ORANGE), ("canonical", BLUE)):
            _curve(axes[0, 0], row["residuals"].get(name), colour)
        _curve(axes[0, 1], row["residuals"].get("force"), BLUE)
    for name, colour in (("before normalization", ORANGE), ("after", BLUE)):
        axes[0, 0].plot([], [], color=colour, label=name)
    axes[0, 0].legend(frameon=False)
    axes[0, 1].locator_params(axis="x", nbins=5)
    axes[0, 0].set_xlabel("angle q, rad")
    axes[0, 0].set_ylabel("residual of the angle, rad")
    axes[0, 1].set_xlabel("angle q, rad")
    axes[0, 1].set_ylabel("residual of the force, % of its RMS")
    return figure


def _curve(axis: Any, points: Any, colour: str) -> None:
    if points:
        x, y = np.array(points).T
        axis.plot(x, y, lw=0.8, alpha=0.6, color=colour)


def controls(rows: Rows) -> Any:
    """Canonical and force errors of the controls."""
    figure, axes = _axes(2, 1, 4.0, 3.0)
    for axis, quantity, place in zip(axes[0], ("canonical", "force"), (1, 2), strict=True):
        _by_group(axis, [[r.get(quantity) for r in _of(rows, control=c)] for c in canonical.CONTROLS])
        _papers(axis, [canonical.PAPER_CONTROLS[c][place][0] for c in canonical.CONTROLS])
        _logarithmic(axis.yaxis)
        axis.set_ylabel("canonical e_map, %" if quantity == "canonical" else "force e_dyn, %")
        axis.set_xticks(range(len(canonical.CONTROLS)), list(canonical.CONTROLS), rotation=30, ha="right")
    return figure


def side(rows: Rows) -> Any:
    """The affine orbit, the coordinate error and gravity, by collection."""
    mine = [r for r in rows if r.get("g") is not None]
    if not mine:
        return None
    figure, axes = _axes(3, 1, 3.0, 2.7)
    groups = _collections(mine)
    for row in mine:
        colour = SERIES[int(row["task"]["collection"]) % len(SERIES)]
        axes[0, 0].plot(
            abs(row["scale"]), abs(row["acceleration"]), "o", ms=4, color=colour, alpha=0.7, mew=0
        )
    scales = np.array([0.0, 1.1 * max(abs(r["scale"]) for r in mine)])
    axes[0, 0].plot(scales, scales * mine[0]["pixel_acceleration"], "--", lw=0.8, color=INK)
    axes[0, 0].set_xlabel("scale |λ|")
    axes[0, 0].set_ylabel("|A|")
    _by_group(axes[0, 1], _each(mine, groups, "e_map"))
    axes[0, 1].set_ylabel("e_map, %")
    _by_group(axes[0, 2], _each(mine, groups, "g"))
    axes[0, 2].axhline(side_fall.GRAVITY, color=INK, lw=0.8, ls="--")
    axes[0, 2].set_ylabel("g, m/s²")
    for axis in axes[0, 1:]:
        axis.set_xticks(range(len(groups)), [f"IC{g + 1}" for g in groups])
    return figure


def overhead_residuals(rows: Rows) -> Any:
    """Residuals of the inverse radius, IC5 from 2: before and after normalization."""
    mine = [r for r in _of(rows, group="IC5", start=2.0) if r.get("residuals")]
    if not mine:
        return None
    figure, axes = _axes(2, 1, 3.6, 2.7)
    for axis, name, words in zip(
        axes[0], ("raw", "canonical"), ("before normalization", "after"), strict=True
    ):
        for row in mine:
            _curve(axis, row["residuals"][name], BLUE if name == "canonical" else ORANGE)
        axis.axhline(0, color=FAINT, lw=0.8)
        axis.set_title(words)
        axis.set_xlabel("inverse radius u, 1/px")
    axes[0, 0].set_ylabel("residual of u, 1/px")
    return figure


def overhead_sensitivity(rows: Rows) -> Any:
    """Rho and gravity of every collection and start, with the paper's means as crosses."""
    figure, axes = _axes(2, 1, 4.2, 2.9)
    groups = list(overhead_fall.GROUPS)
    for axis, name, true in ((axes[0, 0], "rho", 2.0), (axes[0, 1], "g", overhead_fall.GRAVITY)):
        for number, start in enumerate(overhead_fall.STARTS):
            shift = (number - 1) * 0.25
            for place, group in enumerate(groups):
                found = [r[name] for r in _of(rows, group=group, start=start) if r.get(name) is not None]
                axis.plot(
                    [place + shift] * len(found), found, "o", ms=3.5, alpha=0.7, mew=0, color=SERIES[number]
                )
                paper = overhead_fall.PAPER[group, start][name].value
                axis.plot(place + shift, paper, "x", ms=5, color=SERIES[number])
            axis.plot([], [], "o", ms=3.5, color=SERIES[number], label=f"start {start:g}")
        axis.plot([], [], "x", color=INK, label="paper")
        axis.axhline(true, color=INK, lw=0.8, ls="--")
        axis.set_xticks(range(len(groups)), groups)
        axis.set_ylabel("learned rho" if name == "rho" else "g, m/s²")
    entries = axes[0, 0].get_legend_handles_labels()
    figure.legend(*entries, loc="outside upper center", ncols=len(entries[1]), frameon=False, fontsize=8)
    return figure


def pendulum_lengths(rows: Rows) -> Any:
    """Both coordinate errors and the length, by group."""
    mine = [r for r in rows if r.get("length") is not None]
    if not mine:
        return None
    figure, axes = _axes(3, 1, 3.0, 2.7)
    groups = _collections(mine)
    words = ("e_map, affine, %", "e_map, sign and period, %", "length, m")
    for axis, name, label in zip(axes[0], ("affine", "angle", "length"), words, strict=True):
        for side, model, colour in zip((-1, 1), pendulum_real.LAWS, (GREEN, ORANGE), strict=True):
            own = _of(mine, model=model)
            _by_group(axis, _each(own, groups, name), colour, side)
        axis.set_ylabel(label)
        axis.set_xlabel("group")
    axes[0, 0].set_title("green: nonlinear, orange: linear")
    axes[0, 2].axhline(pendulum_real.LENGTH, color=INK, lw=0.8, ls="--")
    return figure


PICTURES: dict[str, dict[str, Callable[[Rows], Any]]] = {
    "six-family": {"orbit": orbit, "errors-by-collection": errors_by_collection},
    "matched-lti": {"matched-lti": matched},
    "coverage": {"coverage": velocity_coverage},
    "canonical": {"normalization-residuals": normalization},
    "canonical-controls": {"canonical-controls": controls},
    "side-fall": {"side-fall": side},
    "overhead-fall": {"overhead-residuals": overhead_residuals, "overhead-sensitivity": overhead_sensitivity},
    "pendulum-real": {"pendulum-real": pendulum_lengths},
}
_BOTH_METHODS = (errors_by_collection,)  # the others show the default where it was run
