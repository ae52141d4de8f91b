"""Notebooks, executed cell by cell in a plain interpreter: ``python -m tests.docs.notebooks``.

No kernel is started: the cells are ordinary Python, and what a notebook stores of them is the printed text
and the value of the last line in its own formats. The command writes what they give today into the files.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent.parent.parent / "examples" / "notebooks"


def executed(path: Path) -> dict[str, Any]:
    """The notebook with the outputs that its cells give now; an error in a cell is raised."""
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    names: dict[str, Any] = {"__name__": "__main__"}
    count = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            count += 1
            cell["execution_count"] = count
            cell["outputs"] = _outputs("".join(cell["source"]), names, count, path.name)
    return notebook


def _outputs(source: str, names: dict[str, Any], count: int, where: str) -> list[dict[str, Any]]:
    tree = ast.parse(source, where)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, where, "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), where, "eval"), names)
    found: list[dict[str, Any]] = []
    if printed.getvalue():
        found.append({"name": "stdout", "output_type": "stream", "text": _lines(printed.getvalue())})
    if value is not None:
        data = {"text/plain": _lines(repr(value))}
        if hasattr(value, "_repr_html_"):
            data = {"text/html": _lines(value._repr_html_()), "text/plain": _lines(type(value).__name__)}
        found.append(
            {"data": data, "execution_count": count, "metadata": {}, "output_type": "execute_result"}
        )
    return found


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def stored(notebook: dict[str, Any]) -> str:
    """The notebook as its file has it."""
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for file in sorted(FOLDER.glob("*.ipynb")) if len(sys.argv) < 2 else map(Path, sys.argv[1:]):
        file.write_text(stored(executed(file)), encoding="utf-8")
        print(f"executed: {file.name}")
