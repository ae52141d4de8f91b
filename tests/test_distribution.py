"""Wheel and sdist: they build without the network, have what they need, and the wheel works alone.

``make dist`` goes further, outside continuous integration: it installs the wheel with its dependencies into
an empty environment and tries it there. Here the dependencies are those of the tests; only the package
itself comes from the wheel, unpacked where nothing of this checkout is on the path.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import identify

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("dist")
    for target in ("wheel", "sdist"):
        command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_the_wheel_has_data_and_nothing_else(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    for needed in (
        "identify/py.typed",
        "identify/glossary.toml",
        "identify/families/schema.json",
        "identify/catalogue/cubic-duffing.yaml",
        "identify/fit/results/report.html.j2",
    ):
        assert needed in names
    assert {name.split("/")[0] for name in names} == {
        "identify",
        f"identify_ode-{identify.__version__}.dist-info",
    }


def test_the_sdist_can_be_tested_and_documented(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    for needed in (
        *("README.md", "LICENSE", "CITATION.cff", "Makefile", "constraints.txt", "pyproject.toml"),
        *("docs/conf.py", "docs/index.md", "tests/test_distribution.py", "families/lti.yaml"),
    ):
        assert needed in names
    assert not [name for name in names if name.startswith((".venv", "build", "demo"))]


def test_the_wheel_works_alone(built: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "site"), "PYTHONUTF8": "1"}

    def run(*arguments: str) -> str:
        command = [sys.executable, "-P", "-m", "identify", *arguments]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stderr
        return done.stdout

    where = "import identify; print(identify.__file__)"
    place = subprocess.run(
        [sys.executable, "-P", "-c", where], cwd=tmp_path, capture_output=True, text=True, env=environment
    ).stdout
    assert place.startswith(str(tmp_path / "site"))
    assert run("--version") == f"identify {identify.__version__}\n"
    assert "sign only" in run("analyze", "--family", "cubic-duffing")
    assert "top gap" in run("explain", "top gap")


def test_versions_agree() -> None:
    """The package, the newest entry of the changelog, and the citation."""
    changelog = (ROOT / "docs" / "project" / "changelog.md").read_text(encoding="utf-8")
    newest = re.search(r"^## (\S+)", changelog, re.MULTILINE)
    assert newest is not None
    assert newest[1] == identify.__version__
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {identify.__version__}\n" in citation
