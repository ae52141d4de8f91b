"""What given anchors do, in words: what becomes known, what stays open, and what to add."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from identify.analysis import Analysis, CalibratedParameter, Calibration, GivenAnchor, GivenAnchors
from identify.report.notation import Notation, listing, mentions, sentence

_NOT_ENUMERATED = "other branches were not enumerated"
_CLOCK = ("frame-rate", "period")


def given_words(given: GivenAnchors, analysis: Analysis, notation: Notation) -> Iterator[str]:
    """Sentences, the answer first."""
    yield _answer(given, analysis, notation)
    for name, parameter in given.parameters.items():
        if parameter.status != "identified":
            yield sentence(f"{notation.formula(name)} stays {_open(parameter, notation)}")
    told = [_freedom(text, notation) for text in given.open if text != _NOT_ENUMERATED]
    if told:
        none = "; no parameter depends on it" if not still_open(given) else ""
        yield sentence(f"Still open: {'; '.join(told)}{none}")
    if given.scope != "global":
        yield sentence(notation.prose(given.statement))
    if given.where:
        yield sentence("This needs: " + "; ".join(_where(text, notation) for text in given.where))
    yield from _places(given, notation)


def still_open(given: GivenAnchors) -> bool:
    """Whether a parameter is left that the anchors do not determine."""
    return any(p.status != "identified" for p in given.parameters.values())


def open_names(given: GivenAnchors) -> list[str]:
    """The parameters that the anchors do not determine."""
    return [name for name, p in given.parameters.items() if p.status != "identified"]


def given_labels(given: GivenAnchors) -> list[str]:
    """The given anchors under the names that sets of anchors use."""
    return [_label(anchor) for anchor in given.anchors]


def _label(anchor: GivenAnchor) -> str:
    if anchor.kind == "parameter":
        return f"parameter {anchor.parameter}"
    if anchor.kind in _CLOCK:
        return "frame-rate"
    same = {"size": "displacement", "equilibrium": "state"}
    at_zero = anchor.kind in ("state", "equilibrium") and anchor.at == ("0",)
    return "origin" if at_zero else same.get(anchor.kind, anchor.kind)


def formula_applies(calibration: Calibration) -> bool:
    """Whether the given anchors measure the scale that the conversion formulas use."""
    given = calibration.given
    if given is None:
        return True
    known = {name for name, p in given.parameters.items() if p.status == "identified"}
    on_coordinate = any(anchor.at not in ((), ("0",)) for anchor in given.anchors)
    return on_coordinate and bool(known & set(calibration.conversion))


def _answer(given: GivenAnchors, analysis: Analysis, notation: Notation) -> str:
    texts = listing(notation.verbatim(a.text) for a in given.anchors)
    own = {a.parameter for a in given.anchors}
    new = [n for n, p in given.parameters.items() if n not in own and _became_known(n, p, analysis)]
    if not new:
        return f"With {texts}, video determines no further parameter."
    uncertain = any(a.uncertainty is not None for a in given.anchors)
    known = listing(_known(name, given.parameters[name], uncertain, notation) for name in new)
    return f"With {texts}, video determines {known}."


def _became_known(name: str, parameter: CalibratedParameter, analysis: Analysis) -> bool:
    return parameter.status == "identified" and analysis.parameters[name].status != "identified"


def _known(name: str, parameter: CalibratedParameter, uncertain: bool, notation: Notation) -> str:
    told = []
    if parameter.relative_uncertainty is not None:
        percent = 100 * parameter.relative_uncertainty
        told.append(f"to {percent:.2g} %" if percent < 100 else f"to {percent:.0f} %")
    elif uncertain and parameter.sensitivity:
        told.append("how precisely depends on the true values")
    if parameter.unit not in (None, "1"):
        told.append(f"in {parameter.unit}")
    formula = notation.formula(name)
    return f"{formula} ({notation.verbatim(', '.join(told))})" if told else formula


def _open(parameter: CalibratedParameter, notation: Notation) -> str:
    if parameter.status == "finite":
        others = listing(map(notation.formula, parameter.alternatives), "or")
        return f"ambiguous: a fit may also report {others}"
    words = {"sign": "known in sign only", "free": "free", "undecided": "undecided"}
    return words.get(parameter.status, parameter.status)


def _freedom(text: str, notation: Notation) -> str:
    """One open freedom of the coordinate; the formula in it is typeset."""
    kind, _, rest = text.partition(" ")
    formula, _, free = rest.partition(" with ")
    if "=" not in formula or kind not in ("reflection", "coordinate", "branch"):
        return notation.prose(text)
    shown = notation.formula(formula)
    if kind == "reflection":
        return f"the direction of the coordinate ({shown})"
    names = free.removesuffix(" free").split(", ") if free else []
    if names:
        return f"the coordinate, {shown} with any {listing(map(notation.formula, names))}"
    return f"another coordinate, {shown}"


def _where(text: str, notation: Notation) -> str:
    """A condition on the anchored states; comparisons are formulas, the rest is prose around names."""
    if text.endswith(" != 0"):
        return notation.formula(text)
    head, lies, tail = text.partition(" lie")
    names = [notation.formula(name) for name in head.split(" and ")]
    return f"{listing(names)}{lies}{tail}" if lies else notation.prose(text)


def _places(given: GivenAnchors, notation: Notation) -> Iterator[str]:
    """What z1, z2 stand for, where a sentence above used them."""
    texts = [*given.where, *given.open]
    texts += [t for p in given.parameters.values() for t in p.alternatives if p.status == "finite"]
    seen: dict[str, str] = {}
    for anchor in given.anchors:
        for place in anchor.at:
            if place not in seen and any(mentions(text, place) for text in texts):
                seen[place] = notation.verbatim(anchor.text)
    told = []
    for text, names in _grouped(seen):
        noun = "is the position" if len(names) == 1 else "are the positions"
        told.append(f"{listing(map(notation.formula, names))} {noun} of {text}")
    if told:
        yield f"Here {listing(told)}."


def _grouped(seen: dict[str, str]) -> Sequence[tuple[str, list[str]]]:
    found: dict[str, list[str]] = {}
    for place, text in seen.items():
        found.setdefault(text, []).append(place)
    return list(found.items())
