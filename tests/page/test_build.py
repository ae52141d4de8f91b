"""The builder: pins, fetching, archives and the page's policy, without any network."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib.resources import files
from pathlib import Path

import pytest

from identify.errors import InputError
from identify.page import archive, build, fetch, html
from identify.page.gallery import gallery
from identify.page.pins import FLINT, KATEX, MPMATH, PINS, SYMPY, Pin

ROOT = Path(__file__).parent.parent.parent


def pinned(content: bytes, source: str = "npm") -> Pin:
    return Pin(source, "thing", "1.0", "thing-1.0.tgz", hashlib.sha256(content).hexdigest())


def test_pins_are_the_tested_versions() -> None:
    """The page computes with the versions that the constraints name for the terminal."""
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    tested = dict(line.split("==") for line in lines if "==" in line)
    assert {pin.version for pin in (SYMPY, MPMATH, FLINT)} == {tested[p.name] for p in (SYMPY, MPMATH, FLINT)}
    assert all(re.fullmatch("[0-9a-f]{64}", pin.sha256) for pin in PINS)


def test_fetched_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file is brought by the registry's client, kept, and not asked for again."""
    calls = []

    def bring(pin: Pin, command: list[str], folder: str) -> None:
        calls.append(command)
        (Path(folder) / pin.file).write_bytes(b"content")

    monkeypatch.setattr(fetch, "_run", bring)
    monkeypatch.setattr(fetch, "program", lambda name: name)
    pin = pinned(b"content")
    for _ in range(2):
        assert fetch.fetched(pin, tmp_path).read_bytes() == b"content"
    assert len(calls) == 1
    assert calls[0][:3] == ["npm", "pack", "thing@1.0"]
    assert [path.name for path in tmp_path.iterdir()] == [pin.file]


def test_changed_files_are_refused(tmp_path: Path) -> None:
    """A file that is not the published one is deleted and named."""
    pin = pinned(b"published")
    (tmp_path / pin.file).write_bytes(b"something else")
    with pytest.raises(InputError, match="not the published file"):
        fetch.fetched(pin, tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("source", ["npm", "pip"])
def test_no_registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str) -> None:
    """Without a registry the client's last words are told, with what to do, and nothing is left behind."""

    def fails(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, 1, "", "npm error code X\nno route to the registry\n")

    monkeypatch.setattr(subprocess, "run", fails)
    monkeypatch.setattr(fetch, "program", lambda name: name)
    with pytest.raises(InputError, match="no route to the registry") as raised:
        fetch.fetched(pinned(b"", source), tmp_path)
    assert "once" in str(raised.value.hint)
    assert not list(tmp_path.iterdir())


def test_no_npm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without npm the message names what to install."""
    monkeypatch.setattr(fetch.shutil, "which", lambda name: None)
    with pytest.raises(InputError, match="npm, which is not installed") as raised:
        fetch.fetched(pinned(b""), tmp_path)
    assert "Node.js" in str(raised.value.hint)


def test_stored_archives_are_reproducible() -> None:
    """Equal members give equal bytes, in any order, and nothing is deflated."""
    one = archive.stored({"b.py": b"2", "a.py": b"1"})
    assert one == archive.stored({"a.py": b"1", "b.py": b"2"})
    with zipfile.ZipFile(io.BytesIO(one)) as members:
        assert {m.compress_type for m in members.infolist()} == {zipfile.ZIP_STORED}
    assert archive.from_zip(one) == {"a.py": b"1", "b.py": b"2"}


def test_npm_members(tmp_path: Path) -> None:
    """Files of a package are found below the folder that npm puts them in."""
    path = tmp_path / "thing.tgz"
    with tarfile.open(path, "w:gz") as made:
        for name in ("package/dist/a.js", "package/src/b.js"):
            member = tarfile.TarInfo(name)
            member.size = 1
            made.addfile(member, io.BytesIO(b"x"))
    assert archive.npm_files(path, "dist/") == ["dist/a.js"]
    assert archive.from_npm(path, ["dist/a.js"]) == {"dist/a.js": b"x"}


def test_wanted_members() -> None:
    """Tests and unused parts of SymPy stay out; code stays in."""
    assert archive.is_wanted("sympy/core/expr.py")
    assert archive.is_wanted("python_flint.libs/libflint.so")
    for name in ("sympy/core/tests/test_expr.py", "sympy/stats/rv.py", "flint/test/test_all.py", "x/RECORD"):
        assert not archive.is_wanted(name)


def test_the_engine_is_whole(tmp_path: Path) -> None:
    """Everything that the page imports is in the archive: it answers from the archive alone."""
    program = (
        "import sys, json\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "import identify; assert identify.__file__.startswith(sys.argv[1]), identify.__file__\n"
        "from identify.page.inside.session import answer\n"
        "reply = json.loads(answer(json.dumps({'kind': 'analyze', 'law': \"z''+d*z'+a*z=0\", 'strata': True,"
        "'anchors': ['amplitude']})))\n"
        "assert 'error' not in reply, reply\n"
        "foreign = {'pydantic', 'ruamel', 'typer', 'rich', 'numpy'} & set(sys.modules)\n"
        "assert not foreign, foreign\n"
    )
    source = archive.stored(archive.engine())
    assert not [
        name for name in archive.engine() if name.startswith(("identify/families", "identify/command"))
    ]
    done = run_from(source, program, tmp_path)
    assert done.returncode == 0, done.stderr


def run_from(source: bytes, program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    path = folder / "engine.zip"
    path.write_bytes(source)
    command = [sys.executable, "-P", "-c", program, str(path)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def test_gallery_is_the_catalogue() -> None:
    """Every family is there, with a law and conditions that are texts."""
    found = gallery()
    assert {family["name"] for family in found} == {path.stem for path in (ROOT / "families").glob("*.yaml")}
    assert all(isinstance(family["law"], str) and family["title"] for family in found)
    json.dumps(found, allow_nan=False)


def small_page(data: object = None) -> str:
    assets = build.read_assets()
    blocks = [html.data_block("thing", b"some bytes")]
    template = assets["page.html"].decode()
    return html.page(template, ["p{}"], ["let one = 1;", build.page_script(assets)], blocks, data)


def test_policy_names_every_script_and_style() -> None:
    """Each script and style of the page is allowed by its hash, and no host, no connection, no eval is."""
    page = small_page()
    policy = re.search('Content-Security-Policy" content="([^"]*)"', page)[1]
    for kind in ("script", "style"):
        inline = re.findall(f"<{kind}>(.*?)</{kind}>", page, re.DOTALL)
        assert len(inline) == (2 if kind == "script" else 1)
        for text in inline:
            digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
            assert f"'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none';")
    without_hashes = re.sub("'sha256-[^']*'", "", policy)
    for forbidden in ("unsafe-inline", "'unsafe-eval'", "http", "connect-src", "*"):
        assert forbidden not in without_hashes
    assert "{{" not in page
    assert "<!--{" not in page


def test_no_address_in_the_assets() -> None:
    """The page's own files name no host; the one address is the name of the SVG vocabulary."""
    for name, content in build.read_assets().items():
        addresses = re.findall(rb"(?:https?:)?//[\w.-]+\.\w+", content)
        assert [a for a in addresses if a != b"http://www.w3.org"] == [], name


def test_data_cannot_end_its_element() -> None:
    """Catalogue texts with markup in them stay data."""
    page = small_page({"law": "</script><script>alert(1)</script>"})
    assert "alert(1)</script>" not in page
    text = re.search('<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1]
    assert json.loads(text)["law"].startswith("</script>")


def test_blocks_unpack_to_their_content() -> None:
    """A data block is gzip in base64, and the same each time."""
    block = html.data_block("thing", b"content" * 100)
    assert block == html.data_block("thing", b"content" * 100)
    assert gzip.decompress(base64.b64decode(re.search(">(.*)<", block)[1])) == b"content" * 100


def test_fonts_are_inlined() -> None:
    """KaTeX's style sheet keeps no reference to a file."""
    sheet = b"@font-face{src:url(fonts/A.woff2) format('woff2'),url(fonts/A.ttf) format('truetype');x:y}"
    style = html.katex_style({"dist/katex.min.css": sheet, "dist/fonts/A.woff2": b"font"})
    assert "fonts/" not in style
    assert style.endswith(";x:y}")


def test_scripts_never_write_markup() -> None:
    """Text from input reaches the page as text: nothing in the scripts can turn it into elements."""
    forbidden = re.compile(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser"
    )
    for name in build.SCRIPTS:
        text = (files("identify.page") / "assets" / f"{name}.js").read_text(encoding="utf-8")
        assert not forbidden.search(text), name
    assert {f"{name}.js" for name in build.SCRIPTS} | {"worker.js"} == {
        item.name for item in (files("identify.page") / "assets").iterdir() if item.name.endswith(".js")
    }


def test_colours_are_the_palettes() -> None:
    """The pictures of the page take their colours from the one palette."""
    from identify.motion import palette

    style = build.read_assets()["page.css"].decode()
    for colour in (palette.BLUE, palette.GREEN, palette.AMBER, palette.ORANGE, palette.SKY):
        assert colour in style


def test_wheel_contains_the_assets() -> None:
    """The package's build takes everything below ``identify``, so that an installed page command works."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert settings["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == ["identify"]
    assert KATEX in PINS
