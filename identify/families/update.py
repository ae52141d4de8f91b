"""``--update``: what the analysis found, written into the block ``expect`` of the file and nowhere else.

Only the lines of that block are replaced; inside it comments stay, as does every value that agrees with
the analysis.  The new text must read as the same family, or nothing is written.
"""

from __future__ import annotations

import re
from io import StringIO
from typing import Any

from identify.checked import Checked
from identify.errors import InputError
from identify.families.reading import FamilyFile, read_family

_TOP_LEVEL = re.compile(r"^[^\s#-]")
_ORDER = ("route", "parameters", "invariants", "sign_invariants", "gauge", "coverage", "anchors")


def updated(text: str, checked: Checked) -> str:
    """The text of the family file with ``expect`` brought up to date."""
    before, _ = read_family(text)
    if before is None or not checked.expect:
        raise InputError(
            f"{checked.path} cannot be updated: it was not analysed",
            hint="correct what identify check reports first",
        )
    start, end = _block(text, before)
    lines = text.splitlines(keepends=True)
    if start == end and lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    new = "".join([*lines[:start], _rewritten("".join(lines[start:end]), checked), *lines[end:]])
    _guard(before, new, checked)
    return new


def _block(text: str, file: FamilyFile) -> tuple[int, int]:
    """The lines from ``expect:`` to the next key, without comments and blank lines that belong to that."""
    lines = text.splitlines()
    if "expect" not in file.tree.keys:
        return len(lines), len(lines)
    line, column = file.tree.keys["expect"]
    if column != 1 or not lines[line - 1].startswith("expect"):
        raise InputError(
            "only an 'expect' that begins a line can be updated", hint="write the file in block style"
        )
    end = line
    while end < len(lines) and not _TOP_LEVEL.match(lines[end]):
        end += 1
    while end > line and (not lines[end - 1].strip() or lines[end - 1].startswith("#")):
        end -= 1
    return line - 1, end


def _rewritten(block: str, checked: Checked) -> str:
    from ruamel.yaml import YAML
    from ruamel.yaml.comments import CommentedMap

    yaml = YAML(typ="rt", pure=True)
    yaml.preserve_quotes = True
    yaml.width = 100
    if re.search(r"^(\s*)\S.*:\s*\n\1\s+- ", block, re.M):
        yaml.indent(mapping=2, sequence=4, offset=2)
    document = yaml.load(block) if block.strip() else CommentedMap()
    if not isinstance(document.get("expect"), dict):
        document["expect"] = CommentedMap()
    expect = document["expect"]
    for key in checked.rewrite:
        if key not in checked.expect:
            expect.pop(key, None)
        elif isinstance(checked.expect[key], dict) and isinstance(expect.get(key), dict):
            _merge(expect[key], checked.expect[key])
        else:
            _set(expect, key, _styled(checked.expect[key]))
    stream = StringIO()
    yaml.dump(document, stream)
    return stream.getvalue()


def _set(expect: Any, key: str, value: Any) -> None:
    """Replace in place, or insert a new key in the customary order."""
    if key in expect:
        expect[key] = value
        return
    before = [k for k in _ORDER[: _ORDER.index(key)] if k in expect]
    position = list(expect).index(before[-1]) + 1 if before else 0
    expect.insert(position, key, value)


def _merge(old: Any, new: dict[str, Any]) -> None:
    for key in [key for key in old if key not in new]:
        del old[key]
    for key, value in new.items():
        if old.get(key) != value:
            old[key] = value


def _styled(value: Any) -> Any:
    """Lists and small mappings on one line."""
    from ruamel.yaml.comments import CommentedMap, CommentedSeq

    if isinstance(value, dict):
        table = CommentedMap(value)
        table.fa.set_flow_style()
        return table
    if isinstance(value, list):
        items = CommentedSeq([_styled(item) for item in value])
        items.fa.set_flow_style()
        return items
    return value


def _guard(before: FamilyFile, new: str, checked: Checked) -> None:
    after, findings = read_family(new)
    if after is None:
        raise InputError(
            f"{checked.path} was not updated: the result would not read ({findings[0].message})",
            hint="write the values of expect by hand",
        )
    old = before.family.model_copy(update={"expect": None})
    if after.family.model_copy(update={"expect": None}) != old:
        raise InputError(
            f"{checked.path} was not updated: other parts of the file would have changed",
            hint="write the values of expect by hand",
        )
