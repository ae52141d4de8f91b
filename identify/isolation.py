"""Work in a process of its own, which is ended at a deadline or a memory limit whatever it is doing.

An interval timer stops Python between two instructions, and so never a factorisation inside flint; a
process can be killed.  It also takes the crash of a library upon itself.

    parent   waits for the answer, kills the process ``GRACE`` seconds after the time given
    worker   address space, processor time and core files bounded before the work begins

The memory limit is the kernel's (``RLIMIT_AS``): Linux keeps it, macOS may not, Windows has none.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from identify.errors import IdentifyError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

_LONGEST = 1e6  # seconds: no system waits for longer
GRACE = 2.0  # seconds beyond the time given, in which the work may stop by itself and say how far it got
MEMORY = 2048  # megabytes that the work may use beyond what the process has when it begins
LOADING = 60.0  # seconds for a new process to load the engine


@dataclass(frozen=True)
class Ended:
    """How the work ended: with its ``value``; or ``because`` of a limit, with the last value it kept."""

    value: Any = None
    because: str | None = None


def within(seconds: float, memory: int, work: Callable[..., Any], *arguments: Any) -> Ended:
    """``work(keep, *arguments)`` in a process of its own, over at the latest ``GRACE`` after ``seconds``.

    ``keep(value)`` hands in a value that stands if the work has to be ended.  What the work raises is
    raised here; more than ``memory`` megabytes, or a crash, end it as the deadline does.  A worker of a
    pool may have no process of its own: there ``keep`` is None, and the pool has to end the work.
    """
    import multiprocessing

    seconds = min(seconds, _LONGEST)
    if multiprocessing.current_process().daemon:
        return Ended(work(None, *arguments))
    with _process(seconds, memory, work, arguments) as pipe:
        return _listen(pipe, seconds, memory)


@contextmanager
def _process(
    seconds: float, memory: int, work: Callable[..., Any], arguments: tuple[Any, ...]
) -> Iterator[Connection]:
    import multiprocessing

    context: Any = multiprocessing.get_context("fork" if _may_fork() else "spawn")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_serve, args=(there, seconds, memory, work, arguments), daemon=True)
    process.start()
    there.close()
    try:
        yield here
    finally:
        here.close()
        process.kill()
        process.join()
        process.close()


def _may_fork() -> bool:
    """Forking saves loading the engine again; with other threads, or on other systems, it is not safe."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        return len(os.listdir("/proc/self/task")) == 1  # threads of libraries are told too
    except OSError:
        return False


def _listen(pipe: Connection, seconds: float, memory: int) -> Ended:
    kept: Any = None
    deadline = time.monotonic() + LOADING
    while pipe.poll(max(0.0, deadline - time.monotonic())):
        try:
            kind, value = pipe.recv()
        except (EOFError, OSError):
            return Ended(
                kept, f"the computation broke down; it may have needed more than {memory} MB of memory"
            )
        if kind == "begun":
            deadline = time.monotonic() + seconds + GRACE
        elif kind == "kept":
            kept = value
        elif kind == "memory":
            return Ended(kept, f"{memory} MB of memory were not enough")
        elif kind == "raised":
            raise value
        else:
            return Ended(value)
    return Ended(kept, "the time given was not enough")


def _serve(
    pipe: Connection, seconds: float, memory: int, work: Callable[..., Any], arguments: tuple[Any, ...]
) -> None:
    """The worker: bounded, silent, and deaf to the keyboard, which the parent listens to."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # where flint announces that it runs out of memory
    bound(memory, seconds + 2 * GRACE)
    pipe.send(("begun", None))
    try:
        answer = "done", work(lambda value: pipe.send(("kept", value)), *arguments)
    except MemoryError:
        answer = "memory", None
    except Exception as error:  # noqa: BLE001 - it is raised in the parent
        answer = "raised", _portable(error)
    pipe.send(answer)


def bound(memory: int, seconds: float | None = None) -> None:
    """Bound this process: megabytes beyond its present size, seconds of processor time, no core file.

    The bound on processor time ends a worker whose parent was killed.
    """
    try:
        import resource
    except ImportError:  # Windows
        return
    wanted, size = [(resource.RLIMIT_CORE, 0)], _size()
    if size:
        wanted.append((resource.RLIMIT_AS, size + memory * 1024**2))
    if seconds is not None:
        used = resource.getrusage(resource.RUSAGE_SELF)
        wanted.append((resource.RLIMIT_CPU, int(used.ru_utime + used.ru_stime + seconds) + 1))
    for kind, most in wanted:
        hard = resource.getrlimit(kind)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        with contextlib.suppress(ValueError, OSError):  # a system that does not keep this limit
            resource.setrlimit(kind, (most, most))


def _size() -> int:
    """The address space of this process in bytes; 0 where the system does not tell."""
    try:
        with open("/proc/self/statm", encoding="ascii") as told:
            return int(told.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0


def _portable(error: Exception) -> Exception:
    """The error, or one that says the same if it does not survive the way between processes."""
    import pickle
    import traceback

    if not isinstance(error, IdentifyError):
        error.add_note("".join(traceback.format_exception(error)))
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # noqa: BLE001 - an error may be anything
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
