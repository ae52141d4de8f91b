"""Clean stretches -> films in every candidate view, with the object's place in each frame."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from identify.fit.film import Array, Crop, Film, Pixels, View
from identify.fit.prepare.films import Footage, at_hand, read_stretch
from identify.fit.prepare.pieces import Piece, bad_frames, doubted_frames, find_pieces
from identify.fit.prepare.position import main_axis, track
from identify.fit.prepare.prepared import Mask, Options, Prepared, Recipe, Refused, Source, Window
from identify.fit.prepare.refusal import evidence, refusal, warnings_of
from identify.fit.prepare.region import full_frame
from identify.fit.prepare.rigid import follow
from identify.fit.prepare.shake import stabilised
from identify.fit.prepare.signals import Surveyed
from identify.fit.prepare.steady import levelled
from identify.fit.prepare.survey import Survey
from identify.fit.prepare.views import Ground, candidates, find_ground, made, worth_it
from identify.fit.prepare.window import choose_window

Report = Callable[[float, str], None]
_LEAST_DISPLACEMENT = 1.0  # film pixels
_OTHER_SHARE = 0.15  # of the main mover's energy: another mover that spoils the whole picture
_COLOUR_SAMPLE = 40  # frames
_SIZED = 40  # frames of a film
_HIDDEN = 0.5  # energy of one polarity over the other's: the background has the object in it


@dataclass(frozen=True)
class Shoot:
    """All that filming needs: what was found, the clips as surveyed and as sources, the user's wishes."""

    found: Surveyed
    clips: Sequence[Survey]
    sources: Sequence[Source]
    pieces: Sequence[Piece]
    options: Options
    report: Report

    @property
    def limits(self) -> Crop:
        """The part of the full frame that the user allows."""
        info = self.sources[0].info
        return self.options.crop or (0, 0, info.width, info.height)

    @property
    def count(self) -> int:
        """The frames of all films."""
        return sum(piece.trim.last - piece.trim.first for piece in self.pieces)


def filmed(
    found: Surveyed,
    sources: Sequence[Source],
    clips: Sequence[Survey],
    options: Options,
    warnings: list[str],
    report: Report,
) -> Prepared | Refused:
    """The films of the clean stretches in every view."""
    shoot = Shoot(found, clips, sources, find_pieces(found, options), options, report)
    if not shoot.pieces:
        cause = ("too few frames", "the trims leave too few frames", "widen the trims")
        return refusal(found, cause, warnings)
    region = full_frame(found.main, clips[0].pixel, clips[0].origin, shoot.limits)
    window = choose_window(options.crop or region, shoot.limits, clips[0], shoot.count, options)
    raw = _footage(shoot, window, _wanted_colour(shoot, window))
    steady = [_corrected(part, piece, found, window) for part, piece in zip(raw, shoot.pieces, strict=True)]
    grounds = _grounds(steady)
    points, size, rigid = _points(steady, grounds, window, region)
    axis, middle = main_axis(np.concatenate(points))
    displacement = _displacement(points, axis) / window.pixel[0]
    rigid = rigid and displacement > 0
    numbers = evidence(found) | _numbers(grounds, displacement, size, window, shoot.count)
    if displacement < _LEAST_DISPLACEMENT and not clips[0].small:
        return refusal(found, _too_little(displacement, window), warnings, numbers)
    report(0.9, "making the views")
    recipes = candidates(window, grounds, axis, steady, options.channel)
    views = tuple(_view(r, shoot.pieces, raw if r.untouched else steady, axis) for r in recipes)
    alone, alone_recipe = _alone(shoot)
    names = {piece.trim.clip for piece in shoot.pieces}
    return Prepared(
        views + alone,
        recipes + alone_recipe,
        np.clip(np.rint(found.scene.background), 0, 255).astype(np.uint8),
        clips[0].pixel[0],
        clips[0].origin,
        region,
        axis,
        tuple(piece.trim for piece in shoot.pieces),
        tuple(bad_frames(piece, found) for piece in shoot.pieces),
        tuple(doubted_frames(piece, found) for piece in shoot.pieces),
        tuple((p - middle) @ np.array(axis) if rigid else np.full(len(p), np.nan) for p in points),
        tuple(points),
        found.signals,
        (*warnings, *warnings_of(found, numbers, names)),
        numbers,
    )


def _footage(shoot: Shoot, window: Window, colour: str | None) -> list[Footage]:
    """The frames of every film."""
    result = []
    for number, piece in enumerate(shoot.pieces):
        part = at_hand(shoot.clips[piece.clip], piece.trim, window) if colour is None else None
        if part is None:
            part = _read(shoot, number, window, colour)
        result.append(part)
    return result


def _read(shoot: Shoot, number: int, window: Window, colour: str | None, every: int = 1) -> Footage:
    piece = shoot.pieces[number]

    def tick(done: int) -> None:
        if done % 32 == 0:
            shoot.report(0.5 + 0.4 * number / len(shoot.pieces), f"filming {piece.trim.film}")

    span = (piece.trim.start, piece.trim.stop)
    return read_stretch(shoot.sources[piece.clip], window, span, colour, tick, every)


def _wanted_colour(shoot: Shoot, window: Window) -> str | None:
    """Whether saturation or colour has to be read: asked for, or the object stands out in a sample of it."""
    channel = shoot.options.channel
    if channel in ("red", "green", "blue", "colour"):
        return "colour"
    if channel is not None:
        return "saturation" if channel == "saturation" else None
    if not any(clip.coloured for clip in shoot.clips):
        return None
    lengths = [piece.film.count for piece in shoot.pieces]
    longest = int(np.argmax(lengths))
    few = _read(shoot, longest, window, "saturation", max(1, lengths[longest] // _COLOUR_SAMPLE))
    if few.saturation is None:
        return None
    return "saturation" if worth_it(find_ground([few.saturation]), find_ground([few.grey])) else None


def _corrected(part: Footage, piece: Piece, found: Surveyed, window: Window) -> Footage:
    """The footage at even brightness and, where the camera shook, moved back."""
    signals = found.signals[piece.clip]
    cut = slice(piece.trim.first, piece.trim.first + len(part.time))
    gain, offset, roll = signals.gain[cut], signals.offset[cut], signals.roll[cut]
    shift = signals.shift[cut] / np.array(window.pixel)
    if found.steadied:
        shift = shift + _from_roll(roll, window, found)

    def even(frames: Pixels, level: bool) -> Pixels:
        frames = levelled(frames, gain, offset) if level else frames
        return stabilised(frames, shift, roll) if found.steadied else frames

    return Footage(
        part.time,
        even(part.grey, True),
        None if part.saturation is None else even(part.saturation, False),
        None if part.colour is None else even(part.colour, True),
    )


def _from_roll(roll: Array, window: Window, found: Surveyed) -> Array:
    """The shift of the window's middle, in film pixels, when the picture rolls about its own middle."""
    clip = found.clips[0]
    height, width = found.scene.static.shape
    centre = np.array(clip.origin) + np.array(clip.pixel) * np.array([width, height]) / 2
    middle = np.array(window.region[:2]) + np.array(window.region[2:]) / 2
    x, y = (middle - centre) / np.array(window.pixel)
    return np.stack([-roll * y, roll * x], axis=1)


def _grounds(parts: Sequence[Footage]) -> dict[str, Ground]:
    grounds = {"grey": find_ground([part.grey for part in parts])}
    saturations = [part.saturation for part in parts if part.saturation is not None]
    return grounds | ({"saturation": find_ground(saturations)} if saturations else {})


def _points(
    parts: Sequence[Footage], grounds: Mapping[str, Ground], window: Window, region: Crop
) -> tuple[list[Array], float, bool]:
    """Where the object is, in full-frame pixels, by the channel in which it stands out most; its size.

    And whether that is a displacement: the weight of what grows, or stretches, is none.
    """
    name = max(grounds, key=lambda key: grounds[key].contrast / grounds[key].noise)
    films = [part.channel("saturation" if name == "saturation" else "grey") for part in parts]
    corner, pixel = np.array(window.region[:2]), np.array(window.pixel)
    ground = grounds[name]
    level = max(4 * ground.noise, 0.25 * ground.contrast)
    few = [film[:: max(1, len(film) // _SIZED)] for film in films]
    size = float(
        np.median([np.hypot(*track(_outstanding(film, ground, level, window)).size) for film in few])
    )
    followed = follow(films, _inside(region, window, films[0].shape[1:]))
    places, sure = followed.points, True
    if places is None:
        places = [track(_outstanding(film, ground, level, window)).points for film in films]
        sure = followed.blurred and ground.mixed < _HIDDEN
    return [corner + (points + 0.5) * pixel for points in places], size, sure


def _inside(region: Crop, window: Window, shape: tuple[int, ...]) -> Mask:
    """The film pixels of the motion region."""
    (x, y), (across, down) = window.region[:2], window.pixel
    result = np.zeros(shape, dtype=bool)
    left, top = max(0, int((region[0] - x) / across)), max(0, int((region[1] - y) / down))
    right, bottom = (region[0] + region[2] - x) / across, (region[1] + region[3] - y) / down
    result[top : int(np.ceil(bottom)), left : int(np.ceil(right))] = True
    return result


def _outstanding(frames: Pixels, ground: Ground, level: float, window: Window) -> Pixels:
    """The foreground, clipped well above the noise."""
    recipe = Recipe("", "grey", "foreground", window, ground.background, ground.polarity, level=level)
    return made(frames, recipe)


def _view(
    recipe: Recipe, pieces: Sequence[Piece], parts: Sequence[Footage], axis: tuple[float, float] | None
) -> View:
    films: list[Film] = []
    for piece, part in zip(pieces, parts, strict=True):
        films.append(replace(piece.film, time=part.time, frames=made(part.channel(recipe.channel), recipe)))
    window = recipe.window
    return View(recipe.name, tuple(films), window.region, window.pixel[0], axis, recipe.notes)


def _displacement(points: Sequence[Array], axis: tuple[float, float]) -> float:
    """The largest range along the motion in any film, in full-frame pixels."""
    along = [p @ np.array(axis) for p in points]
    ranges = [np.nanpercentile(a, 98) - np.nanpercentile(a, 2) for a in along if np.isfinite(a).any()]
    return float(max(ranges, default=0.0))


def _numbers(
    grounds: Mapping[str, Ground], displacement: float, size: float, window: Window, count: int
) -> dict[str, float]:
    grey = grounds["grey"]
    return ({"object_size": size} if np.isfinite(size) else {}) | {
        "displacement": displacement,
        "film_pixel": window.pixel[0],
        "frames": float(count),
        "film_noise": grey.noise,
        "film_contrast": grey.contrast,
        "mixed_polarity": grey.mixed,
    }


def _too_little(displacement: float, window: Window) -> tuple[str, str, str]:
    full = displacement * window.pixel[0]
    return (
        "too little motion",
        f"the object moves by {displacement:.2f} film pixels only ({full:.1f} in the full frame)",
        "film a larger motion or from nearer, or give a crop around the object",
    )


def _alone(shoot: Shoot) -> tuple[tuple[View, ...], tuple[Recipe, ...]]:
    """A view of the main mover alone, where a small picture shows others beside it.

    The others get no view: the law may well fit one of them, and nobody asked for it.
    """
    found, clip = shoot.found, shoot.clips[0]
    strong = any(mover.energy > _OTHER_SHARE * found.movers[0].energy for mover in found.others)
    if shoot.options.crop is not None or not clip.small or not strong:
        return (), ()
    region = full_frame(found.main, clip.pixel, clip.origin, shoot.limits)
    window = Window(region, None, None, region)
    parts = [
        _corrected(part, piece, found, window)
        for part, piece in zip(_footage(shoot, window, None), shoot.pieces, strict=True)
    ]
    recipe = Recipe("alone", "grey", "plain", window, notes=("the region of what changes most",))
    return (_view(recipe, shoot.pieces, parts, None),), (recipe,)
