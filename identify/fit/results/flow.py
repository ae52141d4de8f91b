"""A folder of clips -> a run folder: experiment, clips, films, fit, conclusion, report; in this order."""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from identify.analysis import Analysis
from identify.errors import InputError
from identify.fit.film import Array, LawFit
from identify.fit.results.anchor import check_anchors, placeable
from identify.fit.results.conclusion import Conclusion, conclude
from identify.fit.results.derived import read_derivations, read_known
from identify.fit.results.filmed import Filmed, Plan, clock_reminder, film
from identify.fit.results.folder import is_complete, write_run
from identify.fit.results.html import report_page
from identify.fit.results.pictures import pictures
from identify.fit.results.progress import Progress

_LEAST_PAIRS = 10

Kind = TypeVar("Kind")


def run(plan: Plan, progress: Progress, *, isolated: bool = False) -> Conclusion:
    """Fit and write the run folder; a refusal is a result too.  ``isolated`` is passed on to the analysis."""
    from identify.engine import analyze

    _check(plan)
    clock = _Clock()
    analysis = analyze(plan.law, isolated=isolated)
    clock.lap("analysis")
    filmed = film(plan, progress.part(0.0, 0.35), clock.since)
    clock.lap("reading")
    interrupted = False
    if filmed.refused:
        fit = _refusal(plan, filmed)
    else:
        left = None if plan.time_limit is None else max(plan.time_limit - clock.since(), 0.01)
        within = _replaced(plan, time_limit=left)  # the limit is for the whole command
        fit, interrupted = _fitted(within, analysis, filmed, progress.part(0.35, 0.95))
    clock.lap("fitting")
    with progress.patient():
        return _concluded(plan, analysis, filmed, fit, interrupted, clock, progress)


def _concluded(
    plan: Plan,
    analysis: Analysis,
    filmed: Filmed,
    fit: LawFit,
    interrupted: bool,
    clock: _Clock,
    progress: Progress,
) -> Conclusion:
    """The run folder written; an earlier one stays where an interrupt left nothing to put in its place."""
    anchors, told = placeable(plan.asked.anchors, plan.law, fit, analysis.route.name == "canonical")
    kept = interrupted and fit.estimate is None and is_complete(plan.out)
    told = [*told, f"the earlier run in {plan.out} is kept"] if kept else [*told]
    conclusion = conclude(
        plan.law,
        analysis,
        _replaced(fit, warnings=(*fit.warnings, *told)),
        _replaced(plan.asked, anchors=tuple(anchors)),
        truth=filmed.truth,
        data=filmed.data,
        seconds=clock.seconds(),
        seed=plan.seed,
        interrupted=interrupted,
    )
    progress.part(0.95, 1.0)(0.2, "writing the report")
    if not kept:
        page = report_page(conclusion.document, [*pictures(conclusion), *filmed.pictures])
        write_run(plan.out, conclusion, configuration(plan), page)
    return conclusion


def _check(plan: Plan) -> None:
    """Everything a user may have mistyped, before the work begins."""
    check_anchors(plan.asked.anchors, plan.law)
    known = read_known(plan.asked.known, plan.law)
    read_derivations(plan.asked.derive, plan.law, known)
    if plan.preset is not None:
        from identify.fit.paper.presets import published

        published(plan.law, plan.preset)
    if plan.out.exists() and not plan.out.is_dir():
        raise InputError(f"{plan.out} is a file", hint="give a folder with --out")
    if plan.device == "cuda":
        import torch

        if not torch.cuda.is_available():
            raise InputError("torch finds no CUDA device here", hint="leave out --device cuda")


def _fitted(plan: Plan, analysis: Analysis, filmed: Filmed, progress: Progress) -> tuple[LawFit, bool]:
    """The fit, or the best so far where it was interrupted."""
    try:
        fit = solve(plan, analysis, filmed.prepared, progress)
    except KeyboardInterrupt:
        told = "it was interrupted before there was a result"
        go_on = " or continue with --resume" if plan.method == "paper" else ""
        fit = _empty(plan.method, told, f"let it run longer{go_on}", filmed)
    reminder = [] if filmed.clock_stated else clock_reminder(fit.evidence)
    warnings = tuple(dict.fromkeys([*filmed.warnings, *fit.warnings, *reminder]))
    fit = _with_scene(_replaced(fit, warnings=warnings), filmed)
    return _with_pixels(fit, filmed.prepared), progress.interrupted


def solve(plan: Plan, analysis: Analysis, prepared: Any, progress: Progress) -> LawFit:
    """The method that was asked for, on the prepared films."""
    checkpoint = plan.out / "checkpoint.safetensors"
    if plan.method == "paper":
        return _with_recipe(_paper(plan, analysis, prepared, checkpoint, progress), prepared)
    from identify.fit.solve import Settings, fit_views

    settings = Settings(
        seed=plan.seed,
        seeds=plan.seeds,
        device=plan.device,
        time_limit=plan.time_limit,
        checkpoint=checkpoint,
        resume=plan.resume,
        interrupted=lambda: progress.interrupted,
    )
    with progress.patient():
        fit: LawFit = fit_views(
            plan.law,
            analysis,
            prepared.views,
            settings,
            progress,
            prepared.bad,
            prepared.doubted,
            prepared.position,
        )
    return _with_recipe(_blamed(fit, prepared), prepared)


def _blamed(fit: LawFit, prepared: Any) -> LawFit:
    """A refusal that names the other things that move: the law may be that of another one."""
    others = round(prepared.evidence.get("other_movers", 0))
    if fit.accepted or not others:
        return fit
    reason = f"{fit.reason}; {others + 1} things move on their own, and the films show one of them"
    advice = "give the region of the one that follows the law with --crop"
    return _replaced(fit, reason=reason, advice=f"{fit.advice}; {advice}" if fit.advice else advice)


def _paper(plan: Plan, analysis: Analysis, prepared: Any, checkpoint: Path, progress: Progress) -> LawFit:
    """The paper's method sees the first view; of several seeds the accepted one with the least residual."""
    from identify.fit.paper.fit import fit_paper
    from identify.fit.paper.presets import published
    from identify.fit.paper.run import PaperRun
    from identify.fit.paper.settings import with_changes

    settings = published(plan.law, plan.preset)
    if plan.updates is not None:
        settings = with_changes(settings, {"updates": plan.updates})
    plan.out.mkdir(parents=True, exist_ok=True)
    fits: list[LawFit] = []
    limit = None if plan.time_limit is None else plan.time_limit / plan.seeds
    for number in range(plan.seeds):

        def told(step: int, total: int, loss: float, number: int = number) -> None:
            progress((number + step / max(total, 1)) / plan.seeds, f"training, loss {loss:.3g}")

        place = checkpoint if plan.seeds == 1 else checkpoint.with_stem(f"checkpoint-{number}")
        run = PaperRun(plan.seed + number, plan.device, limit, place, resume=plan.resume, progress=told)
        fits.append(fit_paper(plan.law, analysis, prepared.views[0], settings, run))
        if progress.interrupted:
            break
    return min(fits, key=lambda f: (not f.accepted, f.evidence.get("weak_residual", float("inf"))))


def _with_recipe(fit: LawFit, prepared: Any) -> LawFit:
    """The fit with how its view is made from raw frames, so that new frames can be encoded."""
    recipes = {recipe.name: recipe for recipe in getattr(prepared, "recipes", ())}
    recipe = recipes.get(str(fit.settings.get("view"))) or next(iter(recipes.values()), None)
    if recipe is None or not fit.weights:
        return fit
    kept = dataclasses.asdict(dataclasses.replace(recipe, background=None))
    plain = {name: value for name, value in kept.items() if name != "background"}
    weights = dict(fit.weights)
    if recipe.background is not None:
        weights["recipe.background"] = np.asarray(recipe.background)
    return _replaced(fit, weights=weights, settings={**fit.settings, "recipe": plain})


def _with_scene(fit: LawFit, filmed: Filmed) -> LawFit:
    """The fit with the empty scene, against which new clips are levelled and moved back."""
    from identify.fit.results.evened import SETTING, WEIGHT, kept

    background = getattr(filmed.prepared, "background", None)
    if background is None or "recipe" not in fit.settings:
        return fit
    weight, setting = kept(background, filmed.size, filmed.crop)
    return _replaced(
        fit, weights={**fit.weights, WEIGHT: weight}, settings={**fit.settings, SETTING: setting}
    )


def _refusal(plan: Plan, filmed: Filmed) -> LawFit:
    refused = filmed.prepared
    return _empty(plan.method, refused.reason, refused.advice, filmed)


def _empty(method: str, reason: str, advice: str | None, filmed: Filmed) -> LawFit:
    evidence = {k: float(v) for k, v in getattr(filmed.prepared, "evidence", {}).items()}
    return LawFit(method, False, reason, advice, None, (), evidence, filmed.warnings)


def _replaced(old: Kind, **changes: Any) -> Kind:
    return dataclasses.replace(old, **changes)  # type: ignore[type-var]


def _with_pixels(fit: LawFit, prepared: Any) -> LawFit:
    """The latent against the place in the picture, where the method did not give it itself."""
    if fit.pixel_track is not None or not getattr(prepared, "position", ()):
        return fit
    films = prepared.views[0].films
    places = {f.name: np.asarray(p) for f, p in zip(films, prepared.position, strict=True)}
    latent: list[Array] = []
    position: list[Array] = []
    for track in fit.tracks:
        place = places.get(track.name)
        if track.role == "train" and place is not None and place.shape == track.latent.shape:
            good = track.used & np.isfinite(track.latent) & np.isfinite(place)
            latent.append(track.latent[good])
            position.append(place[good])
    if sum(len(a) for a in latent) < _LEAST_PAIRS:
        return fit
    return _replaced(fit, pixel_track=(np.concatenate(latent), np.concatenate(position)))


def configuration(plan: Plan) -> dict[str, Any]:
    """Everything that is needed to repeat the run."""
    return {
        "folder": str(plan.folder),
        "law": plan.law.text,
        "family": plan.family,
        "assume": list(dict.fromkeys(c.text for c in plan.law.assumptions)),
        "domain": list(dict.fromkeys(c.text for c in plan.law.domain)),
        "anchors": list(plan.asked.anchors),
        "units": dict(plan.asked.units),
        "known": list(plan.asked.known),
        "derive": list(plan.asked.derive),
        "method": plan.method,
        "device": plan.device,
        "seed": plan.seed,
        "seeds": plan.seeds,
        "time_limit": plan.time_limit,
        "updates": plan.updates,
        "preset": plan.preset,
        **{key: value for key, value in plan.changes.items() if value is not None},
        "trims": {name: list(trim) for name, trim in plan.trims.items()},
    }


class _Clock:
    """Seconds by stage."""

    def __init__(self) -> None:
        self._start = self._last = time.perf_counter()
        self._laps: dict[str, float] = {}

    def since(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self._start

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self._laps[name] = round(now - self._last, 3)
        self._last = now

    def seconds(self) -> dict[str, float]:
        return {**self._laps, "total": round(time.perf_counter() - self._start, 3)}
