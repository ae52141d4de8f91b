"""What to measure: the computed sets of anchors in words, and what given anchors do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from identify.analysis import Analysis, AnchorSet, CalibratedParameter, Calibration, Clock, GivenAnchors
from identify.report.notation import Notation, listing, sentence

MOST_SETS = 4
_PHRASES = {
    "origin": "which picture shows the origin",
    "state": "a position with its sign",
    "another state": "a second one",
    "amplitude": "the size of a displacement from the origin",
    "displacement": "the distance between two positions",
    "frame-rate": "the true frame rate (or a known period)",
}
_UNSIGNED = ("amplitude", "displacement")


def what_to_measure(analysis: Analysis, notation: Notation) -> Iterator[str]:
    """Sentences, most useful first; nothing where no claim was made."""
    calibration = analysis.calibration
    if calibration is None or analysis.outcome == "unsupported":
        return
    if calibration.clock is not None:
        yield from _clock(calibration.clock, notation)
    if calibration.given is not None:
        yield from _given(calibration.given, analysis, notation)
    if not calibration.needed:
        yield _nothing(calibration)
    elif calibration.given is None or _still_open(calibration.given):
        yield from _sets(analysis, calibration, notation)
    yield from (sentence(notation.prose(note)) for note in calibration.notes)


def _nothing(calibration: Calibration) -> str:
    if calibration.dimension == 0:
        return "Nothing: video alone determines every parameter."
    return (
        "Nothing for the parameters. A known displacement turns the fitted coordinate into physical units, "
        "if those are wanted."
    )


# -- the smallest sets ----------------------------------------------------------------------------


def _sets(analysis: Analysis, calibration: Calibration, notation: Notation) -> Iterator[str]:
    groups: dict[tuple[tuple[str, ...], ...], list[str]] = {}
    for name, sets in calibration.parameters.items():
        groups.setdefault(tuple(s.anchors for s in sets), []).append(name)
    for names in groups.values():
        yield _for(names, calibration.parameters[names[0]], notation)
    together = [s.anchors for s in calibration.everything]
    if len(groups) > 1 and all(together != list(anchors) for anchors in groups):
        yield _for([], calibration.everything, notation)
    yield from _conversion(calibration, notation)
    yield from _remarks(analysis, calibration, notation)


def _for(names: Sequence[str], sets: Sequence[AnchorSet], notation: Notation) -> str:
    target = f"For {listing(map(notation.formula, names))}" if names else "For all of them"
    if not sets:
        return f"{target}: no set of up to three of these measurements suffices."
    shown = [_set(s, notation) for s in sets[:MOST_SETS]]
    more = f"; {len(sets) - MOST_SETS} more in the JSON document" if len(sets) > MOST_SETS else ""
    return f"{target}: {'; or '.join(shown)}{more}."


def _set(anchors: AnchorSet, notation: Notation) -> str:
    text = listing(_phrase(a, notation) for a in anchors.anchors)
    if all(a in _UNSIGNED for a in anchors.anchors):
        text += ", without its sign"
    return text if anchors.scope == "global" else f"{text} (decided near the true values only)"


def _phrase(anchor: str, notation: Notation) -> str:
    kind, _, name = anchor.partition(" ")
    if kind == "parameter":
        return f"the value of {notation.formula(name)}"
    return _PHRASES.get(anchor) or notation.verbatim(anchor)


def _conversion(calibration: Calibration, notation: Notation) -> Iterator[str]:
    if calibration.scale is None or not calibration.conversion:
        return
    formulas = [notation.formula(f"{name} = {value}") for name, value in calibration.conversion.items()]
    yield f"Then {listing(formulas)}, where {notation.formula(f'scale = {calibration.scale}')}."


def _remarks(analysis: Analysis, calibration: Calibration, notation: Notation) -> Iterator[str]:
    everything = calibration.everything
    if any(s.where for sets in calibration.parameters.values() for s in sets):
        state = notation.formula(analysis.law.state)
        yield f"Measure {state} where the videos cover it; a position or distance of zero tells nothing."
    if everything and all(any(o.startswith("reflection") for o in s.open) for s in everything):
        yield "The direction of the coordinate (a reflection) stays open; no parameter depends on it."
    if calibration.rank is not None and calibration.dimension:
        chosen = calibration.dimension
        numbers = "the one number" if chosen == 1 else f"the {chosen} numbers"
        fixed = "" if chosen == 1 == calibration.rank else f"{calibration.rank or 'none'} of "
        yield (
            f"Known positions fix {fixed}{numbers} that a fit chooses "
            f"(anchor rank {calibration.rank}, lifted dimension {chosen})."
        )


# -- given anchors --------------------------------------------------------------------------------


def _still_open(given: GivenAnchors) -> bool:
    return any(p.status != "identified" for p in given.parameters.values())


def _given(given: GivenAnchors, analysis: Analysis, notation: Notation) -> Iterator[str]:
    texts = listing(notation.verbatim(a.text) for a in given.anchors)
    new = [n for n, p in given.parameters.items() if _became_known(n, p, analysis)]
    if new:
        known = listing(_known(name, given.parameters[name], notation) for name in new)
        yield f"With {texts}, video determines {known}."
    else:
        yield f"With {texts}, video determines no further parameter."
    for name, parameter in given.parameters.items():
        if parameter.status != "identified":
            yield sentence(f"{notation.formula(name)} stays {_open(parameter, notation)}")
    if given.open:
        yield sentence("Still open: " + "; ".join(map(notation.verbatim, given.open)))
    if given.scope != "global":
        yield sentence(notation.prose(given.statement))
    if given.where:
        yield sentence("This needs: " + "; ".join(map(notation.verbatim, given.where)))


def _became_known(name: str, parameter: CalibratedParameter, analysis: Analysis) -> bool:
    return parameter.status == "identified" and analysis.parameters[name].status != "identified"


def _known(name: str, parameter: CalibratedParameter, notation: Notation) -> str:
    told = []
    if parameter.relative_uncertainty is not None:
        told.append(f"to {100 * parameter.relative_uncertainty:.2g} %")
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


# -- the clock ------------------------------------------------------------------------------------


def _clock(clock: Clock, notation: Notation) -> Iterator[str]:
    if not clock.restored_by:
        yield "The clock needs no measurement: a number in the law fixes it."
        return
    symbol = notation.formula(clock.symbol)
    names = [a.partition(" ")[2] for a in clock.restored_by if a.startswith("parameter ")]
    others = [f"the value of {notation.formula(name)}" for name in names]
    ways = listing(["the true frame rate", "a known period", *others], "or")
    yield f"The clock of the footage is unknown by a factor {symbol}: {ways} restores it."
    if clock.weights:
        told = [
            notation.formula(name + _factor("lambda", w) + _factor(clock.symbol, k))
            for name, (w, k) in clock.weights.items()
            if (w, k) != ("0", "0")
        ]
        if told:
            yield f"A fit reports {listing(told)}."


def _factor(scale: str, weight: str) -> str:
    """The factor ``scale**-weight``, as it continues a product."""
    if weight == "0":
        return ""
    size = weight.removeprefix("-")
    power = scale if size == "1" else f"{scale}**({size})" if "/" in size else f"{scale}**{size}"
    return f"*{power}" if weight.startswith("-") else f"/{power}"
