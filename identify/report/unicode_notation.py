"""Formulas as one line of Unicode: ``z″ + δz′ + αz + βz³ = 0``."""

from __future__ import annotations

import re
import unicodedata

from identify.report.formula import (
    GREEK,
    Bars,
    Binary,
    Call,
    Formula,
    Name,
    Negation,
    Number,
    Relation,
    name_parts,
    read_formula,
)

_SUPERSCRIPT = str.maketrans("0123456789-−+n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻⁺ⁿ")
_SUBSCRIPT = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_RELATION = {"!=": "≠", "<=": "≤", ">=": "≥"}
_SUM, _PRODUCT, _POWER, _ATOM = range(4)


class Unicode:
    """The terminal's and the notebook's notation."""

    def formula(self, text: str) -> str:
        tree = read_formula(text)
        return text if tree is None else _show(tree)

    def prose(self, text: str) -> str:
        """Powers, relations and Greek names inside a sentence, so that it agrees with the formulas."""
        text = re.sub(r"\*\*(-?\d+)", lambda power: power[1].translate(_SUPERSCRIPT), text)
        text = re.sub("==|!=|<=|>=", lambda relation: _RELATION.get(relation[0], "="), text)
        return re.sub(r"[A-Za-z]+(?![A-Za-z])", lambda word: GREEK.get(word[0], word[0]), text)

    def verbatim(self, text: str) -> str:
        return text


def symbol(name: str) -> str:
    """``beta_0`` as ``β₀``, ``zhat`` as ``ẑ``; names of several letters stay as they are."""
    base, hat, index = name_parts(name)
    base = GREEK.get(base, base)
    if hat:
        base = unicodedata.normalize("NFC", base + "\u0302") if len(base) == 1 else base + "hat"
    if index.isdecimal() and index.isascii():
        return base + index.translate(_SUBSCRIPT)
    return f"{base}_{index}" if index else base


def _show(node: Formula) -> str:
    match node:
        case Number(text):
            return text
        case Name(text, primes):
            return symbol(text) + "″" * (primes // 2) + "′" * (primes % 2)
        case Bars(inner):
            return f"|{_show(inner)}|"
        case Call(function, arguments):
            return _call(function, arguments)
        case Negation(inner):
            return "−" + _within(inner, _PRODUCT)
        case Relation(terms, operators):
            rest = zip(operators, terms[1:], strict=True)
            return _show(terms[0]) + "".join(f" {_RELATION.get(o, o)} {_show(t)}" for o, t in rest)
        case Binary("**", base, exponent):
            return _power(base, exponent)
        case Binary("/", left, right):
            return f"{_factor(left)}/{_within(right, _POWER)}"
        case Binary("*", left, right):
            return _product(left, right)
        case Binary(operator, left, right):
            return f"{_show(left)} {'−' if operator == '-' else '+'} {_within(right, _PRODUCT)}"


def _level(node: Formula) -> int:
    match node:
        case Relation() | Negation() | Binary("+" | "-", _, _):
            return _SUM
        case Binary("*" | "/", _, _):
            return _PRODUCT
        case Binary("**", _, _) | Call("sqrt", _):
            return _POWER
        case _:
            return _ATOM


def _within(node: Formula, level: int) -> str:
    return _show(node) if _level(node) >= level else f"({_show(node)})"


def _factor(node: Formula) -> str:
    """The left side of a product or quotient; a quotient there gets parentheses."""
    if isinstance(node, Binary) and node.operator == "/":
        return f"({_show(node)})"
    return _within(node, _PRODUCT)


def _product(left: Formula, right: Formula) -> str:
    if isinstance(right, Binary) and right.operator == "*":
        return _product(Binary("*", left, right.left), right.right)
    first, second = _factor(left), _within(right, _POWER)
    return first + _joint(left, first, right, second) + second


def _joint(left: Formula, first: str, right: Formula, second: str) -> str:
    """What stands between two factors: nothing if that reads well, a space before a function, else a dot."""
    if second.startswith("("):
        return ""
    if _is_function(right):
        return " "
    end = _last(left)
    if first.endswith(")") and not isinstance(end, Call):
        return ""
    if isinstance(end, Call) or _long(end) or _long(_first(right)) or isinstance(_first(right), Number):
        return "·"
    return ""


def _last(node: Formula) -> Formula:
    """The factor that ends the printed product."""
    match node:
        case Binary("*", _, right):
            return _last(right)
        case Binary("**", base, _):
            return base
        case _:
            return node


def _first(node: Formula) -> Formula:
    return node.left if isinstance(node, Binary) and node.operator == "**" else node


def _is_function(node: Formula) -> bool:
    inner = _first(node)
    return isinstance(inner, Call) and inner.function != "sqrt"


def _long(node: Formula) -> bool:
    """A name of several letters, or with some below, which would run into its neighbour."""
    if not isinstance(node, Name):
        return False
    base, _, index = name_parts(node.text)
    return len(GREEK.get(base, base)) > 1 or (index != "" and not index.isdecimal())


def _power(base: Formula, exponent: Formula) -> str:
    raised = _show(exponent)
    simple = all(character in "0123456789−n" for character in raised)
    up = raised.translate(_SUPERSCRIPT) if simple else f"^{_within(exponent, _ATOM)}"
    if isinstance(base, Call) and base.function != "sqrt" and simple and "−" not in raised:
        return f"{base.function}{up}({', '.join(map(_show, base.arguments))})"
    return _within(base, _ATOM) + up


def _call(function: str, arguments: tuple[Formula, ...]) -> str:
    inside = ", ".join(map(_show, arguments))
    if function == "sqrt" and len(arguments) == 1:
        return "√" + (inside if _level(arguments[0]) == _ATOM else f"({inside})")
    return f"{function}({inside})"
