"""What a stranger can hand to the tool, as functions of bytes; each may only answer or refuse with a reason.

A refusal is an ``IdentifyError``; anything else that a target raises is a bug.  ``seeds`` are good inputs to
begin from, ``words`` are worth inserting, ``seconds`` is the time that one input may take.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from identify.errors import BudgetExceeded, IdentifyError, InputError

ROOT = Path(__file__).resolve().parents[2]
DUFFING = "z''+d*z'+a*z+b*z**3=0"


@dataclass(frozen=True)
class Target:
    """One way in; ``run`` raises nothing."""

    name: str
    attempt: Callable[[bytes], None]
    seeds: Callable[[], list[bytes]]
    words: tuple[str, ...] = ()
    seconds: float = 10.0
    most: int = 4000  # bytes
    led: bool = True  # whether coverage can lead; not where the work is done in other processes

    def run(self, data: bytes) -> str:
        """``answered`` or ``refused``; a refusal must say why in a few lines."""
        try:
            self.attempt(data[: self.most])
        except IdentifyError as refusal:
            message = str(refusal)
            assert message.strip()
            assert len(message) < 20_000
            told = isinstance(refusal, BudgetExceeded) or refusal.exit_code in (1, 2)
            assert told
            return "refused"
        return "answered"


_SYMBOLS = ("z''", "z'", "**", "(", ")", "|", "=", "!=", "<", ">", "*", "/", "e", "pi", "²", "ω₀", "1e9", "0")
_FUNCTIONS = ("sin(", "exp(", "log(", "sqrt(", "abs(", "cbrt(", "sign(", "tanh(", "acosh(", "erf(")
_YAML = (
    "- ",
    ": ",
    "&a ",
    "*a",
    "!!python/object:",
    "{",
    "}",
    "[",
    "]",
    "|\n",
    ">-\n",
    "---\n",
    "? ",
    "'",
    '"',
)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _lines(data: bytes) -> list[str]:
    return _text(data).split("\n")[:6]


# -- laws ---------------------------------------------------------------------------------------------


@cache
def catalogue() -> list[bytes]:
    return [path.read_bytes() for path in sorted((ROOT / "families").glob("*.yaml"))]


def _law_seeds() -> list[bytes]:
    laws = [
        line.partition(b":")[2].strip(b" \"'")
        for text in catalogue()
        for line in text.split(b"\n")
        if line[:4] == b"law:"
    ]
    return [law + b"\na > 0\nz > 0" for law in laws] + [DUFFING.encode() + b"\nb != 0"]


def law(data: bytes) -> None:
    from identify.law import read_law, to_text

    first, *conditions = _lines(data)
    found = read_law(first, conditions)
    to_text(found.acceleration)


def analysis(data: bytes) -> None:
    import identify

    first, *conditions = _lines(data)
    found = identify.analyze(first, conditions, timeout=1.0, memory=500, isolated=True)
    from identify.report import render

    for form in ("text", "json", "markdown", "latex"):
        render(found, form)


def condition(data: bytes) -> None:
    from identify.law import read_condition

    for line in _lines(data):
        read_condition(line, ["z", "a", "b", "omega_0"])


def anchor(data: bytes) -> None:
    from identify.conclude.calibration import read_request
    from identify.law import read_law

    lines = [line for line in _lines(data) if line]
    units = dict(line[1:].split("=", 1) for line in lines if line[0] == "@" and "=" in line)
    read_request(read_law(DUFFING), [line for line in lines if line[0] != "@"], units)


def options(data: bytes) -> None:
    """Options of a fit, one a line; its first letter says which: trim, crop, unit, known, derive."""
    import typer

    from identify.command.fit import read_crop, read_trims
    from identify.command.measured import read_units
    from identify.fit.results.derived import read_derivations, read_known
    from identify.law import read_law

    given: dict[str, list[str]] = {letter: [] for letter in "tcukd"}
    for line in _lines(data):
        given.get(line[:1], []).append(line[1:])
    law = read_law(DUFFING)
    try:
        read_trims(given["t"])
        read_units(given["u"])
        for text in given["c"]:
            read_crop(text)
    except typer.Exit as refusal:
        raise InputError("refused in words", hint="on standard error") from refusal
    read_derivations(given["d"], law, read_known(given["k"], law))


def unit(data: bytes) -> None:
    from identify.law.unit import read_unit, unit_text

    for line in _lines(data):
        unit_text(read_unit(line).dimension)


# -- documents ----------------------------------------------------------------------------------------


def family(data: bytes) -> None:
    from identify.families.declared import declare
    from identify.families.lawful import read_declared
    from identify.families.lookup import Lookup
    from identify.families.reading import read_family
    from identify.families.tree import decode

    text, findings = decode(data)
    file = declared = None
    if not findings:
        file, findings = read_family(text, "sample")
    if file is not None:
        declared, findings = declare(file, Lookup(ROOT / "families"))
    if declared is not None:
        _, findings = read_declared(declared)
    assert all(f.line >= 1 and f.column >= 1 and f.message for f in findings)


def experiment(data: bytes) -> None:
    from identify.fit.clips.experiment_reading import read_settings

    read_settings(data, "experiment.yaml")


def sweep(data: bytes) -> None:
    from identify.sweep.grid import tasks_of
    from identify.sweep.reading import read_sweep

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sweep.yaml"
        path.write_bytes(data)
        tasks_of(read_sweep(path))


@cache
def certificates() -> list[bytes]:
    import identify

    laws = [(DUFFING, ["b != 0"]), ("z'' = r*z'**2/z - k*z**2", ["z > 0", "k > 0"]), ("z''=-w**2*sin(z)", [])]
    return [identify.analyze(text, assume).to_json(None).encode() for text, assume in laws]


def certificate(data: bytes) -> None:
    import identify

    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return
    result = identify.verify(document, samples=1, digits=30, budget=1.0)
    assert result.checks
    if isinstance(document, dict):
        try:
            rebuilt = identify.Analysis.from_dict(document)
        except ValueError:
            return
        del rebuilt


def values(data: bytes) -> None:
    """A certificate whose strings and numbers are replaced, one for each line: the JSON stays whole."""
    lines = _lines(data)
    document = json.loads(certificates()[len(data) % 3])
    paths = _paths(document)
    for index, line in enumerate(lines):
        place, _, value = line.partition(":")
        path = paths[(sum(map(ord, place)) + 31 * index) % len(paths)]
        holder: Any = document
        try:
            for key in path[:-1]:
                holder = holder[key]
            holder[path[-1]] = value
        except (KeyError, IndexError, TypeError):
            continue
    certificate(json.dumps(document).encode())


def _paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = [found for key, part in items for found in _paths(part, (*path, key))]
    return [path, *found] if path else found


# -- files --------------------------------------------------------------------------------------------


def _table(suffix: str) -> Callable[[bytes], None]:
    def table(data: bytes) -> None:
        from identify.motion.table import read_clips

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"data{suffix}"
            path.write_bytes(data)
            read_clips(path)

    return table


def _csv_seeds() -> list[bytes]:
    rows = "\n".join(f"{i / 30:.4f},{i * 0.1:.3f},{0.1 * i},{'ab'[i > 9]}" for i in range(20))
    return [
        b"time,state,velocity,clip\n" + rows.encode(),
        b"t;z\n" + b"\n".join(b"%d;%d" % (i, i) for i in range(12)),
    ]


def _npz_seeds() -> list[bytes]:
    import io

    import numpy as np

    found = []
    for save in (np.savez, np.savez_compressed):
        file = io.BytesIO()
        save(file, t=np.arange(12) / 30, z=np.ones((2, 12)), v=np.zeros((2, 12)))
        found.append(file.getvalue())
    return found


def _parquet_seeds() -> list[bytes]:
    import io

    import pyarrow as arrow
    from pyarrow import parquet

    file = io.BytesIO()
    table = arrow.table(
        {"time": [i / 30 for i in range(12)], "state": [0.1 * i for i in range(12)], "clip": ["a"] * 12}
    )
    parquet.write_table(table, file)
    return [file.getvalue()]


VIDEOS = ("a.mp4", "a.mkv", "a.avi", "a.gif", "a.npz", "a.npy")


def video(data: bytes) -> None:
    """The first byte chooses the extension, which need not fit the content."""
    from identify.fit.clips.folder import find_clips

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / VIDEOS[data[0] % len(VIDEOS) if data else 0]
        path.write_bytes(data[1:])
        clips = find_clips(Path(folder), lambda name: (30.0, None))
        for source in clips[:2]:
            times = [time for time, _ in source.read(size=(16, 8), colour=False)]
            assert all(a < b for a, b in pairwise(times))


@cache
def _video_seeds() -> list[bytes]:
    import numpy as np

    from tests.fit.clips_making import noise, write_video

    found, frames = [], noise(8, height=16, width=16)
    codecs = {"a.mp4": "libx264", "a.gif": "gif"}
    with tempfile.TemporaryDirectory() as folder:
        for index, name in enumerate(VIDEOS):
            path = Path(folder) / name
            if name == "a.npz":
                np.savez(path, frames=frames, times=np.arange(8) / 30)
            elif name == "a.npy":
                np.save(path, frames)
            else:
                write_video(path, frames, codecs.get(name, "ffv1"))
            found.append(bytes([index]) + path.read_bytes())
    return found


def run(data: bytes) -> None:
    """A run folder of which one file, chosen by the first byte, is replaced."""
    from identify.fit.results.folder import read_run

    files = dict(_run_files())
    if data:
        files[sorted(files)[data[0] % len(files)]] = data[1:]
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            (Path(folder) / name).write_bytes(content)
        read_run(Path(folder))


@cache
def _run_files() -> tuple[tuple[str, bytes], ...]:
    import numpy as np

    from identify.fit.results.conclusion import Asked, conclude
    from identify.fit.results.folder import write_run
    from tests.fit.results_fits import analyze, duffing

    read, fit = duffing()
    short = [_cut(track) for track in fit.tracks]
    fit = type(fit)(**{**fit.__dict__, "tracks": tuple(short), "weights": {"w": np.ones((2, 3), np.float32)}})
    asked = Asked(("amplitude=0.9 m of clip one",), {"z": "m"}, (), ())
    conclusion = conclude(read, analyze(DUFFING, assume=("b != 0",)), fit, asked)
    with tempfile.TemporaryDirectory() as folder:
        write_run(Path(folder), conclusion, {"law": DUFFING, "units": {"z": "m"}, "known": []}, None)
        return tuple((path.name, path.read_bytes()) for path in sorted(Path(folder).iterdir()))


def _cut(track: Any) -> Any:
    import dataclasses

    import numpy as np

    arrays = {f.name: getattr(track, f.name) for f in dataclasses.fields(track)}
    return dataclasses.replace(track, **{k: v[:40] for k, v in arrays.items() if isinstance(v, np.ndarray)})


def _run_seeds() -> list[bytes]:
    return [bytes([index]) + content for index, (_, content) in enumerate(_run_files())]


_SWEEP = b"""grids:
  - experiments: [cubic, quintic]
    collections: 0:4
    seeds: [0, 3]
    methods: [default, paper]
  - experiments: [lti]
    seeds: 0:3
"""


_EXPERIMENT = b"""law: "z''+a*z=0"
assume: ["a > 0"]
units: {z: m}
anchors: ["amplitude=0.4 m"]
fps: 120
time_scale: 0.5
crop: [1, 2, 30, 40]
train: ["a*"]
clips:
  a.mp4: {trim: [0.5, 2], role: train}
"""

TARGETS = {
    target.name: target
    for target in (
        Target("law", law, _law_seeds, (*_SYMBOLS, *_FUNCTIONS)),
        Target("analysis", analysis, _law_seeds, (*_SYMBOLS, *_FUNCTIONS), seconds=8.0, most=300, led=False),
        Target(
            "condition", condition, lambda: [b"b != 0", b"0 < a < 1", b"z > -1"], (*_SYMBOLS, " in ", "{")
        ),
        Target(
            "anchor",
            anchor,
            lambda: [b"displacement=0.400+-0.002 m\n@z=m", b"@z=m\n@a=1/s^2", b"a=9.81 1/s^2"],
            _SYMBOLS,
        ),
        Target(
            "options",
            options,
            lambda: [
                b"ta=0.5,2\nc0,0,24,24\nuz=m\nkm=0.15+-0.01 kg\ndk=m*a",
                b"ta b=,3\nub=1/(m^2 s^2)\ndw=sqrt(a)/m",
            ],
            (*_SYMBOLS, ",", "nan", "1e999", "+-", " kg", "\x1b["),
        ),
        Target(
            "unit",
            unit,
            lambda: [b"m/s^2\n1/(m^2 s^2)", b"cm\nkm^3 s-2\n%\ndeg"],
            ("(", ")", "^", "20", "km", "/"),
        ),
        Target("family", family, catalogue, (*_YAML, *_SYMBOLS)),
        Target("experiment", experiment, lambda: [_EXPERIMENT], (*_YAML, "fps", "crop", "1e999")),
        Target("sweep", sweep, lambda: [_SWEEP], (*_YAML, "seed", "range", "1e999")),
        Target(
            "certificate",
            certificate,
            certificates,
            ("null", "[", "{", "1e999", "NaN", "\\ud800"),
            most=60_000,
        ),
        Target("values", values, lambda: [b"law:z''+a*z\n3:b**2", b"x:L*z+t"], (*_SYMBOLS, *_FUNCTIONS)),
        Target("csv", _table(".csv"), _csv_seeds, (",", ";", '"', "nan", "inf", "1e400", "\x00", "\r")),
        Target("npz", _table(".npz"), _npz_seeds, ("<f8", "|O", "PK", "shape"), most=20_000),
        Target("parquet", _table(".parquet"), _parquet_seeds, ("PAR1",), most=20_000),
        Target(
            "video",
            video,
            _video_seeds,
            ("moov", "mdat", "stts", "RIFF", "GIF89a"),
            seconds=20.0,
            most=100_000,
        ),
        Target(
            "run",
            run,
            _run_seeds,
            ("null", "{", "1e999", "NaN", "&a [*a]", "0", ","),
            seconds=20.0,
            most=60_000,
        ),
    )
}
