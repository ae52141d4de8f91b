"""The optional packages of the extras; a missing one answers with what to type."""

from __future__ import annotations

from importlib.util import find_spec

from identify.errors import IdentifyError

INSTALL = 'pip install "identify-ode[{extra}]"; in a clone: pip install -c constraints.txt -e ".[{extra}]"'


class MissingExtra(IdentifyError):
    """An optional package is not installed: nothing was decided."""

    exit_code = 3


def need(purpose: str, *packages: str, extra: str = "fit") -> None:
    """Raise MissingExtra unless every package can be imported."""
    missing = [package for package in packages if find_spec(package) is None]
    if missing:
        *most, last = missing
        listed = f"{', '.join(most)} and {last}" if most else last
        raise MissingExtra(f"{purpose} needs {listed}\nhint: {INSTALL.format(extra=extra)}")
