"""What each name of a text means: a parameter, the state, Euler's number, or a mistake."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NoReturn

from sympy import E, Expr, Symbol, pi

from identify.errors import InputError
from identify.law.build import integer_constant
from identify.law.functions import SPELLINGS, nearest
from identify.law.tree import Node, walk

CONSTANTS: Mapping[str, Expr] = {"pi": pi}


def real(name: str) -> Symbol:
    """The real symbol of that name."""
    return Symbol(name, real=True)


def symbol_table(names: Iterable[str | Symbol]) -> dict[str, Symbol]:
    """Name -> symbol; symbols are kept as they are, strings become real symbols."""
    return {str(name): name if isinstance(name, Symbol) else real(name) for name in names}


def names_in(node: Node) -> list[Node]:
    """The "name" nodes of a tree, the first occurrence of each, in the order of the text."""
    first: dict[str, Node] = {}
    for part in walk(node):
        if part.shape == "name":
            first.setdefault(part.text, part)
    return list(first.values())


def euler_is_meant(node: Node, text: str) -> bool:
    """Whether ``e`` is Euler's number in this tree.

    It is where ``e`` occurs only as the base of powers whose exponent contains a name.  With a
    plain integer exponent, or outside a power, it is a parameter.  Anything in between is an error.
    """
    powers = [p for p in walk(node) if p.shape == "power" and _is_e(p.children[0])]
    exponential = [p for p in powers if integer_constant(p.children[1]) is None]
    plain = [p for p in walk(node) if _is_e(p)]
    bases = {p.children[0].start for p in exponential}
    parameter = [p for p in plain if p.start not in bases]
    unclear = [p for p in exponential if parameter or not names_in(p.children[1])]
    if unclear:
        message = "ambiguous: is 'e' here a parameter or Euler's number?"
        raise InputError(message, text, unclear[0].start, "write exp(...), or rename the parameter")
    return bool(exponential)


def _is_e(node: Node) -> bool:
    return node.shape == "name" and node.text == "e"


def unknown_name(node: Node, text: str, known: Iterable[str]) -> NoReturn:
    """Complain about a name that is not among the known ones."""
    known = tuple(known)
    close = nearest(node.text, known)
    if not known:
        raise InputError(
            f"unknown name '{node.text}'", text, node.start, "write a number, such as 0.2 or 1/3"
        )
    listed = ", ".join(known)
    hint = f"did you mean {close}? " if close else ""
    if node.text == "e":
        hint = "write exp(1) for Euler's number; "
    if node.text in velocity_spellings("z"):
        hint = "a condition cannot mention the velocity; "
    raise InputError(f"unknown name '{node.text}'", text, node.start, f"{hint}the names here are {listed}")


def check_parameter(node: Node, state: str, text: str) -> None:
    """Refuse parameter names that are almost certainly something else."""
    name = node.text
    if name == "t":
        message = "explicit time: the law must not depend on t"
        raise InputError(message, text, node.start, "rename the parameter if t is not time")
    if name in velocity_spellings(state):
        raise InputError(
            f"'{name}' looks like the velocity", text, node.start, f"write {state}' for the velocity"
        )
    if name in (f"{state}_tt", f"dd{state}", f"{state}ddot"):
        message = f"'{name}' looks like the acceleration"
        raise InputError(message, text, node.start, f"write {state}'' for the acceleration")
    if any(name == function + state for function in SPELLINGS):
        function = name[: -len(state)]
        message = f"'{name}' would be one parameter"
        raise InputError(message, text, node.start, f"write {function}({state})")
    if len(name) == 2 and len(state) == 1 and name.isalpha() and state in name and name != state:
        message = f"'{name}' would be one parameter, not a product"
        raise InputError(message, text, node.start, f"write {name[0]}*{name[1]}")


def velocity_spellings(state: str) -> tuple[str, ...]:
    """Names that a user might write for the velocity; none of them may be a parameter."""
    spellings = ("v", "zdot", "xdot", f"{state}dot", f"{state}_dot", f"dot{state}", f"d{state}", f"{state}_t")
    return tuple(name for name in spellings if name != state)


def meanings(nodes: Iterable[Node], table: Mapping[str, Symbol], euler: bool) -> dict[str, Expr]:
    """Name -> SymPy object for the given name nodes."""
    found: dict[str, Expr] = {}
    for node in nodes:
        if node.text in table:
            found[node.text] = table[node.text]
        elif node.text == "e" and euler:
            found[node.text] = E
        else:
            found[node.text] = CONSTANTS.get(node.text) or real(node.text)
    return found
