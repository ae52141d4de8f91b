"""Attacks by hand, one for each idea: answered or refused in time and memory, and in words.

    python tests/hardening/attacks.py            all of them
    python tests/hardening/attacks.py fifo       those whose name has this in it

Each runs in a process forked from this one.  It fails with a traceback, an internal error, an exit code that
no command has, a control character in what it prints, or more than its time or memory.  A pipe that is named
is waited for, as by any program; one that lies in a folder must not be.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import resource
import signal
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

SECONDS = 20.0  # of processor time that an attack may take
PATIENCE = 120.0  # seconds of a clock until it counts as a hang
MEMORY = 1500  # megabytes, libraries included
CODES = (0, 1, 2, 3)
LAW = "z''+d*z'+a*z=0"
_FORBIDDEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True)
class Attack:
    """A command on what ``prepare`` puts into an empty folder."""

    name: str
    command: tuple[str, ...]
    prepare: Callable[[Path], object] = lambda folder: None
    codes: tuple[int, ...] = CODES


@dataclass
class Told:
    """How an attack ended."""

    name: str
    code: int | None = None
    seconds: float = 0.0
    memory: int = 0
    failures: tuple[str, ...] = ()
    words: str = ""


def attempt(attack: Attack) -> Told:
    """The command in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="angriff ü ") as name:
        folder, printed = Path(name) / "work", Path(name) / "printed"
        folder.mkdir()
        attack.prepare(folder)
        process = os.fork()
        if not process:
            _become(attack.command, folder, printed)
        told = Told(attack.name)
        status, used = _ended(process)
        told.code = os.waitstatus_to_exitcode(status)
        told.seconds = round(used.ru_utime + used.ru_stime, 1)
        told.memory = used.ru_maxrss // 1024
        told.words = printed.read_text(encoding="utf-8", errors="backslashreplace")
        told.failures = tuple(_failures(attack, told))
    return told


def _ended(process: int) -> tuple[int, Any]:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        done, status, used = os.wait4(process, os.WNOHANG)
        if done:
            return status, used
        time.sleep(0.02)
    os.killpg(process, signal.SIGKILL)
    _, status, used = os.wait4(process, 0)
    return status, used


def _become(command: tuple[str, ...], folder: Path, printed: Path) -> None:
    code = 70
    try:
        os.setsid()
        os.chdir(folder)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        out = os.open(printed, os.O_WRONLY | os.O_CREAT)
        os.dup2(out, 1)
        os.dup2(out, 2)
        sys.stdout, sys.stderr = (os.fdopen(number, "w", encoding="utf-8") for number in (1, 2))
        from identify.command import main

        try:
            main([part.replace("{}", str(folder)) for part in command])
        except SystemExit as leaving:
            code = int(leaving.code or 0)
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


def _failures(attack: Attack, told: Told) -> list[str]:
    words = told.words
    found = [word for word in ("Traceback", "internal error") if word in words]
    if told.code not in attack.codes:
        found.append(f"exit code {told.code}")
    if _FORBIDDEN.search(words):
        found.append(f"prints {_FORBIDDEN.search(words)!r}")
    if told.seconds > SECONDS:
        found.append(f"{told.seconds} s")
    if told.memory > MEMORY:
        found.append(f"{told.memory} MB")
    if told.code in (2, 3) and not words.strip():
        found.append("says nothing")
    return found


# -- what is put there --------------------------------------------------------------------------------


def text(name: str, content: str | bytes) -> Callable[[Path], object]:
    """A file."""
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    return lambda folder: (folder / name).write_bytes(data)


def fifo(name: str) -> Callable[[Path], object]:
    """A pipe that nobody writes to."""
    return lambda folder: os.mkfifo(folder / name)


def link(name: str, to: str) -> Callable[[Path], object]:
    """A symbolic link."""
    return lambda folder: (folder / name).symlink_to(to)


def sparse(name: str, size: int = 2 * 1024**3) -> Callable[[Path], object]:
    """A file that says it has 2 GB, and takes no room."""

    def make(folder: Path) -> None:
        with (folder / name).open("wb") as file:
            file.truncate(size)

    return make


def each(*prepared: Callable[[Path], object]) -> Callable[[Path], object]:
    """Several of them."""
    return lambda folder: [prepare(folder) for prepare in prepared]


def loop(folder: Path) -> None:
    """Links that lead to each other, to the folder itself, and nowhere."""
    (folder / "a.mp4").symlink_to("b.mp4")
    (folder / "b.mp4").symlink_to("a.mp4")
    (folder / "inside").symlink_to(".")
    (folder / "c.npz").symlink_to("nothing.npz")


def archive_bomb(name: str, member: str = "frames", claimed: int = 2**33) -> Callable[[Path], object]:
    """An NPZ of a few megabytes whose member unpacks to gigabytes of zeros."""

    def make(folder: Path) -> None:
        import numpy as np

        header = io.BytesIO()
        np.lib.format.write_array_header_1_0(
            header, {"descr": "|u1", "fortran_order": False, "shape": (claimed // 4096, 64, 64)}
        )
        with (
            zipfile.ZipFile(folder / name, "w", zipfile.ZIP_DEFLATED) as made,
            made.open(f"{member}.npy", "w", force_zip64=True) as inside,
        ):
            inside.write(header.getvalue())
            for _ in range(claimed // 2**26):
                inside.write(bytes(2**20))  # less than is claimed

    return make


def huge_shape(name: str) -> Callable[[Path], object]:
    """An NPY whose header claims terabytes."""

    def make(folder: Path) -> None:
        import numpy as np

        with (folder / name).open("wb") as file:
            shape = {"descr": "|u1", "fortran_order": False, "shape": (10**6, 2000, 2000)}
            np.lib.format.write_array_header_1_0(file, shape)
            file.write(bytes(1000))

    return make


def pickled(name: str) -> Callable[[Path], object]:
    """An NPY of objects: loading it would run code."""

    def make(folder: Path) -> None:
        import numpy as np

        np.save(folder / name, np.array([{"a": 1}, None], dtype=object), allow_pickle=True)

    return make


def film(name: str, frames: int = 40) -> Callable[[Path], object]:
    """A real video of a disc that swings, under any name."""

    def make(folder: Path) -> None:
        import numpy as np

        from tests.fit.clips_making import write_video

        rows, columns = np.mgrid[:32, :48]
        places = 24 + 14 * np.cos(np.arange(frames) / 6)
        pictures = [np.where((columns - x) ** 2 + (rows - 16) ** 2 < 30, 220, 30) for x in places]
        write_video(folder / "plain.mp4", np.array(pictures, np.uint8), "libx264", "yuv420p")
        (folder / "plain.mp4").rename(folder / name)

    return make


def many_frames(folder: Path) -> None:
    """A few megabytes of GIF with a million frames, each of nothing new."""
    head = b"GIF89a" + (16).to_bytes(2, "little") * 2 + b"\x80\x00\x00" + b"\x00\x00\x00\xff\xff\xff"
    frame = (
        b"\x21\xf9\x04\x00\x01\x00\x00\x00\x2c"
        + b"\x00\x00\x00\x00\x01\x00\x01\x00\x00"
        + b"\x02\x02\x44\x01\x00"
    )
    (folder / "clip.gif").write_bytes(head + frame * 1_000_000 + b"\x3b")


def large_frames(folder: Path) -> None:
    """A GIF of 50 bytes whose pictures are 65,535 by 65,535."""
    head = b"GIF89a" + b"\xff\xff\xff\xff" + b"\x80\x00\x00" + b"\x00\x00\x00\xff\xff\xff"
    frame = b"\x2c\x00\x00\x00\x00\x01\x00\x01\x00\x00" + b"\x02\x02\x44\x01\x00"
    (folder / "clip.gif").write_bytes(head + frame * 5 + b"\x3b")


def audio(folder: Path) -> None:
    """Sound alone."""
    import av
    import numpy as np

    with av.open(str(folder / "clip.mp4"), "w") as container:
        stream: Any = container.add_stream("aac", rate=44100)
        for _ in range(5):
            frame = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), format="fltp", layout="mono")
            frame.sample_rate = 44100
            container.mux(stream.encode(frame))
        container.mux(stream.encode())


_BILLION = "\n".join(
    ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
)
_DEEP = "[" * 100_000
_MERGED = "a: &a {law: x}\nb:\n  <<: *a\n"
_LONG_LAW = "z'' = " + "+".join(f"a*z**{n % 9}" for n in range(120_000))
_NESTED = "z'' = " + "(" * 10_000 + "a*z" + ")" * 10_000
NASTY = "a\n\x1b[31mred\x1b[0m<script>alert(1)</script>[bold]\u202e\x07漢"

LAWS = {
    "nested": _NESTED[:120_000],
    "nested calls": "z'' = " + "sin(" * 5_000 + "z" + ")" * 5_000,
    "signs": "z'' = " + "-" * 50_000 + "z",
    "tower": "z'' = z**9**9**9**9",
    "exponent": "z'' = a*z**(10**9)",
    "negative exponent": "z'' = (a+z)**(-99999999)",
    "root": "z'' = z**(1/99999999999)",
    "number": "z'' = 1e400*z",
    "small number": "z'' = 1e-4000000000*z",
    "digits": "z'' = " + "9" * 50_000 + "*z",
    "decimal digits": "z'' = 0." + "1" * 50_000 + "*z",
    "factorials": "z'' = factorial(99999999)*z",
    "code": "z'' = __import__('os').system('true')*z",
    "attribute": "z'' = a.__class__*z",
    "lambda": "z'' = (lambda: 1)()*z",
    "confusables": "z'' = -\u0430*z - a*z",
    "wide digits": "z'' = -\uff11*z",
    "zero width": "z'' = -a\u200b*z - a*z",
    "backwards": "z'' = -a\u202e*z",
    "nothing in it": "z'' = -a\x00*z",
    "lone surrogate": "z'' = -a\udc80*z",
    "escape": "z'' = -a\x1b[31m*z",
    "many equals": "z''" + "=z" * 20_000,
    "primes": "z" + "'" * 50_000 + " = z",
    "long name": "z'' = " + "a" * 100_000 + "*z",
    "many names": "z'' = " + "+".join(f"p{n}*z" for n in range(10_000)),
    "binomial": "z'' = (a+b+c+d+e+f+g+h)**60*z",
    "huge product": "z'' = " + "*".join(f"(z+{n})" for n in range(2_000)),
    "zero over zero": "z'' = z*0/0 + (0/0)**0",
    "infinity": "z'' = oo*z + zoo + nan",
    "empty": "",
    "spaces": " " * 100_000,
    "newline": "z'' = \n\n-a*z\n",
}

OPTIONS: dict[str, tuple[str, ...]] = {
    "timeout infinite": ("analyze", LAW, "--timeout", "inf"),
    "timeout huge": ("analyze", LAW, "--timeout", "1e400"),
    "timeout nan": ("analyze", LAW, "--timeout", "nan"),
    "timeout tiny": ("analyze", LAW, "--timeout", "1e-300"),
    "timeout large": ("analyze", LAW, "--timeout", "1e300"),
    "memory zero": ("analyze", LAW, "--memory", "0"),
    "memory one": ("analyze", LAW, "--memory", "1"),
    "memory huge": ("analyze", LAW, "--memory", str(10**30)),
    "assume bomb": ("analyze", LAW, "--assume", "a > 9**9**9**9"),
    "assume nested": ("analyze", LAW, "--assume", "(" * 10_000 + "a" + ")" * 10_000 + " > 0"),
    "assume chain": ("analyze", LAW, "--assume", "a" + " > 0" * 9_000),
    "assume many": ("analyze", LAW, *(x for n in range(3_000) for x in ("--assume", f"a > -{n}"))),
    "domain bomb": ("analyze", LAW, "--domain", "z > 1e400"),
    "domain exponent": ("analyze", LAW, "--domain", "z > 10**(10**9)"),
    "unit exponent": ("analyze", LAW, "--unit", "z=m**999999999"),
    "unit tower": ("analyze", LAW, "--unit", "z=m^9^9^9^9"),
    "unit nested": ("analyze", LAW, "--unit", "z=" + "(" * 10_000 + "m" + ")" * 10_000),
    "unit powers": ("analyze", LAW, "--unit", "z=" + "(" * 6 + "km" + "^20)" * 6),
    "unit markup": ("analyze", LAW, "--unit", "z=[bold]m[/]<b>"),
    "unit number": ("analyze", LAW, "--unit", "z=1e400 m"),
    "unit twice": ("analyze", LAW, "--unit", "z=m", "--unit", "z=s"),
    "unit escape": ("analyze", LAW, "--unit", "z=\x1b[31mm"),
    "anchor number": ("analyze", LAW, "--anchor", "displacement=1e400 m"),
    "anchor nan": ("analyze", LAW, "--anchor", "displacement=nan+-inf m"),
    "anchor digits": ("analyze", LAW, "--anchor", "displacement=" + "9" * 50_000 + " m"),
    "anchor many": ("analyze", LAW, *(x for n in range(500) for x in ("--anchor", f"amplitude={n + 1}"))),
    "anchor escape": ("analyze", LAW, "--anchor", NASTY.replace("\x00", "")),
    "family traversal": ("analyze", "--family", "../" * 2_000 + "etc/passwd"),
    "family name": ("analyze", "--family", NASTY),
    "family long": ("analyze", "--family", "a" * 100_000),
    "explain markup": ("explain", NASTY),
    "alias number": ("alias", LAW, "--parameters", "d=1e400,a=nan"),
    "alias code": ("alias", LAW, "--parameters", "d=__import__('os'),a=1"),
    "plan number": ("plan", LAW, "--parameters", "d=1e300,a=-1e300"),
    "plan zero": ("plan", "z'' = -a/z", "--parameters", "a=0", "--domain", "z > 0"),
    "simulate number": ("simulate", "out", "--law", LAW, "--parameters", "d=1,a=1", "--initial", "1e400,nan"),
    "simulate explosion": (
        "simulate",
        "out",
        "--law",
        "z''=a*z**3",
        "--parameters",
        "a=1e9",
        "--initial",
        "1e9,1e9",
        "--size",
        "16",
        "--duration",
        "2",
    ),
    "simulate size": ("simulate", "out", "--law", LAW, "--parameters", "d=1,a=1", "--size", "99999999999"),
    "simulate length": ("simulate", "out", "--law", LAW, "--parameters", "d=1,a=1", "--duration", "1e12"),
    "simulate clips": ("simulate", "out", "--law", LAW, "--parameters", "d=1,a=1", "--clips", "999999999"),
    "check nothing": ("check", "nothing.yaml", "--no-cache"),
    "check device": ("check", "/dev/zero", "--no-cache"),
    "verify device": ("verify", "/dev/zero"),
    "coverage device": ("coverage", "/dev/zero", "--law", LAW),
    "sweep device": ("sweep", "/dev/zero"),
    "fit device": ("fit", "/dev/zero", "--law", LAW),
    "output device": ("analyze", LAW, "--json", "-o", "/dev/full"),
    "output folder": ("analyze", LAW, "--json", "-o", "."),
    "output loop": ("analyze", LAW, "--json", "-o", "/proc/self/fd/999"),
    "surrogate": ("analyze", LAW, "--json", "-o", "\udcff\udcfe.json"),
}

_CLIPS = ("fit", ".", "--law", LAW, "--dry-run")
_TABLE = ("coverage", "{}/t", "--law", LAW)

FILES: dict[str, tuple[tuple[str, ...], Callable[[Path], object]]] = {
    "clips: links in circles": (_CLIPS, loop),
    "clips: links in circles beside a clip": (_CLIPS, each(loop, film("good.mp4"))),
    "clips: fifo": (_CLIPS, fifo("clip.mp4")),
    "clips: fifo beside a clip": (_CLIPS, each(fifo("clip.mp4"), film("good.mp4"))),
    "clips: fifo as settings": (_CLIPS, each(fifo("experiment.yaml"), film("good.mp4"))),
    "clips: device": (_CLIPS, link("clip.mp4", "/dev/zero")),
    "clips: device as settings": (_CLIPS, each(link("experiment.yaml", "/dev/zero"), film("good.mp4"))),
    "clips: folder called clip.mp4": (_CLIPS, lambda folder: (folder / "clip.mp4").mkdir()),
    "clips: 2 GB of nothing": (_CLIPS, sparse("clip.mp4")),
    "clips: 2 GB of nothing as NPY": (_CLIPS, sparse("clip.npy")),
    "clips: 2 GB of nothing as NPZ": (_CLIPS, sparse("clip.npz")),
    "clips: 2 GB of settings": (_CLIPS, each(sparse("experiment.yaml"), film("good.mp4"))),
    "clips: numbered pictures of 2 GB": (
        _CLIPS,
        each(*(sparse(f"picture{n}.png") for n in range(4))),
    ),
    "clips: NPZ bomb": (_CLIPS, archive_bomb("clip.npz")),
    "clips: NPZ bomb as time": (_CLIPS, archive_bomb("clip.npz", "times")),
    "clips: NPY of terabytes": (_CLIPS, huge_shape("clip.npy")),
    "clips: NPY of objects": (_CLIPS, pickled("clip.npy")),
    "clips: nasty names": (_CLIPS, each(film(f"{NASTY.replace('/', '')}.mp4"), film("b.mp4"))),
    "clips: names that look like formulas": (_CLIPS, each(film("$\\frac{$.mp4"), film("_b.mp4"))),
    "clips: undecodable names": (
        _CLIPS,
        each(film("b.mp4"), lambda folder: (folder / "b.mp4").rename(folder / "a\udcff.mp4")),
    ),
    "clips: wrong extension": (_CLIPS, each(film("a.mp4"), lambda f: (f / "a.mp4").rename(f / "a.npz"))),
    "clips: a million frames": (_CLIPS, many_frames),
    "clips: enormous frames": (_CLIPS, large_frames),
    "clips: sound alone": (_CLIPS, audio),
    "clips: many entries": (_CLIPS, lambda f: [(f / f"{n}.mp4").touch() for n in range(3_000)]),
    "settings: bomb": (_CLIPS, each(film("a.mp4"), text("experiment.yaml", _BILLION))),
    "settings: deep": (_CLIPS, each(film("a.mp4"), text("experiment.yaml", "law: " + _DEEP))),
    "settings: tag": (
        _CLIPS,
        each(film("a.mp4"), text("experiment.yaml", "law: !!python/object/apply:os.system ['true']")),
    ),
    "settings: merge": (_CLIPS, each(film("a.mp4"), text("experiment.yaml", _MERGED))),
    "settings: long law": (
        _CLIPS[:2] + _CLIPS[4:],
        each(film("a.mp4"), text("experiment.yaml", f'law: "{_LONG_LAW}"')),
    ),
    "settings: numbers": (
        _CLIPS,
        each(
            film("a.mp4"), text("experiment.yaml", "fps: 1e400\ntime_scale: .nan\ncrop: [1e9, 0, 1e400, 1]\n")
        ),
    ),
    "settings: reference elsewhere": (
        _CLIPS,
        each(film("a.mp4"), text("experiment.yaml", "reference: /dev/zero\n")),
    ),
    "settings: patterns": (
        _CLIPS,
        each(film("a" * 200 + ".mp4"), text("experiment.yaml", f'train: ["{"*a" * 100}b"]\n')),
    ),
    "options: fps": ((*_CLIPS, "--fps", "1e400"), film("a.mp4")),
    "options: fps nan": ((*_CLIPS, "--fps", "nan"), film("a.mp4")),
    "options: time scale": ((*_CLIPS, "--time-scale", "1e-320"), film("a.mp4")),
    "options: crop": ((*_CLIPS, "--crop", f"0,0,{10**30},{10**30}"), film("a.mp4")),
    "options: crop of digits": ((*_CLIPS, "--crop", f"0,0,{'9' * 9000},9"), film("a.mp4")),
    "options: trim": ((*_CLIPS, "--trim", "a=nan,1e400"), film("a.mp4")),
    "options: trim markup": ((*_CLIPS, "--trim", f"{NASTY}=0,1"), film("a.mp4")),
    "options: known": ((*_CLIPS, "--known", "m=1e400 kg"), film("a.mp4")),
    "options: known bomb": ((*_CLIPS, "--known", "m=9**9**9**9 kg"), film("a.mp4")),
    "options: derive": ((*_CLIPS, "--derive", "k=9**9**9**9*a"), film("a.mp4")),
    "options: derive nested": (
        (*_CLIPS, "--derive", "k=" + "(" * 10_000 + "a" + ")" * 10_000),
        film("a.mp4"),
    ),
    "options: derive circle": ((*_CLIPS, "--derive", "k=j", "--derive", "j=k"), film("a.mp4")),
    "options: anchor": ((*_CLIPS, "--anchor", "size=1e400 m over 1e400 px"), film("a.mp4")),
    "options: unit": ((*_CLIPS, "--unit", "z=m**999999999"), film("a.mp4")),
    "options: train": ((*_CLIPS, "--train", "*?[" * 3_000), film("a.mp4")),
    "family: bomb": (("check", "a.yaml", "--no-cache"), text("a.yaml", _BILLION)),
    "family: deep": (("check", "a.yaml", "--no-cache"), text("a.yaml", _DEEP)),
    "family: deep maps": (("check", "a.yaml", "--no-cache"), text("a.yaml", "{a: " * 50_000)),
    "family: long law": (
        ("check", "a.yaml", "--no-cache"),
        text("a.yaml", f'name: a\ntitle: a\nlaw: "{_LONG_LAW}"\n'),
    ),
    "family: nested law": (
        ("check", "a.yaml", "--no-cache"),
        text("a.yaml", f'name: a\ntitle: a\nlaw: "{_NESTED}"\n'),
    ),
    "family: extends itself": (
        ("check", "a.yaml", "--no-cache"),
        text("a.yaml", "name: a\ntitle: a\nextends: a\n"),
    ),
    "family: extends a device": (
        ("check", "a.yaml", "--no-cache"),
        text("a.yaml", "name: a\ntitle: a\nextends: ../../../../../../dev/zero\n"),
    ),
    "family: fifo in a folder": (
        ("check", ".", "--no-cache"),
        each(fifo("a.yaml"), text("b.yaml", "name: b\n")),
    ),
    "family: folder with circles": (
        ("check", ".", "--no-cache"),
        each(loop, text("a.yaml", "name: a\n")),
    ),
    "family: 2 GB": (("check", "a.yaml", "--no-cache"), sparse("a.yaml")),
    "family: binary": (("check", "a.yaml", "--no-cache"), text("a.yaml", bytes(range(256)) * 100)),
    "family: UTF-16": (("check", "a.yaml", "--no-cache"), text("a.yaml", "name: a".encode("utf-16"))),
    "family: escapes": (
        ("check", "a.yaml", "--no-cache"),
        text("a.yaml", 'name: a\ntitle: "\\e[31m\\u202e<b>[bold]"\nlaw: "z\'\' = -\\e[31m*z"\n'),
    ),
    "certificate: deep": (("verify", "a.json"), text("a.json", "[" * 500_000)),
    "certificate: digits": (("verify", "a.json"), text("a.json", "9" * 1_000_000)),
    "certificate: 2 GB": (("verify", "a.json"), sparse("a.json")),
    "certificate: numbers": (
        ("verify", "a.json"),
        text("a.json", '{"schema": "identify/analysis/1", "orbit_dimension": 1e999, "law": NaN}'),
    ),
    "certificate: binary": (("verify", "a.json"), text("a.json", bytes(range(256)))),
    "certificate: surrogates": (
        ("verify", "a.json"),
        text("a.json", json.dumps({"schema": "identify/analysis/1", "\ud800\x1b[31m": "\udfff", "law": {}})),
    ),
    "table: 2 GB": (("coverage", "t.csv", "--law", LAW), sparse("t.csv")),
    "table: NPZ bomb": (("coverage", "t.npz", "--law", LAW), archive_bomb("t.npz", "z")),
    "table: objects": (
        ("coverage", "t.npz", "--law", LAW),
        each(pickled("t.npy"), lambda f: (f / "t.npy").rename(f / "t.npz")),
    ),
    "table: one long line": (
        ("coverage", "t.csv", "--law", LAW),
        text("t.csv", "time,state\n" + "1," * 5_000_000),
    ),
    "table: a quote that never ends": (
        ("coverage", "t.csv", "--law", LAW),
        text("t.csv", 'time,state\n0,"' + "1\n" * 1_000_000),
    ),
    "table: numbers": (
        ("coverage", "t.csv", "--law", LAW),
        text("t.csv", "time,state\n" + "".join(f"{n},1e400\n" for n in range(20))),
    ),
    "table: headings": (
        ("coverage", "t.csv", "--law", LAW),
        text("t.csv", ",".join(f"\x1b[31m{n}" for n in range(20_000)) + "\n1\n"),
    ),
    "sweep: bomb": (("sweep", "a.yaml", "--dry-run"), text("a.yaml", _BILLION)),
    "sweep: deep": (("sweep", "a.yaml", "--dry-run"), text("a.yaml", "grids: " + _DEEP)),
    "sweep: ranges": (
        ("sweep", "a.yaml", "--dry-run"),
        text("a.yaml", "grids: [{experiments: cubic, collections: 0:10000, seeds: 0:10000}]"),
    ),
    "sweep: many grids": (
        ("sweep", "a.yaml", "--dry-run"),
        text("a.yaml", "grids:\n" + "- {experiments: cubic, collections: 0:100}\n" * 1000),
    ),
    "sweep: everything below the root": (
        ("sweep", "a.yaml", "--dry-run"),
        text("a.yaml", 'grids: [{videos: "/**/*"}]'),
    ),
    "sweep: stars": (
        ("sweep", "a.yaml", "--dry-run"),
        text("a.yaml", f'grids: [{{videos: "{"*/" * 300}"}}]'),
    ),
    "sweep: null in a pattern": (
        ("sweep", "a.yaml", "--dry-run"),
        text("a.yaml", 'grids: [{videos: "a\\0*"}]'),
    ),
    "sweep: law bomb": (
        ("sweep", "a.yaml", "--dry-run"),
        text("a.yaml", "grids: [{laws: {law: \"z'' = 9**9**9**9*z\", parameters: {a: .inf}}}]"),
    ),
    "sweep: fifo as store": (("sweep", "--show", "a.sqlite"), fifo("a.sqlite")),
    "sweep: device as store": (("sweep", "--show", "/dev/zero"), each()),
    "sweep: a store of something else": (
        ("sweep", "--show", "a.sqlite"),
        text("a.sqlite", b"SQLite format 3\x00" + bytes(5000)),
    ),
    "run: fifo": (("report", "."), fifo("report.json")),
    "run: 2 GB": (("report", "."), sparse("report.json")),
    "run: deep": (("report", "."), text("report.json", "[" * 500_000)),
    "run: circle": (("report", "a"), link("a", "a")),
}


def attacks() -> list[Attack]:
    """All of them."""
    by_law = [
        Attack(f"law: {name}", ("analyze", law, "--timeout", "5"))
        for name, law in LAWS.items()
        if "\x00" not in law
    ]
    by_option = [Attack(f"option: {name}", command) for name, command in OPTIONS.items()]
    return [*by_law, *by_option, *(Attack(name, *made) for name, made in FILES.items())]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--words", action="store_true", help="show what each printed")
    chosen = parser.parse_args()
    import av  # noqa: F401 - loaded once, before the processes are forked
    import matplotlib.figure  # noqa: F401
    import scipy.optimize  # noqa: F401
    import torch  # noqa: F401

    import identify.engine  # noqa: F401

    everything = []
    for attack in attacks():
        if chosen.names and not any(name in attack.name for name in chosen.names):
            continue
        told = attempt(attack)
        everything.append(told)
        if told.failures or chosen.words:
            print(json.dumps({**asdict(told), "words": told.words[:1500]}, ensure_ascii=False), flush=True)
    print(
        json.dumps(
            {
                "attacks": len(everything),
                "answered": sum(told.code == 0 for told in everything),
                "failures": sum(bool(told.failures) for told in everything),
                "longest, s of processor": max(told.seconds for told in everything),
                "peak memory, MB": max(told.memory for told in everything),
            }
        )
    )
    return 1 if any(told.failures for told in everything) else 0


if __name__ == "__main__":
    sys.exit(main())
