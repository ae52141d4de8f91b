"""What measurements (anchors) add to an analysis, as far as the analysis says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from identify.analysis import Analysis, ParameterVerdict
from identify.checked import Finding


@dataclass(frozen=True)
class Measured:
    """The smallest sufficient sets of anchors, and the verdicts once the given ones are measured.

    ``problem`` says why the given anchors could not be taken into account.
    """

    sets: tuple[tuple[str, ...], ...] | None = None
    after: Mapping[str, ParameterVerdict] = field(default_factory=dict)
    problem: Finding | None = None

    def verdict(self, name: str, analysis: Analysis) -> ParameterVerdict | None:
        """The verdict on a parameter with the measurements, else without."""
        return self.after.get(name) or analysis.parameters.get(name)


def measured(analysis: Analysis) -> Measured:
    """What the analysis says about anchors."""
    calibration = getattr(analysis, "calibration", None)
    if calibration is None:
        return Measured()
    sets = getattr(calibration, "sets", None)
    after = getattr(calibration, "parameters", None) or {}
    return Measured(
        None if sets is None else tuple(tuple(kinds) for kinds in sets),
        {name: _verdict(value, analysis.parameters.get(name)) for name, value in after.items()},
    )


def _verdict(value: Any, before: ParameterVerdict | None) -> ParameterVerdict:
    """A verdict, also where the calibration gives only its status."""
    if isinstance(value, ParameterVerdict):
        return value
    status = value if isinstance(value, str) else getattr(value, "status", "undecided")
    transform = before.transform if before is not None else None
    why = getattr(value, "why", None) or (before.why if before is not None else "the anchors do not fix it")
    return ParameterVerdict(status=status, transform=transform, alternatives=(), why=why)  # type: ignore[arg-type]
