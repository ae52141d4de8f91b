"""The page, built from its parts: these are fetched and compiled once and then kept."""

from __future__ import annotations

import hashlib
import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import identify
from identify.families.catalogue import catalogue_files
from identify.files import write_whole
from identify.page import archive, html
from identify.page.archive import Members
from identify.page.fetch import fetched
from identify.page.gallery import gallery, words
from identify.page.pins import FLINT, KATEX, MPMATH, PINS, PYODIDE, SYMPY, Pin

# In the order in which the scripts need one another; together they are one script of the page.
SCRIPTS = tuple(
    "dom expression motion rank plot engine question gallery report scene orbit phase page".split()
)
_RUNTIME = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
_KEPT = 3  # built pages, newest first


def built_page(folder: Path) -> Path:
    """The page of this version of the engine in ``folder``, built unless it is there already."""
    assets = read_assets()
    path = folder / f"identify-{_key(assets)}.html"
    if not path.is_file():
        write_whole(path, build(folder, assets))
        _prune(folder, "identify-*.html", _KEPT)
    return path


def build(folder: Path, assets: Members) -> str:
    """The whole page as text; whatever depends on the pins alone is kept in ``folder``."""
    found = {pin: fetched(pin, folder) for pin in PINS}
    pyodide = archive.from_npm(found[PYODIDE], _RUNTIME)
    katex = archive.from_npm(found[KATEX], archive.npm_files(found[KATEX], "dist/"))
    own = {**archive.compiled({"engine": archive.engine()}, pyodide), "worker": assets["worker.js"]}
    blocks = [_runtime(folder, found, pyodide), *(html.data_block(name, own[name]) for name in own)]
    styles = [html.katex_style(katex), assets["page.css"].decode("utf-8")]
    scripts = [katex["dist/katex.min.js"].decode("utf-8"), page_script(assets)]
    data = {"version": identify.__version__, "families": gallery(), "words": words(), "lock": _lock(pyodide)}
    return html.page(assets["page.html"].decode("utf-8"), styles, scripts, blocks, data)


def read_assets() -> Members:
    """What the page is made of besides the engine: its HTML, style and scripts."""
    folder = files("identify.page") / "assets"
    return {item.name: item.read_bytes() for item in folder.iterdir() if item.is_file()}


def page_script(assets: Members) -> str:
    """All scripts as one, in a scope of its own."""
    texts = (assets[f"{name}.js"].decode("utf-8") for name in SCRIPTS)
    return '(() => {\n"use strict";\n' + "\n".join(texts) + "\n})();"


def _runtime(folder: Path, found: dict[Pin, Path], pyodide: Members) -> str:
    """The data blocks of Python and its libraries, the same until a pin or their treatment changes."""
    digest = hashlib.sha256("".join(pin.sha256 for pin in PINS).encode())
    for module in (archive, html):
        digest.update(Path(str(module.__file__)).read_bytes())
    digest.update(read_assets()["compile.mjs"])
    path = folder / f"runtime-{digest.hexdigest()[:16]}.html"
    if not path.is_file():
        parts = _runtime_parts(found, pyodide)
        write_whole(path, "\n".join(html.data_block(name, content) for name, content in parts.items()))
        _prune(folder, "runtime-*.html", 1)
    return path.read_text(encoding="utf-8")


def _runtime_parts(found: dict[Pin, Path], pyodide: Members) -> Members:
    wheels = {pin: archive.from_zip(found[pin], archive.is_wanted) for pin in (SYMPY, MPMATH, FLINT)}
    sources = {
        "standard": archive.from_zip(pyodide["python_stdlib.zip"]),
        "flint": wheels[FLINT],
        "sympy": wheels[SYMPY] | wheels[MPMATH],
    }
    return {
        "pyodide": pyodide["pyodide.mjs"],
        "glue": pyodide["pyodide.asm.mjs"],
        "wasm": pyodide["pyodide.asm.wasm"],
        **archive.compiled(sources, pyodide),
    }


def _lock(pyodide: Members) -> dict[str, Any]:
    """Pyodide's lock file without its packages: the page brings its own."""
    lock = json.loads(pyodide["pyodide-lock.json"])
    return {"info": lock["info"], "packages": {}}


def _key(assets: Members) -> str:
    """A hash of everything that the page is made of."""
    digest = hashlib.sha256("".join(pin.sha256 for pin in PINS).encode())
    catalogue = {path.name: path.read_bytes() for path in catalogue_files()}
    for members in (assets, archive.engine(), catalogue, _builder()):
        for name in sorted(members):
            digest.update(name.encode() + b"\0" + members[name] + b"\0")
    return digest.hexdigest()[:16]


def _builder() -> Members:
    return {path.name: path.read_bytes() for path in Path(__file__).parent.glob("*.py")}


def _prune(folder: Path, pattern: str, most: int) -> None:
    """Keep the newest files only."""
    files = sorted(folder.glob(pattern), key=lambda file: file.stat().st_mtime, reverse=True)
    for file in files[most:]:
        file.unlink(missing_ok=True)
