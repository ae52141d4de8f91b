"""The four commands: exit codes, documents, pictures, and what they say about bad input."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent.parent
DRAG = "q'' = -k*q - delta*q' - kappa*q'*abs(q')"
DRAG_VALUES = "k=0.8,delta=0.18,kappa=0.22"
Run = Callable[..., int]


@pytest.mark.parametrize(
    "name", ["one-way-1", "one-way-3", "one-way-6", "two-way-1", "two-way-2", "two-way-3"]
)
def test_coverage_of_the_papers_designs(
    identify: Run, designs: ModuleType, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes], name: str
) -> None:
    file = tmp_path / f"{name}.csv"
    designs.write(file, designs.clips(designs.crossing_velocities(0)[name]))
    picture = tmp_path / "phase.png"
    asked = ("--law", DRAG, "--interval=-0.2,0.2", "--levels", "21")
    code = identify("coverage", str(file), *asked, "--json", "--plot", str(picture))
    document = json.loads(capsysbinary.readouterr().out)
    assert document["schema"] == "identify/coverage/1"
    assert document["least_rank"] == designs.RANKS[name]
    assert document["needed_rank"] == 4
    assert document["tolerance"]["level"] == 0
    assert len(document["levels"]) == 21
    assert code == (0 if designs.RANKS[name] == 4 else 1)
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_coverage_by_simulation(identify: Run, capsys: pytest.CaptureFixture[str]) -> None:
    law = ("--law", "z''+a*z=0", "--parameters", "a=1")
    assert identify("coverage", *law, "--initial", "1,0", "--interval", "-0.5,0.5") == 1
    assert "at most 2 different velocities" in capsys.readouterr().out.replace("\n ", " ")
    assert identify("coverage", *law, "--initial", "1,0", "--initial", "2,0", "--interval", "-0.5,0.5") == 0
    assert identify("coverage", *law, "--initial", "1,0", "--initial", "2,0") == 0


def test_no_theorem_is_undecided(identify: Run, capsys: pytest.CaptureFixture[str]) -> None:
    law = ("--law", "z''=-a*z-c*sign(z')", "--parameters", "a=1,c=0.1", "--initial", "1,0")
    assert identify("coverage", *law) == 3
    assert "Undecided" in capsys.readouterr().out
    assert identify("plan", "z''=-a*z-c*sign(z')", "--parameters", "a=1,c=0.1") == 3


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("coverage",), "--law"),
        (("coverage", "--law", "z''+a*z=0"), "--parameters"),
        (
            ("coverage", "--law", "z''+a*z=0", "--parameters", "a=1,b=2", "--initial", "1,0"),
            "no parameter 'b'",
        ),
        (("coverage", "--law", "z''+a*z=0", "--parameters", "", "--initial", "1,0"), "no value for a"),
        (("coverage", "--law", "z''+a*z=0", "--parameters", "a=1", "--initial", "1"), "needs 2 numbers"),
        (("coverage", "--law", "z''+a*z=0", "--parameters", "a=x", "--initial", "1,0"), "unknown name"),
        (
            ("coverage", "--law", "z''+a*z=0", "--assume", "a>0", "--parameters", "a=-1", "--initial", "1,0"),
            "break the assumption",
        ),
        (("coverage", "none.csv", "--law", "z''+a*z=0"), "cannot read"),
        (("coverage", "none.csv", "--law", "z''+a*z=0", "--interval", "1,0"), "interval is empty"),
        (("coverage", "none.csv", "--law", "z''+"), ""),
        (("coverage", "none.csv", "--law", "z''+a*z=0", "--columns", "speed=v"), "--columns"),
        (("alias", "z''+a*z=0", "--two-slope", "--one-way"), "contradict"),
        (("alias", "z''+a*z=0", "--two-slope", "--map", "z**2"), "monotone"),
        (("bounds",), "nothing is known"),
        (("bounds", "--velocities", "1,1,2", "--residual", "1"), "three different"),
        (("bounds", "none.csv"), "--law and --parameters"),
    ],
)
def test_bad_input(
    identify: Run, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], says: str
) -> None:
    assert identify(*arguments) == 2
    shown = capsys.readouterr()
    assert says in shown.err
    assert shown.out == ""


def test_plan(identify: Run, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    picture = tmp_path / "plan.png"
    asked = ("--parameters", DRAG_VALUES, "--interval=-0.2,0.2", "--levels", "7", "--duration", "2")
    assert identify("plan", DRAG, *asked, "--json", "--plot", str(picture)) == 0
    document = json.loads(capsysbinary.readouterr().out)
    assert document["schema"] == "identify/plan/1"
    assert document["reached"] is True
    assert document["after"]["least_rank"] == 4
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert identify("plan", DRAG, *asked, "--one-way") == 1
    assert b"one-way motion cannot" in capsysbinary.readouterr().out


def test_alias(identify: Run, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    picture = tmp_path / "alias.png"
    law = ("z''+d*z'+a*z+b*z**3=0", "--assume", "b != 0", "--parameters", "d=0.2,a=1,b=0.5")
    assert identify("alias", *law, "--json", "--plot", str(picture)) == 0
    document = json.loads(capsysbinary.readouterr().out)
    assert document["schema"] == "identify/alias/1"
    assert document["verified"] is True
    assert document["difference"] <= 1e-9
    assert document["report"]["d"] == document["truth"]["d"]
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert identify("alias", *law, "--parameter", "a") == 0
    assert b"There is no alias" in capsysbinary.readouterr().out


def test_alias_without_coverage(identify: Run, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    law = (DRAG, "--parameters", DRAG_VALUES, "--one-way", "--interval=-0.2,0.2", "--map", "q+5*q**3")
    assert identify("alias", *law, "--json") == 0
    assert json.loads(capsysbinary.readouterr().out)["kind"] == "one-way"
    assert identify("alias", "z''+z=0", "--two-slope") == 0
    assert b"Two laws, one video" in capsysbinary.readouterr().out


def test_bounds(identify: Run, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    given = ("--residual", "1e-3", "--velocities=-1,0,1", "--interval=-1,1", "--slope", "0.5")
    assert identify("bounds", *given, "--json") == 0
    document = json.loads(capsysbinary.readouterr().out)
    assert document["schema"] == "identify/bounds/1"
    assert document["exact_level"]["curvature"] == pytest.approx(3e-3)
    assert document["exact_level"]["affine"] == pytest.approx(6e-3)
    assert identify("bounds", "--residual", "1e-3") == 1
    assert b"missing" in capsysbinary.readouterr().out


def test_a_picture_that_cannot_be_written(identify: Run, tmp_path: Path) -> None:
    law = ("--law", "z''+a*z=0", "--parameters", "a=1", "--initial", "1,0")
    assert identify("coverage", *law, "--plot", str(tmp_path / "none" / "phase.png")) == 2


def test_missing_extra_answers_with_the_install_line() -> None:
    code = (
        "import sys; sys.modules['numpy'] = None\n"
        "import importlib.util as u; find = u.find_spec\n"
        "u.find_spec = lambda name, *rest: None if name == 'numpy' else find(name, *rest)\n"
        "from identify.command import main\nmain()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "coverage", "--law", "z''+a*z=0"],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert done.returncode == 3
    assert 'pip install "identify-ode[fit]"' in done.stderr
    assert "Traceback" not in done.stderr
