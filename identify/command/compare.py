"""``identify compare RUN1 RUN2``: two laws on the same clips."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from identify.command.options import Debug
from identify.command.outcome import DONE, UNDECIDED, orderly


def compare(
    first: Annotated[Path, typer.Argument(metavar="RUN1", help="A run folder.")],
    second: Annotated[Path, typer.Argument(metavar="RUN2", help="Another one, on the same clips.")],
    json: Annotated[bool, typer.Option("--json", help="The document identify/compare/1.")] = False,
    debug: Debug = False,
) -> None:
    """Tell which of two fits explains the same frames better, and how their parameters differ.

    Exit code 0 if one is better or both are as good, 3 where the runs have no clip in common.

    Example:

        identify compare spring/run-linear spring/run-drag
    """
    with orderly(debug):
        from identify.motion.extra import need

        need("identify compare", "numpy", "scipy")
        from identify.fit.results.compare import compare as answer
        from identify.fit.results.figures import plain
        from identify.fit.results.folder import read_run
        from identify.motion.page import print_json

        document = plain(answer(read_run(first), read_run(second)).document)
        print_json(document) if json else _page(document).print()
        raise typer.Exit(DONE if document["clips"] else UNDECIDED)


def _page(document: dict[str, Any]) -> Any:
    from identify.fit.results.figures import percent
    from identify.fit.results.words import DIAGNOSTICS
    from identify.motion.page import Page, number

    page, runs = Page(), document["runs"]
    page.title(f"1: {runs[0]['law']}\n2: {runs[1]['law']}")
    page.say(document["why"][0].upper() + document["why"][1:] + ".", style="bold")
    if not document["same_clips"]:
        page.warn([f"not the same clips; only in one run: {', '.join(document['only_in_one'])}"])
    if len(set(document["folders"])) > 1:
        told = " and ".join(document["folders"])
        page.warn(
            [f"clips are matched by name, and the runs are of {told}: the same name may be another clip"]
        )
    rows = [("accepted", *("yes" if r["accepted"] else f"no: {r['reason']}" for r in runs))]
    share = [None if r["residual"] is None else 100 * r["residual"] for r in runs]
    rows.append(("residual over spread (median)", *(percent(s) for s in share)))
    for name in document["clips"]:
        each = [r["residual_by_clip"].get(name) for r in runs]
        rows.append((f"  {name}", *(percent(None if e is None else 100 * e) for e in each)))
    for key, words in DIAGNOSTICS.items():
        if all(r["evidence"].get(key) is not None for r in runs):
            rows.append((words, *(number(r["evidence"][key]) for r in runs)))
    page.table(("", "run 1", "run 2"), rows)
    names = list(dict.fromkeys(n for r in runs for n in r["parameters"]))
    page.table(
        ("parameter", "run 1", "run 2"), ((n, *(r["parameters"].get(n, "-") for r in runs)) for n in names)
    )
    page.say("A smaller residual alone does not show that a law is the physical one; see each run's audit.")
    return page
