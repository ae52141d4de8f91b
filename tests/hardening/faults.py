"""kill -9 at random moments: every file is the old one or the new one, and the work can be done again.

    python tests/hardening/faults.py --moments 200

    writes    processes that replace a file, or a whole run folder, over and over until they are killed
    commands  ``identify`` itself, killed somewhere between its start and its end

The moments of a command crowd towards its end, where the files are written.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from identify.errors import IdentifyError  # noqa: E402

FAMILY = """name: sample
title: a damped cubic oscillator  # kept
law: "z''+d*z'+a*z+b*z**3=0"
assume: ["b != 0"]
"""


@dataclass
class Figures:
    """What was injected into one kind of work, and what broke."""

    name: str
    moments: int = 0
    caught: int = 0  # killed before the work was over
    failures: tuple[str, ...] = ()


# -- writes -------------------------------------------------------------------------------------------


def killed_writes(
    name: str, write: Callable[[int], None], sound: Callable[[], str | None], moments: int
) -> Figures:
    """``write(0), write(1), write(2) ...`` in a process that is killed; ``sound`` says what is broken."""
    random, told = Random(1), Figures(name)
    write(0)
    for _ in range(moments):
        process = os.fork()
        if not process:
            try:
                for count in range(10**9):
                    write(count)
            finally:
                os._exit(0)
        time.sleep(random.uniform(0, 0.03))
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        told.moments += 1
        told.caught += 1
        try:
            broken = sound()
        except IdentifyError as error:
            broken = f"what was left cannot be read: {error}"
        told.failures += () if broken is None else (broken,)
    return told


def one_file(folder: Path, moments: int) -> Figures:
    """``write_whole`` between two contents of different length."""
    from identify.files import write_whole

    file = folder / "one file.txt"
    contents = ("a" * 300_000, "b" * 700_001)

    def sound() -> str | None:
        return None if file.read_text() in contents else f"{file.stat().st_size} bytes of neither content"

    return killed_writes("write a file", lambda n: write_whole(file, contents[n % 2]), sound, moments)


def run_folder(folder: Path, moments: int) -> Figures:
    """``write_run`` between two fits: each file is one of the two, and a folder with a page is one fit."""
    from dataclasses import replace

    from identify.fit.results.conclusion import Asked, conclude
    from identify.fit.results.folder import PAGE, WEIGHTS, read_run, read_weights, write_run
    from tests.fit.results_fits import analyze, duffing

    law, first = duffing(3.0)
    _, second = duffing(2.0)
    weights = {"w": __import__("numpy").ones((40, 40), "float32")}
    fits = [replace(first, weights=weights), replace(second, weights={"w": 2 * weights["w"]})]
    analysis = analyze("z''+d*z'+a*z+b*z**3=0", assume=("b != 0",))
    concluded = [conclude(law, analysis, fit, Asked()) for fit in fits]
    out = folder / "run"

    def write(count: int) -> None:
        kind = count % 2
        write_run(out, concluded[kind], {"kind": kind}, f"<html>{kind}</html>" * 2000)

    def contents() -> dict[str, Any]:
        """The files by name; weights by their numbers, since safetensors writes its metadata in any order."""
        found: dict[str, Any] = {p.name: p.read_bytes() for p in out.iterdir() if p.name[0] != "."}
        if WEIGHTS in found:
            found[WEIGHTS] = read_weights(out / WEIGHTS)[0]["w"].tobytes()
        return found

    whole = []
    for kind in (0, 1):
        write(kind)
        whole.append(contents())

    def sound() -> str | None:
        found = contents()
        strange = [n for n, content in found.items() if content not in [w.get(n) for w in whole]]
        if strange:
            return f"neither the old nor the new {strange}"
        if PAGE in found and found not in whole:
            return "a page in a folder of two fits"
        read_run(out)
        return None

    return killed_writes("write a run folder", write, sound, moments)


def sweep_store(folder: Path, moments: int) -> Figures:
    """Rows added to the store of a sweep: none that was finished is lost, and others can read on at once."""
    from identify.sweep.store import Store

    path, told = folder / "sweep.sqlite", folder / "told"
    told.write_bytes(b"")

    def write(count: int) -> None:
        with Store(path) as store:
            for part in range(20):
                store.add(
                    {
                        "key": f"{count}-{part}",
                        "kind": "x",
                        "task": {},
                        "outcome": "done",
                        "more": "y" * 50_000,
                    }
                )
                with told.open("ab", buffering=0) as file:
                    file.write(b".")

    def sound() -> str | None:
        with Store(path, make=False) as store:  # as a reader beside the sweep opens it
            counted = store._all("SELECT COUNT(*) FROM rows")[0][0]
            keys = {row["key"] for row in store.rows()}
        with Store(path) as store:
            store.add({"key": "after", "kind": "x", "task": {}, "outcome": "done"})
        told.open("ab").write(b".")
        finished = told.stat().st_size - 1
        return None if keys and counted >= finished else f"{counted} rows of {finished}"

    return killed_writes("add to a sweep", write, sound, moments)


# -- commands -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Work:
    """A command, the state before it, and what must hold after it was killed; ``end`` finishes it."""

    name: str
    arguments: tuple[str, ...]
    prepare: Callable[[Path], None]
    sound: Callable[[Path], str | None]
    end: tuple[str, ...] = ()


def killed_command(work: Work, folder: Path, moments: int) -> Figures:
    """Kill the command at random moments, then let it finish; exit codes 0 and 3 are answers."""
    random, told = Random(2), Figures(work.name)
    seconds = _finished(work, folder)
    for _ in range(moments):
        work.prepare(folder)
        share = random.uniform(0, 1.05) if random.random() < 0.5 else random.uniform(0.8, 1.1)
        with _started(work.arguments, folder) as process:
            try:
                process.wait(share * seconds)
            except subprocess.TimeoutExpired:
                told.caught += 1
            with suppress(ProcessLookupError):  # it was over before
                os.killpg(process.pid, signal.SIGKILL)
        told.moments += 1
        broken = work.sound(folder)
        told.failures += () if broken is None else (broken,)
    work.prepare(folder) if not work.end else None
    _finished(work, folder, work.end or work.arguments)
    return told


def _finished(work: Work, folder: Path, arguments: tuple[str, ...] | None = None) -> float:
    if arguments is None:
        work.prepare(folder)
    start = time.monotonic()
    with _started(arguments or work.arguments, folder) as process:
        code = process.wait(1200)
    assert code in (0, 3), f"{work.name} ended with {code}"
    broken = work.sound(folder)
    assert broken is None, broken
    return time.monotonic() - start


@contextmanager
def _started(arguments: tuple[str, ...], folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "identify", *arguments]
    process = subprocess.Popen(
        command,
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _text_or(folder: Path, name: str, old: str, new: Callable[[str], bool]) -> str | None:
    text = (folder / name).read_text(encoding="utf-8")
    return None if text == old or new(text) else f"{name} is neither old nor new: {text[:200]!r}"


def update() -> Work:
    """``check --update`` on a family without expectations."""
    file = "sample.yaml"
    return Work(
        "check --update",
        ("check", "--update", "--no-cache", "--jobs", "1", file),
        lambda folder: _put(folder / file, FAMILY),
        lambda folder: _text_or(
            folder,
            file,
            FAMILY,
            lambda t: t.startswith(FAMILY[:30]) and "expect:" in t and "coverage:" in t and t.endswith("\n"),
        ),
    )


def analysis() -> Work:
    """``analyze -o`` over an older answer."""
    return Work(
        "analyze -o",
        ("analyze", "z''+d*z'+a*z+b*z**3=0", "--json", "-o", "answer.json"),
        lambda folder: _put(folder / "answer.json", "old"),
        lambda folder: _text_or(folder, "answer.json", "old", _is_json),
    )


def fit() -> Work:
    """``fit`` of clips that are simulated once; a run folder, where there is one, holds whole files."""

    def prepare(folder: Path) -> None:
        if not (folder / "clips").is_dir():
            made = ("simulate", "clips", "--law", "z''+d*z'+a*z=0", "--parameters", "d=0.2,a=9")
            more = ("--initial", "0.8,0", "--initial=-0.5,0.8", "--size", "24", "--duration", "2")
            with _started((*made, *more), folder) as process:
                assert process.wait(600) == 0

    def sound(folder: Path) -> str | None:
        run = folder / "clips" / "run"
        files = [p for p in run.iterdir() if not p.name.startswith(".")] if run.is_dir() else []
        for path in files:
            if path.suffix == ".json" and not _is_json(path.read_text(encoding="utf-8")):
                return f"{path.name} is cut off"
            if path.suffix == ".html" and not path.read_text(encoding="utf-8").rstrip().endswith("</html>"):
                return f"{path.name} is cut off"
        if any(p.suffix == ".html" for p in files):
            from identify.fit.results.folder import read_run

            read_run(run)
        return None

    return Work("fit", ("fit", "clips"), prepare, sound, ("fit", "clips"))


def _put(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


COMMANDS: dict[str, Callable[[], Work]] = {"update": update, "analyze": analysis, "fit": fit}
WRITES: dict[str, Callable[[Path, int], Figures]] = {
    "file": one_file,
    "run": run_folder,
    "sweep": sweep_store,
}


def inject(kinds: list[str], moments: int) -> Iterator[Figures]:
    """Each kind of fault in a folder of its own, whose name has a space and a letter beyond ASCII."""
    for kind in kinds:
        with tempfile.TemporaryDirectory(prefix="fehler ü ") as name:
            if kind in WRITES:
                yield WRITES[kind](Path(name), moments)
            else:
                yield killed_command(COMMANDS[kind](), Path(name), moments)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("kinds", nargs="*", default=[])
    parser.add_argument("--moments", type=int, default=200, help="for each kind of write")
    parser.add_argument("--commands", type=int, default=20, help="for each command; the fit gets a third")
    chosen = parser.parse_args()
    everything: list[Any] = []
    for kind in chosen.kinds or [*WRITES, *COMMANDS]:
        count = chosen.moments if kind in WRITES else chosen.commands // (3 if kind == "fit" else 1)
        for told in inject([kind], count):
            everything.append(told)
            print(
                json.dumps({**told.__dict__, "failures": len(told.failures)}), *told.failures[:5], flush=True
            )
    return 1 if any(told.failures for told in everything) else 0


if __name__ == "__main__":
    sys.exit(main())
