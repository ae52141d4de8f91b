"""A family file's text -> validated model with positions, or everything that is wrong with it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from identify.checked import Finding
from identify.families.schema import (
    Expect,
    ExpectCoverage,
    ExpectGauge,
    Family,
    Parameter,
    Require,
    RouteName,
    State,
    StatusName,
)
from identify.families.tree import Node, read_tree

Step = str | int


@dataclass(frozen=True)
class FamilyFile:
    """A validated file: the model for its values, the tree for its positions."""

    family: Family
    tree: Node


def read_family(text: str, stem: str | None = None) -> tuple[FamilyFile | None, list[Finding]]:
    """The family of a file called ``stem``.yaml; None where something is wrong, and all that is."""
    tree, findings = read_tree(text)
    if tree is None:
        return None, findings
    seen = {(finding.line, finding.column) for finding in findings}
    try:
        family = Family.model_validate(tree.plain())
    except ValidationError as error:
        # A missing key is often a misspelt one, which says more and so comes first.
        details = sorted(error.errors(include_url=False), key=lambda d: d["type"] == "missing")
        found = [_finding(one, tree) for one in details]
        return None, findings + [f for f in found if (f.line, f.column) not in seen]
    findings += _whole_file(family, tree, stem)
    return (None if findings else FamilyFile(family, tree)), findings


def _whole_file(family: Family, tree: Node, stem: str | None) -> list[Finding]:
    found = []
    if stem is not None and family.name != stem:
        message = f"the name is '{family.name}', but the file is {stem}.yaml"
        found.append(Finding("input", message, *tree.place("name"), "name", f"write name: {stem}"))
    if family.law is None and family.extends is None:
        hint = "add law: \"z'' + a*z = 0\", or extends: NAME"
        found.append(Finding("input", "there is no law", tree.line, tree.column, "law", hint))
    return found


def _finding(details: ErrorDetails, tree: Node) -> Finding:
    steps = tuple(step for step in details["loc"] if step != "[key]")
    kind, value = details["type"], details["input"]
    dotted = ".".join(map(str, steps))
    if kind == "extra_forbidden":
        place = tree.key_place(*steps)
        return Finding("input", f"unknown key '{steps[-1]}'", *place, dotted, _meant(steps, tree))
    if kind == "missing":
        place = tree.place(*steps[:-1]) if len(steps) > 1 else (tree.line, tree.column)
        return Finding("input", f"the key '{steps[-1]}' is missing", *place, dotted)
    place = tree.key_place(*steps) if "[key]" in details["loc"] else tree.place(*steps)
    message, hint = _explained(kind, value, details, steps)
    return Finding("input", message, *place, dotted, hint)


def _explained(
    kind: str, value: Any, details: ErrorDetails, steps: tuple[Step, ...]
) -> tuple[str, str | None]:
    shown = _shown(value)
    if kind == "literal_error":
        choices = _choices(steps)
        near = difflib.get_close_matches(str(value), choices, 1)
        message = f"{shown} is not one of {', '.join(choices)}"
        return message, f"did you mean {near[0]}?" if near else None
    if kind == "string_pattern_mismatch":
        return _pattern(shown, steps)
    expected = {
        "string_type": ("text", "put it in quotes" if isinstance(value, int | float) else None),
        "float_type": ("a number", "write it without quotes" if isinstance(value, str) else None),
        "int_type": ("a whole number", None),
        "bool_type": ("true or false", None),
        "list_type": ("a list", "write [a, b]"),
        "dict_type": ("a mapping", "write key: value"),
        "model_type": ("a mapping", "write key: value"),
        "model_attributes_type": ("a mapping", "write key: value"),
    }
    if kind in expected:
        wanted, hint = expected[kind]
        return f"'{_last_word(steps)}' must be {wanted}, not {shown}", hint
    return f"'{_last_word(steps)}': {details['msg'].lower()}", None


def _pattern(shown: str, steps: tuple[Step, ...]) -> tuple[str, str]:
    if steps[0] in {"name", "extends", "tags"}:
        return f"{shown} cannot be a name here", "use lower-case words joined by hyphens, as in cubic-duffing"
    return f"{shown} cannot be a parameter", "use a letter followed by letters, digits and _"


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict | list):
        return "a mapping" if isinstance(value, dict) else "a list"
    if value == "":
        return "empty"
    return f"'{str(value)[:60]}'" if isinstance(value, str) else f"the number {value}"


def _last_word(steps: tuple[Step, ...]) -> str:
    return next((step for step in reversed(steps) if isinstance(step, str)), "file")


def _choices(steps: tuple[Step, ...]) -> tuple[str, ...]:
    kind = RouteName if steps[-1] == "route" else StatusName
    return tuple(kind.__args__)  # type: ignore[attr-defined]


def _meant(steps: tuple[Step, ...], tree: Node) -> str:
    """The nearest key that exists at this place, else all of them."""
    model = _model(steps[:-1])
    present = tree.find(*steps[:-1]).keys
    return nearest(str(steps[-1]), [key for key in model.model_fields if key not in present]) or (
        "the keys here are " + ", ".join(model.model_fields)
    )


def nearest(word: str, known: Iterable[str]) -> str | None:
    """``did you mean ...?`` for a misspelt word."""
    near = difflib.get_close_matches(word, list(known), 1, 0.6)
    return f"did you mean '{near[0]}'?" if near else None


def _model(steps: tuple[Step, ...]) -> type[BaseModel]:
    models: dict[tuple[Step, ...], type[BaseModel]] = {
        (): Family,
        ("expect",): Expect,
        ("expect", "gauge"): ExpectGauge,
        ("expect", "coverage"): ExpectCoverage,
        ("require",): Require,
        ("state",): State,
    }
    return Parameter if steps[:1] == ("parameters",) else models.get(steps, Family)
