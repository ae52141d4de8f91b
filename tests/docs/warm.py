"""A warm ``identify`` for the blocks of the pages: the libraries are loaded once, each command is a fork.

Loading sympy, scipy and torch takes one to four seconds, which the some sixty commands of the documentation
would each pay again. ``python warm.py SOCKET`` serves; ``python warm.py SOCKET PROGRAM ARGUMENT...`` is the
program of that name as the blocks see it: same folder, environment, streams and exit code.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PRELOADED = (
    "sympy",
    "identify.engine",
    "scipy.integrate",
    "scipy.optimize",
    "torch",
    "av",
    "matplotlib.pyplot",
)
_ENOUGH = 1_000_000


@contextmanager
def programs(place: Path, environment: dict[str, str]) -> Iterator[Path]:
    """A folder with the programs ``identify`` and ``python``, served while the context lasts."""
    address = place / "warm.sock"
    server = subprocess.Popen([sys.executable, __file__, str(address)], env=environment)
    try:
        while not address.exists() and server.poll() is None:
            time.sleep(0.05)
        for name in ("identify", "python"):
            program = place / name
            program.write_text(
                f'#!/bin/sh\nexec "{sys.executable}" -ISE "{__file__}" "{address}" {name} "$@"\n'
            )
            program.chmod(0o755)
        yield place
    finally:
        server.terminate()
        server.wait()


def serve(address: str) -> None:
    """Fork for each request; ends with SIGTERM."""
    import importlib

    for name in PRELOADED:
        importlib.import_module(name)
    signal.signal(signal.SIGCHLD, _reap)
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(address)
        door.listen()
        while True:
            client, _ = door.accept()
            if os.fork() == 0:
                door.close()
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                os._exit(_answer(client))
            client.close()


def _reap(*_: object) -> None:
    """Wait for whoever has ended, so that its time is counted."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _answer(client: socket.socket) -> int:
    """Take over the client's streams, folder and environment, run its program, send back the exit code."""
    import json

    message, streams, *_ = socket.recv_fds(client, _ENOUGH, 3)
    asked = json.loads(message)
    for target, stream in enumerate(streams):
        os.dup2(stream, target)
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    code = 1
    try:
        _run(asked["program"], asked["arguments"])
        code = 0
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else int(bool(leaving.code))
    except BaseException:  # noqa: BLE001 - whatever a program ends with, its own process would show it
        import traceback

        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    client.sendall(str(code).encode())
    return 0


def _run(program: str, arguments: list[str]) -> None:
    if program == "identify":
        sys.argv = [program, *arguments]
        from identify.command import main

        main()
    elif arguments[0] == "-c":
        sys.argv = ["-c", *arguments[2:]]
        exec(compile(arguments[1], "<block>", "exec"), {"__name__": "__main__"})
    else:
        import runpy

        sys.argv = arguments
        sys.path.insert(0, str(Path(arguments[0]).resolve().parent))
        runpy.run_path(arguments[0], run_name="__main__")


def ask(address: str, program: str, arguments: list[str]) -> int:
    """Have the server run the program; the exit code is its own."""
    import json

    asked = {
        "program": program,
        "arguments": arguments,
        "folder": os.getcwd(),
        "environment": dict(os.environ),
    }
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(address)
        socket.send_fds(line, [json.dumps(asked).encode()], [0, 1, 2])
        return int(line.recv(16) or b"1")


if __name__ == "__main__":
    if len(sys.argv) == 2:
        serve(sys.argv[1])
    else:
        sys.exit(ask(sys.argv[1], sys.argv[2], sys.argv[3:]))
