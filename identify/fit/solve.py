"""The default method: several candidates, each from frames to parameters; the gate; one answer.

A candidate is a view of the clips and a filter.  The first that fits gives the others their start, so that a
second opinion is cheap; the spread over accepted candidates and over clips joins the formal error.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from identify.analysis import Analysis
from identify.fit.candidate import Candidate, Seen, fit_candidate, see
from identify.fit.encoder import latent_of, stored
from identify.fit.features import Filter, brightness_changes
from identify.fit.film import Array, Estimate, LawFit, Track, View
from identify.fit.gate import Verdict, judge
from identify.fit.held import Held, held
from identify.fit.samples import smoothed
from identify.fit.torch_law import TorchLaw
from identify.law import Law, read_law

_LTI = "z'' + p*z' + q*(z - r) = 0"
_SECOND_BLUR = 1.0

Progress = Callable[[float, str], object]


@dataclass(frozen=True)
class Settings:
    """How to fit: seeds, device, time limit in seconds.

    The whole fit takes seconds, so that ``resume`` starts it anew; ``checkpoint`` is for slower methods.
    """

    seed: int = 0
    seeds: int = 1
    device: str = "cpu"
    time_limit: float | None = None
    checkpoint: Path | None = None
    resume: bool = False


def fit_views(
    law: Law,
    analysis: Analysis,
    views: Sequence[View],
    settings: Settings,
    progress: Progress,
    bad: Sequence[NDArray[np.bool_]] = (),
) -> LawFit:
    """The law fitted to the clips, or the reason why it is not; ``bad`` marks frames to leave out."""
    torch_law, device = TorchLaw(law), torch.device(settings.device)
    clock = _Clock(settings.time_limit)
    freedom = held(analysis)
    tried: list[tuple[Candidate, Verdict]] = []
    plan = _plan(views, settings)
    for number, (view, filter, seed) in enumerate(plan):
        progress(number / (len(plan) + 1), f"fitting {view.name}, blur {filter.blur:g}")
        known = next((c.refined for c, v in tried if v.accepted and c.seen.view.name == view.name), None)
        found = see(view, filter, device, seed, bad)
        if isinstance(found, str):
            continue
        candidate = fit_candidate(torch_law, freedom, found, seed, clock.over, known)
        tried.append((candidate, judge(_all_evidence(candidate))))
        if clock.over():
            break
    progress(len(plan) / (len(plan) + 1), "comparing with a linear law")
    return _answer(torch_law, tried, freedom, settings, clock)


def _plan(views: Sequence[View], settings: Settings) -> list[tuple[View, Filter, int]]:
    """Views with their filters, likeliest first; further seeds repeat the first view."""
    found: list[tuple[View, Filter, int]] = []
    for view in views:
        bright = brightness_changes(view.films)
        found.append((view, Filter(1.5, bright), settings.seed))
        if len(views) == 1:
            found.append((view, Filter(_SECOND_BLUR, bright), settings.seed))
    for more in range(1, settings.seeds):
        found.append((views[0], found[0][1], settings.seed + more))
    return found


def _all_evidence(candidate: Candidate) -> dict[str, float]:
    found = {**candidate.seen.evidence, **candidate.evidence}
    if candidate.weak_residual == candidate.weak_residual:
        found["weak_residual"] = candidate.weak_residual
    return found


def _answer(
    law: TorchLaw,
    tried: Sequence[tuple[Candidate, Verdict]],
    freedom: Held,
    settings: Settings,
    clock: _Clock,
) -> LawFit:
    fitted = [(c, v) for c, v in tried if c.refined is not None]
    summary = tuple(_summary(law, c, v) for c, v in tried)
    if not fitted:
        reason = next((c.failure for c, _ in tried if c.failure), "no frames lie along one curve")
        evidence = _all_evidence(tried[0][0]) if tried else {}
        advice = "check the law and its assumptions; --dry-run shows what would be fitted"
        return LawFit("default", False, reason, advice, None, (), evidence, candidates=summary)
    best, verdict = min(fitted, key=lambda pair: (not pair[1].accepted, pair[1].doubts, _score(pair[0])))
    accepted = [c for c, v in fitted if v.accepted] or [best]
    evidence = _all_evidence(best)
    evidence |= {} if clock.over() else _linear_comparison(law, best, settings)
    estimate, spreads = _estimate(law, best, accepted, freedom)
    return LawFit(
        "default",
        verdict.accepted,
        verdict.reason,
        verdict.advice,
        estimate,
        _tracks(law, best),
        evidence | spreads,
        verdict.warnings,
        summary,
        *stored(best),
    )


def _score(candidate: Candidate) -> float:
    return candidate.evidence.get("output_residual", float("inf"))


def _summary(law: TorchLaw, candidate: Candidate, verdict: Verdict) -> Mapping[str, Any]:
    theta = None if candidate.refined is None else candidate.refined.theta.tolist()
    return {
        "view": candidate.seen.view.name,
        "blur": candidate.seen.features.filter.blur,
        "accepted": verdict.accepted and candidate.refined is not None,
        "reason": candidate.failure or verdict.reason,
        "parameters": None if theta is None else dict(zip(law.names, theta, strict=True)),
        "evidence": _all_evidence(candidate),
    }


def _estimate(
    law: TorchLaw, best: Candidate, accepted: Sequence[Candidate], freedom: Held
) -> tuple[Estimate, dict[str, float]]:
    """The values with formal error, dependence within clips, and spread over candidates added up."""
    refined = best.refined
    assert refined is not None
    theta = refined.theta
    others = [c.refined.theta for c in accepted if c.refined is not None]
    spread = torch.zeros_like(refined.formal)
    if len(others) > 1 and not freedom.scale and not freedom.origin:
        gap = torch.stack(others) - theta
        spread = gap.T @ gap / (len(others) - 1)
    elif len(others) > 1:
        spread = _aligned_spread(best, accepted)
    covariance = torch.maximum(refined.formal.diagonal(), refined.clustered.diagonal())
    scale = (covariance / refined.formal.diagonal().clamp_min(1e-300)).sqrt()
    total = refined.formal * torch.outer(scale, scale) + spread
    relative = theta.abs().clamp_min(1e-12)
    evidence = {
        "clip_spread": _largest(refined.clustered.diagonal().sqrt() / relative),
        "candidate_spread": _largest(spread.diagonal().sqrt() / relative),
    }
    return Estimate(law.names, theta.cpu().numpy(), total.cpu().numpy(), refined.formal.cpu().numpy()), evidence


def _aligned_spread(best: Candidate, accepted: Sequence[Candidate]) -> Tensor:
    """The spread over candidates once each sits at the best one's point of the orbit.

    Scale and origin are held at slightly different values in each candidate; parameters that move with them
    would spread for that reason alone, so only the part that the formal error does not explain is kept.
    """
    refined = best.refined
    assert refined is not None
    mean, std = refined.motion.state.mean(), refined.motion.state.std()
    gaps = []
    for other in accepted:
        if other.refined is None or other is best:
            continue
        away = other.refined.motion.state
        near = abs(float(away.mean() - mean)) < 0.02 * float(std) and abs(float(away.std() / std) - 1) < 0.02
        if near:
            gaps.append(other.refined.theta - refined.theta)
    if not gaps:
        return torch.zeros_like(refined.formal)
    gap = torch.stack(gaps)
    return gap.T @ gap / len(gaps)


def _largest(values: Tensor) -> float:
    return float(values.max()) if len(values) else 0.0


def _linear_comparison(law: TorchLaw, best: Candidate, settings: Settings) -> dict[str, float]:
    """How much worse an affine linear law follows the same places: above 1, the declared law explains more."""
    linear = TorchLaw(read_law(_LTI))
    other = fit_candidate(linear, Held(True, True), best.seen, settings.seed, lambda: True)
    if other.refined is None:
        return {}
    own = best.evidence["output_residual"]
    return {"lti_ratio": other.evidence["output_residual"] / max(own, 1e-12)}


def _tracks(law: TorchLaw, best: Candidate) -> tuple[Track, ...]:
    seen, refined = best.seen, best.refined
    assert refined is not None
    found = []
    usual = torch.cat([seen.distances[i] for i in seen.fitted]).median().clamp_min(1e-12)
    for i, film in enumerate(seen.view.films):
        latent = latent_of(seen.places[i], refined)
        fitted = np.full(film.count, np.nan)
        used = np.zeros(film.count, dtype=bool)
        velocity = _velocity(seen, i, latent)
        if i in seen.fitted:
            number = seen.fitted.index(i)
            used = seen.usable[i].cpu().numpy().copy()
            own = seen.samples.of(number)
            fitted[used] = refined.motion.state[own].cpu().numpy()
            velocity[used] = refined.motion.velocity[own].cpu().numpy()
        off = (seen.distances[i] / usual).cpu().numpy()
        found.append(
            Track(film.name, film.role, film.time, latent.cpu().numpy(), velocity, fitted, off, used, film.reference)
        )
    return tuple(found)


def _velocity(seen: Seen, number: int, latent: Tensor) -> Array:
    """The latent's rate of change from local polynomials, for frames without a fitted motion."""
    from identify.fit.samples import Samples

    film = seen.view.films[number]
    if film.count < 6:
        return np.full(film.count, np.nan)
    clock = torch.from_numpy(film.time - film.time[0]).to(latent)
    samples = Samples(clock, latent, torch.zeros(film.count, dtype=torch.long, device=latent.device), 1)
    rate: Array = smoothed(samples, 0.2 * seen.tempo)[1].cpu().numpy().copy()
    return rate


class _Clock:
    """Whether the time limit has passed."""

    def __init__(self, limit: float | None) -> None:
        self._end = None if limit is None else time.monotonic() + limit

    def over(self) -> bool:
        return self._end is not None and time.monotonic() > self._end
