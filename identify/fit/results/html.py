"""report.html: one file that needs no network; everything a user typed is escaped."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from identify.fit.results.figures import measured, percent
from identify.fit.results.pictures import Picture
from identify.fit.results.words import DIAGNOSTICS, headline, meaning, told
from identify.motion.extra import need

_TEMPLATE = "report.html.j2"


def report_page(document: Mapping[str, Any], pictures: Sequence[Picture]) -> str:
    """The page of a run."""
    need("report.html", "jinja2")
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["percent"] = percent
    template = environment.from_string(files("identify.fit.results").joinpath(_TEMPLATE).read_text("utf-8"))
    shown = [
        {"title": p.title, "caption": p.caption, "data": base64.b64encode(p.png).decode("ascii")}
        for p in pictures
    ]
    return template.render(
        document=document,
        headline=headline(document),
        parameters=[
            (n, _set(told(p)), meaning(p, document["calibrated"].get(n)), p["status"])
            for n, p in document["parameters"].items()
        ],
        invariants=[
            (text, _set(measured(found["value"], found["se"], found["unit"])))
            for text, found in document["invariants"].items()
            if text not in document["parameters"]
        ],
        calibrated=[(n, _set(told(c)), c["why"]) for n, c in document["calibrated"].items()],
        metrics=_metrics(document["metrics"]),
        pictures=shown,
        diagnostics=[
            (DIAGNOSTICS.get(name, name.replace("_", " ")), value)
            for name, value in document["evidence"].items()
        ],
    )


def _set(text: str) -> str:
    """A value as a page shows it: the terminal's plus and minus in one character."""
    return text.replace(" +- ", " ± ")


def _metrics(found: Mapping[str, Any] | None) -> list[tuple[str, str, str]]:
    if not found:
        return []
    rows = (
        ("e_map", "coordinate error: RMS over standard deviation, median over clips"),
        ("e_map_raw", "the same for the raw latent, before normalization"),
        ("e_theta", "largest relative error of a dynamical coefficient at the frozen map"),
        ("e_dyn", "relative error of the acceleration (canonical laws: of the force)"),
    )
    return [(key, percent(found[key]), words) for key, words in rows if found.get(key) is not None]
