"""Simulated fits: clips of a known law rendered in memory, a law fitted to them, errors against the truth."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from identify.sweep.task import Task

if TYPE_CHECKING:
    from identify.analysis import Analysis
    from identify.fit.film import LawFit, View
    from identify.fit.results.metrics import Truth
    from identify.law import Law
    from identify.scene.recording import Recording

_ANALYSES = 32  # in memory
_KEPT = 2  # recordings in memory: the tasks of one collection follow each other


@dataclass(frozen=True)
class Simulated:
    """One simulated fit; None keeps what the experiment, the camera or the method has.

    The data: an ``experiment`` of the paper, a ``family`` of the catalogue or a ``law``; ``collection`` draws
    the initial states and the noise, ``initial`` gives the states instead.  The fit: ``fitted`` is another
    law than that of the data, ``seed`` that of the method.
    """

    experiment: str | None = None
    family: str | None = None
    law: str | None = None
    parameters: Mapping[str, float] | None = None
    assume: Sequence[str] | None = None
    domain: Sequence[str] | None = None
    scene: str | None = None
    initial: Sequence[Sequence[float]] | None = None
    collection: int = 0
    clips: int | None = None
    size: Sequence[int] | None = None  # height and width
    rate: float | None = None
    duration: float | None = None
    look: Mapping[str, Any] = field(default_factory=dict)  # fields of identify.scene.camera.Look
    fitted: str | None = None
    fitted_assume: Sequence[str] | None = None
    fitted_domain: Sequence[str] | None = None
    method: str = "default"
    seed: int = 0
    preset: str | None = None
    updates: int | None = None
    time_limit: float | None = None

    def task(self) -> Task:
        """The task that does it."""
        return Task("simulated", {k: v for k, v in asdict(self).items() if v is not None and v != {}})


@dataclass(frozen=True)
class Outcome:
    """A fit with what is needed to judge it."""

    law: Law
    analysis: Analysis
    fit: LawFit
    truth: Truth | None
    seconds: float  # of processor time, for the fit alone


def run(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The result of a simulated fit: see ``fit_row``."""
    return fit_row(simulated_fit(Simulated(**settings)))


def simulated_fit(asked: Simulated) -> Outcome:
    """Render, fit, and say what it took."""
    from identify.fit.results.metrics import Truth
    from identify.law import read_law

    recording = recorded(asked)
    if asked.fitted is None:
        question = recording.law, tuple(recording.assume), tuple(recording.domain)
    else:
        question = asked.fitted, tuple(asked.fitted_assume or ()), tuple(asked.fitted_domain or ())
    law, analysis = read_law(*question), analysed(*question)
    start = time.process_time()
    fit = fitted(asked, law, analysis, view_of(recording))
    spent = time.process_time() - start
    truth = Truth(dict(recording.truth)) if asked.fitted is None else None
    return Outcome(law, analysis, fit, truth, spent)


@lru_cache(maxsize=_ANALYSES)
def analysed(law: str, assume: tuple[str, ...], domain: tuple[str, ...]) -> Analysis:
    """The analysis, once for each law: in a process of its own, which its time and memory end."""
    from identify.engine import analyze

    return analyze(law, assume, domain, isolated=True)


def fitted(asked: Simulated, law: Law, analysis: Analysis, view: View) -> LawFit:
    """The law fitted to one view by the method that was asked for."""
    if asked.method == "paper":
        from identify.fit.paper.fit import fit_paper
        from identify.fit.paper.presets import published
        from identify.fit.paper.run import PaperRun
        from identify.fit.paper.settings import with_changes

        settings = published(law, asked.preset)
        if asked.updates is not None:
            settings = with_changes(settings, {"updates": asked.updates})
        return fit_paper(law, analysis, view, settings, PaperRun(asked.seed, time_limit=asked.time_limit))
    from identify.fit.solve import Settings, fit_views

    wanted = Settings(seed=asked.seed, time_limit=asked.time_limit)
    return fit_views(law, analysis, [view], wanted, lambda fraction, text: None)


def view_of(recording: Recording) -> View:
    """The whole frames, with the true states as references."""
    from identify.fit.film import Film, View

    films = [Film(s.name, s.time, s.frames, s.role, s.state) for s in recording.shots]
    return View("whole", tuple(films))


def fit_row(outcome: Outcome) -> dict[str, Any]:
    """Decision, parameters with errors and truth, the paper's metrics in percent, evidence, cost."""
    from identify.fit.results.figures import plain
    from identify.fit.results.metrics import measure

    fit = outcome.fit
    metrics = measure(outcome.law, outcome.analysis, fit, outcome.truth) or {}
    row = {
        "accepted": fit.accepted,
        "reason": fit.reason,
        "warnings": list(fit.warnings),
        "parameters": _parameters(outcome, metrics.get("e_theta_by_parameter") or {}),
        **{name: metrics.get(name) for name in ("e_map", "e_theta", "e_dyn")},
        **{name: value for name, value in metrics.items() if name != "e_theta_by_parameter"},
        "iterations": int(fit.evidence.get("updates", len(fit.candidates))),
        "evidence": {name: value for name, value in fit.evidence.items() if name != "seconds"},
        "fit_seconds": round(outcome.seconds, 4),
    }
    found: dict[str, Any] = plain(row)
    return found


def _parameters(outcome: Outcome, errors: Mapping[str, float | None]) -> dict[str, dict[str, float | None]]:
    """Value, standard error, truth and error in percent (at the point of the orbit) by parameter."""
    estimate = outcome.fit.estimate
    if estimate is None:
        return {}
    truth = {} if outcome.truth is None else outcome.truth.parameters
    return {
        name: {
            "value": float(estimate.values[i]),
            "se": float(estimate.covariance[i, i]) ** 0.5,
            "truth": truth.get(name),
            "error": errors.get(name),
        }
        for i, name in enumerate(estimate.names)
    }


def recorded(asked: Simulated) -> Recording:
    """The clips; those of the last tasks are kept, for several fits of one collection."""
    of_data = {name: getattr(asked, name) for name in _DATA}
    return _recorded(Simulated(**of_data).task().text)


_DATA = """experiment family law parameters assume domain scene initial collection clips size rate duration
look""".split()


@lru_cache(maxsize=_KEPT)
def _recorded(text: str) -> Recording:
    from identify.scene.collection import Ask, check_amount
    from identify.scene.lawbook import from_catalogue, from_law
    from identify.scene.protocol import paper_protocol
    from identify.scene.trial import film

    asked = Simulated(**Task.read(text).settings)
    size = None if asked.size is None else (int(asked.size[0]), int(asked.size[1]))
    ask = Ask(size, asked.rate, asked.duration, asked.clips, asked.look)
    check_amount(ask)
    if asked.experiment is not None:
        return paper_protocol(asked.experiment, asked.collection, ask)
    values = typed(asked.parameters)
    if asked.family is not None:
        trial = from_catalogue(asked.family, values, asked.scene)
    else:
        trial = from_law(asked.law or "", values, asked.assume or (), asked.domain or (), asked.scene)
    pairs = [(float(state), float(velocity)) for state, velocity in asked.initial or ()]
    return film(trial, pairs, asked.collection, ask)


def typed(parameters: Mapping[str, float] | None) -> str | None:
    """The values as they are typed on the command line."""
    return None if parameters is None else ",".join(f"{k}={v!r}" for k, v in parameters.items())
