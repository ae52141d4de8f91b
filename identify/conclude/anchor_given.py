"""Given anchors: read, checked against law, domain and units, and imposed on the compatible set."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from sympy import Expr, Rational, S, Symbol

from identify.analysis import GivenAnchor
from identify.conclude.anchor_kinds import PAIRS, POSITIONS, SLOPES, Anchor, Kind, places
from identify.conclude.anchor_text import GivenText, read_anchor
from identify.errors import InputError
from identify.law.dimension import parameter_dimensions
from identify.law.law import Condition, Law
from identify.law.unit import SECOND, Dimension, Unit, combined, read_unit, unit_text

_EXCLUDED: dict[str, tuple[str, ...]] = {">": ("-", "0"), ">=": ("-",), "!=": ("0",), "==": ("-", "+")}


@dataclass(frozen=True)
class Imposed:
    """Anchors ready to be imposed: ``places`` are their states, ``tied`` what an equilibrium implies."""

    texts: tuple[GivenText, ...]
    anchors: tuple[Anchor, ...]
    places: tuple[Symbol, ...]
    signs: dict[Symbol, Literal[1, -1]]
    tied: dict[Symbol, Expr]
    values: dict[Symbol, Rational]


@dataclass
class _Places:
    """Hands out symbols for anchored states, one for each distinct value."""

    taken: set[str]
    state: str
    found: list[Symbol] = field(default_factory=list)
    by_value: dict[Fraction, Symbol] = field(default_factory=dict)

    def fresh(self) -> Symbol:
        number = len(self.found) + 1
        while f"{self.state}{number}" in self.taken:
            number += 1
        name = f"{self.state}{number}"
        self.taken.add(name)
        self.found.append(Symbol(name, real=True))
        return self.found[-1]

    def at(self, value: Fraction | None) -> Expr:
        if value is None:
            return self.fresh()
        if value == 0:
            return S.Zero
        if value not in self.by_value:
            self.by_value[value] = self.fresh()
        return self.by_value[value]


def place_symbols(law: Law, count: int) -> tuple[Symbol, ...]:
    """Names for anchored states: z1, z2, clear of the parameters."""
    hand = _Places(_taken(law), law.state.name)
    return tuple(hand.fresh() for _ in range(count))


def _taken(law: Law) -> set[str]:
    return {p.name for p in law.parameters} | {law.state.name, law.velocity.name}


def read_anchors(law: Law, texts: Iterable[str]) -> tuple[GivenText, ...]:
    """The anchors as typed, checked for sense and against the declared conditions."""
    found = tuple(read_anchor(text, tuple(p.name for p in law.parameters)) for text in texts)
    for anchor in found:
        _check_value(law, anchor)
    known = [a.parameter for a in found if a.parameter is not None]
    for name in known:
        if known.count(name) > 1:
            raise InputError(
                f"the parameter {name} is anchored twice",
                next(a.text for a in found),
                hint="give one anchor for each parameter",
            )
    return found


def repeated(texts: Sequence[GivenText]) -> list[str]:
    """A note for each anchor that only says again what another one said."""
    seen: set[tuple[str, Fraction | None]] = set()
    told: list[str] = []
    for text in texts:
        value = None if text.quantity is None else text.quantity.value
        same = "origin" if text.kind in POSITIONS and value == 0 else text.kind
        again = (same, None if same == "origin" else value) in seen and (
            value is not None or same == "origin"
        )
        seen.add((same, None if same == "origin" else value))
        if again:
            hint = "; give one at another position" if text.kind in ("state", "amplitude") else ""
            told.append(f"{text.text.strip()} is given twice and counts once{hint}")
    return list(dict.fromkeys(told))


def _check_value(law: Law, anchor: GivenText) -> None:
    if anchor.quantity is None:
        return
    value = Rational(anchor.quantity.value.numerator, anchor.quantity.value.denominator)
    unsigned = anchor.kind in ("amplitude", "displacement", "size", "speed", "frame-rate", "period")
    if unsigned and value <= 0:
        raise InputError(
            f"{anchor.kind} is a size: it must be positive",
            anchor.text,
            anchor.text.index("=") + 1,
            hint="give the size without a sign, such as 0.4 m",
        )
    if anchor.kind in ("velocity", "acceleration") and value == 0:
        raise InputError(
            f"a {anchor.kind} of zero fixes no scale",
            anchor.text,
            anchor.text.index("=") + 1,
            hint="measure a displacement that is not zero",
        )
    if anchor.kind == "parameter":
        (parameter,) = (p for p in law.parameters if p.name == anchor.parameter)
        _check_conditions(law.assumptions, {parameter: value}, anchor, "the assumption")
    if anchor.kind in ("state", "equilibrium"):
        reason = "the domain"
        _check_conditions(law.domain, {law.state: value}, anchor, reason)


def _check_conditions(
    conditions: Sequence[Condition], table: dict[Symbol, Rational], anchor: GivenText, what: str
) -> None:
    for condition in conditions:
        value = condition.expression.xreplace(table)
        if not value.is_number or not value.is_real:
            continue
        sign = "0" if value == 0 else ("+" if value > 0 else "-")
        if sign in _EXCLUDED[condition.relation]:
            raise InputError(
                f"{anchor.text.strip()} contradicts {what} {condition.text}",
                anchor.text,
                anchor.text.index("=") + 1,
                "an anchor must lie inside the covered interval" if what == "the domain" else None,
            )


def imposed(law: Law, texts: Sequence[GivenText], clock: Symbol | None) -> Imposed:
    """The anchors with symbols for their states."""
    found = _Places(_taken(law), law.state.name)
    anchors: list[Anchor] = []
    signs: dict[Symbol, Literal[1, -1]] = {}
    tied: dict[Symbol, Expr] = {}
    for text in texts:
        anchor = _anchor(law, text, found, clock)
        anchors.append(anchor)
        value = None if text.quantity is None else text.quantity.value
        if text.kind in ("state", "equilibrium") and value and isinstance(anchor.at[0], Symbol):
            signs[anchor.at[0]] = 1 if value > 0 else -1
        if text.kind == "equilibrium" and isinstance(anchor.at[0], Symbol) and not tied:
            tied = _balance(law, anchor.at[0])
    values = {u: Rational(v.numerator, v.denominator) for v, u in found.by_value.items()}
    return Imposed(tuple(texts), tuple(anchors), tuple(found.found), signs, tied, values)


def _anchor(law: Law, text: GivenText, hand: _Places, clock: Symbol | None) -> Anchor:
    value = None if text.quantity is None else text.quantity.value
    if text.kind in ("frame-rate", "period"):
        if clock is None:
            raise InputError(
                f"{text.kind} is an anchor of the clock, and the clock counts as known",
                text.text,
                hint="add --unknown-clock where the footage may be slowed or re-timed",
            )
        return Anchor("clock", parameter=clock)
    if text.kind == "parameter":
        return Anchor("parameter", parameter=next(p for p in law.parameters if p.name == text.parameter))
    kind: Kind = text.kind  # type: ignore[assignment]  # the parser returns kinds only
    if kind in PAIRS:
        return Anchor(kind, (hand.fresh(), hand.fresh()))
    if kind in SLOPES:
        return Anchor(kind, (hand.fresh(),))
    if kind == "amplitude":
        return Anchor(kind, (hand.fresh(),))
    return Anchor(kind, (hand.at(value),)) if kind in POSITIONS else Anchor("origin")


def _balance(law: Law, place: Symbol) -> dict[Symbol, Expr]:
    """At an equilibrium the force vanishes: one parameter that enters it linearly, in the others."""
    force = law.acceleration.xreplace({law.velocity: S.Zero, law.state: place})
    for p in reversed(law.parameters):
        slope = force.diff(p)
        if slope != 0 and not slope.has(p) and force.is_rational_function(p):
            return {p: (-(force.xreplace({p: S.Zero})) / slope).cancel()}
    return {}


# -- units ----------------------------------------------------------------------------------------


def derived_units(
    law: Law, texts: Sequence[GivenText], units: Mapping[str, str]
) -> dict[Symbol, Dimension | None] | None:
    """The dimension of state and parameters; None where no unit was given at all.

    Raises InputError where units contradict each other or the law.
    """
    names = {p.name: p for p in law.parameters}
    for name in units:
        if name != law.state.name and name not in names:
            known = ", ".join((law.state.name, *names))
            raise InputError(f"'{name}' has no unit: it is not in the law", name, hint=f"names are {known}")
    declared = {names[n]: read_unit(u).dimension for n, u in units.items() if n in names}
    state = read_unit(units[law.state.name]).dimension if law.state.name in units else None
    for text in texts:
        if text.quantity is None or text.quantity.unit is None:
            continue
        unit = text.quantity.unit
        if text.kind == "parameter":
            assert text.parameter is not None
            p = names[text.parameter]
            _agree(text, declared.setdefault(p, unit.dimension), unit)
        elif text.kind in ("frame-rate", "period"):
            _agree(text, combined({SECOND: Fraction(-1 if text.kind == "frame-rate" else 1)}), unit)
        else:
            of_state = combined({unit.dimension: Fraction(1), SECOND: Fraction(_times(text.kind))})
            state = of_state if state is None else state
            wanted = combined({state: Fraction(1), SECOND: Fraction(-_times(text.kind))})
            _agree(text, wanted, unit)
    if state is None:
        return None if not declared else dict(declared)
    return {law.state: state, **parameter_dimensions(law, state, declared)}


def _times(kind: str) -> int:
    return {"velocity": 1, "speed": 1, "acceleration": 2}.get(kind, 0)


def _agree(text: GivenText, wanted: Dimension, unit: Unit) -> None:
    if wanted != unit.dimension:
        raise InputError(
            f"{text.text.strip()}: expected a value in {unit_text(wanted)}, not {unit_text(unit.dimension)}",
            text.text,
            text.text.index("=") + 1,
            hint="give the value in that unit, or the unit of the state with --unit",
        )


def given_info(text: GivenText, anchor: Anchor) -> GivenAnchor:
    """The anchor as data, in base units."""
    q = text.quantity
    return GivenAnchor(
        text=text.text,
        kind=text.kind,
        parameter=text.parameter,
        value=None if q is None else _decimal(q.value),
        uncertainty=None if q is None or q.uncertainty is None else _decimal(q.uncertainty),
        unit=None if q is None or q.unit is None else unit_text(q.unit.dimension),
        at=places(anchor),
    )


def _decimal(value: Fraction) -> str:
    return f"{float(value):.12g}"
