"""New frames through a finished fit: latent, physical state, and whether the fit may be trusted there."""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from identify.errors import InputError
from identify.fit.film import Array, LawFit, Pixels
from identify.fit.results.conclusion import trained_range
from identify.fit.results.evened import Scene, check_size, scene_of, unevenness
from identify.fit.results.folder import Run
from identify.fit.results.physical import Physical, calibrate

SCHEMA = "identify/predict/1"
_FAR = 3.0
_MARGIN = 0.02
_PIECE = 256
_COLOURS = ("red", "green", "blue")


@dataclass(frozen=True)
class Prediction:
    """One clip: latents at its frames; ``state`` is physical where the run's anchors fix the coordinate."""

    clip: str
    time: Array
    latent: Array
    state: Array | None
    unit: str | None
    off_curve: Array
    outside: NDArray[np.bool_]

    @property
    def warnings(self) -> list[str]:
        """What limits the trust in these numbers."""
        count, found = len(self.time), []
        outside, far = int(self.outside.sum()), int((self.off_curve > _FAR).sum())
        if outside:
            found.append(f"{outside} of {count} latents lie outside the trained range: they are extrapolated")
        if far:
            found.append(f"{far} of {count} frames look unlike all training frames (off the curve)")
        return found

    def document(self) -> dict[str, Any]:
        """The JSON document."""
        return {
            "schema": SCHEMA,
            "clip": self.clip,
            "unit": self.unit,
            "time": self.time,
            "latent": self.latent,
            "state": self.state,
            "off_curve": self.off_curve,
            "outside": self.outside,
            "warnings": self.warnings,
        }

    def table(self) -> str:
        """The same as CSV."""
        file = io.StringIO(newline="")
        writer = csv.writer(file, lineterminator="\n")
        state = np.full(len(self.time), np.nan) if self.state is None else self.state
        writer.writerow(("clip", "time", "latent", "state", "off_curve", "outside"))
        for row in zip(self.time, self.latent, state, self.off_curve, self.outside, strict=True):
            numbers = [f"{x:.10g}" if np.isfinite(x) else "" for x in row[:4]]
            writer.writerow([self.clip, *numbers, int(row[4])])
        return file.getvalue()


def predict(run: Run, clip: Path, *, isolated: bool = False) -> list[Prediction]:
    """The clip (or every clip of a folder) through the run's encoder.

    ``isolated`` is passed on to the analysis of the law, which the physical state needs.
    """
    from identify.fit.clips.folder import find_clips

    if not run.fit.weights or "recipe" not in run.fit.settings:
        raise InputError(f"{run.folder} has no encoder", hint="only a fit that found a law can encode frames")
    timing = run.config.get("fps"), run.config.get("time_scale")
    sources = find_clips(clip, lambda name: timing)
    if not sources:
        why = "; ".join(f"{s.name}: {s.reason}" for s in sources.skipped[:3])
        raise InputError(
            f"no clip in {clip} can be read ({why})",
            hint="give a video, a folder of images, or an .npz file of the same scene",
        )
    physical = _physical(run, isolated)
    return [_clip(run, source, physical) for source in sources]


def _clip(run: Run, source: Any, physical: Physical | None) -> Prediction:
    """A clip in pieces, so that a long one needs no more memory than a short one."""
    times, latents, scores = [], [], []
    scene = scene_of(run.fit)
    check_size(scene, source)
    for time, frames in seen_frames(recipe_of(run.fit), source, scene):
        latent, score = encode(run.fit, frames)
        times.append(time)
        latents.append(latent)
        scores.append(score)
    if not times:
        raise InputError(
            f"{source.name} has no frames", hint="give a clip of the same scene with at least one frame"
        )
    return predicted(run, source.name, physical, *(np.concatenate(part) for part in (times, latents, scores)))


def seen_frames(recipe: Any, source: Any, scene: Scene | None = None) -> Iterator[tuple[Array, Pixels]]:
    """Times and frames of a clip as the recipe's view shows them, a few hundred at a time.

    With the scene of the training clips the brightness and the camera's motion are taken out first.
    """
    from identify.fit.prepare.views import made

    window, level, first = recipe.window, recipe.channel != "saturation", 0
    uneven = None if scene is None or recipe.untouched else unevenness(scene, source)
    stream = source.read(crop=window.crop, size=window.size, colour=recipe.channel != "grey")
    while piece := list(itertools.islice(stream, _PIECE)):
        frames = np.stack([_channel(window.of(frame), recipe.channel) for _, frame in piece])
        if uneven is not None and scene is not None:
            frames = uneven.removed(frames, first, scene, window, level)
        first += len(piece)
        yield np.array([time for time, _ in piece], dtype=float), made(frames, recipe)


def _channel(frame: Pixels, channel: str) -> Pixels:
    from identify.fit.prepare.survey import luma, saturation

    if frame.ndim == 2 or channel == "colour":
        return frame
    if channel == "saturation":
        return saturation(frame)
    if channel in _COLOURS:
        return np.ascontiguousarray(frame[..., _COLOURS.index(channel)])
    return luma(frame)


def recipe_of(fit: LawFit) -> Any:
    """The recipe that the run keeps."""
    from identify.fit.prepare.prepared import Recipe, Window

    kept: dict[str, Any] = {**fit.settings["recipe"]}
    background = fit.weights.get("recipe.background")
    try:
        kept["window"] = Window(**{name: _tuple(value) for name, value in kept["window"].items()})
        kept["background"] = None if background is None else np.asarray(background)
        return Recipe(**{name: _tuple(value) for name, value in kept.items()})
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(f"the run's view cannot be read: {error}", hint="fit again") from None


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def encode(fit: LawFit, frames: Pixels) -> tuple[Array, Array]:
    """Latent and off-curve score by the method's own encoder."""
    weights = {name: value for name, value in fit.weights.items() if not name.startswith("recipe.")}
    if fit.method == "paper":
        from identify.fit.paper.fit import encode_frames as encode_paper

        return encode_paper(weights, fit.settings, frames)
    from identify.fit.encoder import encode_frames

    latent, score = encode_frames(weights, fit.settings, frames)
    return np.asarray(latent), np.asarray(score)


def predicted(
    run: Run, name: str, physical: Physical | None, time: Array, latent: Array, score: Array
) -> Prediction:
    """What the run says of encoded frames."""
    low, high = trained_range(run.fit)
    margin = _MARGIN * (high - low)
    outside = (latent < low - margin) | (latent > high + margin)
    state, unit = _state(run, physical, latent)
    return Prediction(name, time, latent, state, unit, score, outside)


def _physical(run: Run, isolated: bool) -> Physical | None:
    """The calibration by the run's own anchors, once for all clips; None where there is none."""
    from identify.engine import analyze

    if not run.asked.anchors or run.fit.estimate is None:
        return None
    analysis = analyze(run.law, isolated=isolated)
    return calibrate(run.law, analysis, run.fit, run.asked.anchors, dict(run.asked.units), (), ())


def _state(run: Run, physical: Physical | None, latent: Array) -> tuple[Array | None, str | None]:
    """The physical state and its unit."""
    from identify.fit.results.dimension import text_of

    if physical is None or run.fit.estimate is None:
        return None, None
    found = physical.state(latent, run.fit.estimate, run.law)
    return found, None if found is None else text_of(physical.units.get(run.law.state))
