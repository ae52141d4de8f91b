"""The velocity designs of the coverage experiment: motions through one place at prescribed velocities."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from identify.scene.camera import Look
from identify.scene.collection import Ask, Protocol, Start, render
from identify.scene.recording import Recording

DESIGNS = ("one-way-1", "one-way-3", "one-way-6", "two-way-1", "two-way-2", "two-way-3")

_CLIPS, _TESTS = 24, 8
_BASE, _TEST = (0.8, 1.35, 1.95), (1.1, 1.7)
_SHARED = 1000  # the noise of a test clip is the same in every design

_PROTOCOL = Protocol(
    name="coverage",
    law="z''=-k*z-d*z'-c*z'*abs(z')",
    truth={"k": 0.8, "d": 0.18, "c": 0.22},
    train=(),
    test=(),
    duration=1.0,
    reach=(-1.15, 1.15),
    size=(96, 96),
    centred=True,
    look=Look(brightness=0.05),  # repetitions of a motion differ in noise and gain
)


def crossing_velocities(design: str, seed: int) -> tuple[list[float], list[float]]:
    """The velocities at the origin of the training and the test clips, each motion once."""
    chance = np.random.default_rng(np.random.SeedSequence([seed, 0]))
    factors = chance.uniform(0.97, 1.03, 5)
    slow, middle, fast = (float(m * f) for m, f in zip(_BASE, factors[:3], strict=True))
    near, far = (float(m * f) for m, f in zip(_TEST, factors[3:], strict=True))
    speeds = {
        "one-way-1": [middle],
        "one-way-3": [slow, middle, fast],
        "one-way-6": [float(v) for v in np.linspace(slow, fast, 6)],
        "two-way-1": [middle],
        "two-way-2": [slow, fast],
        "two-way-3": [slow, middle, fast],
    }[design]
    if design.startswith("one-way"):
        return speeds, [near, far]
    return [sign * speed for speed in speeds for sign in (1, -1)], [near, -near]


def crossing(design: str, seed: int, ask: Ask) -> Recording:
    """The clips of one design; each motion is filmed as often as the others."""
    train, test = crossing_velocities(design, seed)
    count = _CLIPS if ask.clips is None else ask.clips
    starts: list[Start] = [((0.0, train[i % len(train)]), "train", i) for i in range(count)]
    starts += [((0.0, test[i % 2]), "test", _SHARED + i) for i in range(_TESTS)]
    return render(replace(_PROTOCOL.asked(ask), name=design), starts, seed)
