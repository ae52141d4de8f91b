"""The default method: several candidates, each from frames to parameters; the gate; one answer.

A candidate is a view of the clips and a filter.  The first that fits gives the others their start, so that a
second opinion is cheap; the spread over accepted candidates and over clips joins the formal error.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from identify.analysis import Analysis
from identify.fit.align import Transport, aligned
from identify.fit.candidate import Candidate, at_scale, fit_candidate
from identify.fit.encoder import latent_of, stored
from identify.fit.features import Filter, brightness_changes
from identify.fit.film import Array, Estimate, LawFit, Track, View
from identify.fit.gate import Verdict, explained, judge, strays, too_short, unexplained
from identify.fit.held import Held, held
from identify.fit.samples import Samples, smoothed
from identify.fit.seen import Seen, see
from identify.fit.torch_law import TorchLaw
from identify.law import Law, read_law

_LTI = "z'' + p*z' + q*(z - r) = 0"
_BENDS = 3.0  # a linear law this many times worse: the law's own scale shows
_WHOLE_BLURS, _VIEW_BLURS = (1.5, 1.0), (4.0, 2.5)  # film pixels
_LAST_BLURS = (8.0, 14.0)
_CROSSES = "something crosses the border, perhaps a hand, or the object itself"
_INSIDE = "film from further away, so that the whole motion is inside the picture; trim what is not"
_VAGUE = 0.5  # of a value
_CLEARER = "see to what is doubtful first: film the one moving object alone, or give --crop and --trim"
_MORE_TIME = "give it more time"
_ENOUGH = 3  # accepted candidates
_MOST_STRAY = 10.0  # errors grow with what noise does not explain, up to this factor

Progress = Callable[[float, str], object]
Marks = NDArray[np.bool_]  # by frame


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
    initial: Mapping[str, float] = field(default_factory=dict)  # where parameters start, by name
    interrupted: Callable[[], bool] = lambda: False  # whether the best so far is wanted now


def fit_views(
    law: Law,
    analysis: Analysis,
    views: Sequence[View],
    settings: Settings,
    progress: Progress,
    bad: Sequence[Marks] = (),
    doubted: Sequence[Marks] = (),
    position: Sequence[Array] = (),
) -> LawFit:
    """The law fitted to the clips, or the reason why it is not.

    ``bad`` marks frames to leave out, ``doubted`` those that count only where the fit fails without them;
    ``position`` is where the object is in each film, if known.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # many small operations: a second thread costs more than it brings
    try:
        clock = _Clock(settings.time_limit, settings.interrupted)
        if not any(d.any() for d in doubted):
            return _fit(_Solver(law, analysis, settings, clock, position), views, progress, bad)
        less = [d | b for d, b in zip(doubted, bad or doubted, strict=True)]
        without = _fit(_Solver(law, analysis, settings, clock, position), views, progress, less)
        if _sound(without) or clock.over():
            told = f"the frames in which {_CROSSES}, are left out"
            return dataclasses.replace(without, warnings=(told, *without.warnings))
        fit = _fit(_Solver(law, analysis, settings, clock, position), views, progress, bad)
        return fit if _sound(fit) else _spoilt(fit)
    finally:
        torch.set_num_threads(threads)


def _sound(fit: LawFit) -> bool:
    """Whether the law leaves nothing beyond noise: frames that show half an object would."""
    return fit.accepted and strays(fit.evidence) is None


def _spoilt(fit: LawFit) -> LawFit:
    """A refusal of clips in which something crosses the border, so that the law fails."""
    failure = fit.reason or strays(fit.evidence)
    reason = f"{_CROSSES}; with these frames or without them {failure}"
    return dataclasses.replace(fit, accepted=False, reason=reason, advice=fit.advice or _INSIDE)


def _fit(solver: _Solver, views: Sequence[View], progress: Progress, bad: Sequence[Marks]) -> LawFit:
    plan = _plan(views, solver.settings)
    try:
        for number, (view, filter, seed) in enumerate(plan):
            progress(number / (len(plan) + 1), f"fitting {view.name}, blur {filter.blur:g}")
            solver.attempt(view, filter, seed, bad)
            if solver.clock.over() or solver.agreed():
                solver.look_again(plan, bad)
                break
        else:
            solver.last_resort(views[0], bad, progress)
    except KeyboardInterrupt:  # what was found so far is a result
        solver.clock.stop()
        if not solver.tried:
            raise
    progress(len(plan) / (len(plan) + 1), "comparing with a linear law")
    return solver.answer()


def _plan(views: Sequence[View], settings: Settings) -> list[tuple[View, Filter, int]]:
    """Views with their filters, likeliest first; further seeds repeat the first view."""
    found: list[tuple[View, Filter, int]] = []
    for number, view in enumerate(views):
        bright = brightness_changes(view.films)
        blurs = _WHOLE_BLURS if len(views) == 1 else _VIEW_BLURS if number == 0 else _VIEW_BLURS[:1]
        found += [(view, Filter(blur, bright), settings.seed) for blur in blurs]
    for more in range(1, settings.seeds):
        found.append((views[0], found[0][1], settings.seed + more))
    return found


def _all_evidence(candidate: Candidate) -> dict[str, float]:
    found = {**candidate.seen.evidence, **candidate.evidence}
    if candidate.weak_residual == candidate.weak_residual:
        found["weak_residual"] = candidate.weak_residual
    return found


class _Solver:
    """The candidates tried so far, and the answer they give together."""

    def __init__(
        self, law: Law, analysis: Analysis, settings: Settings, clock: _Clock, position: Sequence[Array]
    ) -> None:
        self.law, self.settings, self.position = TorchLaw(law), settings, position
        self.freedom = held(analysis)
        self.transport = Transport(law, analysis)
        self.clock = clock
        self.tried: list[tuple[Candidate, Verdict]] = []

    def attempt(self, view: View, filter: Filter, seed: int, bad: Sequence[Marks]) -> None:
        """One more candidate; an accepted one of the same view gives it its start."""
        same = next((c for c, v in self.tried if v.accepted and _starts_others(c, view)), None)
        device = torch.device(self.settings.device)
        found = see(view, filter, device, seed, bad, None if same is None else same.seen, self.position)
        if isinstance(found, str):
            self.failure = found
            return
        known = None if same is None else same.refined
        candidate = fit_candidate(
            self.law, self.freedom, found, seed, self.clock.over, known, initial=self.settings.initial
        )
        self.tried.append((candidate, judge(_all_evidence(candidate))))

    def agreed(self) -> bool:
        """Whether enough candidates were accepted to tell their spread."""
        return (
            sum(v.accepted and c.refined is not None for c, v in self.tried)
            >= _ENOUGH + self.settings.seeds - 1
        )

    def look_again(self, plan: Sequence[tuple[View, Filter, int]], bad: Sequence[Marks]) -> None:
        """The view that the law follows best through the second filter, where only the first was tried."""
        best = self._best()
        blur = plan[1][1].blur if len(plan) > 1 else None
        if best is None or blur is None or best.seen.view.name == plan[0][0].name or self.clock.over():
            return
        self.attempt(
            best.seen.view, dataclasses.replace(best.seen.features.filter, blur=blur), self.settings.seed, bad
        )

    def _best(self) -> Candidate | None:
        fitted = [(c, v) for c, v in self.tried if c.refined is not None]
        return min(fitted, key=_order)[0] if fitted else None

    def last_resort(self, view: View, bad: Sequence[Marks], progress: Progress) -> None:
        """Stronger blurs where nothing was accepted: few frames of a fast motion overlap only then."""
        for blur in _LAST_BLURS:
            if any(v.accepted and c.refined is not None for c, v in self.tried) or self.clock.over():
                return
            if any(too_short(c.evidence) for c, _ in self.tried):
                return
            progress(0.95, f"fitting {view.name}, blur {blur:g}")
            filter = Filter(blur, brightness_changes(view.films))
            self.attempt(view, filter, self.settings.seed, bad)

    failure = "no frames lie along one curve"

    def answer(self) -> LawFit:
        """The best candidate with what all of them say about its errors."""
        fitted = [(c, v) for c, v in self.tried if c.refined is not None]
        summary = tuple(_summary(self.law, c, v) for c, v in self.tried)
        if not fitted:
            reason = next((c.failure for c, _ in self.tried if c.failure), self.failure)
            evidence = _all_evidence(self.tried[0][0]) if self.tried else {}
            advice = "check the law and its assumptions; --dry-run shows what would be fitted"
            reason, advice = explained(reason, advice, evidence)
            if self.clock.over():
                reason, advice = f"{self.clock.why} before a fit was found", _MORE_TIME
            return LawFit("default", False, reason, advice, None, (), evidence, candidates=summary)
        best, verdict = min(fitted, key=_order)
        evidence = _all_evidence(best)
        evidence |= {} if self.clock.over() else self._linear_comparison(best)
        others = [c for c, v in fitted if v.accepted and c is not best]
        estimate, spreads = self._estimate(best, others, evidence.get("lti_ratio", 1.0))
        verdict = _unless_vague(verdict, estimate)
        if self.clock.over():
            verdict = _cut_short(verdict, best, self.clock.why)
        weights, stored_settings = stored(best)
        return LawFit(
            "default",
            verdict.accepted,
            verdict.reason,
            verdict.advice,
            estimate,
            _tracks(best),
            evidence | spreads,
            (*verdict.warnings, *_left_open(best)),
            summary,
            weights,
            stored_settings,
        )

    def _estimate(
        self, best: Candidate, others: Sequence[Candidate], bend: float
    ) -> tuple[Estimate, dict[str, float]]:
        """Values; their error from residuals, clips, other candidates and other scales together."""
        refined = best.refined
        assert refined is not None
        theta = refined.theta
        gaps = [
            _bearing(best, other) * gap for other in others if (gap := self._gap(best, other)) is not None
        ]
        over_candidates = _second_moment(gaps, theta)
        over_scales = _second_moment(self._other_scales(best) if bend < _BENDS else [], theta)
        widest = torch.maximum(refined.formal.diagonal(), refined.clustered.diagonal())
        factor = (widest / refined.formal.diagonal().clamp_min(1e-300)).sqrt()
        factor = factor * min(unexplained(_all_evidence(best)), _MOST_STRAY)
        total = refined.formal * torch.outer(factor, factor) + over_candidates + over_scales
        relative = theta.abs().clamp_min(1e-12)
        evidence = {
            "clip_spread": _largest(refined.clustered.diagonal().sqrt() / relative),
            "candidate_spread": _largest(over_candidates.diagonal().sqrt() / relative),
            "scale_spread": _largest(over_scales.diagonal().sqrt() / relative),
        }
        values = (x.detach().cpu().numpy() for x in (theta, total, refined.formal))
        return Estimate(self.law.names, *values), evidence

    def _gap(self, best: Candidate, other: Candidate) -> Tensor | None:
        """How far another candidate's parameters lie from the best one's, at the same point of the orbit."""
        assert best.refined is not None
        assert other.refined is not None
        own, wanted = (_latents(c, best.seen.fitted) for c in (other, best))
        theta = best.refined.theta
        moved = aligned(self.transport, other.refined.theta, own, wanted, theta)
        return None if moved is None else moved - theta

    def _other_scales(self, best: Candidate) -> list[Tensor]:
        """Parameters at other latent scales that the frames allow almost as well.

        Where the law itself fixes the scale (an angle in a sine), a small motion hardly shows it: the error
        of every parameter that leans on the scale is then much larger than the curvature at the minimum says.
        """
        assert best.refined is not None
        if self.freedom.scale or not len(best.refined.theta) or self.clock.over():
            return []
        found = []
        for factors in ((1.15, 1.3, 2.0, 3.0, 5.0), (0.85, 0.7, 0.4)):
            for factor in factors:
                other = at_scale(self.law, self.freedom, best, factor, self.clock.over)
                if (
                    other is None
                    or self.clock.over()
                    or other.cost > (1 + 4 / max(best.evidence["periods"], 4)) * best.coarse_cost
                ):
                    break
                found.append(other.theta - best.refined.theta)
        return found

    def _linear_comparison(self, best: Candidate) -> dict[str, float]:
        """How much worse an affine linear law does; above 1 the declared law explains more."""
        linear = TorchLaw(read_law(_LTI))
        assert best.raw is not None
        other = fit_candidate(
            linear, Held(True, True), best.raw, self.settings.seed, self.clock.over, quick=True
        )
        if other.refined is None:
            return {}
        return {"lti_ratio": (other.coarse_cost / max(best.coarse_cost, 1e-300)) ** 0.5}


def _starts_others(candidate: Candidate, view: View) -> bool:
    """Whether another look at the view may start here; what took the straightest map is looked at afresh."""
    return candidate.seen.view.name == view.name and not candidate.evidence.get("straightened")


def _unless_vague(verdict: Verdict, estimate: Estimate) -> Verdict:
    """A doubtful fit that leaves every parameter uncertain by half its value is none."""
    error = np.sqrt(estimate.covariance.diagonal())
    if not verdict.accepted or not verdict.doubts or not len(error):
        return verdict
    if (error < _VAGUE * np.abs(estimate.values)).any():
        return verdict
    doubts = "; ".join(verdict.warnings)
    reason = f"no parameter is determined to better than {_VAGUE:.0%}; {doubts}"
    return dataclasses.replace(verdict, accepted=False, reason=reason, advice=_CLEARER)


def _left_open(best: Candidate) -> list[str]:
    """What was assumed of a coordinate that the clips do not determine."""
    if not best.evidence.get("straightened"):
        return []
    return ["doubtful: the clips leave the coordinate open; taken is the one straightest in the picture"]


def _cut_short(verdict: Verdict, best: Candidate, why: str) -> Verdict:
    """A fit that had no time: refused where it had not settled, else what was left undone is told."""
    assert best.refined is not None
    if best.refined.converged:
        told = f"{why}: this is the best result so far, and fewer others were compared with it"
        return dataclasses.replace(verdict, warnings=(*verdict.warnings, told))
    return dataclasses.replace(
        verdict, accepted=False, reason=f"{why} before the fit had settled", advice=_MORE_TIME
    )


def _second_moment(gaps: Sequence[Tensor], like: Tensor) -> Tensor:
    """The largest gap counts in full: few candidates are no sample from which to divide."""
    if not gaps:
        return torch.zeros(len(like), len(like)).to(like)
    spread = torch.stack(list(gaps)).abs().max(0).values
    return torch.diag(spread.square())


def _bearing(best: Candidate, other: Candidate) -> float:
    """The share of another candidate's gap that tells about the best one: all of it where both fit alike.

    An error in the coordinate biases parameters by its square, so that a coordinate that the law follows
    worse errs so much more, and most of the gap is its own.
    """
    worse = max(_score(other) / max(_score(best), 1e-300), 1.0)
    return math.sqrt(2 / (1 + worse**4))


def _latents(candidate: Candidate, films: Sequence[int]) -> list[Tensor]:
    refined = candidate.refined
    assert refined is not None
    places, usable = candidate.seen.places, candidate.seen.usable
    nan = float("nan")
    return [torch.where(usable[i], latent_of(places[i], refined), nan) for i in films]


def _order(pair: tuple[Candidate, Verdict]) -> tuple[bool, int, float]:
    """The least doubtful first; among those the one that noise explains best, as errors are told by that."""
    candidate, verdict = pair
    return not verdict.accepted, verdict.doubts, _score(candidate) * unexplained(_all_evidence(candidate))


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


def _largest(values: Tensor) -> float:
    return float(values.max()) if len(values) else 0.0


def _tracks(best: Candidate) -> tuple[Track, ...]:
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
            Track(
                film.name,
                film.role,
                film.time,
                latent.cpu().numpy(),
                velocity,
                fitted,
                off,
                used,
                film.reference,
            )
        )
    return tuple(found)


def _velocity(seen: Seen, number: int, latent: Tensor) -> Array:
    """The latent's rate of change from local polynomials, for frames without a fitted motion."""
    film = seen.view.films[number]
    if film.count < 6:
        return np.full(film.count, np.nan)
    clock = torch.from_numpy(film.time - film.time[0]).to(latent)
    samples = Samples(clock, latent, torch.zeros(film.count, dtype=torch.long, device=latent.device), 1)
    rate: Array = smoothed(samples, 0.2 * seen.tempo)[1].cpu().numpy().copy()
    return rate


class _Clock:
    """Whether the time limit has passed, or the user wants no more."""

    def __init__(self, limit: float | None, interrupted: Callable[[], bool]) -> None:
        self._end = None if limit is None else time.monotonic() + limit
        self._interrupted = interrupted
        self.why = "the time limit passed"

    def stop(self) -> None:
        """No more time from now on."""
        self._end, self.why = 0.0, "the fit was interrupted"

    def over(self) -> bool:
        if self._interrupted():
            self.stop()
        return self._end is not None and time.monotonic() > self._end
