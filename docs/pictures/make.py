"""Renew the pictures of the terminal report and the session in README.md: ``python docs/pictures/make.py``.

Everything shown comes from running the program; ``--check`` only tells whether something is out of date.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import sys
from io import StringIO
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.terminal_theme import DEFAULT_TERMINAL_THEME, SVG_EXPORT_THEME, TerminalTheme

import identify
from identify.report.text import print_text

ROOT = Path(__file__).parent.parent.parent
README = ROOT / "README.md"
LAW = "z''+d*z'+a*z+b*z**3+g*z**5=0"
ASSUME = ["b != 0", "g != 0"]
THEMES = {"light": DEFAULT_TERMINAL_THEME, "dark": SVG_EXPORT_THEME}
SESSION = re.compile(r"(<!-- session: (?P<command>.+?) -->\n).*?(<!-- end of session -->)", re.DOTALL)


def picture(theme: TerminalTheme) -> str:
    """The report of ``LAW`` at 80 columns as SVG, without the web font that rich would link to."""
    console = Console(record=True, width=80, file=StringIO(), force_terminal=True, color_system="standard")
    print_text(identify.analyze(LAW, assume=ASSUME), console)
    form = re.sub(r"@font-face \{\{.*?\}\}\s*", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
    title = f'identify analyze "{LAW}"'
    svg = console.export_svg(title=title, theme=theme, code_format=form, unique_id="identify")
    # Blanks are no-break spaces in rich's SVG; DejaVu is what a machine without Fira Code has.
    return svg.replace("Fira Code, monospace", "Fira Code, DejaVu Sans Mono, Menlo, Consolas, monospace")


def session(command: str) -> str:
    """The command after a prompt, and what it prints at 80 columns."""
    words = shlex.split(command)
    assert words[0] == "identify"
    environment = {**os.environ, "COLUMNS": "80", "PYTHONIOENCODING": "utf-8", "PYTHONUTF8": "1"}
    environment.pop("FORCE_COLOR", None)
    done = subprocess.run(
        [sys.executable, "-m", *words], capture_output=True, env=environment, cwd=ROOT, check=True
    )
    return f"```console\n$ {command}\n{done.stdout.decode('utf-8').rstrip()}\n```\n"


def renewed_readme() -> str:
    """README.md with every session block run again."""
    return SESSION.sub(lambda m: m[1] + session(m["command"]) + m[3], README.read_text(encoding="utf-8"))


def main() -> int:
    """Write what is out of date, or with ``--check`` only name it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if out of date")
    check = parser.parse_args().check
    wanted = {
        Path(__file__).with_name(f"report-{name}.svg"): picture(theme) for name, theme in THEMES.items()
    }
    wanted[README] = renewed_readme()
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text("utf-8") != text]
    for path in stale:
        print(f"{'out of date' if check else 'written'}: {path.relative_to(ROOT)}")
        if not check:
            path.write_text(wanted[path], encoding="utf-8")
    return int(check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
