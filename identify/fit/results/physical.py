"""The calibrated part of a report: physical values, what stays open, and whether anchors agree."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from identify.analysis import Analysis, ParameterVerdict
from identify.fit.film import Array, Estimate, LawFit
from identify.fit.results.anchor import Anchor, read_video_anchors
from identify.fit.results.branch import Branch, branches, shared
from identify.fit.results.calibrate import Solution, calibrations
from identify.fit.results.derived import Derivation, Known, derive
from identify.fit.results.dimension import Dimensions, dimensions, text_of
from identify.fit.results.figures import finite
from identify.fit.results.heights import heights
from identify.fit.results.warrant import Values, values_of
from identify.law import Law

_DISAGREE = 3.0
_CONSTANT = 0.05


@dataclass(frozen=True)
class Physical:
    """Values in physical units; ``solution`` gives the state, where the anchors fix the coordinate."""

    table: dict[str, dict[str, Any]] = field(default_factory=dict)
    anchors: tuple[Anchor, ...] = ()
    rank: int | None = None
    needed: int | None = None
    solution: Solution | None = None
    units: Dimensions = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    consistent: bool | None = None

    @property
    def state_known(self) -> bool:
        """Whether the anchors determine the physical coordinate of every frame (a sign may stay open)."""
        return self.solution is not None and self.solution.placed

    def state(self, latent: Array, estimate: Estimate, law: Law) -> Array | None:
        """The physical state at latents."""
        if not self.state_known or self.solution is None:
            return None
        return self.solution.branch.at(latent, self.solution.free, values_of(law, estimate).values)


def calibrate(
    law: Law,
    analysis: Analysis,
    fit: LawFit,
    texts: Sequence[str],
    units: dict[str, str],
    known: Sequence[Known],
    asked: Sequence[Derivation],
) -> Physical:
    """What anchors and known quantities add to the fit."""
    canonical = analysis.route.name == "canonical"
    anchors = read_video_anchors(texts, law, fit, canonical)
    on_state = tuple(a for a in anchors if a.kind != "height")
    dimension = dimensions(law, [a.engine for a in on_state], units)
    if fit.estimate is None:
        return Physical(anchors=anchors, units=dimension)
    if analysis.outcome == "unsupported":
        given = [word for word, any_ in (("anchors", anchors), ("derived quantities", asked)) if any_]
        told = (
            f"{' and '.join(given)} are not used: no theorem covers this law, so that nothing is calibrated"
        )
        return Physical(anchors=anchors, units=dimension, warnings=(told,) if given else ())
    values = values_of(law, fit.estimate)
    found = Physical(anchors=anchors, units=dimension)
    if on_state:
        placed = _from_rest(on_state, analysis, law, values)
        found = _on_orbit(branches(law, analysis), placed, values, analysis, found)
    if canonical and len(on_state) < len(anchors):
        states = _training(fit)
        found = _with_heights(
            law, analysis, [a for a in anchors if a.kind == "height"], values, states, found
        )
    return _with_derived(law, analysis, values, known, asked, found)


def _training(fit: LawFit) -> Array:
    chosen = [t.latent[t.used & np.isfinite(t.latent)] for t in fit.tracks if t.role == "train"]
    return np.concatenate(chosen) if chosen else np.zeros(0)


def _from_rest(anchors: Sequence[Anchor], analysis: Analysis, law: Law, values: Values) -> tuple[Anchor, ...]:
    """Where the origin is free, an amplitude is the distance from the law's equilibrium."""
    lock = None if analysis.gauge is None else analysis.gauge.translation_lock
    if lock is not None and lock.locked:
        return tuple(anchors)
    found = []
    for anchor in anchors:
        rest = _equilibrium(law, values, anchor.latents[0]) if anchor.kind == "amplitude" else None
        if rest is not None:
            anchor = dataclasses.replace(anchor, kind="displacement", latents=(anchor.latents[0], rest))
        found.append(anchor)
    return tuple(found)


def _equilibrium(law: Law, values: Values, near: float) -> float | None:
    """The zero of the force nearest to the motion, searched over ten amplitudes."""
    from identify.motion.dynamics import compiled

    force = compiled(law.acceleration.subs(law.velocity, 0), law.state, *law.parameters)
    reach = 10 * max(abs(near), 1.0)
    grid = np.linspace(-reach, reach, 20_001)
    along = np.broadcast_to(np.asarray(force(grid, *values.values), dtype=float), grid.shape)
    with np.errstate(invalid="ignore"):
        change = np.flatnonzero(np.sign(along[:-1]) * np.sign(along[1:]) <= 0)
    roots = [
        float(
            np.interp(
                0.0,
                sorted((along[i], along[i + 1])),
                np.array([grid[i], grid[i + 1]])[np.argsort((along[i], along[i + 1]))],
            )
        )
        for i in change
        if np.isfinite(along[i]) and np.isfinite(along[i + 1])
    ]
    return min(roots, key=lambda r: abs(r - near), default=None)


def _on_orbit(
    maps: Sequence[Branch],
    anchors: tuple[Anchor, ...],
    values: Values,
    analysis: Analysis,
    found: Physical,
) -> Physical:
    notes = [a.note for a in anchors if a.note]
    if not maps:
        told = "the analysis gives no explicit coordinate maps, so that anchors cannot be applied"
        return dataclasses.replace(found, warnings=(*notes, told))
    solutions = calibrations(maps, anchors, values)
    if not solutions:
        told = "no compatible report agrees with the anchors and the assumptions"
        return dataclasses.replace(found, warnings=(*notes, told), consistent=False)
    best = solutions[0]
    consistent = best.misfit <= _DISAGREE
    if not consistent:
        notes.append(
            f"the anchors contradict each other or the law: the worst is off by {best.misfit:.1f} standard "
            "deviations (an exact one counts as known to 1 %)"
        )
    table = {
        p.name: _entry(i, solutions, text_of(found.units.get(p)), analysis.parameters.get(p.name))
        for i, p in enumerate(best.branch.law.parameters)
    }
    return dataclasses.replace(
        found,
        table=table,
        rank=best.rank,
        needed=max(best.rank, len(best.branch.free) - _redundancy(analysis)),
        solution=best if len(solutions) == 1 else None,
        warnings=tuple(notes),
        consistent=consistent,
    )


def _redundancy(analysis: Analysis) -> int:
    """Freedoms of the parameters alone, which no position or distance can settle."""
    found = analysis.calibration
    if found is None or found.dimension is None or found.rank is None:
        return 0
    return found.dimension - found.rank


def _entry(
    index: int, solutions: Sequence[Solution], unit: str | None, verdict: ParameterVerdict | None
) -> dict[str, Any]:
    best = solutions[0]
    settled = verdict is not None and verdict.status == "identified"
    if not all(s.determined[index] for s in solutions):
        told = "still depends on the latent coordinate: give another anchor"
        if verdict is not None and verdict.redundant:
            told = "still open: it enters the law only in combination with others"
        return {"value": None, "se": None, "unit": unit, "status": "free", "why": told}
    values = [float(s.parameters[index]) for s in solutions]
    se = finite(float(best.errors[index]))
    if np.ptp(values) > 1e-6 * max(abs(v) for v in values):
        told = "several reports agree with the anchors"
        return {"value": None, "se": se, "unit": unit, "status": "finite", "why": told, "values": values}
    return {
        "value": finite(values[0]),
        "se": se,
        "unit": unit,
        "status": "identified",
        "why": "by the video alone" if settled else "by the video and the anchors",
    }


def _with_heights(
    law: Law, analysis: Analysis, anchors: Sequence[Anchor], values: Values, states: Array, found: Physical
) -> Physical:
    told = heights(law, analysis, anchors, values, states)
    if told is None:
        text = "two heights at different latents are needed, inside the regular interval of the normalizer"
        return dataclasses.replace(found, warnings=(*found.warnings, text))
    unit = next((a.engine.quantity.unit for a in anchors if a.engine.quantity is not None), None)
    told_unit = None if unit is None else f"{text_of(unit.dimension)}/s^2"
    constant = told.variation <= _CONSTANT
    why = "from the heights: h = s*psi(z) + b_h, h'' = s*psi'(z)*F(z, 0)"
    if not constant:
        why += f"; it is not constant (it varies by {100 * told.variation:.0f} % over the training frames)"
    name = "g" if "g" not in {p.name for p in law.parameters} else "g_height"
    entry = {
        "value": finite(abs(told.acceleration)),
        "se": finite(told.se),
        "unit": told_unit,
        "status": "identified" if constant else "finite",
        "why": why,
    }
    return dataclasses.replace(found, table={**found.table, name: entry})


def _with_derived(
    law: Law,
    analysis: Analysis,
    values: Values,
    known: Sequence[Known],
    asked: Sequence[Derivation],
    found: Physical,
) -> Physical:
    """Derived quantities, from physical parameters where there are any."""
    if not asked:
        return found
    verdicts = analysis.parameters
    determined = {p.name: False for p in values.symbols}
    determined |= {name: v.status == "identified" for name, v in verdicts.items()}
    at = values
    if found.solution is not None:
        at = Values(values.symbols, found.solution.parameters, found.solution.covariance)
        determined |= {p.name: ok for p, ok in zip(values.symbols, found.solution.determined, strict=True)}
    maps = branches(law, analysis)
    table = dict(found.table)
    for one in asked:
        everywhere = shared(one.expression, maps, values)
        known_all = determined | {p.name: True for p in values.symbols if everywhere}
        got = derive(law, one, known, values if everywhere else at, known_all, found.units)
        entry: dict[str, Any] = {"value": got.value, "se": got.se, "unit": got.unit, "formula": got.formula}
        entry["status"] = "identified" if got.value is not None else "free"
        entry["why"] = got.because or f"derived: {got.formula}"
        table[one.name] = entry
    return dataclasses.replace(found, table=table)
