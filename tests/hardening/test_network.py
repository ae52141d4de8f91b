"""No command speaks to a network: it is denied, and everything works as before."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

DENIED = """
import sys

SPOKEN = ("socket.connect", "socket.sendto", "socket.bind")
OTHERS = ("socket.getaddrinfo", "socket.gethostbyname", "urllib.Request", "http.client.connect")

def deny(event, arguments):
    if event in SPOKEN and isinstance(arguments[1], (str, bytes)):
        return  # between processes of this machine
    if event in SPOKEN or event in OTHERS:
        print("NETWORK", event, file=sys.stderr, flush=True)
        raise OSError("no network")

sys.addaudithook(deny)
"""
SESSION = """
import contextlib
from identify.command import main

def run(*arguments):
    try:
        main(arguments)
    except SystemExit as leaving:
        print(arguments[0], leaving.code, file=sys.stderr, flush=True)

law = "z''+d*z'+a*z=0"
run("analyze", law, "--json", "-o", "answer.json")
run("verify", "answer.json")
run("families")
run("init", "mine.yaml")
run("check", "mine.yaml", "--no-cache", "--jobs", "1")
"""
FITTING = """
values = ("--parameters", "d=0.2,a=9", "--initial", "0.8,0", "--duration", "1")
run("simulate", "clips", "--law", law, *values, "--size", "24")
run("plan", law, "--parameters", "d=0.2,a=9")
run("fit", "clips", "--law", law, "--dry-run")
"""


def session(code: str, folder: Path) -> list[str]:
    ended = subprocess.run(
        [sys.executable, "-c", DENIED + f"sys.path.insert(0, {str(ROOT)!r})\n" + code],
        cwd=folder, capture_output=True, text=True, timeout=600, check=True,
    )  # fmt: skip
    assert "NETWORK" not in ended.stderr
    assert "Traceback" not in ended.stderr
    return ended.stderr.splitlines()


def test_the_hook_denies() -> None:
    """The denial works: a connection is refused and noted."""
    code = DENIED + "import socket; socket.create_connection(('192.0.2.1', 80), 1)"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert "NETWORK socket" in ended.stderr


def test_analysing_needs_no_network(tmp_path: Path) -> None:
    lines = session(SESSION, tmp_path)
    for told in ("analyze 0", "verify 0", "families 0", "init 0", "check 0"):
        assert told in lines


def test_fitting_needs_no_network(tmp_path: Path) -> None:
    for library in ("torch", "av", "scipy", "matplotlib"):
        pytest.importorskip(library)
    lines = session(SESSION.split('run("analyze"')[0] + FITTING, tmp_path)
    assert "simulate 0" in lines
    assert any(line.startswith("fit ") for line in lines)


def test_a_film_that_is_a_playlist_calls_nobody(tmp_path: Path) -> None:
    """FFmpeg, which no hook of Python watches, is asked for files only."""
    pytest.importorskip("av")
    import socket

    from identify.fit.clips.folder import find_clips

    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        listening.settimeout(0.2)
        address = f"http://127.0.0.1:{listening.getsockname()[1]}/a.ts"
        text = f"#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\n{address}\n#EXT-X-ENDLIST\n"
        for name in ("a.mp4", "b.mkv", "c.avi", "d.mov"):
            (tmp_path / name).write_text(text)
        (tmp_path / "e.mp4").write_text(f"ffconcat version 1.0\nfile '{address}'\n")
        clips = find_clips(tmp_path)
        assert len(clips.skipped) == 5
        with pytest.raises(TimeoutError):
            listening.accept()
