"""Branches of the compatible set with numbers: maps between coordinates and the parameters they bring.

A branch takes a coordinate and its parameters to another coordinate and its parameters.  From the truth to
the fit it is what the metrics compare; from the fit to physical units it is what calibration solves for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sympy import Expr, Symbol

from identify.analysis import Analysis, BranchInfo
from identify.errors import InputError
from identify.fit.film import Array
from identify.fit.results.warrant import Values
from identify.law import Law, read_expression
from identify.motion.dynamics import compiled

_IDENTITY = {"lambda": 1.0, "tau": 0.0, "kappa": 1.0}


@dataclass(frozen=True)
class Branch:
    """One branch with an explicit map; ``free`` are its real freedoms, ``integers`` its whole ones."""

    law: Law
    map: Expr
    images: Mapping[Symbol, Expr]
    free: tuple[Symbol, ...]
    integers: tuple[Symbol, ...]
    text: str
    kind: str

    @property
    def unknowns(self) -> tuple[Symbol, ...]:
        """All freedoms, the whole ones last."""
        return (*self.free, *self.integers)

    @property
    def moved(self) -> frozenset[str]:
        """Parameters that the translation moves: offsets such as an equilibrium."""
        translations = [s for s in self.free if s.name == "tau"]
        return frozenset(p.name for p, e in self.images.items() if any(e.has(s) for s in translations))

    @property
    def lengths(self) -> frozenset[str]:
        """Parameters that scale as the state itself: sizes of the picture, not of the dynamics."""
        scale = next((s for s in self.free if s.name == "lambda"), None)
        if scale is None:
            return frozenset()
        ratios = {p.name: (e / p) ** 2 for p, e in self.images.items()}
        return frozenset(name for name, ratio in ratios.items() if (ratio / scale**2).simplify() == 1)

    @cached_property
    def _compiled(self) -> tuple[Callable[..., Any], ...]:
        inputs = (self.law.state, *self.unknowns, *self.law.parameters)
        state = self.law.state
        derivatives = (self.map, self.map.diff(state), self.map.diff(state, 2))
        return tuple(compiled(e, *inputs) for e in derivatives)

    @cached_property
    def _images(self) -> tuple[Callable[..., Any], ...]:
        inputs = (*self.unknowns, *self.law.parameters)
        return tuple(compiled(self.images[p], *inputs) for p in self.law.parameters)

    def at(self, state: Array, free: Array, parameters: Array, order: int = 0) -> Array:
        """The map (or its first or second derivative by the state) at states."""
        value = self._compiled[order](state, *free, *parameters)
        return np.broadcast_to(np.asarray(value, dtype=float), np.shape(state)).copy()

    def image(self, free: Array, parameters: Array) -> Array:
        """The parameters in the other coordinate."""
        return np.array([float(f(*free, *parameters)) for f in self._images])

    def identity(self, parameters: Array) -> Array:
        """The freedoms at which the map is the identity, as far as their names tell."""
        by_name = {f"{p.name}_hat": v for p, v in zip(self.law.parameters, parameters, strict=True)}
        return np.array([_IDENTITY.get(s.name, by_name.get(s.name, 0.0)) for s in self.unknowns])

    @cached_property
    def affine(self) -> bool:
        """Whether the map is affine in the state."""
        return bool(self.map.diff(self.law.state, 2) == 0)


def branches(law: Law, analysis: Analysis) -> tuple[Branch, ...]:
    """The branches with an explicit map, the one through the identity first."""
    if analysis.gauge is None:
        return ()
    found = [b for info in analysis.gauge.branches if (b := _branch(law, info)) is not None]
    return tuple(sorted(found, key=lambda b: b.kind != "identity"))


def _branch(law: Law, info: BranchInfo) -> Branch | None:
    if info.map is None or info.symbols:
        return None  # given by a relation, or through algebraic numbers: nothing to evaluate directly
    free = tuple(Symbol(name, real=True) for name in info.free)
    whole = tuple(Symbol(name, real=True) for name in info.integers)
    names = [law.state, *law.parameters, *free, *whole]
    try:
        map_ = read_expression(info.map, names)
        images = {p: read_expression(info.parameters[p.name], names) for p in law.parameters}
    except (InputError, KeyError):
        return None
    return Branch(law, map_, images, free, whole, info.map, info.kind)


def shared(expression: Expr, maps: Sequence[Branch], values: Values) -> bool:
    """Whether an expression in the parameters is the same in every compatible report, tried at points.

    Other names in the expression are known quantities, which no coordinate changes.
    """
    if not maps or not np.isfinite(values.values).all():
        return False
    own = [s for s in expression.free_symbols if s in values.symbols]
    others = {s: 1.0 + 0.1 * i for i, s in enumerate(sorted(expression.free_symbols - set(own), key=str))}
    at = compiled(expression.subs(others), *values.symbols)
    here = float(at(*values.values))
    for branch in maps:
        start = branch.identity(values.values)
        for factor in (0.6, 1.7):
            free = np.where(start != 0, factor * start, factor - 1)
            free[len(branch.free) :] = 1.0
            there = float(at(*branch.image(free, values.values)))
            if not np.isclose(there, here, rtol=1e-9, atol=1e-300):
                return False
    return True
