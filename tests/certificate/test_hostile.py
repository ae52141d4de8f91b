"""Whatever the file holds, the checker answers; it never raises and never runs what it reads."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from identify.certificate import Verification, verify
from tests.certificate.test_maps import springs

SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20))
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
TEXTS = st.one_of(st.text(max_size=12), st.text(alphabet="dabgLtz0123456789+-*/()^.=<>!| ", max_size=16))


def _paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths to all parts of a document."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(found for key, part in items for found in _paths(part, (*path, key)))]


WHOLE = springs("a + b*t + g*t**2")
PATHS = [path for path in _paths(WHOLE) if path]


def _with(path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    changed = copy.deepcopy(WHOLE)
    holder: Any = changed
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    return changed


@given(JSON)
def test_random_json_never_raises(document: Any) -> None:
    result = verify(document)
    assert isinstance(result, Verification)
    assert not result.ok


@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(PATHS), st.one_of(JSON, TEXTS))
def test_a_true_document_with_one_part_replaced_never_raises(path: tuple[Any, ...], value: Any) -> None:
    assert isinstance(verify(_with(path, value), samples=1, digits=30), Verification)


@pytest.mark.parametrize(
    "text",
    [
        "9**9**9**9**9",
        "exp(exp(exp(exp(99))))",
        "sin(exp(exp(9*b)))",
        "b**(10**9)",
        "(" * 5000 + "b" + ")" * 5000,
        "1/0",
        "0**(-1)",
        "sqrt(-1)*b",
        "b" + "+b" * 5000,
        "().__class__",
        "b/(a-a)",
        "z''",
    ],
)
def test_dangerous_texts_are_refused_quickly(text: str) -> None:
    """Towers, deep nesting, attribute access and undefined values end in a check, not in a crash."""
    for path in (("gauge", "branches", 0, "parameters", "b"), ("invariants", 0), ("law", "acceleration")):
        assert not verify(_with(path, text), samples=1, digits=30).complete


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("invariants",), ["a"] * 100_000),
        (("gauge", "branches"), [WHOLE["gauge"]["branches"][0]] * 10_000),
        (("gauge", "dimension"), True),
        (("gauge", "dimension"), 10**400),
        (("gauge", "dimension"), "1"),
        (("certificate", "law_sha256"), "0" * 63),
        (("law", "parameters"), [f"p{k}" for k in range(1000)]),
        (("schema",), "identify/analysis/2"),
    ],
)
def test_wrong_sizes_and_types_are_refused(path: tuple[Any, ...], value: Any) -> None:
    result = verify(_with(path, value))
    assert not result.ok
    assert result.checks[0].name == "document"
    assert result.checks[0].passed is False
