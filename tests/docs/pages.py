"""The blocks of a page of the documentation, and what a reader is told to expect of each.

Fenced blocks are executed by their language, in the order of the page and all in one folder, so that a later
block may use what an earlier one made:

- ``sh``: a script; it must succeed. A ``text`` block right behind it shows the whole output.
- ``console``: lines after ``$`` are commands, everything below them is their output.
- ``python``: a program; again a ``text`` block right behind it shows the output.
- ``yaml`` and ``json`` must be readable.

In shown output ``...`` stands for anything. A comment right above a block says what is special about it:
``<!-- not run: REASON -->`` or ``<!-- exit code: N -->`` (of the last command).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
RUN = ("sh", "console", "python")
_FENCE = re.compile(
    r"^(?P<fence>`{3,})(?P<language>[\w{}:-]+)?[^\n]*\n(?P<text>.*?)^(?P=fence)[ ]*$",
    re.DOTALL | re.MULTILINE,
)
_REASON = re.compile(r"<!-- not run: (?P<reason>[^>]+?) -->\n\Z")
_CODE = re.compile(r"<!-- exit code: (?P<code>\d+) -->\n\Z")


@dataclass(frozen=True)
class Block:
    """One fenced block: its language and text, where it stands, and what is said about it."""

    page: Path
    line: int
    language: str
    text: str
    shown: str | None  # the output that the page shows, for sh and python
    reason: str | None  # why it is not run
    code: int  # the exit code that the page announces

    @property
    def place(self) -> str:
        """Where the block begins, as editors understand it."""
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def every_page() -> list[Path]:
    """README.md and all pages below docs/."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(page: Path) -> list[Block]:
    """All fenced blocks of ``page`` that have a language, outputs joined to what prints them."""
    text = page.read_text(encoding="utf-8")
    fences = list(_FENCE.finditer(text))
    found = []
    for this, following in zip_longest(fences, fences[1:]):
        shown = None
        if following and following["language"] == "text" and not text[this.end() : following.start()].strip():
            shown = following["text"]
        before = text[: this.start()]
        reason, code = _REASON.search(before), _CODE.search(before)
        found.append(
            Block(
                page=page,
                line=before.count("\n") + 1,
                language=this["language"] or "",
                text=this["text"],
                shown=shown if this["language"] in {"sh", "python"} else None,
                reason=reason["reason"] if reason else None,
                code=int(code["code"]) if code else 0,
            )
        )
    return found


def to_run(page: Path) -> list[Block]:
    """The blocks of ``page`` that the tests execute."""
    return [block for block in blocks(page) if block.language in RUN and block.reason is None]


def agrees(shown: str, printed: str) -> bool:
    """Whether the output is what the page shows; ``...`` stands for anything, blanks at line ends for nil."""

    def tidy(text: str) -> str:
        return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())

    pattern = "(?s:.*?)".join(map(re.escape, tidy(shown).split("...")))
    return re.fullmatch(pattern, tidy(printed)) is not None
