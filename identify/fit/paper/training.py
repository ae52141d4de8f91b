"""The joint descent of encoder and law: windows, loss, clipped gradients, Adam, checkpoints."""

from __future__ import annotations

import hashlib
import math
import time
from dataclasses import asdict, dataclass

import numpy as np
import torch
from torch import Tensor

from identify.errors import InputError
from identify.fit.film import Array, Film
from identify.fit.paper.checkpoint import load_state, save_state
from identify.fit.paper.encoders import BATCH, Encoder, encode, stacked, start_encoder
from identify.fit.paper.integral import IntegralObjective, integral_form
from identify.fit.paper.parameters import Bounded, bounded, recovered, starting_values
from identify.fit.paper.penalties import (
    consistency,
    domain_margin,
    scale_and_centre,
    spreads,
    variance_floor,
)
from identify.fit.paper.residual import ResidualObjective
from identify.fit.paper.run import PaperRun
from identify.fit.paper.settings import PaperSettings
from identify.fit.paper.windows import Encoded, Window, drawn, split, whole_clips
from identify.fit.torch_law import TorchLaw

HISTORY = 200  # last updates whose parameters are kept, to see whether they have settled
_PATIENCE = 100  # updates in a row without a finite loss
_LEAST_INITIAL_SPREAD = 0.08


@dataclass(frozen=True)
class Outcome:
    """How far training came: ``stopped`` says why it ended early, None where it did not."""

    steps: int
    stopped: str | None
    loss: float
    seconds: float


class Trainer:
    """Encoder, law and optimiser of one run; ``state`` is all that a later run needs to continue."""

    def __init__(
        self, compiled: TorchLaw, films: list[Film], settings: PaperSettings, run: PaperRun, across: int
    ) -> None:
        self.compiled, self.settings, self.run, self.across = compiled, settings, run, across
        self.device = torch.device(run.device)
        self.counts = [film.count for film in films]
        self.starts = np.concatenate([[0], np.cumsum(self.counts)])
        self.frames = torch.cat([stacked(film.frames) for film in films])
        times = [np.asarray(film.time, dtype=float) for film in films]
        self.objective = self._objective(times)
        self.encoder: Encoder = start_encoder(settings, self.frames.shape[1:], run.seed)
        self.encoder.standardise(self.frames)
        self.encoder.to(self.device)
        self.bounds: Bounded = bounded(compiled, settings.positive)
        start = starting_values(compiled, settings.initial, self.bounds)
        self.raw = self.bounds.raw(start).to(self.device).requires_grad_()
        self.optimiser = self._optimiser()
        self.step = 0
        self.history = torch.from_numpy(start).repeat(HISTORY, 1)
        self.initial_spread = self._initial_spread()
        self.fingerprint = _fingerprint(compiled, films, settings, run)

    def _objective(self, times: list[Array]) -> ResidualObjective | IntegralObjective:
        if self.settings.objective == "residual":
            return ResidualObjective(self.compiled, self.settings, times, self.device)
        form = integral_form(self.compiled.law)
        if form is None:
            raise InputError(
                "the integral objective needs a law c0(z) + c1(z)*z' + c2(z)*z'**2 with a closed normalizer",
                hint="use objective=residual",
            )
        return IntegralObjective(self.compiled, form, times, self.device)

    def _optimiser(self) -> torch.optim.Optimizer:
        groups = [
            {"params": list(self.encoder.parameters()), "lr": self.settings.encoder_rate},
            {"params": [self.raw], "lr": self.settings.law_rate},
        ]
        if self.settings.optimiser == "adamw":
            return torch.optim.AdamW(groups, weight_decay=0.0)
        return torch.optim.Adam(groups)

    def _initial_spread(self) -> float:
        picked = self.frames[torch.linspace(0, len(self.frames) - 1, min(len(self.frames), 1024)).long()]
        return max(float(np.std(encode(self.encoder, picked, self.device))), _LEAST_INITIAL_SPREAD)

    def theta(self) -> Tensor:
        """The parameters, inside their bounds, on the tape."""
        return self.bounds.inside(self.raw)

    def loss(self, step: int) -> Tensor:
        """The objective on the windows of a step."""
        chosen = self.settings
        frames_each = max(chosen.frames, chosen.window + 2)
        windows = drawn(self.counts, chosen.windows, frames_each, self.run.seed, step)
        frames = self._frames(windows)
        latent = self.encoder(frames)
        encoded = split(windows, latent)
        theta = self.theta()
        total = chosen.dynamics_weight * self.objective(encoded, theta)
        total = total + variance_floor(encoded, chosen, self.initial_spread)
        total = total + domain_margin(encoded, self.compiled, theta, chosen)
        if chosen.upper_weight or chosen.centre_weight:
            total = total + scale_and_centre(encoded, chosen)
        if chosen.consistency_weight:
            generator = torch.Generator().manual_seed((self.run.seed << 24) ^ step)
            total = total + consistency(self.encoder, frames, latent.double(), chosen, self.across, generator)
        return total

    def _frames(self, windows: list[Window]) -> Tensor:
        places = [torch.arange(self.starts[w.clip] + w.start, self.starts[w.clip] + w.stop) for w in windows]
        return self.frames[torch.cat(places)].to(self.device)

    def update(self) -> float:
        """One optimiser step; a loss or gradient that is not finite changes nothing but the count."""
        self.encoder.train()
        self.optimiser.zero_grad()
        loss = self.loss(self.step)
        value = float(loss.detach())
        if math.isfinite(value) and loss.requires_grad:
            loss.backward()  # type: ignore[no-untyped-call]
            if self.raw.grad is None:  # every parameter is profiled
                self.raw.grad = torch.zeros_like(self.raw)
            value = self._descend(value)
        self.step += 1
        self.history[self.step % HISTORY] = self.theta().detach().cpu()
        return value

    def _descend(self, value: float) -> float:
        parameters = [p for group in self.optimiser.param_groups for p in group["params"]]
        limit = self.settings.clip_norm or math.inf
        norm = torch.nn.utils.clip_grad_norm_(parameters, limit)
        if not bool(torch.isfinite(norm)):
            return math.nan
        factor = self._rate_factor()
        rates = (self.settings.encoder_rate, self.settings.law_rate)
        for group, rate in zip(self.optimiser.param_groups, rates, strict=True):
            group["lr"] = rate * factor
        self.optimiser.step()
        return value

    def _rate_factor(self) -> float:
        """eq:exp-overhead-lr, or constant."""
        period = self.settings.schedule_period
        return 0.05 + 0.475 * (1 + math.cos(math.pi * min(self.step / period, 1.0))) if period else 1.0

    def train(self) -> Outcome:
        """Run the remaining updates; an interrupt or the time limit ends it with what there is."""
        begun = told = saved = time.monotonic()
        total, value, bad, stopped = self.settings.updates, math.nan, 0, None
        try:
            while self.step < total and stopped is None:
                value = self.update()
                bad = 0 if math.isfinite(value) else bad + 1
                now = time.monotonic()
                if self.run.progress is not None and (now - told > 0.25 or self.step == total):
                    told = now
                    self.run.progress(self.step, total, value)
                if now - saved > self.run.checkpoint_seconds:
                    saved = now
                    self.save()
                stopped = self._reason_to_stop(bad, now - begun)
            self.save()
        except KeyboardInterrupt:
            # The last checkpoint stays: this state may be halfway through an update.
            stopped = "interrupted"
        return Outcome(self.step, stopped, value, time.monotonic() - begun)

    def _reason_to_stop(self, bad: int, seconds: float) -> str | None:
        if bad >= _PATIENCE:
            return "the law gives no finite values on the latent"
        if self.run.time_limit is not None and seconds > self.run.time_limit:
            return "time limit"
        return None

    def state(self) -> dict[str, Tensor]:
        """Everything that changes during training."""
        tensors = {f"encoder.{name}": value for name, value in self.encoder.state_dict().items()}
        tensors |= {
            "raw": self.raw,
            "step": torch.tensor([self.step]),
            "history": self.history,
            "initial_spread": torch.tensor([self.initial_spread], dtype=torch.float64),
        }
        for i, parameter in enumerate(self._parameters()):
            kept = self.optimiser.state.get(parameter) or _fresh(parameter)
            tensors |= {f"adam.{i}.{name}": torch.as_tensor(kept[name]) for name in _fresh(parameter)}
        return tensors

    def _parameters(self) -> list[Tensor]:
        return [p for group in self.optimiser.param_groups for p in group["params"]]

    def save(self) -> None:
        """Write the checkpoint, if one is wanted."""
        if self.run.checkpoint is not None:
            save_state(self.run.checkpoint, self.state(), self.fingerprint)

    def resume(self) -> bool:
        """Continue from the checkpoint; False where there is none."""
        if self.run.checkpoint is None:
            return False
        found = load_state(self.run.checkpoint, self.state(), self.fingerprint)
        if found is None:
            return False
        encoder = {n.removeprefix("encoder."): t for n, t in found.items() if n.startswith("encoder.")}
        self.encoder.load_state_dict(encoder)
        with torch.no_grad():
            self.raw.copy_(found["raw"])
        self.step = int(found["step"][0])
        self.history = found["history"].clone()
        self.initial_spread = float(found["initial_spread"][0])
        for i, parameter in enumerate(self._parameters()):
            kept = {name: found[f"adam.{i}.{name}"] for name in _fresh(parameter)}
            moved = {n: t if n == "step" else t.to(self.device) for n, t in kept.items()}
            self.optimiser.state[parameter] = moved
        return True

    def final(self) -> tuple[Array, float, Tensor]:
        """Parameters, dynamics loss and clip spreads over all training clips, profiled ones solved for."""
        with torch.no_grad():
            latent = torch.cat(
                [
                    self.encoder(self.frames[i : i + BATCH].to(self.device))
                    for i in range(0, len(self.frames), BATCH)
                ]
            )
            encoded: list[Encoded] = split(whole_clips(self.counts), latent)
            theta = self.theta()
            values: Array = theta.cpu().numpy().copy()
            if isinstance(self.objective, IntegralObjective):
                profile = self.objective.profile(encoded, theta)
                values = _profiled(self, profile.coefficients.cpu().numpy(), values)
            return values, float(self.objective(encoded, theta)), spreads(encoded)


def _profiled(trainer: Trainer, coefficients: Array, values: Array) -> Array:
    if not isinstance(trainer.objective, IntegralObjective) or not np.isfinite(coefficients).all():
        return values
    return recovered(trainer.objective.form.terms, trainer.compiled, coefficients, values, trainer.bounds)


def _fresh(parameter: Tensor) -> dict[str, Tensor]:
    """Adam's state before its first step."""
    zeros = torch.zeros_like(parameter, requires_grad=False)
    return {"step": torch.tensor(0.0), "exp_avg": zeros, "exp_avg_sq": zeros.clone()}


def _fingerprint(compiled: TorchLaw, films: list[Film], settings: PaperSettings, run: PaperRun) -> str:
    """What a checkpoint belongs to; the number of updates may be raised later."""
    told = {**asdict(settings), "updates": None, "initial": sorted(settings.initial.items())}
    digest = hashlib.sha256(repr((compiled.law.text, sorted(told.items(), key=str), run.seed)).encode())
    digest.update(
        repr([str(c.expression) for c in (*compiled.law.assumptions, *compiled.law.domain)]).encode()
    )
    for film in films:
        digest.update(np.ascontiguousarray(film.time).tobytes())
        digest.update(np.ascontiguousarray(film.frames).tobytes())
    return digest.hexdigest()
