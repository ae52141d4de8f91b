"""Write what the program prints today into the pages: ``python -m tests.docs.renew [PAGE...]``.

Only output that no longer agrees is replaced, so that ``...`` stays where it still fits. Read the difference
before committing: a changed session is a changed promise.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.docs.pages import ROOT, Block, every_page, to_run
from tests.docs.running import Result, library, reader


def main() -> int:
    """The pages named on the command line, or all of them."""
    pages = [Path(name).resolve() for name in sys.argv[1:]] or every_page()
    with library() as path:
        fine = [renewed(page, path) for page in pages]
    return int(not all(fine))


def renewed(page: Path, path: Path) -> bool:
    """Whether every command of ``page`` still ends as announced; its outputs are then up to date."""
    fine = True
    text = page.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        run = reader(Path(folder), path)
        for block in to_run(page):
            for result in run(block):
                if result.complaint is None:
                    continue
                if result.complaint.startswith("exit code"):
                    print(f"{block.place}: {result.step.script.strip()}: {result.complaint}", file=sys.stderr)
                    fine = False
                    continue
                text = _replaced(text, block, result)
                print(f"renewed: {page.relative_to(ROOT)}: {result.step.script.strip().splitlines()[0]}")
    page.write_text(text, encoding="utf-8")
    return fine


def _replaced(text: str, block: Block, result: Result) -> str:
    printed = "\n".join(line.rstrip() for line in result.printed.strip("\n").splitlines())
    shown = (result.step.shown or "").rstrip("\n")
    prompt = "$ " if block.language == "console" else ""
    before = f"{prompt}{result.step.script}" if prompt else f"{result.step.script}```\n\n```text"
    old = f"{before}\n{shown}" if shown else before
    assert old in text, f"{block.place}: cannot find the old output"
    return text.replace(old, f"{before}\n{printed}", 1)


if __name__ == "__main__":
    sys.exit(main())
