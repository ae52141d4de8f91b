"""The package as installed: what it exports, and what importing it costs."""

from __future__ import annotations

import importlib
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

import identify

ROOT = Path(__file__).parent.parent
HEAVY = ("sympy", "torch", "numpy", "mpmath", "flint")


def run(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, cwd=ROOT)


def test_all_equals_what_is_visible() -> None:
    """A fresh import shows exactly the names of ``__all__``."""
    code = (
        "import identify, types; print(*sorted(identify.__all__)); print(*dir(identify)); "
        "hidden = {'annotations', 'importlib', 'TYPE_CHECKING', 'Any'}; "
        "print(*[n for n in vars(identify) if not n.startswith('_') and n not in hidden])"
    )
    every, listed, defined = run(code).stdout.split("\n")[:3]
    assert every == listed
    assert set(defined.split()) <= set(every.split())


def test_every_public_name_resolves_to_its_home() -> None:
    for name, home in identify._HOME.items():
        if importlib.util.find_spec(home) is None:
            pytest.skip(f"{home} is not written yet")
        assert getattr(identify, name) is getattr(importlib.import_module(home), name)


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        identify.nonsense  # noqa: B018 - the access is what is tested


def test_version_has_one_source() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert "version" in project["dynamic"]
    try:
        installed = metadata.version("identify-ode")
    except metadata.PackageNotFoundError:
        pytest.skip("the distribution is not installed")
    assert installed == identify.__version__


@pytest.mark.parametrize(
    "arguments", [[], ["--help"], ["analyze", "--help"], ["verify", "--help"], ["--version"]]
)
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    """``import identify`` and every ``--help`` load neither sympy nor torch nor their like."""
    code = (
        "import sys, identify\n"
        "if sys.argv[1:]:\n"
        "    from identify.command import main\n"
        "    try: main()\n"
        "    except SystemExit as leaving: assert not leaving.code, leaving.code\n"
        f"print('LOADED', *(m for m in {HEAVY} if m in sys.modules))"
    )
    done = run(code, *arguments)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].strip() == "LOADED"


def test_names_of_the_other_identify_are_avoided() -> None:
    """Another distribution owns the same import name; its module names stay free."""
    taken = ["cli.py", "extensions.py", "identify.py", "interpreters.py", "vendor"]
    assert not [name for name in taken if (ROOT / "identify" / name).exists()]


def test_torch_is_pinned() -> None:
    """Without the pin an install may pull a build of several gigabytes."""
    assert "torch==2.13.0" in (ROOT / "constraints.txt").read_text().splitlines()


def test_constraints_are_within_the_declared_ranges() -> None:
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = project["dependencies"] + [
        r for extra in project["optional-dependencies"].values() for r in extra
    ]
    lines = (line for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line)
    pinned = {canonicalize_name(name): version for name, version in (line.split("==") for line in lines)}
    for requirement in map(Requirement, wanted):
        assert pinned[canonicalize_name(requirement.name)] in requirement.specifier, requirement
