"""YAML that is read: positions of everything; YAML that is not: bombs, tags, tabs, duplicates."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from identify.families.tree import MOST_BYTES, decode, read_tree


def test_every_value_knows_its_place() -> None:
    tree, findings = read_tree("a: 1\nb:\n  - x\n  - {c: 2.5, n: yes}\n")
    assert findings == []
    assert tree is not None
    assert tree.plain() == {"a": 1, "b": ["x", {"c": 2.5, "n": "yes"}]}
    assert tree.place("a") == (1, 4)
    assert tree.place("b") == (2, 1)
    assert tree.place("b", 1, "c") == (4, 9)
    assert tree.key_place("b", 1, "n") == (4, 14)
    assert tree.place("b", 1, "missing") == (4, 5)


@pytest.mark.parametrize("written", ["z'' + a", "\"z'' + a\"", "'z'''' + a'"])
def test_a_character_of_a_text_has_a_place(written: str) -> None:
    tree, _ = read_tree(f"law: {written}\n")
    assert tree is not None
    node = tree.find("law")
    assert node.value == "z'' + a"
    assert node.within(6) == (1, 6 + written.index("a"))


@pytest.mark.parametrize(
    ("text", "words", "place"),
    [
        ("a: 1\n\tb: 2\n", "a tab", (2, 1)),
        ("a: 1\nb: 2\na: 3\n", "'a' is given twice; the first is in line 1", (3, 1)),
        ("a: {b: 1, b: 2}\n", "'b' is given twice", (1, 11)),
        ("a:\n", "'a' has no value", (1, 1)),
        ("a: &x [1]\nb: *x\n", "anchor", (1, 4)),
        ("a: *x\n", "alias", (1, 4)),
        ("a: !!python/object/apply:os.system ['true']\n", "tag", (1, 4)),
        ("a: !x 1\n", "tag", (1, 4)),
        ("a: [1,\n", "not YAML", (2, 1)),
        ("a: b: c\n", "not YAML", (1, 5)),
        ("a: 1\n---\nb: 2\n", "second document", (2, 1)),
        ("- 1\n", "mapping", (1, 1)),
        ("", "empty", (1, 1)),
        ("a: x\x00y\n", "not YAML", (1, 5)),
        ("? [a]\n: 1\n", "key must be a word", (1, 3)),
        (f"a: {'1' * 5000}\n", "a number of 5000", (1, 4)),
        ("a: 1e999\n", "too large", (1, 4)),
        ("a: " + "[" * 9 + "]" * 9 + "\n", "levels deep", (1, 11)),
    ],
)
def test_what_is_refused_says_where(text: str, words: str, place: tuple[int, int]) -> None:
    findings = read_tree(text)[1]
    assert words in findings[0].message
    assert (findings[0].line, findings[0].column) == place
    assert findings[0].kind == "input"


def test_an_alias_bomb_costs_nothing() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 10)]
    start = time.perf_counter()
    tree, findings = read_tree("\n".join(lines))
    assert tree is None
    assert "anchor" in findings[0].message
    assert time.perf_counter() - start < 5


@pytest.mark.parametrize("text", ["[" * 60_000, "{a: " * 15_000, "- " * 30_000, "? " * 30_000])
def test_deep_nesting_is_stopped_early(text: str) -> None:
    assert read_tree(text)[0] is None


def test_all_mistakes_at_once() -> None:
    findings = read_tree("a: 1\na: 2\nb:\nc: 3\nc: 4\n")[1]
    assert [finding.line for finding in findings] == [2, 3, 5]


def test_a_large_file_is_not_read() -> None:
    text, findings = decode(b"# " + b"x" * 1_000_000)
    assert text == ""
    assert f"at most {MOST_BYTES:,}" in findings[0].message


def test_bytes_that_are_no_text() -> None:
    findings = decode(b"name: x\ntitle: \xff\n")[1]
    assert (findings[0].line, findings[0].column) == (2, 8)


@given(st.text(alphabet=st.sampled_from("ab:-[]{},&*!|>'\"#%@ \n?~0."), max_size=60))
def test_any_text_gives_a_tree_or_findings(text: str) -> None:
    tree, findings = read_tree(text)
    assert tree is not None or findings
