"""Candidate views of the same films: as filmed, foreground alone, summed across the motion, high-passed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import ndimage

from identify.fit.film import Pixels
from identify.fit.prepare.films import Footage
from identify.fit.prepare.prepared import Channel, Real, Recipe, Window

_HIGH_PASS = 6  # film pixels: wider than the edge of a thing, narrower than a soft shadow
_PERCENTILE = 92  # of a pixel's grey levels: the background where a dark thing passes now and then
_POOLED = 240
_WORTH = 0.4  # of how far the object stands out in grey
_LEAST_CONTRAST = 24  # grey levels
_ALONG = 0.9  # cosine of the angle between the motion and rows or columns
_BRIGHT = 220  # where the strongest foreground comes to lie


@dataclass(frozen=True)
class Ground:
    """The background behind the thing that moves, which is darker (-1) or lighter (+1) than it.

    ``noise`` is that of one pixel in a frame, ``contrast`` how far the thing stands out; ``mixed`` is the
    weaker polarity's energy over the stronger one's.
    """

    background: Real
    polarity: int
    noise: float
    contrast: float
    mixed: float


def find_ground(parts: Sequence[Pixels]) -> Ground:
    """The background of films that share a region, from an even sample of their frames."""
    share = max(6, _POOLED // max(len(parts), 1))
    pool = np.concatenate(
        [p[np.unique(np.linspace(0, len(p) - 1, min(len(p), share)).astype(int))] for p in parts]
    )
    places = [int(q * (len(pool) - 1)) for q in (0.03, 1 - _PERCENTILE / 100, 0.5, _PERCENTILE / 100, 0.97)]
    ordered = np.partition(pool, sorted(set(places)), axis=0)
    lowest, low, middle, high, highest = (ordered[k].astype(np.float32) for k in places)
    dark, light = float(((middle - lowest) ** 2).sum()), float(((highest - middle) ** 2).sum())
    polarity = -1 if dark >= light else 1
    ground = high if polarity < 0 else low
    spread = highest - lowest
    quiet = spread <= np.percentile(spread, 25)
    ground = ground - float(np.mean((ground - middle)[quiet]))  # a percentile of noise is not its middle
    noise = max(0.3, float(pool[:, quiet].astype(np.float32).std(0).mean()))
    stand = np.maximum(polarity * (pool - ground), 0).reshape(len(pool), -1)
    top = max(3, stand.shape[1] // 200)
    contrast = float(np.median(np.partition(stand, -top, axis=1)[:, -top:].mean(1)))
    mixed = min(dark, light) / max(dark, light, 1e-9)
    return Ground(ground.astype(np.float32), polarity, noise, contrast, mixed)


def candidates(
    window: Window,
    grounds: Mapping[str, Ground],
    axis: tuple[float, float],
    parts: Sequence[Footage],
    channel: Channel | None,
) -> tuple[Recipe, ...]:
    """The views worth trying, the most telling first; one only where the user chose the channel."""
    plain = Recipe("grey", "grey", "plain", window, notes=("even brightness",))
    if channel in ("grey", "red", "green", "blue", "colour"):
        return (replace(plain, name=channel, channel=channel),)
    grey = _foreground_recipes(plain, grounds["grey"], axis, [p.grey for p in parts])
    if channel == "difference":
        return grey
    saturated = _saturated(plain, grounds, axis, parts)
    if channel == "saturation":
        return saturated or (replace(plain, name="saturation", channel="saturation"),)
    if window.size is None:
        untouched = replace(plain, name="whole", untouched=True, notes=("as it is",))
        return (untouched, grey[0], *saturated[:1])
    return (*grey, *saturated, plain, _high_passed(plain, grounds["grey"]))


def worth_it(saturation: Ground, grey: Ground) -> bool:
    """Whether the object stands out in saturation, too: a shadow does not."""
    if saturation.contrast < max(_LEAST_CONTRAST, _WORTH * grey.contrast):
        return False
    return saturation.contrast / saturation.noise > _WORTH * grey.contrast / grey.noise


def _saturated(
    plain: Recipe, grounds: Mapping[str, Ground], axis: tuple[float, float], parts: Sequence[Footage]
) -> tuple[Recipe, ...]:
    """Views of the saturation where it was found worth reading."""
    ground = grounds.get("saturation")
    if ground is None:
        return ()
    channel = replace(plain, name="saturation", channel="saturation", notes=())
    films = [p.saturation for p in parts if p.saturation is not None]
    return _foreground_recipes(channel, ground, axis, films)


def _foreground_recipes(
    plain: Recipe, ground: Ground, axis: tuple[float, float], films: Sequence[Pixels]
) -> tuple[Recipe, ...]:
    """The foreground and, where the motion is nearly along rows or columns, its profile."""
    level = 2 * ground.noise
    word = "darker" if ground.polarity < 0 else "lighter"
    name = "foreground" if plain.name == "grey" else plain.name
    recipe = replace(
        plain,
        name=name,
        kind="foreground",
        background=ground.background,
        polarity=ground.polarity,
        gain=_BRIGHT / max(ground.contrast - level, 4.0) if plain.window.size else 1.0,
        level=level,
        notes=(f"{word} than the background",),
    )
    if max(abs(axis[0]), abs(axis[1])) < _ALONG:
        return (recipe,)
    return recipe, _profile(recipe, 1 if abs(axis[0]) > abs(axis[1]) else 2, films)


def _profile(recipe: Recipe, across: int, films: Sequence[Pixels]) -> Recipe:
    """The foreground summed across the motion, over rows (1) or columns (2), scaled to fill 8 bits."""
    sums = [_foreground(f[:: max(1, len(f) // 40)], recipe).sum(across) for f in films]
    largest = max(float(np.percentile(total.max(1), 95)) for total in sums)
    name = "profile" if recipe.channel == "grey" else f"{recipe.name} profile"
    gain = recipe.gain * _BRIGHT / max(largest, 1e-6)
    notes = (*recipe.notes, "summed across the motion")
    return replace(recipe, name=name, kind="profile", across=across, gain=gain, notes=notes)


def _high_passed(plain: Recipe, ground: Ground) -> Recipe:
    """The frame less its local mean, in the middle of 8 bits."""
    gain = float(np.clip(90 / max(ground.contrast, 1.0), 1.0, 4.0))
    return replace(plain, name="high-pass", kind="high-pass", gain=gain, notes=("less the local mean",))


def made(frames: Pixels, recipe: Recipe) -> Pixels:
    """Levelled frames of the recipe's channel as the view shows them."""
    if recipe.kind == "plain":
        return frames
    if recipe.kind == "foreground" and recipe.gain == 1.0:
        return _foreground_bytes(frames, recipe)
    return np.concatenate([_made(frames[k : k + 256], recipe) for k in range(0, len(frames), 256)])


def _made(frames: Pixels, recipe: Recipe) -> Pixels:
    if recipe.kind == "foreground":
        return _bytes(_foreground(frames, recipe))
    if recipe.kind == "profile":
        return _bytes(_foreground(frames, recipe).sum(recipe.across, keepdims=True))
    real = frames.astype(np.float32)
    local = real
    for _ in range(2):  # twice a box is close to a Gaussian
        local = ndimage.uniform_filter(local, (0, 2 * _HIGH_PASS, 2 * _HIGH_PASS), mode="nearest")
    return _bytes(128 + recipe.gain * (real - local))


def _foreground(frames: Pixels, recipe: Recipe) -> Real:
    assert recipe.background is not None
    change = (frames - recipe.background) * np.float32(recipe.polarity)
    change -= np.float32(recipe.level)
    np.maximum(change, 0, out=change)
    change *= np.float32(recipe.gain)
    return change


def _foreground_bytes(frames: Pixels, recipe: Recipe) -> Pixels:
    """The same without a gain, in 8 bits throughout: five times as fast."""
    assert recipe.background is not None
    edge = np.clip(np.rint(recipe.background + recipe.polarity * recipe.level), 0, 255).astype(np.uint8)
    if recipe.polarity < 0:
        return np.asarray(edge - np.minimum(frames, edge))
    return np.asarray(np.maximum(frames, edge) - edge)


def _bytes(values: Real) -> Pixels:
    return np.clip(np.rint(values), 0, 255).astype(np.uint8)
