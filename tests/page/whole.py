"""The page against the terminal for every family of the catalogue: ``python -m tests.page.whole [NAME...]``.

The JSON documents must be equal byte for byte: they contain no time and no version, so nothing is left out.
Takes some minutes, most of them for one family.
"""

from __future__ import annotations

import sys
import time

from identify.engine import analyze
from identify.families.listing import entries, load
from identify.page.inside.session import PATIENCE
from identify.report import render
from tests.page.browser import Visit, browsers, page_file, visit


def differs(shown: Visit, name: str) -> bool:
    """Whether the page's document for the family is another than the terminal's."""
    declared, lawful = load(name)
    shown.ask(declared.law.text, [*lawful.assume, *lawful.domain])
    analysis = analyze(declared.law.text, lawful.assume, lawful.domain, timeout=PATIENCE)
    return shown.certificate() != render(analysis, "json")


def main(names: list[str]) -> int:
    """0 where every document is equal and the console stayed empty, else 1."""
    wrong = []
    with browsers() as browser, visit(browser) as shown:
        shown.page.set_default_timeout(1_200_000)
        file = page_file()
        with shown.measured() as cost:
            shown.open(file)
            shown.ready()
        print(f"ready in {cost.clock:.1f} s, {cost.processor:.1f} s of processor time", flush=True)
        for name in names or [entry.name for entry in entries()]:
            started = time.monotonic()
            different = differs(shown, name)
            wrong += [name] if different else []
            print(
                f"{'DIFFERS' if different else 'equal':8} {time.monotonic() - started:6.1f} s  {name}",
                flush=True,
            )
        wrong += shown.complaints
    print(f"{len(wrong)} differences: {', '.join(wrong)}" if wrong else "All documents are equal.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
