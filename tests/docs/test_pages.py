"""Every block of README.md and of the pages in docs/ holds: it runs, and prints what is shown below it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from tests.docs.pages import ROOT, Block, agrees, blocks, every_page, to_run
from tests.docs.running import library, reader

MOST_NOT_RUN = 12  # blocks that need the network or minutes; each says why


@pytest.fixture(scope="module")
def path() -> Iterator[Path]:
    """Where the programs of the blocks are; they need every extra."""
    pytest.importorskip("torch")
    pytest.importorskip("av")
    with library() as folder:
        yield folder


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", [page for page in every_page() if to_run(page)], ids=name)
def test_blocks_do_what_the_page_says(page: Path, tmp_path: Path, path: Path) -> None:
    """In the order of the page and in one folder; on failure: python -m tests.docs.renew PAGE"""
    run = reader(tmp_path, path)
    for block in to_run(page):
        for result in run(block):
            assert result.complaint is None, f"{block.place}\n{result.step.script}\n{result.complaint}"


@pytest.mark.parametrize("page", every_page(), ids=name)
def test_data_can_be_read(page: Path) -> None:
    for block in blocks(page):
        if block.language == "yaml":
            YAML(typ="safe").load(block.text)
        if block.language == "json":
            json.loads(block.text)


def test_few_blocks_are_not_run() -> None:
    """Each with a reason; output without a command in front of it would be compared with nothing."""
    left_out = [block for page in every_page() for block in blocks(page) if block.reason]
    assert len(left_out) <= MOST_NOT_RUN, [block.place for block in left_out]
    assert not [block.place for block in left_out if len(block.reason or "") < 10]
    assert not [block.place for page in every_page() for block in blocks(page) if block.language == "bash"]


@pytest.mark.parametrize("page", every_page(), ids=name)
def test_local_links_exist(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    targets = re.findall(r'(?:src|srcset)="([^"]+)"|\]\((?!https?:|#|<)([^)#\s]+)[^)]*\)', text)
    for target in (a or b for a, b in targets):
        assert (page.parent / target).exists(), f"{name(page)}: {target}"


@pytest.mark.parametrize(
    ("shown", "printed", "right"),
    [
        ("a\nb", "a  \nb\n", True),
        ("a\n...\nc", "a\nb\nb\nc", True),
        ("value ... m", "value 0.9 m", True),
        ("a\n...\nc", "a\nb", False),
        ("a (b)", "a b", False),
        ("a", "a\nb", False),
    ],
)
def test_shown_output_is_compared(shown: str, printed: str, right: bool) -> None:
    assert agrees(shown, printed) is right


def test_a_wrong_page_is_noticed(tmp_path: Path, path: Path) -> None:
    """The mechanism itself fails where a page lies."""
    page = ROOT / "docs" / "no-such-page.md"

    def block(language: str, text: str, shown: str | None = None, code: int = 0) -> Block:
        return Block(page, 1, language, text, shown, None, code)

    run = reader(tmp_path, path)
    assert run(block("sh", "exit 1\n"))[0].complaint
    assert run(block("sh", "identify analyze\n"))[0].complaint
    assert run(block("sh", "exit 1\n", code=1))[0].complaint is None
    assert run(block("sh", "echo 1\n", "2\n"))[0].complaint
    assert run(block("python", "print(1)\n", "1\n"))[0].complaint is None
    assert run(block("python", "assert False\n"))[0].complaint
    session = run(block("console", "$ echo 1\n1\n$ echo 2\n3\n"))
    assert [bool(result.complaint) for result in session] == [False, True]
    assert run(block("sh", "make no-such-target\n"))[0].complaint
