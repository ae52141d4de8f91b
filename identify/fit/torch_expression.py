"""Sympy expressions as programs on torch tensors: walked once into closures, never printed and executed.

A program is a list of steps, each a closure over the slots of its operands; equal subexpressions share a
slot.  Numbers stay Python floats, so the tensors keep their own precision and device.  Everything is
differentiable any number of times.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch
from sympy import Abs, Add, Expr, Function, Integer, Mul, Pow, S, Symbol, cse, diff, numbered_symbols, sign
from sympy import log as sympy_log
from torch import Tensor

from identify.errors import InputError

Value: TypeAlias = Tensor | float
Operation: TypeAlias = Callable[..., Value]
_SQUARE_AND_MORE = 4  # products are cheaper than pow up to here


class _Size(Function):  # type: ignore[misc]
    """The absolute value, with derivative sign(x) whatever is known about x."""

    nargs = 1

    def fdiff(self, argindex: int = 1) -> Expr:
        """The derivative; argindex is always 1."""
        return _Sign(self.args[0])


class _Sign(Function):  # type: ignore[misc]
    """The sign, with derivative 0: the jump has measure zero."""

    nargs = 1

    def fdiff(self, argindex: int = 1) -> Expr:
        """The derivative; argindex is always 1."""
        return S.Zero


class _QuietLog(Function):  # type: ignore[misc]
    """The logarithm in a derivative by an exponent: x**p*log(x) is 0 at 0, so log(0) counts as 0."""

    nargs = 1


class _Erfi(torch.autograd.Function):
    """The imaginary error function, which torch lacks; the derivative is 2/sqrt(pi)*exp(x**2)."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        """The values, through scipy."""
        from scipy.special import erfi

        ctx.save_for_backward(x)
        values = erfi(x.detach().cpu().double().numpy())
        return torch.as_tensor(values, dtype=x.dtype, device=x.device)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Tensor:
        """The derivative, in torch operations, so that it can be differentiated again."""
        (x,) = ctx.saved_tensors
        return grads[0] * (2 / math.sqrt(math.pi)) * torch.exp(x * x)


@dataclass(frozen=True)
class Program:
    """``program(values)`` gives the expressions at the values of ``symbols``, in order.

    A value may be a float where the expression does not depend on a tensor.
    """

    symbols: tuple[Symbol, ...]
    steps: tuple[tuple[Operation, tuple[int, ...]], ...]
    constants: tuple[tuple[int, float], ...]
    size: int
    results: tuple[int, ...]

    def __call__(self, values: Sequence[Value]) -> list[Value]:
        """The values of the expressions."""
        slots: list[Any] = [None] * self.size
        slots[: len(self.symbols)] = values
        for slot, number in self.constants:
            slots[slot] = number
        place = len(self.symbols) + len(self.constants)
        for operation, operands in self.steps:
            slots[place] = operation(*[slots[i] for i in operands])
            place += 1
        return [slots[i] for i in self.results]


def compile_expressions(expressions: Sequence[Expr], symbols: Sequence[Symbol]) -> Program:
    """The program of the expressions; InputError for a function that has no real value in torch."""
    names = numbered_symbols("_shared", cls=Symbol, real=True)
    shared, reduced = cse(list(expressions), symbols=names, order="none")
    compiler = _Compiler(list(symbols))
    for name, expression in shared:
        compiler.alias(name, expression)
    results = [compiler.slot(expression) for expression in reduced]
    return compiler.program(tuple(symbols), results)


def derivative(expression: Expr, symbol: Symbol) -> Expr:
    """The derivative almost everywhere: abs' = sign, sign' = 0, and no product of the kind 0*inf at v = 0."""
    smooth = expression.replace(Abs, _Size).replace(sign, _Sign)
    result = diff(smooth, symbol)
    if symbol not in expression.free_symbols:
        return S.Zero
    result = result.replace(lambda part: isinstance(part, Mul), _join_signs)
    if _has_symbolic_power(smooth, symbol):
        result = result.replace(sympy_log, _QuietLog)
    return result


def _has_symbolic_power(expression: Expr, symbol: Symbol) -> bool:
    return any(symbol in part.exp.free_symbols for part in expression.atoms(Pow))


def _join_signs(product: Expr) -> Expr:
    """``x*sign(x)`` as ``abs(x)``, so that it cancels against powers of abs(x)."""
    for factor in product.args:
        if isinstance(factor, _Sign) and factor.args[0] in product.args:
            rest = [a for a in product.args if a is not factor and a != factor.args[0]]
            return _join_signs(Mul(*rest, _Size(factor.args[0])))
    return product


class _Compiler:
    """Fills slots: symbols first, then constants, then steps; constants are moved there at the end."""

    def __init__(self, symbols: list[Symbol]) -> None:
        self.known: dict[Expr, int] = {symbol: i for i, symbol in enumerate(symbols)}
        self.nodes: list[float | tuple[Operation, tuple[int, ...]] | None] = [None] * len(symbols)

    def alias(self, name: Symbol, expression: Expr) -> None:
        self.known[name] = self.slot(expression)

    def slot(self, expression: Expr) -> int:
        if expression not in self.known:
            self.known[expression] = self._new(self._node(expression))
        return self.known[expression]

    def _new(self, node: float | tuple[Operation, tuple[int, ...]]) -> int:
        self.nodes.append(node)
        return len(self.nodes) - 1

    def _node(self, expression: Expr) -> float | tuple[Operation, tuple[int, ...]]:
        if not expression.free_symbols:
            return _number(expression)
        if isinstance(expression, Symbol):
            raise InputError(
                f"the name {expression} has no value here", hint="give it as a parameter of the law"
            )
        if isinstance(expression, Add):
            return _sum, tuple(self.slot(a) for a in expression.args)
        if isinstance(expression, Mul):
            return _product, tuple(self.slot(a) for a in expression.args)
        if isinstance(expression, Pow):
            return self._power(expression)
        operation = _OPERATIONS.get(type(expression).__name__)
        if operation is None:
            raise InputError(
                f"the function {type(expression).__name__} cannot be fitted",
                hint="write the law with polynomials, roots, exp, log, sin, cos, tanh or abs",
            )
        return operation, (self.slot(expression.args[0]),)

    def _power(self, expression: Pow) -> tuple[Operation, tuple[int, ...]]:
        base, exponent = expression.args
        if isinstance(exponent, Integer):
            return _integer_power(int(exponent)), (self.slot(base),)
        if exponent == S.Half:
            return _guarded_power, (self.slot(base), self.slot(S.Half))
        if exponent == -S.Half:
            return _reciprocal, (self.slot(base**S.Half),)
        return _guarded_power, (self.slot(base), self.slot(exponent))

    def program(self, symbols: tuple[Symbol, ...], results: list[int]) -> Program:
        count = len(symbols)
        rest = range(count, len(self.nodes))
        constants = [i for i in rest if isinstance(self.nodes[i], float)]
        steps = [i for i in rest if not isinstance(self.nodes[i], float)]
        moved = {old: new for new, old in enumerate([*range(count), *constants, *steps])}
        return Program(
            symbols,
            tuple(
                (node[0], tuple(moved[i] for i in node[1]))
                for node in (self.nodes[i] for i in steps)
                if isinstance(node, tuple)
            ),
            tuple((moved[i], node) for i in constants if isinstance(node := self.nodes[i], float)),
            len(self.nodes),
            tuple(moved[i] for i in results),
        )


def _number(expression: Expr) -> float:
    try:
        return float(expression.replace(_Size, Abs).replace(_Sign, sign).replace(_QuietLog, sympy_log))
    except (TypeError, ValueError, OverflowError):
        return math.nan


def _sum(*terms: Value) -> Value:
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def _product(*factors: Value) -> Value:
    total = factors[0]
    for factor in factors[1:]:
        total = total * factor
    return total


def _integer_power(exponent: int) -> Operation:
    def power(x: Value) -> Value:
        size = abs(exponent)
        value = _product(*[x] * size) if 0 < size <= _SQUARE_AND_MORE else _tensor(x) ** size
        return value if exponent > 0 else _reciprocal(value)

    return power


def _reciprocal(x: Value) -> Value:
    return torch.reciprocal(x) if isinstance(x, Tensor) else float(torch.reciprocal(_tensor(x)))


def _guarded_power(base: Value, exponent: Value) -> Value:
    """``base**exponent``; at base 0 the derivative counts as 0 where the value is finite."""
    power = exponent if isinstance(exponent, Tensor) else _tensor(exponent, base)
    value = base if isinstance(base, Tensor) else _tensor(base, power)
    zero = value == 0
    safe = torch.where(zero, torch.ones_like(value), value)
    result = torch.sqrt(safe) if exponent == 0.5 and isinstance(exponent, float) else torch.pow(safe, power)
    with torch.no_grad():
        limit = torch.pow(torch.zeros_like(value), power)
    return torch.where(zero, limit, result)


def _tensor(x: Value, like: Value | None = None) -> Tensor:
    if isinstance(x, Tensor):
        return x
    if isinstance(like, Tensor):
        return torch.as_tensor(x, dtype=like.dtype, device=like.device)
    return torch.as_tensor(x, dtype=torch.float64)


def _quiet_log(x: Value) -> Value:
    value = _tensor(x)
    return torch.log(torch.where(value == 0, torch.ones_like(value), value))


def _of(function: Callable[[Tensor], Tensor]) -> Operation:
    return lambda x: function(_tensor(x))


def _inverse_of(function: Callable[[Tensor], Tensor]) -> Operation:
    """``1/f(x)``: cot, sec, csc and the hyperbolic ones."""
    return lambda x: torch.reciprocal(function(_tensor(x)))


def _at_inverse(function: Callable[[Tensor], Tensor]) -> Operation:
    """``f(1/x)``: acot, asec, acsc and the hyperbolic ones."""
    return lambda x: function(torch.reciprocal(_tensor(x)))


_OPERATIONS: dict[str, Operation] = {
    name: _of(getattr(torch, name))
    for name in "sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh exp log erf erfc sign".split()
}
_OPERATIONS |= {
    "Abs": _of(torch.abs),
    "_Size": _of(torch.abs),
    "_Sign": _of(torch.sign),
    "_QuietLog": _quiet_log,
    "erfi": _of(_Erfi.apply),
    "cot": _inverse_of(torch.tan),
    "sec": _inverse_of(torch.cos),
    "csc": _inverse_of(torch.sin),
    "coth": _inverse_of(torch.tanh),
    "sech": _inverse_of(torch.cosh),
    "csch": _inverse_of(torch.sinh),
    "acot": _at_inverse(torch.atan),
    "asec": _at_inverse(torch.acos),
    "acsc": _at_inverse(torch.asin),
    "acoth": _at_inverse(torch.atanh),
    "asech": _at_inverse(torch.acosh),
    "acsch": _at_inverse(torch.asinh),
}
