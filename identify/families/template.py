"""What ``identify init`` writes: a commented family file, or an experiment folder around one."""

from __future__ import annotations

import json
import re
from pathlib import Path

from identify.errors import InputError
from identify.families.catalogue import SUFFIXES

LAW = "z'' + d*z' + a*z + b*z**3 = 0"
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")

_FAMILY = """\
# A family: a declared law, what is known of it, and what is claimed about it.
#   identify check {file}            compare the claims with the analysis
#   identify check --update {file}   write the claims ('expect') from the analysis
#   identify families --schema       the JSON Schema of this file, for editors

name: {name} # must be the name of the file
title: {title}
tags: [mine]

# z' is the velocity, z'' the acceleration; every other name is a parameter.
law: {law}

parameters:
{parameters}
# Conditions on the parameters, and where the state lives; leave out what is not known.
{assume}
# domain: [z > 0]

# Where the law is from.
reference: unpublished

# Taking over another family, of this folder or of the catalogue, in place of 'law':
# extends: cubic-duffing

# What must be identified for the check to pass; 'after' lists measurements that may be used.
{require}
# What the analysis must find; a key that is left out is not checked.
{expect}"""

_DUFFING = {
    "d": "{meaning: damping, unit: 1/s, example: 0.1}",
    "a": "{meaning: linear stiffness, unit: 1/s^2, example: 1}",
    "b": "{meaning: cubic stiffness, unit: 1/(m^2*s^2), example: 0.5}",
}
_EXPECT = """\
expect:
  route: semilinear
  parameters: {d: identified, a: identified, b: sign}
  invariants: [d, a]
  sign_invariants: [sign(b)]
  gauge: {dimension: 1, orbit_dimension: 1}
  coverage: {rank: 3, velocities: 3, both_directions: false}
"""

_README = """\
# {name}

| | |
|---|---|
| `families/{name}.yaml` | the declared law and what is claimed about it |
| `clips/` | the videos, one motion to a file |
| `.github/workflows/identify.yml` | fails a pull request that breaks a claim |

```sh
identify check families/
identify analyze --family families/{name}.yaml
```
"""

_CLIPS = """\
Videos go here, one motion to a file. `identify analyze --family families/{name}.yaml` says which
velocities must be filmed at each position, and what to measure once to learn the remaining parameters.
"""

_WORKFLOW = """\
name: identify
on: [push, pull_request]
jobs:
  check:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with: {python-version: "3.12"}
      - run: pip install identify-ode
      - run: identify check --format github families/
"""


def files_to_write(path: Path, law: str | None) -> dict[Path, str]:
    """The files and their texts; a path that does not end in .yaml is a folder."""
    if path.suffix in SUFFIXES:
        return {path: family_text(_name(path.stem), path.name, law)}
    name = _name(path.name or path.resolve().name)
    return {
        path / "families" / f"{name}.yaml": family_text(name, f"families/{name}.yaml", law),
        path / "README.md": _README.format(name=name),
        path / "clips" / "README.md": _CLIPS.format(name=name),
        path / ".github" / "workflows" / "identify.yml": _WORKFLOW,
    }


def _name(stem: str) -> str:
    if _SLUG.fullmatch(stem):
        return stem
    suggestion = "-".join(re.findall(r"[a-z0-9]+", stem.casefold())) or "my-law"
    raise InputError(f"'{stem}' cannot be the name of a family", hint=f"call it {suggestion}")


def family_text(name: str, file: str, law: str | None) -> str:
    """A family file for the law, with the claims left open unless it is the example."""
    title = name.replace("-", " ").capitalize()
    if law is None:
        rows, assume = _DUFFING, "assume: [b != 0]"
        require, expect = "require:\n  identified: [d, a]\n", _EXPECT
        title = f"{title}, a damped cubic oscillator"
    else:
        rows = dict.fromkeys(_parameters(law), "{meaning: to be described}")
        assume = "# assume: [b != 0]"
        require = "# require:\n#   identified: [d, a]\n#   after: [amplitude]\n"
        expect = "# expect: written by identify check --update\n"
    described = "".join(f"  {parameter}: {text}\n" for parameter, text in rows.items())
    block = described or "  {}\n"
    return _FAMILY.format(
        name=name,
        file=file,
        title=json.dumps(title),
        law=json.dumps(law or LAW, ensure_ascii=False),
        parameters=block,
        assume=assume,
        require=require,
        expect=expect,
    )


def _parameters(law: str) -> list[str]:
    from identify.law import read_law

    return [p.name for p in read_law(law).parameters]
