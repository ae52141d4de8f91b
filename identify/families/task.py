"""One file to check."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Task:
    """A file to check: its content as read, where it is, and the seconds that its analysis may take."""

    path: str
    content: bytes
    timeout: float
