"""Source text -> tokens, each with its position.

Unicode spellings are folded here: primes, minus signs, products, comparisons, superscripts,
subscripts and Greek letters come out as their ASCII forms.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from identify.errors import InputError
from identify.law.limits import Limits

Kind = Literal["number", "name", "prime", "superscript", "operator", "end"]

GREEK = dict(
    zip(
        "αβγδεζηθικλμνξοπρσςτυφχψω",
        "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma sigma "
        "tau upsilon phi chi psi omega".split(),
        strict=True,
    )
)
GREEK |= {letter.upper(): name.capitalize() for letter, name in GREEK.items() if letter != "ς"}
GREEK |= {"ϵ": "epsilon", "ϑ": "theta", "ϕ": "phi", "ϰ": "kappa", "ϱ": "rho", "µ": "mu"}

_PRIMES = {**dict.fromkeys("'’‘′´ʹʼ`‵", 1), **dict.fromkeys('"”“″ʺ', 2), "‴": 3, "⁗": 4}
_FOLD = {
    **dict.fromkeys("−–—‒﹣-", "-"),
    **dict.fromkeys("·×⋅∗∙•", "*"),
    **dict.fromkeys("∕⁄÷", "/"),
    **dict.fromkeys("∣│", "|"),
    "≠": "!=",
    "≤": "<=",
    "≥": ">=",
    "⩽": "<=",
    "⩾": ">=",
    "+": "+",
    "∧": "and",
    "&": "and",
    ";": ",",
}
_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_SUBSCRIPT = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")

_NUMBER = re.compile(r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)*[₀-₉]*")
_GREEK_NAME = re.compile(f"[{''.join(GREEK)}][0-9]*(?:_[A-Za-z0-9]+)*[₀-₉]*")
_SUPER = re.compile(r"[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_OPERATOR = re.compile(r"\*\*|==|!=|<=|>=|<>|[-+*/^()|=<>{},]")

_HINTS = {
    "[": "use round brackets ( )",
    "]": "use round brackets ( )",
    "√": "write sqrt(...)",
    "∛": "write cbrt(...)",
    "∞": "leave an unbounded side out",
    ":": "write a law as z'' = ...",
    "_": "a name is letters and digits, such as k_1",
    "\\": "write plain text instead of LaTeX",
    "%": "write a plain number",
}


@dataclass(frozen=True)
class Token:
    """One token; ``text`` is its canonical spelling, ``spaced`` says whether a space comes before."""

    kind: Kind
    text: str
    start: int
    end: int
    spaced: bool


def tokenize(text: str, limits: Limits) -> tuple[Token, ...]:
    """All tokens of ``text``, ending with one "end" token; raises InputError at the first bad character."""
    if len(text) > limits.length:
        raise InputError(
            f"the text is too long: {len(text)} characters, the limit is {limits.length}",
            text,
            limits.length,
            hint="shorten the law; name its coefficients",
        )
    return tuple(_scan(text, limits))


def _scan(text: str, limits: Limits) -> Iterator[Token]:
    position, spaced = 0, False
    while position < len(text):
        if text[position].isspace():
            position, spaced = position + 1, True
            continue
        token = _next(text, position, spaced)
        if token.kind == "number":
            _check_number(text, token, limits)
        yield token
        position, spaced = token.end, False
    yield Token("end", "", len(text.rstrip()), len(text), spaced)


def _next(text: str, start: int, spaced: bool) -> Token:
    character = text[start]
    if character in _PRIMES:
        return Token("prime", "'" * _PRIMES[character], start, start + 1, spaced)
    if character in _FOLD:
        folded = _FOLD[character]
        return Token("name" if folded == "and" else "operator", folded, start, start + 1, spaced)
    if match := _NUMBER.match(text, start):
        return Token("number", match.group(), start, match.end(), spaced)
    if match := _NAME.match(text, start) or _GREEK_NAME.match(text, start):
        return Token("name", canonical_name(match.group()), start, match.end(), spaced)
    if match := _SUPER.match(text, start):
        return Token("superscript", match.group().translate(_SUPERSCRIPT), start, match.end(), spaced)
    if match := _OPERATOR.match(text, start):
        return Token("operator", match.group().replace("^", "**"), start, match.end(), spaced)
    raise _unknown(text, start)


def canonical_name(name: str) -> str:
    """The ASCII spelling of a name: ``ω₀`` is ``omega_0``."""
    head = GREEK.get(name[0], name[0])
    body = name[1:].rstrip("₀₁₂₃₄₅₆₇₈₉")
    index = name[1 + len(body) :].translate(_SUBSCRIPT)
    return head + body + (f"_{index}" if index else "")


def _check_number(text: str, token: Token, limits: Limits) -> None:
    mantissa, _, exponent = token.text.lower().partition("e")
    too_large = len(exponent) > 6 or abs(int(exponent or "0")) > limits.digits
    if len(mantissa) > limits.digits or too_large:
        raise InputError(
            f"this number has more than {limits.digits} digits",
            text,
            token.start,
            hint="name the number as a parameter, or round it",
        )
    if text[token.end : token.end + 1] == ".":
        raise InputError("a number has at most one decimal point", text, token.end, hint="write 1.5")


def _unknown(text: str, start: int) -> InputError:
    character = text[start]
    hint = _HINTS.get(character)
    if hint is None and (character.isalpha() or not character.isascii()):
        hint = "use plain letters; write z' for the velocity and z'' for the acceleration"
    hint = hint or "remove it"
    shown = f"'{character}'" if character.isprintable() else f"U+{ord(character):04X}"
    return InputError(f"unknown character {shown}", text, start, hint)
