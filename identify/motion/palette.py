"""The colours of every picture: Okabe and Ito's palette, on an opaque ground that dark pages show alike.

They are told apart with any colour vision, and by lightness alone.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

BLUE, ORANGE, GREEN, PINK = "#0072b2", "#d55e00", "#009e73", "#cc79a7"
AMBER, SKY, YELLOW, GREY = "#e69f00", "#56b4e9", "#f0e442", "#999999"
GROUND, INK, FAINT = "#ffffff", "#222222", "#b5b5b5"
SERIES = (BLUE, ORANGE, GREEN, PINK, AMBER, SKY, INK, GREY)  # in the order in which curves take them

STYLE: dict[Any, Any] = {
    "figure.facecolor": GROUND,
    "axes.facecolor": GROUND,
    "savefig.facecolor": GROUND,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.parse_math": False,  # names of files and parameters are text, whatever they contain
}


@contextmanager
def plain_names() -> Iterator[None]:
    """Names in pictures are text: no formulas in them, and no warning where the font lacks a letter."""
    from matplotlib import rc_context

    with rc_context({"text.parse_math": False}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        yield
