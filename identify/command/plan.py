"""``identify plan LAW``: which motions to film."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from identify.command.options import Assume, Debug, Domain
from identify.command.outcome import DONE, NOT_MET, UNDECIDED, orderly, refuse, unwritable

if TYPE_CHECKING:
    from identify.motion.dynamics import Dynamics
    from identify.motion.plan import PlanReport


def plan(
    law: Annotated[str, typer.Argument(metavar="LAW", help="The law, such as \"z''+d*z'+a*z=0\".")],
    parameters: Annotated[
        str,
        typer.Option(metavar="P=X,..", help='Rough values, such as "d=0.2,a=1"; only the plan needs them.'),
    ],
    assume: Assume = None,
    domain: Domain = None,
    interval: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="Where coverage is wanted; an ordinary interval otherwise."),
    ] = None,
    clips: Annotated[int, typer.Option(metavar="N", min=1, max=24, help="How many clips can be filmed.")] = 4,
    levels: Annotated[int, typer.Option(metavar="N", min=2, max=201, help="How many state levels.")] = 21,
    duration: Annotated[float, typer.Option(min=0, help="Length of a clip.")] = 5.0,
    rate: Annotated[float, typer.Option(min=0, help="Frames per time unit.")] = 60.0,
    max_speed: Annotated[
        float | None, typer.Option(metavar="V", min=0, help="The fastest start that can be set up.")
    ] = None,
    initial: Annotated[
        list[str] | None, typer.Option(metavar="Z,V", help="Your own design, to compare with; repeatable.")
    ] = None,
    one_way: Annotated[
        bool, typer.Option("--one-way", help="Only motion towards larger states can be filmed.")
    ] = False,
    from_rest: Annotated[
        bool, typer.Option("--from-rest", help="Only releases from rest are possible.")
    ] = False,
    plot: Annotated[Path | None, typer.Option(metavar="FILE.png", help="Draw before and after.")] = None,
    json: Annotated[bool, typer.Option("--json", help="The document identify/plan/1.")] = False,
    debug: Debug = False,
) -> None:
    """Propose initial conditions whose motions give full rank, as well conditioned as was found.

    Exit code 0 if such a design was found, 1 if not, 3 if no theorem gives a condition.

    Example:

        identify plan "q''=-k*q-d*q'-c*q'*abs(q')" --parameters "k=0.8,d=0.18,c=0.22" --interval=-0.2,0.2
    """
    with orderly(debug):
        from identify.law import read_law
        from identify.motion.extra import need

        need("identify plan", "numpy", "scipy")
        from identify.motion.dynamics import Dynamics
        from identify.motion.plan import Wish, default_interval, fastest_speed
        from identify.motion.plan import plan as propose
        from identify.motion.values import read_interval, read_numbers, read_parameters

        if one_way and from_rest:
            raise refuse("--one-way and --from-rest contradict each other", "give one of them")
        if not (duration > 0 and rate > 0 and duration * rate <= 1e5):
            raise refuse(
                "--duration and --rate must be positive, and at most 100000 frames", "--duration 10 --rate 60"
            )
        read = read_law(law, assume or [], domain or [])
        dynamics = Dynamics(read, read_parameters(parameters, read))
        where = read_interval(interval) if interval else default_interval(dynamics)
        fastest = max_speed or fastest_speed(dynamics, where, duration)
        wish = Wish(where, clips, duration, rate, levels, fastest, one_way, from_rest)
        starts = [read_numbers(text, 2, "an initial condition", "1,0") for text in initial or []]
        report = propose(dynamics, wish, [(u, v) for u, v in starts])
        _show(report, dynamics, plot, json)
        raise typer.Exit(UNDECIDED if report.after is None else DONE if report.reached else NOT_MET)


def _show(report: PlanReport, dynamics: Dynamics, plot: Path | None, json: bool) -> None:
    from identify.motion.page import print_json
    from identify.motion.words import plan_page

    if plot is not None and report.after is not None:
        from identify.motion.picture import draw_plan
        from identify.motion.plan import filmed

        try:
            draw_plan(report, filmed(report, dynamics), dynamics.law.state.name, plot)
        except OSError as error:
            raise unwritable(plot, error) from None
    print_json(report.to_dict()) if json else plan_page(report).print()
