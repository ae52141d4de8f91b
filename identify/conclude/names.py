"""Public names for the internal symbols of branches, clear of the user's own names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sympy import Expr, Symbol

from identify.errors import NotPrintable
from identify.law import to_text
from identify.orbit.branch import LAMBDA, TAU, hat
from identify.orbit.hidden import Hidden, without_common_power

_MOST_TEXT = 12_000  # characters of one formula; the checker reads no more


class Names:
    """Renames lambda, tau, reported parameters, integers and algebraic numbers for output."""

    def __init__(self, parameters: Sequence[Symbol], state: Symbol, hidden: Iterable[Hidden] = ()) -> None:
        self.parameters = tuple(parameters)
        self.state = state
        self.clock: Symbol | None = None
        self._hidden = {h.symbol: h.value for h in hidden}
        self._taken = {p.name for p in parameters} | {state.name, "v", "q"}
        self._table: dict[Symbol, Symbol] = {}
        self._give(LAMBDA, "lambda")
        self._give(TAU, "tau")
        for parameter in parameters:
            self._give(hat(parameter), f"{parameter.name}_hat")
        self._give(hat(state), f"{state.name}hat")

    def _give(self, symbol: Symbol, wanted: str) -> Symbol:
        name, count = wanted, 0
        while name in self._taken:
            count += 1
            name = f"{wanted}_{count}"
        self._taken.add(name)
        self._table[symbol] = Symbol(name, real=True)
        return self._table[symbol]

    def with_clock(self, scale: Symbol, reported: Symbol) -> None:
        """Reports carry the clock's scale, written under its own name."""
        self.clock = scale
        self._give(reported, scale.name)

    def symbol(self, symbol: Symbol) -> Symbol:
        """The public symbol for an internal one (others stay as they are)."""
        if symbol in self._table:
            return self._table[symbol]
        if symbol.name.startswith("_hat__"):
            return self._give(symbol, f"{symbol.name[6:]}_hat")
        if symbol.name.startswith("_n"):
            return self._give(symbol, "n")
        if symbol.name.startswith("_root"):
            return self._give(symbol, f"root{symbol.name[5:]}")
        return symbol

    def expression(self, expression: Expr) -> Expr:
        """The expression in public symbols, hidden parameters written out."""
        if expression.has(*self._hidden):
            expression = without_common_power(expression.xreplace(self._hidden))
        return expression.xreplace({s: self.symbol(s) for s in expression.free_symbols})

    def text(self, expression: Expr) -> str:
        """The expression in public symbols, in the input language."""
        text = to_text(self.expression(expression))
        if len(text) > _MOST_TEXT:
            raise NotPrintable(f"a formula of {len(text)} characters")
        return text
