"""Anchors that a video user has, tied to frames of the fit.

::

    anchor = engine anchor [where]  |  "release=" value "of clip" NAME  |  "height=" value where
    where  = "at" ["clip" NAME] ("t=" SECONDS | "frame" N)  |  "of clip" NAME
           | "between" "t=" A "and" "t=" B ["of clip" NAME]  |  "over" N "px"

``size=0.400+-0.002 m over 713 px`` is a known length in the picture, ``state=0.20 m at clip pull t=1.2`` a
known state at a frame, ``amplitude=0.20 m of clip pull`` the largest distance from rest; ``g=9.81`` is a
known parameter and needs no frame.  What is left of a text without its ``where`` is read by the engine.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from identify.conclude.anchor_given import read_anchors
from identify.conclude.anchor_text import GivenText, read_anchor
from identify.errors import InputError
from identify.fit.clips.reference import bare
from identify.fit.film import Array, LawFit, Track
from identify.law import Law

_WHERE = re.compile(r"\s(?P<where>(?:at|of|over|between)\s.*)$", re.S)
_CLIP = re.compile(r"\bclip\s+(?P<clip>\"[^\"]+\"|\S+)")
_TIME = re.compile(r"\bt\s*=\s*(?P<t>[-\d.eE+]+)\s*(?:s\b)?")
_FRAME = re.compile(r"\bframe\s+(?P<n>\d{1,9})\b")
_OVER = re.compile(r"over\s+(?P<n>[\d.eE]+)\s*(?:(?:\+-|\+/-|±)\s*(?P<e>[\d.eE]+)\s*)?(?:px|pixels?)\s*$")
_AS_STATE = ("release", "height")
_HINT = (
    'write for example "size=0.400 m over 713 px", "state=0.20 m at clip NAME t=1.2" or '
    '"amplitude=0.2 m of clip NAME"'
)
_BENT, _LOST = 0.03, 0.15  # how far places may stray from proportional to the latent, as part of their range


@dataclass(frozen=True)
class Anchor:
    """A measured fact and the place of the fit it speaks of.

    ``latents`` are the latent states, ``rates`` the latent velocities there; ``sigma`` is the value's
    standard uncertainty (0 for an exact one), ``latent_sigma`` that of the latents.
    """

    text: str
    kind: str
    value: float
    sigma: float
    engine: GivenText
    parameter: str | None = None
    latents: tuple[float, ...] = ()
    rates: tuple[float, ...] = ()
    latent_sigma: float = 0.0
    note: str | None = None


def read_video_anchors(texts: Iterable[str], law: Law, fit: LawFit, canonical: bool) -> tuple[Anchor, ...]:
    """The anchors with their places in the fit; InputError says what is missing."""
    return tuple(_read(text, law, fit, canonical) for text in texts)


def placeable(texts: Iterable[str], law: Law, fit: LawFit, canonical: bool) -> tuple[list[str], list[str]]:
    """Anchors that have a place in this fit, and why the others have none: a fit is not lost over them."""
    kept, told = [], []
    for text in texts:
        try:
            _read(text, law, fit, canonical)
        except InputError as error:
            hint = f" ({error.hint})" if error.hint else ""
            told.append(f"the anchor {text.strip()} was not used: {error.message}{hint}")
        else:
            kept.append(text)
    return kept, told


def check_anchors(texts: Iterable[str], law: Law) -> None:
    """Raise what can be told of the texts before there is a fit: spelling, units, refused kinds."""
    for text in texts:
        body, _ = _split(text)
        _engine(text, body, law)


def check_places(texts: Iterable[str], law: Law, names: Sequence[str]) -> None:
    """Raise what can be told once the clips are known: an anchor of no clip, or of none in particular."""
    for text in texts:
        body, where = _split(text)
        kind, _ = _engine(text, body, law)
        somewhere = kind in ("parameter", "size") or where.startswith("over")
        if not somewhere and not (kind == "origin" and not where):
            _meant(text, where, names)


def _split(text: str) -> tuple[str, str]:
    found = _WHERE.search(text)
    return (text, "") if found is None else (text[: found.start()], found["where"])


def _engine(text: str, body: str, law: Law) -> tuple[str, GivenText]:
    """The kind as typed and the anchor as the engine reads it."""
    head, equals, rest = body.partition("=")
    kind = head.strip().lower()
    if kind in _AS_STATE:  # a state at a frame; a height may lie outside the domain of the law's own state
        given = read_anchor(f"state{equals}{rest}", ())
    else:
        (given,) = read_anchors(law, [body])
    if given.kind in ("frame-rate", "period"):
        raise InputError(
            f"{given.kind} is an anchor of the clock", text, hint="use --fps or --time-scale for the clock"
        )
    if given.kind != "origin" and given.quantity is None:
        raise InputError("an anchor of a fit needs its value", text, len(body), _HINT)
    return (kind if kind in _AS_STATE else given.kind), given


def _read(text: str, law: Law, fit: LawFit, canonical: bool) -> Anchor:
    body, where = _split(text)
    kind, given = _engine(text, body, law)
    quantity = given.quantity
    value = 0.0 if quantity is None else float(quantity.value)
    sigma = 0.0 if quantity is None or quantity.uncertainty is None else float(quantity.uncertainty)
    common = Anchor(text, kind, value, sigma, given, given.parameter)
    if kind == "parameter":
        return common
    if kind == "origin" and not where:
        return _placed(common, "state", (0.0,), (0.0,), 0.0)
    if kind == "size" or where.startswith("over"):
        return _size(common, where, fit)
    if kind in ("release", "height") and canonical:
        track = _track(text, where, fit.tracks)
        return _at_frame(common, "height", track, where)
    return _on_tracks(common, where, fit)


def _on_tracks(anchor: Anchor, where: str, fit: LawFit) -> Anchor:
    track = _track(anchor.text, where, fit.tracks)
    match anchor.kind:
        case "amplitude":
            return _amplitude(anchor, track)
        case "displacement":
            return _displacement(anchor, track, where)
        case "release" | "height" | "origin" | "equilibrium":
            return _at_frame(anchor, "state", track, where)
        case _:
            return _at_frame(anchor, anchor.kind, track, where)


def _placed(
    anchor: Anchor, kind: str, latents: tuple[float, ...], rates: tuple[float, ...], sigma: float
) -> Anchor:
    return Anchor(
        anchor.text,
        kind,
        anchor.value,
        anchor.sigma,
        anchor.engine,
        anchor.parameter,
        latents,
        rates,
        sigma,
        anchor.note,
    )


def _track(text: str, where: str, tracks: Sequence[Track]) -> Track:
    names = [track.name for track in tracks]
    return tracks[names.index(_meant(text, where, names))]


def _meant(text: str, where: str, names: Sequence[str]) -> str:
    """The clip that an anchor speaks of; the only one where none is named."""
    found = _CLIP.search(where)
    if found is None:
        if len(names) == 1:
            return names[0]
        raise InputError("in which clip was this measured?", text, len(text), _HINT)
    wanted = found["clip"].strip('"')
    chosen = [n for n in names if n == wanted] or [n for n in names if bare(n) == bare(wanted)]
    chosen = chosen or [n for n in names if n.startswith(wanted)]
    if len(chosen) != 1:
        what = "no clip" if not chosen else "more than one clip"
        raise InputError(
            f"{what} is called {wanted}",
            text,
            text.find(wanted),
            f"clips are {', '.join(names[:12])}{', ...' if len(names) > 12 else ''}",
        )
    return chosen[0]


def _at_frame(anchor: Anchor, kind: str, track: Track, where: str) -> Anchor:
    times = [_number(anchor.text, m["t"]) for m in _TIME.finditer(where)]
    frame = _FRAME.search(where)
    if frame is not None:
        index = int(frame["n"])
        if index >= len(track.time):
            raise InputError(
                f"{track.name} has {len(track.time)} frames", anchor.text, 0, "frames count from 0"
            )
        times = [float(track.time[index])]
    if not times:
        if anchor.kind not in _AS_STATE and kind != "state":
            raise InputError("at which time was this measured?", anchor.text, len(anchor.text), _HINT)
        times = [_first_used(track)]
    state, rate, sigma = _reading(anchor.text, track, times[0])
    return _placed(anchor, kind, (state,), (rate,), sigma)


def _displacement(anchor: Anchor, track: Track, where: str) -> Anchor:
    times = [_number(anchor.text, m["t"]) for m in _TIME.finditer(where)]
    if len(times) != 2:
        raise InputError(
            "a displacement lies between two times",
            anchor.text,
            len(anchor.text),
            'write "displacement=0.2 m between t=1.2 and t=1.9 of clip NAME", or "size=0.4 m over 713 px"',
        )
    (u, _, a), (w, _, b) = (_reading(anchor.text, track, t) for t in times)
    return _placed(anchor, "displacement", (u, w), (), max(a, b))


def _amplitude(anchor: Anchor, track: Track) -> Anchor:
    """The latent farthest from zero among the fitted frames (from rest, where the law has a free origin)."""
    states = _smooth(track)
    good = track.used & np.isfinite(states) if track.used.any() else np.isfinite(states)
    if not good.any():
        raise InputError(
            f"no frame of {track.name} was fitted",
            anchor.text,
            hint="name another clip, or a time inside the fitted frames",
        )
    chosen = states[good]
    return _placed(anchor, "amplitude", (float(chosen[int(np.argmax(np.abs(chosen)))]),), (), _noise(track))


def _size(anchor: Anchor, where: str, fit: LawFit) -> Anchor:
    """Pixels are the physical coordinate up to scale: two points of the curve this many pixels apart."""
    found = _OVER.fullmatch(where)
    if found is None:
        raise InputError(
            "a size needs the pixels it covers in the full frame", anchor.text, len(anchor.text), _HINT
        )
    if fit.pixel_track is None:
        raise InputError(
            "this fit does not know where the latent lies in the picture",
            anchor.text,
            hint='give a state instead: "state=0.20 m at clip NAME t=1.2"',
        )
    pixels = _number(anchor.text, found["n"])
    error = _number(anchor.text, found["e"]) if found["e"] else 0.0
    if not pixels > 0:
        raise InputError("how many pixels?", anchor.text, len(anchor.text), _HINT)
    latent, position = (np.asarray(a, dtype=float) for a in fit.pixel_track)
    latents, span, bend = _span(anchor.text, latent, position)
    value = anchor.value * span / pixels
    relative = float(np.hypot(anchor.sigma / anchor.value if anchor.value else 0.0, error / pixels))
    note = None
    if bend > _BENT:
        note = (
            f"the place in the picture is not proportional to the latent (it strays by {100 * bend:.1f} % of "
            "its range): a size in the picture fixes the scale only roughly"
        )
    # Scatter averages out over many frames; a bend does not, and moves the scale by about twice itself.
    own = bend / np.sqrt(len(latent)) if note is None else 2 * bend
    sigma = float(np.hypot(relative, own)) * value
    placed = Anchor(anchor.text, "displacement", value, sigma, anchor.engine, note=note)
    return _placed(placed, "displacement", latents, (), 0.0)


def _span(text: str, latent: Array, position: Array) -> tuple[tuple[float, float], float, float]:
    """The latents at the ends of the motion, the pixels between them, and how far the line is from straight.

    The place is regressed on the latent, which is the more precise of the two; outliers lose their weight.
    """
    good = np.isfinite(latent) & np.isfinite(position)
    latent, position = latent[good], position[good]
    if len(latent) < 3 or not np.ptp(position) > 0 or not np.ptp(latent) > 0:
        raise InputError(
            "the motion is too small to compare with pixels",
            text,
            hint="use another anchor, such as amplitude or displacement",
        )
    weight = np.ones(len(latent))
    for _ in range(10):
        slope, level = np.polyfit(latent, position, 1, w=weight)
        rest = position - (slope * latent + level)
        usual = max(1.5 * float(np.median(np.abs(rest))), 1e-9 * float(np.ptp(position)))
        weight = np.sqrt(1 / np.maximum(1.0, np.abs(rest) / (2 * usual)))
    low, high = float(latent.min()), float(latent.max())
    span = abs(float(slope)) * (high - low)
    bend = float(np.sqrt(np.mean(rest**2))) / max(span, 1e-12)
    if bend > _LOST:
        raise InputError(
            f"the moving thing was not followed well enough in the picture (it strays by {100 * bend:.0f} %)",
            text,
            hint='give a state instead: "state=0.20 m at clip NAME t=1.2"',
        )
    return (low, high), span, bend


def _smooth(track: Track) -> Array:
    """The law's own solution where there is one, else the latent."""
    return np.where(np.isfinite(track.fitted), track.fitted, track.latent)


def _noise(track: Track) -> float:
    rest = (track.latent - track.fitted)[track.used & np.isfinite(track.latent) & np.isfinite(track.fitted)]
    return float(np.sqrt(np.mean(rest**2))) if len(rest) else 0.0


def _reading(text: str, track: Track, time: float) -> tuple[float, float, float]:
    states = _smooth(track)
    good = np.isfinite(states) & np.isfinite(track.velocity)
    times = track.time[good]
    step = float(np.median(np.diff(times))) if len(times) > 1 else 0.0  # a typed time is rounded
    if len(times) < 2 or not times[0] - step <= time <= times[-1] + step:
        span = f"{times[0]:.3g} to {times[-1]:.3g} s" if len(times) else "no frame"
        raise InputError(
            f"t={time:g} is outside the fitted frames of {track.name} ({span})",
            text,
            hint="choose a time inside that span",
        )
    state = float(np.interp(time, times, states[good]))
    rate = float(np.interp(time, times, track.velocity[good]))
    return state, rate, _noise(track)


def _first_used(track: Track) -> float:
    good = np.flatnonzero(track.used & np.isfinite(track.latent))
    if not len(good):
        good = np.flatnonzero(np.isfinite(track.latent))
    return float(track.time[good[0]]) if len(good) else 0.0


def _number(text: str, number: str) -> float:
    try:
        value = float(number)
    except ValueError:
        raise InputError(
            f"'{number}' is not a number",
            text,
            max(text.find(number), 0),
            hint="write a number, such as 0.20 m",
        ) from None
    if not np.isfinite(value):
        raise InputError(
            f"'{number}' is out of range",
            text,
            max(text.find(number), 0),
            hint="choose another unit, so that the number is of ordinary size",
        )
    return value
