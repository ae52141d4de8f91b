"""Photographs of the page for the documentation: ``python -m tests.page.pictures`` takes them anew."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.page.browser import Visit, browsers, page_file, visit

FOLDER = Path(__file__).parent.parent.parent / "docs" / "pictures"
WIDE, NARROW = {"width": 900, "height": 900}, {"width": 320, "height": 900}


def photographs(shown: Visit, folder: Path) -> list[str]:
    """The cubic oscillator: one picture light, the other and the result dark, the result narrow too."""
    page = shown.page
    page.emulate_media(reduced_motion="reduce")
    names = []
    page.set_viewport_size(WIDE)
    shown.ask("z'' + d*z' + a*z + b*z**3 = 0", ["b != 0"])
    page.locator("input[data-symbol=lambda]").fill("55")
    page.evaluate("document.activeElement.blur()")
    for part, scheme in (("orbit", "light"), ("result", "dark"), ("phase", "dark")):
        page.emulate_media(color_scheme=scheme)
        names.append(f"page-{part}-{scheme}.png")
        page.locator(f"#{part}").screenshot(path=folder / names[-1], animations="disabled")
    page.set_viewport_size(NARROW)
    page.emulate_media(color_scheme="light")
    names.append("page-narrow.png")
    page.evaluate("document.getElementById('result').scrollIntoView()")
    page.screenshot(path=folder / names[-1], animations="disabled")
    page.set_viewport_size(WIDE)
    return names


def main() -> int:
    """Write all photographs to docs/pictures."""
    with browsers() as browser, visit(browser) as shown:
        shown.open(page_file())
        shown.ready()
        for name in photographs(shown, FOLDER):
            print(FOLDER / name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
