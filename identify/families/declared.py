"""A family with all that it extends: its law, conditions and parameters, each with its place.

``extends: NAME`` looks for NAME.yaml in the folder of the file, then in the catalogue.  Law and state
are replaced if given again, parameters are merged by name, conditions are added up; what the other
family expects or requires is not taken over, since further assumptions change the answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from identify.checked import Finding
from identify.families.lookup import Lookup
from identify.families.reading import FamilyFile, read_family
from identify.families.schema import Expect, Parameter, Require, State
from identify.families.tree import Node, decode

MOST_BASES = 8


@dataclass(frozen=True)
class Source:
    """A file of the chain: ``base`` is its name where it is not the checked file itself.

    ``extends`` is the place in the checked file to which findings about a base are attached.
    """

    tree: Node
    base: str | None
    extends: tuple[int, int]


@dataclass(frozen=True)
class Placed:
    """A text of the file, which can point at one of its characters."""

    text: str
    source: Source
    steps: tuple[str | int, ...]

    def finding(self, message: str, offset: int | None = None, hint: str | None = None) -> Finding:
        """Unreadable input at this text, or at the character ``offset`` of it."""
        node = self.source.tree.find(*self.steps)
        line, column = (node.line, node.column) if offset is None else node.within(offset)
        dotted = ".".join(map(str, self.steps))
        if self.source.base is None:
            return Finding("input", message, line, column, dotted, hint)
        message = f"in {self.source.base}.yaml, line {line}, column {column}: {message}"
        return Finding("input", message, *self.source.extends, "extends", hint)


@dataclass(frozen=True)
class Described:
    """A parameter with its restrictions."""

    parameter: Parameter
    restrict: tuple[Placed, ...]


@dataclass(frozen=True)
class Declared:
    """Everything that a family file declares, once what it extends is taken in."""

    name: str
    title: str
    tags: tuple[str, ...]
    law: Placed
    state: State | None
    parameters: dict[str, Described]
    assume: tuple[Placed, ...]
    domain: tuple[Placed, ...]
    reference: tuple[str, ...]
    expect: Expect | None
    require: Require | None
    tree: Node
    bases: tuple[str, ...] = ()


def declare(file: FamilyFile, lookup: Lookup) -> tuple[Declared | None, list[Finding]]:
    """The family with everything that it extends, or what is wrong with the chain."""
    chain = [(file, Source(file.tree, None, file.tree.place("extends")))]
    names = [file.family.name]
    while (wanted := chain[-1][0].family.extends) is not None:
        place = file.tree.place("extends")
        base, message = _base(wanted, names, lookup)
        if base is None:
            return None, [Finding("input", message, *place, "extends")]
        names.append(wanted)
        chain.append((base, Source(base.tree, wanted, place)))
    return _merged(chain, tuple(names[1:])), []


def _base(wanted: str, names: list[str], lookup: Lookup) -> tuple[FamilyFile | None, str]:
    if wanted in names:
        return None, f"'{wanted}' extends itself: {' -> '.join([*names, wanted])}"
    if len(names) > MOST_BASES:
        return None, f"more than {MOST_BASES} families extend one another"
    content = lookup.read(wanted)
    if content is None:
        return None, f"there is no family '{wanted}' in this folder or in the catalogue"
    text, findings = decode(content)
    base = None
    if not findings:
        base, findings = read_family(text, wanted)
    if base is None:
        first = findings[0]
        return None, f"in {wanted}.yaml, line {first.line}, column {first.column}: {first.message}"
    return base, ""


def _merged(chain: list[tuple[FamilyFile, Source]], bases: tuple[str, ...]) -> Declared:
    family = chain[0][0].family
    law_file, law_source = next(link for link in chain if link[0].family.law is not None)
    states = [f.family.state for f, _ in chain if f.family.state is not None]
    assert law_file.family.law is not None
    return Declared(
        family.name,
        family.title,
        tuple(_first(f.family.tags for f, _ in chain)),
        Placed(law_file.family.law, law_source, ("law",)),
        states[0] if states else None,
        _parameters(chain),
        tuple(p for link in reversed(chain) for p in _conditions(link, "assume")),
        tuple(p for link in reversed(chain) for p in _conditions(link, "domain")),
        tuple(_first(f.family.reference for f, _ in chain)),
        family.expect,
        family.require,
        chain[0][0].tree,
        bases,
    )


def _first(lists: Iterable[list[str]]) -> list[str]:
    return next((found for found in lists if found), [])


def _conditions(link: tuple[FamilyFile, Source], key: str) -> list[Placed]:
    file, source = link
    return _placed(getattr(file.family, key), source, (key,))


def _placed(texts: list[str], source: Source, steps: tuple[str | int, ...]) -> list[Placed]:
    """One text stands directly below its key, several in a list."""
    listed = isinstance(source.tree.find(*steps).value, list)
    return [Placed(text, source, (*steps, i) if listed else steps) for i, text in enumerate(texts)]


def _parameters(chain: list[tuple[FamilyFile, Source]]) -> dict[str, Described]:
    """Parameters by name: what a later file says of one replaces what it extends, restrictions add up."""
    found: dict[str, Described] = {}
    for file, source in reversed(chain):
        for name, parameter in file.family.parameters.items():
            before = found.get(name, Described(Parameter(), ()))
            given = parameter.model_dump(exclude_unset=True)
            merged = before.parameter.model_copy(update=given)
            restrict = _placed(parameter.restrict, source, ("parameters", name, "restrict"))
            found[name] = Described(merged, (*before.restrict, *restrict))
    return found
