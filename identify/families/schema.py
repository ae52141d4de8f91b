"""The shape of a family file: the models that validate it and that the JSON Schema is made from."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, WithJsonSchema

Text = Annotated[str, StringConstraints(min_length=1, max_length=4000)]
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=80)]
Name = Annotated[str, StringConstraints(pattern=r"^[^\W\d]\w*$", max_length=40)]
StatusName = Literal["identified", "finite", "sign", "free"]
RouteName = Literal["semilinear", "feature-separation", "canonical", "unsupported"]


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _named(value: Any) -> Any:
    return {"name": value} if isinstance(value, str) else value


_ONE_OR_MORE = {
    "anyOf": [
        {"type": "string", "minLength": 1},
        {"type": "array", "items": {"type": "string", "minLength": 1}},
    ]
}
Texts = Annotated[list[Text], BeforeValidator(_listed), WithJsonSchema(_ONE_OR_MORE)]


class Part(BaseModel):
    """Unknown keys are errors, and nothing is converted: 3 is no text and "3" is no number."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Parameter(Part):
    """One parameter of the law."""

    meaning: Text | None = Field(default=None, description="What the parameter is, in words.")
    unit: Text | None = Field(default=None, description="Its unit, such as 1/s^2.")
    restrict: Texts = Field(
        default=[], description="What is known of it, such as a > 0; one condition or a list."
    )
    example: float | None = Field(default=None, description="A typical value.")


class State(Part):
    """The state of the law."""

    name: Name = Field(description="The name that carries the primes in the law.")
    meaning: Text | None = Field(default=None, description="What the state is, in words.")
    unit: Text | None = Field(default=None, description="Its unit, such as m, rad or px.")


class ExpectGauge(Part):
    """How much a fit may choose."""

    dimension: int | None = Field(
        default=None, ge=0, description="Numbers that a fit chooses freely, seen or unseen in the parameters."
    )
    orbit_dimension: int | None = Field(
        default=None, ge=0, description="Dimension of the set of parameters that fits may report."
    )


class ExpectCoverage(Part):
    """What has to be filmed."""

    rank: int | None = Field(
        default=None, ge=1, description="Rank that the velocities at each state must reach."
    )
    velocities: int | None = Field(
        default=None, ge=1, description="How many different velocities are needed at each state."
    )
    both_directions: bool | None = Field(
        default=None, description="Whether motion in both directions is needed at each state."
    )


class Expect(Part):
    """What the analysis must find; each key is compared on its own, and a missing one is not checked."""

    route: RouteName | None = Field(default=None, description="The theorem's route.")
    parameters: dict[Name, StatusName] | None = Field(
        default=None, description="The verdict on each parameter."
    )
    invariants: list[Text] | None = Field(
        default=None, description="Functions of the parameters that all fits agree on; compared as functions."
    )
    sign_invariants: list[Text] | None = Field(
        default=None, description="Signs that all fits agree on, such as sign(b)."
    )
    gauge: ExpectGauge | None = None
    coverage: ExpectCoverage | None = None
    anchors: list[list[Text]] | None = Field(
        default=None, description="The smallest sets of measurements that determine all parameters."
    )


class Require(Part):
    """What the check insists on."""

    identified: list[Name] = Field(min_length=1, description="Parameters that must be identified.")
    after: list[Text] = Field(
        default=[], description="Measurements (kinds of anchors) that may be used for that."
    )


class Family(Part):
    """A declared law with what is known and expected of it."""

    name: Slug = Field(description="The name of the file without .yaml.")
    title: Text = Field(description="One line for people.")
    tags: list[Slug] = Field(default=[], description="Words to search by.")
    law: Text | None = Field(
        default=None,
        description="The equation, such as z'' + a*z = 0; needed unless the family extends another.",
    )
    state: Annotated[State, BeforeValidator(_named)] | None = Field(
        default=None, description="The name that carries the primes in the law, or {name, meaning, unit}."
    )
    parameters: dict[Name, Parameter] = Field(default={}, description="Every other name of the law.")
    assume: Texts = Field(default=[], description="Conditions on the parameters, such as b != 0.")
    domain: Texts = Field(default=[], description="Conditions on the state, such as z > 0.")
    reference: Texts = Field(default=[], description="Where the law is from.")
    extends: Slug | None = Field(
        default=None,
        description="Another family, in the same folder or in the catalogue: its law, state, parameters, "
        "assumptions and domain are taken over; the assumptions of this file are added to them.",
    )
    expect: Expect | None = Field(default=None, description="What the analysis must find.")
    require: Require | None = Field(
        default=None, description="What must be identified for the check to pass."
    )


def json_schema() -> str:
    """The JSON Schema of a family file, as published in ``schema.json``."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **_with_short_state(_without_null(Family.model_json_schema())),
        "anyOf": [{"required": ["law"]}, {"required": ["extends"]}],
    }
    return json.dumps(schema, indent=2) + "\n"


def _with_short_state(schema: Any) -> Any:
    """``state: z`` beside ``state: {name: z}``, which the model accepts before validation."""
    state = schema["properties"]["state"]
    reference = state.pop("$ref")
    state["anyOf"] = [{"type": "string"}, {"$ref": reference}]
    return schema


def _without_null(schema: Any) -> Any:
    """The schema without null: a key that has nothing to say is left out of a family file."""
    if isinstance(schema, list):
        return [_without_null(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: _without_null(value) for key, value in schema.items()}
    if found.get("default", 0) is None:
        del found["default"]
    choices = [choice for choice in found.get("anyOf", []) if choice != {"type": "null"}]
    if len(choices) == 1 and len(found["anyOf"]) == 2:
        del found["anyOf"]
        found = {**choices[0], **found}
    return found
