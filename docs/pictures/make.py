"""Renew the picture of README.md: ``python docs/pictures/make.py``.

The problem in one picture: one video, two networks, two coordinates, two values of b. ``--check`` writes
nothing and only tells whether something is out of date.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

WIDTH, HEIGHT = 860, 470
DAMPING, STIFFNESS, CUBIC = 0.2, 4.0, 4.0
SCALES = {"A": 1.0, "B": 2.0}
SECONDS, STEPS = 6.0, 600
FRAMES = (0.0, 0.35, 0.7, 1.05, 1.4, 1.75)


@dataclass(frozen=True)
class Colours:
    """What is drawn in which colour; one set for light pages, one for dark."""

    ground: str
    ink: str
    faint: str
    panel: str
    first: str
    second: str
    good: str


LIGHT = Colours("#ffffff", "#1f2328", "#59636e", "#f6f8fa", "#0550ae", "#953800", "#1a7f37")
DARK = Colours("#0d1117", "#e6edf3", "#9198a1", "#161b22", "#79c0ff", "#ffa657", "#56d364")


def motion() -> list[float]:
    """The true states, integrated in small steps."""
    z, v, h = 0.9, 0.0, SECONDS / STEPS
    found = [z]

    def force(z: float, v: float) -> float:
        return -DAMPING * v - STIFFNESS * z - CUBIC * z**3

    for _ in range(STEPS):
        k1, l1 = v, force(z, v)
        k2, l2 = v + h / 2 * l1, force(z + h / 2 * k1, v + h / 2 * l1)
        k3, l3 = v + h / 2 * l2, force(z + h / 2 * k2, v + h / 2 * l2)
        k4, l4 = v + h * l3, force(z + h * k3, v + h * l3)
        z, v = z + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), v + h / 6 * (l1 + 2 * l2 + 2 * l3 + l4)
        found.append(z)
    return found


def draw(colours: Colours) -> str:
    """The picture as SVG: plain shapes and text in the reader's own fonts."""
    states = motion()
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        'font-family="Helvetica, Arial, DejaVu Sans, sans-serif" font-size="15">',
        "<title>One video, two networks: both fit it, and they report different values of b</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{colours.ground}"/>',
        text(20, 28, "One video of a mass on a spring", colours.ink, weight="bold"),
    ]
    for place, time in enumerate(FRAMES):
        parts.append(frame(20 + 138 * place, 42, states[round(time / SECONDS * STEPS)], colours))
    for place, (name, scale) in enumerate(SCALES.items()):
        colour = (colours.first, colours.second)[place]
        parts.append(network(20 + 420 * place, 140, name, scale, states, colours, colour))
    parts.append(verdicts(colours))
    return "\n".join([*parts, "</svg>", ""])


def text(
    x: float, y: float, words: str, colour: str, weight: str = "normal", anchor: str = "start", size: int = 15
) -> str:
    """One line of text."""
    style = f'fill="{colour}" font-weight="{weight}" text-anchor="{anchor}" font-size="{size}"'
    return f'<text x="{x:g}" y="{y:g}" {style}>{words}</text>'


def frame(x: float, y: float, state: float, colours: Colours) -> str:
    """One frame of the video: a wall, a spring, a mass."""
    width, height, middle = 130, 64, 34
    mass = x + 74 + 32 * state
    coils = [
        f"{x + 8 + (mass - 14 - x - 8) * i / 12:.1f},{y + middle + (0, 7, 0, -7)[i % 4]:g}" for i in range(13)
    ]
    return (
        f'<rect x="{x:g}" y="{y}" width="{width}" height="{height}" rx="4" fill="{colours.panel}" '
        f'stroke="{colours.faint}"/>'
        f'<path d="M{x + 8:g} {y + 16}V{y + 52}" stroke="{colours.faint}" stroke-width="3"/>'
        f'<polyline points="{" ".join(coils)}" fill="none" stroke="{colours.faint}" stroke-width="1.5"/>'
        f'<rect x="{mass - 14:.1f}" y="{y + middle - 14}" width="28" height="28" rx="4" '
        f'fill="{colours.ink}"/>'
    )


def network(
    x: float, y: float, name: str, scale: float, states: list[float], colours: Colours, colour: str
) -> str:
    """What one network makes of it: its coordinate over time, and the law that it finds."""
    left, top, width, height = x + 44, y + 34, 346, 104
    reach = 2.0
    points = " ".join(
        f"{left + width * i / STEPS:.1f},{top + height / 2 * (1 - scale * z / reach):.1f}"
        for i, z in enumerate(states)
        if i % 4 == 0
    )
    ticks = "".join(
        f'<path d="M{left} {top + height / 2 * (1 - value / reach):g}h{width}" stroke="{colours.faint}" '
        f'stroke-width="{1 if value == 0 else 0.4}"/>'
        + text(
            left - 8,
            top + height / 2 * (1 - value / reach) + 5,
            f"{value:g}".replace("-", "−"),
            colours.faint,
            anchor="end",
            size=13,
        )
        for value in (-2, -1, 0, 1, 2)
    )
    shown = "" if scale == 1 else f"{scale:g}"
    cubic = CUBIC / scale**2
    law = f"ẑ″ + {DAMPING:g} ẑ′ + {STIFFNESS:g} ẑ + "
    return (
        text(x, y + 18, f"Network {name} sees ẑ = {shown}z", colour, weight="bold")
        + ticks
        + f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2.2"/>'
        + f'<text x="{x:g}" y="{y + 166}" fill="{colours.ink}" font-size="15">and finds  {law}'
        f'<tspan fill="{colour}" font-weight="bold">{cubic:g}</tspan> ẑ³ = 0</text>'
        + text(x, y + 187, "without any residual", colours.faint)
    )


def verdicts(colours: Colours) -> str:
    """What every such network must agree on."""
    rows = (
        ("damping d", f"{DAMPING:g} = {DAMPING:g}", "identified", colours.good, "every fit returns it"),
        ("stiffness a", f"{STIFFNESS:g} = {STIFFNESS:g}", "identified", colours.good, "every fit returns it"),
        (
            "stiffening b",
            f"{CUBIC:g} ≠ {CUBIC / SCALES['B'] ** 2:g}",
            "sign only",
            colours.second,
            "measure one displacement",
        ),
    )
    parts = [f'<path d="M20 346h{WIDTH - 40}" stroke="{colours.faint}" stroke-width="0.6"/>']
    for place, (name, values, label, colour, remark) in enumerate(rows):
        x = 20 + 280 * place
        parts += [
            f'<rect x="{x}" y="362" width="260" height="90" rx="6" fill="{colours.panel}"/>',
            text(x + 16, 388, name, colours.ink, weight="bold"),
            text(x + 244, 388, values, colours.ink, anchor="end"),
            text(x + 16, 414, label, colour, weight="bold"),
            text(x + 16, 438, remark, colours.faint),
        ]
    return "".join(parts)


def main() -> int:
    """Write what is out of date, or with ``--check`` only name it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if out of date")
    check = parser.parse_args().check
    here = Path(__file__).parent
    wanted = {here / "problem-light.svg": draw(LIGHT), here / "problem-dark.svg": draw(DARK)}
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text("utf-8") != text]
    for path in stale:
        print(f"{'out of date' if check else 'written'}: {path.name}")
        if not check:
            path.write_text(wanted[path], encoding="utf-8")
    return int(check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
