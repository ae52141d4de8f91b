"""The engine against everything that can contradict it, on laws drawn from seeds.

    python tests/hardening/differential.py --laws 1500 --out differential.jsonl

Each answer is compared with the certificate checker, with the tangent space of ``tangent.py``, with the
aliases of ``search.py``, and with itself when its time is cut short.  A disagreement is printed and makes
the program fail; one line of JSON for each law goes to --out.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # one thread, so that the engine can fork
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import mpmath
import numpy as np
from sympy import Expr, Rational, Symbol, sympify

import identify
from identify.analysis import Analysis
from identify.errors import BudgetExceeded, InputError
from tests.hardening.laws import Drawn, draw
from tests.hardening.search import Search
from tests.hardening.series import OutOfReach
from tests.hardening.tangent import tangent

SECONDS = 10.0
TOLERANCE = 1e-4
MOVES = {"identified": False, "finite": False, "sign": True, "free": True}


@dataclass
class Outcome:
    """What happened to one law; ``disagreements`` must stay empty."""

    seed: int
    kind: str
    law: str
    assume: tuple[str, ...]
    domain: tuple[str, ...]
    outcome: str = ""
    seconds: float = 0.0
    verified: str = ""
    tangent: str = ""
    aliases: int = 0
    interrupted: str = ""
    disagreements: list[str] = field(default_factory=list)


def examine(seed: int, *, isolated: bool = True, seconds: float = SECONDS) -> Outcome:
    """One law through all comparisons; in this process alone, and without haste, where not ``isolated``."""
    law = draw(seed)
    told = Outcome(seed, law.kind, law.text, law.assume, law.domain)
    start = time.monotonic()
    try:
        analysis = identify.analyze(law.text, law.assume, law.domain, timeout=seconds, isolated=isolated)
    except InputError as error:
        told.outcome = f"refused: {error.message[:60]}"
        return told
    except BudgetExceeded:
        told.outcome = "undecided"
        return told
    except Exception as error:  # noqa: BLE001 - an internal error is a finding
        told.outcome = "internal error"
        told.disagreements.append(f"{type(error).__name__}: {error}")
        return told
    told.outcome, told.seconds = analysis.outcome, time.monotonic() - start
    if analysis.outcome == "unsupported":
        return told
    _verify(analysis, told)
    point = parameter_point(law, Random(seed))
    if point is not None and analysis.parameters:
        _tangent(law, analysis, point, told)
        _aliases(law, analysis, point, told)
    if seed % 4 == 0 and isolated:
        _interrupt(law, analysis, told)
    return told


def _verify(analysis: Analysis, told: Outcome) -> None:
    result = identify.verify(json.loads(analysis.to_json()))
    told.verified = "passed" if result.complete else "open" if result.ok else "failed"
    told.disagreements += [f"checker: {c.name}: {c.claim} ({c.detail})" for c in result.failed]


def _tangent(law: Drawn, analysis: Analysis, point: dict[Symbol, Any], told: Outcome) -> None:
    bent = analysis.route.name == "canonical"
    low, high = interval(law)
    state = mpmath.mpf(low) + (mpmath.mpf(high) - low) * mpmath.mpf("0.62871")
    try:
        numbers = {p: mpmath.mpf(v.p) / v.q for p, v in point.items()}
        found = tangent(law.acceleration, law.parameters, numbers, state, bent=bent)
    except OutOfReach as error:
        told.tangent = f"out of reach: {error}"
        return
    told.tangent = "agrees"
    claims = []
    if analysis.gauge is not None and analysis.gauge.dimension is not None:
        claims.append(("gauge dimension", analysis.gauge.dimension, found.lifted))
    if analysis.orbit_dimension is not None:
        claims.append(("orbit dimension", analysis.orbit_dimension, found.orbit))
    for name, verdict in analysis.parameters.items():
        if verdict.status in MOVES:
            claims.append((f"{name} ({verdict.status}) moves", MOVES[verdict.status], name in found.moving))
    wrong = [
        f"tangent: {what}: the engine says {said}, the rank {is_}"
        for what, said, is_ in claims
        if said != is_
    ]
    if wrong:
        told.tangent = "disagrees"
        told.disagreements += wrong


def _aliases(law: Drawn, analysis: Analysis, point: dict[Symbol, Any], told: Outcome) -> None:
    random = np.random.default_rng(told.seed)
    truth = np.array([float(point[p]) for p in law.parameters])
    first, last = interval(law)
    bent = analysis.route.name == "canonical"
    states = np.linspace(first, last, 40) if bent else np.sort(random.uniform(first, last, 36))
    search = Search(
        law.acceleration,
        law.parameters,
        truth,
        states,
        bounds(law),
        lambda values: admitted(law, dict(zip(law.parameters, map(float, values), strict=True))),
    )
    found = search.bent(random, 8) if bent else search.affine(random, 24)
    told.aliases = len(found)
    refuted: set[str] = set()
    for alias in found:
        before, after = (
            dict(zip((p.name for p in law.parameters), map(float, values), strict=True))
            for values in (truth, alias.parameters)
        )
        for message in sorted({*contradictions(analysis, before, after)} - refuted):
            refuted.add(message)
            where = ", ".join(
                f"{p}: {a:.6g} -> {b:.6g}"
                for p, a, b in zip(law.parameters, truth, alias.parameters, strict=True)
            )
            told.disagreements.append(
                f"alias: {message} [{where}; {alias.states[0]:.3g} -> {alias.mapped[0]:.6g}, "
                f"{alias.states[-1]:.3g} -> {alias.mapped[-1]:.6g}]"
            )


def contradictions(analysis: Analysis, old: dict[str, float], new: dict[str, float]) -> list[str]:
    """The claims of the analysis that a report of the same motion refutes."""
    found = []
    for name, verdict in analysis.parameters.items():
        if verdict.status == "identified" and not _same(old[name], new[name]):
            found.append(f"{name} is said to be identified")
        if verdict.status == "sign" and old[name] * new[name] < 0:
            found.append(f"the sign of {name} is said to be identified")
        complete = verdict.status == "finite" and "not excluded" not in verdict.why
        if complete and not _listed(verdict.alternatives, old, old[name], new[name]):
            found.append(f"{name} is said to be one of {verdict.alternatives}")
    for text in analysis.invariants:
        before, after = _value(text, old), _value(text, new)
        if before is not None and after is not None and not _same(before, after):
            found.append(f"{text} is said to be invariant")
    for text in analysis.sign_invariants:
        before, after = _value(text, old), _value(text, new)
        if before is not None and after is not None and before * after < 0:
            found.append(f"{text} is said to be invariant")
    return found


def _same(x: float, y: float) -> bool:
    return abs(x - y) <= TOLERANCE * (1e-3 + abs(x) + abs(y))


def _listed(alternatives: tuple[str, ...], old: dict[str, float], before: float, after: float) -> bool:
    values = [_value(text, old) for text in alternatives]
    return not values or None in values or any(_same(after, v) for v in [before, *values] if v is not None)


def _value(text: str, values: dict[str, float]) -> float | None:
    """The number that a formula has, or None where it has names or branches that are not known here."""
    table = {name: Symbol(name, real=True) for name in values}
    try:
        expression = sympify(text.replace("^", "**"), locals=table)
        number = complex(expression.subs({table[n]: v for n, v in values.items()}).evalf())
    except (TypeError, ValueError, SyntaxError, AttributeError):
        return None
    return number.real if abs(number.imag) < 1e-9 and np.isfinite(number.real) else None


def _interrupt(law: Drawn, analysis: Analysis, told: Outcome) -> None:
    """The same question with too little time: undecided, or the same answer."""
    for share in (0.15, 0.5, 0.85):
        try:
            cut = identify.analyze(
                law.text, law.assume, law.domain, timeout=max(0.01, told.seconds * share), isolated=True
            )
        except BudgetExceeded:
            continue
        told.interrupted = "agrees"
        for name, verdict in cut.parameters.items():
            said = analysis.parameters[name].status if name in analysis.parameters else "undecided"
            if "undecided" not in (verdict.status, said) and verdict.status != said:
                told.disagreements.append(f"interrupted: {name} was {said}, is {verdict.status} in less time")


# -- points inside the conditions ---------------------------------------------------------------------


def parameter_point(law: Drawn, random: Random) -> dict[Symbol, Rational] | None:
    """Random parameters that meet the assumptions; None where none was found."""
    for _ in range(300):
        # many values, so that no relation such as c = -h holds by accident
        point = {
            p: Rational(random.choice([1, -1]) * random.randint(2000, 27000), 9973) for p in law.parameters
        }
        if admitted(law, point):
            return point
    return None


def admitted(law: Drawn, point: dict[Symbol, Any]) -> bool:
    """Whether the parameters meet the assumptions."""
    return all(_holds(left, relation, right, point) for left, relation, right in map(_parts, law.assume))


def _parts(text: str) -> tuple[Expr, str, Expr]:
    left, relation, right = re.split(r"(!=|<|>)", text)
    table = {name: Symbol(name, real=True) for name in re.findall(r"[a-z]", text)}
    return sympify(left, locals=table), relation, sympify(right, locals=table)


def _holds(left: Expr, relation: str, right: Expr, point: dict[Symbol, Any]) -> bool:
    difference = float((left - right).subs(point))
    tests: dict[str, Callable[[float], bool]] = {
        "!=": lambda x: x != 0,
        "<": lambda x: x < 0,
        ">": lambda x: x > 0,
    }
    return tests[relation](difference)


def bounds(law: Drawn) -> tuple[float, float]:
    """The ends of the declared domain."""
    known = {
        "z > 0": (0.0, np.inf),
        "-1 < z < 1": (-1.0, 1.0),
        "0 < z < 1": (0.0, 1.0),
        "z > -1": (-1.0, np.inf),
    }
    return known[law.domain[0]] if law.domain else (-np.inf, np.inf)


def interval(law: Drawn) -> tuple[float, float]:
    """States well inside the domain where the law is finite."""
    low, high = bounds(law)
    return max(low + 0.11, -0.87), min(high - 0.07, 0.91)


# -- the program --------------------------------------------------------------------------------------


def summary(outcomes: list[Outcome]) -> dict[str, Any]:
    """The figures of a run."""
    return {
        "laws": len(outcomes),
        "kinds": dict(Counter(o.kind for o in outcomes)),
        "outcomes": dict(Counter(o.outcome.split(":")[0] for o in outcomes)),
        "checker": dict(Counter(o.verified for o in outcomes if o.verified)),
        "tangent": dict(Counter(o.tangent.split(":")[0] for o in outcomes if o.tangent)),
        "laws with aliases": sum(o.aliases > 0 for o in outcomes),
        "aliases": sum(o.aliases for o in outcomes),
        "interrupted": sum(bool(o.interrupted) for o in outcomes),
        "longest analysis, seconds": round(max((o.seconds for o in outcomes), default=0.0), 1),
        "peak memory of a worker, MB": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024,
        "disagreements": sum(bool(o.disagreements) for o in outcomes),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--laws", type=int, default=300)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="the time given to each law")
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args()
    outcomes = []
    out = chosen.out.open("a", encoding="utf-8") if chosen.out else None
    for seed in range(chosen.first, chosen.first + chosen.laws):
        told = examine(seed, seconds=chosen.seconds)
        outcomes.append(told)
        if out is not None:
            out.write(json.dumps(asdict(told)) + "\n")
            out.flush()
        if told.disagreements:
            print(
                f"seed {seed}: {told.law} {told.assume} {told.domain}",
                *told.disagreements,
                sep="\n  ",
                flush=True,
            )
    print(json.dumps(summary(outcomes), indent=2))
    return 1 if any(o.disagreements for o in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
