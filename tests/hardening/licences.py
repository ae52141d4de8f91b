"""What the tool is built on: every dependency with its pinned version and its licence, as a table.

    python tests/hardening/licences.py          print the table
    python tests/hardening/licences.py --write  put it into docs/hardening.md

The licences are those that the installed packages state; the versions are those of constraints.txt.
"""

from __future__ import annotations

import re
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "hardening.md"
START, END = "<!-- licences -->", "<!-- end of licences -->"
EXTRAS = ("", "fit", "cluster")  # what a user installs; tools of the developers are not shipped
MOST = 60  # characters of a licence that is given as a text rather than by its name


def table() -> str:
    """The table in Markdown, core first; a package counts where it is needed first."""
    rows, seen = [], {"identify-ode"}
    for extra in EXTRAS:
        found = sorted(_needed("identify-ode", extra, seen), key=str.lower)
        rows += [(name, *_told(name), extra or "core") for name in found]
    lines = [f"| {name} | {version} | {licence} | {part} |" for name, version, licence, part in rows]
    return "\n".join(["| package | version | licence | part |", "|---|---|---|---|", *lines])


def _needed(name: str, extra: str, seen: set[str]) -> list[str]:
    """The packages that an extra adds, with what they need in turn, as far as they are installed."""
    found = []
    for text in distribution(name).requires or ():
        requirement = Requirement(text)
        wanted = requirement.marker is None or requirement.marker.evaluate({"extra": extra})
        if extra and name == "identify-ode" and "extra" not in text:
            wanted = False
        key = _key(requirement.name)
        if not wanted or key in seen or not _installed(key):
            continue
        seen.add(key)
        found += [key, *_needed(key, next(iter(requirement.extras), ""), seen)]
    return found


def _key(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _installed(name: str) -> bool:
    try:
        distribution(name)
    except PackageNotFoundError:
        return False
    return True


def _told(name: str) -> tuple[str, str]:
    pins = dict(re.findall(r"^([\w.-]+)==(\S+)", (ROOT / "constraints.txt").read_text(), re.M))
    pinned = {_key(pin): version for pin, version in pins.items()}
    return pinned.get(name, "not pinned"), licence(distribution(name))


def licence(package: Distribution) -> str:
    """The licence by its expression, else by its name, else by its classifiers."""
    metadata = package.metadata
    stated = metadata.get("License-Expression") or ""
    named = (metadata.get("License") or "").strip()
    classes = [c for c in metadata.get_all("Classifier") or () if c.startswith("License")]
    if not stated and "\n" not in named and len(named) <= MOST and named != "UNKNOWN":
        stated = named
    listed = ", ".join(dict.fromkeys(c.split(" :: ")[-1] for c in classes))
    return (stated or listed or "not stated").replace("|", "/")


def documented() -> str:
    """The table as the document has it."""
    text = DOCUMENT.read_text(encoding="utf-8")
    return text[text.index(START) + len(START) : text.index(END)].strip()


def main() -> None:
    if "--write" not in sys.argv:
        print(table())
        return
    text = DOCUMENT.read_text(encoding="utf-8")
    before, after = text[: text.index(START) + len(START)], text[text.index(END) :]
    DOCUMENT.write_text(f"{before}\n{table()}\n{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
