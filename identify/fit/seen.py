"""From frames to places on a curve: what a law can be fitted to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from identify.fit.correction import Correction
from identify.fit.curve import STIFF, SUPPLE, Curve, curves_at, find_curves
from identify.fit.diagnostics import closed, other_change, stumbles
from identify.fit.features import Features, Filter, learn
from identify.fit.film import Array, Film, View
from identify.fit.samples import Samples, roughness, spread_out

_LEAST_FRAMES = 5
_FAR = 6.0  # frames farther from the curve than this many usual distances are left out
_CURVE_FRAMES = 2000  # frames from which the curve is found
_NEAR = 0.06  # of the frames' spread: closer than this they lie on the curve but for noise
_FOLLOWED = 0.5  # of the frames
Way = tuple[Curve, tuple[Tensor, ...], tuple[Tensor, ...], tuple[Tensor, ...], Samples]


@dataclass(frozen=True)
class Seen:
    """The clips as places on a curve: what a law can be fitted to."""

    view: View
    features: Features
    curve: Curve
    places: tuple[Tensor, ...]  # one for each film, test films too
    distances: tuple[Tensor, ...]
    usable: tuple[Tensor, ...]  # frames of the training films that take part
    samples: Samples
    fitted: tuple[int, ...]  # numbers of the films that the samples hold, in order
    tempo: float
    evidence: dict[str, float]
    correction: Correction | None = None  # already applied to places and samples


def see(
    view: View,
    filter: Filter,
    device: torch.device,
    seed: int,
    bad: Sequence[NDArray[np.bool_]] = (),
    known: Seen | None = None,
    position: Sequence[Array] = (),
) -> Seen | str:
    """The view's curve and the frames' places on it, or why there is none; ``bad`` frames do not count.

    ``known`` is the same view through another filter; ``position`` is where the object is in each film.
    """
    train = [film for film in view.films if film.role == "train" and film.count >= _LEAST_FRAMES]
    if not train:
        return "no training clip has enough frames"
    fitted = tuple(i for i, film in enumerate(view.films) if film in train)
    good = [torch.from_numpy(~b).to(device) for b in _marks(view, bad)]
    features = learn([_cleared(view.films[i], good[i]) for i in fitted], filter, device, seed)
    points = [features.of(film.frames) for film in view.films]
    learned = torch.cat([points[i][good[i]] for i in fitted])
    if float(learned.std(0).max()) <= 1e-9:
        return "nothing changes in the picture"
    chosen = spread_out(len(learned), max(1, len(learned) // _CURVE_FRAMES), seed).to(device)
    thinned = learned[chosen]
    before = None if known is None else torch.cat([known.places[i][good[i]] for i in fitted])[chosen]
    sizes = SUPPLE if known is None else SUPPLE[1:]
    curves = find_curves(thinned, sizes, before)
    found = _ways(view, points, curves, fitted, good)
    if not found:
        return "too few frames lie along one curve"
    total = float((learned - learned.mean(0)).square().sum(1).mean())
    closest = torch.cat([found[-1][2][i][good[i]] for i in fitted])  # distances from the supplest curve
    nearness = float(closest.square().median() / max(total, 1e-300)) ** 0.5
    way = found[-1]
    if nearness >= _NEAR:
        # Frames that keep to the supplest curve define it well.  Where something else changes too, that curve
        # chases it, and the better coordinate is the one that moves more smoothly from frame to frame.
        fewer = STIFF if known is None else (*STIFF, *SUPPLE[:1])
        found += _ways(view, points, find_curves(thinned, fewer), fitted, good)
        farthest = max(_off(way, fitted, good) for way in found)
        tracked = _ways(view, points, _tracked(points, position, fitted, good), fitted, good)
        # A curve that is farther from its frames than the stiffest joins pictures that differ.
        found += [way for way in tracked if _off(way, fitted, good) <= farthest]
        way = min(found, key=lambda way: roughness(way[-1]))
    curve, places, distances, usable, samples = way
    spent = torch.cat([distances[i][good[i]] for i in fitted])
    own = [[x[i] for i in fitted] for x in (points, places, usable)]
    tempo = samples.tempo()
    evidence = {
        "tempo": tempo,
        "curve_residual": float(spent.square().median()) / total / max(learned.shape[1] - 1, 1),
        "off_curve_share": float((spent > _FAR * spent.median()).double().mean()),
        "curve_spread": nearness,
        "motion_over_noise": curve.length / max(curve.noise, 1e-12),
        "other_change": other_change(own[0], own[1], own[2], curve),
        "stumbles": stumbles(samples),
        "closed": closed([points[i][good[i]] for i in fitted], seed),
    }
    return Seen(view, features, curve, places, distances, usable, samples, fitted, tempo, evidence)


def _tracked(
    points: Sequence[Tensor], position: Sequence[Array], fitted: Sequence[int], good: Sequence[Tensor]
) -> list[Curve]:
    """Curves through the mean picture at each position of the object; none where it was not followed."""
    if len(position) != len(points):
        return []
    at = {i: torch.from_numpy(position[i]).to(points[i]) for i in fitted}
    sure = {i: good[i] & torch.isfinite(at[i]) for i in fitted}
    place = torch.cat([at[i][sure[i]] for i in fitted])
    if len(place) < _FOLLOWED * sum(int(good[i].sum()) for i in fitted):
        return []
    low, high = place.min(), place.max()
    if not bool(high > low):
        return []
    return curves_at(
        torch.cat([points[i][sure[i]] for i in fitted]), (place - low) / (high - low), (*STIFF, *SUPPLE)
    )


def _ways(
    view: View,
    points: Sequence[Tensor],
    curves: Sequence[Curve],
    fitted: Sequence[int],
    good: Sequence[Tensor],
) -> list[Way]:
    """The frames along each of the curves, where enough of them lie along it."""
    ways = [_along(view, points, curve, fitted, good) for curve in curves]
    return [way for way in ways if way is not None]


def _off(way: Way, fitted: Sequence[int], good: Sequence[Tensor]) -> float:
    """How far a usual frame is from the curve."""
    return float(torch.cat([way[2][i][good[i]] for i in fitted]).median())


def _marks(view: View, bad: Sequence[NDArray[np.bool_]]) -> list[NDArray[np.bool_]]:
    """The marks of every film; none where they were not given."""
    if len(bad) == len(view.films):
        return list(bad)
    return [np.zeros(film.count, dtype=bool) for film in view.films]


def _cleared(film: Film, good: Tensor) -> Film:
    """The film without its marked frames."""
    if bool(good.all()):
        return film
    keep = good.cpu().numpy()
    return replace(film, time=film.time[keep], frames=film.frames[keep], reference=None)


def _along(
    view: View,
    points: Sequence[Tensor],
    curve: Curve,
    fitted: Sequence[int],
    good: Sequence[Tensor],
) -> Way | None:
    """The frames' places on one curve, their distances from it, which frames count, and the samples."""
    projected = [curve.project(p) for p in points]
    places, distances = tuple(p for p, _ in projected), tuple(d for _, d in projected)
    usual = torch.cat([distances[i][good[i]] for i in fitted]).median()
    usable = tuple((d <= _FAR * usual) & g for d, g in zip(distances, good, strict=True))
    samples = _samples(view.films, places, usable, fitted)
    return None if samples is None else (curve, places, distances, usable, samples)


def _samples(
    films: Sequence[Film], places: Sequence[Tensor], usable: Sequence[Tensor], fitted: Sequence[int]
) -> Samples | None:
    time, place, clip = [], [], []
    for number, i in enumerate(fitted):
        keep = usable[i]
        if int(keep.sum()) < _LEAST_FRAMES:
            return None
        at = torch.from_numpy(films[i].time).to(places[i])
        time.append(at[keep] - at[keep][0])
        place.append(places[i][keep])
        clip.append(torch.full((int(keep.sum()),), number, device=places[i].device))
    return Samples(torch.cat(time), torch.cat(place), torch.cat(clip), len(fitted))
