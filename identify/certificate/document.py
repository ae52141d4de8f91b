"""The saved analysis read as hostile data: every size bounded, every type checked.

The models repeat the shape of ``identify.analysis`` on purpose: the checker shares nothing with
the solver but the law parser.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, StrictStr, ValidationError

from identify.certificate.verification import Check

SCHEMA = "identify/analysis/1"
PROBLEMS_SHOWN = 8
MANY = 600  # names and texts: more than a law of the longest length has

Name = Annotated[StrictStr, Field(max_length=2000)]
Text = Annotated[StrictStr, Field(max_length=12000)]
Prose = Annotated[StrictStr, Field(max_length=20000)]
Count = Annotated[StrictInt, Field(ge=0, le=1000)]
Names = Annotated[tuple[Name, ...], Field(max_length=MANY)]
Texts = Annotated[tuple[Text, ...], Field(max_length=MANY)]
TextMap = Annotated[dict[Name, Text], Field(max_length=MANY)]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class LawClaim(_Model):
    """The law as the document states it."""

    text: Text
    state: Name
    velocity: Name
    acceleration: Text
    leading: Text
    parameters: Names
    assumptions: Texts
    domain: Texts


class RouteClaim(_Model):
    """The route, its velocity features and the theorem behind it."""

    name: Literal["semilinear", "feature-separation", "canonical", "unsupported", "undecided"]
    features: Texts
    theorem: Name | None = None


class CoverageClaim(_Model):
    """The velocities that must be realized."""

    features: Texts
    rank: Count
    velocities: Count
    both_directions: StrictBool
    example: Texts
    one_direction_rank: Count


class BranchClaim(_Model):
    """One branch: map and parameter map."""

    map: Text | None
    free: Names
    conditions: Texts
    parameters: TextMap
    kind: Literal["identity", "discrete"] = "identity"
    relation: Text | None = None
    symbols: TextMap = Field(default_factory=dict)
    integers: Names = ()
    clock: Text | None = None


Branches = Annotated[tuple[BranchClaim, ...], Field(max_length=64)]


class LockClaim(_Model):
    """Whether translations are excluded."""

    locked: StrictBool
    because: Prose


class GaugeClaim(_Model):
    """The lifted compatible set."""

    dimension: Count | None
    branches: Branches
    translation_lock: LockClaim | None


class VerdictClaim(_Model):
    """The verdict on one parameter."""

    status: Literal["identified", "finite", "sign", "free", "undecided"]
    transform: Text | None
    alternatives: Texts
    redundant: StrictBool = False


Verdicts = Annotated[dict[Name, VerdictClaim], Field(max_length=MANY)]


class CanonicalClaim(_Model):
    """The canonical step."""

    c2: Text
    normalizer: Text | None
    normalizer_derivative: Text
    law: Text | None = None
    chart: Text | None = None


class StratumClaim(_Model):
    """The answer on a vanishing stratum."""

    condition: Text
    outcome: Literal["done", "undecided", "unsupported"] | None = None
    gauge_dimension: Count | None = None
    orbit_dimension: Count | None = None
    invariants: Texts = ()
    parameters: Verdicts = Field(default_factory=dict)
    branches: Branches = ()


class LabelledClaim(_Model):
    """A claim of the certificate with its labels."""

    claim: Prose
    scope: Literal["global", "local", "none"]
    field: Name
    stratum: Text
    precision: Text
    by: Prose


class WitnessClaim(_Model):
    """A point at which a branch is real."""

    parameters: TextMap
    states: Texts
    free: TextMap


class CertificateClaim(_Model):
    """What the engine certifies, and for which law; empty where the document claims nothing."""

    law_sha256: Annotated[StrictStr, Field(pattern=r"^[0-9a-f]{64}$")] | None = None
    seed: StrictInt | None = None
    claims: Annotated[tuple[LabelledClaim, ...], Field(max_length=200)] = ()
    complete_invariants: StrictBool = True
    witnesses: Annotated[tuple[WitnessClaim | None, ...], Field(max_length=64)] = ()


class GuaranteeClaim(_Model):
    """The labels that every claim of the document carries."""

    scope: Literal["global", "local", "none"]
    field: Name
    stratum: Text
    precision: Name
    realizable: StrictBool


Scope = Literal["global", "local", "none"]
Kind = Annotated[StrictStr, Field(max_length=80)]
Places = Annotated[tuple[Name, ...], Field(max_length=2)]


class ClockClaim(_Model):
    """The unknown time scale, where the analysis has one."""

    symbol: Name
    weights: Annotated[dict[Name, Annotated[tuple[Text, Text], Field()]], Field(max_length=MANY)] | None = (
        None
    )
    restored_by: Annotated[tuple[Kind, ...], Field(max_length=40)] = ()


class AnchorSetClaim(_Model):
    """Anchors that are said to suffice together."""

    anchors: Annotated[tuple[Kind, ...], Field(max_length=8)]
    rank: Count | None
    scope: Scope
    open: Texts
    at: Annotated[tuple[Places, ...], Field(max_length=8)]


AnchorSets = Annotated[tuple[AnchorSetClaim, ...], Field(max_length=200)]


class GivenAnchorClaim(_Model):
    """One anchor that was given."""

    text: Annotated[StrictStr, Field(max_length=400)]
    kind: Kind
    parameter: Name | None = None
    value: Name | None = None
    uncertainty: Name | None = None
    unit: Name | None = None
    at: Places = ()


class CalibratedClaim(_Model):
    """The verdict on one parameter under the given anchors."""

    status: Literal["identified", "finite", "sign", "free", "undecided"]
    transform: Text | None
    alternatives: Texts
    unit: Name | None = None
    relative_uncertainty: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    sensitivity: Annotated[
        dict[Annotated[StrictStr, Field(max_length=400)], Text], Field(max_length=MANY)
    ] = Field(default_factory=dict)


class GivenClaim(_Model):
    """What the given anchors are said to do."""

    anchors: Annotated[tuple[GivenAnchorClaim, ...], Field(max_length=MANY)]
    rank: Count | None
    scope: Scope
    parameters: Annotated[dict[Name, CalibratedClaim], Field(max_length=MANY)]
    branches: Branches
    open: Texts


class CalibrationClaim(_Model):
    """What to measure, and what given anchors do."""

    dimension: Count | None = None
    rank: Count | None = None
    needed: StrictBool = False
    scope: Scope = "none"
    parameters: Annotated[dict[Name, AnchorSets], Field(max_length=MANY)] = Field(default_factory=dict)
    everything: AnchorSets = ()
    scale: Text | None = None
    conversion: TextMap = Field(default_factory=dict)
    units: Annotated[dict[Name, Name | None], Field(max_length=40)] | None = None
    given: GivenClaim | None = None
    clock: ClockClaim | None = None
    notes: Texts = ()


class Document(_Model):
    """The document ``identify/analysis/1``, as far as it is checked."""

    schema_: Literal["identify/analysis/1"] = Field(alias="schema")
    law: LawClaim
    outcome: Literal["done", "undecided", "unsupported"]
    route: RouteClaim
    coverage: CoverageClaim | None
    gauge: GaugeClaim | None
    weights: Annotated[dict[Name, StrictInt | Text], Field(max_length=MANY)] | None
    orbit_dimension: Count | None
    invariants: Texts
    sign_invariants: Texts
    parameters: Verdicts
    canonical: CanonicalClaim | None
    strata: Annotated[tuple[StratumClaim, ...], Field(max_length=MANY)]
    guarantee: GuaranteeClaim | None = None
    certificate: CertificateClaim
    calibration: CalibrationClaim | None = None


def read_document(document: Any) -> tuple[Document | None, Check]:
    """The typed document, or None with the check that says what is wrong with its shape."""
    claim = f"the document has the shape of {SCHEMA}"
    try:
        return Document.model_validate(document), Check("document", claim, True)
    except ValidationError as problem:
        return None, Check("document", claim, False, _problems(problem))
    except RecursionError:
        return None, Check("document", claim, False, "nested too deeply")


def _problems(problem: ValidationError) -> str:
    """The first few complaints as ``path: message``."""
    found = problem.errors(include_url=False, include_context=False, include_input=False)
    lines = [f"{'.'.join(str(p)[:40] for p in e['loc']) or 'document'}: {e['msg'][:120]}" for e in found]
    more = f"; and {len(lines) - PROBLEMS_SHOWN} more" if len(lines) > PROBLEMS_SHOWN else ""
    return "; ".join(lines[:PROBLEMS_SHOWN]) + more
