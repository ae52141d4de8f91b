"""What to measure: the computed sets of anchors in words, and what given anchors do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from identify.analysis import Analysis, AnchorSet, Calibration, Clock, GivenAnchors
from identify.report.given import formula_applies, given_labels, given_words, open_names, still_open
from identify.report.notation import Notation, listing, sentence, with_formulas

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
_FIRST = ("origin", "frame-rate", "state")  # what others are measured from


def what_to_measure(analysis: Analysis, notation: Notation) -> Iterator[str]:
    """Sentences, most useful first; nothing where no claim was made."""
    calibration = analysis.calibration
    if calibration is None or analysis.outcome == "unsupported":
        return
    if calibration.clock is not None:
        yield from _clock(calibration.clock, notation)
    given = calibration.given
    if given is not None:
        yield from given_words(given, analysis, notation)
    if not calibration.needed:
        yield _nothing(calibration)
    elif given is None:
        yield from _sets(calibration, notation)
        yield from _conversion(calibration, notation)
        yield from _remarks(analysis, calibration, notation)
    else:
        yield from _more(calibration, given, notation)
        if formula_applies(calibration):
            yield from _conversion(calibration, notation)
    yield from (sentence(with_formulas(note, notation)) for note in calibration.notes)


def _nothing(calibration: Calibration) -> str:
    if calibration.dimension == 0:
        return "Nothing: video alone determines every parameter."
    return (
        "Nothing for the parameters. A known displacement turns the fitted coordinate into physical units, "
        "if those are wanted."
    )


# -- the smallest sets ----------------------------------------------------------------------------


def _sets(calibration: Calibration, notation: Notation) -> Iterator[str]:
    groups: dict[tuple[tuple[str, ...], ...], list[str]] = {}
    for name, sets in calibration.parameters.items():
        groups.setdefault(tuple(s.anchors for s in sets), []).append(name)
    for names in groups.values():
        yield _for(names, calibration.parameters[names[0]], notation)
    together = [s.anchors for s in calibration.everything]
    if len(groups) > 1 and all(together != list(anchors) for anchors in groups):
        yield _for([], calibration.everything, notation)


def _for(names: Sequence[str], sets: Sequence[AnchorSet], notation: Notation) -> str:
    target = f"For {listing(map(notation.formula, names))}" if names else "For all of them"
    if not sets:
        return f"{target}: no set of up to three of these measurements suffices."
    shown = [_set(s, notation) for s in sets[:MOST_SETS]]
    more = f"; {len(sets) - MOST_SETS} more in the JSON document" if len(sets) > MOST_SETS else ""
    return f"{target}: {'; or '.join(shown)}{more}."


def _more(calibration: Calibration, given: GivenAnchors, notation: Notation) -> Iterator[str]:
    """What is to be added to the given anchors, for each parameter that they leave open."""
    if not still_open(given):
        return
    for name in open_names(given):
        left = [(s, _missing(s, given_labels(given))) for s in calibration.parameters.get(name, ())]
        useful = [(s, missing) for s, missing in left if missing]
        fewest = min((len(missing) for _, missing in useful), default=0)
        shown = [_set(s, notation, missing) for s, missing in useful if len(missing) == fewest]
        shown = list(dict.fromkeys(shown))[:MOST_SETS]
        if shown:
            yield f"For {notation.formula(name)}, measure in addition: {'; or '.join(shown)}."


def _missing(anchors: AnchorSet, given: Sequence[str]) -> list[int]:
    """The anchors of a set that are not among the given ones, each of which counts once."""
    left, missing = list(given), []
    for index, name in enumerate(anchors.anchors):
        bare = name.removeprefix("another ")
        if bare in left:
            left.remove(bare)
        else:
            missing.append(index)
    return missing


def _set(anchors: AnchorSet, notation: Notation, only: Sequence[int] | None = None) -> str:
    """The anchors of a set in words, or those of them that are still to be measured."""
    chosen = range(len(anchors.anchors)) if only is None else only
    order = sorted(chosen, key=lambda i: anchors.anchors[i] not in _FIRST)
    text = listing(_phrase(anchors, i, notation) for i in order)
    if all(anchors.anchors[i] in _UNSIGNED for i in chosen):
        text += ", without its sign" if len(chosen) == 1 else ", without their signs"
    return text if anchors.scope == "global" else f"{text} (decided near the true values only)"


def _phrase(anchors: AnchorSet, index: int, notation: Notation) -> str:
    anchor = anchors.anchors[index]
    kind, _, name = anchor.partition(" ")
    if kind == "parameter":
        return f"the value of {notation.formula(name)}"
    if anchor == "displacement" and _shares(anchors, index):
        return "the distance from that position to another"
    return _PHRASES.get(anchor) or notation.verbatim(anchor)


def _shares(anchors: AnchorSet, index: int) -> bool:
    """Whether another anchor of the set is at one of its states."""
    others = [at for i, at in enumerate(anchors.at) if i != index]
    return bool(anchors.at) and any(set(at) & set(anchors.at[index]) for at in others)


def _conversion(calibration: Calibration, notation: Notation) -> Iterator[str]:
    if calibration.scale is None or not calibration.conversion:
        return
    given = calibration.given
    names = [n for n in calibration.conversion if given is None or given.parameters[n].status == "identified"]
    if not names:
        return
    formulas = [notation.formula(f"{name} = {calibration.conversion[name]}") for name in names]
    what = "distance" if "-" in calibration.scale else "position or distance"
    yield (
        f"Then {listing(formulas)}, where hats mark the fit's values and "
        f"{notation.formula(f'scale = {calibration.scale}')} is a {what} in the fit divided by the same one "
        "in the scene."
    )


def _remarks(analysis: Analysis, calibration: Calibration, notation: Notation) -> Iterator[str]:
    everything = calibration.everything
    if any(s.where for sets in calibration.parameters.values() for s in sets):
        state = notation.formula(analysis.law.state)
        yield f"Measure {state} where the videos cover it; a position or distance of zero tells nothing."
    if everything and all(any(o.startswith("reflection") for o in s.open) for s in everything):
        yield "The direction of the coordinate (a reflection) stays open; no parameter depends on it."
    if calibration.rank is not None and calibration.dimension:
        chosen = calibration.dimension
        count = f"anchor rank {calibration.rank} of lifted dimension {chosen}"
        yield f"{_fixed(calibration.rank, chosen)} ({count})."


def _fixed(rank: int, chosen: int) -> str:
    """How many of the numbers that a fit chooses known positions settle."""
    numbers = "the one number" if chosen == 1 else f"the {chosen} numbers"
    if rank == 0:
        return f"Known positions fix nothing of {numbers} that a fit chooses: measure as said above"
    amount = "" if chosen == 1 else "both of " if rank == chosen == 2 else f"{rank} of "
    return f"Known positions fix {amount}{numbers} that a fit chooses"


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
            notation.formula(_scaled(name, w, k, clock.symbol))
            for name, (w, k) in clock.weights.items()
            if (w, k) != ("0", "0")
        ]
        if told:
            yield f"A fit reports {listing(told)}."


def _scaled(name: str, weight: str, tempo: str, clock: str) -> str:
    """``name * lambda**-weight * clock**-tempo`` as one fraction."""
    top, bottom = [name], list[str]()
    for scale, power in (("lambda", weight), (clock, tempo)):
        size = power.removeprefix("-")
        if size == "0":
            continue
        factor = scale if size == "1" else f"{scale}**({size})" if "/" in size else f"{scale}**{size}"
        (top if power.startswith("-") else bottom).append(factor)
    below = "*".join(bottom)
    return "*".join(top) + (f"/({below})" if len(bottom) > 1 else f"/{below}" if bottom else "")
