"""Start-up, engine time and local agreement with symident; ``make bench``.

Machines are noisy, so every time stands beside a baseline measured in the same process: a bare
interpreter, SymPy's import, ``sympy.solve`` on the same orbit equations, symident on the same law.
Exits 1 where a limit or the agreement is violated.
"""

from __future__ import annotations

import argparse
import importlib.util
import signal
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

TABLE = (
    ("LTI", "z''+d*z'+a*z=0", ("a != 0",)),
    ("angular pendulum", "z''+d*z'+w**2*sin(z)=0", ("w > 0",)),
    ("Van der Pol", "z''+mu*(z**2-1)*z'+z=0", ("mu != 0",)),
    ("cubic Duffing", "z''+d*z'+a*z+b*z**3=0", ("b != 0",)),
    ("quintic Duffing", "z''+d*z'+a*z+b*z**3+g*z**5=0", ("b != 0", "g != 0")),
)
TABLE_LIMIT, CASE_LIMIT, BANK_LIMIT = 0.3, 5.0, 20.0


@dataclass(frozen=True)
class Declared:
    """A named law with its assumptions, its domain, and the time that it may take."""

    name: str
    law: str
    assume: tuple[str, ...]
    domain: tuple[str, ...]
    limit: float


@dataclass(frozen=True)
class Effort:
    """How often to repeat, how long a baseline may take, how many cases to run."""

    runs: int
    cap: float
    cases: int


FULL, QUICK = Effort(5, 10.0, 10_000), Effort(2, 1.0, 8)


class TooSlow(Exception):
    """A baseline was stopped."""


@contextmanager
def capped(seconds: float) -> Iterator[None]:
    """Stop the body after ``seconds`` by raising TooSlow in it."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def timed(work: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    """Seconds and result of one call."""
    start = time.perf_counter()
    result = work(*arguments)
    return time.perf_counter() - start, result


# -- start-up -------------------------------------------------------------------------------------

HELP = (
    "import sys; sys.argv = ['identify', '--help']\n"
    "from identify.command import main\n"
    "try: main()\n"
    "except SystemExit: pass\n"
    "print('LOADED', *(m for m in ('sympy', 'torch', 'numpy', 'flint') if m in sys.modules))"
)


def fresh(code: str, runs: int) -> tuple[float, str]:
    """Median seconds of a fresh interpreter running ``code``, and its output."""
    times, output = [], ""
    for _ in range(runs):
        command = [sys.executable, "-c", code]
        seconds, output = timed(_output, command)
        times.append(seconds)
    return statistics.median(times), output


def _output(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True).stdout


def start_up(effort: Effort) -> list[str]:
    """Times of fresh interpreters; a violation where ``--help`` loads something heavy."""
    bare, _ = fresh("pass", effort.runs)
    rows = {
        "python -c pass": "pass",
        "identify --help": HELP,
        "import sympy": "import sympy",
        "import identify.engine": "import identify.engine",
    }
    print("\nStart-up (fresh interpreters, median)\n")
    loaded = ""
    for name, code in rows.items():
        seconds, output = fresh(code, effort.runs)
        loaded = output.splitlines()[-1].removeprefix("LOADED").strip() if code is HELP else loaded
        print(f"  {name:<26}{1000 * seconds:7.0f} ms   {seconds / bare:5.1f} x bare interpreter")
    print(f"  --help loads of sympy, torch, numpy, flint: {loaded or 'none'}")
    return [f"identify --help loads {loaded}"] if loaded else []


# -- engine ---------------------------------------------------------------------------------------


def laws(effort: Effort) -> tuple[list[Declared], list[Declared], str]:
    """The families of Table tab:regimes, the shared cases (or our bank), and where these are from."""
    from tests.engine.cases import BANK, CASES, bank, declared, shared

    table = [Declared(name, law, assume, (), TABLE_LIMIT) for name, law, assume in TABLE]
    if CASES.exists():
        cases = [Declared(c["id"], *declared(c), CASE_LIMIT) for c in shared("raw") + shared("canonical")]
        return table, cases[: effort.cases], str(CASES)
    cases = [Declared(e["id"], e["law"], tuple(e["assume"]), tuple(e["domain"]), BANK_LIMIT) for e in bank()]
    return table, cases[: effort.cases], str(BANK)


def analysis(law: Declared) -> Any:
    """The engine's answer, or None where the text is refused."""
    from identify import analyze
    from identify.errors import InputError

    try:
        return analyze(law.law, law.assume, law.domain)
    except InputError:
        return None


def naive(law: Declared) -> int | None:
    """Solve the affine orbit equations of a rational law with SymPy alone; None where not polynomial.

    Complex solutions, no realness, no invariants, no verdicts: less than the engine answers.
    """
    from sympy import Poly, Symbol, fraction, solve, together

    from identify.law import read_law

    read = read_law(law.law, law.assume, law.domain)
    u, v, scale, shift = read.state, read.velocity, Symbol("lambda"), Symbol("tau")
    if not read.acceleration.is_polynomial(v) or not read.acceleration.is_rational_function(u):
        return None
    if read.acceleration.expand().coeff(v, 2) != 0:
        return None  # canonical: the maps are not affine
    reported = {p: Symbol(f"{p.name}_hat") for p in read.parameters}
    image = read.acceleration.subs({u: scale * u + shift, v: scale * v, **reported}, simultaneous=True)
    numerator, _ = fraction(together(image - scale * read.acceleration))
    equations = Poly(numerator, u, v).coeffs()
    return len(solve(equations, [*reported.values(), shift], dict=True))


def baseline(law: Declared, cap: float) -> tuple[float | None, str]:
    """Seconds of the naive solution, and words for why there are none."""
    try:
        with capped(cap):
            seconds, found = timed(naive, law)
    except TooSlow:
        return cap, f"> {cap:.0f} s"
    except Exception as error:  # noqa: BLE001 - whatever SymPy does with it, it is only a baseline
        return None, type(error).__name__
    return (None, "does not apply") if found is None else (seconds, f"{1000 * seconds:.0f} ms")


def engine_times(title: str, chosen: list[Declared], effort: Effort) -> tuple[dict[str, Any], list[str]]:
    """Print one row for each law; the answers, and the violated limits."""
    print(f"\n{title}\n")
    print(f"  {'law':<20}{'first':>9}{'median':>9}{'limit':>8}   {'sympy.solve':<15}{'ratio':>7}   answer")
    answers, violations = {}, []
    for law in chosen:
        first, answers[law.name] = timed(analysis, law)
        times = [timed(analysis, law)[0] for _ in range(effort.runs if first < 1 else 1)]
        median = statistics.median(times)
        seconds, words = baseline(law, effort.cap)
        more = ">" if words.startswith(">") else ""
        ratio = f"{more}{seconds / median:.1f}" if seconds is not None else "-"
        outcome = getattr(answers[law.name], "outcome", "refused")
        print(
            f"  {law.name:<20}{1000 * first:6.0f} ms{1000 * median:6.0f} ms{law.limit:6.1f} s"
            f"   {words:<15}{ratio:>7}   {outcome}",
            flush=True,
        )
        if median > law.limit:
            violations.append(f"{law.name} took {median:.2f} s, limit {law.limit} s")
    return answers, violations


# -- symident -------------------------------------------------------------------------------------


def locally_identifiable(law: Declared) -> set[str]:
    """Parameters that symident calls locally identifiable from ``y = scale*x1 + shift``."""
    import symident  # type: ignore[import-untyped]
    from sympy import Symbol

    from identify.law import read_law

    read = read_law(law.law, law.assume, law.domain)
    names = {p: Symbol(f"p{i}") for i, p in enumerate(read.parameters)}
    right = read.acceleration.subs({read.state: Symbol("x1"), read.velocity: Symbol("x2"), **names})
    model = symident.Model(
        {"x1": "x2", "x2": str(right)}, {"y": "scale*x1 + shift"}, parameters=_words(names)
    )
    moved = {
        name for s in symident.detect(model, positive=False).to_dict()["symmetries"] for name in s["support"]
    }
    return {p.name for p, symbol in names.items() if symbol.name not in moved}


def _words(names: dict[Any, Any]) -> list[str]:
    return [s.name for s in names.values()]


def modelled(law: Declared, answer: Any) -> str | None:
    """Why symident is not asked about this law; None where it is."""
    from sympy import Abs, sign

    from identify.law import read_law

    if answer is None:
        return "the text is refused"
    if answer.route.name not in ("semilinear", "feature-separation"):
        return f"{answer.route.name}: no affine observation model"
    if any("==" in condition for condition in law.assume):
        return "an equality between parameters is declared"
    if read_law(law.law, law.assume, law.domain).acceleration.has(Abs, sign):
        return "absolute values: not analytic, symident fixes their sign"
    return None


def ours(answer: Any) -> tuple[set[str], set[str]]:
    """Locally identifiable parameters (identified or finite), and undecided ones."""
    status = dict.fromkeys(answer.law.parameters, "undecided")  # an undecided law has no verdicts at all
    status |= {p: v.status for p, v in answer.parameters.items()}
    return {p for p, s in status.items() if s in ("identified", "finite")}, {
        p for p, s in status.items() if s == "undecided"
    }


def agreement(chosen: list[Declared], answers: dict[str, Any], effort: Effort) -> list[str]:
    """Times side by side and whether the local verdicts agree; the disagreements."""
    print("\nBeside symident: x1' = x2, x2' = F, observed y = scale*x1 + shift with both unknown\n")
    if importlib.util.find_spec("symident") is None:
        print("  symident is not installed (pip install symident); nothing to compare")
        return []
    locally_identifiable(chosen[0])  # its import and first call, which every process pays once
    print(f"  {'law':<20}{'identify':>10}{'symident':>10}{'ratio':>7}   local verdicts")
    violations, compared, left_open = [], 0, 0
    for law in chosen:
        why = modelled(law, answers[law.name])
        if why is not None:
            print(f"  {law.name:<20}{'':27}   {why}")
            continue
        mine = statistics.median(timed(analysis, law)[0] for _ in range(effort.runs))
        try:
            with warnings.catch_warnings(), capped(6 * effort.cap):
                warnings.simplefilter("ignore")
                theirs, found = timed(locally_identifiable, law)
        except TooSlow:
            print(f"  {law.name:<20}{1000 * mine:7.0f} ms{'too slow':>10}")
            continue
        except Exception as error:  # noqa: BLE001 - a model that symident refuses is reported, not hidden
            why = str(error).splitlines()[0][:60]
            print(f"  {law.name:<20}{1000 * mine:7.0f} ms{'refused':>10}{'':7}   {why}")
            continue
        local, undecided = ours(answers[law.name])
        same = local - undecided == found - undecided
        shown = ", ".join(sorted(found)) or "none"
        if undecided:
            left_open += 1
            shown += f" (identify leaves {', '.join(sorted(undecided))} undecided)"
        compared += 1
        same_words = f"symident: {shown}" if undecided else f"agree: {shown}"
        words = same_words if same else f"DISAGREE: ours {sorted(local)}, symident {sorted(found)}"
        print(
            f"  {law.name:<20}{1000 * mine:7.0f} ms{1000 * theirs:7.0f} ms{mine / theirs:7.1f}   {words}",
            flush=True,
        )
        if not same:
            violations.append(
                f"{law.name}: locally identifiable {sorted(local)}, symident says {sorted(found)}"
            )
    told = f"{len(violations)} disagreements, {left_open} with parameters that identify leaves undecided"
    print(f"\n  {compared} laws compared, {told}")
    return violations


def main() -> int:
    """Run every part; 1 where something is violated."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--quick", action="store_true", help="fewer repetitions, fewer laws, shorter baselines"
    )
    effort = QUICK if parser.parse_args().quick else FULL
    violations = start_up(effort)
    table, cases, source = laws(effort)
    analysis(table[0])  # imports and caches that every process pays once
    first, over = engine_times("Engine: families of Table tab:regimes", table, effort)
    second, more = engine_times(f"Engine: {source}", cases, effort)
    violations += over + more
    violations += agreement([*table, *cases], {**first, **second}, effort)
    print("\n" + ("\n".join(f"VIOLATED  {v}" for v in violations) or "all limits and agreements hold"))
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
