"""The catalogue and the glossary as plain data, read here so that the page needs neither YAML nor TOML."""

from __future__ import annotations

from typing import Any

from identify.families.declared import Described
from identify.families.listing import entries, load
from identify.glossary import entries as glossary


def gallery() -> list[dict[str, Any]]:
    """Every family of the catalogue by title: law, conditions, and what its parameters mean."""
    return sorted((_family(entry.name) for entry in entries()), key=lambda family: family["title"].lower())


def words() -> list[dict[str, Any]]:
    """The glossary: every term with its other spellings and what it means."""
    return [{"term": e.term, "also": list(e.also), "text": e.text} for e in glossary().values()]


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
