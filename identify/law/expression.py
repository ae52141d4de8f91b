"""``text -> SymPy expression``, for expressions that stand alone."""

from __future__ import annotations

from collections.abc import Iterable

from sympy import Expr, Symbol

from identify.errors import InputError
from identify.law.build import Builder
from identify.law.limits import PRINTED
from identify.law.names import CONSTANTS, euler_is_meant, meanings, names_in, symbol_table, unknown_name
from identify.law.parser import Parser
from identify.law.tree import Node, walk


def read_expression(text: str, names: Iterable[str | Symbol] | None = None) -> Expr:
    """The expression of ``text``, such that ``read_expression(to_text(e)) == e``.

    ``names`` are the allowed names, strings becoming real symbols; None allows every name.
    ``e`` is a symbol where it is among ``names``, and Euler's number where it is not.
    """
    try:
        return _read(text, names)
    except RecursionError:
        raise InputError("nested too deeply", text, hint="write it with fewer parentheses") from None


def _read(text: str, names: Iterable[str | Symbol] | None) -> Expr:
    parser = Parser(text, PRINTED)
    tree = parser.sum()
    if parser.token.kind != "end":
        parser.unexpected()
    refuse_primes(tree, text)
    table = symbol_table(names or ())
    found = names_in(tree)
    euler = "e" not in table if names is not None else euler_is_meant(tree, text)
    for node in found if names is not None else ():
        if node.text not in table and node.text not in CONSTANTS and node.text != "e":
            unknown_name(node, text, table)
    return Builder(text, meanings(found, table, euler), PRINTED).expression(tree)


def refuse_primes(tree: Node, text: str) -> None:
    """An expression that stands alone has no z' and no z''."""
    for node in walk(tree):
        if node.shape == "prime":
            written = text[node.start : node.end]
            raise InputError(f"{written} cannot stand here", text, node.start, "only a law has derivatives")
