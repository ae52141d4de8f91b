"""``identify coverage DATA --law LAW``: whether the filmed motions meet the theorem's rank condition."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from identify.command.options import Assume, Columns, Debug, Domain
from identify.command.outcome import DONE, NOT_MET, UNDECIDED, orderly, refuse, unwritable

if TYPE_CHECKING:
    from identify.law import Law
    from identify.motion.coverage import CoverageReport
    from identify.motion.trajectory import Clip


def coverage(
    data: Annotated[
        Path | None,
        typer.Argument(
            metavar="DATA", help="Clips as CSV, Parquet or NPZ, or the folder of a fit; none: simulate."
        ),
    ] = None,
    law: Annotated[
        str, typer.Option(metavar="LAW", help="The law, such as \"z''+d*z'+a*z=0\"; a fit brings its own.")
    ] = "",
    assume: Assume = None,
    domain: Domain = None,
    interval: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="Where coverage is wanted; all states that occur otherwise."),
    ] = None,
    levels: Annotated[int, typer.Option(metavar="N", min=2, max=2001, help="How many state levels.")] = 41,
    tolerance: Annotated[
        float, typer.Option(metavar="T", min=0, help="How near a turning point must come to a level.")
    ] = 0.0,
    separation: Annotated[
        float | None,
        typer.Option(
            metavar="V",
            min=0,
            help="Velocities closer than this count once; 1 % of the largest speed, 2 % in a fit.",
        ),
    ] = None,
    columns: Columns = None,
    window: Annotated[
        int | None, typer.Option(metavar="N", min=3, help="Smooth over N frames (degree two) first; odd.")
    ] = None,
    parameters: Annotated[
        str | None, typer.Option(metavar="P=X,..", help='Simulate with these values, such as "d=0.2,a=1".')
    ] = None,
    initial: Annotated[
        list[str] | None,
        typer.Option(metavar="Z,V", help="Simulate from this state and velocity; repeatable."),
    ] = None,
    duration: Annotated[float, typer.Option(min=0, help="Length of a simulated clip.")] = 10.0,
    rate: Annotated[float, typer.Option(min=0, help="Frames per time unit of a simulated clip.")] = 60.0,
    centred: Annotated[
        bool, typer.Option("--centred", help="The initial condition is the middle of the clip.")
    ] = False,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE.png", help="Draw the phase plane coloured by rank.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="Write one page with picture, levels and advice.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="The document identify/coverage/1.")] = False,
    debug: Debug = False,
) -> None:
    """Tell at which positions the filmed velocities suffice for the theorem behind the analysis.

    DATA has the columns time and state (or the law's own name for it), and optionally velocity and clip; or
    it is the folder of a finished fit, whose latent motions are then taken (frames it used only).
    Exit code 0 if coverage holds (over --interval, or somewhere), 1 if not, 3 if no theorem applies.

    Examples:

        identify coverage clips.csv --law "q''=-k*q-d*q'-c*q'*abs(q')" --interval=-0.2,0.2

        identify coverage run/ --html coverage.html

        identify coverage --law "z''+a*z=0" --parameters "a=1" --initial "1,0" --plot phase.png
    """
    with orderly(debug):
        from identify.motion.extra import need

        need("identify coverage", "numpy", "scipy")
        from identify.motion.coverage import measure
        from identify.motion.values import read_interval

        if window is not None and window % 2 == 0:
            raise refuse(
                f"--window needs an odd number of frames, not {window}", f"for example --window {window + 1}"
            )
        read = _law(law, assume or [], domain or [], data)
        wanted = None if interval is None else read_interval(interval)
        if data is not None:
            clips = _filmed(data, read, columns, window)
        else:
            clips = _simulated(read, parameters, initial or [], duration, rate, centred)
        report = measure(
            read,
            clips,
            source=f"from {data}" if data is not None else "simulated",
            interval=wanted,
            count=levels,
            level_tolerance=tolerance,
            separation=separation,
            simulated=data is None,
            fitted=data is not None and data.is_dir(),
        )
        _draw(report, clips, read.state.name, plot, html)
        _show(report, json)
        raise typer.Exit(_code(report))


def _law(law: str, assume: list[str], domain: list[str], data: Path | None) -> Law:
    """The law as typed, or that of the fit whose folder is given, with the typed conditions added."""
    from identify.law import read_law

    if law:
        return read_law(law, assume, domain)
    if data is None or not data.is_dir():
        raise refuse("which law?", "give it with --law, such as --law \"z''+d*z'+a*z=0\"")
    from identify.motion.run import read_question

    question = read_question(data)
    return read_law(question.law, [*question.assume, *assume], [*question.domain, *domain])


def _filmed(data: Path, law: Law, columns: str | None, window: int | None) -> list[Clip]:
    from identify.motion.table import read_clips, read_names
    from identify.motion.trajectory import LEAST_SAMPLES, smooth

    if data.is_dir():
        from identify.motion.run import read_latent

        clips = read_latent(data, law.state.name)
    else:
        clips = read_clips(data, law.state.name, read_names(columns) if columns else None)
    if window is None:
        return clips
    short = next((clip for clip in clips if clip.frames < window + LEAST_SAMPLES - 1), None)
    if short is not None:
        raise refuse(
            f"clip {short.name} has {short.frames} frames, too few for --window {window}",
            "choose a smaller --window, or leave the clip out",
        )
    return [smooth(clip, window) for clip in clips]


def _simulated(
    law: Law, parameters: str | None, initial: list[str], duration: float, rate: float, centred: bool
) -> list[Clip]:
    from identify.motion.dynamics import Dynamics, simulate
    from identify.motion.values import read_numbers, read_parameters

    if parameters is None or not initial:
        raise refuse(
            "neither data nor a simulation is given",
            'give a file or a run folder, or --parameters "a=1" and --initial "1,0" to simulate',
        )
    if not (duration > 0 and rate > 0 and duration * rate <= 1e6):
        raise refuse(
            "--duration and --rate must be positive, and at most a million frames", "--duration 10 --rate 60"
        )
    dynamics = Dynamics(law, read_parameters(parameters, law))
    starts = [read_numbers(text, 2, "an initial condition", "1,0") for text in initial]
    return [simulate(dynamics, (u, v), duration, rate, centred=centred) for u, v in starts]


def _draw(
    report: CoverageReport, clips: list[Clip], state: str, plot: Path | None, html: Path | None
) -> None:
    """The picture and the page that were asked for; a law without levels has no picture."""
    if plot is None and html is None:
        return
    from identify.files import write_whole

    picture = None
    if report.levels:
        from identify.motion.picture import coverage_png

        picture = coverage_png(report, clips, state)
    if plot is not None and picture is not None:
        try:
            write_whole(plot, picture)
        except OSError as error:
            raise unwritable(plot, error) from None
    if html is not None:
        from identify.motion.html import coverage_html

        try:
            write_whole(html, coverage_html(report, picture))
        except OSError as error:
            raise unwritable(html, error) from None


def _show(report: CoverageReport, json: bool) -> None:
    from identify.motion.page import print_json
    from identify.motion.words import coverage_page

    print_json(report.to_dict()) if json else coverage_page(report).print()


def _code(report: CoverageReport) -> int:
    if report.answer == "undecided":
        return UNDECIDED
    if report.answer == "holds in part":
        return DONE if report.interval is None else NOT_MET
    return DONE if report.answer == "holds" else NOT_MET
