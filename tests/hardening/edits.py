"""Every field of true certificates edited, one at a time: which edits does the checker not reject?

    python tests/hardening/edits.py

A field of the same kind is edited once.  What survives is printed, for a person to judge: it must be true
still, or be words for people; ``open`` means that the checker leaves it undecided.
"""

from __future__ import annotations

import copy
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import identify
from identify.certificate.unread import WORDS
from tests.hardening.test_forged import LAWS, document

Path_ = tuple[Any, ...]


def fields(value: Any, path: Path_ = ()) -> Iterator[tuple[Path_, Any]]:
    """Every leaf, and every list, with the path to it."""
    if isinstance(value, list):
        yield path, value
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in items:
        yield from fields(part, (*path, key))
    if not isinstance(value, dict | list):
        yield path, value


def others(value: Any) -> list[Any]:
    """Something else in its place."""
    if isinstance(value, list):
        return [[*value, *(value[:1] or ["q"])], value[:-1]] if value else [["q"]]
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int | float):
        return [value + 1]
    return ["1", "b"] if value is None else [new for new in (f"2*({value})", "1") if new != value]


def tried() -> Iterator[tuple[str, Path_, Any, bool | None]]:
    """The law, the path, the new value, and whether it passed as a whole; None where it was rejected."""
    seen: set[Path_] = set()
    for name in LAWS:
        true = document(name)
        for path, value in fields(true):
            kind = tuple("*" if isinstance(key, int) else key for key in path)
            if not path or kind in seen:
                continue
            seen.add(kind)
            for new in others(value):
                forged = copy.deepcopy(true)
                holder: Any = forged
                for key in path[:-1]:
                    holder = holder[key]
                holder[path[-1]] = new
                result = identify.verify(forged, samples=1, digits=30)
                yield name, path, new, result.ok and result.complete if result.ok else None


def main() -> int:
    told: Counter[str] = Counter()
    for name, path, new, passed in tried():
        words = any(key in WORDS for key in path)
        outcome = "rejected" if passed is None else "words" if words else "passed" if passed else "open"
        told[outcome] += 1
        if outcome in ("passed", "open"):
            where = ".".join(map(str, path))
            print(f"{outcome}: {name}: {where} <- {json.dumps(new)[:60]}", flush=True)
    print(json.dumps({"edits": sum(told.values()), **told}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
