"""``experiment.yaml`` as text -> Settings with positions, or an error with file, line, column and hint."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from identify.checked import Finding
from identify.errors import InputError
from identify.families.reading import nearest
from identify.families.tree import Node, decode, read_tree
from identify.fit.clips.settings import CHANNELS, ROLES, ClipSettings, Settings

_MOST_SHOWN = 5


class ExperimentError(InputError):
    """A file that cannot be used: all that is wrong with it, the first with its line under it."""

    def __init__(self, file: str, text: str, findings: Sequence[Finding]) -> None:
        first, others = findings[0], findings[1:_MOST_SHOWN]
        lines = [f"{file}, line {f.line}, column {f.column}: {f.message}" for f in (first, *others)]
        before = sum(len(line) + 1 for line in text.split("\n")[: first.line - 1])
        hint = first.hint or "correct that place of the file; nothing was run"
        super().__init__("\n".join(reversed(lines)), text, before + first.column - 1, hint)
        self.findings = tuple(findings)


def read_settings(content: bytes, file: str) -> tuple[Settings, Node | None, str]:
    """The settings, the tree that knows their places, and the text; ExperimentError for all that is wrong."""
    text, findings = decode(content)
    if not findings and not _has_content(text):
        return Settings(), None, text
    tree: Node | None = None
    if not findings:
        tree, findings = read_tree(text)
    if tree is None or findings:
        raise ExperimentError(file, text, [own_words(finding) for finding in findings])
    try:
        settings = Settings.model_validate(tree.plain())
    except ValidationError as error:
        details = error.errors(include_url=False)
        raise ExperimentError(file, text, [_finding(one, tree) for one in details]) from None
    if settings.law is not None and settings.family is not None:
        message = "a law and a family are given: one of them is enough"
        raise ExperimentError(file, text, [Finding("input", message, *tree.key_place("family"))])
    return settings, tree, text


def _has_content(text: str) -> bool:
    return any(line.strip() and not line.lstrip().startswith("#") for line in text.split("\n"))


def own_words(finding: Finding, this: str = "an experiment") -> Finding:
    """The tree's findings without its talk of family files."""
    message = finding.message.replace(
        "a family file is a mapping: name, title, law, ...", "key: value expected"
    )
    message = message.replace("family files use", "this file uses").replace("; one family to a file", "")
    message = message.replace("a family file has", f"{this} has")
    hint = finding.hint
    if hint and ("identify init" in hint or "one law to a file" in hint):
        hint = None
    return Finding("input", message, finding.line, finding.column, finding.field, hint)


def _finding(details: ErrorDetails, tree: Node) -> Finding:
    steps = tuple(step for step in details["loc"] if step != "[key]")
    steps = tuple(step for step in steps if not str(step).startswith(("function-", "list[")))
    dotted = ".".join(map(str, steps))
    if details["type"] == "extra_forbidden":
        place = tree.key_place(*steps)
        return Finding("input", f"unknown key '{steps[-1]}'", *place, dotted, _meant(steps, tree))
    place = tree.key_place(*steps) if "[key]" in details["loc"] else tree.place(*steps)
    message, hint = explained(details, steps, ROLES if steps[-1] == "role" else CHANNELS)
    return Finding("input", message, *place, dotted, hint)


def _meant(steps: tuple[Any, ...], tree: Node) -> str:
    model: type[BaseModel] = ClipSettings if steps[0] == "clips" else Settings
    present = tree.find(*steps[:-1]).keys
    near = nearest(str(steps[-1]), [key for key in model.model_fields if key not in present])
    return near or "the keys here are " + ", ".join(model.model_fields)


_WANTED = {
    "string_type": ("text", "put it in quotes"),
    "float_type": ("a number", "write it without quotes"),
    "int_type": ("a whole number", None),
    "list_type": ("a list", "write [a, b]"),
    "dict_type": ("a mapping", "write key: value"),
    "model_type": ("a mapping", "write key: value"),
    "model_attributes_type": ("a mapping", "write key: value"),
}


def explained(
    details: ErrorDetails, steps: tuple[Any, ...], choices: Sequence[str]
) -> tuple[str, str | None]:
    """What is wrong with one value, and what to type; ``choices`` are the words it may be."""
    kind, value = details["type"], details["input"]
    word = next((step for step in reversed(steps) if isinstance(step, str)), "file")
    if kind == "literal_error":
        near = difflib.get_close_matches(str(value), choices, 1)
        message = f"'{str(value)[:60]}' is not one of {', '.join(choices)}"
        return message, f"did you mean {near[0]}?" if near else None
    if kind == "string_pattern_mismatch":
        return f"'{word}' cannot be a name", "use a letter followed by letters, digits and _"
    if kind == "shape":
        return f"'{word}' {details['msg']}", None
    if kind in _WANTED:
        wanted, hint = _WANTED[kind]
        shown = (
            "a mapping" if isinstance(value, dict) else "a list" if isinstance(value, list) else repr(value)
        )
        return f"'{word}' must be {wanted}, not {shown[:60]}", hint
    return f"'{word}': {details['msg'][:1].lower()}{details['msg'][1:]}", None
