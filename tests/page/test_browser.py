"""The page in a real browser, from disk, without a network: what a visitor does and must then see."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from identify.certificate import verify
from identify.engine import analyze
from identify.errors import InputError
from identify.families.listing import load
from identify.law import read_law
from identify.report import render
from tests.page.browser import Visit, axe, browsers, page_file, visit
from tests.page.pictures import photographs
from tests.page.whole import differs

# One browser and one engine for all of them: starting the engine takes most of the time.
pytestmark = pytest.mark.xdist_group("page")

REGIMES = ("lti", "angular-pendulum", "van-der-pol-normalised", "cubic-duffing", "quintic-duffing")
SLOW = "odd-drag-fitted-polynomial"


@pytest.fixture(scope="module")
def file() -> Path:
    return page_file()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with browsers() as found:
        yield found


@pytest.fixture(scope="module")
def session(browser: Any, file: Path) -> Iterator[Visit]:
    permissions = ["clipboard-read", "clipboard-write"]
    with visit(browser, permissions=permissions, viewport={"width": 1100, "height": 900}) as shown:
        with shown.measured() as start:
            shown.open(file)
            shown.ready()
        shown.start = start
        yield shown


@pytest.fixture
def shown(session: Visit) -> Iterator[Visit]:
    """The one visit; after each test its console is empty and nothing was asked of a network."""
    session.complaints.clear()
    yield session
    print(session.told())  # shown by pytest where the test failed
    assert session.complaints == []
    assert [url for url in session.requests if not url.startswith(("file:", "blob:", "data:"))] == []


def test_time(shown: Visit) -> None:
    """Ready within 12 s, a law of the paper's table within 2 s more, on two idle processors.

    Measured as processor time, twice that: other work on the machine does not count.
    """
    assert shown.start.processor < 24
    for name in REGIMES:
        declared, lawful = load(name)
        with shown.measured() as cost:
            shown.ask(declared.law.text, [*lawful.assume, *lawful.domain])
        assert cost.processor < 4, name


def choose(shown: Visit, family: str) -> None:
    """Press one of the buttons for the paper's examples and wait for the answer."""
    before = shown.answers
    shown.page.locator(f"#examples [data-family={family}]").click()
    shown.wait_for_answer(before + 1)


def test_size(file: Path) -> None:
    """One file of less than 30 MB."""
    assert file.stat().st_size < 30e6


def test_cubic_duffing(shown: Visit) -> None:
    """The paper's first figure: d and a are fixed, b varies with the scale; one amplitude restores it."""
    choose(shown, "cubic-duffing")
    assert shown.verdicts() == {"d": "identified", "a": "identified", "b": "sign"}
    result = shown.page.locator("#result")
    assert "size of a displacement" in result.inner_text()
    assert "every video fit returns the same value" in result.inner_text()
    assert shown.page.locator("aside.canonical").count() == 0


def test_quadratic_drag(shown: Visit) -> None:
    """The second: features 1, v, v|v|, v**2 of rank four, and velocities 1, -1, 2, -2."""
    choose(shown, "odd-quadratic-drag")
    film = shown.page.locator("section.what-to-film")
    formulas = film.locator("annotation").all_text_contents()
    features = ["1", "v", r"v\,\left\lvert v\right\rvert", "v^{2}"]
    assert [formula.strip() for formula in formulas] == ["1", "-1", "2", "-2", *features]
    assert "rank 4" in film.inner_text()


def test_overhead_fall(shown: Visit) -> None:
    """The third: the canonical form comes first, before any parameter is compared."""
    choose(shown, "overhead-fall")
    assert "First the canonical form" in shown.page.locator("aside.canonical").inner_text()
    assert shown.verdicts()["rho"] == "identified"
    order = shown.page.locator("aside.canonical, table.verdicts").all()
    assert [node.get_attribute("class") for node in order] == ["canonical", "verdicts"]


@pytest.mark.parametrize(
    "name", [*REGIMES, "helmholtz", "odd-quadratic-drag", "overhead-fall", "tanh-friction"]
)
def test_documents_are_the_terminals(shown: Visit, name: str) -> None:
    """The JSON is equal byte for byte; ``python -m tests.page.whole`` compares the whole catalogue."""
    assert not differs(shown, name)


def test_certificate_is_verified(shown: Visit) -> None:
    """What is downloaded passes the checker that shares no code with the solver."""
    choose(shown, "cubic-duffing")
    checked = verify(json.loads(shown.certificate()))
    assert checked.checks
    assert not checked.failed


def test_syntax_error(shown: Visit) -> None:
    """While typing: the terminal's words, line and caret, at the law; and the law again once it is right."""
    law = "z''+d*z'+a*z+b*z**=0"
    with pytest.raises(InputError) as raised:
        read_law(law)
    shown.page.fill("#law", law)
    error = shown.page.locator("#law-error:not([hidden])")
    error.wait_for()
    assert error.text_content() == raised.value.render()
    assert shown.page.get_attribute("#law", "aria-invalid") == "true"
    assert shown.page.locator("#preview annotation").count() == 0  # no older law is shown beside the error
    shown.page.fill("#law", "z''+c*z=0")
    shown.page.locator("#preview annotation", has_text="c\\,z").wait_for(state="attached")
    assert shown.page.locator("#law-error").is_hidden()


def test_wrong_condition(shown: Visit) -> None:
    """A condition on a name that the law lacks is marked and told, and can be taken away."""
    page = shown.page
    shown.ask("z''+a*z=0")
    page.fill("#condition", "q > 1")
    page.press("#condition", "Enter")
    page.locator("#conditions .chip.wrong").wait_for()
    assert "unknown name 'q'" in page.inner_text("#condition-error")
    page.get_by_role("button", name="Remove q > 1").click()
    assert page.locator("#conditions .chip").count() == 0


def test_wrong_measurement(shown: Visit) -> None:
    """A measurement that cannot be read is told where measurements are typed."""
    page = shown.page
    shown.ask("z''+a*z=0")
    page.fill("#anchor", "amplitude=x")
    page.get_by_role("button", name="Analyse").click()
    page.locator("#anchor-error:not([hidden])").wait_for()
    assert "a number is missing here" in page.inner_text("#anchor-error")
    assert page.locator("#law-error").is_hidden()
    page.get_by_role("button", name="Remove amplitude=x").click()
    assert page.locator("#anchor-error").is_hidden()


def test_keyboard_only(shown: Visit) -> None:
    """A law, a condition, a measurement and a switch without a mouse; the answer takes the focus."""
    page = shown.page
    shown.ask("z''+a*z=0")
    page.locator("#law").focus()
    page.keyboard.press("Control+a")
    page.keyboard.type("x''+d*x'+a*x+b*x**3=0")
    for text in ("b != 0", "amplitude=0.40+-0.01 m"):
        page.keyboard.press("Tab")
        while page.evaluate("document.activeElement.tagName") != "INPUT":
            page.keyboard.press("Tab")
        page.keyboard.type(text)
    while page.evaluate("document.activeElement.id") != "strata":
        page.keyboard.press("Tab")
    page.keyboard.press("Space")
    before = shown.answers
    while page.evaluate("document.activeElement.id") != "analyse":
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    shown.wait_for_answer(before + 1)
    assert page.evaluate("document.activeElement.id") == "result"
    law, conditions, anchors = "x''+d*x'+a*x+b*x**3=0", ["b != 0"], ["amplitude=0.40+-0.01 m"]
    assert shown.certificate() == render(analyze(law, conditions, anchors=anchors, strata=True), "json")


def test_gallery(shown: Visit) -> None:
    """A family is searched, chosen and analysed with its own conditions."""
    page = shown.page
    page.locator("#gallery summary").click()
    page.fill("#search", "van der pol normal")
    button = page.locator("#families [data-family=van-der-pol-normalised]")
    button.wait_for()
    before = shown.answers
    button.click()
    shown.wait_for_answer(before + 1)
    declared, lawful = load("van-der-pol-normalised")
    assert page.input_value("#law") == declared.law.text
    chips = [chip.get_attribute("data-text") for chip in page.locator("#conditions .chip").all()]
    assert chips == [*lawful.assume, *lawful.domain]
    assert shown.verdicts() == {"mu": "identified"}
    page.locator("#gallery summary").click()


def test_slider_moves_the_law_and_not_the_video(shown: Visit) -> None:
    """Along the orbit b changes as b/lambda**2, d and a do not; the moved law still explains the video."""
    choose(shown, "cubic-duffing")
    page = shown.page
    page.get_by_role("button", name="See it move").press("Enter")
    assert page.evaluate("document.activeElement.id") == "pictures"
    slider = page.locator("input[data-symbol=lambda]")

    def seen() -> tuple[str | None, list[str], list[str]]:
        ball = page.locator("#orbit .ball").get_attribute("cx")
        numbers = page.locator("#orbit .moving tbody tr td:nth-of-type(2)").all_inner_texts()
        ruler = page.locator("#orbit svg text").all_text_contents()
        return ball, numbers, ruler

    ball, numbers, ruler = seen()
    assert numbers == ["0.2", "4", "4"]
    slider.focus()
    for _ in range(10):
        page.keyboard.press("PageUp")
    moved_ball, moved, moved_ruler = seen()
    factor = float(page.locator("#orbit output").inner_text())
    assert factor > 1.5
    assert moved_ball == ball
    assert moved_ruler != ruler
    assert moved[:2] == ["0.2", "4"]
    assert float(moved[2].split()[0]) == pytest.approx(4 / factor**2, rel=2e-3)
    mismatch = float(page.locator("#orbit [data-mismatch]").get_attribute("data-mismatch"))
    assert mismatch < 1e-6
    page.get_by_role("button", name="Back to the true law").click()
    assert seen()[1] == numbers


def test_another_branch_begins_at_a_law_that_a_fit_can_report(shown: Visit) -> None:
    """The shifted origin of z'' + d z' + a z + b z**2: not the map that sends everything to one number."""
    shown.ask("z''+d*z'+a*z+b*z**2=0", ["a != 0", "b != 0"])
    page = shown.page
    page.locator("#branch").select_option(index=1)
    numbers = page.locator("#orbit .moving tbody tr td:nth-of-type(2)").all_inner_texts()
    assert numbers == ["1", "−1 (changed)", "1"]
    mismatch = float(page.locator("#orbit [data-mismatch]").get_attribute("data-mismatch"))
    assert mismatch < 1e-6


def test_words_of_the_result_are_explained(shown: Visit) -> None:
    """What the result says can be looked up below it, and what it does not say is left out."""
    choose(shown, "cubic-duffing")
    shown.page.get_by_text("What the words mean").click()
    entries = shown.page.locator("details.words dt")
    entries.first.wait_for()  # they are made when the box opens, in an event of its own
    words = entries.all_inner_texts()
    assert {"anchor rank", "lifted dimension", "semilinear", "top gap", "coordinate map"} <= set(words)
    assert not {"canonical", "one-way motion", "dilation stable"} & set(words)


def test_the_video_plays(shown: Visit) -> None:
    """The ball moves when asked to and rests when asked to."""
    choose(shown, "cubic-duffing")
    ball = shown.page.locator("#orbit .ball")
    start = ball.get_attribute("cx")
    shown.page.get_by_role("button", name="Play the video").click()
    moved = shown.page.locator(f'#orbit .ball:not([cx="{start}"])')
    moved.wait_for()
    shown.page.get_by_role("button", name="Pause the video").click()


def test_phase_plane(shown: Visit) -> None:
    """Dragging or pressing keys moves a start; the strips take the rank of what is then filmed."""
    choose(shown, "cubic-duffing")
    page = shown.page

    def ranks() -> list[str | None]:
        return [strip.get_attribute("data-rank") for strip in page.locator("#phase .strip").all()]

    first = ranks()
    assert len(first) == 41
    assert {"3"} < set(first)
    handle = page.locator("#phase [data-start='1']")
    before = handle.get_attribute("aria-valuetext")
    handle.focus()
    for _ in range(5):
        page.keyboard.press("Shift+ArrowDown")
    assert page.locator("#phase [data-start='1']").get_attribute("aria-valuetext") != before
    assert ranks() != first
    grip = page.locator("#phase [data-start='0'] .dot")
    box = grip.bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] - 80, box["y"] - 40, steps=4)
    page.mouse.up()
    assert re.match("Enough velocities at \\d+ of 41 states", page.inner_text("#phase [role=status]"))
    page.get_by_role("button", name="Add a clip").click()
    assert page.locator("#phase .handle").count() == 3


def test_link_and_copies(shown: Visit) -> None:
    """The link asks the same question; the three copies are what the terminal prints."""
    page = shown.page
    law, conditions = "z''+d*z'+a*z+b*z**3=0", ["b != 0"]
    shown.ask(law, conditions)
    analysis = analyze(law, conditions)
    for title, form in (("LaTeX", "latex"), ("Markdown", "markdown"), ("JSON", "json")):
        page.get_by_role("button", name=f"Copy as {title}").click()
        page.get_by_role("button", name="Copied").wait_for()
        assert page.evaluate("navigator.clipboard.readText()") == render(analysis, form)
        page.get_by_role("button", name=f"Copy as {title}").wait_for()
    page.get_by_role("button", name="Copy link to this question").click()
    page.get_by_text("The link is copied.").wait_for()
    assert "#law=z%27%27" in page.evaluate("navigator.clipboard.readText()")


def test_hostile_texts_stay_texts(shown: Visit) -> None:
    """Markup and scripts in an address are shown as what they are: a law that cannot be read."""
    page = shown.page
    hostile = "<img src=x onerror=alert(1)><script>alert(1)</script>"
    page.evaluate(
        "text => { location.hash = new URLSearchParams({law: text, given: text, anchor: text}); }", hostile
    )
    page.locator("#law-error:not([hidden])").wait_for()
    assert page.input_value("#law") == hostile
    assert page.locator("img").count() == 0
    assert page.locator("#conditions script, #anchors script").count() == 0


def test_everything_has_a_name(shown: Visit) -> None:
    """Screen readers find a name for each control, one main heading, and headings without gaps."""
    choose(shown, "overhead-fall")
    nameless = shown.page.evaluate("""() => {
      const labelled = (node) => node.labels && [...node.labels].some((label) => label.textContent.trim());
      const says = (node) => ["BUTTON", "A", "SUMMARY"].includes(node.tagName) && node.textContent.trim();
      const named = (node) => node.getAttribute("aria-label") || labelled(node) || says(node);
      return [...document.querySelectorAll("button, a, input, select, textarea, summary, [role=slider]")]
        .filter((node) => !named(node)).map((node) => node.outerHTML.slice(0, 100));
    }""")
    assert nameless == []
    levels = shown.page.evaluate(
        '() => [...document.querySelectorAll("h1, h2, h3, h4")].map((node) => Number(node.tagName[1]))'
    )
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_stands_in_the_way(shown: Visit, scheme: Any) -> None:
    """Names, roles, contrast and order by the rules of axe-core: with an answer, and with a mistake."""
    script = axe()
    shown.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    shown.ask("z'' = rho*z'**2/z - k*z**2", ["z > 0"], strata="1", anchor="amplitude=0.4+-0.01 m")
    assert shown.barriers(script) == []
    shown.page.fill("#law", "z'' +")
    shown.page.locator("#law-error:not([hidden])").wait_for()
    assert shown.barriers(script) == []
    shown.page.emulate_media(color_scheme="light")


@pytest.mark.parametrize("width", [320, 500, 1100])
def test_nothing_is_wider_than_the_window(shown: Visit, width: int) -> None:
    """From a small telephone to a desktop the page never scrolls sideways."""
    page = shown.page
    page.set_viewport_size({"width": width, "height": 700})
    for family in ("cubic-duffing", "overhead-fall"):
        choose(shown, family)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.set_viewport_size({"width": 1100, "height": 900})


def test_photographs(shown: Visit, tmp_path: Path) -> None:
    """The documentation's pictures can be taken: light and dark, wide and narrow."""
    names = photographs(shown, tmp_path)
    for name in names:
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")


def test_last_laws_are_kept(shown: Visit, file: Path) -> None:
    """After the page is opened again the last law is offered, and can be forgotten."""
    page = shown.page
    shown.ask("y''+q*y=0")
    page.reload()
    page.locator("#recent button", has_text="y''+q*y=0").wait_for()
    page.get_by_role("button", name="Forget them").click()
    assert page.locator("#recent button").count() == 0
    page.reload()
    assert page.locator("#recent button", has_text="y''+q*y=0").count() == 0
    shown.ready()


def test_a_newer_question_is_the_one_answered(shown: Visit) -> None:
    """Asked while an older one is at work, a question gets the only answer; who types is left in peace."""
    page = shown.page
    shown.ask("z''+a*z=0")
    before = shown.answers
    page.evaluate(
        """laws => laws.forEach((law) => {
      document.getElementById("law").value = law;
      document.getElementById("question").requestSubmit();
    })""",
        ["z''+d*z'+a*z+b*z**2+c*z**3=0", "y''+q*y=0"],
    )
    page.fill("#law", "y''+q*y+e=0")
    shown.wait_for_answer(before + 1)
    assert shown.verdicts() == {"q": "identified"}
    assert page.evaluate("document.activeElement.id") == "law"
    assert shown.answers == before + 1


def test_cancel(shown: Visit) -> None:
    """A long analysis is cancelled at once, the page stays alive, and the engine answers again."""
    page = shown.page
    declared, _ = load(SLOW)
    shown.ask("z''=-q*z")  # leaves no condition behind that the slow law would be refused for
    page.fill("#law", declared.law.text)
    page.press("#law", "Enter")
    page.press("#cancel", "Enter")
    page.locator("#engine[data-state=loading]").wait_for()
    assert page.locator("#cancel").is_hidden()
    shown.ready()
    shown.ask("z''+d*z'+a*z=0")
    assert shown.verdicts() == {"d": "identified", "a": "identified"}
