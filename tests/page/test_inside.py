"""The Python inside the page: the terminal's own answers, as JSON, whatever it is asked."""

from __future__ import annotations

import json
import math
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from identify.engine import analyze
from identify.errors import InputError
from identify.law import read_expression, read_law
from identify.page.inside.notation import BETWEEN, CLOSE, OPEN
from identify.page.inside.session import answer
from identify.page.inside.tree import NotDrawn, tree
from identify.report import render

DUFFING = "z''+d*z'+a*z+b*z**3=0"


def ask(kind: str, **request: Any) -> dict[str, Any]:
    reply: dict[str, Any] = json.loads(answer(json.dumps({"kind": kind, **request})))
    return reply


def test_analysis_is_the_terminals() -> None:
    """JSON, Markdown and LaTeX are those of ``identify analyze``, conditions on the state among them."""
    law, conditions = "z'' = rho*z'**2/z - k*z**2", ["rho != 1", "z > 0"]
    reply = ask("analyze", law=law, conditions=conditions, strata=True)
    analysis = analyze(law, conditions[:1], conditions[1:], strata=True)
    assert reply["json"] == render(analysis, "json")
    assert reply["markdown"] == render(analysis, "markdown")
    assert reply["latex"] == render(analysis, "latex")


def test_anchors_and_clock_reach_the_engine() -> None:
    """Measurements and an unknown clock give what the options of the terminal give."""
    anchors = ["amplitude=0.40+-0.01 m"]
    reply = ask("analyze", law=DUFFING, conditions=["b != 0"], anchors=anchors, unknown_clock=True)
    analysis = analyze(DUFFING, ["b != 0"], anchors=anchors, unknown_clock=True)
    assert reply["json"] == render(analysis, "json")


@pytest.mark.parametrize("law", ["z''+d*z'+a*z+b*z**=0", "z'+a*z=0", "z''+$", "", "z''+sin(z=0", "x''+y''=0"])
def test_errors_are_the_terminals(law: str) -> None:
    """A law that cannot be read is answered with the terminal's lines and caret, whatever is asked."""
    with pytest.raises(InputError) as raised:
        read_law(law)
    for kind in ("preview", "analyze"):
        assert ask(kind, law=law)["error"]["shown"] == raised.value.render()


def test_preview_tells_each_condition_apart() -> None:
    """A wrong condition is told at that condition; the law and the others are shown."""
    reply = ask("preview", law=DUFFING, conditions=["b != 0", "q > 1"])
    assert [p["name"] for p in reply["parameters"]] == ["d", "a", "b"]
    assert "latex" in reply["conditions"][0]
    assert "unknown name" in reply["conditions"][1]["error"]["message"]


def test_every_formula_is_marked() -> None:
    """Marks come in order and hold LaTeX and plain text; nothing outside them looks like LaTeX."""
    report = ask("analyze", law="z'' = rho*z'**2/z - k*z**2", conditions=["z > 0"])["report"]
    lines = [report["headline"], *(line for section in report["sections"] for line in section["lines"])]
    assert any(OPEN in line for line in lines)
    for line in lines:
        outside = [piece.partition(CLOSE)[2] for piece in (CLOSE + line).split(OPEN)]
        assert "\\" not in "".join(outside)
        assert line.count(OPEN) == line.count(BETWEEN) == line.count(CLOSE)


def test_the_page_is_not_told_to_type_options() -> None:
    """Where the terminal says ``--strata``, the page names its own switch."""
    reply = ask("analyze", law="z'' = rho*z'**2/z - k*z**2", conditions=["z > 0"])
    assert "--strata" in reply["markdown"]
    assert "--strata" not in json.dumps(reply["report"])


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=20),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
        max_leaves=8,
    ),
    st.sampled_from(["preview", "analyze", "other", ""]),
)
def test_any_request_is_answered(field: Any, kind: str) -> None:
    """Whatever arrives, the reply is JSON and no exception leaves."""
    for request in (field, {"kind": kind, "law": field}, {"kind": kind, "law": "z''=1", "conditions": field}):
        assert isinstance(json.loads(answer(json.dumps(request))), dict)
    assert "error" in json.loads(answer("not JSON"))


FUNCTIONS = {
    "+": lambda *parts: sum(parts),
    "*": lambda *parts: math.prod(parts),
    "**": lambda base, exponent: base**exponent,
    "abs": abs,
    "sign": lambda x: math.copysign(1, x) if x else 0,
    **{name: getattr(math, name) for name in "sin cos tan sinh cosh tanh exp log atan asinh".split()},
}


def evaluated(node: Any, values: dict[str, float]) -> float:
    """The value of a tree: the same table of functions that the page has."""
    if isinstance(node, str):
        return values[node]
    if isinstance(node, int | float):
        return float(node)
    return float(FUNCTIONS[node[0]](*(evaluated(part, values) for part in node[1:])))


@pytest.mark.parametrize(
    "text",
    [
        "-d*v - a*z - b*z**3",
        "rho*v**2/z - k*z**2",
        "a*exp(-k*z) - c/z**7 + pi*v",
        "g*log(z/c)*abs(v)*v - sqrt(z)/cbrt(k)",
        "w**2*sin(z) + sign(v)*tanh(v/c) + atan(z)/(1 + 4*a**2*z**2)",
    ],
)
def test_trees_keep_the_value(text: str) -> None:
    """A tree evaluates to what SymPy evaluates the expression to."""
    expression = read_expression(text)
    chance = random.Random(text)
    for _ in range(5):
        values = {symbol: chance.uniform(0.5, 2) for symbol in expression.free_symbols}
        known = float(expression.subs(values))
        named = {symbol.name: value for symbol, value in values.items()}
        assert evaluated(json.loads(json.dumps(tree(expression))), named) == pytest.approx(known, rel=1e-12)


def test_what_cannot_be_drawn_is_said() -> None:
    """A function that browsers lack gives no picture, and leaves the answer as it is."""
    with pytest.raises(NotDrawn):
        tree(read_expression("erf(z)"))
    reply = ask("analyze", law="z'' + a*erf(z) = 0")
    assert "refused" in reply["picture"]
    assert "json" in reply


def test_picture_of_an_orbit() -> None:
    """Cubic Duffing: b moves as b/lambda**2, d and a stay, and the law's template has a place for each."""
    picture = ask("analyze", law=DUFFING, conditions=["b < 0"])["picture"]
    branch = picture["branches"][0]
    moved = {
        n: evaluated(t, {"d": 1, "a": 2, "b": -3, "lambda": 2.0}) for n, t in branch["parameters"].items()
    }
    assert moved == {"d": 1, "a": 2, "b": -0.75}
    assert picture["values"]["b"] < 0
    assert all(f"\x02{name}\x03" in picture["template"] for name in "dab")
    assert len(picture["features"]) == 3
