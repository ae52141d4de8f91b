"""What video tells about every oscillator of the catalogue, as one table.

python examples/laws/catalogue.py [TAG]
"""

from __future__ import annotations

import sys

import identify
from identify.families.listing import entries, load, select


def main() -> None:
    """One line for each family: its name, and each parameter with its verdict."""
    tag = sys.argv[1] if len(sys.argv) > 1 else "paper"
    for entry in select(entries(), [tag], None):
        _, lawful = load(entry.name)
        analysis = identify.analyze(lawful.law)
        verdicts = ", ".join(f"{name} {v.status}" for name, v in analysis.parameters.items())
        print(f"{entry.name:32} {verdicts or analysis.outcome}")


if __name__ == "__main__":
    main()
