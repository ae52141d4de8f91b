"""The result of an analysis: frozen, plain data, the same shape as its JSON document.

Every expression is a string in the input language, written in the declared parameter names, so
that it can be read back by ``identify.law``.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

SCHEMA = "identify/analysis/1"

Status = Literal["identified", "finite", "sign", "free", "undecided"]
Outcome = Literal["done", "undecided", "unsupported"]


@dataclass(frozen=True)
class LawInfo:
    """The law as read: ``text`` is the user's, ``acceleration`` the right side of z'' = F."""

    text: str
    state: str
    velocity: str
    acceleration: str
    leading: str
    parameters: tuple[str, ...]
    assumptions: tuple[str, ...]
    domain: tuple[str, ...]


@dataclass(frozen=True)
class RouteInfo:
    """Route name, velocity features, and the theorem that applies or the premise that fails."""

    name: str
    features: tuple[str, ...]
    reason: str | None
    suggestion: str | None
    theorem: str | None


@dataclass(frozen=True)
class Coverage:
    """Which velocities must be realized at every state of U."""

    features: tuple[str, ...]
    rank: int
    velocities: int
    both_directions: bool
    example: tuple[str, ...]
    one_direction_rank: int


@dataclass(frozen=True)
class BranchInfo:
    """One family of compatible reports: the map f, its free symbols, and the reported parameters.

    ``map`` is an expression in the state and in ``free``; in the canonical route it may instead be
    given implicitly by ``relation`` (an equation between ``z`` and ``zhat``).  ``symbols`` gives
    algebraic numbers used in the expressions their minimal polynomial.  ``kind`` is "identity" for
    the branch through the identity map, else "discrete".  ``conditions`` must hold for the branch
    to be real and inside the assumptions.  ``integers`` run through all integers.  ``clock`` is the
    factor by which the report's time runs, where the analysis leaves the clock unknown.
    """

    map: str | None
    free: tuple[str, ...]
    conditions: tuple[str, ...]
    parameters: dict[str, str]
    kind: str = "identity"
    relation: str | None = None
    symbols: dict[str, str] = field(default_factory=dict)
    integers: tuple[str, ...] = ()
    clock: str | None = None


@dataclass(frozen=True)
class TranslationLock:
    """Whether every compatible map has no translation, and by which argument."""

    locked: bool
    because: str


@dataclass(frozen=True)
class Gauge:
    """The lifted compatible set: its dimension and all its branches."""

    dimension: int | None
    branches: tuple[BranchInfo, ...]
    translation_lock: TranslationLock | None


@dataclass(frozen=True)
class ParameterVerdict:
    """What video tells about one parameter, how it transforms, and one line of why."""

    status: Status
    transform: str | None
    alternatives: tuple[str, ...]
    why: str
    redundant: bool = False


@dataclass(frozen=True)
class CanonicalInfo:
    """The canonical step: c_2, the normalizer psi (closed form or None), the law of q = psi(z)."""

    c2: str
    normalizer: str | None
    normalizer_derivative: str
    law: str | None
    chart: str
    note: str | None = None


@dataclass(frozen=True)
class Stratum:
    """A vanishing condition that the generic answer excluded, with its own answer if asked for."""

    condition: str
    outcome: Outcome | None = None
    gauge_dimension: int | None = None
    orbit_dimension: int | None = None
    invariants: tuple[str, ...] = ()
    parameters: dict[str, ParameterVerdict] = field(default_factory=dict)
    branches: tuple[BranchInfo, ...] = ()


@dataclass(frozen=True)
class Guarantee:
    """How far the claim reaches: the labels every claim of the document carries."""

    scope: str  # "global" | "local"
    field: str  # "real"
    stratum: str  # "generic" or the conditions
    precision: str  # "exact" | "50 digits"
    realizable: bool
    statement: str


@dataclass(frozen=True)
class AnchorSet:
    """Anchors that together suffice, and what even they leave open.

    ``anchors`` are kinds (``amplitude``, ``state``, ``another state``, ``parameter g``); ``rank`` is their
    anchor rank, to be compared with the lifted dimension; ``scope`` is "global" where all branches were
    enumerated, else "local" (by rank alone).  ``open`` names freedoms of the coordinate that remain though
    the parameters are known; ``where`` says where the anchors may lie, in the names that ``at`` gives to
    the anchored states of each anchor.
    """

    anchors: tuple[str, ...]
    rank: int | None
    scope: str
    open: tuple[str, ...]
    where: tuple[str, ...]
    at: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class GivenAnchor:
    """An anchor as given: its kind, the known parameter, value and uncertainty in base units.

    ``at`` names the states it speaks of, as branches and sensitivities write them.
    """

    text: str
    kind: str
    parameter: str | None = None
    value: str | None = None
    uncertainty: str | None = None
    unit: str | None = None
    at: tuple[str, ...] = ()


@dataclass(frozen=True)
class CalibratedParameter:
    """The verdict on a parameter once the anchors are given.

    ``relative_uncertainty`` comes from the anchors' uncertainties alone; ``sensitivity`` is the derivative
    of the parameter's logarithm by the logarithm of each anchor's value.
    """

    status: Status
    transform: str | None
    alternatives: tuple[str, ...]
    why: str
    unit: str | None = None
    relative_uncertainty: float | None = None
    sensitivity: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class GivenAnchors:
    """The analysis with given anchors: which parameters become known, which branches survive."""

    anchors: tuple[GivenAnchor, ...]
    rank: int | None
    scope: str
    statement: str
    parameters: dict[str, CalibratedParameter]
    branches: tuple[BranchInfo, ...]
    open: tuple[str, ...]
    where: tuple[str, ...]


@dataclass(frozen=True)
class Clock:
    """The unknown time scale ``t -> symbol*t``: weights in both scales and what restores the clock.

    A parameter reports as ``lambda**-w * symbol**-k`` times itself, with ``(w, k)`` its ``weights``.
    """

    symbol: str
    weights: dict[str, tuple[str, ...]] | None
    restored_by: tuple[str, ...]


@dataclass(frozen=True)
class Calibration:
    """What to measure: the smallest sufficient sets of physical anchors, and the effect of given ones.

    ``dimension`` is that of the lifted set, ``rank`` the largest anchor rank that positions on the
    coordinate reach; what is missing to the dimension is redundancy of the parameters.  ``parameters`` has
    an entry for each parameter that video does not determine; an empty one says that no set of three or
    fewer anchors does.  ``conversion`` gives the physical value from a fit's, with ``scale`` its factor.
    """

    dimension: int | None
    rank: int | None
    needed: bool
    scope: str
    parameters: dict[str, tuple[AnchorSet, ...]]
    everything: tuple[AnchorSet, ...]
    refused: tuple[str, ...]
    scale: str | None = None
    conversion: dict[str, str] = field(default_factory=dict)
    units: dict[str, str | None] | None = None
    given: GivenAnchors | None = None
    clock: Clock | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Analysis:
    """The answer of ``identify.analyze``; see the module docstring."""

    law: LawInfo
    outcome: Outcome
    route: RouteInfo
    coverage: Coverage | None
    gauge: Gauge | None
    weights: dict[str, int | str] | None
    orbit_dimension: int | None
    invariants: tuple[str, ...]
    sign_invariants: tuple[str, ...]
    parameters: dict[str, ParameterVerdict]
    redundancy: tuple[str, ...]
    canonical: CanonicalInfo | None
    strata: tuple[Stratum, ...]
    guarantee: Guarantee | None
    certificate: dict[str, Any]
    warnings: tuple[str, ...]
    undecided_because: str | None = None
    calibration: Calibration | None = None

    def to_dict(self) -> dict[str, Any]:
        """The JSON document as plain dictionaries and lists."""
        return {"schema": SCHEMA, **dataclasses.asdict(self)}

    def to_json(self, indent: int | None = 2) -> str:
        """The versioned JSON document ``identify/analysis/1``."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False)

    @classmethod
    def from_dict(cls, document: dict[str, Any]) -> Analysis:
        """The analysis whose ``to_dict`` is ``document``; ValueError where it is no such document."""
        if not isinstance(document, dict) or document.get("schema") != SCHEMA:
            raise ValueError(f"not a document of schema {SCHEMA}")
        fields = {name: value for name, value in document.items() if name != "schema"}
        analysis: Analysis = _rebuild(cls, fields)
        return analysis

    def _repr_html_(self) -> str:
        from identify.report.notebook import analysis_html

        return analysis_html(self)

    def _repr_latex_(self) -> str:
        from identify.report.notebook import analysis_latex

        return analysis_latex(self)


def _rebuild(kind: Any, value: Any) -> Any:
    """``value`` (dictionaries and lists) as the annotated ``kind`` (dataclasses and tuples)."""
    origin, arguments = get_origin(kind), get_args(kind)
    if value is None or kind is Any:
        return value
    if origin in {Union, UnionType}:
        return _rebuild(next(a for a in arguments if a is not type(None)), value)
    if origin is tuple:
        return tuple(_rebuild(arguments[0], item) for item in value)
    if origin is dict:
        return {key: _rebuild(arguments[1], item) for key, item in value.items()}
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        hints = get_type_hints(kind)
        try:
            return kind(**{name: _rebuild(hints[name], item) for name, item in value.items()})
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError(f"{kind.__name__} does not have this shape: {error}") from error
    return value
