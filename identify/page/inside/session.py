"""Questions of the page and the engine's answers: JSON in, JSON out, and never an exception.

An input that cannot be read is answered with the terminal's own message, line, caret and hint.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from identify.analysis import Analysis
from identify.engine import analyze
from identify.errors import IdentifyError, InputError
from identify.law import read_condition, read_law
from identify.page.inside.notation import Marked, for_page
from identify.page.inside.picture import picture
from identify.report import render, words
from identify.report.latex_notation import latex

PATIENCE = 600.0  # seconds; a person who does not want to wait that long cancels
MOST_TEXTS = 40
Request = dict[str, Any]
Reply = dict[str, Any]


def answer(text: str) -> str:
    """The reply to one request: ``{"error": ...}`` where it cannot be answered."""
    try:
        request = json.loads(text)
        reply = _KINDS[request["kind"]](request)
    except InputError as error:
        reply = {"error": _told(error)}
    except IdentifyError as error:
        reply = {"error": {"message": str(error), "shown": str(error)}}
    except (RecursionError, MemoryError) as error:
        reply = {"error": _internal(error)}
    except Exception as error:  # noqa: BLE001  # the last line of defence: the page shows every answer it gets
        reply = {"error": _internal(error)}
    return json.dumps(reply, ensure_ascii=False)


def preview(request: Request) -> Reply:
    """The law typeset with its parameters, and what is wrong with each condition."""
    law = read_law(_text(request, "law"))
    names = (*law.parameters, law.state)
    return {
        "latex": latex(law.text),
        "state": law.state.name,
        "parameters": [{"name": p.name, "latex": latex(p.name)} for p in law.parameters],
        "conditions": [
            _checked(text, lambda t: read_condition(t, names)) for text in _texts(request, "conditions")
        ],
    }


def answered(request: Request) -> Reply:
    """The analysis: the JSON document of the terminal, in Markdown, in LaTeX, and as data to show."""
    texts = _texts(request, "conditions")
    law = read_law(_text(request, "law"), texts)
    analysis = analyze(
        law,
        strata=bool(request.get("strata")),
        anchors=_texts(request, "anchors"),
        unknown_clock=bool(request.get("unknown_clock")),
        timeout=PATIENCE,
    )
    return {
        "json": render(analysis, "json"),
        "markdown": render(analysis, "markdown"),
        "latex": render(analysis, "latex"),
        "report": report(analysis),
        "picture": picture(law, analysis),
    }


_KINDS: dict[str, Callable[[Request], Reply]] = {"preview": preview, "analyze": answered}


def report(analysis: Analysis) -> Reply:
    """The report as data: every sentence of the terminal's, with its formulas marked."""
    notation = Marked()
    return {
        "outcome": analysis.outcome,
        "route": analysis.route.name,
        "law": latex(analysis.law.text),
        "given": [latex(c) for c in (*analysis.law.assumptions, *analysis.law.domain)],
        "headline": words.headline(analysis, notation),
        "parameters": [
            {
                "name": name,
                "latex": latex(name),
                "status": verdict.status,
                "label": words.label(verdict),
                "meaning": words.meaning(verdict),
                "another": words.transformation(verdict, name, notation),
                "why": notation.prose(verdict.why),
            }
            for name, verdict in analysis.parameters.items()
        ],
        "sections": [
            {"title": section.title, "lines": [for_page(line) for line in section.lines]}
            for section in words.sections(analysis, notation)
        ],
    }


def _text(request: Request, key: str) -> str:
    value = request.get(key, "")
    if not isinstance(value, str):
        raise InputError(f"{key} must be text", hint="send it as a string")
    return value


def _texts(request: Request, key: str) -> list[str]:
    value = request.get(key, [])
    if not isinstance(value, list) or len(value) > MOST_TEXTS or not all(isinstance(t, str) for t in value):
        raise InputError(f"{key} must be a list of at most {MOST_TEXTS} texts", hint="send a list of strings")
    return value


def _checked(text: str, read: Callable[[str], object]) -> Reply:
    try:
        read(text)
    except InputError as error:
        return {"text": text, "error": _told(error)}
    return {"text": text, "latex": latex(text)}


def _told(error: InputError) -> Reply:
    """Where, what and what to type: the same words and the same caret as in the terminal."""
    return {
        "message": error.message,
        "hint": error.hint,
        "line": error.line,
        "column": error.column,
        "offset": error.offset,
        "shown": error.render(),
        "text": error.text,
    }


def _internal(error: BaseException) -> Reply:
    message = f"undecided, because of an internal error: {type(error).__name__}"
    return {"message": message, "shown": message}
