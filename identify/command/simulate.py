"""``identify simulate FAMILY OUT/``: synthetic clips of a law, with the true states beside them."""

from __future__ import annotations

import re
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from identify.command.complete import scenes
from identify.command.options import Assume, Debug, Domain
from identify.command.outcome import orderly, refuse, unwritable

if TYPE_CHECKING:
    from identify.scene.collection import Ask
    from identify.scene.recording import Recording


def simulate(
    family: Annotated[
        str | None,
        typer.Argument(
            metavar="FAMILY", help="An experiment of the paper, a family or a file.", autocompletion=scenes
        ),
    ] = None,
    out: Annotated[Path | None, typer.Argument(metavar="OUT", help="The folder to write.")] = None,
    law: Annotated[
        str | None, typer.Option(metavar="LAW", help="Simulate this law instead; FAMILY is then left out.")
    ] = None,
    parameters: Annotated[
        str | None, typer.Option(metavar="P=X,..", help='The true values, such as "d=0.2,a=4".')
    ] = None,
    initial: Annotated[
        list[str] | None, typer.Option(metavar="Z,V", help="A clip from this state and velocity; repeatable.")
    ] = None,
    assume: Assume = None,
    domain: Domain = None,
    scene: Annotated[
        str | None,
        typer.Option(help="cart, pendulum, projected-pendulum, side-fall or overhead-fall."),
    ] = None,
    clips: Annotated[
        int | None, typer.Option(metavar="N", min=1, max=200, help="How many clips to train on.")
    ] = None,
    size: Annotated[
        str | None, typer.Option(metavar="N or WxH", help="Pixels, such as 96 or 72x192; from 16 to 1080.")
    ] = None,
    rate: Annotated[float | None, typer.Option(metavar="HZ", help="Frames in a second.")] = None,
    duration: Annotated[float | None, typer.Option(metavar="S", help="Seconds in a clip.")] = None,
    noise: Annotated[
        float | None, typer.Option(min=0, max=1, help="Noise of a pixel, as a share of full scale; 0.01.")
    ] = None,
    brightness: Annotated[
        float | None, typer.Option(min=0, max=1, help="Largest change of brightness from clip to clip.")
    ] = None,
    texture: Annotated[
        float | None, typer.Option(min=0, max=1, help="Depth of a static background pattern.")
    ] = None,
    blur: Annotated[
        float | None, typer.Option(min=0, max=1, help="Exposure as a share of the frame interval.")
    ] = None,
    flicker: Annotated[
        float | None, typer.Option(min=0, max=1, help="Change of brightness from frame to frame.")
    ] = None,
    shade: Annotated[
        float | None, typer.Option(min=0, max=1, help="Depth of a soft shadow that crosses the picture.")
    ] = None,
    colour: Annotated[bool, typer.Option("--colour", help="Colour instead of grey.")] = False,
    seed: Annotated[int, typer.Option(min=0, max=2**63 - 1, help="Initial states, noise and texture.")] = 0,
    codec: Annotated[str, typer.Option(help="h264 (.mp4) or ffv1 (.mkv); both lossless.")] = "h264",
    force: Annotated[bool, typer.Option("--force", help="Write into a folder that is not empty.")] = False,
    debug: Debug = False,
) -> None:
    """Render clips of a known law: videos, arrays, true states, and an experiment.yaml for identify fit.

    FAMILY is an experiment of the paper (lti, pendulum, van-der-pol, cubic, quintic, quadratic, one-way-1,
    one-way-3, one-way-6, two-way-1, two-way-2, two-way-3, projected-pendulum, side-fall, overhead-fall), any
    other family of the catalogue, or a family file.

    Examples:

        identify simulate cubic clips/ --seed 1

        identify simulate clips/ --law "z''+d*z'+a*z=0" --parameters "d=0.2,a=4" --initial 1,0 --initial 0,2
    """
    with orderly(debug):
        from identify.motion.extra import need

        need("identify simulate", "numpy", "scipy", "av", "matplotlib")
        from identify.scene.collection import Ask, check_amount
        from identify.scene.folder import check_folder, write_recording
        from identify.scene.video import CODECS

        name, folder = _named(family, out, law)
        if codec not in CODECS:
            raise refuse(f"there is no codec '{codec[:40]}'", f"choose one of {', '.join(CODECS)}")
        nuisances = {
            "noise": noise,
            "brightness": brightness,
            "texture": texture,
            "blur": blur,
            "flicker": flicker,
            "shade": shade,
        }
        look = {key: value for key, value in nuisances.items() if value is not None}
        ask = Ask(_size(size), rate, duration, clips, {**look, "colour": colour})
        check_amount(ask)
        check_folder(folder, force)
        typer.echo(f"rendering {name or 'the law'} ...", err=True)
        given = _Given(law, parameters, initial or [], assume or [], domain or [], scene)
        recording = _recording(name, given, seed, ask)
        try:
            written = write_recording(recording, folder, codec, _progress)
        except OSError as error:
            raise unwritable(folder, error) from None
        _tell(recording, folder, written)


@dataclass(frozen=True)
class _Given:
    """What the user said about the law."""

    law: str | None
    parameters: str | None
    initial: list[str]
    assume: list[str]
    domain: list[str]
    scene: str | None

    def stray(self) -> str | None:
        """The first option that an experiment of the paper does not take."""
        options = {
            "--parameters": self.parameters,
            "--initial": self.initial,
            "--assume": self.assume,
            "--domain": self.domain,
            "--scene": self.scene,
        }
        return next((option for option, value in options.items() if value), None)


def _named(family: str | None, out: Path | None, law: str | None) -> tuple[str | None, Path]:
    """The family and the folder; with --law there is only the folder."""
    if law is None:
        if not family:
            raise refuse("which family?", "identify families lists them; or give a law with --law")
        if out is None:
            raise refuse("where to?", f"identify simulate {family[:80]} OUT/")
        return family, out
    if family and out is not None:
        raise refuse("a family and --law contradict each other", "give one of them")
    folder = out or (Path(family) if family else None)
    if folder is None:
        raise refuse("where to?", "identify simulate OUT/ --law LAW")
    return None, folder


def _recording(name: str | None, given: _Given, seed: int, ask: Ask) -> Recording:
    from identify.motion.values import read_numbers
    from identify.scene.lawbook import from_catalogue, from_law
    from identify.scene.protocol import PROTOCOLS, paper_protocol
    from identify.scene.trial import film

    if name in PROTOCOLS:
        stray = given.stray()
        if stray is None:
            return paper_protocol(name, seed, ask)
        if name not in _also_families():
            raise refuse(
                f"{stray} does not go with {name}, an experiment of the paper",
                "leave it out, or give the law with --law",
            )
    pairs = [read_numbers(text, 2, "an initial condition", "1,0") for text in given.initial]
    if name is None:
        assert given.law is not None
        trial = from_law(given.law, given.parameters, given.assume, given.domain, given.scene)
    elif given.assume or given.domain:
        raise refuse("a family says itself what is assumed", "--assume and --domain go with --law")
    else:
        trial = from_catalogue(name, given.parameters, given.scene)
    return film(trial, [(state, velocity) for state, velocity in pairs], seed, ask)


def _also_families() -> set[str]:
    from identify.families.catalogue import catalogue_files

    return {file.stem for file in catalogue_files()}


def _size(text: str | None) -> tuple[int, int] | None:
    """Height and width from ``N`` or ``WxH``."""
    if text is None:
        return None
    found = re.fullmatch(r"(\d{1,5})(?:[x,](\d{1,5}))?", text.strip().lower())
    if found is None:
        raise refuse(f"--size '{text[:40]}' is no size", "write 96 or 72x192")
    width = int(found[1])
    height = int(found[2] or found[1])
    if not (16 <= width <= 1080 and 16 <= height <= 1080):
        raise refuse("--size must be from 16 to 1080 pixels", "for example --size 96")
    return height, width


def _progress(done: int, total: int) -> None:
    """One line that is written over on a terminal, and the last one only elsewhere."""
    if sys.stderr.isatty():
        typer.echo(f"\rwriting clip {min(done + 1, total)} of {total}", err=True, nl=done == total)
    elif done == total:
        typer.echo("1 clip written" if total == 1 else f"{total} clips written", err=True)


def _tell(recording: Recording, folder: Path, written: list[str]) -> None:
    """What was written and what to type next; never wrapped, so that paths can be copied."""
    from identify.motion.page import number

    shots = recording.shots
    train, test = (sum(shot.role == role for shot in shots) for role in ("train", "test"))
    frames = sorted({len(shot.time) for shot in shots})
    count = f"{frames[0]}" if len(frames) == 1 else f"{frames[0]} to {frames[-1]}"
    height, width = shots[0].frames.shape[1:3]
    values = ", ".join(f"{name} = {number(value)}" for name, value in recording.truth.items())
    rows = {
        "true values": values or "none",
        "clips": f"{train} to train on, {test} to test on; {count} frames, {width} x {height}",
        "folder": str(folder),
        "videos": f"{' to '.join(dict.fromkeys((written[0], written[len(shots) - 1])))}, lossless",
        "arrays": "arrays/",
        "true states": "truth.csv",
        "settings": "experiment.yaml",
        "to look at": "contact.png",
    }
    typer.echo(f"{recording.law}\n")
    for what, told in rows.items():
        typer.echo(f" {what:<12}  {told}")
    typer.echo(f"\n next: identify fit {shlex.quote(str(folder))}")
