"""``identify check`` as SARIF 2.1.0, for code scanning."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import identify
from identify.checked import Checked, CheckReport, Finding, Kind

_RULES: dict[Kind, tuple[str, str]] = {
    "input": ("error", "The family file cannot be read."),
    "difference": ("error", "The analysis differs from what the family file claims."),
    "requirement": ("error", "A required parameter is not identified."),
    "undecided": ("warning", "The analysis could not decide a claim."),
    "note": ("note", "Something to know about the family file."),
}


def render_sarif(report: CheckReport) -> str:
    """One run with a rule for each kind of finding."""
    rules = [
        {"id": kind, "shortDescription": {"text": text}, "defaultConfiguration": {"level": level}}
        for kind, (level, text) in _RULES.items()
    ]
    driver = {"name": "identify", "version": identify.__version__, "rules": rules}
    results = [_result(checked, finding) for checked in report.results for finding in checked.findings]
    document = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _result(checked: Checked, finding: Finding) -> dict[str, Any]:
    words = finding.message + (f" Hint: {finding.hint}" if finding.hint else "")
    place = {
        "artifactLocation": {"uri": _uri(checked.path)},
        "region": {"startLine": finding.line, "startColumn": finding.column},
    }
    return {
        "ruleId": finding.kind,
        "ruleIndex": list(_RULES).index(finding.kind),
        "level": _RULES[finding.kind][0],
        "message": {"text": words},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {"identify/v1": f"{checked.name}:{finding.field}:{finding.kind}"},
    }


def _uri(path: str) -> str:
    """Relative where the path is, with forward slashes."""
    given = Path(path)
    return given.as_uri() if given.is_absolute() else quote(given.as_posix())
