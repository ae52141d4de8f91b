"""``films -> LawFit`` by the paper's method."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
import torch
from torch import Tensor

from identify.analysis import Analysis
from identify.errors import InputError
from identify.fit.film import Array, Estimate, Film, LawFit, Pixels, Track, View
from identify.fit.paper.encoders import blank_encoder, encode, stacked
from identify.fit.paper.evidence import Verdict, output_error, verdict
from identify.fit.paper.landmarks import landmarks, off_curve
from identify.fit.paper.presets import published
from identify.fit.paper.run import PaperRun
from identify.fit.paper.settings import PaperSettings
from identify.fit.paper.stencil import full_derivatives
from identify.fit.paper.training import Outcome, Trainer
from identify.fit.paper.weak import Weak, conditional_covariance, solutions, weak_residual
from identify.fit.torch_law import TorchLaw
from identify.law import Law

METHOD = "paper"
_MOST_PIXELS = 256 * 256
_NO_ERROR_BARS = (
    "the paper's method gives no error bars of its own: repeat it with several seeds and compare; "
    "the formal covariance holds the encoder fixed"
)


def fit_paper(
    law: Law,
    analysis: Analysis | None,
    view: View,
    settings: PaperSettings | None = None,
    run: PaperRun | None = None,
) -> LawFit:
    """Train on the films with role train, encode all, and judge the result conservatively.

    An interrupt or the time limit leaves the fit as it stands, with a warning.  InputError where the films
    cannot be used.
    """
    run = run or PaperRun()
    settings = settings or published(law)
    training = _training_films(view)
    compiled = TorchLaw(law)
    trainer = Trainer(compiled, training, settings, run, _across(view))
    resumed = trainer.resume() if run.resume else False
    outcome = trainer.train()
    return _Finished(compiled, view, trainer, outcome).law_fit(analysis, resumed)


def encode_frames(
    weights: Mapping[str, Any], settings: Mapping[str, Any], frames: Pixels
) -> tuple[Array, Array]:
    """Latent and off-curve score of new frames of the same size, from a fit's weights and settings."""
    shape = tuple(int(n) for n in settings["shape"])
    tensor = stacked(frames)
    if tuple(tensor.shape[1:]) != shape:
        raise InputError(
            f"the encoder was trained on frames of shape {shape}, not {tuple(tensor.shape[1:])}",
            hint="give clips of the same size and crop as those of the fit",
        )
    encoder = blank_encoder(settings["encoder"], *shape)
    prefix = "encoder."
    loaded = {n.removeprefix(prefix): torch.as_tensor(t) for n, t in weights.items() if n.startswith(prefix)}
    try:
        encoder.load_state_dict(loaded)
    except RuntimeError:
        raise InputError(
            "the weights do not belong to this encoder",
            hint="fit again, or restore weights.safetensors of this run",
        ) from None
    usual = float(settings["usual_distance"])
    score = off_curve(tensor, torch.as_tensor(weights["landmarks"]), usual)
    return encode(encoder, tensor, torch.device("cpu")), score


def _training_films(view: View) -> list[Film]:
    films = [film for film in view.films if film.role == "train" and film.count >= 3]
    if not films:
        raise InputError("there is no training clip with three frames", hint="give longer clips")
    shapes = {film.frames.shape[1:] for film in view.films}
    if len(shapes) > 1:
        raise InputError("the films have different sizes", hint="resize them alike")
    height, width = view.films[0].frames.shape[1:3]
    if height * width > _MOST_PIXELS:
        raise InputError(
            f"frames of {width} by {height} pixels are too large for the paper's networks",
            hint="resize them; the paper uses 64 to 192 pixels a side",
        )
    for film in view.films:
        if film.count > 1 and not (np.isfinite(film.time).all() and (np.diff(film.time) > 0).all()):
            raise InputError(f"the times of {film.name} do not increase", hint="drop duplicated frames")
    return films


def _across(view: View) -> int:
    """The tensor axis across the main motion: columns unless the motion is known to be along them."""
    return 2 if view.axis is not None and abs(view.axis[0]) > abs(view.axis[1]) else 3


class _Finished:
    """The trained encoder at work on all films."""

    def __init__(self, compiled: TorchLaw, view: View, trainer: Trainer, outcome: Outcome) -> None:
        self.compiled, self.view, self.trainer, self.outcome = compiled, view, trainer, outcome
        self.values, self.dynamics_loss, self.spreads = trainer.final()
        self.latents = [encode(trainer.encoder, stacked(f.frames), trainer.device) for f in view.films]
        self.points, self.usual = landmarks(trainer.frames)
        self.used = [film.role == "train" and film.count >= 3 for film in view.films]
        self.fitted = self._fitted()
        self.weak: Weak = weak_residual(compiled, self.values, self._training())

    def _training(self) -> list[tuple[Array, Array]]:
        triples = zip(self.view.films, self.latents, self.used, strict=True)
        return [(film.time, latent) for film, latent, used in triples if used]

    def _fitted(self) -> list[Array]:
        paths = iter(solutions(self.compiled, self.values, self._training()))
        pairs = zip(self.used, self.latents, strict=True)
        return [next(paths) if used else np.full(len(latent), np.nan) for used, latent in pairs]

    def law_fit(self, analysis: Analysis | None, resumed: bool) -> LawFit:
        """Everything together."""
        evidence = self._evidence()
        admissible = self.compiled.admissible(torch.from_numpy(self.values))
        judged: Verdict = verdict(evidence, self.values, admissible)
        settings = self.trainer.settings
        undefined = np.full((len(self.values),) * 2, np.nan)
        estimate = Estimate(self.compiled.names, self.values, undefined, conditional_covariance(self.weak))
        return LawFit(
            method=METHOD,
            accepted=judged.accepted,
            reason=judged.reason,
            advice=judged.advice,
            estimate=estimate,
            tracks=tuple(self._track(i) for i in range(len(self.view.films))),
            evidence=evidence,
            warnings=tuple(self._warnings(analysis)),
            candidates=({"view": self.view.name, "preset": settings.preset, **evidence},),
            weights=self._weights(),
            settings={
                **asdict(settings),
                "initial": dict(settings.initial),
                "method": METHOD,
                "view": self.view.name,
                "shape": list(self.trainer.frames.shape[1:]),
                "usual_distance": self.usual,
                "seed": self.trainer.run.seed,
                "resumed": resumed,
            },
        )

    def _evidence(self) -> dict[str, float]:
        settings, trainer = self.trainer.settings, self.trainer
        floor = settings.relative_floor * trainer.initial_spread or settings.floor
        least = float(self.spreads.min())
        kept = trainer.history[: max(1, min(len(trainer.history), trainer.step))].numpy()
        found = {
            "loss": self.outcome.loss,
            "dynamics_loss": self.dynamics_loss,
            "weak_residual": weak if np.isfinite(weak := self.weak.relative) else float("inf"),
            "output_error": output_error(self._of_training(self.latents), self._of_training(self.fitted)),
            "least_spread": least,
            "floor": floor,
            "floor_active": float(least < floor),
            "outside_domain": self._outside(),
            "updates": float(self.outcome.steps),
            "updates_wanted": float(settings.updates),
            "seconds": self.outcome.seconds,
        }
        drift = np.std(kept, axis=0)
        return found | {f"drift.{name}": float(d) for name, d in zip(self.compiled.names, drift, strict=True)}

    def _of_training(self, arrays: list[Array]) -> list[Array]:
        return [array for array, used in zip(arrays, self.used, strict=True) if used]

    def _outside(self) -> float:
        latent = torch.from_numpy(np.concatenate(self._of_training(self.latents)))
        inside = self.compiled.domain_ok(latent, torch.from_numpy(self.values))
        return 1.0 - float(inside.double().mean())

    def _warnings(self, analysis: Analysis | None) -> list[str]:
        said = [_NO_ERROR_BARS]
        if self.outcome.stopped is not None:
            said.append(
                f"stopped after {self.outcome.steps} of {self.trainer.settings.updates} updates: "
                f"{self.outcome.stopped}"
            )
        if self.spreads.min() < self.trainer.settings.floor:
            said.append("the variance floor is active at the end: the scale of the latent is a convention")
        if analysis is not None and analysis.outcome == "unsupported":
            said.append("no theorem covers this law: what the fit identifies is unknown")
        return said

    def _track(self, i: int) -> Track:
        film, latent = self.view.films[i], self.latents[i]
        _, velocity, _ = full_derivatives(film.time, latent, 21, 4)
        return Track(
            name=film.name,
            role=film.role,
            time=film.time,
            latent=latent,
            velocity=velocity,
            fitted=self.fitted[i],
            off_curve=off_curve(stacked(film.frames), self.points, self.usual),
            used=np.full(film.count, self.used[i]),
            reference=film.reference,
        )

    def _weights(self) -> dict[str, Tensor]:
        state = self.trainer.encoder.state_dict()
        weights = {f"encoder.{name}": value.detach().cpu().contiguous() for name, value in state.items()}
        return weights | {"landmarks": self.points}
