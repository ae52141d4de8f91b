"""Formulas as LaTeX mathematics, and prose escaped for LaTeX and for Markdown."""

from __future__ import annotations

import re

from identify.report.formula import (
    GREEK,
    LETTER_NAMES,
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

_FUNCTIONS = {
    **{name: f"\\{name}" for name in "sin cos tan cot sec csc sinh cosh tanh coth exp log".split()},
    **{f"a{name}": f"\\arc{name}" for name in "sin cos tan".split()},
    "ln": "\\ln",
}
_RELATION = {"!=": r"\neq", "<=": r"\leq", ">=": r"\geq"}
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    "'": r"\ensuremath{'}",
    "*": r"\ensuremath{*}",
    "–": "--",
    "—": "---",
    "…": r"\ldots{}",
    "−": r"\ensuremath{-}",
    "′": r"\ensuremath{'}",
    "″": r"\ensuremath{''}",
    "→": r"\ensuremath{\to}",
    "≠": r"\ensuremath{\neq}",
    "≤": r"\ensuremath{\leq}",
    "≥": r"\ensuremath{\geq}",
    "²": r"\ensuremath{^2}",
    "³": r"\ensuremath{^3}",
    "·": r"\ensuremath{\cdot}",
    "×": r"\ensuremath{\times}",
    "±": r"\ensuremath{\pm}",
    "ẑ": r"\ensuremath{\hat z}",
    "∞": r"\ensuremath{\infty}",
}
_SUM, _PRODUCT, _POWER, _ATOM = range(4)


class Latex:
    """For a LaTeX document: formulas in ``$...$``."""

    def formula(self, text: str) -> str:
        return f"${latex(text)}$"

    def prose(self, text: str) -> str:
        return "".join(map(_escaped, text))

    verbatim = prose


class Markdown:
    """For Markdown with mathematics (GitHub, Jupyter, Sphinx): formulas in ``$...$``."""

    def formula(self, text: str) -> str:
        return f"${latex(text)}$"

    def prose(self, text: str) -> str:
        return re.sub(r"([\\`*_\[\]<>|$])", r"\\\1", " ".join(text.split()))

    verbatim = prose


def latex(text: str) -> str:
    """The expression as mathematics, without dollar signs; escaped text where it is no formula."""
    tree = read_formula(text)
    return rf"\text{{{''.join(map(_escaped, text))}}}" if tree is None else typeset(tree)


def typeset(tree: Formula) -> str:
    """A formula tree as mathematics, without dollar signs."""
    return _show(tree)


def _escaped(character: str) -> str:
    if character in _SPECIAL:
        return _SPECIAL[character]
    if character in LETTER_NAMES:
        return rf"\ensuremath{{\{LETTER_NAMES[character]}}}"
    return character if character.isascii() or character.isalpha() else "?"


def symbol(name: str) -> str:
    r"""``beta_0`` as ``\beta_{0}``, ``zhat`` and ``z_hat`` as ``\hat{z}``, ``speed`` as an upright word."""
    base, hat, index = name_parts(name.removesuffix("_hat") if len(name) > len("_hat") else name)
    hat = hat or name.endswith("_hat")
    base = LETTER_NAMES.get(base, base)
    if base in GREEK:
        base = f"\\{base}"
    elif len(base) > 1:
        base = rf"\mathrm{{{base}}}".replace("_", r"\_")
    if hat:
        base = rf"\hat{{{base}}}"
    if index:
        escaped = index.replace("_", r"\_")
        base += f"_{{{escaped}}}" if index.isdecimal() else rf"_{{\mathrm{{{escaped}}}}}"
    return base


def _show(node: Formula) -> str:
    match node:
        case Number(text):
            return text
        case Name(text, primes):
            return symbol(text) + "'" * primes
        case Bars(inner):
            return rf"\left\lvert {_show(inner)}\right\rvert "
        case Call(function, arguments):
            return _call(function, arguments)
        case Negation(inner):
            return "-" + _within(inner, _PRODUCT)
        case Relation(terms, operators):
            rest = zip(operators, terms[1:], strict=True)
            return _show(terms[0]) + "".join(f" {_RELATION.get(o, o)} {_show(t)}" for o, t in rest)
        case Binary("**", base, exponent):
            return _power(base, exponent)
        case Binary("/", left, right):
            return rf"\frac{{{_show(left)}}}{{{_show(right)}}}"
        case Binary("*", left, right):
            joint = r" \cdot " if _digit(right) else r"\,"
            return f"{_within(left, _PRODUCT)}{joint}{_within(right, _PRODUCT)}"
        case Binary(operator, left, right):
            return f"{_show(left)} {operator} {_within(right, _PRODUCT)}"


def _digit(node: Formula) -> bool:
    """Whether the printed factor begins with a digit."""
    if isinstance(node, Binary) and node.operator in {"*", "**"}:
        return _digit(node.left)
    return isinstance(node, Number)


def _level(node: Formula) -> int:
    match node:
        case Relation() | Negation() | Binary("+" | "-", _, _):
            return _SUM
        case Binary("*" | "/", _, _):
            return _PRODUCT
        case Binary("**", _, _):
            return _POWER
        case Name(_, primes) if primes:
            return _POWER
        case Call(function, _) if function != "sqrt":
            return _POWER
        case _:
            return _ATOM


def _within(node: Formula, level: int) -> str:
    return _show(node) if _level(node) >= level else rf"\left({_show(node)}\right)"


def _power(base: Formula, exponent: Formula) -> str:
    # A prime is itself a superscript: z'^2 is legal but {z'}^{2} is what was meant.
    if isinstance(base, Name) and base.primes:
        return f"{{{_show(base)}}}^{{{_show(exponent)}}}"
    if isinstance(base, Call) and base.function in _FUNCTIONS and isinstance(exponent, Number):
        return _call(base.function, base.arguments, power=f"^{{{exponent.text}}}")
    return f"{_within(base, _ATOM)}^{{{_raised(exponent)}}}"


def _raised(exponent: Formula) -> str:
    """An exponent on one line: a fraction of that size could not be read."""
    if isinstance(exponent, Binary) and exponent.operator == "/":
        return f"{_within(exponent.left, _PRODUCT)}/{_within(exponent.right, _POWER)}"
    return _show(exponent)


def _call(function: str, arguments: tuple[Formula, ...], power: str = "") -> str:
    inside = ", ".join(map(_show, arguments))
    if function == "sqrt" and len(arguments) == 1:
        return rf"\sqrt{{{inside}}}"
    name = _FUNCTIONS.get(function, rf"\operatorname{{{function}}}".replace("_", r"\_"))
    return rf"{name}{power}\left({inside}\right)"
