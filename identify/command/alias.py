"""``identify alias LAW``: two parameter values, or two laws, that show the same video."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from identify.command.options import Assume, Debug, Domain
from identify.command.outcome import DONE, UNDECIDED, orderly, refuse, unwritable

if TYPE_CHECKING:
    from identify.motion.alias import AliasReport
    from identify.motion.dynamics import Dynamics


def alias(
    law: Annotated[str, typer.Argument(metavar="LAW", help="The law, such as \"z''+d*z'+a*z+b*z**3=0\".")],
    parameters: Annotated[
        str | None, typer.Option(metavar="P=X,..", help="The true values; simple ones are picked otherwise.")
    ] = None,
    assume: Assume = None,
    domain: Domain = None,
    parameter: Annotated[
        str | None, typer.Option(metavar="P", help="The parameter that must differ; any otherwise.")
    ] = None,
    two_slope: Annotated[
        bool, typer.Option("--two-slope", help="Two velocities per position only: two laws, a nonlinear map.")
    ] = False,
    one_way: Annotated[
        bool, typer.Option("--one-way", help="One direction only: two laws, a nonlinear map.")
    ] = False,
    mapping: Annotated[
        str | None, typer.Option("--map", metavar="F", help='The nonlinear map, such as "z + z**3/5".')
    ] = None,
    interval: Annotated[str | None, typer.Option(metavar="A,B", help="Where the motions run.")] = None,
    velocities: Annotated[
        str | None, typer.Option(metavar="V,W", help="For --two-slope: the velocities at the middle.")
    ] = None,
    initial: Annotated[
        list[str] | None,
        typer.Option(metavar="Z,V", help="Initial state and velocity of a clip; repeatable."),
    ] = None,
    duration: Annotated[float, typer.Option(min=0, help="Length of a clip.")] = 5.0,
    timeout: Annotated[float | None, typer.Option(metavar="SECONDS", help="Limit of the analysis.")] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE.png", help="Draw both motions and their difference.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="The document identify/alias/1.")] = False,
    debug: Debug = False,
) -> None:
    """Show that video cannot tell: an alias, confirmed by integrating both laws.

    For identified parameters it says why there is none. Exit code 0 if the question was answered, 3 if not.

    Examples:

        identify alias "z''+d*z'+a*z+b*z**3=0" --assume "b != 0" --parameters "d=0.2,a=1,b=0.5"

        identify alias "q''=-k*q-d*q'-c*q'*abs(q')" --parameters "k=0.8,d=0.18,c=0.22" --one-way
    """
    with orderly(debug):
        from identify.law import read_law
        from identify.motion.extra import need

        need("identify alias", "numpy", "scipy")
        from identify.motion.dynamics import Dynamics
        from identify.motion.values import ordinary_parameters, read_parameters

        if two_slope and one_way:
            raise refuse("--two-slope and --one-way contradict each other", "give one of them")
        if not duration > 0:
            raise refuse("--duration must be positive", "leave --duration out for the usual value")
        read = read_law(law, assume or [], domain or [])
        values = ordinary_parameters(read) if parameters is None else read_parameters(parameters, read)
        dynamics = Dynamics(read, values)
        if two_slope or one_way:
            report = _without_coverage(dynamics, two_slope, mapping, interval, velocities, duration)
        else:
            report = _within_family(dynamics, parameter, interval, initial or [], duration, timeout)
        _show(report, dynamics, plot, json)
        raise typer.Exit(UNDECIDED if report.outcome == "undecided" else DONE)


def _without_coverage(
    dynamics: Dynamics,
    two_slope: bool,
    mapping: str | None,
    interval: str | None,
    velocities: str | None,
    duration: float,
) -> AliasReport:
    from identify.motion.plan import default_interval, fastest_speed
    from identify.motion.sharpness import curved_map, one_way_alias, two_slope_alias
    from identify.motion.values import read_interval, read_numbers

    where = read_interval(interval) if interval else default_interval(dynamics)
    z = dynamics.law.state.name
    curved = curved_map(mapping or f"{z} + {z}**3/5", dynamics, where)
    fastest = fastest_speed(dynamics, where, duration)
    if not two_slope:
        return one_way_alias(dynamics, curved, fastest)
    pair = read_numbers(velocities, 2, "--velocities", "1,-1") if velocities else None
    if pair is not None and (pair[0] == pair[1] or 0 in pair):
        raise refuse(
            "--velocities needs two different velocities, neither of them 0", "for example --velocities 1,2"
        )
    return two_slope_alias(dynamics, curved, (pair[0], pair[1]) if pair else None, fastest)


def _within_family(
    dynamics: Dynamics,
    parameter: str | None,
    interval: str | None,
    initial: list[str],
    duration: float,
    timeout: float | None,
) -> AliasReport:
    from identify.engine import analyze
    from identify.motion.alias import family_alias
    from identify.motion.plan import default_interval, fastest_speed, rounded
    from identify.motion.values import read_interval, read_numbers

    starts = [read_numbers(text, 2, "an initial condition", "1,0") for text in initial]
    clips = [(u, v) for u, v in starts]
    if any(not dynamics.inside(u) for u, _ in clips):
        raise refuse(
            "an initial state is not inside the domain of the law", "choose another --initial, or --domain"
        )
    if not clips:
        low, high = read_interval(interval) if interval else default_interval(dynamics)
        speed = fastest_speed(dynamics, (low, high), duration) / 4
        clips = [(rounded(high - (high - low) / 8), 0.0), (rounded((low + high) / 2), rounded(speed))]
    analysis = analyze(dynamics.law, timeout=timeout, isolated=True)
    return family_alias(analysis, dynamics, clips, duration, parameter)


def _show(report: AliasReport, dynamics: Dynamics, plot: Path | None, json: bool) -> None:
    from identify.motion.page import print_json
    from identify.motion.words import alias_page

    if plot is not None and report.clips:
        from identify.motion.picture import draw_alias

        try:
            draw_alias(report, dynamics.law.state.name, plot)
        except OSError as error:
            raise unwritable(plot, error) from None
    print_json(report.to_dict()) if json else alias_page(report).print()
