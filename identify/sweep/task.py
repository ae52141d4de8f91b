"""Tasks: one job of a sweep, with everything that decides its result and nothing else."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from identify.errors import InputError

# A kind is a function (settings -> result); one that is not listed is named in full, "module:function".
KINDS = {
    "simulated": "identify.sweep.simulated:run",
    "videos": "identify.sweep.videos:run",
}
_KEY_LENGTH = 20  # hexadecimal digits: 80 bits, no two tasks of a sweep share them by chance


@dataclass(frozen=True)
class Task:
    """A job: ``kind`` names the function that does it, ``settings`` are its argument, as JSON holds them.

    A setting that is None is as one that is not there, so that a later version may add settings without
    changing the keys of those that do not use them.
    """

    kind: str
    settings: Mapping[str, Any]

    @cached_property
    def text(self) -> str:
        """The task as canonical JSON: the same task has the same text."""
        kept = {key: value for key, value in self.settings.items() if value is not None}
        try:
            whole = {"kind": self.kind, "settings": kept}
            return json.dumps(whole, sort_keys=True, allow_nan=False, separators=(",", ":"))
        except (TypeError, ValueError) as error:
            raise InputError(
                f"a task must be plain JSON: {error}", hint="use text, numbers, lists and dictionaries only"
            ) from None

    @cached_property
    def key(self) -> str:
        """The name of the task in a store: a hash of its text."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:_KEY_LENGTH]

    @property
    def time_limit(self) -> float | None:
        """The seconds that the job has, where its settings say."""
        limit = self.settings.get("time_limit")
        return float(limit) if isinstance(limit, int | float) and limit > 0 else None

    @classmethod
    def read(cls, text: str) -> Task:
        """The task of a text."""
        whole = json.loads(text)
        return cls(whole["kind"], whole["settings"])

    def told(self) -> str:
        """The task in a few words, for a person."""
        named = [str(self.settings[key]) for key in _NAMES if self.settings.get(key) is not None]
        rest = [words for key, value in self.settings.items() if (words := _words(key, value))]
        return ", ".join([*named, *rest]) or self.kind


_NAMES = ("experiment", "family", "law", "folder", "fitted")
_SILENT = {*_NAMES, "initial", "assume", "domain", "fitted_assume", "fitted_domain", "state"}


def _words(key: str, value: Any) -> str:
    """A setting in a few words; nothing where it says little."""
    if key in _SILENT or value is None or value == "default":
        return ""
    if isinstance(value, Mapping):
        return ", ".join(filter(None, (_words(*item) for item in value.items())))
    if isinstance(value, list | tuple):
        return f"{key} {'x'.join(str(item) for item in reversed(value))}"
    return f"{key} {value}"
