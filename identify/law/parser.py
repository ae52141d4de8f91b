"""Tokens -> syntax tree, by recursive descent; the grammar of one expression.

::

    sum      = product (("+" | "-") product)*
    product  = signed (("*" | "/" | nothing) signed)*      "nothing" only where it cannot be misread
    signed   = ("+" | "-")* power                          so -z**2 is -(z**2)
    power    = primary ("**" signed | superscript)?        right associative
    primary  = number | name primes? | function "(" sum ")" | "(" sum ")" | "|" sum "|"

A bar closes the innermost open bar whenever it can, and opens a new one otherwise.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import NoReturn

from identify.errors import InputError
from identify.law.functions import SPELLINGS, canonical_function, nearest
from identify.law.limits import Limits
from identify.law.tokens import GREEK, Kind, Token, tokenize
from identify.law.tree import Node, Shape

KEYWORDS = ("and", "or", "not", "in")


class Parser:
    """A cursor over the tokens of one text; each method reads one rule of the grammar."""

    def __init__(self, text: str, limits: Limits) -> None:
        self.text = text
        self.limits = limits
        self.tokens = tokenize(text, limits)
        self.index = 0
        self.depth = 0
        self.bars = 0  # open bars since the innermost open bracket

    @property
    def token(self) -> Token:
        """The next token."""
        return self.tokens[self.index]

    @property
    def previous(self) -> Token:
        """The token just read."""
        return self.tokens[max(self.index - 1, 0)]

    def advance(self) -> Token:
        """Read one token."""
        token = self.token
        self.index += token.kind != "end"
        return token

    def at(self, *texts: str) -> bool:
        """Whether the next token is one of these operators."""
        return self.token.kind == "operator" and self.token.text in texts

    def at_kind(self, kind: Kind) -> bool:
        """Whether the next token is of this kind."""
        return self.token.kind == kind

    def at_word(self, *texts: str) -> bool:
        """Whether the next token is one of these words."""
        return self.token.kind == "name" and self.token.text in texts

    def fail(self, message: str, at: int, hint: str) -> NoReturn:
        """Raise the InputError for this text."""
        raise InputError(message, self.text, at, hint)

    def sum(self) -> Node:
        """A sum of products."""
        self._deeper()
        terms = [self.product()]
        while self.at("+", "-"):
            operator = self.advance()
            term = self.product()
            terms.append(self._node("negate", operator.start, (term,)) if operator.text == "-" else term)
        self.depth -= 1
        return terms[0] if len(terms) == 1 else self._node("sum", terms[0].start, tuple(terms))

    def product(self) -> Node:
        """A product, with implicit factors where they are unambiguous."""
        factors, divided, barred = [self.signed()], False, self.previous.text == "|"
        while True:
            if self.at("*", "/"):
                operator = self.advance()
                factor = self.signed()
                divided, barred = operator.text == "/", self.previous.text == "|"
                factors.append(self._node("inverse", operator.start, (factor,)) if divided else factor)
            elif self._implicit_follows():
                self._check_implicit(divided, barred)
                factors.append(self.power())
                barred = barred or self.previous.text == "|"
            else:
                break
        return factors[0] if len(factors) == 1 else self._node("product", factors[0].start, tuple(factors))

    def signed(self) -> Node:
        """A power behind any number of signs."""
        start, negative = self.token.start, False
        while self.at("+", "-"):
            negative ^= self.advance().text == "-"
        power = self.power()
        return self._node("negate", start, (power,)) if negative else power

    def power(self) -> Node:
        """A primary, possibly raised to a power."""
        base = self.primary()
        if self.at_kind("superscript"):
            exponent = self._integer(self.advance())
            if self.at_kind("superscript") or self.at("**"):
                self.fail("two powers in a row", self.token.start, "put brackets around the inner power")
            return self._node("power", base.start, (base, exponent))
        if not self.at("**"):
            return base
        self.advance()
        self._deeper()
        exponent = self.signed()
        self.depth -= 1
        self._check_glued_exponent(exponent)
        return self._node("power", base.start, (base, exponent))

    def primary(self) -> Node:
        """A number, name, call, bracket or pair of bars."""
        token = self.token
        if token.kind == "number":
            self.advance()
            return self._node("number", token.start, value=Fraction(token.text))
        if token.kind == "name" and token.text not in KEYWORDS:
            return self._name()
        if self.at("("):
            return self._bracket()
        if self.at("|"):
            return self._absolute()
        return self._missing_operand()

    def _name(self) -> Node:
        token = self.advance()
        if canonical_function(token.text):
            return self._call(token)
        primes = 0
        while self.token.kind == "prime":
            primes += len(self.advance().text)
        if self.at("("):
            self._not_a_function(token, primes)
        if primes:
            return self._node("prime", token.start, text=token.text, order=primes)
        return self._node("name", token.start, text=token.text)

    def _call(self, token: Token) -> Node:
        if not self.at("("):
            self._bare_function(token)
        argument = self._bracket(token.text)
        return self._node("call", token.start, (argument,), text=canonical_function(token.text) or "")

    def _bracket(self, function: str = "") -> Node:
        opening = self.advance()
        outer, self.bars = self.bars, 0
        if self.at(")"):
            what = f"{function}() needs an argument" if function else "these brackets are empty"
            self.fail(what, opening.start, "write an expression between them")
        inside = self.sum()
        if function and self.at(","):
            self.fail(f"{function} takes one argument", self.token.start, "close the bracket here")
        self._close(opening, ")")
        self.bars = outer
        return inside if function else replace(inside, start=opening.start, end=self.previous.end)

    def _absolute(self) -> Node:
        opening = self.advance()
        self.bars += 1
        inside = self.sum()
        self._close(opening, "|")
        self.bars -= 1
        return self._node("call", opening.start, (inside,), text="abs")

    def _close(self, opening: Token, closing: str) -> None:
        if self.at(closing):
            self.advance()
        elif self.at(")", "|") or self.token.kind in ("end", "operator"):
            self.fail(f"this '{opening.text}' is never closed", opening.start, f"add '{closing}'")
        else:
            self.unexpected()

    def _integer(self, token: Token) -> Node:
        if len(token.text) > 6:
            self.fail("the exponent is too large", token.start, "write one of at most six digits")
        number = self._node("number", token.start, value=Fraction(abs(int(token.text))))
        return self._node("negate", token.start, (number,)) if token.text[0] == "-" else number

    def _implicit_follows(self) -> bool:
        if self.token.kind in ("number", "name"):
            return not self.at_word(*KEYWORDS)
        return self.at("(") or (self.at("|") and self.bars == 0)

    def _check_implicit(self, divided: bool, barred: bool) -> None:
        token = self.token
        if divided:
            self.fail(
                "ambiguous: is the last factor above or below the division?",
                token.start,
                "write * and brackets, as in (1/2)*z or 1/(2*z)",
            )
        if token.kind == "number":
            self.fail(
                "a number cannot follow directly", token.start, "write * for a product or ** for a power"
            )
        if self.at("|") and barred and self.previous.text != "|":
            self.fail("ambiguous bars", token.start, "write abs(...)")

    def _check_glued_exponent(self, exponent: Node) -> None:
        plain = exponent.shape in ("number", "negate") and self.previous.kind == "number"
        if plain and not self.token.spaced and self._implicit_follows():
            hint = "write * for a product, or brackets around the exponent"
            self.fail("ambiguous: does the power end here?", self.token.start, hint)

    def _bare_function(self, token: Token) -> NoReturn:
        name = token.text
        if self.at("**") or self.token.kind == "superscript":
            self.fail(f"{name} needs its argument first", token.start, f"write {name}(z)**2")
        if self.at("="):
            self.fail(f"{name} is a function, not a parameter", token.start, "choose another name")
        self.fail(f"{name} is a function and needs brackets", token.start, f"write {name}(...)")

    def _not_a_function(self, token: Token, primes: int) -> NoReturn:
        written = self.text[token.start : self.previous.end]
        close = nearest(token.text, SPELLINGS) if len(token.text) > 2 and not primes else None
        if close and token.text not in GREEK.values():
            self.fail(f"unknown function '{token.text}'", token.start, f"did you mean {close}?")
        if primes or len(token.text) < 3 or token.text in GREEK.values() or "_" in token.text:
            hint = f"write {written}*(...) for a product"
            self.fail(f"ambiguous: '{written}(...)' could be a function or a product", token.start, hint)
        hint = f"write {written}*(...) for a product; the functions are sin, cos, exp, log, sqrt, abs, ..."
        self.fail(f"unknown function '{token.text}'", token.start, hint)

    def _missing_operand(self) -> NoReturn:
        token = self.token
        if token.kind == "prime":
            self.fail("a prime must follow the state", token.start, "write z' for the velocity")
        if token.kind == "end" and self.index == 0:
            self.fail("there is nothing to read", 0, "write an expression, as in z'' + a*z = 0")
        if token.kind == "end" or token.text in ("=", ",", "=="):
            if self.index == 0:
                self.fail(f"nothing stands before '{token.text}'", token.start, "write the left side")
            last = self.previous
            self.fail(
                f"something is missing after '{last.text}'", last.start, f"add it, or remove '{last.text}'"
            )
        if token.text == ")" and self.index == 0:
            self.unexpected()
        missing = f"a number, name or bracket is missing before '{token.text}'"
        self.fail(missing, token.start, f"add it, or remove '{token.text}'")

    def unexpected(self) -> NoReturn:
        """Complain about the next token."""
        token = self.token
        if token.text == ")":
            self.fail("this ')' closes nothing", token.start, "remove it or add '('")
        if token.text == "|":
            self.fail("this '|' closes nothing", token.start, "write abs(...)")
        if token.kind == "prime":
            self.fail("a prime must follow the state", token.start, "write z' for the velocity")
        if token.text == ",":
            self.fail("a comma cannot stand here", token.start, "write decimals with a point, as in 0.5")
        if token.text in ("<", ">", "<=", ">=", "!=", "<>"):
            self.fail("a law is an equation, not a condition", token.start, "pass conditions as assumptions")
        if token.kind == "end":
            self.fail("the text ends too early", token.start, "write the rest of it")
        self.fail(
            f"'{token.text}' cannot stand here", token.start, "remove it, or write an operator before it"
        )

    def _deeper(self) -> None:
        self.depth += 1
        if self.depth > self.limits.depth:
            self._too_deep(self.token.start)

    def _too_deep(self, at: int) -> NoReturn:
        self.fail(
            f"nested too deeply: the limit is {self.limits.depth} levels", at, "write it with fewer brackets"
        )

    def _node(
        self,
        shape: Shape,
        start: int,
        children: tuple[Node, ...] = (),
        text: str = "",
        order: int = 0,
        value: Fraction = Fraction(0),
    ) -> Node:
        height = 1 + max((child.height for child in children), default=-1)
        if height > self.limits.depth:
            self._too_deep(start)
        return Node(shape, start, self.previous.end, children, text, order, value, height)
