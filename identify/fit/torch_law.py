"""A law on torch tensors: its acceleration, derivatives, terms, bounds and domain."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import inf

import torch
from sympy import Expr, Symbol
from torch import Tensor

from identify.fit.law_terms import Terms, jointly_linear, law_terms
from identify.fit.torch_expression import Program, Value, compile_expressions, derivative
from identify.law import Condition, Law

Theta = Tensor | Sequence[Tensor | float]


class TorchLaw:
    """``z'' = F(z, v; theta)`` in torch; ``theta[i]`` is the parameter ``law.parameters[i]``.

    Each ``theta[i]`` must broadcast against the state.  Values outside the domain of F are nan or infinite,
    never an error.
    """

    def __init__(self, law: Law) -> None:
        self.law = law
        self.names = tuple(parameter.name for parameter in law.parameters)
        self._symbols = (law.state, law.velocity, *law.parameters)

    @cached_property
    def _value(self) -> Program:
        return compile_expressions([self.law.acceleration], self._symbols)

    @cached_property
    def _gradients(self) -> Program:
        force = self.law.acceleration
        return compile_expressions([force, *(derivative(force, s) for s in self._symbols)], self._symbols)

    @cached_property
    def _terms(self) -> Terms:
        return law_terms(self.law)

    @cached_property
    def _features(self) -> Program:
        terms = self._terms
        return compile_expressions([terms.known, *terms.features], self._symbols)

    @cached_property
    def _coefficients(self) -> Program:
        return compile_expressions(self._terms.coefficients, self.law.parameters)

    @cached_property
    def _assumptions(self) -> Program:
        return compile_expressions([c.expression for c in self.law.assumptions], self.law.parameters)

    @cached_property
    def _domain(self) -> Program:
        symbols = (self.law.state, *self.law.parameters)
        return compile_expressions([c.expression for c in self.law.domain], symbols)

    def acceleration(self, z: Tensor, v: Tensor, theta: Theta) -> Tensor:
        """F(z, v; theta)."""
        return _like(self._value([z, v, *_entries(theta)])[0], z, v)

    def with_gradients(
        self, z: Tensor, v: Tensor, theta: Theta
    ) -> tuple[Tensor, Tensor, Tensor, list[Tensor]]:
        """``(F, dF/dz, dF/dv, [dF/dtheta_i])`` from symbolic derivatives; abs' is sign and sign' is 0."""
        values = [_like(value, z, v) for value in self._gradients([z, v, *_entries(theta)])]
        return values[0], values[1], values[2], values[3:]

    def terms(self) -> Terms:
        """F as ``known + sum_j p_j(theta)*phi_j(z, v)``, symbolically."""
        return self._terms

    def features(self, z: Tensor, v: Tensor, theta: Theta) -> tuple[Tensor, Tensor]:
        """``(known, phi)`` of the terms, phi along a new last axis; of theta only ``nonlinear`` is read."""
        known, *features = [_like(value, z, v) for value in self._features([z, v, *_entries(theta)])]
        if not features:
            return known, known.new_zeros((*known.shape, 0))
        shape = _joint(*(feature.shape for feature in features))
        return known, torch.stack([feature.expand(shape) for feature in features], dim=-1)

    def coefficients(self, theta: Theta) -> Tensor:
        """The values p_j(theta) of the terms."""
        entries = _entries(theta)
        like = next((e for e in entries if isinstance(e, Tensor)), torch.zeros((), dtype=torch.float64))
        values = [v if isinstance(v, Tensor) else like.new_full((), v) for v in self._coefficients(entries)]
        return torch.stack(values) if values else like.new_zeros(0)

    def linear_parameters(self) -> tuple[str, ...]:
        """Names of parameters in which F is jointly affine."""
        return tuple(symbol.name for symbol in jointly_linear(self.law, self._terms))

    def bounds(self) -> dict[str, tuple[float, float]]:
        """Lower and upper bound of each parameter, as far as single assumptions state them."""
        found = dict.fromkeys(self.names, (-inf, inf))
        for condition in self.law.assumptions:
            bound = _bound(condition)
            if bound is not None:
                symbol, low, high = bound
                old_low, old_high = found.get(symbol.name, (-inf, inf))
                found[symbol.name] = (max(old_low, low), min(old_high, high))
        return {name: found[name] for name in self.names}

    def admissible(self, theta: Theta) -> bool:
        """Whether all assumptions hold; an equation must hold to rounding."""
        values = self._assumptions(_entries(theta))
        return all(
            bool(torch.all(_holds(value, condition)))
            for value, condition in zip(values, self.law.assumptions, strict=True)
        )

    def domain_ok(self, z: Tensor, theta: Theta) -> Tensor:
        """Where the state satisfies every condition of the domain, as a mask of the shape of z."""
        mask = torch.ones_like(z, dtype=torch.bool)
        for value, condition in zip(self._domain([z, *_entries(theta)]), self.law.domain, strict=True):
            mask = mask & _holds(value, condition)
        return mask

    def margins(self, z: Tensor, theta: Theta) -> list[Tensor]:
        """The left sides of the domain's inequalities, positive inside; for penalties."""
        values = self._domain([z, *_entries(theta)])
        pairs = zip(values, self.law.domain, strict=True)
        return [_like(value, z, z) for value, condition in pairs if condition.relation in {">", ">="}]


def _entries(theta: Theta) -> list[Value]:
    return [theta[i] for i in range(len(theta))]


def _like(value: Value, z: Tensor, v: Tensor) -> Tensor:
    shape = z.shape if z.shape == v.shape else _joint(z.shape, v.shape)
    if not isinstance(value, Tensor):
        return z.new_full(shape, value)
    if value.dtype != z.dtype:
        value = value.to(z.dtype)
    return value if value.shape == shape else value.expand(_joint(shape, value.shape))


def _joint(*shapes: torch.Size) -> torch.Size:
    return torch.Size(torch.broadcast_shapes(*shapes))  # type: ignore[no-untyped-call]


def _holds(value: Value, condition: Condition) -> Tensor:
    number = value if isinstance(value, Tensor) else torch.as_tensor(value, dtype=torch.float64)
    if condition.relation == ">":
        return number > 0
    if condition.relation == ">=":
        return number >= 0
    if condition.relation == "!=":
        return (number != 0) & ~torch.isnan(number)
    return number.abs() <= 1e-9


def _bound(condition: Condition) -> tuple[Symbol, float, float] | None:
    """``(x, low, high)`` of a condition ``slope*x + start`` relation 0 with numbers; None for any other."""
    expression: Expr = condition.expression
    symbols = expression.free_symbols
    if len(symbols) != 1 or condition.relation == "!=":
        return None
    (symbol,) = symbols
    polynomial = expression.as_poly(symbol)
    if polynomial is None or polynomial.degree() != 1:
        return None
    slope, start = (float(c) for c in polynomial.all_coeffs())
    border = 0.0 if start == 0 else -start / slope
    if condition.relation == "==":
        return symbol, border, border
    return (symbol, border, inf) if slope > 0 else (symbol, -inf, border)
