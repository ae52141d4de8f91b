"""Random texts in and near the input language."""

from __future__ import annotations

from hypothesis import strategies as st

NAMES = ("z", "a", "b", "k_1", "lambda", "S", "E", "beta", "omega_0", "tau", "zhat")
FUNCTIONS = ("sin", "cos", "exp", "abs", "tanh", "sign", "log", "sqrt", "atan", "cbrt", "cosh")

_PIECES = (
    *("z", "z'", "z''", "q'", "a", "b2", "e", "v", "t", "pi", "α", "ω₀", "λ", "z″", "z′", "²", "⁻³"),
    *("+", "-", "*", "/", "**", "^", "(", ")", "|", "=", "==", "<", ">=", "!=", "≠", ",", "{", "}", "−", "·"),
    *("0", "1", "2", "64", "65", "0.5", "1e-3", "9999999", "1/2", " ", " and ", " not in ", " or ", "\n"),
    *("sin(", "exp(", "log(", "sqrt(", "abs(", "cbrt(", "sign(", "sinn(", "tan(", "acosh(", "e**(", "#", "'"),
)


def near_texts() -> st.SearchStrategy[str]:
    """Concatenations of tokens: mostly wrong, often nearly right."""
    return st.lists(st.sampled_from(_PIECES), max_size=25).map("".join)


def expression_texts(names: tuple[str, ...] = NAMES) -> st.SearchStrategy[str]:
    """Well-formed expressions, though some divide by zero or are not real."""
    leaves = st.sampled_from(names) | st.sampled_from(("1", "2", "3", "1/2", "0.7", "pi"))
    return st.recursive(leaves, _larger, max_leaves=8)


def _larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    binary = st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda t: f"({t[0]}){t[1]}({t[2]})")
    power = st.tuples(inner, st.sampled_from(("2", "3", "-1", "(1/2)", "(3/2)", "(-2/3)", "a"))).map(
        lambda t: f"({t[0]})**{t[1]}"
    )
    call = st.tuples(st.sampled_from(FUNCTIONS), inner).map(lambda t: f"{t[0]}({t[1]})")
    return binary | power | call | inner.map(lambda text: f"-({text})")
