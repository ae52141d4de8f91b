"""Progress on standard error, with the time left; silent where nobody watches."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


class Progress:
    """A callable (fraction, text); ``interrupted`` tells whether Ctrl-C was pressed meanwhile."""

    def __init__(self, shown: bool | None = None) -> None:
        self.interrupted = False
        self._patient = False
        self._shown = sys.stderr.isatty() if shown is None else shown
        self._bar: Any = None
        self._task: Any = None
        self._part = (0.0, 1.0)

    def __call__(self, fraction: float, text: str = "") -> None:
        low, high = self._part
        if self._bar is not None:
            done = low + (high - low) * min(max(fraction, 0.0), 1.0)
            self._bar.update(self._task, completed=done, **({"description": text} if text else {}))

    def part(self, low: float, high: float) -> Progress:
        """From here on fractions count inside this stretch of the whole."""
        self._part = low, high
        return self

    @contextmanager
    def patient(self) -> Iterator[None]:
        """Work that looks at ``interrupted`` and ends with what it has; a second Ctrl-C breaks it off."""
        self._patient = True
        try:
            yield
        finally:
            self._patient = False

    @contextmanager
    def watched(self) -> Iterator[Progress]:
        """The bar while the work goes on; Ctrl-C is remembered and still interrupts."""
        with self._signals():
            if not self._shown:
                yield self
                return
            from rich.console import Console
            from rich.progress import (
                BarColumn,
                TextColumn,
                TimeElapsedColumn,
                TimeRemainingColumn,
            )
            from rich.progress import (
                Progress as Bar,
            )

            columns = (
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                TimeElapsedColumn(),
                TextColumn("left"),
                TimeRemainingColumn(),
            )
            with Bar(*columns, console=Console(stderr=True), transient=True) as self._bar:
                self._task = self._bar.add_task("starting", total=1.0)
                try:
                    yield self
                finally:
                    self._bar = None

    @contextmanager
    def _signals(self) -> Iterator[None]:
        def remember(number: int, frame: FrameType | None) -> None:
            first, self.interrupted = not self.interrupted, True
            if not (first and self._patient):
                signal.default_int_handler(number, frame)
            if self._bar is not None:
                self._bar.update(self._task, description="finishing; Ctrl-C again breaks off")

        try:
            before = signal.signal(signal.SIGINT, remember)
        except ValueError:  # not the main thread: the caller handles signals
            yield
            return
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)
