"""Worked answers: every law of the bank, and of the shared cases where they are present.

The answers were found and checked without the engine (``verify_bank.py``).  Expressions are compared
as functions: by rank of Jacobians and by evaluation on the bank's own witnesses.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import mpmath
import pytest
from sympy import Expr, Rational

from identify import analyze
from identify.analysis import Analysis
from identify.errors import InputError
from identify.law import read_condition
from tests.engine.cases import CASES, bank, declared, shared
from tests.engine.evaluation import (
    DIGITS,
    OUT_OF_REACH,
    Point,
    Reading,
    close,
    holds,
    is_real,
    number,
    rank,
    real,
    value,
)

BANK = bank()
GAUGE = ("lam", "tau", "s", "L", "T", "S", "u", "q", "r")


@cache
def solved(law: str, assume: tuple[str, ...], domain: tuple[str, ...]) -> Analysis:
    return analyze(law, assume, domain)


def answer(entry: dict[str, Any]) -> Analysis:
    return solved(entry["law"], tuple(entry["assume"]), tuple(entry["domain"]))


def names(entries: Sequence[dict[str, Any]]) -> list[str]:
    return [e["id"] for e in entries]


SUPPORTED = [e for e in BANK if e["route"] != "unsupported"]
REFUSED = [e for e in BANK if e["route"] == "unsupported"]


@pytest.mark.parametrize("entry", REFUSED, ids=names(REFUSED))
def test_refused(entry: dict[str, Any]) -> None:
    """No claim where no theorem applies: a route that says why, or an error about the text."""
    try:
        result = answer(entry)
    except InputError as error:
        assert error.message  # noqa: PT017 - an error is one of two right answers
    else:
        assert result.outcome == result.route.name == "unsupported"
        assert result.route.reason
        assert not result.parameters


@pytest.mark.parametrize("entry", SUPPORTED, ids=names(SUPPORTED))
def test_law(entry: dict[str, Any]) -> None:
    """Everything the bank says about one law; only a hard law may be left undecided."""
    result = answer(entry)
    assert entry.get("hard") or result.outcome == "done", result.undecided_because
    check_route_and_dimensions(result, entry)
    check_statuses(result, entry)
    if result.gauge is not None:
        check_witnesses(result, [(w["f"], w["eta"], w.get("when")) for w in entry.get("witnesses", [])])
    if result.outcome == "done":
        check_complete(Reading(result), entry["invariants"], entry["orbit_dim"])
        check_signs(Reading(result), entry["sign_invariants"])


SEARCHED = [e for e in bank("searched") if e["route"] != "unsupported"]


@pytest.mark.parametrize("start", range(0, len(SEARCHED), 30))
def test_searched(start: int) -> None:
    """Statuses and dimensions of further laws, in groups; a law marked hard may be left undecided."""
    for entry in SEARCHED[start : start + 30]:
        result = answer(entry)
        assert entry.get("hard") or result.outcome == "done", (entry["law"], result.undecided_because)
        check_route_and_dimensions(result, entry)
        check_statuses(result, entry)


def check_route_and_dimensions(result: Analysis, entry: dict[str, Any]) -> None:
    """The route, the dimension of the lifted set and that of the parameter orbit."""
    assert result.route.name == entry["route"]
    if result.gauge is not None and result.gauge.dimension is not None:
        assert (result.gauge.dimension, result.orbit_dimension) == (entry["lifted_dim"], entry["orbit_dim"])


def check_statuses(result: Analysis, entry: dict[str, Any]) -> None:
    """The verdict on every parameter."""
    found = {p: v.status for p, v in result.parameters.items()}
    assert set(found) == set(entry["status"]) or result.outcome == "undecided"
    wrong = {
        p: (s, entry["status"][p]) for p, s in found.items() if s not in ("undecided", entry["status"][p])
    }
    assert not wrong, f"(ours, expected): {wrong}"


def check_complete(reading: Reading, expected: Sequence[str], orbit_dimension: int) -> None:
    """Full Jacobian rank, and every expected invariant is locally a function of ours."""
    with mpmath.workdps(DIGITS):
        points = list(reading.points(seed=3, count=2))
        assert points
        for point in points:
            ours = reading.gradients(reading.invariants, point)
            theirs = reading.gradients([reading.read(text) for text in expected], point)
            wanted = len(reading.independent) - orbit_dimension
            assert rank(ours) == rank(theirs) == wanted
            assert rank([*ours, *theirs]) == wanted


Witness = tuple[str, dict[str, str], Any]


def check_witnesses(result: Analysis, witnesses: Sequence[Witness]) -> None:
    """Invariants, sign invariants and identified parameters agree on aliases found without the engine."""
    reading = Reading(result)
    identified = [real(p) for p, v in result.parameters.items() if v.status == "identified"]
    with mpmath.workdps(DIGITS):
        for witness in witnesses:
            for truth, reported in pairs(reading, witness):
                for f in (*reading.invariants, *identified):
                    assert close(value(f, truth), value(f, reported)), (f, witness, truth, reported)
                for f in reading.signs:
                    assert value(f, truth) * value(f, reported) > 0, (f, witness, truth, reported)


def pairs(reading: Reading, witness: Witness) -> Iterator[tuple[Point, Point]]:
    """A few true and reported parameter points of a witness, inside assumptions and domain."""
    f, eta, when = witness
    gauge = [n for n in GAUGE if real(n) not in reading.parameters]
    expressions = {real(p): _read(reading, t, gauge) for p, t in eta.items()}
    image = _read(reading, f, gauge)
    table = {s.name: s for s in reading.parameters} | {n: real(n) for n in gauge}
    conditions = [c for text in _texts(when) for c in read_condition(text, table)]
    generator = random.Random(7)
    for point in reading.points(seed=5, count=6):
        truth = {p: number(point[p]) for p in reading.parameters}
        for _ in range(8):
            free = {real(n): _gauge_value(generator) for n in gauge}
            full = {**truth, **free}
            if not all(holds(c, full) for c in conditions):
                continue
            try:
                values = {p: value(e, full) for p, e in expressions.items()}
            except OUT_OF_REACH:
                continue
            if not all(map(is_real, values.values())):
                continue
            reported = {**truth, **{p: mpmath.re(x) for p, x in values.items()}}
            inside = all(holds(c, reported) for c in reading.law.assumptions)
            if inside and _keeps_domain(reading, image, full, reported):
                yield truth, reported
                break


def _keeps_domain(reading: Reading, image: Expr, full: Point, reported: Point) -> bool:
    """Whether the map takes a grid of states of the true domain into the reported one."""
    for u in [mpmath.mpf(k) * step / 16 for k in range(-40, 41) for step in (1, 7) if k]:
        if not all(holds(c, {**full, reading.z: u}) for c in reading.law.domain):
            continue
        try:
            there = {**reported, reading.z: value(image, {**full, real("u"): u})}
        except OUT_OF_REACH:
            return False
        if not all(holds(c, there) for c in reading.law.domain):
            return False
        if not reading.law.domain:
            break
    return True


def _gauge_value(generator: random.Random) -> Any:
    return mpmath.mpf(generator.choice((1, 1, -1)) * generator.randint(2, 40)) / generator.randint(7, 20)


def _read(reading: Reading, text: str, more: list[str]) -> Expr:
    return reading.read(re.sub(r"\bAbs\b", "abs", text), more)


def _texts(when: Any) -> list[str]:
    return [] if not when else ([when] if isinstance(when, str) else list(when))


def check_signs(reading: Reading, expected: Sequence[str]) -> None:
    """Ours are among the expected; a missing one is a composite expression or a declared sign."""
    wanted = [reading.read(text) for text in expected]
    ours = reading.signs
    with mpmath.workdps(DIGITS):
        points = list(reading.points(seed=9, count=12))
        unexpected = [f for f in ours if not any(_same_sign(f, g, points) for g in _with_products(wanted))]
        assert not unexpected
        missing = [g for g in wanted if g.is_Symbol and not any(_same_sign(f, g, points) for f in ours)]
    undeclared = [g for g in missing if len({value(g, p) > 0 for p in points}) > 1]
    assert not undeclared


def _with_products(wanted: list[Expr]) -> list[Expr]:
    return [*wanted, *(f * g for i, f in enumerate(wanted) for g in wanted[:i])]


def _same_sign(f: Expr, g: Expr, points: list[Point]) -> bool:
    """Equal or opposite signs at every sample point."""
    products = {mpmath.sign(value(f, p) * value(g, p)) for p in points}
    return len(products) == 1


# -- the shared cases -----------------------------------------------------------------------------


RAW, CANONICAL, STRATA = shared("raw"), shared("canonical"), shared("strata")
needs_cases = pytest.mark.skipif(not CASES.exists(), reason=f"{CASES} is not here")


@needs_cases
@pytest.mark.parametrize("case", RAW + CANONICAL, ids=names(RAW + CANONICAL))
def test_shared_case(case: dict[str, Any]) -> None:
    """Route, dimensions, verdicts, invariants and signs of a shared case."""
    result = solved(*declared(case))
    if not case.get("theory_scope", "in").startswith("in"):
        assert result.route.name == "unsupported"
        return
    route = "feature-separation" if case["route"].startswith("feature") else case["route"]
    assert result.route.name == route
    assert result.gauge is not None
    assert result.orbit_dimension == case["orbit_dim"]
    assert case.get("lifted_dim") in (None, result.gauge.dimension)
    found = {p: v.status for p, v in result.parameters.items()}
    everywhere = case.get("globally_identified_over_R_under_restrictions", case.get("globally_identified"))
    assert {p for p, s in found.items() if s == "identified"} == set(everywhere or ())
    assert {p for p, s in found.items() if s in ("identified", "finite")} == set(case["locally_identifiable"])
    functions = [f for f in case["invariants_global"] if not f.startswith("sign(")]
    signs = [f[5:-1] for f in case["invariants_global"] if f.startswith("sign(")]
    reading = Reading(result)
    check_complete(reading, functions, case["orbit_dim"])
    with mpmath.workdps(DIGITS):
        points = list(reading.points(seed=9, count=12))
        for text in signs:
            sign = reading.read(text)
            constant = len({value(sign, p) > 0 for p in points}) == 1
            assert constant or any(_same_sign(f, sign, points) for f in (*reading.signs, *reading.invariants))
    families = case.get("witness_families") or case["witnesses"]
    check_witnesses(
        result, [(w.get("f") or f"({w['lam']})*u + ({w['tau']})", w["eta"], None) for w in families]
    )


@needs_cases
@pytest.mark.parametrize("case", STRATA, ids=[c["case"] for c in STRATA])
def test_shared_stratum(case: dict[str, Any]) -> None:
    """On the stratum, a parameter that a listed report changes is not called identified."""
    text, _, _ = declared(case)
    condition = " and ".join(f"{p} == {x}" for p, x in case["stratum"].items())
    result = analyze(text, strata=True)
    strata = [s for s in result.strata if s.condition == condition]
    assert strata, [s.condition for s in result.strata]
    if strata[0].outcome is None:
        pytest.skip("the strata are not answered yet")
    truth = {real(p): Rational(3, 7 + i) for i, p in enumerate(case["params"])}
    truth |= {real(p): Rational(x) for p, x in case["stratum"].items()}
    reading = Reading(result)
    moved = set()
    for witness in case["witnesses"]:
        for name, text in witness["eta"].items():
            reported = reading.read(text, GAUGE).subs(truth)
            if reported != truth[real(name)]:
                moved.add(name)
    assert moved
    for name in moved:
        assert strata[0].parameters[name].status != "identified"
