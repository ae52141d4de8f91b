"""The sentences of a report, written once for every output format.

A newcomer should understand each of them: what a verdict means, what to film, what to measure.  All of
it is read off the Analysis; a notation writes formulas and escapes prose.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from identify.analysis import (
    Analysis,
    BranchInfo,
    Coverage,
    Guarantee,
    Outcome,
    ParameterVerdict,
    Status,
    Stratum,
)
from identify.report.measure import what_to_measure
from identify.report.notation import Notation, listing, sentence, with_formulas

_MEANING: dict[Status, str] = {
    "identified": "every video fit returns the same value",
    "finite": "a fit returns one of finitely many values",
    "sign": "every fit agrees on the sign, not on the size",
    "free": "depends on the coordinate the network picked",
    "undecided": "the method could not tell",
}
_LABEL: dict[Status, str] = {
    "identified": "identified",
    "finite": "finite",
    "sign": "sign only",
    "free": "free",
    "undecided": "undecided",
}
_DECLARED = "its sign is declared"  # how the engine ends its reason for a sign that comes from an assumption
_DECLARED_MEANING = "you declared the sign; the size depends on the coordinate the network picked"
_REDUNDANT = "enters the motion only in combination with other parameters, whatever the coordinate"
_ROUTE = {
    "semilinear": (
        "The acceleration is at most linear in the velocity, so two fits of the same motion can differ "
        "only by a change of scale and origin of the coordinate."
    ),
    "feature-separation": (
        "The velocity terms keep their form when the velocity is rescaled, and none of them is the square "
        "of the velocity, so two fits of the same motion can differ only by a change of scale and origin "
        "of the coordinate."
    ),
    "canonical": (
        "The law admits the square of the velocity, so the coordinate of a fit may be bent as well as "
        "scaled and shifted. In the canonical coordinate, where that square is gone, only scale and origin "
        "remain."
    ),
    "unsupported": "No theorem covers these velocity terms, so nothing is claimed.",
    "undecided": "The velocity terms of the law were not found in time.",
}
_THEOREM = {
    "semilinear-affine-collapse": "three-slope affine collapse theorem (Theorem 3.1 of the paper)",
    "feature-separation": "curvature-column exclusion theorem (Theorem 4.1 of the paper)",
    "canonical-report-orbit": "canonical compatibility theorem (Theorem 4.2 of the paper)",
}
_WHY: dict[Outcome, str] = {
    "done": "Why it holds",
    "undecided": "How far it got",
    "unsupported": "Why no claim",
}
_TO_GO_ON = (
    "To go on: state what is known of the parameters, give a name of its own to what stands inside a "
    "function, or allow more time."
)
_SCOPE = {
    "global": "for all coordinate maps (global)",
    "local": "for coordinate maps near the identity (local)",
    "none": "for the coordinate maps that were found",
}
_PRECISION = {"exact": "shown exactly", "50 digits": "checked to 50 digits"}
MOST_BRANCHES = 6


@dataclass(frozen=True)
class Section:
    """A heading and its paragraphs."""

    title: str
    lines: tuple[str, ...]


def headline(analysis: Analysis, notation: Notation) -> str:
    """The answer in two or three short sentences."""
    if analysis.outcome == "unsupported":
        return "No claim: " + sentence(notation.prose(analysis.route.reason or "no theorem covers this law"))
    told = " ".join(_told(analysis, notation))
    if analysis.outcome == "undecided":
        because = sentence(notation.prose(analysis.undecided_because or "the method ran out of time"))
        return f"Undecided: {because}" + (f" Known so far: {told}" if told else "")
    return told


def _told(analysis: Analysis, notation: Notation) -> Iterator[str]:
    named = {status: _names(analysis, notation, status) for status in _LABEL}
    if not analysis.parameters:
        if analysis.outcome == "done":
            yield "The law has no parameters to determine."
        return
    if named["identified"]:
        yield f"Video alone determines {listing(named['identified'])}."
    elif analysis.outcome == "done":
        yield "Video alone determines none of the parameters by itself."
    combined = [i for i in analysis.invariants if i not in analysis.parameters]
    if combined:
        also = "It also determines" if named["identified"] else "It does determine"
        yield f"{also} {listing(map(notation.formula, combined))}."
    if named["finite"]:
        yield f"For {listing(named['finite'])} it leaves a finite choice."
    found, declared = _signs(analysis, notation)
    if found:
        yield f"Of {listing(found)} it determines only the sign."
    if declared:
        whose = "whose sign was declared" if len(declared) == 1 else "whose signs were declared"
        yield f"It does not determine the size of {listing(declared, 'or')}, {whose}."
    if named["free"] and named["identified"]:
        yield f"It does not determine {listing(named['free'], 'or')}."


def _signs(analysis: Analysis, notation: Notation) -> tuple[list[str], list[str]]:
    """Parameters known in sign: those whose sign the video shows, and those whose sign was declared."""
    signs = {name: verdict for name, verdict in analysis.parameters.items() if verdict.status == "sign"}
    shown = [notation.formula(name) for name, verdict in signs.items() if not _sign_declared(verdict)]
    return shown, [notation.formula(name) for name, verdict in signs.items() if _sign_declared(verdict)]


def _sign_declared(verdict: ParameterVerdict) -> bool:
    return verdict.status == "sign" and verdict.why.endswith(_DECLARED)


def _names(analysis: Analysis, notation: Notation, status: Status) -> list[str]:
    return [
        notation.formula(name) for name, verdict in analysis.parameters.items() if verdict.status == status
    ]


def given(analysis: Analysis, notation: Notation) -> str:
    """The declared assumptions and domain, or an empty string."""
    conditions = (*analysis.law.assumptions, *analysis.law.domain)
    return listing(map(notation.formula, conditions))


def transformation(verdict: ParameterVerdict, name: str, notation: Notation) -> str:
    """What another fit of the same video may report in place of the parameter."""
    if verdict.alternatives and verdict.status == "finite":
        return listing(map(notation.formula, verdict.alternatives), "or")
    if verdict.transform is not None and verdict.transform != name:
        return notation.formula(verdict.transform)
    return "the same" if verdict.status == "identified" else "not known"


def label(verdict: ParameterVerdict) -> str:
    """The verdict in one or two words; redundancy is kept apart from the coordinate's freedom."""
    label = "sign declared" if _sign_declared(verdict) else _LABEL[verdict.status]
    return label + (", redundant" if verdict.redundant else "")


def meaning(verdict: ParameterVerdict) -> str:
    """What the label tells someone who reads one for the first time."""
    if verdict.redundant:
        return _REDUNDANT
    return _DECLARED_MEANING if _sign_declared(verdict) else _MEANING[verdict.status]


def legend(analysis: Analysis) -> dict[str, ParameterVerdict]:
    """One verdict for each label that occurs, most certain first."""
    order = list(_LABEL)
    verdicts = sorted(analysis.parameters.values(), key=lambda verdict: order.index(verdict.status))
    return {label(verdict): verdict for verdict in verdicts}


def sections(analysis: Analysis, notation: Notation) -> list[Section]:
    """Everything below the verdict table, in reading order; empty sections are left out."""
    found = [
        Section("All fits agree on", tuple(_agreed(analysis, notation))),
        Section("The coordinate", tuple(_coordinate(analysis, notation))),
        Section("What to film", tuple(_film(analysis.coverage, notation))),
        Section("What to measure", tuple(what_to_measure(analysis, notation))),
        Section(_WHY[analysis.outcome], tuple(_route(analysis, notation))),
        Section("Canonical form", tuple(_canonical(analysis, notation))),
        Section("Special cases", tuple(_strata(analysis, notation))),
        Section("Guarantee", tuple(_guarantee(analysis, notation))),
        Section("Warnings", tuple(sentence(notation.verbatim(warning)) for warning in analysis.warnings)),
    ]
    return [section for section in found if section.lines]


def _agreed(analysis: Analysis, notation: Notation) -> Iterator[str]:
    everything = (*analysis.invariants, *analysis.sign_invariants)
    if everything:
        yield ", ".join(map(notation.formula, everything))
    if analysis.redundancy:
        yield "Redundant: " + "; ".join(map(notation.prose, analysis.redundancy)) + "."


def _coordinate(analysis: Analysis, notation: Notation) -> Iterator[str]:
    gauge = analysis.gauge
    if gauge is None:
        return
    shown = gauge.branches[:MOST_BRANCHES]
    for branch in shown:
        yield _branch(branch, analysis, notation)
    if len(gauge.branches) > len(shown):
        yield f"and {len(gauge.branches) - len(shown)} more branches, listed in the JSON document."
    if gauge.dimension is not None:
        yield _freedom(gauge.dimension)
    if gauge.translation_lock is not None:
        lock = gauge.translation_lock
        what = "The origin is fixed" if lock.locked else "The origin is not fixed"
        yield sentence(f"{what}: {notation.prose(lock.because)}" if lock.because else what)


def _freedom(dimension: int) -> str:
    if dimension == 0:
        return "Nothing continuous is left to choose."
    numbers = "one number" if dimension == 1 else f"{dimension} numbers"
    return f"A fit chooses {numbers} here that video cannot see."


def _branch(branch: BranchInfo, analysis: Analysis, notation: Notation) -> str:
    state = analysis.law.state
    if branch.map is not None:
        text = notation.formula(f"{state}hat = {branch.map}")
    else:
        text = notation.formula(branch.relation) if branch.relation else "a map without closed form"
    if branch.free:
        text += f" with {listing(map(notation.formula, branch.free))} free"
    if branch.conditions:
        text += f" ({', '.join(map(notation.formula, branch.conditions))})"
    changed = {name: value for name, value in branch.parameters.items() if value != name}
    if changed:
        reports = (
            f"{notation.formula(name)} as {notation.formula(value)}" for name, value in changed.items()
        )
        text += f", reporting {listing(reports)}"
    for name, polynomial in branch.symbols.items():
        text += f", where {notation.formula(name)} is a root of {notation.formula(polynomial)}"
    return text + "."


def _film(coverage: Coverage | None, notation: Notation) -> Iterator[str]:
    if coverage is None:
        return
    example = (
        f", for example {', '.join(map(notation.formula, coverage.example))}" if coverage.example else ""
    )
    yield f"At each position, motion at {coverage.velocities} or more different velocities{example}."
    if coverage.both_directions:
        yield (
            "Motion in both directions is needed: one direction alone reaches rank "
            f"{coverage.one_direction_rank} of {coverage.rank}."
        )
    else:
        yield "All may have the same direction."
    terms = listing(map(notation.formula, coverage.features))
    yield f"They must tell {terms} apart (rank {coverage.rank})."


def _route(analysis: Analysis, notation: Notation) -> Iterator[str]:
    route = analysis.route
    yield f"Route: {notation.prose(route.name)}. {_ROUTE.get(route.name, '')}".strip()
    if route.features:
        yield "Velocity terms: " + ", ".join(map(notation.formula, route.features)) + "."
    if route.theorem:
        yield sentence(f"By the {_THEOREM.get(route.theorem, notation.prose(route.theorem))}")
    if route.reason and analysis.outcome != "unsupported":
        yield sentence(notation.prose(route.reason))
    if analysis.outcome == "undecided":
        yield _TO_GO_ON
    if route.suggestion:
        yield "Instead: " + sentence(notation.verbatim(route.suggestion))


def _canonical(analysis: Analysis, notation: Notation) -> Iterator[str]:
    canonical = analysis.canonical
    if canonical is None:
        return
    yield f"Coefficient of the squared velocity: {notation.formula(canonical.c2)}."
    if canonical.normalizer is not None:
        yield f"Canonical coordinate: {notation.formula(f'q = {canonical.normalizer}')}."
    else:
        slope = notation.formula(canonical.normalizer_derivative)
        yield f"Canonical coordinate: no closed form; its slope is {slope}."
    if canonical.law is not None:
        yield f"Canonical law: {notation.formula(canonical.law)}."
    if canonical.chart:
        yield f"Valid on {notation.formula(canonical.chart)}."
    if canonical.note:
        yield sentence(with_formulas(canonical.note[0].upper() + canonical.note[1:], notation))


def _strata(analysis: Analysis, notation: Notation) -> Iterator[str]:
    unanswered = [s for s in analysis.strata if s.outcome is None]
    if unanswered:
        cases = listing((notation.formula(s.condition) for s in unanswered), "or")
        yield f"The verdicts leave out {cases}; run again with --strata for the answer there."
    for stratum in analysis.strata:
        if stratum.outcome is not None:
            yield _stratum(stratum, notation)


def _stratum(stratum: Stratum, notation: Notation) -> str:
    text = f"If {notation.formula(stratum.condition)}: "
    if stratum.outcome != "done":
        return f"{text}{notation.prose(str(stratum.outcome))}."
    verdicts = (f"{notation.formula(n)} {label(v)}" for n, v in stratum.parameters.items())
    text += ", ".join(verdicts) or "no parameter is left"
    if stratum.invariants:
        text += f"; all fits agree on {', '.join(map(notation.formula, stratum.invariants))}"
    return text + "."


def _stratum_words(guarantee: Guarantee, notation: Notation) -> str:
    """For which parameter values: almost all, or all but the named ones."""
    _, _, excluded = guarantee.stratum.partition("(not: ")
    if excluded:
        cases = listing(map(notation.formula, excluded.removesuffix(")").split(", ")), "or")
        return f"for all parameter values but {cases} (generic)"
    if guarantee.stratum == "generic":
        return "for almost all parameter values (generic)"
    return notation.prose(guarantee.stratum)


def _guarantee(analysis: Analysis, notation: Notation) -> Iterator[str]:
    guarantee = analysis.guarantee
    if guarantee is None:
        return
    scope = _SCOPE.get(guarantee.scope) or notation.prose(guarantee.scope)
    precision = _PRECISION.get(guarantee.precision) or notation.prose(guarantee.precision)
    numbers = f"over the {notation.prose(guarantee.field)} numbers"
    yield sentence(f"Holds {scope}, {_stratum_words(guarantee, notation)}, {numbers}; {precision}")
    if guarantee.statement:
        yield sentence(notation.prose(guarantee.statement))
    if not guarantee.realizable:
        yield "The alternatives bound what fits can report; not each of them is claimed to occur."
