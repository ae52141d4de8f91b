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


def ball(x: np.ndarray, radius: float = 5.0, seed: int = 0) -> np.ndarray:
    """A dark ball at ``x`` pixels from the middle of an empty picture."""
    side = np.arange(64) - 31.5
    away = np.hypot(side[None, None, :] - x[:, None, None], side[None, :, None])
    frames = 200 - 150 * (0.5 - 0.5 * np.tanh(away - radius))
    return noisy(frames, seed)


def noisy(frames: np.ndarray, seed: int) -> np.ndarray:
    rough = frames + 2.5 * np.random.default_rng(seed).standard_normal(frames.shape)
    return np.clip(np.rint(rough), 0, 255).astype(np.uint8)


def test_a_small_motion_in_an_empty_picture_is_no_shake_of_the_camera() -> None:
    time = np.arange(240) / 60
    found = prepare([Held("ball", ball(np.cos(3 * time)), time)])
    assert isinstance(found, Prepared)
    assert not any("camera" in text for text in found.warnings)


def test_film_of_24_frames_shown_at_60_is_refused_for_its_repeats() -> None:
    shown = np.floor(np.arange(180) * 24 / 60).astype(int)
    found = prepare([Held("film", ball(15 * np.cos(3 * np.arange(100) / 24))[shown], np.arange(180) / 60)])
    assert isinstance(found, Refused)
    assert found.cause == "repeated frames"


def test_a_clip_from_another_place_is_named() -> None:
    shots = paper_protocol("pendulum", 0, Ask(duration=2.0, clips=4)).shots[:4]
    clips = [Held(s.name, s.frames, s.time) for s in shots]
    aside = np.pad(clips[3].frames, ((0, 0), (0, 0), (8, 0)), mode="edge")[:, :, :64]
    found = prepare([*clips[:3], Held("elsewhere", aside, clips[3].time)])
    assert isinstance(found, Refused)
    assert found.cause == "another place"
    assert "elsewhere" in found.reason


def test_a_clip_from_a_few_pixels_aside_is_moved_back() -> None:
    shots = paper_protocol("pendulum", 0, Ask(duration=2.0, clips=4)).shots[:4]
    clips = [Held(s.name, s.frames, s.time) for s in shots]
    aside = np.pad(clips[3].frames, ((0, 0), (0, 0), (2, 0)), mode="edge")[:, :, :64]
    found = prepare([*clips[:3], Held("aside", aside, clips[3].time)])
    assert isinstance(found, Prepared)
    assert any("stabilised" in text for text in found.warnings)
    assert np.median(found.signals[3].shift, axis=0) == pytest.approx([2, 0], abs=0.2)


def test_beside_a_strong_second_mover_the_main_one_has_a_view_alone() -> None:
    time = np.arange(240) / 60
    main, other = ball(18 * np.cos(3 * time)), ball(12 * np.cos(4.1 * time + 1), 4.0, 1)
    both = np.minimum(main, np.roll(other, -22, axis=1))
    found = prepare([Held("two", both, time)])
    assert isinstance(found, Prepared)
    assert any("2 things move" in text for text in found.warnings)
    alone = next(view for view in found.views if view.name == "alone")
    assert alone.crop[1] > 16  # below the other one
    one = prepare([Held("one", main, time)])
    assert isinstance(one, Prepared)
    assert "alone" not in [view.name for view in one.views]


def test_frames_in_which_a_small_clip_loses_its_object_are_doubted() -> None:
    time = np.arange(240) / 60
    frames = ball(24 * np.cos(3 * time))[:, :, :48]  # it goes out on the right
    found = prepare([Held("leaves", frames, time)])
    assert isinstance(found, Prepared)
    out = 24 * np.cos(3 * time) + 31.5 > 50
    assert found.doubted[0][out].mean() > 0.8
    assert found.doubted[0][24 * np.cos(3 * time) < 0].mean() < 0.1
