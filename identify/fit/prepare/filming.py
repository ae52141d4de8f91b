"""Clean stretches -> films in every candidate view, with the object's place in each frame."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from identify.fit.film import Array, Crop, Film, Pixels, View
from identify.fit.prepare.films import Footage, read_stretch, working_size
from identify.fit.prepare.position import main_axis, track
from identify.fit.prepare.prepared import Mask, Options, Prepared, Recipe, Refused, Source, Trim
from identify.fit.prepare.refusal import evidence
from identify.fit.prepare.region import full_frame
from identify.fit.prepare.shake import stabilised
from identify.fit.prepare.signals import Surveyed
from identify.fit.prepare.steady import levelled
from identify.fit.prepare.survey import SIDE, Survey
from identify.fit.prepare.trim import LEAST_FRAMES
from identify.fit.prepare.views import Ground, candidates, find_ground, made

Report = Callable[[float, str], None]
_LEAST_DISPLACEMENT = 1.0  # film pixels
_OTHER_SHARE = 0.15  # of the main mover's energy: another mover that deserves a view
_MOST_OTHERS = 2


@dataclass(frozen=True)
class Frame:
    """A region of the full frame and the size at which films show it; None shows the clip as it is."""

    crop: Crop
    size: tuple[int, int] | None

    @property
    def pixel(self) -> float:
        """The size of a film pixel in full-frame pixels."""
        return self.crop[2] / self.size[0] if self.size else 1.0


@dataclass(frozen=True)
class Piece:
    """One film to be: which clip, which stretch, and the film without frames."""

    clip: int
    trim: Trim
    film: Film


def filmed(
    found: Surveyed,
    sources: Sequence[Source],
    clips: Sequence[Survey],
    options: Options,
    warnings: list[str],
    report: Report,
) -> Prepared | Refused:
    """The second pass over the clean stretches, and the views made of it."""
    pieces = _pieces(found, options)
    if not pieces:
        return _refusal(found, warnings, "too few frames", "no trim leaves enough frames", "widen the trims")
    limits = options.crop or (0, 0, sources[0].info.width, sources[0].info.height)
    region = full_frame(found.main, clips[0].pixel, clips[0].origin, limits)
    count = sum(piece.trim.last - piece.trim.first for piece in pieces)
    whole = _whole(limits, options)
    frame = Frame(limits, None) if whole else Frame(options.crop or region, None)
    if not whole:
        frame = replace(frame, size=working_size(frame.crop, count, options.size))
    parts = _footage(pieces, sources, clips, frame, options, report)
    pieces = [replace(p, film=replace(p.film, time=f.time)) for p, f in zip(pieces, parts, strict=True)]
    steady = [_corrected(part, piece, found, frame) for part, piece in zip(parts, pieces, strict=True)]
    grounds = {"grey": find_ground([part.grey for part in steady])}
    if steady[0].saturation is not None:
        grounds["saturation"] = find_ground([p.saturation for p in steady if p.saturation is not None])
    points, size = _points(steady, grounds, frame)
    axis, middle = main_axis(np.concatenate(points))
    recipes = candidates(frame.crop, frame.size, grounds, axis, steady, options.channel, whole)
    report(0.9, "making the views")
    views = tuple(
        View(
            r.name,
            _films(pieces, parts if r.untouched else steady, r),
            frame.crop,
            frame.pixel,
            axis,
            r.notes,
        )
        for r in recipes
    )
    displacement = _displacement(points, axis) / frame.pixel
    numbers = evidence(found) | _numbers(grounds, displacement, size, frame, count)
    if displacement < _LEAST_DISPLACEMENT:
        return _refusal(
            found,
            warnings,
            "too little motion",
            f"the object moves by {displacement:.2f} film pixels only ({displacement * frame.pixel:.1f} in the full frame)",
            "film a larger motion or from nearer, or give a crop around the object",
            numbers,
        )
    more, other_recipes = _others(found, sources, clips, pieces, limits, options, report)
    warnings += _warnings(found, numbers, pieces)
    return Prepared(
        views + more,
        recipes + other_recipes,
        np.clip(np.rint(found.scene.background), 0, 255).astype(np.uint8),
        clips[0].pixel[0],
        region,
        axis,
        tuple(piece.trim for piece in pieces),
        tuple(_bad(piece, found) for piece in pieces),
        tuple((p - middle) @ np.array(axis) for p in points),
        tuple(points),
        found.signals,
        tuple(warnings),
        numbers,
    )


def _whole(limits: Crop, options: Options) -> bool:
    longer = max(limits[2], limits[3])
    return longer <= SIDE and (options.size is None or options.size >= longer)


def _pieces(found: Surveyed, options: Options) -> list[Piece]:
    """Every film to make, in the order of the clips."""
    result = []
    for k, clip in enumerate(found.clips):
        trims = _given(clip, options.trims[clip.name]) if clip.name in options.trims else _found(found, k)
        for trim in trims:
            time = clip.time[trim.first : trim.last]
            film = Film(trim.film, time, np.zeros((0, 1, 1), np.uint8), options.roles.get(clip.name, "train"))
            result.append(Piece(k, trim, film))
    return result


def _given(clip: Survey, span: tuple[float | None, float | None]) -> list[Trim]:
    """The stretch the user asked for, if it has enough frames."""
    start, stop = span
    first = int(np.searchsorted(clip.time, -np.inf if start is None else start - 1e-9))
    last = int(np.searchsorted(clip.time, np.inf if stop is None else stop + 1e-9))
    if last - first < LEAST_FRAMES:
        return []
    begins, ends = (
        "as given" if value is not None else f"the clip's {side}"
        for value, side in ((start, "start"), (stop, "end"))
    )
    times = float(clip.time[first]), float(clip.time[last - 1])
    return [Trim(clip.name, clip.name, first, last, *times, begins, ends)]


def _found(found: Surveyed, k: int) -> list[Trim]:
    clip = found.clips[k]
    result = []
    for number, part in enumerate(found.stretches[k]):
        name = clip.name if number == 0 else f"{clip.name} part {number + 1}"
        times = float(clip.time[part.first]), float(clip.time[part.last - 1])
        result.append(Trim(clip.name, name, part.first, part.last, *times, part.begins, part.ends))
    return result


def _footage(
    pieces: Sequence[Piece],
    sources: Sequence[Source],
    clips: Sequence[Survey],
    frame: Frame,
    options: Options,
    report: Report,
) -> list[Footage]:
    """The frames of every film; those of a small grey clip are at hand already."""
    keep_colour = options.channel in ("colour", "red", "green", "blue")
    coloured = clips[0].coloured
    if frame.size is None and not coloured and not keep_colour:
        cut = [slice(piece.trim.first, piece.trim.last) for piece in pieces]
        return [
            Footage(clips[p.clip].time[c], clips[p.clip].grey[c], None, None)
            for p, c in zip(pieces, cut, strict=True)
        ]
    result = []
    for number, piece in enumerate(pieces):
        name = piece.trim.film

        def tick(done: int, number: int = number, name: str = name) -> None:
            if done % 32 == 0:
                report(0.5 + 0.4 * number / len(pieces), f"filming {name}")

        span = (piece.trim.start, piece.trim.stop)
        whole = frame.size is None and options.crop is None
        crop = None if whole else frame.crop
        result.append(read_stretch(sources[piece.clip], crop, frame.size, span, coloured, keep_colour, tick))
    return result


def _corrected(part: Footage, piece: Piece, found: Surveyed, frame: Frame) -> Footage:
    """The footage at even brightness and, where the camera shook, moved back."""
    signals = found.signals[piece.clip]
    cut = slice(piece.trim.first, piece.trim.first + len(part.time))
    gain, offset = signals.gain[cut], signals.offset[cut]
    shift, roll = signals.shift[cut] / frame.pixel, signals.roll[cut]
    if found.steadied:
        shift = shift + _from_roll(roll, frame, found)

    def even(frames: Pixels | None, level: bool) -> Pixels | None:
        if frames is None:
            return None
        frames = levelled(frames, gain, offset) if level else frames
        return stabilised(frames, shift, roll) if found.steadied else frames

    grey = even(part.grey, True)
    assert grey is not None
    return Footage(part.time, grey, even(part.saturation, False), even(part.colour, True))


def _from_roll(roll: Array, frame: Frame, found: Surveyed) -> Array:
    """The shift of the region's middle, in film pixels, when the picture rolls about its own middle."""
    clip = found.clips[0]
    height, width = found.scene.static.shape
    centre = np.array(clip.origin) + np.array(clip.pixel) * np.array([width, height]) / 2
    x, y = (np.array(frame.crop[:2]) + np.array(frame.crop[2:]) / 2 - centre) / frame.pixel
    return np.stack([-roll * y, roll * x], axis=1)


def _points(steady: Sequence[Footage], grounds: dict[str, Ground], frame: Frame) -> tuple[list[Array], float]:
    """Where the object is, in full-frame pixels, by the channel in which it stands out most; and its size."""
    name = max(grounds, key=lambda key: grounds[key].contrast / grounds[key].noise)
    recipe = candidates_for_tracking(name, grounds[name])
    points, sizes = [], []
    for part in steady:
        frames = part.grey if name == "grey" else part.saturation
        assert frames is not None
        places = track(made(frames, recipe))
        points.append(np.array(frame.crop[:2]) + (places.points + 0.5) * frame.pixel)
        sizes.append(float(np.hypot(*places.size)))
    return points, float(np.median(sizes))


def candidates_for_tracking(name: str, ground: Ground) -> Recipe:
    """The plain foreground, clipped well above the noise."""
    level = max(4 * ground.noise, 0.25 * ground.contrast)
    channel = "saturation" if name == "saturation" else "grey"
    return Recipe(
        name,
        channel,
        "foreground",
        None,
        None,
        background=ground.background,
        polarity=ground.polarity,
        level=level,
    )


def _films(pieces: Sequence[Piece], parts: Sequence[Footage], recipe: Recipe) -> tuple[Film, ...]:
    return tuple(
        replace(piece.film, frames=made(part.channel(recipe.channel), recipe))
        for piece, part in zip(pieces, parts, strict=True)
    )


def _displacement(points: Sequence[Array], axis: tuple[float, float]) -> float:
    """The largest range along the motion in any film, in full-frame pixels."""
    along = [p @ np.array(axis) for p in points]
    ranges = [np.nanpercentile(a, 98) - np.nanpercentile(a, 2) for a in along if np.isfinite(a).any()]
    return float(max(ranges, default=0.0))


def _numbers(
    grounds: dict[str, Ground], displacement: float, size: float, frame: Frame, count: int
) -> dict[str, float]:
    grey = grounds["grey"]
    return {
        "displacement": displacement,
        "object_size": size,
        "film_pixel": frame.pixel,
        "frames": float(count),
        "film_noise": grey.noise,
        "film_contrast": grey.contrast,
        "mixed_polarity": grey.mixed,
    }


def _bad(piece: Piece, found: Surveyed) -> Mask:
    """Frames of the film to leave out: repeated ones and flashes."""
    cut = slice(piece.trim.first, piece.trim.first + piece.film.count)
    return found.signals[piece.clip].repeated[cut] | found.flashes[piece.clip][cut]


def _others(
    found: Surveyed,
    sources: Sequence[Source],
    clips: Sequence[Survey],
    pieces: Sequence[Piece],
    limits: Crop,
    options: Options,
    report: Report,
) -> tuple[tuple[View, ...], tuple[Recipe, ...]]:
    """A view of each mover that goes its own way, around it alone."""
    views, recipes = [], []
    strong = [m for m in found.others if m.energy > _OTHER_SHARE * found.movers[0].energy]
    for number, mover in enumerate(strong[:_MOST_OTHERS] if options.crop is None else []):
        crop = full_frame(mover.mask, clips[0].pixel, clips[0].origin, limits)
        count = sum(piece.film.count for piece in pieces)
        frame = Frame(crop, working_size(crop, count, options.size))
        parts = _footage(pieces, sources, clips, frame, replace(options, channel="grey"), report)
        steady = [_corrected(part, piece, found, frame) for part, piece in zip(parts, pieces, strict=True)]
        recipe = Recipe(f"mover {number + 2}", "grey", "plain", crop, frame.size)
        recipes.append(recipe)
        views.append(View(recipe.name, _films(pieces, steady, recipe), crop, frame.pixel))
    return tuple(views), tuple(recipes)


def _warnings(found: Surveyed, numbers: dict[str, float], pieces: Sequence[Piece]) -> list[str]:
    result = []
    if found.others:
        result.append(
            f"{len(found.others) + 1} things move on their own; the films show the one that changes the picture "
            "most: give a crop to choose another"
        )
    if found.steadied:
        result.append(f"the camera moves by {numbers['camera_shift']:.1f} pixels: the films are stabilised")
    if numbers["repeated_share"] > 0.005:
        result.append(
            f"{numbers['repeated_share']:.1%} of the frames repeat the one before: they are left out"
        )
    if numbers["brightness_range"] > 6:
        result.append(
            f"the brightness changes by {numbers['brightness_range']:.0f} grey levels: it is evened out"
        )
    unused = {clip.name for clip in found.clips} - {piece.trim.clip for piece in pieces}
    return result + [f"{name} is left out: it has no stretch of free motion" for name in sorted(unused)]


def _refusal(
    found: Surveyed,
    warnings: Sequence[str],
    cause: str,
    reason: str,
    advice: str,
    numbers: dict[str, float] | None = None,
) -> Refused:
    background = np.clip(np.rint(found.scene.background), 0, 255).astype(np.uint8)
    return Refused(
        cause, reason, advice, tuple(warnings), numbers or evidence(found), background, found.signals
    )
