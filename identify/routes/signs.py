"""Signs that the assumptions and the domain prove."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from sympy import Abs, Add, Dummy, Expr, Symbol, expand, factor, fraction, together

from identify.law.law import Condition


class Declared(Protocol):
    """What conditions are declared on which symbols (a Law, for one)."""

    @property
    def state(self) -> Symbol: ...
    @property
    def parameters(self) -> tuple[Symbol, ...]: ...
    @property
    def assumptions(self) -> tuple[Condition, ...]: ...
    @property
    def domain(self) -> tuple[Condition, ...]: ...


class Signs:
    """Proves signs on the declared set by writing bounded symbols through positive ones.

    ``l < x < u`` becomes ``x = (l + u*t)/(1 + t)`` with ``t > 0``; what SymPy then knows to be
    positive or negative is so on the whole declared set.  Sampling is never used.
    """

    def __init__(self, law: Declared) -> None:
        self.state = law.state
        implied = [*law.assumptions, *_implied(law.domain, law.state)]
        self._facts = [*implied, *law.domain]
        self._parameters = _parametrization(implied, law.parameters)
        self._state = _parametrization(law.domain, (law.state,))

    def of(self, expression: Expr, *, domain: bool = True) -> int | None:
        """+1 or -1 where the sign is proved (without ``domain``: for every real state), else None."""
        if domain:
            for fact in self._facts:
                if fact.relation == ">" and (sign := _number_sign(together(expression / fact.expression))):
                    return sign
        image = expression.subs(self._state) if domain else expression
        return _known_sign(image.subs(self._parameters)) or self._rootless_sign(expression)

    def _rootless_sign(self, expression: Expr) -> int | None:
        """The sign of a quadratic in the state with a proved negative discriminant."""
        poly = expression.as_poly(self.state) if expression.is_polynomial(self.state) else None
        if poly is None or poly.degree() != 2:
            return None
        lead, middle, last = poly.all_coeffs()
        return self.of(lead) if self.of(expand(4 * lead * last - middle**2)) == 1 else None

    def positive_names(self, symbols: Iterable[Symbol]) -> dict[Symbol, Symbol]:
        """Symbols of the same name that carry a proved sign, so that powers combine."""
        return {
            symbol: Symbol(symbol.name, positive=True)
            for symbol in symbols
            if self.of(symbol, domain=False) == 1
        }


def _implied(domain: Iterable[Condition], state: Symbol) -> Iterable[Condition]:
    """``l < z < u`` implies ``u - l > 0``: a fact about parameters that the domain alone declares."""
    lower, upper = _bounds([condition for condition in domain if condition.relation == ">"], state)
    if lower is not None and upper is not None:
        yield Condition(expand(upper - lower), ">", "the domain is not empty")


def _parametrization(conditions: Iterable[Condition], symbols: tuple[Symbol, ...]) -> dict[Symbol, Expr]:
    """Each bounded symbol through a positive one; bounds by other symbols are used for the state only."""
    images: dict[Symbol, Expr] = {}
    for symbol in symbols:
        lower, upper = _bounds([condition for condition in conditions if condition.relation == ">"], symbol)
        free = Dummy(symbol.name, positive=True)
        if lower is not None and upper is not None:
            images[symbol] = (lower + upper * free) / (1 + free)
        elif lower is not None:
            images[symbol] = lower + free
        elif upper is not None:
            images[symbol] = upper - free
    return images


def _bounds(conditions: list[Condition], symbol: Symbol) -> tuple[Expr | None, Expr | None]:
    lower: Expr | None = None
    upper: Expr | None = None
    for linear in _linear_facts(conditions, symbol):
        slope = linear.coeff(symbol, 1)
        bound = expand(linear - slope * symbol) / -slope
        if slope.is_positive and (lower is None or _is_larger(bound, lower)):
            lower = bound
        elif slope.is_negative and (upper is None or _is_larger(upper, bound)):
            upper = bound
    return lower, upper


def _is_larger(first: Expr, second: Expr) -> bool:
    return bool((first - second).is_positive)


def _linear_facts(conditions: list[Condition], symbol: Symbol) -> Iterable[Expr]:
    """The positive expressions linear in the symbol; ``s - |x| > 0`` gives ``s - x`` and ``s + x``."""
    for condition in conditions:
        sizes = [node for node in condition.expression.atoms(Abs) if symbol in node.free_symbols]
        images = [condition.expression]
        if len(sizes) == 1 and condition.expression.coeff(sizes[0], 1).is_negative:
            images = [condition.expression.subs(sizes[0], way * sizes[0].args[0]) for way in (1, -1)]
        for image in map(expand, images):
            if (
                image.is_polynomial(symbol)
                and Add(image).as_poly(symbol).degree() == 1
                and _usable(image, symbol)
            ):
                yield image


def _usable(linear: Expr, symbol: Symbol) -> bool:
    return bool(linear.coeff(symbol, 1).is_number)


def _number_sign(ratio: Expr) -> int | None:
    """The sign of a ratio that is a nonzero number."""
    number = factor(ratio)
    if not number.is_number:
        return None
    return 1 if number.is_positive else -1 if number.is_negative else None


def _known_sign(expression: Expr) -> int | None:
    numerator, denominator = fraction(factor(together(expression)))
    top, bottom = _definite_sign(numerator), _definite_sign(denominator)
    return top * bottom if top and bottom else None


def _definite_sign(expression: Expr) -> int | None:
    for form in (expression, expand(expression)):
        if form.is_positive:
            return 1
        if form.is_negative:
            return -1
    return None
