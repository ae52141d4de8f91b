"""The films to make: which stretch of which clip, under which name, and why it begins and ends there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from identify.fit.film import Film
from identify.fit.prepare.prepared import Mask, Options, Trim
from identify.fit.prepare.refusal import leavers, suspects
from identify.fit.prepare.signals import Surveyed
from identify.fit.prepare.survey import Survey
from identify.fit.prepare.trim import least_frames


@dataclass(frozen=True)
class Piece:
    """One film to be: the number of its clip, its stretch, and the film without frames."""

    clip: int
    trim: Trim
    film: Film


def find_pieces(found: Surveyed, options: Options) -> list[Piece]:
    """Every film to make, in the order of the clips; the user's trims go before those found."""
    result = []
    longest = max((clip.count for clip in found.clips), default=0)
    for k, clip in enumerate(found.clips):
        least = least_frames(options.roles.get(clip.name, "train"), longest, len(found.clips))
        given = options.trims.get(clip.name)
        trims = _found(found, k) if given is None else _given(clip, given, least)
        for trim in trims:
            time = clip.time[trim.first : trim.last]
            film = Film(trim.film, time, np.zeros((0, 1, 1), np.uint8), options.roles.get(clip.name, "train"))
            result.append(Piece(k, trim, film))
    return result


def bad_frames(piece: Piece, found: Surveyed) -> Mask:
    """Frames of the film to leave out: repeated ones and flashes."""
    cut = slice(piece.trim.first, piece.trim.first + piece.film.count)
    return found.signals[piece.clip].repeated[cut] | found.flashes[piece.clip][cut]


def doubted_frames(piece: Piece, found: Surveyed) -> Mask:
    """Frames of the film that may show a hand, or of which a small clip does not show the whole object."""
    cut = slice(piece.trim.first, piece.trim.first + piece.film.count)
    signals = found.signals[piece.clip]
    result = np.zeros(piece.film.count, dtype=bool)
    if piece.trim.clip in suspects(found):
        result |= signals.hand[cut]
    if piece.trim.clip in leavers(found):
        result |= signals.leaves[cut]
    return result


def _given(clip: Survey, span: tuple[float | None, float | None], least: int) -> list[Trim]:
    """The stretch the user asked for, if it has enough frames."""
    start, stop = span
    first = int(np.searchsorted(clip.time, -np.inf if start is None else start - 1e-9))
    last = int(np.searchsorted(clip.time, np.inf if stop is None else stop + 1e-9))
    if last - first < least:
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
