"""Every error of the package, as one tree::

    IdentifyError            exit code 1
    ├── InputError           exit code 2   the text cannot be read; says where, why and what to type
    ├── NotPrintable         exit code 1   an expression has no spelling in the input language
    └── BudgetExceeded       exit code 3   the work ran out of its budget: undecided, never "no"

The command line turns each into a message and its exit code.
"""

from __future__ import annotations

_WINDOW = 100  # characters of the offending line that are shown


class IdentifyError(Exception):
    """Base of the tree; ``exit_code`` is what the command line returns."""

    exit_code = 1


class NotPrintable(IdentifyError):
    """An expression that the input language cannot spell, so that it could not be read back."""


class BudgetExceeded(IdentifyError):
    """The work was stopped; the question is undecided."""

    exit_code = 3

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class InputError(IdentifyError):
    """A text that cannot be read: what is wrong, where, and what to type instead.

    ``offset`` counts characters from 0; ``line`` and ``column`` count from 1.
    """

    exit_code = 2

    def __init__(self, message: str, text: str = "", offset: int = 0, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.text = text
        self.offset = min(max(offset, 0), len(text))
        self.hint = hint

    @property
    def line(self) -> int:
        """The line of the error, counted from 1."""
        return self.text.count("\n", 0, self.offset) + 1

    @property
    def column(self) -> int:
        """The column of the error, counted from 1."""
        return self.offset - self.text.rfind("\n", 0, self.offset)

    @property
    def position(self) -> tuple[int, int]:
        """``(line, column)``, both counted from 1."""
        return self.line, self.column

    def render(self) -> str:
        """The message, the offending line, a caret under the column, and the hint."""
        lines = [self.message, *self._excerpt()]
        if self.hint:
            lines.append(f"hint: {self.hint}")
        return "\n".join(lines)

    def _excerpt(self) -> list[str]:
        if not self.text.strip():
            return []
        line = self.text.split("\n")[self.line - 1]
        start = max(0, self.column - 1 - _WINDOW // 2)
        shown = "".join(c if c.isprintable() else " " for c in line[start : start + _WINDOW])
        return [f"  {shown}".rstrip(), "  " + " " * (self.column - 1 - start) + "^"]

    def __str__(self) -> str:
        return self.render()
