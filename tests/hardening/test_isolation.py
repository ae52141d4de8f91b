"""Whatever the work does, it is over at its deadline and within its memory, and the answer says so."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

import identify
from identify.errors import BudgetExceeded, InputError
from identify.isolation import GRACE, _may_fork, within
from identify.law import read_law

LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux keeps a memory limit")
SLACK = 20.0  # seconds; a busy machine is late to wake a process, and a forked one to end it


def answer(keep: Any, value: int) -> int:
    return value


def factor(keep: Callable[[Any], None], value: str) -> None:
    """A factorisation inside flint that no signal handler of Python interrupts: a product of two primes."""
    from flint import fmpz

    keep(value)
    (fmpz(2) ** 607 - 1).__mul__(fmpz(2) ** 521 - 1).factor()


def spin(keep: Callable[[Any], None]) -> None:
    """Python that refuses to be interrupted."""
    while True:
        try:
            time.sleep(0.01)
        except BaseException:  # noqa: BLE001 - that is the point
            continue


def python_memory(keep: Any) -> int:
    return len(bytearray(3 * 1024**3))


def flint_memory(keep: Callable[[Any], None]) -> Any:
    from flint import fmpz

    keep("so far")
    return int((fmpz(1) << (8 * 3 * 1024**3)).bit_length())


def crash(keep: Callable[[Any], None]) -> None:
    keep("so far")
    os.abort()


def refuse(keep: Any) -> None:
    raise InputError("expected a name", "z''+*z=0", 4, "write one")


def fail(keep: Any) -> None:
    raise ZeroDivisionError("deep inside")


def orphan(keep: Callable[[Any], None]) -> None:
    keep(os.getpid())
    while True:
        pass


def test_an_answer_comes_back() -> None:
    ended = within(30, 512, answer, 7)
    assert (ended.value, ended.because) == (7, None)


@pytest.mark.parametrize(("work", "arguments", "kept"), [(factor, ("so far",), "so far"), (spin, (), None)])
def test_work_that_nothing_interrupts_is_ended(work: Any, arguments: Any, kept: str | None) -> None:
    start = time.monotonic()
    ended = within(0.3, 512, work, *arguments)
    assert ended.value == kept
    assert ended.because == "the time given was not enough"
    assert time.monotonic() - start < 0.3 + GRACE + SLACK


@LINUX
@pytest.mark.parametrize(("work", "kept"), [(python_memory, None), (flint_memory, "so far")])
def test_memory_is_bounded(work: Any, kept: str | None) -> None:
    ended = within(60, 500, work)
    assert ended.value == kept
    assert ended.because is not None
    assert "500 MB" in ended.because


def test_a_crash_is_an_end_not_a_crash() -> None:
    ended = within(30, 512, crash)
    assert ended.value == "so far"
    assert "broke down" in str(ended.because)


def test_errors_arrive_whole() -> None:
    with pytest.raises(InputError) as refused:
        within(30, 512, refuse)
    assert (refused.value.column, refused.value.hint) == (5, "write one")
    with pytest.raises(ZeroDivisionError, match="deep inside") as failed:
        within(30, 512, fail)
    assert "tests/hardening" in failed.value.__notes__[0]  # where it happened, for --debug


@LINUX
def test_other_threads_forbid_a_fork() -> None:
    import threading

    before = _may_fork()
    ended = threading.Event()
    thread = threading.Thread(target=ended.wait)
    thread.start()
    try:
        assert not _may_fork()
    finally:
        ended.set()
        thread.join()
    assert _may_fork() == before


@LINUX
def test_a_worker_without_a_parent_ends_by_itself() -> None:
    """kill -9 of the parent leaves a worker that its bound on processor time ends."""
    code = (
        "import identify.isolation as isolation; from tests.hardening.test_isolation import told\n"
        "isolation.GRACE = 0.1; isolation.within(0.1, 512, told)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        parent.kill()
    deadline = time.monotonic() + 60
    while os.path.exists(f"/proc/{worker}") and not _zombie(worker):
        assert time.monotonic() < deadline
        time.sleep(0.1)


def told(keep: Any) -> None:
    print(os.getpid(), flush=True)
    orphan(lambda _: None)


def _zombie(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat", encoding="ascii") as opened:
            return opened.read().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_isolated_and_not_give_the_same_document() -> None:
    law, assume = "z''+d*z'+a*z+b*z**3=0", ["b != 0"]
    assert identify.analyze(law, assume, isolated=True) == identify.analyze(law, assume)
    read = read_law(law, assume)
    assert identify.analyze(read, isolated=True).parameters["b"].status == "sign"


SLOW = "z'' = " + " + ".join(f"a{i}*z**{i}/(1+b{i}*z**{i + 1})" for i in range(1, 6))


def test_an_ended_analysis_has_the_shape_of_any_other() -> None:
    """The document says undecided, keeps the law, can be read back, and the checker finds no fault in it."""
    analysis = identify.analyze(SLOW, timeout=0.01, isolated=True)
    assert analysis.outcome == "undecided"
    assert analysis.undecided_because == "the time given was not enough"
    document = json.loads(analysis.to_json())
    assert document.keys() == identify.analyze("z''+a*z=0").to_dict().keys()
    assert identify.Analysis.from_dict(document) == analysis
    assert identify.verify(document).ok


PATHOLOGICAL = {
    "high powers": "z'' = a*z**63 + b*z**62 + c*z**61 + d*z**17*z' + e*z",
    "powers of sums": "z'' = (a*z+b)**20*(c*z+d)**19/(e*z+f)**21",
    "tower": "z'' = ((z**2+a)**3+b)**3*k + c",
    "many parameters": "z'' = " + " + ".join(f"a{i}*z**{i % 40}" for i in range(150)),
    "nested": "z'' = " + "sqrt(a+" * 12 + "z" + ")" * 12,
    "giant rationals": "z'' = (" + "7" * 39 + "/" + "3" * 38 + "*a*z**9 - b/" + "9" * 37 + ")**3",
    "dense product": "z'' = (a*z+b*z**2+c)**6*(d*z+e*z**3+f)**6 - (a+b+c+d+e+f)**9*z**2",
    "trigonometric mixture": "z'' = a*sin(k*z)**5*cos(z)**7 + b*exp(z)*sinh(c*z)**3 + z**9",
    "roots of fractions": "z'' = (a+b/(c+d/(e+f/(g+z))))**(7/3) + k*z'*abs(z')",
    "canonical": "z'' = z'**2*(a*z**5+b)/(c*z**7+d*z**3+e) + f*z**9 + g",
}


@pytest.mark.parametrize("law", PATHOLOGICAL.values(), ids=PATHOLOGICAL.keys())
def test_pathological_laws_end_in_time_and_memory(law: str) -> None:
    """Half a second given: an answer, a refusal or undecided, soon after."""
    start = time.monotonic()
    try:
        analysis = identify.analyze(law, timeout=0.5, memory=400, isolated=True)
        assert analysis.outcome in {"done", "undecided", "unsupported"}
    except (InputError, BudgetExceeded):
        pass
    assert time.monotonic() - start < 0.5 + GRACE + SLACK
