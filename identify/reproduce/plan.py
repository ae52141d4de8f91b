"""What is asked of a reproduction: its size, its methods, where real clips are."""

from __future__ import annotations

import re
from dataclasses import dataclass

from identify.errors import InputError

METHODS = ("default", "paper")
_MOST = 1000


@dataclass(frozen=True)
class Cohort:
    """So many collections of initial states, each fitted with so many seeds."""

    collections: int
    seeds: int

    def pairs(self) -> list[tuple[int, int]]:
        """Every collection with every seed, the fits of one collection together."""
        return [(c, s) for c in range(self.collections) for s in range(self.seeds)]


@dataclass(frozen=True)
class Plan:
    """How to run an experiment; without a ``cohort`` each experiment has its own.

    ``updates`` shortens the paper's training; ``videos`` is a folder of real clips of a pendulum.
    """

    cohort: Cohort | None = None
    methods: tuple[str, ...] = ("default",)
    updates: int | None = None
    videos: str | None = None

    def size(self, usual: Cohort) -> Cohort:
        """The cohort that was asked for, else the usual one."""
        return self.cohort or usual


def read_cohort(text: str) -> Cohort:
    """``ICxSEEDS``, such as 10x10."""
    found = re.fullmatch(r"\s*(\d{1,4})\s*[x×X]\s*(\d{1,4})\s*", text)
    if found is None:
        raise InputError(f"'{text[:40]}' is no cohort", hint="collections times seeds, such as 10x10 or 2x1")
    cohort = Cohort(int(found[1]), int(found[2]))
    if not (1 <= cohort.collections <= _MOST and 1 <= cohort.seeds <= _MOST):
        raise InputError(
            "a cohort has at least one collection and one seed, at most 1000 of each",
            hint="for example --cohort 2x3",
        )
    return cohort


def read_methods(text: str) -> tuple[str, ...]:
    """``default``, ``paper`` or ``both``."""
    if text == "both":
        return METHODS
    if text not in METHODS:
        raise InputError(f"there is no method '{text[:40]}'", hint="default, paper or both")
    return (text,)
