"""Full disks, forbidden folders, odd paths, no home: a clear error and exit code 2, and nothing is lost."""

from __future__ import annotations

import builtins
import errno
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from identify.command import main
from tests.report.samples import CUBIC

ROOT = Path(__file__).resolve().parents[2]
LAW = "z''+a*z=0"
ODD = "fehler ü 漢 '\" $(x) #%&;"

Capture = pytest.CaptureFixture[str]


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as leaving:
        main(arguments)
    return int(leaving.value.code or 0)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A recorded answer instead of the engine's."""
    monkeypatch.setattr("identify.engine.analyze", lambda *_, **__: CUBIC)


@pytest.fixture
def old(tmp_path: Path) -> Path:
    file = tmp_path / ODD / "answer.json"
    file.parent.mkdir()
    file.write_text("old")
    return file


def refused(code: int, capsys: Capture, *words: str) -> None:
    """Exit code 2 and a short message without a traceback."""
    out, err = capsys.readouterr()
    assert code == 2
    assert out == ""
    assert "Traceback" not in err
    assert "internal error" not in err
    assert any(word in err for word in words), err


@pytest.mark.usefixtures("quick")
def test_odd_paths_work(old: Path, capsys: Capture) -> None:
    assert run("analyze", LAW, "--json", "-o", str(old)) == 0
    assert json.loads(old.read_text())["schema"] == "identify/analysis/1"
    family = old.parent / "my law.yaml"
    assert run("init", str(family)) in (0, 2)  # a name with a space may be refused, but clearly
    assert "Traceback" not in capsys.readouterr().err


REFUSALS = {
    "full": OSError(errno.ENOSPC, "No space left on device"),
    "quota": OSError(errno.EDQUOT, "Disk quota exceeded"),
    "read-only": OSError(errno.EROFS, "Read-only file system"),
    "forbidden": PermissionError(errno.EACCES, "Permission denied"),
    "broken": OSError(errno.EIO, "Input/output error"),
}


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("where", ["mkstemp", "write", "replace"])
@pytest.mark.parametrize("error", REFUSALS.values(), ids=REFUSALS.keys())
def test_a_write_that_fails_leaves_the_old_file(
    monkeypatch: pytest.MonkeyPatch, old: Path, capsys: Capture, where: str, error: OSError
) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise error

    places = {"mkstemp": (tempfile, "mkstemp"), "write": (Path, "write_bytes"), "replace": (os, "replace")}
    monkeypatch.setattr(*places[where], fail)
    code = run("analyze", LAW, "--json", "-o", str(old))
    monkeypatch.undo()
    refused(code, capsys, str(error.strerror))
    assert old.read_text() == "old"
    assert [path.name for path in old.parent.iterdir()] == [old.name]


@pytest.mark.parametrize(
    "arguments",
    [("verify", "{}"), ("check", "{}", "--no-cache"), ("analyze", "--family", "{}"), ("families", "{}")],
    ids=lambda a: a[0],
)
def test_a_file_one_may_not_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Capture, arguments: tuple[str, ...]
) -> None:
    """Permissions are simulated: the superuser of a container may read everything."""
    file = tmp_path / "secret.yaml"
    file.write_text("name: secret")
    open_, path_open = builtins.open, Path.open

    def guard(function: Callable[..., Any]) -> Callable[..., Any]:
        def opened(path: Any, *rest: Any, **more: Any) -> Any:
            if str(path) == str(file):
                raise PermissionError(errno.EACCES, "Permission denied", str(file))
            return function(path, *rest, **more)

        return opened

    monkeypatch.setattr(builtins, "open", guard(open_))
    monkeypatch.setattr(Path, "open", guard(path_open))
    code = run(*(a.format(file) for a in arguments))
    out, err = capsys.readouterr()
    assert code == 2
    assert "Permission denied" in out + err
    assert "Traceback" not in err


def test_no_home_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """A user without a home has no cache, and that is all."""
    from identify.families.cache import Cache, default_folder

    def none(cls: type[Path]) -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", classmethod(none))
    assert default_folder() is None
    assert Cache(default_folder()).get("a.yaml", b"") is None


def program(*arguments: str, **more: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "identify", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        command, text=True, check=False, env=environment, timeout=300, stderr=subprocess.PIPE, **more
    )


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
@pytest.mark.parametrize("arguments", [("--help",), ("families", "--schema")], ids=["help", "schema"])
def test_a_full_standard_output_is_told(arguments: tuple[str, ...]) -> None:
    with open("/dev/full", "w") as full:
        ended = program(*arguments, stdout=full)
    assert ended.returncode == 2
    assert "No space left" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_disk_that_fills_up_while_writing(old: Path) -> None:
    """The kernel refuses what goes beyond 2,000 bytes: the file stays the old one, nothing is left behind."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

    ended = program("analyze", LAW, "--json", "-o", str(old), stdout=subprocess.PIPE, preexec_fn=limit)
    assert ended.returncode == 2
    assert "cannot write" in ended.stderr
    assert old.read_text() == "old"
    assert [path.name for path in old.parent.iterdir()] == [old.name]


def test_kill_at_random_moments(tmp_path: Path) -> None:
    """A few moments; ``faults.py`` has 200 and whole commands."""
    pytest.importorskip("scipy")
    from tests.hardening.faults import one_file, run_folder

    for told in (one_file(tmp_path, 8), run_folder(tmp_path, 8)):
        assert told.moments == 8
        assert not told.failures


def test_a_torn_file_would_be_noticed(tmp_path: Path) -> None:
    """The same test on a writer that is not atomic fails."""
    from tests.hardening.faults import killed_writes

    file, contents = tmp_path / "torn.txt", ("a" * 3_000_000, "b" * 5_000_000)
    told = killed_writes(
        "torn",
        lambda n: file.write_text(contents[n % 2]) and None,
        lambda: None if file.read_text() in contents else "torn",
        40,
    )
    assert told.failures


def test_a_closed_standard_input_is_told() -> None:
    command = [sys.executable, "-c", "from identify.command import main; main(['verify', '-'])"]
    ended = subprocess.run(
        ["bash", "-c", 'exec "$@" <&-', "bash", *command],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert ended.returncode == 2
    assert "standard input is closed" in ended.stderr


def test_a_terminal_of_no_width_is_taken_for_a_narrow_one(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    texts = []
    for columns in ("0", "1", "20"):
        monkeypatch.setenv("COLUMNS", columns)
        assert run("families") == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1] == texts[2]
    assert "cubic" in texts[0]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are listed in /proc")
def test_terminated_it_takes_its_workers_with_it(tmp_path: Path) -> None:
    """SIGTERM: exit code 143 at once, no process left, and no traceback."""
    law = "z'' = " + " + ".join(f"a{i}*z**{i}/(1+b{i}*z**{i + 1})" for i in range(1, 6))
    with subprocess.Popen(
        [sys.executable, "-m", "identify", "analyze", law, "--timeout", "60"],
        env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        deadline = time.monotonic() + 120
        while not (found := children.read_text().split() if children.exists() else []):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        process.terminate()
        _, err = process.communicate(timeout=60)
    assert process.returncode == 143
    assert err == ""
    assert not Path(f"/proc/{found[0]}").exists()
