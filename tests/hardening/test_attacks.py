"""Some of the attacks by hand, those that once succeeded among them; ``attacks.py`` has all."""

from __future__ import annotations

import pytest

for _library in ("numpy", "scipy", "torch", "av", "matplotlib"):
    pytest.importorskip(_library)

from tests.hardening.attacks import Attack, attacks, attempt  # noqa: E402

ALL = {attack.name: attack for attack in attacks()}
CHOSEN = (
    "option: timeout large",
    "option: assume many",
    "option: unit nested",
    "option: unit powers",
    "option: plan number",
    "clips: nasty names",
    "clips: names that look like formulas",
    "clips: undecodable names",
    "clips: NPZ bomb",
    "sweep: stars",
    "run: fifo",
)


@pytest.mark.parametrize("name", CHOSEN)
def test_an_attack_is_answered_or_refused(name: str) -> None:
    told = attempt(ALL[name])
    assert not told.failures, told


def test_a_success_would_be_noticed() -> None:
    """What an attack must not do is told where it happens."""
    assert "exit code 2" in attempt(Attack("x", ("analyze",), codes=(0,))).failures
    assert attempt(Attack("x", ("explain", "anchor"))).failures == ()
