"""What the checker does not read: anything but words for people stays open.

The document is compared with the models, so that a field that nobody thought of is never taken for a
checked one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel

from identify.certificate.document import Document
from identify.certificate.verification import Check

# Sentences for a person, which say in words what the checked fields say exactly.
WORDS = frozenset(
    "because by note notes reason redundancy refused seed statement suggestion undecided_because warnings "
    "where why".split()
)
_SHOWN = 6


def check_unread(document: Mapping[str, Any], typed: Document) -> list[Check]:
    """Open where the document has anything but words that no model reads; nothing where it has not."""
    unread = [path for path in _unread(document, typed) if path.rpartition(".")[2] not in WORDS]
    if not unread:
        return []
    more = f" and {len(unread) - _SHOWN} more" if len(unread) > _SHOWN else ""
    detail = ", ".join(path[:60] for path in unread[:_SHOWN]) + more
    return [Check("fields", "every field is one that the checker knows", None, f"not read: {detail}")]


def _unread(plain: Any, typed: Any) -> Iterator[str]:
    """The paths of what is in the document and not in its models."""
    if isinstance(typed, BaseModel):
        names = {field.alias or name: name for name, field in type(typed).model_fields.items()}
        for key, part in plain.items():
            if key not in names:
                yield str(key)
            else:
                yield from _below(key, part, getattr(typed, names[key]))
    elif isinstance(typed, Mapping):
        for key, part in typed.items():
            yield from _below(key, plain[key], part)
    elif isinstance(typed, tuple):
        for number, (one, part) in enumerate(zip(plain, typed, strict=True)):
            yield from _below(number, one, part)


def _below(key: object, plain: Any, typed: Any) -> Iterator[str]:
    for path in _unread(plain, typed):
        yield f"{key}.{path}"
