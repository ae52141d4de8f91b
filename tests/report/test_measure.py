"""What to measure, as a newcomer reads it: every name explained, nothing listed that was already given."""

from __future__ import annotations

import re

import pytest

from identify.engine import analyze
from identify.report.markdown import render_markdown
from identify.report.text import render_text

DUFFING = "z''+d*z'+a*z+b*z**3=0"
HELMHOLTZ = "z''+d*z'+a*z+b*z**2=0"


def told(law: str, assume: list[str], anchors: list[str], **options: object) -> str:
    """The section in plain characters, on one line."""
    analysis = analyze(law, assume, anchors=anchors, **options)  # type: ignore[arg-type]
    text = render_text(analysis, width=100, unicode=False)
    section = text[text.index(" What to measure") :].split("\n\n")[0]
    return " ".join(section.replace("What to measure", "").split())


@pytest.mark.parametrize(
    ("law", "assume", "anchors"),
    [
        (DUFFING, ["b != 0"], ["amplitude=0.4"]),
        (DUFFING, ["b != 0"], ["displacement=0.4 m", "state=0.1 m"]),
        (HELMHOLTZ, ["a != 0", "b != 0"], ["state=0.4"]),
        (HELMHOLTZ, ["a != 0", "b != 0"], ["amplitude"]),
        ("z''=-k*(z-r)", ["k > 0"], ["equilibrium=1"]),
    ],
)
def test_every_anchored_state_is_explained(law: str, assume: list[str], anchors: list[str]) -> None:
    text = told(law, assume, anchors)
    before, _, here = text.partition("Here ")
    for name in set(re.findall(r"\bz\d\b", before)):
        assert re.search(rf"\b{name}\b[^.]*position", here), (name, text)


def test_the_formula_stays_once_the_anchor_is_given() -> None:
    assert "b = b_hat*scale**2" in told(DUFFING, ["b != 0"], [])
    assert "b = b_hat*scale**2" in told(DUFFING, ["b != 0"], ["amplitude=0.4"])
    assert "b_hat" not in told(DUFFING, ["b != 0"], ["origin"])


def test_a_repeated_anchor_is_pointed_out() -> None:
    assert "state=0.4 is given twice" in told(HELMHOLTZ, ["a != 0", "b != 0"], ["state=0.4", "state=0.4"])
    assert "origin is given twice" in told(HELMHOLTZ, ["a != 0", "b != 0"], ["state=0", "origin"])
    assert "twice" not in told(HELMHOLTZ, ["a != 0", "b != 0"], ["state", "state"])
    assert "twice" not in told(HELMHOLTZ, ["a != 0", "b != 0"], ["state=0.4", "state=0.5"])


def test_only_what_is_missing_is_asked_for() -> None:
    text = told(HELMHOLTZ, ["a != 0", "b != 0"], ["origin"])
    assert "For b, measure in addition: a position with its sign; or the value of" in text or (
        "For b, measure in addition: a position with its sign." in text
    )
    assert "For a" not in text
    clocked = told(DUFFING, ["b != 0"], ["frame-rate=240 fps"], unknown_clock=True)
    assert "For b, measure in addition: the size of a displacement" in clocked
    assert "For d" not in clocked


def test_an_anchored_parameter_is_no_news() -> None:
    text = told("z''+d*z'+g/L*sin(z)=0", ["g > 0", "L > 0"], ["g=9.81+-0.01 m/s^2"])
    assert "video determines L (to 0.1 %" in text


def test_two_scales_make_one_fraction() -> None:
    assert "b/(lambda**2*kappa**2)" in told(DUFFING, ["b != 0"], [], unknown_clock=True)


def test_markdown_typesets_what_stays_open() -> None:
    page = render_markdown(analyze(DUFFING, ["b != 0"], anchors=["amplitude=0.4"]))
    assert r"the direction of the coordinate ($\hat{z} = -z$); no parameter depends on it" in page
