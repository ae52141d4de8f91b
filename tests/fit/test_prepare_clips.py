"""Synthetic clips of a fixed camera, with one nuisance each: trimmed and framed right, or refused for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from scipy import ndimage

from identify.fit.prepare import Options, Prepared, Refused, draw_prepared, prepare

RATE = 30.0
WIDTH, HEIGHT = 320, 240


@dataclass(frozen=True)
class Info:
    width: int
    height: int
    frames: int


@dataclass(frozen=True)
class Clip:
    """Frames in memory that read like a clip: areas are averaged when the size is a whole fraction."""

    name: str
    frames: np.ndarray
    rate: float = RATE

    @property
    def info(self) -> Info:
        return Info(self.frames.shape[2], self.frames.shape[1], len(self.frames))

    def read(
        self, *, crop=None, size=None, start=None, stop=None, every=1, colour=True
    ) -> Iterator[tuple[float, np.ndarray]]:
        inside = 0
        for number, frame in enumerate(self.frames):
            time = number / self.rate
            if (start is not None and time < start) or (stop is not None and time >= stop):
                continue
            inside += 1
            if (inside - 1) % every:
                continue
            if crop:
                x, y, width, height = crop
                frame = frame[y : y + height, x : x + width]
            yield time, _shaped(frame, size, colour)


def _shaped(frame: np.ndarray, size, colour: bool) -> np.ndarray:
    if size and size != frame.shape[1::-1]:
        zoom = (size[1] / frame.shape[0], size[0] / frame.shape[1], 1)[: frame.ndim]
        soft = ndimage.uniform_filter(frame.astype(np.float32), [1 / z if z < 1 else 1 for z in zoom])
        frame = np.clip(np.rint(ndimage.zoom(soft, zoom, order=1)), 0, 255).astype(np.uint8)
    if colour and frame.ndim == 2:
        return np.repeat(frame[..., None], 3, axis=2)
    if not colour and frame.ndim == 3:
        return frame.mean(2).astype(np.uint8)
    return frame


def wall(seed: int = 0, width: int = WIDTH, height: int = HEIGHT) -> np.ndarray:
    random = np.random.default_rng(seed)
    fine = ndimage.gaussian_filter(random.standard_normal((height, width)), 2) * 40
    return 170 + fine + ndimage.gaussian_filter(random.standard_normal((height, width)), 25) * 300


def disc(x: float, y: float, radius: float, width: int = WIDTH, height: int = HEIGHT) -> np.ndarray:
    away = np.hypot(np.arange(width) - x, (np.arange(height) - y)[:, None]) - radius
    return (0.5 - 0.5 * np.clip(away, -1, 1)).astype(np.float32)


def swing(
    seconds: float = 7.0, reach: float = 70.0, damping: float = 0.08, centre: float = 120.0
) -> np.ndarray:
    time = np.arange(round(seconds * RATE)) / RATE
    return centre + reach * np.exp(-damping * time) * np.cos(2 * np.pi * 0.7 * time)


def film(
    x: np.ndarray, y: float = 85.0, radius: float = 9.0, background: np.ndarray | None = None
) -> np.ndarray:
    """A dark disc that follows ``x`` before a wall, in floating point and without noise."""
    scene = wall() if background is None else background
    height, width = scene.shape
    frames = np.empty((len(x), height, width), np.float32)
    for number, place in enumerate(x):
        shape = disc(place, y, radius, width, height)
        frames[number] = scene + (45 - scene) * shape
    return frames


def with_hand(frames: np.ndarray, first: int, last: int, x: float = 160.0) -> np.ndarray:
    """An arm from the lower border to the row of the disc, drawn back over the last ten frames."""
    frames = frames.copy()
    for number in range(first, last):
        back = max(0, number - (last - 10)) * 12
        top = 90 + back
        if top < frames.shape[1]:
            frames[number, top:, round(x) - 22 : round(x) + 22] = 95
    return frames


def recorded(frames: np.ndarray, name: str = "swing", noise: float = 1.5, seed: int = 1) -> Clip:
    random = np.random.default_rng(seed)
    noisy = frames + np.float32(noise) * random.standard_normal(frames.shape, dtype=np.float32)
    return Clip(name, np.clip(np.rint(noisy), 0, 255).astype(np.uint8))


@pytest.fixture(scope="module")
def plain() -> np.ndarray:
    return film(swing())


def check_films(found: Prepared | Refused) -> Prepared:
    """Films, marks, trims and positions belong together, in every view."""
    assert isinstance(found, Prepared), found
    for view in found.views:
        assert [film.name for film in view.films] == [trim.film for trim in found.trims]
        for film_, trim, bad, place, point in zip(
            view.films, found.trims, found.bad, found.position, found.points, strict=True
        ):
            assert film_.frames.dtype == np.uint8
            assert film_.count == trim.last - trim.first == len(film_.frames) == len(bad) == len(place)
            assert point.shape == (film_.count, 2)
            assert (np.diff(film_.time) > 0).all()
    assert all(np.isfinite(value) for value in found.evidence.values())
    return found


def check_track(found: Prepared, truth: np.ndarray, within: float = 0.5) -> None:
    """Positions are the true ones up to an offset, in full-frame pixels."""
    true = np.concatenate([truth[trim.first : trim.last] for trim in found.trims])
    good = ~np.concatenate(found.bad)
    error = (np.concatenate(found.position) - true)[good]
    assert np.std(error) < within


def covers(region, left: float, right: float, slack: float = 30) -> bool:
    return left - slack <= region[0] <= left and right <= region[0] + region[2] <= right + slack


def test_a_plain_swing_is_used_whole(plain: np.ndarray) -> None:
    found = check_films(prepare([recorded(plain)], Options(roles={"swing": "test"})))
    assert [(t.first, t.last) for t in found.trims] == [(0, len(plain))]
    assert not any(bad.any() for bad in found.bad)
    assert covers(found.region, swing().min() - 9, swing().max() + 9)
    assert abs(found.axis[0]) > 0.99
    assert {view.name for view in found.views} >= {"grey", "foreground", "profile", "high-pass"}
    assert all(film_.role == "test" for view in found.views for film_ in view.films)
    assert found.warnings == ()
    check_track(found, swing())


def test_a_hand_at_the_start_is_cut_off() -> None:
    x = np.concatenate([np.full(40, swing()[0]), swing()[:-40]])
    found = check_films(prepare([recorded(with_hand(film(x), 0, 48, x[0]))]))
    (trim,) = found.trims
    assert 46 <= trim.first <= 56
    assert "hand" in trim.begins
    assert trim.ends == "the clip's end"
    check_track(found, x)


def test_a_hand_midway_splits_the_clip(plain: np.ndarray) -> None:
    found = check_films(prepare([recorded(with_hand(plain, 80, 110))]))
    first, second = found.trims
    assert 70 <= first.last <= 80
    assert 108 <= second.first <= 118
    assert "hand" in first.ends
    assert "hand" in second.begins
    assert first.clip == second.clip == "swing"
    assert first.film != second.film


@pytest.mark.parametrize("nuisance", ["drift", "flicker"])
def test_brightness_is_evened_out(plain: np.ndarray, nuisance: str) -> None:
    steps = np.arange(len(plain))
    gain = np.linspace(1, 0.75, len(plain)) if nuisance == "drift" else 1 + 0.06 * np.sin(2.1 * steps)
    found = check_films(prepare([recorded(plain * gain[:, None, None].astype(np.float32))]))
    assert len(found.trims) == 1
    assert any("brightness" in text for text in found.warnings)
    grey = next(view for view in found.views if view.name == "grey")
    corner = grey.films[0].frames[:, :4, :4].mean((1, 2))
    assert np.std(corner) < 1.5
    check_track(found, swing())


def test_a_soft_shadow_is_no_mover(plain: np.ndarray) -> None:
    dark = [
        ndimage.gaussian_filter(disc(120 + 80 * np.sin(0.05 * k), 110, 30), 12) for k in range(len(plain))
    ]
    found = check_films(prepare([recorded(plain * (1 - 0.2 * np.array(dark, dtype=np.float32)))]))
    assert covers(found.region, swing().min() - 9, swing().max() + 9)
    check_track(found, swing())


def test_a_slowly_shifting_camera_is_stabilised(plain: np.ndarray) -> None:
    moved = np.array(
        [
            ndimage.shift(frame, (3 * np.sin(0.02 * k), 4 * np.sin(0.013 * k)), order=1, mode="nearest")
            for k, frame in enumerate(plain)
        ]
    )
    found = check_films(prepare([recorded(moved)]))
    assert any("stabilised" in text for text in found.warnings)
    assert found.evidence["camera_shift"] > 1
    check_track(found, swing())


def test_a_camera_that_swings_about_is_refused(plain: np.ndarray) -> None:
    moved = np.array(
        [
            ndimage.shift(frame, (20 * np.sin(0.05 * k), 25 * np.sin(0.083 * k)), order=1, mode="nearest")
            for k, frame in enumerate(plain)
        ]
    )
    found = prepare([recorded(moved)])
    assert isinstance(found, Refused)
    assert found.cause == "camera moves"


def test_a_second_mover_is_told_and_has_no_view(plain: np.ndarray) -> None:
    frames = plain.copy()
    for number in range(len(frames)):
        shape = disc(120 + 45 * np.cos(2 * np.pi * 1.13 * number / RATE + 1), 150, 7)
        frames[number] = frames[number] * (1 - shape) + 40 * shape
    found = check_films(prepare([recorded(frames)]))
    assert any("2 things move" in text for text in found.warnings)
    assert not any("mover" in view.name for view in found.views)
    check_track(found, swing())


def test_a_motion_that_leaves_the_frame_again_and_again_is_refused() -> None:
    found = prepare([recorded(film(swing(reach=190, damping=0.01, centre=160)))])
    assert isinstance(found, Refused)
    assert found.cause == "leaves the frame"
    assert found.advice


def test_a_thing_that_goes_out_is_used_until_it_does() -> None:
    x = np.linspace(50, 400, 180)
    found = check_films(prepare([recorded(film(x))]))
    (trim,) = found.trims
    assert trim.first == 0
    assert 295 <= x[trim.last - 1] <= 320
    assert "border" in trim.ends


def test_repeated_frames_are_marked(plain: np.ndarray) -> None:
    clip = recorded(plain)
    clip.frames[3::7] = clip.frames[2:-1:7][: len(clip.frames[3::7])]
    found = check_films(prepare([clip]))
    marked = np.flatnonzero(found.bad[0])
    assert set(marked) <= set(range(3, len(plain), 7))
    assert len(marked) > 0.85 * len(range(3, len(plain), 7))
    check_track(found, swing(), 1.0)


def test_a_long_exposure_still_gives_films(plain: np.ndarray) -> None:
    frames = np.array([plain[max(0, k - 2) : k + 3].mean(0) for k in range(len(plain))])
    check_track(check_films(prepare([recorded(frames)])), swing(), 1.5)


def test_rest_before_and_after_is_cut_off() -> None:
    x = np.concatenate([np.full(40, 190.0), swing(4, 70, 1.5, 120), np.full(90, 120.0)])
    (trim,) = check_films(prepare([recorded(film(x))])).trims
    assert 36 <= trim.first <= 46
    assert 80 <= trim.last < 170
    assert trim.begins == trim.ends == "nothing moves"


def test_a_cut_keeps_the_longer_scene(plain: np.ndarray) -> None:
    frames = plain.copy()
    frames[130:] = film(swing()[130:], background=wall(7) + 20)
    (trim,) = check_films(prepare([recorded(frames)])).trims
    assert trim.first == 0
    assert 125 <= trim.last <= 130


@pytest.mark.parametrize(
    ("x", "cause"),
    [(np.full(90, 120.0), "no motion"), (120 + 0.25 * np.cos(0.15 * np.arange(150)), "too little motion")],
)
def test_too_little_motion_is_refused(x: np.ndarray, cause: str) -> None:
    found = prepare([recorded(film(x))])
    assert isinstance(found, Refused)
    assert found.cause == cause


def test_an_object_that_hides_its_background_is_registered() -> None:
    x = 120 + 6 * np.cos(0.15 * np.arange(150))
    check_track(check_films(prepare([recorded(film(x, radius=22))])), x, 0.2)


def test_the_users_crop_trim_and_channel_go_first(plain: np.ndarray) -> None:
    options = Options(crop=(20, 60, 200, 60), trims={"swing": (1.0, 4.0)}, channel="grey", size=100)
    found = check_films(prepare([recorded(plain)], options))
    assert [view.name for view in found.views] == ["grey"]
    assert found.views[0].crop == (20, 60, 200, 60)
    assert found.views[0].films[0].frames.shape[1:] == (30, 100)
    assert (found.trims[0].start, found.trims[0].stop) == (1.0, 4.0)
    assert found.trims[0].begins == "as given"


def test_clips_of_another_size_and_too_short_ones_are_left_out(plain: np.ndarray) -> None:
    odd = Clip("odd", np.zeros((40, 50, 60), np.uint8))
    short = recorded(plain[:8], "short")
    found = check_films(prepare([recorded(plain), odd, short]))
    assert {trim.clip for trim in found.trims} == {"swing"}
    assert sum("left out" in text for text in found.warnings) == 2


def test_nothing_to_prepare_is_a_refusal(plain: np.ndarray) -> None:
    assert isinstance(prepare([]), Refused)
    found = prepare([recorded(plain[:6])])
    assert isinstance(found, Refused)
    assert found.cause == "too few frames"


def test_small_clean_clips_come_first_as_they_are_and_fast() -> None:
    import time as clock

    random = np.random.default_rng(3)
    clips = []
    for number in range(10):
        phase = 0.06 * np.arange(500) + number
        frames = film(32 + 18 * np.cos(phase), 30, 5, np.full((64, 64), 200.0))
        noisy = np.clip(np.rint(frames + random.normal(0, 2.5, frames.shape)), 0, 255).astype(np.uint8)
        clips.append(Clip(f"clip {number}", noisy, 60.0))
    begun = clock.process_time()
    found = check_films(prepare(clips))
    spent = clock.process_time() - begun
    whole = found.views[0]
    assert whole.name == "whole"
    assert all(np.array_equal(one.frames, clip.frames) for one, clip in zip(whole.films, clips, strict=True))
    assert spent < 5.0  # some 0.7 s on a quiet machine: a guard against work that grows with the clip


def test_pictures_are_drawn_for_films_and_refusals(plain: np.ndarray, tmp_path: Path) -> None:
    files = draw_prepared(prepare([recorded(plain)]), tmp_path / "films")
    assert [file.name for file in files] == ["scene.png", "trims.png", "views.png"]
    assert all(file.read_bytes().startswith(b"\x89PNG") for file in files)
    refused = draw_prepared(prepare([recorded(film(np.full(40, 120.0)))]), tmp_path / "refused")
    assert [file.name for file in refused] == ["scene.png", "trims.png"]
    assert sorted(p.name for p in (tmp_path / "refused").iterdir()) == ["scene.png", "trims.png"]
