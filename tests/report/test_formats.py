"""Every format shows every sample whole: law, verdicts, gauge, what to film, what to measure."""

from __future__ import annotations

import dataclasses
import json
import re
from html.parser import HTMLParser

import pytest

from identify.analysis import Analysis
from identify.report import render
from identify.report.notebook import analysis_html, analysis_latex
from identify.report.text import render_text
from tests.report.samples import ALL, CUBIC, HELMHOLTZ, OVERHEAD, REDUNDANT, UNDECIDED, UNSUPPORTED

samples = pytest.mark.parametrize("analysis", ALL.values(), ids=ALL)


@samples
@pytest.mark.parametrize("width", [30, 80, 120, 200])
def test_text_fits_its_width(analysis: Analysis, width: int) -> None:
    text = render_text(analysis, width=width)
    assert max(map(len, text.splitlines())) <= min(width, 120)
    assert "\x1b" not in text
    assert "…" not in text


@samples
def test_text_without_unicode_is_ascii(analysis: Analysis) -> None:
    assert render_text(analysis, width=80, unicode=False).isascii()


def squeezed(text: str) -> str:
    return " ".join(text.split())


def test_cubic_text_tells_the_whole_story() -> None:
    text = squeezed(render_text(CUBIC, width=120))
    for part in (
        "z″ + dz′ + az + bz³ = 0",
        "given b ≠ 0",
        "Video alone determines d and a. Of b it determines only the sign.",
        "✓ identified",
        "± sign only",
        "b/λ²",
        "every video fit returns the same value",
        "ẑ = λz with λ free (λ ≠ 0)",
        "d, a, sign(b)",
        "motion at 3 or more different velocities, for example −1, 0, 1",
        "For b: the size of a displacement from the origin, without its sign.",
        "Then b = b_hat·scale², where hats mark the fit's values and scale = ẑ/z is a position",
        "The direction of the coordinate (a reflection) stays open; no parameter depends on it.",
        "The verdicts leave out b = 0",
        "for all coordinate maps (global)",
    ):
        assert part in text


def test_helmholtz_lists_its_alternatives() -> None:
    text = squeezed(render_text(HELMHOLTZ, width=120))
    assert "α or −α" in text
    assert "reporting α as −α and β as β/λ" in text
    assert "If α = 0: δ identified, α identified, β free" in text


def test_canonical_form_and_outer_set_are_stated() -> None:
    text = squeezed(render_text(OVERHEAD, width=120))
    assert "Canonical coordinate: q = z^(1 − ρ)." in text
    assert "not each of them is claimed to occur" in text


def test_redundancy_is_kept_apart_from_the_coordinate() -> None:
    text = squeezed(render_text(REDUNDANT, width=120))
    assert "free, redundant" in text
    assert "depends on the coordinate" not in text
    assert "For m: the value of k." in text


def test_unsupported_withholds_the_claim() -> None:
    text = squeezed(render_text(UNSUPPORTED, width=120))
    assert "No claim: tanh(v/s)" in text
    # What is to be typed is never typeset.
    assert "c1*z' + c3*z'**3" in text


def test_undecided_says_what_is_known() -> None:
    text = squeezed(render_text(UNDECIDED, width=120))
    assert "Undecided: the time limit of 1 s was reached" in text
    assert "Known so far: Video alone determines d." in text


@samples
def test_json_reads_back(analysis: Analysis) -> None:
    document = json.loads(render(analysis, "json"))
    assert document["schema"] == "identify/analysis/1"
    assert Analysis.from_dict(document) == analysis


@pytest.mark.parametrize(
    "document", [{}, {"schema": "other"}, {"schema": "identify/analysis/1", "law": {}}, []]
)
def test_from_dict_refuses_what_is_no_analysis(document: object) -> None:
    with pytest.raises(ValueError, match=r"schema|shape"):
        Analysis.from_dict(document)  # type: ignore[arg-type]


@samples
def test_markdown_tables_have_four_cells(analysis: Analysis) -> None:
    rows = [line for line in render(analysis, "markdown").splitlines() if line.startswith("|")]
    assert all(len(re.findall(r"(?<!\\)\|", row)) == 5 for row in rows)
    assert len(rows) == (len(analysis.parameters) + 2 if analysis.parameters else 0)


@samples
def test_latex_is_balanced(analysis: Analysis) -> None:
    """Braces, dollars, \\left and \\right, environments: what a missing TeX engine would complain about."""
    text = render(analysis, "latex")
    assert text.isascii()
    bare = re.sub(r"\\[{}$]", "", text)
    assert bare.count("{") == bare.count("}")
    assert bare.count("$") % 2 == 0
    assert len(re.findall(r"\\left\b", text)) == len(re.findall(r"\\right\b", text))
    assert (
        re.findall(r"\\begin\{(\w+)\}", text)
        == ["center", "tabular", "description"][0 if analysis.parameters else 2 :]
    )
    assert text.count(r"\begin") == text.count(r"\end")


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@samples
def test_html_is_well_formed(analysis: Analysis) -> None:
    tags = Tags()
    tags.feed(analysis_html(analysis))
    assert not tags.open
    assert analysis._repr_html_() == analysis_html(analysis)


def test_html_escapes_everything_the_user_wrote() -> None:
    """Text from anywhere in the analysis never becomes markup."""
    evil = "<script>alert(1)</script>"

    def poison(value: object) -> object:
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            changes = {f.name: poison(getattr(value, f.name)) for f in dataclasses.fields(value)}
            return dataclasses.replace(value, **changes)
        if isinstance(value, str) and value not in {"done", "identified", "finite", "sign", "free"}:
            return value + evil
        if isinstance(value, tuple):
            return tuple(map(poison, value))
        if isinstance(value, dict):
            return {poison(k): poison(v) for k, v in value.items()}
        return value

    for analysis in (CUBIC, HELMHOLTZ, OVERHEAD, REDUNDANT):
        poisoned = poison(analysis)
        assert isinstance(poisoned, Analysis)
        tags = Tags()
        tags.feed(analysis_html(poisoned))
        assert "script" not in tags.seen
        assert evil not in analysis_html(poisoned)


@samples
def test_notebook_latex_is_one_formula(analysis: Analysis) -> None:
    text = analysis_latex(analysis)
    assert text.startswith("$")
    assert text.endswith("$")
    assert text.count("$") == 2
    assert text.count(r"\begin{array}") == text.count(r"\end{array}")
    assert analysis._repr_latex_() == text


def test_terminal_markup_in_a_law_is_not_interpreted() -> None:
    law = dataclasses.replace(CUBIC.law, text="[red]z''=0[/red]")
    assert "[red]z''=0[/red]" in render_text(dataclasses.replace(CUBIC, law=law))
