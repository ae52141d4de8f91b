"""What the site takes from the program when it is built: commands, glossary; and drawn mathematics."""

from __future__ import annotations

import json
import xml.etree.ElementTree as xml
from collections.abc import Iterator
from typing import Any

import ziamath
from docutils import nodes
from docutils.utils.math import latex2mathml
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from identify.command.manual import Command, Parameter, program
from identify.families.listing import published_schema
from identify.fit.clips.settings import Settings
from identify.glossary import entries


class Commands(SphinxDirective):
    """``{identify-commands}``: every command with its arguments and options, as the program has them."""

    def run(self) -> list[nodes.Node]:
        return self.parse_text_to_nodes("\n".join(commands()), allow_section_headings=True)


class Glossary(SphinxDirective):
    """``{identify-glossary}``: the entries that ``identify explain`` prints."""

    def run(self) -> list[nodes.Node]:
        return self.parse_text_to_nodes("\n".join(glossary()), allow_section_headings=True)


class Keys(SphinxDirective):
    """``{identify-keys} family`` or ``experiment``: the keys of a file, from the schema that reads it."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        return self.parse_text_to_nodes("\n".join(keys(self.arguments[0])), allow_section_headings=True)


def keys(what: str) -> Iterator[str]:
    """Tables of keys, one for the file and one for each part of it."""
    if what == "family":
        schema = json.loads(published_schema())
    else:
        schema = Settings.model_json_schema()
    yield from _table("The file", schema)
    for name, part in schema.get("$defs", {}).items():
        yield from _table(name, part)


def _table(title: str, schema: dict[str, Any]) -> Iterator[str]:
    if "properties" not in schema:
        return
    yield from (f"**{title}.** {_plain(schema.get('description', ''))}", "", "| key | |", "|---|---|")
    for key, field in schema["properties"].items():
        yield f"| `{key}` | {_plain(field.get('description', '')).replace('|', chr(92) + '|')} |"
    yield ""


def commands() -> Iterator[str]:
    """The reference in Markdown."""
    _, exits, found = program()
    yield from ("## Exit codes", "", exits.removeprefix("Exit codes: "), "")
    group = ""
    for command in found:
        if command.group != group:
            group = command.group
            yield from (f"## {group}", "")
        yield from _command(command)


def _command(command: Command) -> Iterator[str]:
    yield from (f"### identify {command.name}", "", command.summary, "")
    yield from ("```text", command.usage, "```", "")
    for paragraph in command.paragraphs:
        yield from (_plain(paragraph), "")
    for parameter in command.parameters:
        yield from (_name(parameter), f": {_plain(parameter.text)}{_default(parameter)}", "")
    if command.examples:
        yield from ("Examples:", "", "```text", *command.examples, "```", "")


def _name(parameter: Parameter) -> str:
    names = ", ".join(f"`{name}`" for name in parameter.names)
    return f"{names} `{parameter.value}`" if parameter.value else names


def _default(parameter: Parameter) -> str:
    return f" Default: `{parameter.default}`." if parameter.default else ""


def glossary() -> Iterator[str]:
    """The glossary in Markdown; terms are targets, so that pages can point to them."""
    yield "```{glossary}"
    for entry in entries().values():
        yield entry.term
        see = f" See {', '.join(f'{{term}}`{term}`' for term in entry.see)}." if entry.see else ""
        also = f" Also: {', '.join(entry.also)}." if entry.also else ""
        yield from (f"  {_plain(entry.text)}{_plain(also)}{see}", "")
    yield "```"


def _plain(text: str) -> str:
    """Formulas such as ``z''+a*z`` are text, not emphasis; code in backquotes stays."""
    parts = text.split("`")
    for position in range(0, len(parts), 2):
        for mark in "*_$<>":
            parts[position] = parts[position].replace(mark, f"\\{mark}")
    return "`".join(parts)


ziamath.config.svg2 = False  # outlines inside each picture: nothing is named, so nothing is named twice
_SIZE = 14.5  # pixels of a drawing to one em: its letters are a little smaller than those of the text
_FOR_EARS = "position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%)"


def _formula(latex: str, as_block: bool) -> str:
    """Drawn, since not every browser has a font for mathematics, and as MathML for those who listen."""
    found = ziamath.Latex(latex, size=16, color="currentColor", inline=not as_block)
    picture = found.svgxml()
    _, top, width, height = map(float, picture.attrib["viewBox"].split())
    picture.attrib |= {"width": f"{width / _SIZE:.3f}em", "height": f"{height / _SIZE:.3f}em"}
    picture.attrib |= {"style": f"vertical-align: {-(top + height) / _SIZE:.3f}em", "aria-hidden": "true"}
    read = latex2mathml.tex2mathml(latex, as_block=False)
    drawn = xml.tostring(picture, encoding="unicode")
    return f'<span style="position: relative"><span style="{_FOR_EARS}">{read}</span>{drawn}</span>'


def _inline(translator: Any, node: nodes.math) -> None:
    translator.body.append(_formula(node.astext(), as_block=False))
    raise nodes.SkipNode


def _display(translator: Any, node: nodes.math_block) -> None:
    identity = number = ""
    if node["ids"]:
        identity = f' id="{node["ids"][0]}"'
        number = f'<span style="float: right">({node["number"]})</span>'
    formula = _formula(node.astext(), as_block=True)
    style = "overflow-x: auto; overflow-y: hidden; margin: 1em 0; padding: .2em 0; text-align: center"
    translator.body.append(f'<div{identity} style="{style}">{number}{formula}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register everything."""
    app.add_directive("identify-commands", Commands)
    app.add_directive("identify-glossary", Glossary)
    app.add_directive("identify-keys", Keys)
    app.add_html_math_renderer("drawn", (_inline, None), (_display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
