"""Documents ``identify/analysis/1`` written by hand from the worked answers of ``shared/cases.json``.

``document(case)`` is what the engine should say about a case; the checker must accept it.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from identify.certificate import fingerprint
from identify.certificate.features import THEOREMS

CASES = Path(__file__).parents[3] / "shared" / "cases.json"
RELATION = re.compile(r"!=|==|<|>")
COVERAGE = {
    "semilinear": (("1", "v"), ("-1", "0", "1")),
    "feature {1,v,v|v|}": (("1", "v", "v*abs(v)"), ("-2", "-1", "1", "2")),
    "feature {1,v,v^3}": (("1", "v", "v**3"), ("-1", "0", "1", "2")),
    "feature {1,v,|v|^(1/2)v}": (("1", "v", "v*sqrt(abs(v))"), ("-1", "0", "1", "2")),
    "canonical": (("1", "v", "v**2"), ("-1", "0", "1")),
}


def cases() -> list[dict[str, Any]]:
    """The cases to which the theorems apply; none where the shared folder is absent."""
    if not CASES.exists():
        return []
    data = json.loads(CASES.read_text())
    found: list[dict[str, Any]] = [case for case in data["raw"] if case["theory_scope"] == "in"]
    return found + list(data["canonical"])


def document(case: dict[str, Any]) -> dict[str, Any]:
    """The whole document for one case."""
    law, name = _law(case), _route_name(case)
    branches = _branches(case)
    names = case["invariants_global"]
    free = {symbol for branch in branches for symbol in branch["free"]}
    return {
        "schema": "identify/analysis/1",
        "law": law,
        "outcome": "done",
        "route": {"name": name, "features": list(_features(case)), "reason": None, "suggestion": None,
                  "theorem": THEOREMS[name]},
        "coverage": _coverage(case),
        "gauge": {"dimension": case.get("lifted_dim", len(free)), "branches": branches,
                  "translation_lock": None},
        "weights": None,
        "orbit_dimension": case["orbit_dim"],
        "invariants": [text for text in names if not text.startswith("sign(")],
        "sign_invariants": [text for text in names if text.startswith("sign(")],
        "parameters": {name: _verdict(case, branches, name) for name in law["parameters"]},
        "redundancy": [],
        "canonical": None,
        "strata": [],
        "guarantee": None,
        "certificate": certificate(law),
        "warnings": [],
        "undecided_because": None,
    }  # fmt: skip


def certificate(law: dict[str, Any]) -> dict[str, Any]:
    """A certificate for the law with one exact claim."""
    claim = {"claim": "completeness", "scope": "global", "field": "real",
             "stratum": "generic", "precision": "exact", "by": "substitution"}  # fmt: skip
    return {"law_sha256": fingerprint(law), "seed": 0, "claims": [claim]}


def _law(case: dict[str, Any]) -> dict[str, Any]:
    acceleration = (case.get("F") or case["law"].removeprefix("z''=")).replace("Abs(", "abs(")
    conditions = list(_conditions(case["restrictions"]))
    in_order = re.findall(r"[A-Za-z]\w*", acceleration)
    return {
        "text": "z'' = " + re.sub(r"\bv\b", "z'", acceleration),
        "state": "z",
        "velocity": "v",
        "acceleration": acceleration,
        "leading": "1",
        "parameters": sorted(case["params"], key=in_order.index),
        "assumptions": [text for text in conditions if not re.search(r"\bz\b", text)],
        "domain": [text for text in conditions if re.search(r"\bz\b", text)],
    }


def _conditions(restrictions: str) -> list[str]:
    """``a,b!=0, signs free`` as ``a!=0`` and ``b!=0``."""
    found, waiting = [], []
    for piece in re.sub(r"r not in \{1,2\}", "r!=1,r!=2", restrictions).split(","):
        text = piece.strip()
        if re.fullmatch(r"[A-Za-z]\w*", text):
            waiting.append(text)
        elif RELATION.search(text):
            tail = re.sub(r"^[A-Za-z]\w*", "", text)
            found += [f"{name}{tail}" for name in waiting] + [text]
            waiting = []
    return found


def _branches(case: dict[str, Any]) -> list[dict[str, Any]]:
    """The witnesses as branches, the one through the identity first."""
    found = [_branch(case, witness) for witness in case.get("witness_families") or case["witnesses"]]
    if not found[0]["free"] and found[0]["map"] != "(1)*z + (0)":
        found.insert(0, found[0] | {"map": "z"})
    found[0]["kind"] = "identity"
    return found


def _branch(case: dict[str, Any], witness: dict[str, Any]) -> dict[str, Any]:
    if "f" in witness:
        coordinate = re.sub(r"\bu\b", "z", witness["f"])
    else:
        coordinate = f"({witness['lam']})*z + ({witness['tau']})"
    texts = [coordinate, *witness["eta"].values()]
    free = [name for name in "LTS" if any(re.search(rf"\b{name}\b", text) for text in texts)]
    return {
        "map": coordinate.replace("Abs(", "abs("),
        "free": free,
        "conditions": ["L != 0"] if "L" in free else [],
        "parameters": {name: text.replace("Abs(", "abs(") for name, text in witness["eta"].items()},
        "kind": "discrete",
        "relation": None,
        "symbols": {},
    }


def _verdict(case: dict[str, Any], branches: list[dict[str, Any]], name: str) -> dict[str, Any]:
    values = list(dict.fromkeys(branch["parameters"][name] for branch in branches))
    known = case.get("globally_identified_over_R_under_restrictions", case.get("globally_identified", []))
    if name in known:
        status = "identified"
    elif name in case["locally_identifiable"]:
        status = "finite"
    else:
        status = "sign" if f"sign({name})" in case["invariants_global"] else "free"
    others = values[1:] if status == "finite" else []
    return {
        "status": status,
        "transform": values[0],
        "alternatives": others,
        "why": "",
        "redundant": case["id"] == "mck",
    }


def _route_name(case: dict[str, Any]) -> str:
    route = case["route"]
    return route if route in ("semilinear", "canonical") else "feature-separation"


def _features(case: dict[str, Any]) -> tuple[str, ...]:
    return COVERAGE[case["route"]][0]


def _coverage(case: dict[str, Any]) -> dict[str, Any]:
    features, example = COVERAGE[case["route"]]
    columns = [*features] if "v**2" in features else [*features, "v**2"]
    both = "v*abs(v)" in features
    return {
        "features": columns,
        "rank": len(columns),
        "velocities": len(columns),
        "both_directions": both,
        "example": list(example),
        "one_direction_rank": len(columns) - both,
    }
