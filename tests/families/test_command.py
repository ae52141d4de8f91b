"""The commands: exit codes, formats, processes, what is loaded, and the folder that init makes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from identify.checked import Checked, CheckReport, Finding
from identify.command import main
from identify.families import workers
from identify.families.task import Task
from identify.report.check import render_check
from tests.families.samples import DUFFING

ROOT = Path(__file__).parent.parent.parent
WRONG = DUFFING.replace("name: sample", "name: wrong").replace("b: sign}", "b: identified}")
BAD = DUFFING.replace("name: sample", "name: bad").replace("title:", "titel:")

Run = Callable[..., int]
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def identify() -> Run:
    """Run the program with these arguments and return its exit code."""

    def run(*arguments: str) -> int:
        with pytest.raises(SystemExit) as leaving:
            main(arguments)
        return int(leaving.value.code or 0)

    return run


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place with one family that passes; the cache is inside it."""
    (tmp_path / "families").mkdir()
    (tmp_path / "families" / "sample.yaml").write_text(DUFFING)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


def test_codes_places_and_the_cache(folder: Path, identify: Run, capsys: Capture) -> None:
    """0, then 1 with a file that differs, then 2 with one that cannot be read; unchanged files are cached."""
    assert identify("check", "families") == 0
    assert "1 family: 1 passed" in capsys.readouterr().out
    (folder / "families" / "wrong.yaml").write_text(WRONG)
    assert identify("check", "families/*.yaml", "--jobs", "2") == 1
    out = capsys.readouterr().out
    assert "families/wrong.yaml:14:49: differs: `b` was claimed identified; it scales as 1/lambda**2" in out
    assert "1 from the cache" in out
    (folder / "families" / "bad.yml").write_text(BAD)
    assert identify("check", "families", "families/sample.yaml") == 2
    out = capsys.readouterr().out
    assert "families/bad.yml:3:1: cannot be read: unknown key 'titel'" in out
    assert "did you mean 'title'?" in out
    assert "3 families" in out


def test_update_repairs_and_says_so(folder: Path, identify: Run, capsys: Capture) -> None:
    path = folder / "wrong.yaml"
    path.write_bytes(WRONG.replace("\n", "\r\n").encode())
    assert identify("check", "--update", "wrong.yaml") == 0
    assert "updated: wrong.yaml: parameters" in capsys.readouterr().err
    expected = WRONG.replace("b: identified}", "b: sign}      ")  # the comment keeps its column
    assert path.read_bytes() == expected.replace("\n", "\r\n").encode()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere"], "no file or folder nowhere"),
        (["empty"], "no .yaml files"),
        (["families", "--timeout", "0"], "positive number"),
        (["families", "--cache", "x", "--no-cache"], "contradict"),
    ],
)
def test_bad_arguments(
    folder: Path, identify: Run, capsys: Capture, arguments: list[str], words: str
) -> None:
    (folder / "empty").mkdir()
    assert identify("check", *arguments) == 2
    assert words in capsys.readouterr().err


def test_a_one_megabyte_file_and_an_alias_bomb(folder: Path, identify: Run, capsys: Capture) -> None:
    (folder / "large.yaml").write_text("name: large\n" + "# padding\n" * 110_000)
    bomb = "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 10))
    (folder / "bomb.yaml").write_text(f"name: bomb\na0: &a0 [x]\n{bomb}")
    assert identify("check", "large.yaml", "bomb.yaml") == 2
    out = capsys.readouterr().out
    assert "large.yaml:1:1: cannot be read: the file has 1,100,012 bytes" in out
    assert "bomb.yaml:2:5: cannot be read: an anchor" in out


def test_a_process_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The limit counts from when the engine is loaded; the next task gets a fresh process."""
    monkeypatch.setattr(workers, "GRACE", 0.0)
    slow = Task(str(tmp_path / "sample.yaml"), DUFFING.encode(), 0.0001)
    bad = Task(str(tmp_path / "bad.yaml"), BAD.encode(), 60)
    found = dict(workers.run([slow, bad], 1))
    first, second = found[0][0], found[1][0]
    assert (first.outcome, first.findings[0].line) == ("undecided", 5)
    assert "time" in first.findings[0].message
    assert second.outcome == "invalid"


def test_a_law_that_takes_too_long_exits_with_three(folder: Path, identify: Run, capsys: Capture) -> None:
    assert identify("check", "families", "--timeout", "0.001", "--no-cache") == 3
    assert "families/sample.yaml:" in capsys.readouterr().out


REPORT = CheckReport(
    (
        Checked("a b/good.yaml", "good", "passed", (), 0.1),
        Checked(
            "wrong,1.yaml",
            "wrong",
            "failed",
            (Finding("difference", "50% <b> & \n::error::injected", 3, 4, "expect.route", "do\x00this"),),
            0.2,
        ),
        Checked("open.yaml", "open", "undecided", (Finding("undecided", "too long", 5, 6),), 0.3),
    ),
    1.5,
)


def test_github_cannot_be_injected_into() -> None:
    lines = render_check(REPORT, "github").splitlines()
    assert lines[0].startswith("::error file=wrong%2C1.yaml,line=3,col=4,title=identify%3A wrong::50%25 <b>")
    assert not any(line.startswith("::error::") for line in lines)
    assert lines[1].startswith("::warning file=open.yaml")


def test_junit_is_xml() -> None:
    suite = ElementTree.fromstring(render_check(REPORT, "junit"))[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("3", "1", "1")
    assert suite[1][0].tag == "failure"


def test_sarif_points_at_the_place() -> None:
    run = json.loads(render_check(REPORT, "sarif"))["runs"][0]
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "wrong%2C1.yaml"
    assert place["region"] == {"startLine": 3, "startColumn": 4}
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert [rules[result["ruleIndex"]] for result in run["results"]] == ["difference", "undecided"]


def test_json_has_codes_and_counts() -> None:
    document = json.loads(render_check(REPORT, "json"))
    assert (document["schema"], document["exit_code"]) == ("identify/check/1", 1)
    assert document["counts"] == {"passed": 1, "failed": 1, "invalid": 0, "undecided": 1}
    assert Checked.from_dict(document["files"][1]) == REPORT.results[1]


def test_what_weighs_most_decides_the_code() -> None:
    def code(*outcomes: str) -> int:
        return CheckReport(tuple(Checked("", "", o, (), 0) for o in outcomes), 0).exit_code  # type: ignore[arg-type]

    assert [code(), code("passed"), code("passed", "undecided")] == [0, 0, 3]
    assert [code("undecided", "failed"), code("failed", "invalid", "undecided")] == [1, 2]


def run(code: str, place: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(place / "cache")}
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=place, env=environment)


def test_the_cached_path_and_the_help_load_nothing_heavy(folder: Path) -> None:
    code = (
        "import sys\nfrom identify.command import main\n"
        "try: main()\nexcept SystemExit as leaving: print(leaving.code)\n"
        "print('LOADED', *(m for m in ('sympy', 'torch', 'numpy', 'mpmath', 'ruamel') if m in sys.modules))"
    )
    assert run(code, folder, "check", "families").returncode == 0
    done = run(code, folder, "check", "families")
    assert "1 from the cache" in done.stdout
    assert done.stdout.splitlines()[-1].strip() == "LOADED"
    for command in ("check", "families", "init", "analyze"):
        assert run(code, folder, command, "--help").stdout.splitlines()[-1].strip() == "LOADED"


def test_init_writes_what_passes(folder: Path, identify: Run, capsys: Capture) -> None:
    assert identify("init", "new/my-law.yaml") == 0
    assert identify("init", "new/my-law.yaml") == 2
    assert "exists already" in capsys.readouterr().err
    assert identify("init", "lab", "--law", "m*q'' + k*q = 0") == 0
    assert identify("init", "My Law.yaml") == 2
    assert "call it my-law" in capsys.readouterr().err
    assert identify("check", "new", "lab") == 0
    assert (folder / "lab" / ".github" / "workflows" / "identify.yml").exists()


def test_analyze_takes_a_family_and_a_requirement(folder: Path, identify: Run, capsys: Capture) -> None:
    family = ["analyze", "--family", "families/sample.yaml"]
    assert identify(*family, "--require", "d, a") == 0
    assert "given b > 0" in capsys.readouterr().out
    assert identify(*family, "--require", "d,b,aa") == 1
    err = capsys.readouterr().err
    assert "not met: `b` is required to be identified; it scales as 1/lambda**2" in err
    assert "did you mean 'a'?" in err
    assert identify(*family, "z''=a") == 2
    assert identify("analyze") == 2
    assert identify("analyze", "--family", "no-such-family") == 2


def test_a_file_that_cannot_be_opened(tmp_path: Path, identify: Run, capsys: Capture) -> None:
    (tmp_path / "loop.yaml").symlink_to(tmp_path / "loop.yaml")
    assert identify("check", str(tmp_path / "loop.yaml")) == 2
