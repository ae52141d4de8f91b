"""The law as the checker sees it: a function F(u, v) of the parameters, and where it is declared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import mpmath
from sympy import Expr, Symbol

from identify.certificate.document import LawClaim
from identify.certificate.evaluation import Unreadable, Value, evaluate
from identify.certificate.fingerprint import fingerprint
from identify.certificate.reading import REFUSALS, Comparison, Reader, evaluable
from identify.certificate.verification import Check
from identify.law import read_law

Theta = Mapping[Symbol, Any]


@dataclass(frozen=True)
class Problem:
    """``z'' = F(z, z')`` with its parameters; ``truth`` restricts theta but not a report eta.

    Two kinds of symbols may stand among the parameters without being declared: the scale of an unknown
    ``clock``, whose true value is one, and the ``places`` of anchored states, which no report changes.
    """

    state: Symbol
    velocity: Symbol
    parameters: tuple[Symbol, ...]
    acceleration: Expr
    assumptions: tuple[Comparison, ...]
    domain: tuple[Comparison, ...]
    truth: tuple[Comparison, ...] = ()
    clock: Symbol | None = None
    places: tuple[Symbol, ...] = ()

    @property
    def declared(self) -> tuple[Symbol, ...]:
        """The law's own parameters."""
        return tuple(p for p in self.parameters if p != self.clock and p not in self.places)

    @property
    def reader(self) -> Reader:
        """Reads expressions in the parameters and places."""
        return Reader.of(p for p in self.parameters if p != self.clock)

    def admits(self, parameters: Theta) -> bool:
        """Whether the parameters satisfy the declared assumptions."""
        return all(condition.holds(parameters) for condition in self.assumptions)

    def inside(self, parameters: Theta, state: Value) -> bool:
        """Whether the state lies in the declared domain for these parameters."""
        point = {**parameters, self.state: state}
        return all(condition.holds(point) for condition in self.domain)

    def force(self, parameters: Theta, state: Value, velocity: Value) -> Value:
        """F(state, velocity)."""
        return evaluate(self.acceleration, {**parameters, self.state: state, self.velocity: velocity})

    def on_stratum(self, condition: str, within: bool) -> Problem:
        """The same family with the true parameters on a stratum, the reports too if ``within``."""
        conditions = self.reader.comparisons(condition)
        if within:
            return replace(self, assumptions=(*self.assumptions, *conditions))
        return replace(self, truth=(*self.truth, *conditions))

    def with_clock(self) -> Problem:
        """The family of the same motions filmed on a clock that runs ``clock`` times too fast.

        With t -> clock*t the law ``F(z, v)`` reads ``clock**-2 F(z, clock*v)``; a report with this scale is
        one of the family ``clock**2 F(z, v/clock)`` on the true clock.
        """
        scale = Symbol("_clock", positive=True)
        slow = scale**2 * self.acceleration.xreplace({self.velocity: self.velocity / scale})
        return replace(
            self,
            parameters=(*self.parameters, scale),
            acceleration=evaluable(slow),
            assumptions=(*self.assumptions, Comparison(scale, ">")),
            truth=(*self.truth, Comparison(scale - 1, "==")),
            clock=scale,
        )

    def with_places(self, names: Iterable[str], more: Iterable[Comparison] = ()) -> Problem:
        """The problem with anchored states: in the domain, not zero, and different from each other."""
        made = self.reader.with_names((self.state.name, *names)).symbols
        places = tuple(made[name] for name in names)
        inside = [
            Comparison(c.expression.xreplace({self.state: place}), c.relation)
            for place in places
            for c in self.domain
        ]
        apart = [Comparison(a - b, "!=") for a, b in combinations(places, 2)]
        apart += [Comparison(place, "!=") for place in places]
        return replace(
            self,
            parameters=(*self.parameters, *places),
            truth=(*self.truth, *inside, *apart, *more),
            places=places,
        )


def read_problem(claim: LawClaim) -> tuple[Problem | None, tuple[Check, ...]]:
    """The law re-read from its text, and the checks that the document speaks of this law."""
    statement = "the law's text reads back as the law that the document describes"
    try:
        problem, leading = _problem(claim)
        difference = _differences(claim, problem, leading)
    except Unreadable as refusal:
        return None, (Check("law", statement, False, str(refusal)),)
    check = Check("law", statement, not difference, difference)
    return (None if difference else problem), (check,)


def check_fingerprint(claim: LawClaim, stated: str | None, silent: bool) -> Check:
    """The certificate was issued for this law; a silent document, which claims nothing, needs none."""
    if stated is None:
        detail = "" if silent else "claims are made without a certificate"
        return Check("fingerprint", "without a certificate nothing is claimed", silent, detail)
    same = fingerprint(claim.model_dump()) == stated
    detail = "" if same else "the certificate's law_sha256 belongs to another law"
    return Check("fingerprint", "the certificate was issued for this law", same, detail)


def _problem(claim: LawClaim) -> tuple[Problem, Expr]:
    try:
        law = read_law(claim.text, assume=tuple(claim.assumptions), domain=tuple(claim.domain))
    except REFUSALS as problem:
        raise Unreadable(f"the law cannot be read: {(str(problem).splitlines() or ['?'])[0][:160]}") from None
    return (
        Problem(
            law.state,
            law.velocity,
            tuple(law.parameters),
            evaluable(law.acceleration),
            tuple(Comparison(evaluable(c.expression), c.relation) for c in law.assumptions),
            tuple(Comparison(evaluable(c.expression), c.relation) for c in law.domain),
        ),
        law.leading,
    )


def _differences(claim: LawClaim, problem: Problem, leading: Expr) -> str:
    """What the document says otherwise than the law's own text; empty when they agree."""
    names = tuple(symbol.name for symbol in problem.parameters)
    if claim.parameters != names:
        return f"the law has the parameters {list(names)}, the document {list(claim.parameters)}"
    if claim.state != problem.state.name:
        return f"the state is {problem.state.name!r}, the document says {claim.state!r}"
    if claim.velocity not in ("v", problem.velocity.name):
        return f"the velocity is {problem.velocity.name!r}, the document says {claim.velocity!r}"
    velocity = {n for n in ("v", claim.velocity, problem.velocity.name) if n.isidentifier()}
    reader = Reader.of((*problem.parameters, problem.state)).with_names(
        velocity - set(names) - {problem.state.name}
    )
    for text, own in ((claim.acceleration, problem.acceleration), (claim.leading, leading)):
        stated = reader.expression(text)
        renamed = {reader.symbols[n]: problem.velocity for n in reader.symbols if n not in names}
        renamed.pop(problem.state, None)
        if not _same(stated.xreplace(renamed), own):
            return f"the document says {text[:80]!r}, the law's text {str(own)[:80]!r}"
    return ""


def _same(stated: Expr, own: Expr) -> bool:
    """Whether two expressions agree, structurally or at points where both are real."""
    if stated == own:
        return True
    symbols = sorted((stated - own).free_symbols, key=str)
    agreed = 0
    for k in range(1, 40):
        point = {s: _trial(k, i) for i, s in enumerate(symbols)}
        try:
            left, right = evaluate(stated, point), evaluate(own, point)
        except ArithmeticError:
            continue
        if abs(left - right) > 1e-30 * (1 + abs(left)):
            return False
        agreed += 1
    return agreed > 2


def _trial(k: int, i: int) -> Any:
    """A fixed, unstructured sequence of values of both signs."""
    return mpmath.mpf(((k * 7919 + i * 104729 + 31 * k * i) % 1999) - 800) / 503
