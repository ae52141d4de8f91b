"""One hint about calibration: which physical measurement would settle what video leaves open.

The hint names a measurement that suffices for the maps listed in the analysis; it is no claim that
nothing less would do.
"""

from __future__ import annotations

from collections.abc import Iterator

from identify.analysis import Analysis, BranchInfo
from identify.report.notation import Notation, listing, mentions, sentence


def what_to_measure(analysis: Analysis, notation: Notation) -> Iterator[str]:
    """Sentences, most useful first; nothing where no claim was made."""
    if analysis.outcome != "done" or analysis.gauge is None:
        return
    if all(verdict.status == "identified" for verdict in analysis.parameters.values()):
        yield _nothing(analysis)
        return
    main = _main_branch(analysis)
    if main is not None and _moved(main):
        yield from _anchor(analysis, main, notation)
    redundant = [name for name, verdict in analysis.parameters.items() if verdict.redundant]
    if redundant:
        names = listing(map(notation.formula, redundant))
        yield (
            f"{names} enter the law only in combination: no video and no ruler separates them, "
            "an independent measurement of one of them does."
        )
    finite = [name for name, verdict in analysis.parameters.items() if verdict.status == "finite"]
    if finite:
        names = listing(map(notation.formula, finite))
        yield f"To choose among the values of {names}, declare what is known, such as a sign, with --assume."


def _nothing(analysis: Analysis) -> str:
    assert analysis.gauge is not None
    if analysis.gauge.dimension == 0:
        return "Nothing: video alone determines every parameter."
    return (
        "Nothing for the parameters. A known displacement turns the fitted coordinate into physical units, "
        "if those are wanted."
    )


def _main_branch(analysis: Analysis) -> BranchInfo | None:
    assert analysis.gauge is not None
    branches = analysis.gauge.branches
    return next(
        (branch for branch in branches if branch.kind == "identity"), branches[0] if branches else None
    )


def _anchor(analysis: Analysis, branch: BranchInfo, notation: Notation) -> Iterator[str]:
    state = notation.formula(analysis.law.state)
    result = f", and with it {listing(map(notation.formula, _moved(branch)))}"
    free = listing(map(notation.formula, branch.free))
    if _is_scale(branch, analysis.law.state):
        yield f"One known displacement {state} (not zero, with its sign): it fixes {free}{result}."
    elif len(branch.free) == 1:
        yield f"One known position {state} on the video: in general it fixes {free}{result}."
    else:
        yield sentence(
            f"{len(branch.free)} independent known quantities, such as {len(branch.free)} known positions "
            f"{state} on the video: in general they fix {free}{result}"
        )


def _moved(branch: BranchInfo) -> list[str]:
    """The parameters whose reported value depends on the freedom of the coordinate."""
    return [n for n, v in branch.parameters.items() if any(mentions(v, symbol) for symbol in branch.free)]


def _is_scale(branch: BranchInfo, state: str) -> bool:
    """Whether the map is a pure rescaling of the state by its one free number."""
    if len(branch.free) != 1 or branch.map is None:
        return False
    (scale,) = branch.free
    return branch.map.replace(" ", "") in {f"{scale}*{state}", f"{state}*{scale}"}
