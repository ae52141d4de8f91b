"""Real clips from the full frames, with no hand-made crop or trim; skipped where they are absent."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
import pytest

from identify.fit.prepare import Prepared, prepare
from identify.fit.prepare.trim import SERIES

VIDEOS = Path(os.environ.get("IDENTIFY_REAL_VIDEOS", Path(__file__).parents[3] / "shared" / "data"))
RELEASED = {"pull_03cm": 0.45, "pull_05cm": 1.2, "pull_08cm": 0.9, "pull_10cm": 0.5, "pull_15cm": 0.5}


def prepared(name: str) -> tuple[Prepared, float]:
    pytest.importorskip("av")
    from identify.fit.clips.source import open_video

    files = sorted((VIDEOS / name).glob("*.mp4"))
    if not files:
        pytest.skip(f"no {name} in {VIDEOS} (set IDENTIFY_REAL_VIDEOS)")
    begun = time.process_time()
    found = prepare([open_video(file) for file in files])
    assert isinstance(found, Prepared), found
    return found, time.process_time() - begun


def frequency(time: np.ndarray, place: np.ndarray) -> float:
    """The angular frequency of an exponentially damped swing, by a search of least squares."""
    since = time - time[0]

    def left(w: float) -> float:
        found = []
        for damping in (0.0, 0.01, 0.02, 0.03, 0.04, 0.06):
            fade = np.exp(-damping * since)
            design = np.stack(
                [fade * np.cos(w * since), fade * np.sin(w * since), np.ones_like(since)], axis=1
            )
            found.append(np.linalg.norm(place - design @ np.linalg.lstsq(design, place, rcond=None)[0]))
        return float(min(found))

    grid = np.linspace(2.5, 7.0, 226)
    best = grid[int(np.argmin([left(w) for w in grid]))]
    near = np.linspace(best - 0.03, best + 0.03, 61)
    return float(near[int(np.argmin([left(w) for w in near]))])


def test_the_spring_is_filmed_after_the_release() -> None:
    found, spent = prepared("spring_pull")
    whole = [trim for trim in found.trims if trim.film == trim.clip]
    assert len(whole) == 6
    for trim in whole:
        assert 0.7 <= trim.start <= 2.5
        assert trim.start > RELEASED.get(trim.clip, 1.1)
        assert "hand" in trim.begins
        assert max(other.stop for other in found.trims if other.clip == trim.clip) > 10
    fast = [
        trim for trim in whole if trim.ends == SERIES
    ]  # every third frame is repeated while things are fast
    assert [trim.clip for trim in fast] == ["pull_15cm", "pull_20cm"]
    x, y, width, height = found.region
    assert 480 <= x <= 640
    assert 790 <= x + width <= 970
    assert y <= 200
    assert 860 <= y + height <= 1080
    assert abs(found.axis[1]) > 0.99
    stiffness = [
        frequency(film.time[~bad], place[~bad]) ** 2
        for film, place, bad in zip(found.views[0].films, found.position, found.bad, strict=True)
        if np.isfinite(place).all()
    ]
    assert len(stiffness) >= 5
    assert np.median(stiffness) == pytest.approx(33.7, rel=0.01)
    assert spent < 25


def test_the_apple_is_filmed_whole_and_steadied() -> None:
    found, _ = prepared("apple_pendulum")
    (trim,) = found.trims
    assert trim.stop - trim.start > 20
    assert any(view.name == "saturation" for view in found.views)
    (points,) = found.points
    known = np.isfinite(points).all(1) & ~found.bad[0]
    x, y = points[known].T
    design = np.stack([2 * x, 2 * y, np.ones_like(x)], axis=1)
    centre_x, centre_y, rest = np.linalg.lstsq(design, x**2 + y**2, rcond=None)[0]
    radius = np.sqrt(rest + centre_x**2 + centre_y**2)
    assert np.std(np.hypot(x - centre_x, y - centre_y) - radius) < 2
    angle = np.arctan2(x - centre_x, y - centre_y)
    swing = frequency(found.views[0].films[0].time[known], angle)
    widest = np.percentile(np.abs(angle - angle.mean()), 99) * 0.93  # its mean over the clip
    assert (swing / (1 - widest**2 / 16)) ** 2 == pytest.approx(9.294, rel=0.02)
