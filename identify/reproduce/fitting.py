"""One fit of one view, by either method, and what every row keeps of it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from identify.analysis import Analysis
from identify.engine import analyze
from identify.fit.film import Array, Film, LawFit, Track, View
from identify.fit.results.figures import plain
from identify.fit.results.warrant import values_of
from identify.law import Law, read_law
from identify.scene.recording import Recording, Shot


@dataclass(frozen=True)
class Fitted:
    """A fit with its law; ``values`` are the parameters in the law's order, None where none were found."""

    law: Law
    analysis: Analysis
    fit: LawFit
    seconds: float  # of processor time, for the fit alone

    @property
    def values(self) -> Array | None:
        """The parameters in the law's order."""
        return None if self.fit.estimate is None else values_of(self.law, self.fit.estimate).values

    def parameters(self) -> dict[str, float]:
        """The parameters by name."""
        return {} if self.fit.estimate is None else self.fit.estimate.by_name()

    def tracks(self, start: str) -> list[Track]:
        """The tracks of the clips whose names begin so."""
        return [track for track in self.fit.tracks if track.name.startswith(start)]

    def row(self, **found: Any) -> dict[str, Any]:
        """What is kept of it, with what was found."""
        kept = {
            "accepted": self.fit.accepted,
            "reason": self.fit.reason,
            "warnings": list(self.fit.warnings),
            "values": self.parameters(),
            "fit_seconds": round(self.seconds, 4),
            "updates": self.fit.evidence.get("updates"),
        }
        row: dict[str, Any] = plain({**kept, **found})
        return row


def law_of(recording: Recording) -> Law:
    """The law of the recording with its assumptions."""
    return read_law(recording.law, recording.assume, recording.domain)


def film(shot: Shot, reference: Array | None = None, name: str | None = None) -> Film:
    """A shot as the fit sees it; the reference is the law's own state unless told otherwise."""
    known = shot.state if reference is None else reference
    return Film(name or shot.name, shot.time, shot.frames, shot.role, known)


def whole(films: Iterable[Film]) -> View:
    """The films as they are."""
    return View("whole", tuple(films))


def fit(
    law: Law, view: View, settings: Mapping[str, Any], initial: Mapping[str, float] | None = None
) -> Fitted:
    """The law fitted by the method, seed and number of updates in the settings of a task."""
    analysis = analyze(law)
    start = time.process_time()
    if settings.get("method", "default") == "paper":
        found = _by_paper(law, analysis, view, settings, initial)
    else:
        from identify.fit.solve import Settings, fit_views

        wanted = Settings(seed=int(settings.get("seed", 0)), initial=initial or {})
        found = fit_views(law, analysis, [view], wanted, lambda share, text: None)
    return Fitted(law, analysis, found, time.process_time() - start)


def _by_paper(
    law: Law, analysis: Analysis, view: View, settings: Mapping[str, Any], initial: Mapping[str, float] | None
) -> LawFit:
    from identify.fit.paper.fit import fit_paper
    from identify.fit.paper.presets import published
    from identify.fit.paper.run import PaperRun

    published_settings = published(law, settings.get("preset"))
    if settings.get("updates") is not None:
        published_settings = replace(published_settings, updates=int(settings["updates"]))
    if initial:
        start = {**published_settings.initial, **initial}
        published_settings = replace(published_settings, initial=start)
    return fit_paper(law, analysis, view, published_settings, PaperRun(int(settings.get("seed", 0))))


def used(tracks: Iterable[Track]) -> tuple[Array, Array]:
    """Reference and latent of all frames that took part."""
    pairs = [(t.reference[t.used], t.latent[t.used]) for t in tracks if t.reference is not None]
    return np.concatenate([p[0] for p in pairs]), np.concatenate([p[1] for p in pairs])
