"""The functions of the input language, and no others."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable

import sympy
from sympy import Abs, Expr, Rational, sign


def real_cube_root(argument: Expr) -> Expr:
    """The real cube root: ``sign(x)*abs(x)**(1/3)``, since SymPy's ``x**(1/3)`` is complex at x < 0."""
    if argument.is_nonnegative:
        return argument ** Rational(1, 3)
    return sign(argument) * Abs(argument) ** Rational(1, 3)


def absolute(argument: Expr) -> Expr:
    """The absolute value; SymPy 1.14 can leave abs(abs(x)) behind, as for ``Abs(-Abs(x))``."""
    return Abs(argument).replace(
        lambda part: isinstance(part, Abs) and isinstance(part.args[0], Abs), lambda part: part.args[0]
    )


_PLAIN = (
    "sin cos tan cot sec csc sinh cosh tanh coth sech csch "
    "asin acos atan acot asec acsc asinh acosh atanh acoth asech acsch "
    "sqrt exp log sign erf erfc erfi"
).split()

FUNCTIONS: dict[str, Callable[[Expr], Expr]] = {name: getattr(sympy, name) for name in _PLAIN}
FUNCTIONS |= {"abs": absolute, "cbrt": real_cube_root}

ALIASES = {"ln": "log", "sgn": "sign", "arsinh": "asinh", "arcosh": "acosh", "artanh": "atanh"}
ALIASES |= {f"arc{name[1:]}": name for name in _PLAIN if name[0] == "a"}

SPELLINGS = (*FUNCTIONS, *ALIASES)


def canonical_function(name: str) -> str | None:
    """The name under which ``FUNCTIONS`` holds the function, or None."""
    name = ALIASES.get(name, name)
    return name if name in FUNCTIONS else None


def nearest(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate closest to ``name``, or None where none is close."""
    pool = {candidate.lower(): candidate for candidate in candidates}
    found = difflib.get_close_matches(name.lower(), pool, n=1, cutoff=0.6)
    return pool[found[0]] if found else None
