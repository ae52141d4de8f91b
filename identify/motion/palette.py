"""The colours of every picture: Okabe and Ito's palette, on an opaque ground that dark pages show alike.

They are told apart with any colour vision, and by lightness alone.
"""

from __future__ import annotations

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
