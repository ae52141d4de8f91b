"""The fingerprint that ties a certificate to the law it speaks of."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any


def fingerprint(law_info: Mapping[str, Any]) -> str:
    """SHA-256 of the canonical JSON of the law's text, assumptions and domain, in hexadecimal.

    >>> fingerprint({"text": "z''=-a*z", "assumptions": [], "domain": []})[:12]
    '3ef9af0f2e9e'
    """
    body = {
        "text": law_info["text"],
        "assumptions": list(law_info["assumptions"]),
        "domain": list(law_info["domain"]),
    }
    canonical = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()
