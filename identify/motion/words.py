"""The reports of this package as pages for people; everything is read off the report."""

from __future__ import annotations

from identify.motion.alias import AliasReport
from identify.motion.bounds import BoundsReport, Distances
from identify.motion.coverage import CoverageReport, Level
from identify.motion.page import Page, number, thinned
from identify.motion.plan import Design, PlanReport

_ANSWER = {
    "holds": "Coverage holds",
    "holds in part": "Coverage holds on a part",
    "not met": "Coverage is not met",
    "undecided": "Undecided",
}
_SYMBOL = {"lipschitz": "lipschitz L_c", "slope": "slope c_0"}
_FLAG = {
    "residual": "--residual",
    "level_mismatch": "--level-mismatch",
    "separation": "--velocities or --separation",
    "speed": "--velocities or --max-speed",
    "sigma": "--velocities or --sigma",
    "lipschitz": "--lipschitz",
    "slope": "--slope",
    "time_step": "--time-step",
    "noise": "--noise",
    "third": "--third",
    "fourth": "--fourth",
    "damping": "--damping",
    "damping_lipschitz": "--damping-lipschitz",
    "restoring_lipschitz": "--restoring-lipschitz",
    "latent_speed": "--latent-speed",
    "state_error": "--state-error",
    "map_slope": "--map-slope",
}


def coverage_page(report: CoverageReport) -> Page:
    """Coverage level by level."""
    page = Page()
    page.title(report.law)
    page.say(coverage_headline(report), style="bold")
    if report.levels:
        page.say(
            f"Rank of [{', '.join(report.features)}], {report.needed_rank} needed ({report.theorem}); "
            f"{report.clips} clips, {report.frames} frames, {report.source}."
        )
        shown = thinned(report.levels)
        page.table(LEVEL_HEADER, (level_row(level, report.needed_rank) for level in shown))
        if len(shown) < len(report.levels):
            page.say(f"{len(shown)} of {len(report.levels)} levels are shown; --json has all.")
    page.warn(report.advice)
    page.say(*coverage_tolerance(report))
    return page


def coverage_tolerance(report: CoverageReport) -> list[str]:
    """What counts as meeting a level and as another velocity, and what the ranks do not say."""
    if report.tolerance is None:
        return []
    return [
        f"Level tolerance {number(report.tolerance.level)} (a path must come this near; it is "
        "interpolated between frames). Velocities closer than "
        f"{number(report.tolerance.velocity)} count once. Singular values up to "
        f"{number(report.tolerance.rank)} count as zero.",
        "The theorem asks for every state of an open interval; the rank was checked at the levels only. "
        "A failed rank condition is no proof that parameters cannot be identified.",
    ]


def coverage_headline(report: CoverageReport) -> str:
    """The answer in one sentence."""
    told = _ANSWER[report.answer]
    if report.levels:
        told += f": least rank {report.least_rank}/{report.needed_rank}"
        first, last = report.levels[0].level, report.levels[-1].level
        told += f" at {len(report.levels)} levels from {number(first)} to {number(last)}"
    if report.answer == "holds in part":
        spans = ", ".join(f"[{number(a)}, {number(b)}]" for a, b in report.intervals)
        told += f"; full rank on {spans}" if spans else "; full rank at single levels only"
    return f"{told}."


LEVEL_HEADER = ("level", "velocities", "rank", "smallest singular value", "different velocities")


def level_row(level: Level, needed: int) -> tuple[str, ...]:
    """One level of a table."""
    listed = ", ".join(f"{v:.3g}" for v in level.velocities[:6])
    if len(level.velocities) > 6:
        listed += ", ..."
    smallest = number(level.smallest_singular_value) if level.rank == needed else "-"
    rank = f"{level.rank}/{needed}"
    return number(level.level), str(len(level.velocities)), rank, smallest, listed or "none"


def plan_page(report: PlanReport) -> Page:
    """Before and after, and what to set up."""
    page = Page()
    page.title(report.law)
    if report.after is None or report.wish is None:
        page.say(f"No plan: {report.reason}.", style="bold red")
        return page
    low, high = report.wish.interval
    where = f"[{number(low)}, {number(high)}]"
    if report.reached:
        clips = len(report.after.initial)
        page.say(f"These {clips} clips give full rank {report.needed_rank} on {where}.", style="bold")
    else:
        page.say(f"No full rank on {where}: {report.reason}.", style="bold red")
    page.table(
        ("film", "position", "velocity"),
        ((str(i + 1), number(u), number(v)) for i, (u, v) in enumerate(report.after.initial)),
    )
    page.table(
        ("design", "clips", "least rank", "levels with full rank", "worst singular value"),
        (_design_row(design, report.needed_rank) for design in (*report.before, report.after)),
    )
    page.warn(f"{design.name}: {warning}" for design in report.before for warning in design.warnings)
    page.say(
        f"Clips of {number(report.wish.duration)} time units, {number(report.wish.rate)} frames per unit, "
        f"speeds up to {number(report.wish.fastest)}, {report.wish.count} levels. The singular value is that "
        "of the column-normalised matrix; larger is better."
    )
    return page


def _design_row(design: Design, needed: int) -> tuple[str, ...]:
    rank = f"{design.least_rank}/{needed}"
    full = f"{design.full_levels}/{len(design.levels)}"
    return design.name, str(len(design.initial)), rank, full, number(design.worst_singular_value)


def alias_page(report: AliasReport) -> Page:
    """The alias and its verification, or why there is none."""
    page = Page()
    page.title(report.law)
    if report.outcome != "found":
        lead = "There is no alias" if report.outcome == "none" else "Undecided"
        page.say(f"{lead}: {report.reason}.", style="bold")
        if report.why:
            page.table(("parameter", "why"), report.why.items())
        return page
    page.say(
        f"Two laws, one video: the largest relative difference is {report.difference:.1e} "
        f"(at most {report.tolerance:.0e} was asked for).",
        style="bold",
    )
    chosen = ", ".join(f"{name} = {value}" for name, value in report.choices.items())
    page.say(f"Map f = {report.map}" + (f", with {chosen}" if chosen else "") + ".")
    if report.report is not None:
        page.table(
            ("parameter", "truth", "report"),
            ((name, number(value), number(report.report[name])) for name, value in report.truth.items()),
        )
    page.say(*report.construction)
    if report.table:
        header = list(report.table[0])
        page.table(header, ([number(row[name]) for name in header] for row in report.table))
    rows = [(clip, "filmed") for clip in report.clips]
    rows += [(report.apart, "tells them apart")] if report.apart else []
    page.table(
        ("clip", "position", "velocity", "duration", "relative difference"),
        (
            (name, *(number(x) for x in clip.initial), number(clip.duration), f"{clip.difference:.1e}")
            for clip, name in rows
        ),
    )
    if report.why:
        page.say("What stays the same in every report:")
        page.table(("parameter", "why"), report.why.items())
    page.say(*report.notes)
    return page


def bounds_page(report: BoundsReport) -> Page:
    """The error budget, what dominates it, and the bounds."""
    page = Page()
    page.title("Error bounds for laws z'' + a(z) z' + b(z) = 0")
    if report.dominant is not None:
        page.say(f"The largest term is: {report.dominant}.", style="bold")
        page.table(
            ("term", "formula", "value", "share"),
            ((t.name, t.formula, number(t.value), f"{100 * t.share:.1f} %") for t in report.terms),
        )
    rows = []
    for name, found in (("exact level", report.exact_level), ("near level", report.near_level)):
        if found is not None:
            rows.append((name, *_distances(found)))
    if rows:
        page.table(("bound", "|f''|", "|a_hat(f) - a|", "|b_hat(f) - f' b|", "|f - affine|"), rows)
    if report.best_time_step is not None:
        step = report.best_time_step
        page.say(
            f"Least stencil error at a sampling interval of {number(step)} ({number(1 / step)} per unit)."
        )
    known = {n: v for n, v in vars(report.known).items() if v is not None}
    page.table(
        ("constant", "value", "from"),
        (
            (_SYMBOL.get(n, n.replace("_", " ")), number(v), report.origin.get(n, "given"))
            for n, v in known.items()
        ),
    )
    page.say(
        *(
            f"Not computed: {name}; missing {', '.join(_FLAG.get(n, n) for n in names)}"
            for name, names in report.missing.items()
        )
    )
    page.say(*report.notes)
    return page


def _distances(found: Distances) -> tuple[str, ...]:
    return tuple(number(v) for v in (found.curvature, found.damping, found.restoring, found.affine))
