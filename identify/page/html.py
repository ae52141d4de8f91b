"""One HTML file from its parts: scripts and styles named by hash in a policy that forbids everything else."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from typing import Any

from identify.page.archive import Members

# Nothing may be loaded or sent: no host is named, and default-src covers connections, frames and forms.
_POLICY = (
    "default-src 'none'; script-src {scripts} 'wasm-unsafe-eval' blob:; worker-src blob:; "
    "style-src {styles}; img-src data:; font-src data:; base-uri 'none'; form-action 'none'"
)


def page(template: str, styles: list[str], scripts: list[str], blocks: list[str], data: Any) -> str:
    """The template with styles, scripts, data blocks and data inlined under a strict policy."""
    policy = _POLICY.format(scripts=_hashes(scripts), styles=_hashes(styles))
    filled = {
        "policy": policy,
        "styles": "\n".join(f"<style>{text}</style>" for text in styles),
        "data": f'<script type="application/json" id="data">{_script_safe(data)}</script>',
        "parts": "\n".join(blocks),
        "scripts": "\n".join(f"<script>{text}</script>" for text in scripts),
    }
    return re.sub(r"<!--\{(\w+)\}-->|\{\{(\w+)\}\}", lambda slot: filled[slot[1] or slot[2]], template)


def _hashes(texts: list[str]) -> str:
    return " ".join(f"'sha256-{_sha256(text)}'" for text in texts)


def _sha256(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def data_block(name: str, content: bytes) -> str:
    """A compressed part: a script element of no script type is text to the browser, ruled by no policy."""
    packed = base64.b64encode(gzip.compress(content, 9, mtime=0)).decode("ascii")
    return f'<script type="text/plain" class="part" id="part-{name}">{packed}</script>'


def _script_safe(data: Any) -> str:
    """JSON that cannot end the element it stands in."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def katex_style(package: Members) -> str:
    """KaTeX's style sheet with its fonts inlined, one format of each."""
    sheet = package["dist/katex.min.css"].decode("utf-8")

    def inlined(found: re.Match[str]) -> str:
        font = base64.b64encode(package[f"dist/{found[1]}"]).decode("ascii")
        return f'src:url(data:font/woff2;base64,{font}) format("woff2")'

    return re.sub(r'src:url\("?(fonts/[\w-]+\.woff2)"?\)[^;}]*', inlined, sheet)
