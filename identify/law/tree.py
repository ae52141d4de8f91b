"""The syntax tree between the parser and SymPy: plain data with positions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

Shape = Literal["number", "name", "prime", "sum", "product", "negate", "inverse", "power", "call"]


@dataclass(frozen=True)
class Node:
    """One node.

    ``text`` is the name of a "name", "prime" or "call" node; ``order`` counts the primes;
    ``[start, end)`` is the slice of the source; ``height`` is 0 for a leaf.
    """

    shape: Shape
    start: int
    end: int
    children: tuple[Node, ...] = ()
    text: str = ""
    order: int = 0
    value: Fraction = Fraction(0)
    height: int = 0


def walk(node: Node) -> Iterator[Node]:
    """All nodes below and including ``node``, in the order of the source text."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(reversed(current.children))
