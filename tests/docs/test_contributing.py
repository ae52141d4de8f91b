"""What docs/project/contributing.md asks of a new route, family or encoder: red until it is done."""

from __future__ import annotations

import re
from typing import get_args

import pytest

from identify.families.listing import Entry
from identify.families.listing import entries as families
from identify.glossary import look_up
from identify.report import words
from identify.routes.route import RouteName
from tests.docs.pages import ROOT

PAGE = (ROOT / "docs" / "project" / "contributing.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("route", get_args(RouteName))
def test_a_route_is_complete(route: str) -> None:
    """It has words in the report, an entry in the glossary, a row in the theory, and a law that takes it."""
    assert words._ROUTE[route]
    assert look_up(route) is not None
    assert route.replace("-", " ") in (ROOT / "docs" / "theory" / "routes.md").read_text(encoding="utf-8")
    assert [entry.name for entry in families() if f"route: {route}" in entry.text], (
        "no family takes this route"
    )


@pytest.mark.parametrize("family", families(), ids=lambda entry: entry.name)
def test_a_family_is_complete(family: Entry) -> None:
    """It says where it comes from, what its numbers mean, and what the analysis must find."""
    if family.extends is None:
        assert "meaning:" in family.text or "parameters:" not in family.text
    assert "expect:" in family.text
    assert "reference:" in family.text


def test_an_encoder_is_complete() -> None:
    """It can be built, gives one finite number for each frame, and a preset uses it."""
    torch = pytest.importorskip("torch")
    from identify.fit.paper.encoders import blank_encoder
    from identify.fit.paper.settings import PRESETS, EncoderName

    for name in get_args(EncoderName):
        encoder = blank_encoder(name, 1, 32, 32)
        frames = torch.linspace(0, 1, 4 * 32 * 32).reshape(4, 1, 32, 32)
        encoder.standardise(frames)
        latent = encoder(frames)
        assert latent.shape == (4,)
        assert torch.isfinite(latent).all()
        assert any(settings.encoder == name for settings in PRESETS.values()), name


def test_the_page_names_files_and_tests_that_exist() -> None:
    for path in re.findall(r"`((?:identify|tests|families|docs)/[\w./-]+)`", PAGE):
        assert (ROOT / path).exists(), path
