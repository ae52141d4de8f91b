"""``identify fit DIR --law LAW``: from a folder of clips to the parameters that the video warrants."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from identify.command.complete import family_names
from identify.command.measured import read_units
from identify.command.options import Assume, Debug, Derive, Domain, Known, Unit
from identify.command.outcome import DONE, UNDECIDED, orderly, refuse

if TYPE_CHECKING:
    from identify.fit.results.conclusion import Conclusion
    from identify.fit.results.filmed import Plan
    from identify.law import Law


class Method(StrEnum):
    """How the encoder is trained."""

    default = "default"
    paper = "paper"


class Device(StrEnum):
    """Where torch computes."""

    cpu = "cpu"
    cuda = "cuda"


Texts = list[str] | None


def fit(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder of clips, or one clip.")],
    law: Annotated[
        str | None, typer.Option(metavar="LAW", help="The law, such as \"z''+d*z'+a*z=0\".")
    ] = None,
    family: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="A law of the catalogue instead.", autocompletion=family_names),
    ] = None,
    assume: Assume = None,
    domain: Domain = None,
    anchor: Annotated[
        Texts,
        typer.Option(
            metavar="KIND=VALUE [WHERE]",
            help='What was measured, such as "size=0.400+-0.002 m over 713 px"; repeatable.',
        ),
    ] = None,
    unit: Unit = None,
    known: Known = None,
    derive: Derive = None,
    method: Annotated[
        Method, typer.Option(help="The best measured method, or the paper's.")
    ] = Method.default,
    crop: Annotated[
        str | None, typer.Option(metavar="X,Y,W,H", help="Where to look, in pixels of the full frame.")
    ] = None,
    channel: Annotated[
        str | None, typer.Option(metavar="NAME", help="grey, red, green, blue, saturation, difference.")
    ] = None,
    fps: Annotated[float | None, typer.Option(metavar="F", help="True frames per second.")] = None,
    time_scale: Annotated[
        float | None, typer.Option(metavar="S", help="True time over the file's time; slow motion: below 1.")
    ] = None,
    trim: Annotated[
        Texts, typer.Option(metavar="CLIP=A,B", help="Use seconds A to B of a clip; repeatable.")
    ] = None,
    train: Annotated[
        Texts, typer.Option(metavar="CLIPS", help='Clips to fit, names or patterns: "a,b" or repeated.')
    ] = None,
    test: Annotated[
        Texts, typer.Option(metavar="CLIPS", help='Clips to hold out, names or patterns: "a,b" or repeated.')
    ] = None,
    device: Annotated[Device, typer.Option(help="Where to compute.")] = Device.cpu,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="The same seed gives the same numbers.")] = 0,
    seeds: Annotated[int, typer.Option(metavar="N", min=1, max=100, help="How many seeds to try.")] = 1,
    updates: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="With --method paper: training steps.")
    ] = None,
    preset: Annotated[
        str | None, typer.Option(metavar="NAME", help="With --method paper: settings of which experiment.")
    ] = None,
    time_limit: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Stop after this time with the best result.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The run folder; run/ beside the clips.")
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume", help="With --method paper: continue a stopped fit; the default method starts anew."
        ),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what would be used, as pictures.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="The document identify/fit/1.")] = False,
    debug: Debug = False,
) -> None:
    """Fit a law to videos: parameters with error bars, an audit, and a report.

    A folder with clips and a law is enough; experiment.yaml in the folder may hold everything else.
    Exit code 0 if the fit is accepted, 3 if it is refused (the report says why), 2 for bad input.

    Examples:

        identify fit spring/ --law "z''+d*z'+a*z+c*z'*abs(z')=0" --anchor "size=0.400+-0.002 m over 713 px"

        identify fit spring/ --family lti --known "m=0.1515 kg" --derive "k=m*a"

        identify fit drops/ --law "z''=-g" --dry-run
    """
    with orderly(debug):
        from identify.motion.extra import need

        need("identify fit", "numpy", "scipy", "torch", "av", "matplotlib", "safetensors", "jinja2")
        if time_limit is not None and not 0 < time_limit < float("inf"):
            raise refuse(
                f"--time-limit needs a positive number of seconds, not {time_limit:g}", "for example 600"
            )
        if method is not Method.paper and (updates is not None or preset is not None):
            raise refuse(
                "--updates and --preset go with --method paper", "add --method paper, or leave them out"
            )
        from identify.fit.results.filmed import Plan

        changes: dict[str, Any] = {
            "law": law,
            "family": family,
            "crop": read_crop(crop),
            "channel": channel,
            "fps": fps,
            "time_scale": time_scale,
            "train": _each(train),
            "test": _each(test),
        }
        read, name, asked = read_question(
            folder, changes, assume or [], domain or [], anchor or [], unit or [], known or [], derive or []
        )
        plan = Plan(
            folder=folder,
            out=out if out is not None else (folder if folder.is_dir() else folder.parent) / "run",
            law=read,
            family=name,
            asked=asked,
            changes={k: v for k, v in changes.items() if k not in ("law", "family")},
            trims=read_trims(trim or []),
            method=method.value,
            device=device.value,
            seed=seed,
            seeds=seeds,
            time_limit=time_limit,
            updates=updates,
            preset=preset,
            resume=resume,
        )
        raise typer.Exit(_preview(plan) if dry_run else _run(plan, json))


def _run(plan: Plan, json: bool) -> int:
    from identify.fit.results.flow import run
    from identify.fit.results.progress import Progress

    progress = Progress()
    with progress.watched():
        conclusion = run(plan, progress, isolated=True)
    show(conclusion, plan.out, json)
    return DONE if conclusion.accepted else UNDECIDED


def show(conclusion: Conclusion, folder: Path, json: bool) -> None:
    """The document, or the page for a person."""
    from identify.fit.results.words import fit_page
    from identify.motion.page import print_json

    if json:
        print_json(conclusion.document)
    else:
        fit_page(conclusion.document, str(folder / "report.html")).print()


def _preview(plan: Plan) -> int:
    from identify.fit.results.filmed import film
    from identify.fit.results.preview import write_preview
    from identify.fit.results.progress import Progress

    progress = Progress()
    with progress.watched():
        filmed = film(plan, progress)
    write_preview(plan, filmed).print()
    return UNDECIDED if filmed.refused else DONE


def read_question(
    folder: Path,
    changes: dict[str, Any],
    assume: list[str],
    domain: list[str],
    anchors: list[str],
    units: list[str],
    known: list[str],
    derive: list[str],
) -> tuple[Law, str | None, Any]:
    """The law and what is asked of it: from options first, else from experiment.yaml."""
    from identify.command.question import from_family
    from identify.fit.clips.experiment import read_experiment
    from identify.fit.results.conclusion import Asked
    from identify.law import read_law

    if not folder.exists():
        raise refuse(
            f"there is no file or folder {folder}",
            "name a folder of clips; identify simulate makes one to try",
        )
    if changes["law"] is not None and changes["family"] is not None:
        raise refuse("--law and --family contradict each other", "give one of them")
    settings = read_experiment(folder, **changes).settings
    if settings.law is None and settings.family is None:
        raise refuse("which law?", "give it with --law or --family, or as law: in experiment.yaml")
    conditions = [*settings.assume, *assume], [*settings.domain, *domain]
    question = from_family(settings.family, settings.law, *conditions)
    asked = Asked(
        tuple(dict.fromkeys([*settings.anchors, *anchors])),
        {**settings.units, **read_units(units)},
        tuple(known),
        tuple(derive),
    )
    return read_law(question.law, question.assume, question.domain), settings.family, asked


def _each(texts: list[str] | None) -> list[str] | None:
    """The names in repeated and in comma-separated options alike."""
    return None if texts is None else [part.strip() for text in texts for part in text.split(",")]


def read_crop(text: str | None) -> list[int] | None:
    """``x,y,width,height`` in pixels."""
    if text is None:
        return None
    shape = "write x,y,width,height, such as 600,60,240,960"
    try:
        x, y, width, height = (int(part) for part in text.split(","))
    except ValueError:
        raise refuse(f"--crop needs four whole numbers of pixels, not {text!r}", shape) from None
    if min(x, y) < 0:
        raise refuse(f"--crop {text}: x and y count from the upper left corner and cannot be negative", shape)
    if min(width, height) < 1:
        raise refuse(f"--crop {text}: width and height must be at least 1 pixel", shape)
    return [x, y, width, height]


def read_trims(texts: list[str]) -> dict[str, tuple[float | None, float | None]]:
    """``CLIP=A,B`` in seconds; either may be left out."""
    found: dict[str, tuple[float | None, float | None]] = {}
    shape = "write CLIP=START,STOP, such as pull_20cm=1.5,12"
    for text in texts:
        name, equals, span = text.rpartition("=")
        try:
            start, stop = (float(part) if part.strip() else None for part in span.split(","))
        except ValueError:
            equals = ""
        if not equals or not name:
            raise refuse(f"--trim needs CLIP=START,STOP in seconds, not {text!r}", shape)
        if any(x is not None and not 0 <= x < 1e9 for x in (start, stop)):
            raise refuse(f"--trim {text}: seconds count from the clip's start and cannot be negative", shape)
        if start is not None and stop is not None and stop <= start:
            raise refuse(f"--trim {text}: it ends at {stop:g} s, not after it begins ({start:g} s)", shape)
        found[name] = (start, stop)
    return found
