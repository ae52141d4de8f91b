"""Laws drawn from a seed: wider than people write them, small enough to be answered.

A law is kept twice, as the text that the tool reads and as an expression that SymPy's own parser made of
the same terms, so that nothing of the tool stands between a law and its test.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random

from sympy import Expr, Symbol, sympify

KINDS = ("polynomial", "rational", "exponential", "trigonometric", "drag", "half-line", "canonical")
NAMES = "abcdghkmpq"
STATE, VELOCITY = Symbol("z", real=True), Symbol("v", real=True)


@dataclass(frozen=True)
class Drawn:
    """A law with its conditions; ``acceleration`` is its right side in STATE, VELOCITY and the parameters."""

    kind: str
    text: str
    assume: tuple[str, ...]
    domain: tuple[str, ...]
    acceleration: Expr
    parameters: tuple[Symbol, ...]


def draw(seed: int) -> Drawn:
    """The law of a seed."""
    random = Random(seed)
    kind = KINDS[seed % len(KINDS)]
    terms = [t for t in dict.fromkeys(_terms(kind, random)) if t]
    text = " + ".join(f"({'-' if random.random() < 0.5 else ''}{t})" for t in terms)
    table = {name: Symbol(name, real=True) for name in NAMES}
    acceleration = sympify(text.replace("z'", "v"), locals={**table, "z": STATE, "v": VELOCITY})
    names = sorted(set(re.findall(r"\b[a-z]\b", text)) & set(NAMES))  # those that cancel are parameters too
    parameters = tuple(table[name] for name in names)
    assume = [_condition(p.name, random) for p in parameters]
    if len(parameters) > 1 and random.random() < 0.2:
        p, q = random.sample([p.name for p in parameters], 2)
        assume.append(random.choice([f"{p} != {q}", f"{p} > {q}", f"{p}*{q} > 0", f"{p} + {q} != 0"]))
    domain = ("z > 0",) if kind == "half-line" or "/z" in text else ()
    if not domain and random.random() < 0.15:
        domain = (random.choice(["z > 0", "-1 < z < 1", "0 < z < 1", "z > -1"]),)
    return Drawn(kind, f"z'' = {text}", tuple(filter(None, assume)), domain, acceleration, parameters)


def _condition(name: str, random: Random) -> str:
    return random.choice([f"{name} != 0", f"{name} > 0", f"{name} > 0", f"{name} < 0", ""])


def _terms(kind: str, random: Random) -> list[str]:
    """Terms of one kind, in most cases with a damping term and sometimes with one of another kind."""
    terms = [_TERM[kind](random) for _ in range(random.randint(1, 3))]
    if random.random() < 0.5:
        terms.append(f"{_coefficient(random)}*z'" + random.choice(["", "", "", "*z", "*z**2", "*(1-z**2)"]))
    if random.random() < 0.4:
        terms.append(_polynomial(random))
    if kind == "canonical":
        terms.append(random.choice(_SQUARES).format(c=_coefficient(random)))
        if random.random() < 0.15:
            terms.append(f"{_coefficient(random)}*z'**3")
    return terms


def _coefficient(random: Random) -> str:
    """A function of one or two parameters, or a number."""
    p, q = random.choice(NAMES), random.choice(NAMES)
    number = random.choice(["2", "3", "1/2", "5/3"])
    forms = [f"{p}"] * 6 + [
        f"{p}**2",
        f"{p}*{q}",
        f"{p}/{q}",
        f"({p}+{q})",
        f"{number}*{p}",
        f"({p}-1)",
        number,
    ]
    return random.choice(forms)


def _shifted(random: Random) -> str:
    return random.choice(["z", "z", "z", "(z-1)", f"(z-{random.choice(NAMES)})", "(2*z+1)"])


def _polynomial(random: Random) -> str:
    power = random.choice(["", "", "**2", "**3", "**4", "**5"])
    return random.choice([f"{_coefficient(random)}*{_shifted(random)}{power}"] * 5 + [_coefficient(random)])


def _rational(random: Random) -> str:
    below = random.choice(
        ["1+z**2", f"1+{_coefficient(random)}**2*z**2", "4+z**2", f"{_coefficient(random)}**2+z**2"]
    )
    return f"{_coefficient(random)}*{random.choice(['1', 'z', 'z', 'z**2', 'z**3'])}/({below})"


def _exponential(random: Random) -> str:
    rate = random.choice(["z", "2*z", "-z", f"{random.choice(NAMES)}*z", f"-{random.choice(NAMES)}*z"])
    form = random.choice(["exp({r})", "exp({r})", "sinh({r})", "cosh({r})", "(exp({r})-1)", "z*exp({r})"])
    return f"{_coefficient(random)}*{form.format(r=rate)}"


def _trigonometric(random: Random) -> str:
    rate = random.choice(["z", "z", "2*z", "3*z", f"{random.choice(NAMES)}*z"])
    shift = random.choice(["", "", "", "+1", f"+{random.choice(NAMES)}"])
    form = random.choice(
        ["sin({r})", "sin({r})", "cos({r})", "sin({r})**2", "z*sin({r})", "sin({r})*cos({r})"]
    )
    return f"{_coefficient(random)}*{form.format(r=rate + shift)}"


def _drag(random: Random) -> str:
    form = random.choice(["z'*abs(z')", "z'*abs(z')", "abs(z')", "z'**3", "z*z'*abs(z')", "z**2*z'**3", "z"])
    return f"{_coefficient(random)}*{form}"


def _half_line(random: Random) -> str:
    form = random.choice(
        ["1/z", "1/z**2", "1/z**3", "z", "z**2", "sqrt(z)", "z**(3/2)", "z**(1/3)", "log(z)"]
    )
    return f"{_coefficient(random)}*{form}"


_SQUARES = (
    "{c}*z'**2", "{c}*z*z'**2", "z'**2", "{c}*z'**2/z", "2*z'**2/z", "{c}*z*z'**2/(1+z**2)",
    "{c}*z'**2/(1+z)", "z*z'**2/(1-z**2)", "{c}*z'**2*sin(z)", "{c}*z'**2*exp(z)",
)  # fmt: skip
_TERM = {
    "polynomial": _polynomial,
    "rational": _rational,
    "exponential": _exponential,
    "trigonometric": _trigonometric,
    "drag": _drag,
    "half-line": _half_line,
    "canonical": _polynomial,
}
