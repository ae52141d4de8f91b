"""The dependencies in the documents are those that are installed, every one of them pinned."""

from __future__ import annotations

import pytest

pytest.importorskip("packaging")
for _library in ("torch", "distributed"):
    pytest.importorskip(_library, reason="the table covers the extras fit and cluster")

from tests.hardening.licences import documented, table  # noqa: E402


def test_the_table_agrees_with_the_installed_packages() -> None:
    """``python tests/hardening/licences.py --write`` brings it up to date."""
    assert documented() == table()


def test_everything_is_pinned_and_licensed() -> None:
    assert "not pinned" not in table()
    assert "not stated" not in table()


def test_no_licence_forbids_the_use() -> None:
    """Only licences that permit use together with an MIT programme; LGPL for libraries that are linked."""
    rows = [line.split(" | ") for line in table().splitlines()[2:]]
    known = (
        "MIT",
        "BSD",
        "Apache",
        "ISC",
        "PSF",
        "Python",
        "LGPL",
        "Zlib",
        "CC0",
        "BSL-1.0",
        "HPND",
        "CMU",
        "MPL",
    )
    for name, _, licence, _ in rows:
        assert any(word in licence for word in known), (name, licence)
        assert "AGPL" not in licence
