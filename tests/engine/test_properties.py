"""What must hold for every law: the answer is checked against the law itself, not against stored answers."""

from __future__ import annotations

import os
import random
import re
from functools import cache

import mpmath
import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st
from sympy import Symbol

from identify import analyze
from identify.analysis import Analysis
from identify.errors import IdentifyError
from tests.engine.evaluation import DIGITS, OUT_OF_REACH, Reading, close, defect, number, rank, real, value
from tests.engine.strategies import PARAMETERS, Declared, laws, with_more_assumed

EXAMPLES = float(os.environ.get("IDENTIFY_EXAMPLES", "1"))  # a multiple, for a longer search by hand
ORDER = ("free", "sign", "finite", "identified")
VELOCITIES = (mpmath.mpf(3) / 7, mpmath.mpf(-5) / 4, mpmath.mpf(2))


def examples(count: int) -> settings:
    """Without shrinking, which costs minutes of analyses; the laws are small as they are drawn."""
    phases = (Phase.explicit, Phase.reuse, Phase.generate)
    checks = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
    return settings(
        max_examples=int(count * EXAMPLES),
        phases=phases,
        deadline=None,
        derandomize=True,
        suppress_health_check=checks,
        report_multiple_bugs=False,
    )


@cache
def answer(law: Declared) -> Analysis:
    return analyze(law.text, law.assume, law.domain, timeout=10)


def decided(law: Declared) -> Analysis:
    """The answer, where every parameter has one."""
    result = answer(law)
    assume(result.outcome == "done")
    return result


# -- the compatible set ---------------------------------------------------------------------------


def check_branches(result: Analysis) -> int:
    """Every branch maps the law onto the family; returns how many reports were checked."""
    reading, checked = Reading(result), 0
    with mpmath.workdps(DIGITS):
        for branch in reading.branches():
            for report in branch.reports(seed=11, count=2):
                for v in VELOCITIES:
                    try:
                        rest, size = defect(reading, report, v)
                    except OUT_OF_REACH:
                        continue
                    assert close(rest, 0, size), (result.law.text, branch.info, report)
                    checked += 1
    return checked


def check_invariants(result: Analysis) -> int:
    """Invariants and sign invariants agree between truth and report on every branch."""
    reading, checked = Reading(result), 0
    with mpmath.workdps(DIGITS):
        for branch in reading.branches():
            for report in branch.reports(seed=13, count=3):
                truth = {p: report.truth[p] for p in reading.parameters}
                for f in reading.invariants:
                    pair = [value(f, where) for where in (truth, report.parameters)]
                    assert close(*pair), (result.law.text, f, branch.info, report)
                    checked += 1
                for f in reading.signs:
                    signs = [mpmath.sign(value(f, where)) for where in (truth, report.parameters)]
                    assert signs[0] == signs[1], (result.law.text, f, branch.info, report)
    return checked


def check_completeness(result: Analysis) -> None:
    """There are as many independent invariants as parameters less the orbit dimension."""
    reading = Reading(result)
    if "the list of invariants is not complete" in " ".join(result.warnings):
        return
    with mpmath.workdps(DIGITS):
        for point in reading.points(seed=17, count=1):
            rows = reading.gradients(reading.invariants, point)
            assert result.orbit_dimension is not None
            assert rank(rows) == len(reading.independent) - result.orbit_dimension, result.law.text


def check_statuses(result: Analysis) -> None:
    """A status agrees with what the branches do to the parameter."""
    reading = Reading(result)
    with mpmath.workdps(DIGITS):
        for branch in reading.branches():
            for report in branch.reports(seed=19, count=3):
                for p in reading.parameters:
                    status = result.parameters[p.name].status
                    truth, reported = number(report.truth[p]), report.parameters[p]
                    if status == "identified":
                        assert close(truth, reported), (result.law.text, p, branch.info, report)
                    if status == "sign":
                        assert truth * reported > 0, (result.law.text, p, branch.info, report)


@given(laws)
@examples(70)
def test_branches_and_invariants(law: Declared) -> None:
    """F_eta(f, f' v) = f' F_theta + f'' v**2 on every branch, and every invariant is constant there."""
    result = answer(law)
    if result.gauge is None:
        return
    check_branches(result)
    check_invariants(result)
    if result.outcome == "done":
        check_completeness(result)
        check_statuses(result)


# -- another spelling, the same family ------------------------------------------------------------


def same_span(first: Reading, second: Reading, rename: dict[Symbol, Symbol]) -> bool:
    """Whether the invariants of both are locally functions of each other."""
    with mpmath.workdps(DIGITS):
        for point in first.points(seed=23, count=1):
            there = {rename.get(s, s): x for s, x in point.items()}
            back = {new: old for old, new in rename.items()}
            translated = [f.xreplace(back) for f in second.invariants]
            assert set(there) >= set(second.parameters)
            rows, more = first.gradients(first.invariants, point), first.gradients(translated, point)
            return rank(rows) == rank(more) == rank([*rows, *more])
    return True


def check_equivalent(first: Analysis, second: Analysis, rename: dict[str, str]) -> None:
    """The same dimensions, statuses, invariants and sign invariants, up to names."""
    note = (first.law.text, first.law.assumptions, second.law.text)
    assert first.route.name == second.route.name, note
    if "undecided" in (first.outcome, second.outcome) or first.gauge is None or second.gauge is None:
        return
    assert first.gauge.dimension == second.gauge.dimension, note
    assert first.orbit_dimension == second.orbit_dimension, note
    statuses = {rename.get(p, p): v.status for p, v in first.parameters.items()}
    assert statuses == {p: v.status for p, v in second.parameters.items()}, note
    complete = [a.certificate.get("complete_invariants") for a in (first, second)]
    table = {real(p): real(q) for p, q in rename.items()}
    if all(complete):
        assert same_span(Reading(first), Reading(second), table), (note, first.invariants, second.invariants)


@given(laws, st.randoms(use_true_random=False))
@examples(35)
def test_names_and_order_do_not_matter(law: Declared, shuffle: random.Random) -> None:
    """Renaming parameters and reordering terms gives the same verdicts."""
    first = answer(law)
    names = [n for n in PARAMETERS if n != "e"]
    shuffle.shuffle(names)
    rename = dict(zip(PARAMETERS, [f"{n}_1" for n in names] + ["Q"], strict=False))
    terms = list(law.terms)
    shuffle.shuffle(terms)
    swap = re.compile(r"(?<![a-z])[a-z](?![a-z(])")

    def renamed(text: str) -> str:
        return swap.sub(lambda m: rename.get(m.group(), m.group()), text)

    other = Declared(
        tuple(map(renamed, terms)), tuple(map(renamed, reversed(law.assume))), tuple(map(renamed, law.domain))
    )
    check_equivalent(first, analyze(other.text, other.assume, other.domain, timeout=10), rename)


def in_other_coordinate(law: Declared) -> Declared:
    """The law for y with z = 2*y + 1, written with z for y."""

    def put(text: str) -> str:
        return re.sub(r"(?<![a-z])z(?!')", "(2*z + 1)", re.sub(r"z'", "Y", text)).replace("Y", "(2*z')")

    return Declared(tuple(f"({put(t)})/2" for t in law.terms), law.assume, tuple(map(put, law.domain)))


@given(laws)
@examples(35)
def test_the_coordinate_of_the_declaration_does_not_matter(law: Declared) -> None:
    """``z -> 2z + 1`` written out is the same family of laws: the verdicts are the same."""
    first, other = answer(law), in_other_coordinate(law)
    check_equivalent(first, analyze(other.text, other.assume, other.domain, timeout=10), {})


# -- assumptions ----------------------------------------------------------------------------------


@given(with_more_assumed())
@examples(50)
def test_an_assumption_never_loses_a_parameter(case: tuple[Declared, str]) -> None:
    """An open condition cuts the compatible set, so no parameter becomes less identified."""
    law, more = case
    first = decided(law)
    second = decided(Declared(law.terms, (*law.assume, more), law.domain))
    for name, verdict in first.parameters.items():
        after = second.parameters[name].status
        assert ORDER.index(after) >= ORDER.index(verdict.status), (law.text, law.assume, more, name)


# -- any text -------------------------------------------------------------------------------------

PIECES = [
    "z", "z'", "z''", "a", "b", "2", "0", "1/2", "0.1", "+", "-", "*", "/", "**", "^", "(", ")", "|", "=",
    ">", "<", "!=", "sin(", "exp(", "log(", "sqrt(", "abs(", "sign(", "tanh(", "atan(", "pi", "e", ",", " ",
    "t", "'", "β", "∞",
]  # fmt: skip


@st.composite
def well_formed(draw: st.DrawFn) -> str:
    """A syntactically correct law from arbitrary operations, often a nonsensical one."""
    atoms = st.sampled_from(["z", "z'", "a", "b", "2", "z", "1", "(1/3)", "pi"])
    grow = lambda inner: st.one_of(  # noqa: E731 - a recursive strategy is a function of its inner one
        st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        st.tuples(st.sampled_from(["sin", "exp", "sqrt", "abs", "log", "tanh", "sign"]), inner).map(
            lambda t: f"{t[0]}({t[1]})"
        ),
        st.tuples(inner, st.sampled_from(["2", "3", "-1", "(1/2)", "a"])).map(lambda t: f"({t[0]})**{t[1]}"),
    )
    return "z'' = " + draw(st.recursive(atoms, grow, max_leaves=6))


texts = st.one_of(
    st.text(max_size=40),
    st.lists(st.sampled_from(PIECES), max_size=14).map(lambda p: "z''" + "".join(p)),
    well_formed(),
    well_formed(),
)
conditions = st.lists(
    st.sampled_from(["a > 0", "b != 0", "a == b", "a + b > 1", "a < 0", "z > 0", "a >"]), max_size=2
)


@given(
    texts,
    conditions,
    st.lists(st.sampled_from(["z > 0", "-1 < z < 1", "z > a", "|z| < b", "a > 0"]), max_size=1),
)
@examples(120)
def test_no_text_crashes(text: str, assumed: list[str], domain: list[str]) -> None:
    """Any text gives an answer, or an error of the package that says what is wrong."""
    try:
        result = analyze(text, assumed, domain, timeout=3)
    except IdentifyError as error:
        assert str(error)  # noqa: PT017 - an error is one of two right answers
    else:
        assert result.to_json()


@pytest.mark.parametrize("text", ["", " ", "z''=", "=", "z'' = 1/0", "z'' = 0/0", "z''=z''", "0=0"])
def test_degenerate_texts(text: str) -> None:
    """The shortest wrong inputs are answered with an error of the package."""
    with pytest.raises(IdentifyError):
        analyze(text)
