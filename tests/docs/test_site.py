"""The site builds offline and without a warning, and has everything that the program has."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import identify
from identify.command.manual import man_page, program
from identify.fit.clips.experiment_reading import read_settings
from identify.glossary import entries
from tests.docs.pages import ROOT, blocks, every_page

needs_sphinx = pytest.mark.skipif(
    any(find_spec(name) is None for name in ("sphinx", "myst_parser", "furo", "ziamath")),
    reason="the extra docs is not installed",
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "docs", str(folder)]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@needs_sphinx
def test_every_command_and_option_is_in_the_reference(site: Path) -> None:
    page = (site / "reference" / "commands.html").read_text(encoding="utf-8")
    for command in program()[2]:
        assert f"identify {command.name}" in page
        for parameter in command.parameters:
            assert parameter.names[0].replace("[", "") in page.replace("[", ""), parameter


@needs_sphinx
def test_every_public_name_and_every_term_is_there(site: Path) -> None:
    page = (site / "reference" / "python.html").read_text(encoding="utf-8")
    assert not [name for name in identify.__all__ if name not in page and name != "__version__"]
    page = (site / "reference" / "glossary.html").read_text(encoding="utf-8")
    assert not [term for term in entries() if f"{term}<a" not in page and f"{term}</" not in page]


@needs_sphinx
def test_readers_need_no_network(site: Path) -> None:
    """No script, style or picture is loaded from elsewhere; mathematics is MathML."""
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert not re.findall(r'(?:src|<link[^>]*href)="https?://[^"]*"', text), page.name
    assert "<math " in (site / "theory" / "signatures.html").read_text(encoding="utf-8")


def test_the_man_page_has_every_command(tmp_path: Path) -> None:
    text = man_page()
    for command in program()[2]:
        assert f'.SH "IDENTIFY {command.name.upper()}"' in text
    if shutil.which("groff"):
        done = subprocess.run(
            ["groff", "-man", "-Tutf8", "-ww"], input=text, capture_output=True, text=True, encoding="utf-8"
        )
        assert done.returncode == 0
        assert not done.stderr, done.stderr


def test_experiment_files_on_the_pages_are_valid() -> None:
    """YAML blocks that hold the settings of a fit are read by the reader of such files."""
    shown = [
        block.text
        for page in every_page()
        for block in blocks(page)
        if block.language == "yaml" and "anchors:" in block.text and "name:" not in block.text
    ]
    assert shown
    for text in shown:
        read_settings(text.encode(), "experiment.yaml")
