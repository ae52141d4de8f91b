"""Times of frames as they are decoded: strictly increasing; what had to be repaired or dropped is counted."""

from __future__ import annotations

_RESTART = 10.0  # a step back by more frames than this is a clock that started again, not a stray stamp


class Clock:
    """File times of successive frames; None for a frame that has to be dropped.

    ``step`` is the usual time between frames, used where a frame has no time of its own.
    """

    def __init__(self, step: float) -> None:
        self.step = step
        self.last: float | None = None
        self.stray: float | None = None
        self.shift = 0.0
        self.timeless = self.dropped = self.restarts = 0

    def time(self, stamp: float | None) -> float | None:
        """The time of a frame whose container says ``stamp``."""
        if stamp is None:
            self.timeless += 1
            found = 0.0 if self.last is None else self.last + self.step
        else:
            found = stamp + self.shift
        if self.last is not None and found <= self.last:
            if not self._starts_again(found):
                self.dropped += 1
                return None
            self.shift += self.last + self.step - found
            found = self.last + self.step
        self.last = found
        return found

    def _starts_again(self, found: float) -> bool:
        """A second frame in a row that goes on from far back; a single one is a stray."""
        before, self.stray = self.stray, found
        assert self.last is not None
        if found > self.last - _RESTART * self.step or before is None:
            return False
        if not 0 < found - before < _RESTART * self.step:
            return False
        self.restarts, self.stray = self.restarts + 1, None
        return True

    def notes(self) -> list[str]:
        """What was repaired or dropped."""
        found = []
        if self.timeless:
            found.append(f"{self.timeless} frames without a time: spaced evenly after the one before")
        if self.dropped:
            found.append(f"{self.dropped} frames dropped: their time is not after the frame before")
        if self.restarts:
            found.append(f"times start again {self.restarts} times inside the clip: continued without a gap")
        return found
