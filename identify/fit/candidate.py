"""One candidate: a view of the clips and a filter, fitted from frames to parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from identify.fit.correction import find_correction
from identify.fit.held import Held
from identify.fit.least_squares import minimise
from identify.fit.refine import OutputError, Refined
from identify.fit.samples import Samples, smoothed
from identify.fit.seen import Seen
from identify.fit.splines import Spline
from identify.fit.starts import Start, search
from identify.fit.stated import straight_latents
from identify.fit.straight import find_straight
from identify.fit.torch_law import TorchLaw
from identify.fit.weak import WeakForm

ENCODER = 10  # coefficients of the encoder in the weak form
SMOOTH = 16  # coefficients of the map from latent to place
_CORRECTIONS = 2
_FEW = 26  # coefficients of a correction that few frames bear where the parameters are held
_OPEN = 5e-4  # bends of the map, by the spread of the places, that frames may leave open
_NO_WORSE = 1.5  # what the straightest map may leave, by what the best one does
_STARTS, _FINISHED = 6, 2
_TRIED, _POOR = 3, 0.01  # after so many starts none of which leaves less than this, no more are tried
_STEPS, _QUICK = 25, 6
_PIECE, _STRAYS = 3.0, 0.01  # periods in a piece; structure in the residual that calls for pieces
_WIDTHS, _BLURRED = (
    (0.6, 0.25, 0.1),
    0.03,
)  # of the tempo; a larger relative residual asks for shorter windows
_HOPELESS = 0.5  # relative weak residual beyond which no output error is tried


@dataclass(frozen=True)
class Candidate:
    """A finished candidate; ``refined`` is None where no law could be fitted, for ``failure``."""

    seen: Seen
    refined: Refined | None
    weak_theta: Tensor | None = None
    weak_residual: float = float("nan")
    failure: str | None = None
    coarse_cost: float = float("nan")  # of the fit to the raw places, to compare with others like it
    evidence: dict[str, float] = field(default_factory=dict)
    raw: Seen | None = None  # before the wobble was taken out with this law's help


def fit_candidate(
    law: TorchLaw,
    held: Held,
    seen: Seen,
    seed: int,
    stop: Callable[[], bool],
    known: Refined | None = None,
    quick: bool = False,
    initial: Mapping[str, float] | None = None,
) -> Candidate:
    """The law fitted to what is seen; ``known`` is a fit of the same clips to start from.

    ``quick`` leaves out what only matters for the last digits and for laws that hold but nearly; ``initial``
    gives values from which some parameters start, by name.
    """
    weak_theta, weak_residual = None, float("nan")
    initial = initial or {}
    error = OutputError(law, seen.samples, seen.tempo, held, initial)
    alike = None if known is None else _cut_alike(seen, known)
    if known is not None and alike is not None:
        error = OutputError(law, alike, seen.tempo, held, initial)
        found = [_from_known(error, known, stop)]
    elif error.all_stated:
        found = _from_stated(error, seen, stop)
    else:
        fitted = _weak_stage(law, held, seen, seed, _WIDTHS[:1] if quick else _WIDTHS, stop, initial)
        if isinstance(fitted, str):
            return Candidate(seen, None, failure=fitted)
        weak, starts = fitted
        weak_theta, weak_residual = starts[0].theta, starts[0].residual
        if weak_residual > _HOPELESS:
            failure = (
                f"the motion does not follow the declared law (relative weak residual {weak_residual:.2g})"
            )
            return Candidate(seen, None, weak_theta, weak_residual, failure)
        good = _distinct(law, [s for s in starts if s.residual < 3 * weak_residual + 0.02])
        found = _all_refined(error, seen, weak, good[:_FINISHED] if quick else good, stop, quick)
    finished = [r for r in found if r is not None]
    if not finished:
        failure = "the law does not follow the motion from any start"
        return Candidate(seen, None, weak_theta, weak_residual, failure)
    best = min(finished, key=lambda r: r.penalised)
    if quick:
        return Candidate(seen, best, weak_theta, weak_residual, None, best.cost, _evidence(seen, best))
    error, best = _straightened(seen, error, best, stop)
    straight = error.straight is not None
    whole = not straight and error.samples.clips == seen.samples.clips
    pieces = _in_pieces(law, held, seen, best, stop, initial) if whole else None
    if pieces is not None:
        error, best = pieces
    raw, coarse_cost = seen, best.cost
    seen, error, best = _corrected(seen, error, best, stop)
    evidence = _evidence(seen, best) | {"pieces": float(error.samples.clips), "straightened": float(straight)}
    return Candidate(seen, best, weak_theta, weak_residual, None, coarse_cost, evidence, raw)


def _straightened(
    seen: Seen, error: OutputError, best: Refined, stop: Callable[[], bool]
) -> tuple[OutputError, Refined]:
    """The fit whose map is straightest in the picture, for a stated start that the frames leave open.

    Without a stated start nothing is assumed beyond the law: what the clips leave open stays where it ended.
    """
    if not error.all_stated or best.bends <= _OPEN or stop():
        return error, best
    straight = find_straight(seen)
    if straight is None:
        return error, best
    trial = error.straightened(straight, best)
    tried = [_from_latent(trial, best.theta, best.start, best.motion.state, stop)]
    tried += _from_stated(trial, seen, stop)
    found = min((r for r in tried if r is not None), key=lambda r: r.penalised, default=best)
    if found is best or found.cost > _NO_WORSE * best.cost:
        return error, best
    trial.shooting.guess(seen.samples.time, seen.samples.clip, found.motion.state, found.motion.velocity)
    return trial, found


def _corrected(
    seen: Seen, error: OutputError, best: Refined, stop: Callable[[], bool]
) -> tuple[Seen, OutputError, Refined]:
    """The fit with the wobble of the places taken out, found and removed in turns."""
    raw, first, straight = seen, best, error.straight is not None
    for _ in range(_CORRECTIONS):
        mapped = best.spline.basis(best.motion.state) @ best.place_map
        correction = find_correction(raw.samples.place, mapped, _FEW if straight else 0)
        if correction is None or stop():
            break
        places = tuple(correction(place) for place in raw.places)
        samples = error.samples.at_places(correction(raw.samples.place))
        trial = error.of(samples)
        refined = trial.refine(
            best.theta, best.start, best.spline, best.place_map, _STEPS, trusted=True, stop=stop
        )
        if refined is None or refined.cost > best.cost:
            break
        whole = raw.samples.at_places(samples.place)
        seen = replace(raw, places=places, samples=whole, correction=correction)
        error, best = trial, refined
    if straight:  # the parameters were held, so that only the first fit tells their errors
        best = replace(best, formal=first.formal, clustered=first.clustered, flat=first.flat)
    return seen, error, best


def at_scale(
    law: TorchLaw, held: Held, candidate: Candidate, factor: float, stop: Callable[[], bool]
) -> Refined | None:
    """The raw places fitted again with the spread of the latent held at ``factor`` times what it was."""
    best, seen = candidate.refined, candidate.raw
    assert best is not None
    assert seen is not None
    samples = seen.samples
    if len(best.start) != samples.clips:
        samples, _ = samples.in_pieces(_PIECE * seen.tempo)
    error = OutputError(law, samples, seen.tempo, Held(True, held.origin, held.parameters))
    middle = best.motion.state.mean()  # an angle may swing about any full turn
    state, velocity = middle + factor * (best.motion.state - middle), factor * best.motion.velocity
    start = torch.stack([middle + factor * (best.start[:, 0] - middle), factor * best.start[:, 1]], 1)
    error.shooting.guess(samples.time, samples.clip, state, velocity)
    return _from_latent(error, best.theta, start, state, stop, quick=True)


def _in_pieces(
    law: TorchLaw,
    held: Held,
    seen: Seen,
    whole: Refined,
    stop: Callable[[], bool],
    stated: Mapping[str, float],
) -> tuple[OutputError, Refined] | None:
    """The fit with every clip cut in pieces of a few periods, where the law strays from the whole clip.

    No law is exact: a frequency that is off by a percent is out of step after ten periods, and a clock that
    stumbles once is wrong ever after.  Pieces with initial states of their own forgive both.
    """
    length = _PIECE * seen.tempo
    if float(seen.samples.duration().max()) < 1.5 * length or stop():
        return None
    evidence = _evidence(seen, whole)
    if evidence["structured_residual"] < max(_STRAYS, 2 * evidence["place_noise"]):
        return None
    samples, first = seen.samples.in_pieces(length)
    error = OutputError(law, samples, seen.tempo, held, stated)
    error.shooting.guess(samples.time, samples.clip, whole.motion.state, whole.motion.velocity)
    start = torch.stack([whole.motion.state[first], whole.motion.velocity[first]], 1)
    found = _from_latent(error, whole.theta, start, whole.motion.state, stop)
    return None if found is None else (error, found)


def _weak_stage(
    law: TorchLaw,
    held: Held,
    seen: Seen,
    seed: int,
    widths: Sequence[float],
    stop: Callable[[], bool],
    initial: Mapping[str, float],
) -> tuple[WeakForm, list[Start]] | str:
    """The weak form and its fits; shorter windows are tried where long ones blur an abrupt motion."""
    best: tuple[WeakForm, list[Start]] | None = None
    for width in widths:
        try:
            weak = WeakForm(law, seen.samples, seen.tempo, held, ENCODER, width)
        except ValueError as error:
            if best is None:
                return str(error)
            break
        starts = _weak_fits(weak, held, seed, stop, initial)
        if starts and (best is None or starts[0].residual < best[1][0].residual):
            best = (weak, starts)
        if best is not None and (best[1][0].residual < _BLURRED or stop()):
            break
    return best or "no start satisfies the law, its assumptions and its domain"


def _weak_fits(
    weak: WeakForm, held: Held, seed: int, stop: Callable[[], bool], initial: Mapping[str, float]
) -> list[Start]:
    """The starts after some steps of the weak form, best first."""
    size = weak.spline.size
    found: list[Start] = []
    for start in search(weak, held, _STARTS, seed, stop):
        theta = start.theta.clone()
        for name, value in initial.items():
            theta[weak.law.names.index(name)] = value
        if found and stop():
            break
        minimum = minimise(weak.problem, torch.cat([start.encoder, theta]), 30, 1e-4, stop)
        if minimum is not None:
            encoder, theta = minimum.point[:size], minimum.point[size:]
            residual = weak.residual(encoder, theta)
            if residual is not None:
                found.append(Start(encoder, theta, float(residual.norm())))
    return sorted(found, key=lambda start: start.residual)


def _all_refined(
    error: OutputError,
    seen: Seen,
    weak: WeakForm,
    starts: Sequence[Start],
    stop: Callable[[], bool],
    quick: bool,
) -> list[Refined | None]:
    """Starts refined in turn, until one leaves no more than noise; at least two where there are two."""
    found: list[Refined | None] = []
    for start in starts:
        refined = _refined(error, weak, start, stop, quick)
        found.append(refined)
        good = [r for r in found if r is not None]
        if len(found) >= _FINISHED and any(_only_noise(seen, r) for r in good):
            break
        if len(found) >= _TRIED and all(r.cost > _POOR for r in good):
            break
        if stop():
            break
    return found


def _only_noise(seen: Seen, refined: Refined) -> bool:
    evidence = _evidence(seen, refined)
    return evidence["structured_residual"] < max(evidence["place_noise"], 1e-3)


def _cut_alike(seen: Seen, known: Refined) -> Samples | None:
    """The frames in clips, or in pieces of clips, as a known fit has them; None where they differ."""
    if len(known.start) == seen.samples.clips:
        return seen.samples
    samples, _ = seen.samples.in_pieces(_PIECE * seen.tempo)
    return samples if samples.clips == len(known.start) else None


def _distinct(law: TorchLaw, starts: Sequence[Start]) -> list[Start]:
    """Starts that did not end at the same law, whatever its parameters: many may give the same one."""
    inner = [law.names.index(p.name) for p in law.terms().nonlinear]
    kept: list[tuple[float, Tensor]] = []
    found = []
    for start in starts:
        told = torch.cat([law.coefficients(start.theta), start.theta[inner]]).abs()
        same = [t for residual, t in kept if abs(residual - start.residual) < 1e-3 * residual]
        if not any(torch.allclose(t, told, rtol=1e-2, atol=1e-6) for t in same):
            kept.append((start.residual, told))
            found.append(start)
    return found


def _refined(
    error: OutputError, weak: WeakForm, start: Start, stop: Callable[[], bool], quick: bool
) -> Refined | None:
    z, v = weak.latent(start.encoder)
    first = torch.stack([error.samples.of(c)[0] for c in range(error.samples.clips)])
    error.shooting.guess(error.samples.time, error.samples.clip, z, v)
    return _from_latent(error, start.theta, torch.stack([z[first], v[first]], 1), z, stop, quick)


def _from_stated(error: OutputError, seen: Seen, stop: Callable[[], bool]) -> list[Refined | None]:
    """The fit from the stated parameters: straight latents a few steps each, the best of them to the end."""
    theta = torch.tensor([error.stated[name] for name in error.law.names]).to(seen.samples.place)
    first = torch.stack([seen.samples.of(clip)[0] for clip in range(seen.samples.clips)])
    tried = []
    for latent, velocity in straight_latents(error.law, seen, theta):
        error.shooting.guess(seen.samples.time, seen.samples.clip, latent, velocity)
        start = torch.stack([latent[first], velocity[first]], 1)
        refined = _from_latent(error, theta, start, latent, stop, quick=True)
        tried += [] if refined is None else [refined]
        if tried and stop():
            break
    tried.sort(key=lambda refined: refined.penalised)
    return [_from_latent(error, r.theta, r.start, r.motion.state, stop) for r in tried[:_FINISHED]]


def _from_known(error: OutputError, known: Refined, stop: Callable[[], bool]) -> Refined | None:
    motion = error.shooting.run(known.start, known.theta, derivatives=False)
    if motion is None:
        return None
    return _from_latent(error, known.theta, known.start, motion.state, stop)


def _from_latent(
    error: OutputError,
    theta: Tensor,
    start: Tensor,
    latent: Tensor,
    stop: Callable[[], bool],
    quick: bool = False,
) -> Refined | None:
    """The fit with few coefficients from latent to place."""
    low, high = float(latent.min()), float(latent.max())
    if not high > low:
        return None
    size = min(SMOOTH, max(6, error.samples.count // 6))
    spline = Spline(low - 0.02 * (high - low), high + 0.02 * (high - low), size)
    basis, rough = spline.basis(latent), spline.roughness(latent, 3)
    normal = basis.T @ basis + 1e-2 * rough.T @ rough + 1e-9 * torch.eye(size).to(latent)
    place_map = torch.linalg.solve(normal, basis.T @ error.samples.place)
    return error.refine(theta, start, spline, place_map, _QUICK if quick else _STEPS, quick=quick, stop=stop)


def _evidence(seen: Seen, refined: Refined) -> dict[str, float]:
    """Diagnostics of the finished fit."""
    samples = seen.samples
    spread = float(samples.place.std())
    value, _ = smoothed(samples, 0.15 * seen.tempo)
    noise = float((samples.place - value).square().mean().sqrt())
    structure, _ = smoothed(samples.at_places(refined.residual), 0.15 * seen.tempo, 2)
    low, high = float(refined.motion.state.min()), float(refined.motion.state.max())
    grid = torch.linspace(low, high, 200).to(samples.place)
    slope = refined.spline.evaluate(grid, refined.place_map)[1]
    slope = slope * torch.sign(slope.median())
    return {
        "place_noise": noise / spread,
        "output_residual": float(refined.residual.square().mean().sqrt()) / spread,
        "structured_residual": float(structure.square().mean().sqrt()) / spread,
        "least_slope": float(slope.min() / slope.median().clamp_min(1e-300)),
        "flat_directions": float(refined.flat),
        "outliers": float((refined.residual.abs() > 5 * max(refined.spread, 1e-12)).double().mean()),
        "periods": float(samples.duration().sum()) / seen.tempo,
        "longest_periods": float(samples.duration().max()) / seen.tempo,
    }
