"""A sweep file -> its model with positions, or everything that is wrong with it, with lines."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from identify.checked import Finding
from identify.errors import InputError
from identify.families.reading import nearest
from identify.families.tree import MOST_BYTES, Node, decode, read_tree
from identify.fit.clips.experiment_reading import ExperimentError, explained, own_words
from identify.sweep.spec import METHODS, Grid, Source, Stated, Sweep

_MOST_DEPTH = 10  # grids, a grid, laws, a law, initial, a collection, a pair: a number is the ninth
_SCENES = ("cart", "pendulum", "projected-pendulum", "side-fall", "overhead-fall")


@dataclass(frozen=True)
class SweepFile:
    """A validated file: the model for its values, the tree for its positions."""

    path: Path
    sweep: Sweep
    tree: Node
    text: str

    def refuse(self, message: str, *steps: str | int, hint: str | None = None) -> ExperimentError:
        """An error at a place of the file; the caller raises it."""
        finding = Finding("input", message, *self.tree.place(*steps), hint=hint)
        return ExperimentError(self.path.name, self.text, [finding])


def read_sweep(path: Path) -> SweepFile:
    """The file; InputError says all that is wrong with it."""
    try:
        with path.open("rb") as opened:
            content = opened.read(MOST_BYTES + 1)
    except OSError as error:
        raise InputError(
            f"{path} cannot be read: {error.strerror or error}",
            hint="check that the file exists and that you may read it",
        ) from None
    text, findings = decode(content)
    tree: Node | None = None
    if not findings:
        tree, findings = read_tree(text, _MOST_DEPTH)
    if tree is None or findings:
        raise ExperimentError(path.name, text, [own_words(f, "a sweep file") for f in findings])
    try:
        return SweepFile(path, Sweep.model_validate(tree.plain()), tree, text)
    except ValidationError as error:
        found = [_finding(details, tree) for details in error.errors(include_url=False)]
        in_order = sorted(found, key=lambda finding: (finding.line, finding.column))
        raise ExperimentError(path.name, text, in_order) from None


def _finding(details: ErrorDetails, tree: Node) -> Finding:
    steps = tuple(step for step in details["loc"] if step != "[key]")
    if details["type"] == "extra_forbidden":
        return Finding(
            "input", f"unknown key '{steps[-1]}'", *tree.key_place(*steps), hint=_meant(steps, tree)
        )
    if details["type"] == "missing":
        return Finding("input", f"the key '{steps[-1]}' is missing", tree.line, tree.column)
    choices = _SCENES if steps[-1:] == ("scene",) else METHODS
    message, hint = explained(details, _existing(steps, tree), choices)
    return Finding("input", message, *tree.place(*steps), hint=hint)


def _existing(steps: tuple[Any, ...], tree: Node) -> tuple[Any, ...]:
    """Without the number of an item where the file has one value instead of a list."""
    return steps if isinstance(tree.find(*steps[:-1]).value, list) else steps[:-1] if steps else steps


def _meant(steps: tuple[Any, ...], tree: Node) -> str:
    """The nearest key that exists at this place, else all of them."""
    model: type[BaseModel] = Sweep if len(steps) == 1 else Grid
    if "laws" in steps[:-1] or "fitted" in steps[:-1]:
        model = Source if "laws" in steps else Stated
    present = tree.find(*steps[:-1]).keys
    near = nearest(str(steps[-1]), [key for key in model.model_fields if key not in present])
    return near or "the keys here are " + ", ".join(model.model_fields)
