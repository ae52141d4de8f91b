"""Small laws of every kind, as lists of terms, for the property tests."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

DAMPING = ("d*z'", "e*z*z'", "m*z**2*z'", "d*(1 - z**2)*z'", "d*w*z'")
POLYNOMIAL = (
    "a*z", "b*z**2", "g*z**3", "h*z**5", "c", "w**2*z", "a*b*z**3", "z**3", "z**2", "2*z", "b**2*z**4",
    "a*(z - s)", "g*(z - s)**2", "a*z*(1 - z)", "g*(z - s)**3", "(a + b)*z", "a/w*z", "a*z**3", "z",
)  # fmt: skip
RATIONAL = ("a*z/(1 + b**2*z**2)", "k/(1 + z**2)", "a*z/(1 + z**2)", "b/(4 + b**2*z**2)", "a*z")
HALF_LINE = ("k/z", "k/z**2", "b/z**3", "a*z", "d*z'", "c", "g*z**2", "k*sqrt(z)", "a*z**(3/2)")
EXPONENTIAL = (
    "a*exp(k*z)",
    "b*exp(-k*z)",
    "b*exp(z)",
    "a*exp(2*z)",
    "c",
    "a*sinh(k*z)",
    "w*z",
    "a*(exp(k*z) - 1)",
)
TRIGONOMETRIC = ("a*sin(z)", "w**2*sin(z)", "b*sin(2*z)", "a*sin(k*z)", "b*cos(z)", "c", "w*z", "b*cos(2*z)")
DRAG = ("k*z'*abs(z')", "m*z'**3", "k*abs(z')", "e*z**2*z'**3", "k*abs(z')*z*z'")
CANONICAL = ("c*z'**2", "k*z*z'**2", "z'**2", "c*z'**2", "a*z*z'**2/(1 + z**2)")
CANONICAL_HALF = ("r*z'**2/z", "z'**2/z", "2*z'**2/z", "r*z'**2/z")

PARAMETERS = "abcdeghkmrsw"
CONDITIONS = ("{p} != 0", "{p} > 0", "")
OPEN = (
    "{p} > 0",
    "{p} < 0",
    "{p} > 1",
    "{p} != 1",
    "{p}*{q} > 0",
    "{p} > {q}",
    "{p}**2 > 4*{q}",
    "{p} + {q} != 0",
)


@dataclass(frozen=True)
class Declared:
    """A law as signed terms of its right side, with assumptions and domain."""

    terms: tuple[str, ...]
    assume: tuple[str, ...] = ()
    domain: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return "z'' = " + " + ".join(f"({t})" for t in self.terms)

    @property
    def parameters(self) -> tuple[str, ...]:
        import re

        found = dict.fromkeys(name for t in self.terms for name in re.findall(r"[a-z]+", t))
        return tuple(n for n in found if n in PARAMETERS)


def _terms(*pools: tuple[str, ...], most: int = 2) -> st.SearchStrategy[list[str]]:
    """Up to ``most`` terms of the last pool, at most one of every other pool."""
    *optional, main = pools
    chosen = [st.lists(st.sampled_from(pool), max_size=1) for pool in optional]
    body = st.lists(st.sampled_from(main), min_size=1, max_size=most, unique=True)
    return st.tuples(*chosen, body).map(lambda parts: [t for part in parts for t in part])


@st.composite
def declared(draw: st.DrawFn, kind: st.SearchStrategy[list[str]], half_line: bool = False) -> Declared:
    """A law from one kind of terms, random signs, and assumptions about some parameters."""
    terms = tuple(("-" if draw(st.booleans()) else "") + t for t in dict.fromkeys(draw(kind)))
    law = Declared(terms)
    assume = [draw(st.sampled_from(CONDITIONS)).format(p=p) for p in law.parameters]
    return Declared(terms, tuple(filter(None, assume)), ("z > 0",) if half_line else ())


raw_laws = st.one_of(
    declared(_terms(DAMPING, POLYNOMIAL, most=3)),
    declared(_terms(DAMPING, RATIONAL)),
    declared(_terms(DAMPING, EXPONENTIAL)),
    declared(_terms(DAMPING, TRIGONOMETRIC)),
    declared(_terms(DRAG, DAMPING, POLYNOMIAL)),
    declared(_terms(DAMPING, HALF_LINE), half_line=True),
)
canonical_laws = st.one_of(
    declared(_terms(DAMPING, CANONICAL, POLYNOMIAL)),
    declared(_terms(CANONICAL_HALF, HALF_LINE), half_line=True),
    declared(_terms(CANONICAL, TRIGONOMETRIC, most=1)),
    declared(_terms(CANONICAL, EXPONENTIAL, most=1)),
)
laws = st.one_of(raw_laws, raw_laws, canonical_laws)


@st.composite
def with_more_assumed(draw: st.DrawFn) -> tuple[Declared, str]:
    """A law with weak assumptions, and one more (open) condition on its parameters."""
    law = draw(laws.filter(lambda law: law.parameters))
    p = draw(st.sampled_from(law.parameters))
    q = draw(st.sampled_from(law.parameters))
    pool = OPEN if p != q else OPEN[:4]
    weak = tuple(c for c in law.assume if "!=" in c)
    return Declared(law.terms, weak, law.domain), draw(st.sampled_from(pool)).format(p=p, q=q)
