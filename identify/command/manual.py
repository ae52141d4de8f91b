"""The commands as data, read off the program itself, and the man page written from them.

``python -m identify.command.manual FILE`` writes ``identify.1``; the reference page of the documentation is
made from the same data.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import identify


@dataclass(frozen=True)
class Parameter:
    """An argument or an option: its spellings, its value (empty for a flag), what it does, its default."""

    names: tuple[str, ...]
    value: str
    text: str
    default: str
    argument: bool


@dataclass(frozen=True)
class Command:
    """One command: summary, paragraphs, examples, parameters, and the group it is listed in."""

    name: str
    group: str
    usage: str
    summary: str
    paragraphs: tuple[str, ...]
    examples: tuple[str, ...]
    parameters: tuple[Parameter, ...]


def program() -> tuple[str, str, tuple[Command, ...]]:
    """The summary of the program, its words on exit codes, and its commands in the order of the help."""
    import typer

    from identify.command.program import app

    group: Any = typer.main.get_command(app)
    return group.help, group.epilog, tuple(_command(name, c) for name, c in group.commands.items())


def _command(name: str, command: Any) -> Command:
    import typer

    context = typer.Context(command, info_name=f"identify {name}")
    paragraphs = [p for p in command.help.split("\n\n") if p.strip() not in {"Example:", "Examples:"}]
    return Command(
        name=name,
        group=command.rich_help_panel or "Commands",
        usage=f"identify {name} " + " ".join(command.collect_usage_pieces(context)),
        summary=paragraphs[0],
        paragraphs=tuple(p for p in paragraphs[1:] if not p.startswith(" ")),
        examples=tuple(p.strip() for p in paragraphs[1:] if p.startswith(" ")),
        parameters=tuple(_parameter(p) for p in command.get_params(context) if p.name != "help"),
    )


def _parameter(parameter: Any) -> Parameter:
    argument = parameter.param_type_name == "argument"
    if argument:
        names, value, default = (parameter.metavar or parameter.name.upper(),), "", ""
    else:
        names, value = tuple(parameter.opts), parameter.metavar or _choices(parameter)
        default = _told(parameter.default)
    return Parameter(names, value, parameter.help or "", default, argument)


def _choices(parameter: Any) -> str:
    """The words of an enumeration; flags have none."""
    if getattr(parameter, "is_flag", False):
        return ""
    return "|".join(str(member.value) for member in parameter.type_descriptor.annotation)


def _told(default: Any) -> str:
    """A default that is worth saying: neither nothing, nor a flag that is off, nor computed."""
    if default in (None, False, ()) or callable(default):
        return ""
    return str(getattr(default, "value", default))


def man_page() -> str:
    """The manual page in the man macros, without a date, so that the same program gives the same page."""
    return "\n".join(_man_lines()) + "\n"


def _man_lines() -> Iterator[str]:
    summary, exits, commands = program()
    yield f'.TH IDENTIFY 1 "" "identify {identify.__version__}" "User Commands"'
    yield from (".SH NAME", f"identify \\- {_roff(summary[0].lower() + summary[1:].rstrip('.'))}")
    yield from (".SH SYNOPSIS", ".B identify", ".I COMMAND", "[options]")
    yield from (".SH DESCRIPTION", _roff(summary), ".PP", _roff(exits))
    for command in commands:
        yield from _man_command(command)
    yield from (".SH SEE ALSO", _roff("The glossary: identify explain TERM. The pages in docs/."))


def _man_command(command: Command) -> Iterator[str]:
    yield from (
        f'.SH "IDENTIFY {command.name.upper()}"',
        f".B {_roff(command.usage)}",
        ".PP",
        _roff(command.summary),
    )
    for paragraph in command.paragraphs:
        yield from (".PP", _roff(paragraph))
    for parameter in command.parameters:
        value = f" \\fI{_roff(parameter.value)}\\fR" if parameter.value else ""
        default = f" The default is {parameter.default}." if parameter.default else ""
        yield from (
            ".TP",
            f"\\fB{_roff(', '.join(parameter.names))}\\fR{value}",
            _roff(parameter.text + default),
        )
    if command.examples:
        yield from (
            ".PP",
            "Examples:",
            ".EX",
            *(f"    {_roff(example)}" for example in command.examples),
            ".EE",
        )


def _roff(text: str) -> str:
    """Plain text as roff shows it: escapes, hyphens that can be copied, no accidental requests."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return "\\&" + escaped if escaped.startswith(".") else escaped


if __name__ == "__main__":
    from identify.files import write_whole

    write_whole(Path(sys.argv[1]), man_page())
