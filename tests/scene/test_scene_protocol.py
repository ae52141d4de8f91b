"""The paper's experiments: what is rendered is the law at the stated values, from the stated states."""

from __future__ import annotations

import numpy as np
import pytest

from identify.errors import InputError
from identify.law import read_law
from identify.motion.dynamics import Dynamics, simulate
from identify.motion.values import read_parameters
from identify.scene.collection import Ask, perturbed
from identify.scene.motion import dynamics_of, travel
from identify.scene.protocol import PROTOCOLS, paper_protocol
from identify.scene.six import SIX

# train, test, frames, size (tab:exp-synth-data, app:exp-synth-coverage-setup, app:exp-synth-canonical-setup)
TABLE = {
    "lti": (16, 8, 361, 64),
    "pendulum": (10, 4, 481, 64),
    "van-der-pol": (6, 4, 721, 64),
    "cubic": (10, 4, 481, 64),
    "quintic": (16, 8, 181, 64),
    "quadratic": (3, 4, 481, 64),
    "two-way-2": (24, 8, 61, 96),
    "one-way-6": (24, 8, 61, 96),
    "projected-pendulum": (3, 12, 145, 96),
}
SMALL = Ask(size=(16, 16))  # the states do not depend on the picture


def small(name, seed=0, **changes):
    return paper_protocol(name, seed, Ask(**{"size": (16, 16), **changes}))


@pytest.mark.parametrize("name", TABLE)
def test_the_table(name):
    """Clips, frames and sizes are the paper's."""
    recording = small(name, size=None, clips=1)
    train, test, frames, size = TABLE[name]
    assert all(shot.frames.shape == (frames, size, size) for shot in recording.shots)
    assert all(shot.frames.dtype == np.uint8 for shot in recording.shots)
    roles = [shot.role for shot in small(name, duration=0.1).shots]
    assert (roles.count("train"), roles.count("test")) == (train, test)


@pytest.mark.parametrize("name", PROTOCOLS)
def test_states_obey_the_law(name):
    """An independent integration of the declared law gives the same states and velocities."""
    recording = small(name, clips=1)
    law = read_law(recording.law, recording.assume, recording.domain)
    values = read_parameters(",".join(f"{k}={v!r}" for k, v in recording.truth.items()), law)
    for shot in (recording.shots[0], recording.shots[-1]):
        dynamics = Dynamics(law, values)
        rate = 20_000.0 if name.endswith("fall") else 1 / shot.time[1]
        clip = simulate(dynamics, (shot.state[0], shot.velocity[0]), shot.time[-1] + 1.5 / rate, rate)
        state = np.interp(shot.time, clip.time, clip.state)
        velocity = np.interp(shot.time, clip.time, clip.velocity)
        size = np.abs(shot.state).max()
        assert np.abs(state - shot.state).max() < 2e-6 * size
        assert np.abs(velocity - shot.velocity).max() < 2e-5 * np.abs(shot.velocity).max()


@pytest.mark.parametrize("name", ["cubic", "two-way-3", "side-fall"])
def test_seeds(name):
    """The seed decides states and noise: the same one gives the same bytes, another one others."""
    one, again, other = (small(name, seed, duration=None) for seed in (3, 3, 4))
    for a, b, c in zip(one.shots, again.shots, other.shots, strict=True):
        assert np.array_equal(a.frames, b.frames)
        assert np.array_equal(a.state, b.state)
        assert np.array_equal(a.time, b.time)
        assert not np.array_equal(a.state, c.state)


@pytest.mark.parametrize("protocol", SIX, ids=lambda p: p.name)
def test_perturbations(protocol):
    """Every number is within 5 % of its nominal value, angles are not changed, and states stay in view."""
    nominal = protocol.train + protocol.test
    dynamics = dynamics_of(read_law(protocol.law, protocol.assume), protocol.truth)
    for seed in range(5):
        for (u, v), ((state, speed), _, _) in zip(nominal, perturbed(protocol, seed), strict=True):
            assert abs(state - u) <= (0 if protocol.angles else 0.05 * abs(u)) + 1e-12
            assert abs(speed - v) <= 0.05 * abs(v) + 1e-12
    worst = max(nominal, key=lambda pair: abs(pair[1]))
    states, _ = travel(dynamics, (worst[0], 1.05 * worst[1]), np.arange(121) / 60)
    assert protocol.reach[0] < states.min()
    assert states.max() < protocol.reach[1]


def test_a_part_is_a_part():
    """Fewer training clips are the first ones, with the same test clips."""
    whole, part = small("lti", duration=0.2), small("lti", duration=0.2, clips=3)
    assert [s.role for s in part.shots] == ["train"] * 3 + ["test"] * 8
    kept = whole.shots[:3] + whole.shots[16:]
    assert all(np.array_equal(a.frames, b.frames) for a, b in zip(kept, part.shots, strict=True))


def test_coverage_designs():
    """Designs differ in their training velocities at the origin and share the test clips near 1.1."""
    found = {name: small(name) for name in ("one-way-1", "one-way-3", "one-way-6", "two-way-2")}
    for name, recording in found.items():
        train = [shot for shot in recording.shots if shot.role == "train"]
        assert all(shot.state[30] == 0 for shot in train)
        speeds = {round(shot.velocity[30], 9) for shot in train}
        assert len(speeds) == {"one-way-1": 1, "one-way-3": 3, "one-way-6": 6, "two-way-2": 4}[name]
        assert (min(speeds) < 0) == name.startswith("two")
    shared = [
        [s.frames for s in r.shots if s.role == "test" and 1.0 < s.velocity[30] < 1.2] for r in found.values()
    ]
    assert all(len(clips) == 4 and np.array_equal(clips, shared[0]) for clips in shared)


def test_falls():
    """Falls have uneven times, the paper's number of frames, and a ball that is wholly in view."""
    side, overhead = small("side-fall", size=None), small("overhead-fall", size=None)
    assert all(5 <= len(s.time) <= 12 for s in side.shots)
    assert all(s.frames.shape[1:] == (192, 72) for s in side.shots)
    assert all(s.state.min() >= 0.0335 and s.state.max() <= 0.61 - 0.0335 for s in side.shots)
    steps = np.concatenate([np.diff(s.time) for s in side.shots])
    assert 0.005 < steps.std() * 60 < 0.1
    assert steps.mean() == pytest.approx(1 / 60, rel=0.02)
    for shot in overhead.shots:
        fewest, most = (12, 23) if shot.role == "train" else (6, 18)
        assert fewest <= len(shot.time) <= most
        assert np.allclose(shot.state * (2.0 - shot.physical), 130 * 0.0335)
    assert any("px" in anchor for anchor in side.anchors)


def test_projected_states_are_sines():
    """The state of the projected law is the sine of the angle, which is kept beside it."""
    for shot in small("projected-pendulum").shots:
        assert np.allclose(shot.state, np.sin(shot.physical), atol=1e-12)


def test_early_end():
    """A motion that leaves the domain or sticks is shorter, never wrong."""
    fall = dynamics_of(read_law("z''=-g", (), ("z > 0",)), {"g": 10.0})
    state, _ = travel(fall, (1.0, 0.0), np.arange(200) / 100)
    assert len(state) == 45
    assert state[-1] > 0
    friction = dynamics_of(read_law("z''=-k*z-c*z'/abs(z')"), {"k": 1.0, "c": 0.3})
    state, _ = travel(friction, (1.0, 0.1), np.arange(2000) / 100)
    assert 200 < len(state) < 2000


@pytest.mark.parametrize(("name", "seed"), [("nothing", 0), ("", 0), ("cubic", -1), ("x" * 10_000, 0)])
def test_refusals(name, seed):
    """Unknown names and negative seeds are refused in a few words."""
    with pytest.raises(InputError) as refused:
        paper_protocol(name, seed)
    assert len(str(refused.value)) < 500
    with pytest.raises(InputError, match="duration"):
        paper_protocol("side-fall", 0, Ask(duration=3.0))
