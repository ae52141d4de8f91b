"""SymPy -> the input language, so that ``read_expression(to_text(e)) == e``."""

from __future__ import annotations

import re

import sympy
from sympy import Expr, Symbol
from sympy.core.relational import Relational
from sympy.printing.str import StrPrinter

from identify.errors import NotPrintable
from identify.law.functions import FUNCTIONS, canonical_function
from identify.law.law import Law
from identify.law.names import CONSTANTS
from identify.law.parser import KEYWORDS

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)*'?")  # with the prime of normal_text
_RELATIONS = {"==": "==", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


class _Printer(StrPrinter):  # type: ignore[misc]  # sympy has no type information
    """SymPy's own spelling, restricted to what the parser reads back."""

    def _print_Symbol(self, expr: Symbol) -> str:
        name: str = expr.name
        if not _NAME.fullmatch(name) or name in CONSTANTS or name in KEYWORDS or canonical_function(name):
            raise NotPrintable(f"'{name}' is not a name of the input language")
        return name

    def _print_Exp1(self, expr: Expr) -> str:
        return "exp(1)"  # `e` would clash with a parameter of that name

    def _print_Abs(self, expr: Expr) -> str:
        return f"abs({self._print(expr.args[0])})"

    def _print_Function(self, expr: Expr) -> str:
        name = expr.func.__name__
        if name not in FUNCTIONS or len(expr.args) != 1:
            raise NotPrintable(f"{name} is not a function of the input language")
        return f"{name}({self._print(expr.args[0])})"

    def _print_ExpBase(self, expr: Expr) -> str:
        return f"exp({self._print(expr.exp)})"

    def _print_Relational(self, expr: Relational) -> str:
        return f"{self._print(expr.lhs)} {_RELATIONS[expr.rel_op]} {self._print(expr.rhs)}"

    def _refuse(self, expr: Expr) -> str:
        raise NotPrintable(f"{type(expr).__name__} has no spelling in the input language")

    _print_ImaginaryUnit = _print_Infinity = _print_NegativeInfinity = _print_ComplexInfinity = _refuse
    _print_NaN = _print_Piecewise = _print_Integral = _print_Derivative = _print_Dummy = _refuse
    _print_Float = _print_ComplexRootOf = _print_BooleanTrue = _print_BooleanFalse = emptyPrinter = _refuse


def to_text(expression: Expr | Relational) -> str:
    """The expression in the input language; ``read_expression`` reads back an equal expression.

    Raises NotPrintable for what the language cannot say (floats, integrals, complex numbers, ...).
    """
    if not isinstance(expression, sympy.Basic):
        raise NotPrintable(f"{type(expression).__name__} is not an expression")
    return str(_Printer().doprint(expression))


def to_latex(expression: Expr | Relational) -> str:
    """The expression in LaTeX."""
    return str(sympy.latex(expression))


def normal_text(law: Law) -> str:
    """The law solved for its acceleration, ``z'' = ...``, with ``z'`` for the velocity."""
    velocity = Symbol(f"{law.state.name}'", real=True)
    return f"{law.state.name}'' = {to_text(law.acceleration.subs(law.velocity, velocity))}"
