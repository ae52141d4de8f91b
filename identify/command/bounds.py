"""``identify bounds``: how far a residual, noise and sampling let the coordinate bend."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from identify.command.options import Columns, Debug, Domain
from identify.command.outcome import DONE, NOT_MET, orderly, refuse

if TYPE_CHECKING:
    from identify.motion.bounds import Known

_Given = float | None


def bounds(
    data: Annotated[
        Path | None, typer.Argument(metavar="DATA", help="Clips to estimate the constants from.")
    ] = None,
    law: Annotated[str | None, typer.Option(metavar="LAW", help="The fitted law, with DATA.")] = None,
    parameters: Annotated[
        str | None, typer.Option(metavar="P=X,..", help="The fitted values, with DATA.")
    ] = None,
    domain: Domain = None,
    columns: Columns = None,
    levels: Annotated[int, typer.Option(metavar="N", min=2, max=2001, help="How many state levels.")] = 21,
    interval: Annotated[str | None, typer.Option(metavar="A,B", help="The compact interval K.")] = None,
    residual: Annotated[_Given, typer.Option(min=0, help="Largest residual at the covering points.")] = None,
    level_mismatch: Annotated[_Given, typer.Option(min=0, help="h: how far points lie from a level.")] = None,
    velocities: Annotated[
        str | None, typer.Option(metavar="V1,V2,V3", help="Three velocities met at every level.")
    ] = None,
    separation: Annotated[_Given, typer.Option(min=0, help="delta_v: least distance of the three.")] = None,
    max_speed: Annotated[_Given, typer.Option(min=0, help="V: largest of the three speeds.")] = None,
    sigma: Annotated[
        _Given, typer.Option(min=0, help="Smallest singular value of rows (v**2, v, 1), physical units.")
    ] = None,
    slope: Annotated[_Given, typer.Option(min=0, help="c_0: least |f'|; estimated with DATA.")] = None,
    lipschitz: Annotated[
        _Given,
        typer.Option(min=0, help="L_c: Lipschitz constant of the coefficient errors; estimated with DATA."),
    ] = None,
    time_step: Annotated[_Given, typer.Option(min=0, help="Sampling interval.")] = None,
    noise: Annotated[_Given, typer.Option(min=0, help="sigma_0: largest error of a sample.")] = None,
    third: Annotated[_Given, typer.Option(min=0, help="M_3: largest third derivative of the path.")] = None,
    fourth: Annotated[_Given, typer.Option(min=0, help="M_4: largest fourth derivative of the path.")] = None,
    damping: Annotated[_Given, typer.Option(min=0, help="A: largest |a|.")] = None,
    damping_lipschitz: Annotated[
        _Given, typer.Option(min=0, help="L_a: Lipschitz constant of the damping.")
    ] = None,
    restoring_lipschitz: Annotated[
        _Given, typer.Option(min=0, help="L_b: Lipschitz constant of the restoring term.")
    ] = None,
    latent_speed: Annotated[_Given, typer.Option(min=0, help="Largest encoder-side speed.")] = None,
    state_error: Annotated[
        _Given, typer.Option(min=0, help="eps_sc: largest error of the encoder path, with two derivatives.")
    ] = None,
    map_slope: Annotated[_Given, typer.Option(min=0, help="Lambda: largest |f'|.")] = None,
    json: Annotated[bool, typer.Option("--json", help="The document identify/bounds/1.")] = False,
    debug: Debug = False,
) -> None:
    """Bound the bend of the coordinate and the errors of the coefficients, term by term.

    Constants come from options, or from DATA with --law and --parameters; an option wins, and the table says
    which was used. Exit code 0 if a bound was computed, 1 if the constants do not suffice for any.

    Examples:

        identify bounds --residual 1e-3 --velocities=-1,0,1 --interval=-1,1 --slope 0.5

        identify bounds clips.csv --law "z''+d*z'+a*z=0" --parameters "d=0.2,a=1"
    """
    with orderly(debug):
        from identify.motion.bounds import Known, evaluate
        from identify.motion.page import print_json

        given = Known(
            residual=residual,
            level_mismatch=level_mismatch,
            separation=separation,
            speed=max_speed,
            sigma=sigma,
            slope=slope,
            lipschitz=lipschitz,
            time_step=time_step,
            noise=noise,
            third=third,
            fourth=fourth,
            damping=damping,
            damping_lipschitz=damping_lipschitz,
            restoring_lipschitz=restoring_lipschitz,
            latent_speed=latent_speed,
            state_error=state_error,
            map_slope=map_slope,
        )
        _positive(given)
        known, origin, notes = _estimated(data, law, parameters, domain or [], columns, levels, interval)
        if velocities is not None:
            known = replace(known, **_three(velocities))
            origin = {n: o for n, o in origin.items() if n not in ("separation", "speed", "sigma")}
        chosen = {name: value for name, value in vars(given).items() if value is not None}
        known = replace(known, **chosen)
        report = evaluate(known, {n: o for n, o in origin.items() if n not in chosen}, notes)
        if not any(value is not None for value in vars(known).values()):
            raise refuse("nothing is known", "give constants as options, or DATA; --help lists them")
        if json:
            print_json(report.to_dict())
        else:
            from identify.motion.words import bounds_page

            bounds_page(report).print()
        raise typer.Exit(DONE if report.exact_level or report.near_level else NOT_MET)


def _positive(given: Known) -> None:
    for name in ("separation", "sigma", "slope", "time_step"):
        if getattr(given, name) == 0:
            raise refuse(
                f"--{name.replace('_', '-')} must be positive: it divides", "leave out what is not known"
            )


def _three(text: str) -> dict[str, float]:
    """delta_v, V and sigma_star of three velocities."""
    from identify.motion.extra import need
    from identify.motion.values import read_numbers

    need("identify bounds --velocities", "numpy")
    from identify.motion.estimate import smallest_singular_value

    a, b, c = sorted(read_numbers(text, 3, "--velocities", "-1,0,1"))
    if not a < b < c:
        raise refuse("--velocities needs three different velocities", "for example --velocities=-1,0,1")
    speed = max(abs(a), abs(c))
    return {"separation": min(b - a, c - b), "speed": speed, "sigma": smallest_singular_value((a, b, c))}


def _estimated(
    data: Path | None,
    law: str | None,
    parameters: str | None,
    domain: list[str],
    columns: str | None,
    levels: int,
    interval: str | None,
) -> tuple[Known, dict[str, str], tuple[str, ...]]:
    from identify.motion.bounds import Known
    from identify.motion.values import read_interval

    where = read_interval(interval) if interval else None
    if data is None:
        return Known(diameter=where[1] - where[0] if where else None), {}, ()
    if law is None or parameters is None:
        raise refuse(
            "with DATA, --law and --parameters are needed",
            'for example --law "z\'\'+a*z=0" --parameters "a=1"',
        )
    from identify.law import read_law
    from identify.motion.extra import need

    need("identify bounds DATA", "numpy", "scipy")
    from identify.motion.dynamics import Dynamics
    from identify.motion.estimate import estimate
    from identify.motion.table import read_clips, read_names
    from identify.motion.values import read_parameters

    read = read_law(law, (), domain)
    clips = read_clips(data, read.state.name, read_names(columns) if columns else None)
    return estimate(clips, Dynamics(read, read_parameters(parameters, read)), where, levels)
