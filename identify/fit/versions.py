"""What computed the numbers: the versions of the packages that may change their digits."""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version

import identify

_PACKAGES = ("torch", "numpy", "scipy", "sympy", "av")


@cache
def versions() -> dict[str, str]:
    """The versions by package."""
    found = {"identify": identify.__version__, "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
