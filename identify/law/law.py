"""The declared law ``z'' = F(z, z')`` as data.

All symbols are real SymPy symbols.  Nothing here parses or computes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sympy import Expr, Symbol

Relation = Literal["!=", ">", ">=", "=="]


@dataclass(frozen=True)
class Condition:
    """``expression relation 0``, with the user's own words kept in ``text``.

    ``0 < a < 1`` becomes two conditions with the same text; ``a < 1`` is stored as ``1 - a > 0``.
    """

    expression: Expr
    relation: Relation
    text: str


@dataclass(frozen=True)
class Law:
    """A scalar second-order law solved for its acceleration.

    ``acceleration`` is F(state, velocity).  ``leading`` is the coefficient of z'' that was divided
    out (1 where there was none).  ``parameters`` come in order of first appearance.
    ``assumptions`` restrict parameters only; ``domain`` conditions mention the state.
    """

    text: str
    state: Symbol
    velocity: Symbol
    acceleration: Expr
    leading: Expr
    parameters: tuple[Symbol, ...]
    assumptions: tuple[Condition, ...] = ()
    domain: tuple[Condition, ...] = ()
