"""``--dry-run``: what a fit would use, as a page of pictures and a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from identify.errors import InputError
from identify.files import write_whole
from identify.motion.extra import need
from identify.motion.page import Page, number

if TYPE_CHECKING:
    from identify.fit.results.filmed import Filmed, Plan

FILE = "preview.html"
_TEMPLATE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<meta name="color-scheme" content="light dark"><title>identify fit: preview</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1rem}
figure{margin:1.4rem 0}img{max-width:100%;height:auto;background:#fff;border-radius:6px}
p,li,figcaption{overflow-wrap:anywhere}</style></head><body>
<h1>What a fit would use</h1><p>{{ folder }}</p>
<ul>{% for line in lines %}<li>{{ line }}</li>{% endfor %}</ul>
{% for picture in pictures %}<figure><img alt="{{ picture.title }}"
src="data:image/png;base64,{{ picture.data }}">
<figcaption><b>{{ picture.title }}.</b> {{ picture.caption }}</figcaption></figure>{% endfor %}
</body></html>
"""


def write_preview(plan: Plan, filmed: Filmed) -> Page:
    """Write preview.html in the run folder; the page for the terminal says the same in words."""
    lines = _lines(filmed)
    file = plan.out / FILE
    _write(file, str(plan.folder), lines, filmed)
    page = Page()
    page.title(plan.law.text)
    if filmed.refused:
        page.say(f"Nothing could be used: {filmed.prepared.reason}.", style="bold red")
        page.say(f"Next: {filmed.prepared.advice}.".replace("..", "."))
    else:
        page.say("This is what a fit would use:", style="bold")
    page.table(
        ("clip", "role", "frames", "from", "to", "why it begins and ends there"),
        (
            (
                c["name"],
                c["role"],
                str(c["frames"]),
                number(c.get("from")),
                number(c.get("to")),
                c.get("note", ""),
            )
            for c in filmed.data["clips"]
        ),
    )
    if filmed.data.get("crop"):
        x, y, w, h = filmed.data["crop"]
        page.say(f"Region: --crop {x},{y},{w},{h}")
    page.warn([*filmed.warnings, *(f"left out: {s['name']}: {s['reason']}" for s in filmed.data["skipped"])])
    page.say(f"Pictures: {file}")
    return page


def _lines(filmed: Filmed) -> list[str]:
    lines = [
        f"{c['name']} ({c['role']}): {c['frames']} frames, {c.get('note', '')}" for c in filmed.data["clips"]
    ]
    lines += [f"left out: {s['name']}: {s['reason']}" for s in filmed.data["skipped"]]
    return lines + list(filmed.warnings)


def _write(file: Path, folder: str, lines: list[str], filmed: Filmed) -> None:
    import base64

    need("--dry-run", "jinja2")
    from jinja2 import Environment

    shown = [
        {"title": p.title, "caption": p.caption, "data": base64.b64encode(p.png).decode("ascii")}
        for p in filmed.pictures
    ]
    page = (
        Environment(autoescape=True).from_string(_TEMPLATE).render(folder=folder, lines=lines, pictures=shown)
    )
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, page)
    except OSError as error:
        raise InputError(
            f"cannot write {file}: {error.strerror or error}", hint="choose another --out"
        ) from None
