"""The report of a fit for a person at a terminal: what the video determines, what not, and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from identify.fit.results.figures import measured, percent
from identify.motion.page import Page

DIAGNOSTICS = {
    "weak_residual": "residual of the law, weak form",
    "output_residual": "residual of the law's own solution",
    "structured_residual": "of it, not noise",
    "place_noise": "noise of the places",
    "lti_ratio": "residual of a linear law over this law's",
    "test_residual": "residual on held-out clips",
    "outliers": "share of outliers",
    "curve_spread": "distance of the frames from one curve",
    "off_curve_share": "share of frames far from it",
    "other_change": "other changes in the picture",
    "stumbles": "jumps of the motion",
    "least_slope": "least slope of the map",
    "motion_over_noise": "motion over noise",
    "periods": "periods filmed",
    "clip_spread": "spread of the parameters over clips",
    "candidate_spread": "spread over candidates",
    "scale_spread": "spread over latent scales",
}
_ALONE = {"free": "open", "sign": "only its sign", "finite": "one of these"}
_MARK = {"supported": "+", "weak": "~", "failed": "x", "not checked": "-"}


def fit_page(document: Mapping[str, Any], where: str | None = None) -> Page:
    """The page, read off the document."""
    page = Page()
    page.title(document["law"])
    page.say(headline(document), style="bold" if document["accepted"] else "bold red")
    if document.get("advice"):
        page.say(f"Next: {document['advice']}.".replace("..", "."))
    if document["fit"] is not None:
        _parameters(page, document)
    _calibrated(page, document)
    _metrics(page, document)
    page.warn(document["warnings"])
    page.table(
        ("audit", "", "verdict", "evidence"),
        ((r["question"], _MARK[r["verdict"]], r["verdict"], r["evidence"]) for r in document["audit"]),
    )
    page.say(_footer(document), *([f"Report: {where}"] if where else []))
    return page


def headline(document: Mapping[str, Any]) -> str:
    """One sentence: accepted or refused, and why."""
    partial = document.get("interrupted") and document["fit"] is not None
    stopped = " It was interrupted; this is the best result so far." if partial else ""
    if not document["accepted"]:
        return f"Refused: {document['reason']}.{stopped}"
    if not document["parameters"]:
        return f"The fit is accepted: the law, which has no parameters, follows the frames.{stopped}"
    known = [n for n, p in document["parameters"].items() if p["status"] == "identified"]
    known += [n for n, c in document["calibrated"].items() if c["status"] == "identified" and n not in known]
    if known:
        return f"The fit is accepted. Determined: {', '.join(known)}.{stopped}"
    return f"The fit is accepted; it determines no parameter by itself.{stopped}"


def told(entry: Mapping[str, Any]) -> str:
    """The value of a parameter as far as it is warranted."""
    if entry.get("values"):
        one_of = " or ".join(measured(v, entry["se"]) for v in entry["values"])
        unit = entry.get("unit")
        return f"{one_of}{f' {unit}' if unit and unit != '1' else ''}"
    if entry["value"] is not None:
        return measured(entry["value"], entry["se"], entry["unit"])
    if entry.get("sign"):
        return "positive" if entry["sign"] == "+" else "negative"
    return "open"


def meaning(entry: Mapping[str, Any], calibrated: Mapping[str, Any] | None = None) -> str:
    """The status in plain words, with what would help; an anchor that was given is not asked for again."""
    if calibrated is not None and entry["status"] in ("free", "sign", "finite"):
        if calibrated["status"] == "identified":
            return f"{_ALONE[entry['status']]} by the video alone: see below"
        if calibrated["status"] == "free" and _measurable(entry):
            return str(calibrated["why"])
    match entry["status"]:
        case "identified":
            return "determined by the video"
        case "finite":
            return f"one of these; {entry['needs']}" if entry.get("needs") else "one of these"
        case "sign":
            return f"only its sign; {entry['needs']}" if entry.get("needs") else "only its sign"
        case "free":
            return str(entry.get("needs") or entry["why"])
        case _:
            return f"not guaranteed: {entry['why'].partition(': ')[0]}"  # the whole of it is a warning


def _parameters(page: Page, document: Mapping[str, Any]) -> None:
    calibrated = document["calibrated"]
    rows = [(name, told(p), meaning(p, calibrated.get(name))) for name, p in document["parameters"].items()]
    rows += [
        (text, measured(found["value"], found["se"], found["unit"]), "the same in every compatible report")
        for text, found in document["invariants"].items()
        if text not in document["parameters"]
    ]
    if rows:
        page.table(("parameter", "value", "what the video says"), rows)
    if document["accepted"] and not document["anchors"] and (hint := _hint(document["parameters"].values())):
        page.say(hint)


def _hint(entries: Iterable[Mapping[str, Any]]) -> str | None:
    """What an anchor is, by example; None where no measurement in the scene would settle anything."""
    if not any(_measurable(entry) for entry in entries):
        return None
    return (
        'An anchor is something you measured: --anchor "size=0.400 m over 713 px", '
        '"amplitude=0.20 m of clip NAME", "state=0.20 m at clip NAME t=1.2". '
        "identify calibrate adds it without refitting."
    )


def _measurable(entry: Mapping[str, Any]) -> bool:
    """Whether something in the scene settles a parameter, and not only another parameter."""
    return any(not kind.startswith("parameter ") for chosen in entry.get("anchors", ()) for kind in chosen)


def _calibrated(page: Page, document: Mapping[str, Any]) -> None:
    rows = [(name, told(c), c["why"]) for name, c in document["calibrated"].items()]
    if rows:
        page.say("With the anchors and known quantities:")
        page.table(("quantity", "value", "how"), rows)


def _metrics(page: Page, document: Mapping[str, Any]) -> None:
    found = document["metrics"]
    if not found:
        return
    names = (("e_map", "coordinate"), ("e_theta", "parameters"), ("e_dyn", "acceleration"))
    each = [f"{word} {percent(found[key])}" for key, word in names if found.get(key) is not None]
    if each:
        note = f" {found['note'][0].upper()}{found['note'][1:]}." if found.get("note") else ""
        page.say(f"Against the references ({found['on']}): {', '.join(each)}.{note}")


def _footer(document: Mapping[str, Any]) -> str:
    clips = document["data"].get("clips", [])
    frames = sum(int(c.get("used", 0)) for c in clips)
    train = sum(c.get("role") != "test" for c in clips)
    seconds = document["seconds"].get("total")
    parts = [f"{train} training and {len(clips) - train} held-out clips, {frames} frames used"]
    parts += [f"method {document['method']}"]
    if seconds is not None:
        parts.append(f"{seconds:.1f} s")
    return ", ".join(parts) + "."
