"""What the user measured: the options ``--anchor``, ``--unit`` and ``--unknown-clock``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from identify.command.outcome import refuse


@dataclass(frozen=True)
class Measured:
    """Anchors as typed, units by name, and whether the frame rate is unknown."""

    anchors: list[str]
    units: dict[str, str]
    unknown_clock: bool


def read_units(options: Iterable[str]) -> dict[str, str]:
    """``NAME=UNIT`` options as a table; complains about anything else, and about a name given twice."""
    found: dict[str, str] = {}
    for option in options:
        name, equals, unit = (part.strip() for part in option.partition("="))
        if not equals or not name or not unit:
            raise refuse(f"--unit needs NAME=UNIT, not {option!r}", "for example --unit z=m")
        if name in found:
            raise refuse(f"--unit gives {name} twice", "give one unit for each name")
        found[name] = unit
    return found
