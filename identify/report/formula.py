"""A formula as a small tree that keeps the writer's order of terms, for typesetting only.

The engine's normal form would print ``z''+d*z'+a*z=0`` with its terms sorted; a report should show
the law as it was typed.  The tree has no meaning beyond its shape: nothing is evaluated.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

MAX_LENGTH = 4000
MAX_DEPTH = 60


@dataclass(frozen=True)
class Number:
    """A numeral as typed."""

    text: str


@dataclass(frozen=True)
class Name:
    """A symbol with its number of time derivatives."""

    text: str
    primes: int = 0


@dataclass(frozen=True)
class Call:
    """A function applied to arguments."""

    function: str
    arguments: tuple[Formula, ...]


@dataclass(frozen=True)
class Bars:
    """An absolute value."""

    inner: Formula


@dataclass(frozen=True)
class Negation:
    """A leading minus sign."""

    inner: Formula


@dataclass(frozen=True)
class Binary:
    """``left operator right`` with one of ``+ - * / **``."""

    operator: str
    left: Formula
    right: Formula


@dataclass(frozen=True)
class Relation:
    """A chain such as ``0 < a <= 1``; ``=`` and ``==`` are the same relation here."""

    terms: tuple[Formula, ...]
    operators: tuple[str, ...]


Formula = Number | Name | Call | Bars | Negation | Binary | Relation

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)|(?P<name>[^\W\d]\w*)|(?P<prime>''|[\"″]|['′’])"
    r"|(?P<operator>\*\*|==|!=|<=|>=|[-+*/^=<>(),|−·≠≤≥]))"
)
_SAME = {"^": "**", "−": "-", "·": "*", "==": "=", "≠": "!=", "≤": "<=", "≥": ">="}
_RELATIONS = {"=", "!=", "<", ">", "<=", ">="}


def read_formula(text: str) -> Formula | None:
    """The tree of ``text``, or None where it is not a formula; the caller then shows it as typed."""
    try:
        return _Reader(_tokens(text)).read()
    except _NotAFormula:
        return None


class _NotAFormula(Exception):
    pass


def _tokens(text: str) -> list[tuple[str, str]]:
    text = text.strip()
    if len(text) > MAX_LENGTH:
        raise _NotAFormula
    found, position = [], 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None or match.lastgroup is None:
            raise _NotAFormula
        value = match[match.lastgroup]
        found.append((match.lastgroup, _SAME.get(value, value)))
        position = match.end()
    return found


class _Reader:
    """Recursive descent; ``**`` binds tightest, then the sign, then products, sums, relations."""

    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self.tokens = [*tokens, ("end", "")]
        self.position = 0
        self.depth = 0
        self.bars = 0

    @property
    def kind(self) -> str:
        return self.tokens[self.position][0]

    @property
    def value(self) -> str:
        return self.tokens[self.position][1]

    def take(self) -> str:
        self.position += 1
        return self.tokens[self.position - 1][1]

    def at(self, *operators: str) -> bool:
        return self.kind == "operator" and self.value in operators

    def expect(self, operator: str) -> None:
        if not self.at(operator):
            raise _NotAFormula
        self.take()

    def read(self) -> Formula:
        terms, operators = [self.sum()], []
        while self.at(*_RELATIONS):
            operators.append(self.take())
            terms.append(self.sum())
        if self.kind != "end":
            raise _NotAFormula
        return Relation(tuple(terms), tuple(operators)) if operators else terms[0]

    def sum(self) -> Formula:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise _NotAFormula
        result = self.signed()
        while self.at("+", "-"):
            operator = self.take()
            result = Binary(operator, result, self.product())
        self.depth -= 1
        return result

    def signed(self) -> Formula:
        if self.at("-"):
            self.take()
            return Negation(self.product())
        return self.product()

    def product(self) -> Formula:
        result = self.power()
        while True:
            if self.at("*", "/"):
                operator = self.take()
                result = Binary(operator, result, self.power())
            elif self.starts_implicit_factor(result):
                result = Binary("*", result, self.power())
            else:
                return result

    def starts_implicit_factor(self, left: Formula) -> bool:
        """``2z`` and ``2(z+1)``; a bar opens a factor only where none is open to be closed."""
        if isinstance(left, Number):
            return self.kind == "name" or self.at("(") or (self.at("|") and not self.bars)
        return self.kind == "name"

    def power(self) -> Formula:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise _NotAFormula
        if self.at("-", "+"):
            sign = self.take()
            inner = self.power()
            self.depth -= 1
            return Negation(inner) if sign == "-" else inner
        result = self.atom()
        if self.at("**"):
            self.take()
            result = Binary("**", result, self.power())
        self.depth -= 1
        return result

    def atom(self) -> Formula:
        if self.kind == "number":
            return Number(self.take())
        if self.kind == "name":
            return self.name_or_call()
        if self.at("("):
            self.take()
            inner = self.inside()
            self.expect(")")
            return inner
        if self.at("|"):
            self.take()
            self.bars += 1
            inner = self.sum()
            self.expect("|")
            self.bars -= 1
            return Bars(inner)
        raise _NotAFormula

    def inside(self) -> Formula:
        """What stands in parentheses, where a bar opens anew."""
        bars, self.bars = self.bars, 0
        inner = self.sum()
        self.bars = bars
        return inner

    def name_or_call(self) -> Formula:
        name = self.take()
        if self.at("("):
            return self.call(name)
        primes = 0
        while self.kind == "prime":
            primes += 2 if self.take() in {"''", '"', "″"} else 1
        return Name(name, primes)

    def call(self, name: str) -> Formula:
        self.take()
        arguments = [self.inside()]
        while self.at(","):
            self.take()
            arguments.append(self.inside())
        self.expect(")")
        if name.lower() == "abs" and len(arguments) == 1:
            return Bars(arguments[0])
        return Call(name, tuple(arguments))


_PARTS = re.compile(r"(?P<letters>[^\W\d_]+?)(?P<hat>hat)?(?:_?(?P<digits>\d+)|_(?P<word>\w+))?_?")

GREEK = dict(
    zip(
        "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon "
        "phi chi psi omega".split(),
        "αβγδεζηθικλμνξπρστυφχψω",
        strict=True,
    )
) | dict(
    zip(
        "Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega".split(),
        "ΓΔΘΛΞΠΣΥΦΨΩ",
        strict=True,
    )
)
LETTER_NAMES = {letter: name for name, letter in GREEK.items()}


def name_parts(name: str) -> tuple[str, bool, str]:
    """A name as (base, has a hat, index): ``beta_0`` is (beta, no, 0), ``zhat`` is (z, yes, "")."""
    match = _PARTS.fullmatch(name)
    if match is None:
        return name, False, ""
    return match["letters"], match["hat"] is not None, match["digits"] or match["word"] or ""
