"""A finished run concluded again: with other anchors, or to write its page anew.  Nothing is refitted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from identify.fit.results.conclusion import Asked, Conclusion, conclude
from identify.fit.results.figures import plain
from identify.fit.results.folder import Run, write_run
from identify.fit.results.html import report_page
from identify.fit.results.pictures import pictures

_KEPT = ("metrics", "data", "seconds", "versions", "seed", "interrupted", "method")


def again(run: Run, asked: Asked, *, isolated: bool = False) -> Conclusion:
    """The conclusion with other anchors; data, metrics and times stay those of the fit.

    ``isolated`` is passed on to the analysis of the law.
    """
    import dataclasses

    from identify.engine import analyze

    found = conclude(run.law, analyze(run.law, isolated=isolated), run.fit, asked)
    document = {**found.document, **{key: run.document[key] for key in _KEPT if key in run.document}}
    if run.document.get("metrics"):
        document["audit"] = _audit(run.document["audit"], found.document["audit"])
    return dataclasses.replace(found, document=plain(document))


def _audit(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows of the fit, with the calibration judged anew: the metrics behind the others are kept."""
    fresh = {row["question"]: row for row in after}
    return [fresh[r["question"]] if r["question"] == "physical calibration" else r for r in before]


def rewritten(run: Run, asked: Asked | None = None, *, isolated: bool = False) -> Conclusion:
    """Conclude again and write all files of the run but the weights."""
    found = again(run, asked or run.asked, isolated=isolated)
    page = report_page(found.document, pictures(found))
    write_run(run.folder, found, _config(run.config, found.asked), page)
    return found


def _config(config: Mapping[str, Any], asked: Asked) -> dict[str, Any]:
    return {
        **config,
        "anchors": list(asked.anchors),
        "units": dict(asked.units),
        "known": list(asked.known),
        "derive": list(asked.derive),
    }
