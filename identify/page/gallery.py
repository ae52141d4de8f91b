"""The catalogue as the page's gallery: plain data, read here so that the page needs no YAML."""

from __future__ import annotations

from typing import Any

from identify.families.declared import Described
from identify.families.listing import entries, load


def gallery() -> list[dict[str, Any]]:
    """Every family of the catalogue: law, conditions, and what its parameters mean."""
    return [_family(entry.name) for entry in entries()]


def _family(name: str) -> dict[str, Any]:
    declared, lawful = load(name)
    return {
        "name": name,
        "title": declared.title,
        "tags": list(declared.tags),
        "law": declared.law.text,
        "unit": None if declared.state is None else declared.state.unit,
        "conditions": [*lawful.assume, *lawful.domain],
        "parameters": {key: _parameter(told) for key, told in declared.parameters.items()},
        "reference": list(declared.reference),
    }


def _parameter(described: Described) -> dict[str, Any]:
    told = described.parameter
    return {"meaning": told.meaning, "unit": told.unit, "example": told.example}
