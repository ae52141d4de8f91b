"""Hostile inputs by the thousand, at every way in: no traceback, no hang, no memory beyond the budget.

    python tests/hardening/fuzz.py                      every target, 60 s each
    python tests/hardening/fuzz.py --seconds 1800 law   one target for half an hour
    python tests/hardening/fuzz.py --inputs 50          50 inputs for each target

Each target runs in a process of its own, which a hang or a crash ends; what did it is kept in --keep.  With
atheris installed the inputs are led by coverage (--coverage); without, they are damaged good ones.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import re
import resource
import subprocess
import sys
import time
import traceback
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

MEMORY = 1500  # megabytes that a target may take, libraries included


@dataclass
class Figures:
    """What one target did."""

    target: str
    inputs: int = 0
    answered: int = 0
    longest: float = 0.0
    memory: int = 0
    failures: list[str] = field(default_factory=list)


def mutate(name: str, seed: int, inputs: int | None, seconds: float) -> Figures:
    """Damaged good inputs in this process; each is written down before it is tried."""
    from tests.hardening.mutation import mutated
    from tests.hardening.targets import TARGETS

    target, random = TARGETS[name], Random(seed)
    told, seeds = Figures(name), [seed[: target.most] for seed in target.seeds()]
    for data in seeds:
        _try(target, data, told)
    end = time.monotonic() + seconds
    while time.monotonic() < end and (inputs is None or told.inputs < inputs):
        _try(target, mutated(random, seeds, target.words), told)
    told.memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    if told.memory > MEMORY:
        told.failures.append(f"{told.memory} MB")
    return told


def _try(target: Any, data: bytes, told: Figures) -> None:
    print(f"TRY {data.hex()}", flush=True)
    start = time.monotonic()
    try:
        told.answered += target.run(data) == "answered"
    except Exception:  # noqa: BLE001 - each is a finding
        told.failures.append(f"{traceback.format_exc(limit=-3)}input {data.hex()[:6000]}")
    took = time.monotonic() - start
    told.longest = max(told.longest, took)
    told.inputs += 1


def watched(name: str, seed: int, inputs: int | None, seconds: float) -> Figures:
    """``mutate`` in a process that is killed when one input takes longer than the target may."""
    from tests.hardening.targets import TARGETS

    allowed = TARGETS[name].seconds * 3  # wall time on a busy machine
    command = [sys.executable, __file__, name, "--serve", "--seed", str(seed), "--seconds", str(seconds)]
    command += ["--inputs", str(inputs)] if inputs is not None else []
    bound = f'ulimit -c 0; ulimit -v {4 * MEMORY * 1024}; exec "$@"'
    with subprocess.Popen(
        ["bash", "-c", bound, "bash", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        last, told = "", None
        assert process.stdout is not None
        assert process.stderr is not None
        import threading

        hung: list[bool] = []
        timer = _restarted(None, allowed * 4, process, hung)  # the first seeds are made meanwhile
        noise: list[str] = []
        thread = threading.Thread(target=lambda: noise.extend(process.stderr), daemon=True)
        thread.start()
        for line in process.stdout:
            if line.startswith("TRY "):
                last = line[4:].strip()
                timer = _restarted(timer, allowed, process, hung)
            elif line.startswith("{"):
                told = Figures(**json.loads(line))
        timer.cancel()
        thread.join(5)
    if told is not None:
        return told
    how = f"no answer in {allowed:.0f} s" if hung else f"the process ended with {process.returncode}"
    tail = "".join(noise)[-2000:]
    return Figures(name, failures=[f"{how}: input {last[:6000]}\n{tail}"])


def _restarted(timer: Any, seconds: float, process: subprocess.Popen[str], hung: list[bool]) -> Any:
    import threading

    if timer is not None:
        timer.cancel()

    def end() -> None:
        hung.append(True)
        process.kill()

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    return timer


# -- led by coverage ----------------------------------------------------------------------------------


def covered(name: str, seconds: float, keep: Path) -> Figures:
    """atheris (libFuzzer) in a process of its own; its last lines are the figures."""
    from tests.hardening.targets import TARGETS

    target = TARGETS[name]
    corpus = keep / name
    corpus.mkdir(parents=True, exist_ok=True)
    for index, data in enumerate(target.seeds()):
        (corpus / f"seed{index}").write_bytes(data[: target.most])
    words = keep / f"{name}.dict"
    words.write_text("".join(f'"{_escaped(word)}"\n' for word in target.words))
    command = [
        sys.executable, __file__, name, "--lead", str(corpus), f"-max_total_time={int(seconds)}",
        f"-timeout={int(target.seconds * 3)}", f"-rss_limit_mb={MEMORY}", f"-max_len={target.most}",
        f"-artifact_prefix={keep}/{name}-", f"-dict={words}", "-print_final_stats=1",
    ]  # fmt: skip
    ended = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    stats = dict(re.findall(r"stat::(\w+):\s+(\d+)", ended.stderr))
    told = Figures(name, int(stats.get("number_of_executed_units", 0)))
    told.longest = float(stats.get("slowest_unit_time_sec", 0))
    told.memory = int(stats.get("peak_rss_mb", 0))
    if ended.returncode:
        told.failures.append(ended.stderr[-4000:])
    return told


def _escaped(word: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in word.encode("utf-8", "replace"))


def lead(name: str, arguments: list[str]) -> None:
    """The process that atheris drives; the tool's own modules are instrumented."""
    import atheris

    with atheris.instrument_imports(include=["identify"]):
        from tests.hardening.targets import TARGETS

        target = TARGETS[name]
        target.run(target.seeds()[0])  # imports what it needs while imports are instrumented
    atheris.Setup([sys.argv[0], *arguments], target.run)
    atheris.Fuzz()


def _distinct(failures: list[str]) -> list[str]:
    """One failure for each place in the code."""
    return list({failure.partition("input ")[0]: failure for failure in failures}.values())[:10]


def main() -> int:
    if "--lead" in sys.argv:
        place = sys.argv.index("--lead")
        lead(sys.argv[1], sys.argv[place + 1 :])
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("targets", nargs="*")
    parser.add_argument("--seconds", type=float, default=60.0, help="for each target")
    parser.add_argument("--inputs", type=int, help="for each target")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--coverage", action="store_true", help="lead by coverage, with atheris")
    parser.add_argument("--keep", type=Path, default=Path("/tmp/identify-fuzz"), help="corpus and artifacts")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.serve:
        told = mutate(chosen.targets[0], chosen.seed, chosen.inputs, chosen.seconds)
        print(json.dumps(asdict(told)), flush=True)
        return 0
    from tests.hardening.targets import TARGETS

    if chosen.coverage and importlib.util.find_spec("atheris") is None:
        print("atheris is not installed here: nothing is led by coverage")
        return 0
    everything = []
    for name in chosen.targets or TARGETS:
        if chosen.coverage and not TARGETS[name].led:
            continue
        if chosen.coverage:
            told = covered(name, chosen.seconds, chosen.keep)
        else:
            told = watched(name, chosen.seed, chosen.inputs, chosen.seconds)
        everything.append(told)
        for failure in _distinct(told.failures):
            print(f"{name}: {failure}\n", flush=True)
        print(json.dumps({**asdict(told), "failures": len(told.failures)}), flush=True)
    return 1 if any(told.failures for told in everything) else 0


if __name__ == "__main__":
    sys.exit(main())
