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
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from random import Random
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from identify.errors import IdentifyError  # noqa: E402
from tests.hardening.figures import Figures  # noqa: E402
from tests.hardening.killed import COMMANDS, killed  # noqa: E402

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


WRITES: dict[str, Callable[[Path, int], Figures]] = {
    "file": one_file,
    "run": run_folder,
    "store": sweep_store,
}


def inject(kind: str, moments: int) -> Figures:
    """A kind of fault in a folder of its own, whose name has a space and a letter beyond ASCII."""
    with tempfile.TemporaryDirectory(prefix="fehler ü ") as name:
        if kind in WRITES:
            return WRITES[kind](Path(name), moments)
        return killed(COMMANDS[kind](), Path(name), moments)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("kinds", nargs="*", help=f"of {', '.join((*WRITES, *COMMANDS))}")
    parser.add_argument("--moments", type=int, default=200, help="for each kind of write")
    parser.add_argument("--commands", type=int, default=50, help="for each command")
    chosen = parser.parse_args()
    failed = 0
    for kind in chosen.kinds or [*WRITES, *COMMANDS]:
        told = inject(kind, chosen.moments if kind in WRITES else chosen.commands)
        failed += len(told.failures)
        print(json.dumps({**asdict(told), "failures": len(told.failures)}), *told.failures[:5], flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
