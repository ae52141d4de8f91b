"""``--update``: only the block ``expect`` changes, and in it only what differs."""

from __future__ import annotations

from pathlib import Path

import pytest

from identify.errors import InputError
from identify.families.update import updated
from tests.families.samples import DUFFING, checked


def after(text: str, folder: Path) -> str:
    return updated(text, checked(text, folder))


def test_what_agrees_stays(tmp_path: Path) -> None:
    wrong = DUFFING.replace("b: sign}", "b: free}").replace("rank: 3", "rank: 4")
    assert after(wrong, tmp_path) == DUFFING


def test_a_missing_block_is_added_and_passes(tmp_path: Path) -> None:
    bare = DUFFING[: DUFFING.index("expect:")].rstrip("\n")
    new = after(bare, tmp_path)
    assert new.startswith(bare)
    assert checked(new, tmp_path).outcome == "passed"
    assert checked(new, tmp_path).rewrite == ()


def test_comments_stay(tmp_path: Path) -> None:
    text = DUFFING.replace("  route: semilinear", "  # why: linear in z'\n  route: canonical # by hand")
    text = text.replace("require:", "# about the requirement\n\nrequire:")
    new = after(text, tmp_path)
    assert new == text.replace("canonical # by hand", "semilinear # by hand")


def test_claims_that_cannot_be_made_are_dropped(tmp_path: Path) -> None:
    text = "name: sample\ntitle: x\nlaw: \"z'' + c*tanh(z'/s) + a*z = 0\"\nexpect:\n  invariants: [a]\n"
    assert after(text, tmp_path) == text.replace("invariants: [a]", "route: unsupported")


def test_block_lists_keep_their_indentation(tmp_path: Path) -> None:
    text = DUFFING.replace("[[amplitude], [displacement]]", "\n    - [amplitude]\n    - [displacement]")
    text = text.replace("anchors: \n", "anchors:\n")
    assert after(text.replace("rank: 3", "rank: 4"), tmp_path) == text


def test_a_file_in_flow_style_is_left_alone(tmp_path: Path) -> None:
    text = "{name: sample, title: x, law: \"z'' + a*z = 0\", expect: {route: canonical}}\n"
    with pytest.raises(InputError, match="begins a line"):
        after(text, tmp_path)
