"""A deadline that long computations ask about."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from identify.errors import BudgetExceeded

_LONGEST = 1e6  # seconds: no system has a timer for longer


@dataclass(frozen=True)
class Budget:
    """A point in time (monotonic seconds) after which the answer is "undecided".

    ``processor`` is a further end in seconds of processor time, for parts of the work: what a part finds then
    does not depend on what else the machine does.
    """

    deadline: float
    processor: float = math.inf

    @classmethod
    def seconds(cls, seconds: float) -> Budget:
        """The budget that ends ``seconds`` from now."""
        return cls(time.monotonic() + min(seconds, _LONGEST))

    def check(self, during: str) -> None:
        """Raise BudgetExceeded, naming the step, when the time is over."""
        if time.monotonic() > self.deadline or time.process_time() > self.processor:
            raise BudgetExceeded(f"time ran out while {during}")

    def part(self, seconds: float) -> Budget:
        """The budget that ends after ``seconds`` of work, or with this one if that is sooner."""
        return Budget(self.deadline, min(self.processor, time.process_time() + seconds))

    @contextmanager
    def enforced(self) -> Iterator[None]:
        """Raise BudgetExceeded at the deadline, in the middle of any Python computation.

        Works in the main thread of systems with interval timers; elsewhere only ``check`` stops.
        """
        if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
            yield
            return

        def stop(number: int, frame: object) -> None:
            raise BudgetExceeded("the time given was not enough")

        before = signal.signal(signal.SIGALRM, stop)
        signal.setitimer(signal.ITIMER_REAL, max(self.deadline - time.monotonic(), 1e-3), 0.2)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
