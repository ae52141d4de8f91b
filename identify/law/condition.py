"""``text -> conditions`` on parameters and state.

::

    conditions = clause (("," | "and") clause)*
    clause     = sum (relation sum)+  |  sum "not" "in" "{" sum ("," sum)* "}"

A clause without a relation takes the one of the clause after it: ``a, b != 0``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import cast

from sympy import Abs, Expr, Symbol

from identify.errors import InputError
from identify.law.build import Builder
from identify.law.law import Condition, Relation
from identify.law.limits import LAW
from identify.law.names import CONSTANTS, meanings, names_in, symbol_table, unknown_name
from identify.law.parser import Parser
from identify.law.tree import Node, walk

_RELATIONS = ("<", ">", "<=", ">=", "!=", "==", "=", "<>")
_Pair = tuple[Expr, Relation]


@dataclass(frozen=True)
class _Clause:
    """``operands[0] relations[0] operands[1] ...``; an exclusion has "not in" as its only relation."""

    operands: tuple[Node, ...]
    relations: tuple[str, ...]
    relations_at: int
    end: int


def read_condition(text: str, names: Iterable[str | Symbol]) -> tuple[Condition, ...]:
    """The conditions of ``text`` over the allowed ``names``; each one is ``expression relation 0``."""
    try:
        clauses = _Reader(text).clauses()
        table = symbol_table(names)
        return tuple(condition for clause in clauses for condition in _conditions(clause, text, table))
    except RecursionError:
        raise InputError("nested too deeply", text, hint="write it with fewer parentheses") from None


class _Reader(Parser):
    """The grammar of conditions, on top of the grammar of expressions."""

    def __init__(self, text: str) -> None:
        super().__init__(text, LAW)

    def clauses(self) -> list[_Clause]:
        """All clauses, those without a relation completed from the clause after them."""
        clauses: list[_Clause] = []
        waiting: list[Node] = []
        while True:
            clause = self._clause()
            if not clause.relations:
                waiting.append(clause.operands[0])
            else:
                clauses += [self._shared(node, clause) for node in waiting] + [clause]
                waiting = []
            if not self._separator():
                break
        if waiting:
            self.fail("this condition has no relation", waiting[0].start, "write for example b != 0 or w > 0")
        return clauses

    def _separator(self) -> bool:
        if self.token.kind == "end":
            return False
        if self.at_word("or"):
            self.fail("'or' is not supported", self.token.start, "run the analysis once for each case")
        if not (self.at(",") or self.at_word("and")):
            self.unexpected()
        self.advance()
        return True

    def _clause(self) -> _Clause:
        operands = [self.sum()]
        at = self.token.start
        if self.at_word("not", "in"):
            return self._exclusion(operands[0])
        relations: list[str] = []
        while self.at(*_RELATIONS):
            relations.append(self._relation())
            operands.append(self.sum())
        if len(relations) > 1 and "!=" in relations:
            self.fail("'!=' cannot be chained", at, "write separate conditions")
        return _Clause(tuple(operands), tuple(relations), at, self.previous.end)

    def _relation(self) -> str:
        written = self.advance().text
        return {"=": "==", "<>": "!="}.get(written, written)

    def _exclusion(self, operand: Node) -> _Clause:
        start = self.token.start
        if not self.at_word("not"):
            self.fail("'in' is not supported", start, "write inequalities, as in 0 < z < 1")
        self.advance()
        if not self.at_word("in"):
            self.fail("'not' must be followed by 'in'", start, "write for example r not in {1, 2}")
        self.advance()
        if not self.at("{"):
            self.fail("a set in braces is missing after 'not in'", start, "write for example r not in {1, 2}")
        members = self._set()
        return _Clause((operand, *members), ("not in",), start, self.previous.end)

    def _set(self) -> list[Node]:
        opening = self.advance()
        members = [self.sum()]
        while self.at(","):
            self.advance()
            members.append(self.sum())
        if not self.at("}"):
            self.fail("this '{' is never closed", opening.start, "add '}'")
        self.advance()
        return members

    def _shared(self, node: Node, clause: _Clause) -> _Clause:
        if len(clause.relations) > 1:
            self.fail("this condition has no relation of its own", node.start, "write each chain out")
        return replace(clause, operands=(node, *clause.operands[1:]))


def _conditions(clause: _Clause, text: str, table: dict[str, Symbol]) -> list[Condition]:
    operands = [_operand(node, text, table) for node in clause.operands]
    written = _written(clause, text)
    pairs = _excluded(operands) if clause.relations == ("not in",) else _chain(operands, clause.relations)
    for expression, relation in pairs:
        _check_informative(expression, relation, text, clause)
    return [Condition(expression, relation, written) for expression, relation in pairs]


def _operand(node: Node, text: str, table: dict[str, Symbol]) -> Expr:
    for part in walk(node):
        if part.shape == "prime":
            message = "a condition cannot mention the velocity or the acceleration"
            raise InputError(message, text, part.start, "conditions restrict parameters and the state")
    found = names_in(node)
    for name in found:
        if name.text not in table and name.text not in CONSTANTS:
            unknown_name(name, text, table)
    return Builder(text, meanings(found, table, euler=False), LAW).expression(node)


def _written(clause: _Clause, text: str) -> str:
    first, tail = clause.operands[0], text[clause.relations_at : clause.end]
    between = text[first.end : clause.relations_at]
    return text[first.start : first.end] + (" " if between.strip() else between) + tail


def _excluded(operands: list[Expr]) -> list[_Pair]:
    return [(operands[0] - member, "!=") for member in operands[1:]]


def _chain(operands: list[Expr], relations: tuple[str, ...]) -> list[_Pair]:
    pairs: list[_Pair] = []
    for left, relation, right in zip(operands, relations, operands[1:], strict=False):
        if relation in ("<", "<="):
            left, relation, right = right, relation.replace("<", ">"), left
        pairs += _compare(left, cast(Relation, relation), right)
    return pairs


def _compare(left: Expr, relation: Relation, right: Expr) -> list[_Pair]:
    """``left relation right``; a bound on an absolute value is split into two without it."""
    if relation in (">", ">=") and isinstance(right, Abs):
        return [(left - right.args[0], relation), (left + right.args[0], relation)]
    if relation in (">", "!=") and isinstance(left, Abs) and right == 0:
        return [(left.args[0], "!=")]
    return [(left - right, relation)]


def _check_informative(expression: Expr, relation: Relation, text: str, clause: _Clause) -> None:
    if expression.free_symbols:
        return
    holds = {
        "!=": expression.is_nonzero,
        "==": expression.is_zero,
        ">": expression.is_positive,
        ">=": expression.is_nonnegative,
    }
    verdict = "always holds and says nothing" if holds[relation] else "can never hold"
    raise InputError(
        f"this condition {verdict}",
        text,
        clause.operands[0].start,
        hint="leave it out, or state what is meant, such as b != 0",
    )
