"""What a family file expects against what the analysis found, as sentences that point at the claim."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from sympy import Dummy, Expr, fraction, sign

from identify.analysis import Analysis, ParameterVerdict
from identify.checked import Finding
from identify.conclude.anchor_text import read_anchor
from identify.errors import InputError
from identify.families import functions
from identify.families.declared import Declared
from identify.families.lawful import Lawful
from identify.families.measured import Measured
from identify.families.reading import nearest
from identify.families.schema import Expect
from identify.law import read_expression, to_text
from identify.law.names import real

_COVERAGE = {"rank": "the coverage rank", "velocities": "the number of velocities"}
_GAUGE = {"dimension": "the gauge dimension", "orbit_dimension": "the orbit dimension"}


def found_expect(analysis: Analysis, measured: Measured) -> dict[str, Any]:
    """The ``expect`` that describes this analysis; what is undecided is left out."""
    found: dict[str, Any] = {} if analysis.route.name == "undecided" else {"route": analysis.route.name}
    if analysis.outcome != "unsupported":
        known = {n: v.status for n, v in analysis.parameters.items() if v.status != "undecided"}
        found |= {"parameters": known} if known else {}
    if analysis.outcome == "done":
        found["invariants"] = list(analysis.invariants)
        if analysis.sign_invariants:
            found["sign_invariants"] = list(analysis.sign_invariants)
        dimension = analysis.gauge.dimension if analysis.gauge else None
        sizes = {"dimension": dimension, "orbit_dimension": analysis.orbit_dimension}
        found["gauge"] = {key: size for key, size in sizes.items() if size is not None}
    if analysis.coverage is not None:
        keys = ("rank", "velocities", "both_directions")
        found["coverage"] = {key: getattr(analysis.coverage, key) for key in keys}
    found["anchors"] = [list(kinds) for kinds in measured.telling]
    return {key: value for key, value in found.items() if value or key == "invariants"}


def told(name: str, verdict: ParameterVerdict) -> str:
    """How another fit may report the parameter, and the verdict."""
    if verdict.status == "identified":
        return "every fit returns the same value (verdict: identified)"
    if verdict.status == "finite" and verdict.alternatives:
        return f"another fit may report {' or '.join(verdict.alternatives[:4])} (verdict: finite)"
    if verdict.status == "undecided":
        return f"undecided: {verdict.why}"
    if verdict.transform is None or verdict.transform == name:
        return f"{verdict.why} (verdict: {verdict.status})"
    return f"{_transform(name, verdict.transform)} (verdict: {verdict.status})"


def _transform(name: str, transform: str) -> str:
    try:
        ratio = (read_expression(transform) / real(name)).cancel()
    except InputError:
        ratio = None
    if ratio is not None and {s.name for s in ratio.free_symbols} == {"lambda"}:
        return f"it scales as {_fraction(ratio)}"
    return f"another fit reports it as {transform}"


def _fraction(ratio: Expr) -> str:
    """``1/lambda**2`` rather than ``lambda**(-2)``."""
    above, below = fraction(ratio)
    if below == 1:
        return to_text(ratio)
    text = to_text(below)
    return f"{to_text(above)}/{text if below.is_Pow or below.is_Symbol else f'({text})'}"


def compare(declared: Declared, lawful: Lawful, analysis: Analysis, measured: Measured) -> list[Finding]:
    """Every difference between ``expect`` and the analysis, and whatever could not be decided."""
    if declared.expect is None:
        return []
    return list(_Comparison(declared, declared.expect, lawful, analysis, measured).everything())


@dataclass
class _Comparison:
    declared: Declared
    expect: Expect
    lawful: Lawful
    analysis: Analysis
    measured: Measured
    _evidence: list[functions.Evidence] = field(default_factory=list)

    def everything(self) -> Iterator[Finding]:
        yield from self.route()
        if self.analysis.outcome == "unsupported":
            yield from self.withheld()
            return
        yield from self.parameters()
        yield from self.coverage()
        if self.analysis.gauge is None:
            if self.expect.invariants or self.expect.gauge or self.expect.sign_invariants:
                yield self.undecided("expect", "nothing more could be compared")
            return
        yield from self.gauge()
        yield from self.invariants()
        yield from self.signs()
        yield from self.anchors()

    # -- findings -----------------------------------------------------------------------------------

    def finding(self, message: str, *steps: str | int, hint: str | None = None, **sides: str) -> Finding:
        path = ("expect", *steps)
        line, column = self.declared.tree.place(*path)
        return Finding("difference", message, line, column, ".".join(map(str, path)), hint, **sides)

    def undecided(self, key: str, message: str, *steps: str | int) -> Finding:
        path = (key, *steps)
        line, column = self.declared.tree.place(*path)
        return Finding("undecided", message, line, column, ".".join(map(str, path)))

    def evidence(self) -> functions.Evidence:
        if not self._evidence:
            self._evidence.append(functions.gather(self.analysis, self.lawful.law))
        return self._evidence[0]

    # -- key by key ---------------------------------------------------------------------------------

    def route(self) -> Iterator[Finding]:
        claimed, found = self.expect.route, self.analysis.route
        if claimed is None or claimed == found.name:
            return
        if found.name == "undecided":
            yield self.undecided("expect", f"the route was claimed {claimed}; undecided", "route")
            return
        because = f": {found.reason}" if found.reason else ""
        message = f"the route was claimed {claimed}; it is {found.name}{because}"
        yield self.finding(message, "route", claimed=claimed, found=found.name)

    def withheld(self) -> Iterator[Finding]:
        """Claims about a law that no theorem covers."""
        because = self.analysis.route.reason or "no theorem covers this law"
        for key in ("parameters", "invariants", "sign_invariants", "gauge", "coverage", "anchors"):
            if getattr(self.expect, key):
                message = f"'{key}' was claimed, but nothing can be: {because}"
                yield self.finding(message, key, hint="leave it out of expect, or change the law")

    def parameters(self) -> Iterator[Finding]:
        claims = self.expect.parameters
        if claims is None:
            return
        for name, claimed in claims.items():
            verdict = self.analysis.parameters.get(name)
            if name not in self.lawful.names:
                hint = nearest(name, [n for n in self.lawful.names if n not in claims])
                message = f"`{name}` was claimed {claimed}; the law does not contain it"
                yield replace(
                    self.finding(message, "parameters", name, claimed=claimed, found="absent"), hint=hint
                )
            elif verdict is None or verdict.status == "undecided":
                because = self.analysis.undecided_because or "the method could not tell"
                message = f"`{name}` was claimed {claimed}; undecided: {because}"
                yield self.undecided("expect", message, "parameters", name)
            elif verdict.status != claimed:
                message = f"`{name}` was claimed {claimed}; {told(name, verdict)}"
                yield self.finding(message, "parameters", name, claimed=claimed, found=str(verdict.status))
        for name, verdict in self.analysis.parameters.items():
            if name not in claims and verdict.status != "undecided":
                message = f"nothing was claimed about `{name}`; {told(name, verdict)}"
                yield self.finding(message, "parameters", found=str(verdict.status))

    def coverage(self) -> Iterator[Finding]:
        claims, found = self.expect.coverage, self.analysis.coverage
        if claims is None or found is None:
            return
        yield from self.numbers("coverage", claims, found, _COVERAGE)
        if claims.both_directions not in (None, found.both_directions):
            needed = "both directions are needed" if found.both_directions else "one direction is enough"
            message = f"both_directions was claimed {str(claims.both_directions).lower()}; {needed}"
            yield self.finding(message, "coverage", "both_directions")

    def gauge(self) -> Iterator[Finding]:
        if self.expect.gauge is not None and self.analysis.gauge is not None:
            sizes = {
                "dimension": self.analysis.gauge.dimension,
                "orbit_dimension": self.analysis.orbit_dimension,
            }
            yield from self.numbers("gauge", self.expect.gauge, sizes, _GAUGE)

    def numbers(self, key: str, claims: Any, found: Any, words: dict[str, str]) -> Iterator[Finding]:
        for name, what in words.items():
            claimed = getattr(claims, name)
            actual = found[name] if isinstance(found, dict) else getattr(found, name)
            if claimed is None or claimed == actual:
                continue
            if actual is None:
                yield self.undecided("expect", f"{what} was claimed {claimed}; undecided", key, name)
            else:
                message = f"{what} was claimed {claimed}; it is {actual}"
                yield self.finding(message, key, name, claimed=str(claimed), found=str(actual))

    def invariants(self) -> Iterator[Finding]:
        if self.expect.invariants is None:
            return
        claimed = yield from self.read(self.expect.invariants, "invariants")
        computed = [read_expression(text, self.lawful.names) for text in self.analysis.invariants]
        evidence = self.evidence()
        wrong = 0
        for i, function in claimed.items():
            if (change := functions.change(function, evidence)) is not None:
                wrong += 1
                text = self.expect.invariants[i]
                message = f"`{text}` was claimed invariant; {change.told}"
                yield self.finding(message, "invariants", i, claimed=text)
        found = ", ".join(self.analysis.invariants) or "none"
        if not functions.testable([*claimed.values(), *computed], evidence):
            yield self.undecided("expect", "no point was found to compare the invariants at", "invariants")
            return
        for missing in functions.outside(computed, list(claimed.values()), evidence):
            message = f"all fits agree on `{to_text(missing)}`, which the claimed invariants do not give"
            yield self.finding(message, "invariants", found=found)
        if not wrong and not self.incomplete():
            for extra in functions.outside(claimed.values(), computed, evidence):
                message = f"`{to_text(extra)}` is independent of the invariants that were found ({found})"
                yield self.finding(message, "invariants", found=found)

    def incomplete(self) -> bool:
        return any("not complete" in warning for warning in self.analysis.warnings)

    def signs(self) -> Iterator[Finding]:
        if self.expect.sign_invariants is None:
            return
        texts = self.expect.sign_invariants
        claimed = yield from self.read(texts, "sign_invariants")
        for i, function in list(claimed.items()):
            if not _of_signs(function):
                hint = f"write sign({texts[i]})" if function.free_symbols else "leave it out"
                found = self.finding(f"`{texts[i]}` is not the sign of anything", "sign_invariants", i)
                yield replace(found, kind="input", hint=hint)
                del claimed[i]
        evidence = self.evidence()
        for i, function in claimed.items():
            if functions.change(function, evidence) is not None:
                message = f"`{texts[i]}` was claimed the same in all fits; some fit has the other sign"
                yield self.finding(message, "sign_invariants", i, claimed=texts[i])
        computed = [read_expression(text, self.lawful.names) for text in self.analysis.sign_invariants]
        for missing in functions.undetermined_signs(computed, list(claimed.values()), evidence):
            message = f"all fits agree on `{to_text(missing)}`, which is not claimed"
            yield self.finding(message, "sign_invariants", found=to_text(missing))

    def read(self, texts: list[str], key: str) -> Any:
        """The expressions by their index; what cannot be read, or lost its name, is a finding."""
        gone = [name for name in self.declared.parameters if name not in self.lawful.names]
        read: dict[int, Expr] = {}
        for i, text in enumerate(texts):
            node = self.declared.tree.find("expect", key, i)
            dotted = f"expect.{key}.{i}"
            try:
                expression = read_expression(text, (*self.lawful.names, *gone))
            except InputError as error:
                yield Finding("input", error.message, *node.within(error.offset), dotted, error.hint)
                continue
            missing = sorted({s.name for s in expression.free_symbols} & set(gone))
            if missing:
                yield self.finding(f"`{text}` contains {missing[0]}, which the law does not", key, i)
            elif not expression.free_symbols:
                yield self.finding(f"`{text}` does not depend on any parameter", key, i)
            else:
                read[i] = expression
        return read

    def anchors(self) -> Iterator[Finding]:
        if self.expect.anchors is None:
            return
        claims = yield from self.read_anchors(self.expect.anchors)
        if self.measured.sets is None:
            yield self.undecided("expect", "the search for anchors was not finished", "anchors")
            return
        actual = {tuple(sorted(kinds)) for kinds in self.measured.sets}
        found = _sets(self.measured)
        for i, kinds in claims.items():
            if kinds not in actual:
                message = f"{_set(kinds)} is not among the smallest sufficient sets of anchors ({found})"
                yield self.finding(message, "anchors", i, found=found)
        for telling in self.measured.telling:
            if tuple(sorted(telling)) not in claims.values():
                message = f"the anchors {_set(telling)} determine all parameters too, and are not claimed"
                yield self.finding(message, "anchors", found=found)

    def read_anchors(self, sets: list[list[str]]) -> Any:
        """The claimed sets by their index, in the spelling of the analysis."""
        read: dict[int, tuple[str, ...]] = {}
        for i, kinds in enumerate(sets):
            try:
                anchors = [read_anchor(kind, self.lawful.names) for kind in kinds]
            except InputError as error:
                node = self.declared.tree.find("expect", "anchors", i)
                place = (node.line, node.column)
                yield Finding("input", error.message, *place, f"expect.anchors.{i}", error.hint)
                continue
            read[i] = tuple(
                sorted(a.kind if a.parameter is None else f"parameter {a.parameter}" for a in anchors)
            )
        return read


def _of_signs(function: Expr) -> bool:
    """Whether the function depends on the parameters through signs alone, as sign(a)*sign(b) does."""
    signs = {atom: Dummy() for atom in function.atoms(sign)}
    return bool(function.xreplace(signs).free_symbols <= set(signs.values()))


def _set(kinds: tuple[str, ...]) -> str:
    return f"[{', '.join(kinds)}]"


def _sets(measured: Measured) -> str:
    return ", ".join(map(_set, measured.telling)) or "none is needed"


def required(declared: Declared, lawful: Lawful, analysis: Analysis, measured: Measured) -> Iterator[Finding]:
    """What ``require`` insists on and the analysis, with the allowed measurements, does not give."""
    if declared.require is None:
        return
    after = f" after {', '.join(declared.require.after)}" if declared.require.after else ""
    for i, name in enumerate(declared.require.identified):
        line, column = declared.tree.place("require", "identified", i)
        where = f"require.identified.{i}"
        unmet = unmet_requirement(name, lawful.names, analysis, measured)
        if unmet is not None:
            kind, because, hint = unmet
            message = f"`{name}` is required to be identified{after}; {because}"
            yield Finding(kind, message, line, column, where, hint)


def unmet_requirement(
    name: str, names: tuple[str, ...], analysis: Analysis, measured: Measured
) -> tuple[Any, str, str | None] | None:
    """Why the parameter is not identified: the kind of finding, a clause, a hint; None where it is."""
    if name not in names:
        return "requirement", "the law does not contain it", nearest(name, names)
    if analysis.outcome == "unsupported":
        return "requirement", f"nothing is: {analysis.route.reason or 'no theorem covers this law'}", None
    verdict = measured.verdict(name, analysis)
    if verdict is None or verdict.status == "undecided":
        return "undecided", f"undecided: {analysis.undecided_because or 'the method could not tell'}", None
    return None if verdict.status == "identified" else ("requirement", told(name, verdict), None)
