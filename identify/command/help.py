"""Help pages without noise: flags show no type, numbers a letter, the commands come in groups."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup

_LETTER = {"float": "X", "int": "N", "str": "NAME"}


class PlainCommand(TyperCommand):
    """A command whose help names values as the documentation does."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.help = _flowing(self.help or "")

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters, with what typer would show as ``<bool>`` or ``<float range>`` in plain words."""
        return [_plain(parameter) for parameter in super().get_params(ctx)]


class PlainGroup(TyperGroup):
    """The same for the program itself."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters in plain words."""
        return [_plain(parameter) for parameter in super().get_params(ctx)]


def _plain(parameter: Any) -> Any:
    if parameter.param_type_name == "argument":
        parameter.display_type_rich = lambda ctx: None  # the name of an argument says enough
    elif parameter.metavar is None:
        if getattr(parameter, "is_flag", False):
            parameter.metavar = ""
        else:
            parameter.metavar = _LETTER.get(parameter.bare_type())
    return parameter


def _flowing(text: str) -> str:
    """Paragraphs as single lines, so that the terminal breaks them; indented lines are examples and stay."""
    paragraphs = text.split("\n\n")
    return "\n\n".join(p if p.startswith(" ") else " ".join(p.split()) for p in paragraphs)
