"""YAML text -> a tree of plain values that knows the line and column of every key and value.

Built from the parser's events rather than by a YAML loader: no aliases, so no alias bombs; no tags,
so no constructors; and every duplicate key or empty value is found in one pass.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from identify.checked import Finding
from identify.printable import printable

MOST_BYTES = 64 * 1024
MOST_DEPTH = 8
MOST_DIGITS = 40
_MOST_TABS = 20

_INTEGER = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_WORDS: dict[str, bool | None] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip


@dataclass
class Node:
    """A value and the place where it begins; ``style`` is the quote of a scalar, or "" if it has none."""

    value: Any
    line: int
    column: int
    style: str = ""
    raw: str = ""
    keys: dict[str, tuple[int, int]] = field(default_factory=dict)

    def plain(self) -> Any:
        """The value without positions."""
        if isinstance(self.value, dict):
            return {key: node.plain() for key, node in self.value.items()}
        if isinstance(self.value, list):
            return [node.plain() for node in self.value]
        return self.value

    def child(self, step: str | int) -> Node | None:
        """The value below a key or an index, if there is one."""
        if isinstance(self.value, dict):
            return self.value.get(step)
        if isinstance(self.value, list) and isinstance(step, int) and step < len(self.value):
            node: Node = self.value[step]
            return node
        return None

    def find(self, *steps: str | int) -> Node:
        """The value at the path, or the deepest one on the way to it."""
        node = self
        for step in steps:
            below = node.child(step)
            if below is None:
                return node
            node = below
        return node

    def place(self, *steps: str | int) -> tuple[int, int]:
        """Line and column of the value at the path, or of its key if it is a list or mapping."""
        node, place = self, (self.line, self.column)
        for step in steps:
            below = node.child(step)
            if below is None:
                return place
            inner = isinstance(below.value, dict | list)
            place = node.keys[str(step)] if inner and node.keys else (below.line, below.column)
            node = below
        return place

    def key_place(self, *steps: str | int) -> tuple[int, int]:
        """Line and column of the last key of the path."""
        parent = self.find(*steps[:-1])
        return parent.keys.get(str(steps[-1]), (parent.line, parent.column))

    def within(self, offset: int) -> tuple[int, int]:
        """Line and column of a character of a one-line text; of its beginning where it has several lines."""
        if "\n" in self.raw or self.style in {"|", ">"} or "\\" in self.raw:
            return self.line, self.column
        if self.style != "'":
            return self.line, self.column + len(self.style) + offset
        position = 1
        for _ in range(offset):
            position += 2 if self.raw[position : position + 2] == "''" else 1
        return self.line, self.column + position


def read_tree(text: str, most_depth: int = MOST_DEPTH) -> tuple[Node | None, list[Finding]]:
    """The tree of a YAML document, or None, and everything that is wrong with its form."""
    tabs = _tabs(text)
    if tabs:
        return None, tabs
    builder = _Builder(text, most_depth)
    try:
        return builder.document(), builder.findings
    except _Refusal as refusal:
        return None, [*builder.findings, refusal.finding]


def decode(content: bytes) -> tuple[str, list[Finding]]:
    """The text of a family file, or why it cannot be one."""
    if len(content) > MOST_BYTES:
        size = f"the file has {len(content):,} bytes; a family file has at most {MOST_BYTES:,}"
        return "", [Finding("input", size, hint="one law to a file; put data elsewhere")]
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        column = error.start - content.rfind(b"\n", 0, error.start)
        return "", [Finding("input", "not text in UTF-8", line, column, hint="save the file as UTF-8")]
    return text.replace("\r\n", "\n").replace("\r", "\n"), []


def _tabs(text: str) -> list[Finding]:
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        if "\t" in line:
            message = "a tab; family files use spaces only"
            found.append(Finding("input", message, number, line.index("\t") + 1, hint="indent by two spaces"))
    return found[:_MOST_TABS]


class _Refusal(Exception):
    def __init__(self, message: str, line: int, column: int, hint: str | None = None) -> None:
        super().__init__(message)
        self.finding = Finding("input", message, line, column, hint=hint)


class _Builder:
    """Recursive descent over the events; the depth is bounded before each step down."""

    def __init__(self, text: str, most_depth: int) -> None:
        self.text = text
        self.most_depth = most_depth
        self.findings: list[Finding] = []
        self.events: Iterator[Any] = iter(())

    def document(self) -> Node | None:
        from ruamel.yaml import YAML
        from ruamel.yaml.error import MarkedYAMLError, YAMLError

        yaml = YAML(typ="safe", pure=True)
        self.events = iter(yaml.parse(self.text))
        try:
            return self._document()
        except MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
            words = " ".join(str(error.problem or error.context or "not YAML").split())
            hint = "put text with : # ' \" { [ or a leading - in quotes"
            raise _Refusal(f"not YAML: {words}", line, column, hint) from None
        except YAMLError as error:
            line, column = self._unprintable()
            raise _Refusal(f"not YAML: {' '.join(str(error).split())[:120]}", line, column) from None

    def _document(self) -> Node | None:
        next(self.events)
        event = next(self.events)
        if _kind(event) == "StreamEnd":
            raise _Refusal("the file is empty", 1, 1, "start from: identify init NAME.yaml")
        root = self.node(next(self.events), 1)
        next(self.events)
        after = next(self.events)
        if _kind(after) != "StreamEnd":
            raise _Refusal("a second document; one family to a file", *_place(after))
        if not isinstance(root.value, dict):
            raise _Refusal("a family file is a mapping: name, title, law, ...", root.line, root.column)
        return root

    def node(self, event: Any, depth: int) -> Node:
        self._refuse_machinery(event)
        if depth > self.most_depth:
            raise _Refusal(f"nested more than {self.most_depth} levels deep", *_place(event))
        kind = _kind(event)
        if kind == "Scalar":
            return self.scalar(event)
        return self.mapping(event, depth) if kind == "MappingStart" else self.sequence(event, depth)

    def mapping(self, start: Any, depth: int) -> Node:
        node = Node({}, *_place(start))
        while _kind(event := next(self.events)) != "MappingEnd":
            self._refuse_machinery(event)
            if _kind(event) != "Scalar":
                raise _Refusal("a key must be a word", *_place(event))
            key, place = event.value, _place(event)
            below = self.node(next(self.events), depth + 1)
            if key in node.value:
                first = node.keys[key][0]
                message = f"'{key}' is given twice; the first is in line {first}"
                self.findings.append(Finding("input", message, *place, field=key, hint="keep one of them"))
                continue
            if below.value is None:
                message = f"'{key}' has no value"
                self.findings.append(
                    Finding("input", message, *place, field=key, hint="fill it in or leave it out")
                )
                below.value = ""
            node.value[key], node.keys[key] = below, place
        return node

    def sequence(self, start: Any, depth: int) -> Node:
        node = Node([], *_place(start))
        while _kind(event := next(self.events)) != "SequenceEnd":
            below = self.node(event, depth + 1)
            if below.value is None:
                self.findings.append(Finding("input", "an empty item", below.line, below.column))
                below.value = ""
            node.value.append(below)
        return node

    def scalar(self, event: Any) -> Node:
        line, column = _place(event)
        raw = self.text[event.start_mark.index : event.end_mark.index]
        style = "" if event.style is None else str(event.style)
        if printable(event.value) != event.value:
            raise _Refusal("a control character", line, column, "leave it out")
        value = event.value if style else self._resolved(event.value, line, column)
        return Node(value, line, column, style, raw)

    def _resolved(self, text: str, line: int, column: int) -> Any:
        """A plain scalar as YAML 1.2 reads it: no octal, no sexagesimal, no "yes"."""
        if text in _WORDS:
            return _WORDS[text]
        if not _FLOAT.fullmatch(text):
            return text
        if len(text) > MOST_DIGITS:
            self.findings.append(Finding("input", f"a number of {len(text)} characters", line, column))
            return 0
        number = int(text) if _INTEGER.fullmatch(text) else float(text)
        if abs(number) == float("inf"):
            self.findings.append(Finding("input", f"the number {text} is too large", line, column))
            return 0
        return number

    def _refuse_machinery(self, event: Any) -> None:
        """Aliases, anchors and tags: what YAML bombs and object constructors are made of."""
        kind = _kind(event)
        if kind == "Alias":
            raise _Refusal(
                f"an alias, *{event.anchor}, is not allowed", *_place(event), "write the value out"
            )
        if getattr(event, "anchor", None):
            raise _Refusal(
                f"an anchor, &{event.anchor}, is not allowed", *_place(event), "write the value out"
            )
        tag = getattr(event, "tag", None)
        if tag is not None and str(tag) not in {"None", "!"}:
            raise _Refusal(f"a tag, {str(tag)[:60]}, is not allowed", *_place(event), "leave it out")

    def _unprintable(self) -> tuple[int, int]:
        for number, line in enumerate(self.text.split("\n"), 1):
            for column, character in enumerate(line, 1):
                if not character.isprintable():
                    return number, column
        return 1, 1


def _kind(event: Any) -> str:
    return type(event).__name__.removesuffix("Event")


def _place(event: Any) -> tuple[int, int]:
    return event.start_mark.line + 1, event.start_mark.column + 1
