"""The family as the orbit stage sees it, and the branches of its compatible set."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from sympy import Expr, Symbol

from identify.routes.route import Feature

LAMBDA = Symbol("_lambda", real=True)
TAU = Symbol("_tau", real=True)


def hat(parameter: Symbol) -> Symbol:
    """The reported value of a parameter, as a symbol of its own."""
    return Symbol(f"_hat_{parameter.name}", real=True)


def is_hat(symbol: Symbol) -> bool:
    """Whether the symbol stands for a reported parameter."""
    return bool(symbol.name.startswith("_hat_"))


@dataclass(frozen=True)
class Family:
    """Channels ``c_k(z; parameters)`` with what the report must satisfy.

    ``eliminated`` parameters follow from the others by declared equalities and do not occur in the
    channels; ``stratum`` specialises the true parameters only; ``nonzero`` holds for the reported ones
    and so do ``bounds``, numbers between which a parameter is declared to lie.
    """

    state: Symbol
    parameters: tuple[Symbol, ...]
    channels: tuple[tuple[Feature, Expr], ...]
    eliminated: dict[Symbol, Expr] = field(default_factory=dict)
    nonzero: tuple[Expr, ...] = ()
    stratum: dict[Symbol, Expr] = field(default_factory=dict)
    bounds: dict[Symbol, tuple[Expr, Expr]] = field(default_factory=dict)

    @property
    def independent(self) -> tuple[Symbol, ...]:
        """The parameters that a report can choose."""
        return tuple(p for p in self.parameters if p not in self.eliminated)

    @property
    def known(self) -> tuple[Symbol, ...]:
        """The true parameters that remain independent on the stratum."""
        return tuple(p for p in self.independent if p not in self.stratum)

    @property
    def truth(self) -> dict[Symbol, Expr]:
        """The true values of all parameters, in the known ones."""
        values: dict[Symbol, Expr] = {p: self.stratum.get(p, p) for p in self.independent}
        values.update({p: e.xreplace(self.stratum) for p, e in self.eliminated.items()})
        return values


@dataclass(frozen=True)
class Branch:
    """Compatible reports ``(f, eta)`` in closed form.

    ``map`` is f in the state (None where f is only known through ``relation``: f solves
    ``relation(z, zhat) = 0``); ``parameters`` gives every reported parameter.  ``free`` symbols are
    real and arbitrary, ``integers`` run through the integers, ``algebraic`` symbols are real roots of
    the given polynomials.  ``positive`` and ``nonzero`` must hold.
    """

    map: Expr | None
    scale: Expr | None
    shift: Expr | None
    parameters: dict[Symbol, Expr]
    free: tuple[Symbol, ...]
    integers: tuple[Symbol, ...] = ()
    algebraic: dict[Symbol, Expr] = field(default_factory=dict)
    positive: tuple[Expr, ...] = ()
    nonzero: tuple[Expr, ...] = ()
    relation: Expr | None = None
    identity: bool = False

    def substitute(self, table: dict[Symbol, Expr]) -> Branch:
        """The branch with free symbols replaced; replaced symbols are no longer free."""

        def put(e: Expr | None) -> Expr | None:
            return None if e is None else e.xreplace(table)

        return replace(
            self,
            map=put(self.map),
            scale=put(self.scale),
            shift=put(self.shift),
            parameters={p: e.xreplace(table) for p, e in self.parameters.items()},
            free=tuple(s for s in self.free if s not in table),
            positive=tuple(e.xreplace(table) for e in self.positive),
            nonzero=tuple(e.xreplace(table) for e in self.nonzero),
            relation=put(self.relation),
        )
