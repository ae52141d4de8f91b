"""``identify explain``: the glossary is one, complete, and found from what the reports say."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest

from identify.analysis import Status
from identify.glossary import entries, look_up, near

ROOT = Path(__file__).parent.parent.parent


def test_references_exist_and_spellings_are_unique() -> None:
    terms = entries()
    for entry in terms.values():
        assert not [term for term in entry.see if term not in terms], entry
        assert entry.text.endswith((".", ".)"))
        assert entry.term not in entry.see
    spellings = [word for entry in terms.values() for word in (entry.term, *entry.also)]
    assert len(spellings) == len({word.lower().replace("-", " ") for word in spellings})


def test_no_term_is_an_island() -> None:
    """Every term is reached from another one, or leads to one."""
    assert all(entry.see for entry in entries().values())


@pytest.mark.parametrize(
    "word",
    [
        *get_args(Status),
        *("semilinear", "feature-separation", "canonical", "unsupported"),
        *("top gap", "lifted dimension", "generic", "anchor rank", "redundant", "gauge", "stratum"),
        *("not guaranteed", "e_map", "e_theta", "e_dyn", "displacement", "amplitude"),
    ],
)
def test_words_of_the_reports_are_found(word: str) -> None:
    assert look_up(word) is not None
    assert look_up(word.upper().replace(" ", "-")) is look_up(word)


def test_an_entry_is_printed(identify: Callable[..., int], capsys: pytest.CaptureFixture[str]) -> None:
    assert identify("explain", "top", "gap") == 0
    told = capsys.readouterr().out
    assert told.startswith("top gap\n")
    assert "See: translation lock." in told


def test_everything_is_listed(identify: Callable[..., int], capsys: pytest.CaptureFixture[str]) -> None:
    assert identify("explain") == 0
    told = " ".join(capsys.readouterr().out.split())
    assert told == ", ".join(entries())


def test_near_terms_are_suggested(identify: Callable[..., int], capsys: pytest.CaptureFixture[str]) -> None:
    assert near("anchr")[0] == "anchor"
    assert identify("explain", "anchr") == 2
    assert "hint: did you mean anchor" in capsys.readouterr().err
    assert identify("explain", "xyzzy") == 2
    assert "hint: identify explain lists all words" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("shell", "words", "wanted"),
    [
        ("bash", {"COMP_WORDS": "identify ana", "COMP_CWORD": "1"}, "analyze"),
        ("bash", {"COMP_WORDS": "identify analyze --ass", "COMP_CWORD": "2"}, "--assume"),
        ("zsh", {"_TYPER_COMPLETE_ARGS": "identify explain anchor"}, "anchor rank"),
        ("zsh", {"_TYPER_COMPLETE_ARGS": "identify families cubic"}, "cubic-duffing"),
        ("bash", {"COMP_WORDS": "identify simulate two-w", "COMP_CWORD": "2"}, "two-way-2"),
        (
            "fish",
            {"_TYPER_COMPLETE_ARGS": "identify ver", "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
            "verify",
        ),
    ],
)
def test_shells_complete(shell: str, words: dict[str, str], wanted: str) -> None:
    environment = {**os.environ, **words, "_IDENTIFY_COMPLETE": f"complete_{shell}"}
    done = subprocess.run(
        [sys.executable, "-m", "identify"], cwd=ROOT, capture_output=True, text=True, env=environment
    )
    assert wanted in done.stdout, done.stderr
