"""Which physical parameters of a scalar law ``z'' = F(z, z')`` can be learned from video.

>>> import identify
>>> analysis = identify.analyze("z''+d*z'+a*z+b*z**3=0", assume=["b != 0"])  # doctest: +SKIP

Public names are resolved on first use: ``import identify`` loads neither sympy nor torch.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from identify.analysis import Analysis
    from identify.certificate import verify
    from identify.engine import analyze
    from identify.errors import IdentifyError, InputError
    from identify.law import Law, read_law

__version__ = "0.1.0"

__all__ = [
    "Analysis",
    "IdentifyError",
    "InputError",
    "Law",
    "__version__",
    "analyze",
    "read_law",
    "verify",
]

_HOME = {
    "Analysis": "identify.analysis",
    "IdentifyError": "identify.errors",
    "InputError": "identify.errors",
    "Law": "identify.law",
    "analyze": "identify.engine",
    "read_law": "identify.law",
    "verify": "identify.certificate",
}


def __getattr__(name: str) -> Any:
    """The public name, imported from the module that defines it and then kept."""
    if name not in _HOME:
        raise AttributeError(f"module 'identify' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
