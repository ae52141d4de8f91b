"""The independent checker: a saved analysis is re-checked by substitution and high precision.

Imports the law parser, and nothing that the solver is made of.  The checker itself is loaded on
first use, so that the engine can take ``fingerprint`` alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from identify.certificate.fingerprint import fingerprint
from identify.certificate.verification import Check, Verification

if TYPE_CHECKING:
    from identify.certificate.checker import verify

__all__ = ["Check", "Verification", "fingerprint", "verify"]


def __getattr__(name: str) -> Any:
    """``verify``, imported when it is first asked for."""
    if name != "verify":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from identify.certificate.checker import verify

    return verify
