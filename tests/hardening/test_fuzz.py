"""Every way in takes damaged input without a traceback: some of it here, as much as wanted with fuzz.py."""

from __future__ import annotations

import time
from random import Random

import pytest

for _library in ("numpy", "scipy", "av", "pyarrow", "safetensors"):
    pytest.importorskip(_library)

from tests.hardening.mutation import mutated  # noqa: E402
from tests.hardening.targets import TARGETS, Target  # noqa: E402

INPUTS = {"analysis": 2, "values": 6, "certificate": 10, "run": 40}


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS.keys())
def test_damaged_inputs_are_answered_or_refused(target: Target) -> None:
    seeds = [seed[: target.most] for seed in target.seeds()]
    random = Random(7)
    for _ in range(INPUTS.get(target.name, 60)):
        data = mutated(random, seeds, target.words)
        start = time.monotonic()
        target.run(data)
        assert time.monotonic() - start < target.seconds * 4  # a busy machine


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS.keys())
def test_empty_and_binary_inputs(target: Target) -> None:
    for data in (b"", b"\x00", b"\xff" * 40, bytes(range(256)))[: 1 if target.name == "analysis" else 4]:
        target.run(data)


def test_good_inputs_are_answered() -> None:
    """The seeds are worth damaging: they are accepted as they are."""
    for name, target in TARGETS.items():
        if name not in ("values", "law", "analysis", "sweep"):
            assert target.run(target.seeds()[0]) == "answered", name


def test_a_configuration_that_would_grow_without_end_is_refused() -> None:
    """Each line holds the one before it ten times; written out it has 10**9 words."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    bomb = "\n".join([*lines, "units: {z: *a8}"]).encode()
    assert TARGETS["run"].run(b"\x00" + bomb) == "refused"
