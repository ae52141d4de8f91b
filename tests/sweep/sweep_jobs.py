"""Cheap jobs for the tests of the runner; workers import them by name."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from identify.errors import InputError


def square(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Leaves a line in ``log`` whenever it is done, and prints where answers go."""
    print("not an answer")
    time.sleep(settings.get("seconds", 0))
    with Path(settings["log"]).open("a") as file:
        file.write(f"{settings['number']}\n")
    return {
        "square": settings["number"] ** 2,
        "nothing": float("nan"),
        "threads": os.environ["OMP_NUM_THREADS"],
    }


def refuse(settings: Mapping[str, Any]) -> dict[str, Any]:
    raise InputError("this cannot be done", hint="do something else")


def stumble(settings: Mapping[str, Any]) -> dict[str, Any]:
    raise ZeroDivisionError("one over nothing")


def die(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Is killed ``times`` times; every attempt leaves a line in ``log``."""
    log = Path(settings["log"])
    with log.open("a") as file:
        file.write("attempt\n")
    if len(log.read_text().splitlines()) <= settings["times"]:
        os.kill(os.getpid(), signal.SIGKILL)
    return {"square": 0}


def wait(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Tells its process, then sleeps; the second attempt does not."""
    log = Path(settings["log"])
    first = not log.exists()
    with log.open("a") as file:
        file.write(f"{os.getpid()}\n")
    if first:
        time.sleep(60)
    return {"square": 1}


def hang(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Inside a library that holds the interpreter and hears no signal of Python."""
    from flint import fmpz

    with Path(settings["log"]).open("a") as file:
        file.write(f"{os.getpid()}\n")
    ((fmpz(2) ** 607 - 1) * (fmpz(2) ** 521 - 1)).factor()
    return {}
