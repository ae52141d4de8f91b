"""Published files, brought once by ``npm`` and ``pip`` and kept in the user's cache folder."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from identify.errors import InputError
from identify.page.pins import PLATFORM, PYTHON, Pin

_TIMEOUT = 600  # seconds for one package of at most a few megabytes
_ONCE = "building the page needs the npm and Python package registries once; connect and try again"


def cache_folder() -> Path:
    """Where fetched and built files are kept, by the custom of the system."""
    from identify.families.cache import default_folder

    folder = default_folder()
    if folder is None:
        raise InputError(
            "there is no folder to keep the page's parts in", hint="set the variable XDG_CACHE_HOME"
        )
    return folder.parent / "page"


def fetched(pin: Pin, folder: Path) -> Path:
    """The pinned file in ``folder``, brought from its registry if needed; its hash is always checked."""
    path = folder / pin.file
    if not path.is_file():
        _bring(pin, path)
    if hashlib.sha256(path.read_bytes()).hexdigest() != pin.sha256:
        path.unlink(missing_ok=True)
        raise InputError(
            f"{pin.file} is not the published file: its hash differs",
            hint="it was deleted; run the command again, and look at the registry settings if that repeats",
        )
    return path


def _bring(pin: Pin, path: Path) -> None:
    """Download beside the final place and rename, so that no partial file is ever used."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".fetch-") as folder:
        _run(pin, _command(pin, folder), folder)
        found = Path(folder) / pin.file
        if not found.is_file():
            raise InputError(f"{pin.source} did not bring {pin.file}", hint=_ONCE)
        os.replace(found, path)


def _command(pin: Pin, folder: str) -> list[str]:
    if pin.source == "npm":
        return [program("npm"), "pack", pin.requirement, "--pack-destination", folder, "--loglevel", "error"]
    target = ["--platform", PLATFORM, "--python-version", PYTHON, "--only-binary=:all:"]
    quiet = ["--quiet", "--disable-pip-version-check", "--no-deps", "--dest", folder]
    return [sys.executable, "-m", "pip", "download", *quiet, *target, pin.requirement]


def program(name: str) -> str:
    """The path of ``npm`` or ``node``; InputError where it is not installed."""
    found = shutil.which(name)
    if found is None:
        raise InputError(
            f"building the page needs the program {name}, which is not installed",
            hint="install Node.js 20 or newer, which brings node and npm; the built page needs neither",
        )
    return found


def _run(pin: Pin, command: list[str], folder: str) -> None:
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=_TIMEOUT)
    except subprocess.TimeoutExpired:
        raise InputError(f"{pin.source} did not bring {pin.requirement} in time", hint=_ONCE) from None
    if done.returncode != 0:
        said = next((line for line in reversed(done.stderr.splitlines()) if line.strip()), "no reason given")
        raise InputError(f"{pin.source} could not bring {pin.requirement}: {said.strip()[:300]}", hint=_ONCE)
