"""Simulated recordings as sources in memory, and what preparing makes of them beside the truth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from identify.fit.prepare import Options, Prepared, Refused, prepare
from identify.scene.recording import Recording


@dataclass(frozen=True)
class Info:
    width: int
    height: int
    frames: int


@dataclass(frozen=True)
class Held:
    """Frames at their own times that read like a clip which needs no scaling."""

    name: str
    frames: np.ndarray
    time: np.ndarray

    @property
    def info(self) -> Info:
        return Info(self.frames.shape[2], self.frames.shape[1], len(self.frames))

    def read(
        self, *, crop=None, size=None, start=None, stop=None, every=1, colour=True
    ) -> Iterator[tuple[float, np.ndarray]]:
        assert size is None
        inside = [
            k
            for k, time in enumerate(self.time)
            if (start is None or time >= start) and (stop is None or time < stop)
        ]
        for k in inside[::every]:
            frame = self.frames[k]
            if crop:
                x, y, width, height = crop
                frame = frame[y : y + height, x : x + width]
            yield float(self.time[k]), np.repeat(frame[..., None], 3, axis=2) if colour else frame


def prepared(recording: Recording) -> Prepared | Refused:
    sources = [Held(shot.name, shot.frames, shot.time) for shot in recording.shots]
    return prepare(sources, Options(roles={shot.name: shot.role for shot in recording.shots}))


def all_of_it(found: Prepared | Refused, recording: Recording) -> Prepared:
    """Every frame of every clip is there, untouched, in the first view, and none is marked bad."""
    assert isinstance(found, Prepared), found
    whole = found.views[0]
    assert whole.name == "whole"
    assert [film.name for film in whole.films] == [shot.name for shot in recording.shots]
    for film, shot in zip(whole.films, recording.shots, strict=True):
        assert film.role == shot.role
        assert np.array_equal(film.frames, shot.frames)
    assert not any(bad.any() for bad in found.bad)
    return found
