"""The check itself: what it passes, and every planted mutation with its outcome, its words and its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.families.samples import DUFFING, at, checked, place_of, told


def test_the_sample_passes(tmp_path: Path) -> None:
    result = checked(DUFFING, tmp_path)
    assert (result.outcome, told(result)) == ("passed", [])
    assert result.expect["parameters"] == {"d": "identified", "a": "identified", "b": "sign"}
    assert result.rewrite == ()


MUTATIONS = {
    "a term removed": (
        "+ d*z' ",
        "",
        "failed",
        "`d` was claimed identified; the law does not contain it",
        "identified, a",
    ),
    "another term removed": ("+ a*z ", "", "failed", "'a' is described, but does not occur", "a: {meaning"),
    "a term added": ("= 0", "+ e*z**2 = 0", "failed", "nothing was claimed about `e`", "parameters: {d"),
    "a term bent": ("a*z ", "a*z**2 ", "failed", "`a` was claimed identified; it scales as", "identified, b"),
    "a claim too strong": (
        "b: sign}",
        "b: identified}",
        "failed",
        "`b` was claimed identified; it scales as 1/lambda**2",
        "identified} #",
    ),
    "a claim too weak": (
        "d: identified",
        "d: free",
        "failed",
        "`d` was claimed free; every fit returns the same value",
        "free",
    ),
    "the route": (
        "semilinear",
        "canonical",
        "failed",
        "the route was claimed canonical; it is semilinear",
        "canonical",
    ),
    "an invariant altered": (
        "a - d]",
        "a - b]",
        "failed",
        "`a - b` was claimed invariant; another fit reports it as",
        "a - b]",
    ),
    "an invariant removed": (", a - d]", "]", "failed", "all fits agree on", "invariants:"),
    "an invariant misspelt": ("a - d]", "a - dd]", "invalid", "unknown name 'dd'", "dd]"),
    "the orbit dimension": (
        "orbit_dimension: 1",
        "orbit_dimension: 2",
        "failed",
        "the orbit dimension was claimed 2; it is 1",
        "2}",
    ),
    "the coverage rank": ("rank: 3", "rank: 5", "failed", "the coverage rank was claimed 5; it is 3", "5, v"),
    "a direction": (
        "both_directions: false",
        "both_directions: true",
        "failed",
        "one direction is enough",
        "true",
    ),
    "an anchor": ("[displacement]", "[state]", "failed", "[state] is not among", "[state]]"),
    "an anchor misspelt": (
        "[displacement]",
        "[displacment]",
        "invalid",
        "is no anchor of this law",
        "[displacment]",
    ),
    "an anchor that does not suffice": (
        "after: [amplitude]",
        "after: [origin]",
        "failed",
        "`b` is required to be identified after origin",
        "b]\n  after",
    ),
    "a requirement without its anchor": (
        "  after: [amplitude]\n",
        "",
        "failed",
        "`b` is required to be identified; it scales as 1/lambda**2",
        "b]\n",
    ),
    "a law that cannot be read": ("b*z**3", "b*z**3)", "invalid", "')'", ") = 0"),
    "a sign condition misspelt": ("b > 0", "bb > 0", "invalid", "unknown name 'bb'", "bb > 0"),
    "conditions that contradict": (
        "reference:",
        "assume: [b < 0]\nreference:",
        "invalid",
        "contradict",
        "b < 0",
    ),
    "an example outside": ("example: 0.5", "example: -0.5", "failed", "do not meet 'b > 0'", "b > 0"),
    "an undescribed parameter": (
        "  a: {meaning: linear stiffness, unit: 1/s^2, example: 1}\n",
        "",
        "failed",
        "'a' occurs in the law, but is not described",
        "a*z",
    ),
    "two states": ("z' ", "y' ", "invalid", "the state is z, not y", "y'"),
}


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_a_planted_mutation_is_found_at_its_place(mutation: str, tmp_path: Path) -> None:
    old, new, outcome, words, mark = MUTATIONS[mutation]
    assert old in DUFFING
    text = DUFFING.replace(old, new, 1)
    result = checked(text, tmp_path)
    assert result.outcome == outcome, told(result)
    found = at(result, words)
    assert (found.line, found.column) == place_of(text, mark), found


def test_a_dropped_sign_restriction_is_found(tmp_path: Path) -> None:
    """Without w > 0 only the square of w is known."""
    text = """\
name: sample
title: Pendulum
law: "z'' + w**2*sin(z) = 0"
parameters:
  w: {restrict: w > 0}
expect:
  parameters: {w: identified}
  invariants: [w]
"""
    assert checked(text, tmp_path).outcome == "passed"
    changed = checked(text.replace("{restrict: w > 0}", "{meaning: frequency}"), tmp_path)
    assert changed.outcome == "failed"
    assert at(changed, "`w` was claimed identified; another fit may report").line == 7
    assert at(changed, "`w` was claimed invariant; another fit reports it as -w").line == 8


def test_signs_are_compared_as_functions(tmp_path: Path) -> None:
    base = "name: sample\ntitle: x\nlaw: \"z'' + a*z + b*z**3 = 0\"\nassume: [b != 0]\nexpect:\n"
    assert checked(base + "  sign_invariants: [sign(b)]\n", tmp_path).outcome == "passed"
    assert checked(base + "  sign_invariants: [sign(-b**3)]\n", tmp_path).outcome == "passed"
    assert at(checked(base + "  sign_invariants: []\n", tmp_path), "all fits agree on `sign(b)`").line == 6
    assert at(checked(base + "  sign_invariants: [b]\n", tmp_path), "not the sign").hint == "write sign(b)"


def test_a_claim_about_a_law_that_no_theorem_covers(tmp_path: Path) -> None:
    text = "name: sample\ntitle: x\nlaw: \"z'' + c*tanh(z'/s) + a*z = 0\"\nexpect:\n  route: unsupported\n"
    assert checked(text, tmp_path).outcome == "passed"
    result = checked(text + "  parameters: {a: identified}\n", tmp_path)
    assert "nothing can be" in at(result, "'parameters' was claimed").message
    required = checked(text + "require: {identified: [a]}\n", tmp_path)
    assert required.outcome == "failed"


def test_a_law_that_takes_too_long_is_undecided(tmp_path: Path) -> None:
    result = checked(DUFFING, tmp_path, timeout=0.001)
    assert result.outcome == "undecided"
    assert any(finding.kind == "undecided" for finding in result.findings)


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('touch {mark}')",
        "z'' + (lambda: open('{mark}', 'w'))() = 0",
        "z'' + eval(open('{mark}','w')) = 0",
        "z'' + a.__class__.__mro__ = 0",
        "{{{{ ''.__class__ }}}} z'' = 0",
        "z'' + exec*a = 0; import os",
    ],
)
@pytest.mark.parametrize("key", ["law", "assume", "invariants", "sign", "anchor", "unit"])
def test_nothing_is_executed(text: str, key: str, tmp_path: Path) -> None:
    import json

    payload = json.dumps(text.format(mark=tmp_path / "ran"))
    places = {
        "law": ("\"z'' + d*z' + a*z + b*z**3 = 0\"", payload),
        "assume": ("restrict: b > 0", f"restrict: {payload}"),
        "invariants": ("[a + d, a - d]", f"[{payload}]"),
        "sign": ("  gauge:", f"  sign_invariants: [{payload}]\n  gauge:"),
        "anchor": ("[displacement]", f"[{payload}]"),
        "unit": ("unit: 1/s,", f"unit: {payload},"),
    }
    result = checked(DUFFING.replace(*places[key]), tmp_path)
    assert not (tmp_path / "ran").exists()
    assert result.outcome == ("passed" if key == "unit" else "invalid"), told(result)
