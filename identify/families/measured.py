"""What measurements (anchors) add to an analysis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from identify.analysis import Analysis, ParameterVerdict

Kinds = tuple[str, ...]


@dataclass(frozen=True)
class Measured:
    """The smallest sufficient sets of anchors, and the verdicts once the given ones are measured.

    ``sets`` is None where the search was not finished; ``telling`` leaves out those that contain a
    parameter's own value, unless there are no others: that knowing b makes b known is no news.
    """

    sets: tuple[Kinds, ...] | None = None
    after: Mapping[str, ParameterVerdict] = field(default_factory=dict)

    def verdict(self, name: str, analysis: Analysis) -> ParameterVerdict | None:
        """The verdict on a parameter with the measurements, else without."""
        return self.after.get(name) or analysis.parameters.get(name)

    @property
    def telling(self) -> tuple[Kinds, ...]:
        """The sets that a reader would want to know."""
        sets = self.sets or ()
        indirect = tuple(s for s in sets if not any(kind.startswith("parameter ") for kind in s))
        return indirect or sets


def _kind(name: str) -> str:
    """The kind of an anchor: a second state is a state."""
    return name.removeprefix("another ")


def measured(analysis: Analysis) -> Measured:
    """What the analysis says about anchors."""
    calibration = analysis.calibration
    if calibration is None:
        return Measured()
    stopped = any("stopped" in note for note in calibration.notes)
    sets = None if stopped else tuple(tuple(map(_kind, s.anchors)) for s in calibration.everything)
    given = {} if calibration.given is None else calibration.given.parameters
    after = {
        name: ParameterVerdict(value.status, value.transform, value.alternatives, value.why)
        for name, value in given.items()
    }
    return Measured(sets, after)
