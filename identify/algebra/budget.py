"""A deadline that long computations ask about."""

from __future__ import annotations

import time
from dataclasses import dataclass

from identify.errors import BudgetExceeded


@dataclass(frozen=True)
class Budget:
    """A point in time (monotonic seconds) after which the answer is "undecided"."""

    deadline: float

    @classmethod
    def seconds(cls, seconds: float) -> Budget:
        """The budget that ends ``seconds`` from now."""
        return cls(time.monotonic() + seconds)

    def check(self, during: str) -> None:
        """Raise BudgetExceeded, naming the step, when the time is over."""
        if time.monotonic() > self.deadline:
            raise BudgetExceeded(f"time ran out while {during}")

    def part(self, seconds: float) -> Budget:
        """The budget that ends after ``seconds``, or with this one if that is sooner."""
        return Budget(min(self.deadline, time.monotonic() + seconds))
