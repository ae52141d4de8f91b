"""What the page's Python loads, as stored (not deflated) zip archives; the page compresses each as a whole.

One gzip stream over stored members is denser than a deflated zip, and the browser unpacks it natively, so
that imports inside the page need not inflate anything.
"""

from __future__ import annotations

import io
import re
import subprocess
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterable
from importlib.resources import as_file, files
from pathlib import Path

import identify
from identify.errors import InputError
from identify.page.fetch import program

Members = dict[str, bytes]

# Parts of SymPy that neither ``import sympy`` nor the engine ever loads.
_UNUSED = tuple(
    f"sympy/{name}/"
    for name in (
        "stats categories crypto holonomic liealgebras sandbox parsing/autolev parsing/latex parsing/fortran "
        "parsing/c physics/biomechanics physics/continuum_mechanics physics/control physics/hep "
        "physics/mechanics physics/optics physics/quantum physics/vector"
    ).split()
)
_TESTS = ("/tests/", "/test/", "/benchmarks/")
# Of the package itself: the engine, the reports and the page's own Python.
_PACKAGES = ("law", "algebra", "routes", "orbit", "conclude", "certificate", "report")
_SINGLE = ("page/__init__.py", "motion/__init__.py", "motion/values.py")


def from_npm(tarball: Path, wanted: Iterable[str]) -> Members:
    """The named files of a package as npm publishes it."""
    with tarfile.open(tarball) as archive:
        return {name: _member(archive, name) for name in wanted}


def _member(archive: tarfile.TarFile, name: str) -> bytes:
    file = archive.extractfile(f"package/{name}")
    if file is None:
        raise InputError(
            f"the package has no file {name}", hint="install the package again: the file comes with it"
        )
    return file.read()


def npm_files(tarball: Path, start: str) -> list[str]:
    """The names of a package's files that begin with ``start``."""
    with tarfile.open(tarball) as archive:
        names = [member.name.removeprefix("package/") for member in archive if member.isfile()]
    return [name for name in names if name.startswith(start)]


def from_zip(source: Path | bytes, keep: Callable[[str], bool] = lambda name: True) -> Members:
    """The members of a wheel or zip that are kept, by name."""
    with zipfile.ZipFile(io.BytesIO(source) if isinstance(source, bytes) else source) as archive:
        return {name: archive.read(name) for name in sorted(archive.namelist()) if keep(name)}


def is_wanted(name: str) -> bool:
    """Whether a file of a wheel is code, of Python or compiled, that may be imported inside the page."""
    unused = name.startswith(_UNUSED) or any(part in name for part in _TESTS)
    return name.endswith((".py", ".so")) and not unused


def engine() -> Members:
    """The source of the engine, the reports and the page's own Python, as in this installation."""
    root = Path(identify.__file__).parent
    names = (path.relative_to(root).as_posix() for path in sorted(root.rglob("*.py")))
    return {f"identify/{name}": (root / name).read_bytes() for name in names if _is_inside(name)}


def _is_inside(name: str) -> bool:
    top = name.split("/")[0]
    return "/" not in name or top in _PACKAGES or name in _SINGLE or name.startswith("page/inside/")


def stored(members: Members) -> bytes:
    """A zip archive without compression or dates: equal members give equal bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in sorted(members):
            archive.writestr(zipfile.ZipInfo(name), members[name])
    return buffer.getvalue()


def compiled(archives: dict[str, Members], pyodide: Members) -> dict[str, bytes]:
    """Stored zips with every Python source compiled by the Python of the page, in one run of it."""
    given = {f"{title}/{name}": data for title, members in archives.items() for name, data in members.items()}
    node = program("node")
    with tempfile.TemporaryDirectory() as folder, as_file(files("identify.page") / "assets") as assets:
        place = Path(folder)
        for name, content in pyodide.items():
            (place / name).write_bytes(content)
        (place / "in.zip").write_bytes(stored(given))
        command = [node, str(assets / "compile.mjs"), folder, str(place / "in.zip"), str(place / "out.zip")]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            said = re.search(r"^\w*Error\b.*", done.stderr, re.MULTILINE)
            reason = "no reason given" if said is None else said[0][:300]
            raise InputError(f"node could not run Pyodide: {reason}", hint="Node.js 20 or newer works")
        made = from_zip(place / "out.zip")
    return {title: stored(_below(made, f"{title}/")) for title in archives}


def _below(members: Members, start: str) -> Members:
    return {name.removeprefix(start): data for name, data in members.items() if name.startswith(start)}
