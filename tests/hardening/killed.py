"""``identify`` itself, killed at random moments: the commands, and what must hold after the kill.

A command runs in a process forked from this one, where every library is loaded already: no moment is
spent on loading, and all of them fall into the command's own work.
"""

from __future__ import annotations

import hashlib
import io
import json
import multiprocessing
import os
import signal
import sys
import tarfile
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

from tests.hardening.figures import Figures

Command = tuple[str, ...]
_LONGEST = 1200.0  # seconds that a command may take to finish

FAMILY = """name: sample
title: a damped cubic oscillator  # kept
law: "z''+d*z'+a*z+b*z**3=0"
assume: ["b != 0"]
"""

SWEEP = """grids:
  - laws: {law: "z''+d*z'+a*z=0", parameters: {d: 0.3, a: 4}}
    clips: 2
    size: 24
    rate: 20
    collections: 0:4
"""


@dataclass(frozen=True)
class Work:
    """A command, the state before it, and what must hold after it was killed and once it is done.

    ``sound`` and ``whole`` say what is broken; ``resumed`` is the command that ends what was begun.
    """

    name: str
    command: Command
    prepare: Callable[[Path], None]
    sound: Callable[[Path], str | None]
    whole: Callable[[Path], str | None]
    resumed: Command = ()
    loads: tuple[str, ...] = ()
    within: Callable[[Path], AbstractContextManager[object]] = nullcontext


def killed(work: Work, folder: Path, moments: int) -> Figures:
    """Kill the command at random moments; every tenth time, and at the end, what was begun is finished.

    Only the command's own process is killed at first: what it started must end by itself or do no harm.
    """
    for library in work.loads:
        __import__(library)
    with work.within(folder):
        return _killed(work, folder, moments)


def _killed(work: Work, folder: Path, moments: int) -> Figures:
    random, told = Random(2), Figures(work.name)
    work.prepare(folder)
    seconds = _finished(work.command, work, folder)
    for moment in range(moments):
        work.prepare(folder)
        share = random.uniform(0, 1.05) if random.random() < 0.5 else random.uniform(0.8, 1.1)
        with started(work.command, folder) as process:
            process.join(share * seconds)
            told.caught += process.exitcode is None
            process.kill()
            process.join()
            told.moments += 1
            broken = work.sound(folder)
            told.failures += () if broken is None else (broken,)
        if moment % 10 == 9 or moment == moments - 1:
            _finished(work.resumed or work.command, work, folder)
    return told


def _finished(command: Command, work: Work, folder: Path) -> float:
    start = time.monotonic()
    with started(command, folder) as process:
        process.join(_LONGEST)
        assert process.exitcode in (0, 3), f"{work.name} ended with {process.exitcode}"
    broken = work.whole(folder)
    assert broken is None, f"{work.name}: {broken}"
    return time.monotonic() - start


@contextmanager
def started(command: Command, folder: Path) -> Iterator[Any]:
    """The command in a process of its own; whatever it has started is killed at the end."""
    process = multiprocessing.get_context("fork").Process(target=_run, args=(command, folder))
    process.start()
    assert process.pid is not None
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):  # nothing of it is left, or it has no group yet
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        process.join()


def _run(command: Command, folder: Path) -> None:
    from identify.command import main

    os.setsid()
    os.chdir(folder)
    os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    main(command)


# -- one file -----------------------------------------------------------------------------------------


def _one_file(
    name: str, command: Command, file: str, old: str, new: Callable[[str], bool], loads: str
) -> Work:
    """A command that replaces one file."""

    def whole(folder: Path) -> str | None:
        text = (folder / file).read_text(encoding="utf-8")
        return None if new(text) else f"{file} is not the new one: {text[:200]!r}"

    def sound(folder: Path) -> str | None:
        text = (folder / file).read_text(encoding="utf-8")
        return None if text == old or new(text) else f"{file} is neither old nor new: {text[:200]!r}"

    def prepare(folder: Path) -> None:
        (folder / file).write_text(old, encoding="utf-8")

    return Work(name, command, prepare, sound, whole, loads=(loads,))


def update() -> Work:
    """``check --update`` on a family without expectations."""

    def new(text: str) -> bool:
        ends = text.startswith(FAMILY[:30]) and text.endswith("\n")
        return ends and "expect:" in text and "coverage:" in text

    command = ("check", "--update", "--jobs", "1", "--no-cache", "sample.yaml")
    return _one_file("identify check --update", command, "sample.yaml", FAMILY, new, "identify.command.check")


def analysis() -> Work:
    """``analyze -o`` over an older answer."""
    command = ("analyze", "z''+d*z'+a*z+b*z**3=0", "--json", "-o", "answer.json")
    return _one_file("identify analyze -o", command, "answer.json", "old", _is_json, "identify.engine")


# -- fits ---------------------------------------------------------------------------------------------

_FITTING = ("identify.command.fit", "torch", "av", "scipy.optimize", "matplotlib.figure", "safetensors.torch")


def fit() -> Work:
    """``fit`` of clips that are simulated once."""
    return _fit("identify fit", ("fit", "clips"))


def paper_fit() -> Work:
    """The paper's training, which keeps its state: ``--resume`` goes on from the last one."""
    command = ("fit", "clips", "--method", "paper", "--updates", "40")
    return _fit("identify fit --method paper", command, (*command, "--resume"))


def _fit(name: str, command: Command, resumed: Command = ()) -> Work:
    def prepare(folder: Path) -> None:
        if not (folder / "clips").is_dir():
            made = ("simulate", "clips", "--law", "z''+d*z'+a*z=0", "--parameters", "d=0.2,a=9")
            more = ("--initial", "0.8,0", "--initial=-0.5,0.8", "--size", "24", "--duration", "2")
            with started((*made, *more), folder) as process:
                process.join(_LONGEST)
                assert process.exitcode == 0

    def sound(folder: Path) -> str | None:
        from identify.fit.results.folder import PAGE

        run = folder / "clips" / "run"
        files = [p for p in run.iterdir() if p.name[0] != "."] if run.is_dir() else []
        for path in files:
            if not _is_whole(path):
                return f"{path.name} is cut off"
        return whole(folder) if PAGE in [path.name for path in files] else None

    def whole(folder: Path) -> str | None:
        from identify.fit.results.folder import read_run

        read_run(folder / "clips" / "run")
        return None

    return Work(name, command, prepare, sound, whole, resumed, _FITTING)


def _is_whole(path: Path) -> bool:
    """Whether a file of a run folder reads to its end."""
    if path.suffix == ".safetensors":
        from safetensors.numpy import load_file

        load_file(path)  # its header tells the length
        return True
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        return _is_json(text)
    return text.rstrip().endswith("</html>") if path.suffix == ".html" else text.endswith("\n")


# -- sweeps -------------------------------------------------------------------------------------------


def sweep() -> Work:
    """``sweep`` goes on in the store that the kill before it left: no row is lost, none is made twice."""

    def prepare(folder: Path) -> None:
        (folder / "sweep.yaml").write_text(SWEEP)
        if _rows(folder / "sweep.sqlite") == 4:
            (folder / "sweep.sqlite").unlink()
        (folder / "before").write_text(str(_rows(folder / "sweep.sqlite")))

    def sound(folder: Path) -> str | None:
        rows, before = _rows(folder / "sweep.sqlite"), int((folder / "before").read_text())
        return None if before <= rows <= 4 else f"{rows} rows after {before}"

    def whole(folder: Path) -> str | None:
        rows = _rows(folder / "sweep.sqlite")
        return None if rows == 4 else f"{rows} rows of 4"

    return Work("identify sweep", ("sweep", "sweep.yaml", "--jobs", "1"), prepare, sound, whole)


def _rows(path: Path) -> int:
    """How many fits the store has, each of them once."""
    from identify.sweep.store import Store

    if not path.exists():
        return 0
    with Store(path) as store:
        keys = [row["key"] for row in store.rows()]
        (counted,) = store._all("SELECT COUNT(*) FROM rows")[0]
    assert counted == len(keys), "a fit was done twice"
    return len(keys)


# -- the page -----------------------------------------------------------------------------------------


def page() -> Work:
    """``page``: fetched parts, kept blocks, built page and copy; a copy of files stands in for registries."""
    random, reference = Random(3), dict[str, bytes]()

    def files(folder: Path) -> dict[str, bytes]:
        kept = folder / "cache" / "identify-ode" / "page"
        found = {p.name: p.read_bytes() for p in kept.glob("*") if p.name[0] != "."}
        return {**found, "identify.html": (folder / "identify.html").read_bytes()}

    def prepare(folder: Path) -> None:
        """The cache has whatever it may have already, from nothing to everything."""
        (folder / "identify.html").write_text("old")
        for pattern in random.choice((("*",), ("runtime-*", "identify-*"), ("identify-*",), ())):
            for path in (folder / "cache" / "identify-ode" / "page").glob(pattern):
                path.unlink() if path.is_file() else None

    def sound(folder: Path) -> str | None:
        found = files(folder)
        if found["identify.html"] == b"old":
            del found["identify.html"]
        strange = [name for name, content in found.items() if content != reference.get(name)]
        return f"neither old nor new: {strange}" if strange else None

    def whole(folder: Path) -> str | None:
        """The first page, which no kill disturbed, is what all others must be."""
        found = files(folder)
        if not reference and found["identify.html"].rstrip().endswith(b"</html>"):
            reference.update(found)
        return None if found == reference else "the page or a part of it is another one"

    command = ("page", "-o", "identify.html")
    loads = ("identify.page.build", "identify.families.lookup")
    return Work("identify page", command, prepare, sound, whole, loads=loads, within=_stand_ins)


@contextmanager
def _stand_ins(folder: Path) -> Iterator[None]:
    """Small packages, copied instead of downloaded, with hashes of their own; ``node`` copies its input."""
    from identify.page import build, fetch, pins

    registry = folder / "registry"
    registry.mkdir()
    wheels = (pins.SYMPY, pins.MPMATH, pins.FLINT)
    packed = {
        pins.PYODIDE: _tarball({name: _noise(name) for name in build._RUNTIME}),
        pins.KATEX: _tarball({"dist/katex.min.css": b"p{}", "dist/katex.min.js": b"let katex;"}),
        **{pin: _zip({f"{pin.name}/a.py": _noise(pin.name)}) for pin in wheels},
    }
    changed = {pin: replace(pin, sha256=hashlib.sha256(data).hexdigest()) for pin, data in packed.items()}
    for pin, data in packed.items():
        (registry / pin.file).write_bytes(data)
    node = registry / "node"
    node.write_text('#!/bin/sh\ncp "$3" "$4"\n')
    node.chmod(0o755)

    def copy(pin: pins.Pin, target: str) -> list[str]:
        return ["cp", str(registry / pin.file), target]

    with ExitStack() as stack:
        for name in ("PYODIDE", "KATEX", "SYMPY", "MPMATH", "FLINT"):
            stack.enter_context(mock.patch.object(build, name, changed[getattr(pins, name)]))
        stack.enter_context(mock.patch.object(build, "PINS", tuple(changed.values())))
        stack.enter_context(mock.patch.object(fetch, "_command", copy))
        path = os.pathsep.join([str(registry), os.environ["PATH"]])
        stack.enter_context(mock.patch.dict(os.environ, {"PATH": path}))
        yield


def _noise(name: str) -> bytes:
    """Some hundred kilobytes that do not compress; the lock file and the library as their readers want."""
    if name.endswith(".json"):
        return b'{"info": {}, "packages": {}}'
    if name.endswith(".zip"):
        return _zip({"standard.py": _noise("standard")})
    return Random(name).randbytes(300_000)


def _tarball(members: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as made:
        for name, content in members.items():
            member = tarfile.TarInfo(f"package/{name}")
            member.size = len(content)
            made.addfile(member, io.BytesIO(content))
    return file.getvalue()


def _zip(members: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        for name, content in members.items():
            made.writestr(zipfile.ZipInfo(name), content)
    return file.getvalue()


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


COMMANDS: dict[str, Callable[[], Work]] = {
    "fit": fit,
    "paper": paper_fit,
    "sweep": sweep,
    "update": update,
    "page": page,
    "analyze": analysis,
}
