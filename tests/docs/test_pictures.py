"""The pictures of the documentation are what docs/pictures/make.py draws today."""

from __future__ import annotations

import os
import subprocess
import sys
import xml.etree.ElementTree as xml

import pytest

from tests.docs.pages import ROOT

PICTURES = sorted((ROOT / "docs" / "pictures").glob("*.svg"))


def test_pictures_are_up_to_date() -> None:
    """On failure: python docs/pictures/make.py"""
    command = [sys.executable, "docs/pictures/make.py", "--check"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr + "\nrun: python docs/pictures/make.py"


@pytest.mark.parametrize("picture", PICTURES, ids=lambda path: path.name)
def test_pictures_need_no_network(picture) -> None:
    """Well-formed, with a light and a dark form, and nothing loaded from elsewhere."""
    text = picture.read_text(encoding="utf-8")
    xml.fromstring(text)
    assert "@font-face" not in text
    assert "href=" not in text
    other = (
        picture.name.replace("-light", "-dark")
        if "-light" in picture.name
        else picture.name.replace("-dark", "-light")
    )
    assert other != picture.name
    assert picture.with_name(other).exists()
