"""Small and clean clips are filmed whole, whatever moves in them, and never refused on thin evidence."""

from __future__ import annotations

import numpy as np
import pytest

from identify.fit.prepare import Options, Prepared, Refused, prepare
from identify.scene.collection import Ask
from identify.scene.lawbook import from_catalogue
from identify.scene.protocol import paper_protocol
from identify.scene.trial import film
from tests.fit.prepare_recordings import Held, all_of_it, prepared


@pytest.mark.parametrize(
    ("name", "seconds"),
    [
        ("lti", 1.0),
        ("pendulum", 2.0),
        ("van-der-pol", 2.0),
        ("quadratic", 3.0),
        ("one-way-1", None),
        ("two-way-2", None),
        ("projected-pendulum", 1.5),
        ("side-fall", None),
        ("overhead-fall", None),
    ],
)
def test_experiments_of_the_paper_are_used_whole(name: str, seconds: float | None) -> None:
    recording = paper_protocol(name, 3, Ask(duration=seconds))
    found = all_of_it(prepared(recording), recording)
    assert not any("hand" in text or "camera" in text for text in found.warnings)


@pytest.mark.parametrize(
    ("family", "size", "look"),
    [
        ("cart-spring-drag", (24, 24), {"blur": 1.0}),
        ("helmholtz", (48, 96), {"texture": 0.08}),
        ("double-well", (120, 160), {"texture": 0.1, "shade": 0.3}),
        ("ball-in-bowl", (96, 48), {"noise": 0.0}),
        ("brusselator", (32, 32), {"flicker": 0.03, "brightness": 0.2}),
        ("bead-on-parabola", (200, 200), {"brightness": 0.2}),
    ],
)
def test_families_of_any_small_size_and_look(family: str, size: tuple[int, int], look: dict) -> None:
    recording = film(from_catalogue(family, None, None), [], 1, Ask(size=size, clips=3, look=look))
    all_of_it(prepared(recording), recording)


def test_short_clips_count_together() -> None:
    recording = paper_protocol("side-fall", 0, Ask())
    assert min(len(shot.time) for shot in recording.shots) < 8
    few = [Held(s.name, s.frames[:6], s.time[:6]) for s in recording.shots]
    assert isinstance(prepare(few[:5]), Prepared)
    refused = prepare(few[:4])
    assert isinstance(refused, Refused)
    assert refused.cause == "too few frames"


def test_a_clip_to_test_on_may_have_two_frames() -> None:
    recording = paper_protocol("side-fall", 0, Ask())
    clips = [Held(s.name, s.frames, s.time) for s in recording.shots[:6]]
    last = recording.shots[-1]
    pair = Held("pair", last.frames[2:4], last.time[2:4])
    found = prepare([*clips, pair], Options(roles={"pair": "test"}))
    assert isinstance(found, Prepared)
    assert found.trims[-1].clip == "pair"
    assert found.views[0].films[-1].count == 2


def test_a_thing_held_at_first_is_cut_off_and_a_slow_start_is_not() -> None:
    shot = paper_protocol("lti", 0, Ask(duration=2.0, clips=1)).shots[0]
    random = np.random.default_rng(0)
    rest = np.repeat(shot.frames[:1].astype(float), 30, axis=0) + random.normal(
        0, 2.5, (30, *shot.frames.shape[1:])
    )
    frames = np.concatenate([np.clip(np.rint(rest), 0, 255).astype(np.uint8), shot.frames])
    found = prepare([Held("held", frames, np.arange(len(frames)) / 60)])
    assert isinstance(found, Prepared)
    assert 28 <= found.trims[0].first <= 36
    assert found.trims[0].begins == "nothing moves"
