"""The paper's three metrics in percent, with the maps that the law's family permits.

The map from the reference to the latent is fitted on training clips alone and frozen: each branch of the
compatible set with its freedoms by least squares, and the branch with the smallest training error.  In the
canonical route both the latent and its canonical coordinate have an affine readout.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.optimize import least_squares

from identify.analysis import Analysis
from identify.fit.film import Array, LawFit, Track
from identify.fit.results.agreement import Frozen, compared
from identify.fit.results.branch import Branch, branches
from identify.fit.results.figures import finite
from identify.fit.results.normalizer import normalizer
from identify.fit.results.special import exactly
from identify.fit.results.warrant import values_of
from identify.law import Law
from identify.motion.dynamics import compiled

_GRID = 361
_TIED = 1 + 1e-6  # costs of the same map reached from two branches
_EXACT = 1e-12  # of the reference's variance: no difference
_WORSE = 4.0  # mean squares, over an unrestricted affine map's


@dataclass(frozen=True)
class Truth:
    """What is known of a simulated motion: the law of the reference state and its parameters.

    ``law`` is the declared law where it is None; in the canonical route it may be another one (the angle's,
    where an image coordinate is fitted), and ``parameters`` are then the declared law's that are known.
    """

    parameters: Mapping[str, float] = field(default_factory=dict)
    law: Law | None = None
    law_parameters: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Pairs:
    """Reference and latent of one clip at the frames where both are known."""

    name: str
    time: Array
    reference: Array
    latent: Array


def measure(law: Law, analysis: Analysis, fit: LawFit, truth: Truth | None) -> dict[str, Any] | None:
    """The metrics that the references allow; None without references."""
    train, test = _pairs(fit.tracks, "train"), _pairs(fit.tracks, "test")
    if not train or fit.estimate is None:
        return None
    judged, on = (test, "held-out clips") if test else (train, "training clips")
    found: dict[str, Any] = {"e_map": None, "e_theta": None, "e_dyn": None, "on": on}
    parameters = values_of(law, fit.estimate).values
    if analysis.route.name != "canonical":
        return found | _raw(law, analysis, parameters, train, judged, truth)
    own = None if truth is None or truth.law is not None else _in_order(law, truth.parameters)
    if own is None:
        return found | _canonical(law, analysis, parameters, train, judged, truth)
    return found | _both(law, analysis, parameters, own, train, judged, truth)


def _both(
    law: Law,
    analysis: Analysis,
    parameters: Array,
    own: Array,
    train: list[Pairs],
    judged: list[Pairs],
    truth: Truth | None,
) -> dict[str, Any]:
    """The reference is the law's own state: the raw comparison, and the canonical one by the true psi."""
    raw = _raw(law, analysis, parameters, train, judged, truth)
    found = {**raw, "e_map_raw": raw["e_map"], "e_map": None, "e_dyn": None}
    psi = normalizer(law, analysis, own, _joined([*train, *judged])[0])
    if psi is None:
        return found | {"note": "the references leave the chart of the normalizer"}
    force = compiled(law.acceleration.subs(law.velocity, 0), law.state, *law.parameters)

    def real(grid: Array) -> Array:
        at = psi.inverse(grid)
        return np.asarray(psi.derivative(at) * np.asarray(force(at, *own), dtype=float))

    moved = [[dataclasses.replace(p, reference=psi(p.reference)) for p in pairs] for pairs in (train, judged)]
    canonical = _read_out(law, analysis, parameters, moved[0], moved[1], real)
    if truth is not None and (cases := exactly(law, analysis, own)):
        # More maps are permitted there than the generic branch has: only what is identified compares.
        each = _known_coefficients(law, analysis, parameters, truth)
        canonical |= {"e_theta": max(each.values(), default=None), "e_theta_by_parameter": each}
        canonical["note"] = f"the truth is the special case {' and '.join(cases)}"
    return found | {key: value for key, value in canonical.items() if key != "e_map_raw"}


def _pairs(tracks: Sequence[Track], role: str) -> list[Pairs]:
    found = []
    for track in tracks:
        if track.role != role or track.reference is None:
            continue
        good = np.isfinite(track.reference) & np.isfinite(track.latent)
        if role == "train":
            good &= track.used
        if good.sum() >= 4 and np.ptp(track.reference[good]) > 0:
            found.append(Pairs(track.name, track.time[good], track.reference[good], track.latent[good]))
    return found


def _joined(pairs: Sequence[Pairs]) -> tuple[Array, Array]:
    return np.concatenate([p.reference for p in pairs]), np.concatenate([p.latent for p in pairs])


def _affine(reference: Array, latent: Array, name: str = "affine") -> Frozen:
    """The encoding as an affine function of the reference, inverted."""
    slope, level = (float(x) for x in np.polyfit(reference, latent, 1))
    return Frozen(name, lambda z: (z - level) / slope, affine=(slope, level))


def _error(frozen: Frozen, pairs: Sequence[Pairs]) -> float | None:
    """The coordinate NRMSE: the median over clips of RMS error over standard deviation, in percent."""
    each = []
    for p in pairs:
        rest = frozen.back(p.latent) - p.reference
        each.append(float(np.sqrt(np.mean(rest**2)) / np.std(p.reference)))
    return finite(100 * float(np.median(each)))


def _raw(
    law: Law,
    analysis: Analysis,
    parameters: Array,
    train: list[Pairs],
    judged: list[Pairs],
    truth: Truth | None,
) -> dict[str, Any]:
    true = None if truth is None else _in_order(law, truth.parameters)
    permitted = _permitted(law, analysis, parameters, train, true)
    found: dict[str, Any] = {"e_map": _error(permitted[0], judged), "map": permitted[0].name}
    if true is None:
        return found
    found |= compared(law, analysis, permitted, parameters, true)
    found["e_dyn"] = _acceleration(law, parameters, true, _affine(*_joined(train)), judged)
    return found


def _in_order(law: Law, table: Mapping[str, float]) -> Array | None:
    if not all(p.name in table for p in law.parameters):
        return None
    return np.array([float(table[p.name]) for p in law.parameters])


def _permitted(
    law: Law, analysis: Analysis, parameters: Array, train: list[Pairs], true: Array | None
) -> list[Frozen]:
    """The branches that map the training pairs best; an unrestricted affine map where the analysis has none.

    Several where branches share a map and differ in their parameters: the data cannot prefer one of them.
    """
    reference, latent = _joined(train)
    free = _affine(reference, latent)
    tried: list[tuple[float, Frozen]] = []
    for branch in branches(law, analysis):
        if true is None and any(branch.map.has(p) for p in law.parameters):
            continue  # such a map starts from the true parameters
        frozen = _fitted(branch, reference, latent, parameters if true is None else true)
        cost = np.inf if frozen is None else _cost(frozen, reference, latent)
        if frozen is not None and np.isfinite(cost):
            tried.append((cost, frozen))
    least = min((cost for cost, _ in tried), default=np.inf)
    if _implicit(analysis) and least > _WORSE * _cost(free, reference, latent) + _EXACT:
        return [free]  # the fit lies on a branch whose map is known by a relation only
    tied = _TIED * least + _EXACT * float(np.var(reference))
    return [frozen for cost, frozen in tried if cost <= tied] or [free]


def _cost(frozen: Frozen, reference: Array, latent: Array) -> float:
    return float(np.mean((frozen.back(latent) - reference) ** 2))


def _implicit(analysis: Analysis) -> bool:
    gauge = analysis.gauge
    return gauge is not None and any(b.map is None or b.symbols for b in gauge.branches)


def _fitted(branch: Branch, reference: Array, latent: Array, true: Array) -> Frozen | None:
    """The branch's freedoms by least squares of the latent on the mapped reference; whole ones rounded."""
    count = len(branch.free)
    start = branch.identity(true)
    slope = np.polyfit(reference, latent, 1)[0]
    names = [s.name for s in branch.unknowns]
    if "lambda" in names:
        start[names.index("lambda")] = slope if slope else 1.0

    def residual(free: Array) -> Array:
        rest = branch.at(reference, free, true) - latent
        return np.where(np.isfinite(rest), rest, 1e6)

    free = _least(residual, start)
    if branch.integers:
        whole = np.round(free[count:])
        free = _least(lambda f: residual(np.concatenate([f, whole])), free[:count]) if count else free[:0]
        free = np.concatenate([free, whole])
    back = _inverse(branch, free, true, reference)
    return None if back is None else Frozen(branch.text, back, branch, free)


def _least(residual: Callable[[Array], Array], start: Array) -> Array:
    if not len(start):
        return start
    found = least_squares(residual, start, x_scale="jac", xtol=1e-14, ftol=1e-14, gtol=1e-14)
    return np.asarray(found.x, dtype=float)


def _inverse(branch: Branch, free: Array, true: Array, reference: Array) -> Callable[[Array], Array] | None:
    if branch.affine:
        level = float(branch.at(np.zeros(1), free, true)[0])
        slope = float(branch.at(np.zeros(1), free, true, 1)[0])
        return (lambda z: (z - level) / slope) if slope and np.isfinite(slope) else None
    low, high = float(reference.min()), float(reference.max())
    nodes = np.linspace(low - 0.2 * (high - low), high + 0.2 * (high - low), 4001)
    values = branch.at(nodes, free, true)
    good = np.isfinite(values)
    nodes, values = nodes[good], values[good]
    steps = np.sign(np.diff(values))
    if len(nodes) < 2 or not (steps == steps[0]).all() or not steps[0]:
        return None
    order = np.argsort(values)
    return lambda z: np.interp(z, values[order], nodes[order])


def _acceleration(
    law: Law, parameters: Array, true: Array, frozen: Frozen, judged: Sequence[Pairs]
) -> float | None:
    """The relative RMSE of the transformed law's acceleration along the judged frames, in percent."""
    force = compiled(law.acceleration, law.state, law.velocity, *law.parameters)
    slope, level = frozen.affine
    rest, size = [], []
    for p in judged:
        velocity = np.asarray(CubicSpline(p.time, p.reference)(p.time, 1))
        told = (
            np.asarray(force(slope * p.reference + level, slope * velocity, *parameters), dtype=float) / slope
        )
        real = np.asarray(force(p.reference, velocity, *true), dtype=float)
        rest.append(np.broadcast_to(told - real, p.time.shape))
        size.append(np.broadcast_to(real, p.time.shape))
    return _relative(np.concatenate(rest), np.concatenate(size))


def _relative(rest: Array, size: Array) -> float | None:
    scale = float(np.sqrt(np.mean(size**2)))
    return finite(100 * float(np.sqrt(np.mean(rest**2))) / scale) if scale > 0 else None


def _canonical(
    law: Law,
    analysis: Analysis,
    parameters: Array,
    train: list[Pairs],
    judged: list[Pairs],
    truth: Truth | None,
) -> dict[str, Any]:
    """The reference is another coordinate, without a squared velocity: raw and canonical readouts of it."""
    real = None if truth is None or truth.law is None else _force(truth.law, truth.law_parameters)
    found = _read_out(law, analysis, parameters, train, judged, real)
    if truth is not None:
        each = _known_coefficients(law, analysis, parameters, truth)
        found |= {"e_theta": max(each.values(), default=None), "e_theta_by_parameter": each}
    return found


def _force(law: Law, table: Mapping[str, float]) -> Callable[[Array], Array] | None:
    values = _in_order(law, table)
    if values is None:
        return None
    force = compiled(law.acceleration.subs(law.velocity, 0), law.state, *law.parameters)
    return lambda grid: np.broadcast_to(np.asarray(force(grid, *values), dtype=float), grid.shape)


def _read_out(
    law: Law,
    analysis: Analysis,
    parameters: Array,
    train: list[Pairs],
    judged: list[Pairs],
    real: Callable[[Array], Array] | None,
) -> dict[str, Any]:
    """Affine readouts of z and of psi(z), and the force channel on a grid of the reference."""
    reference, latent = _joined(train)
    raw = _affine(reference, latent, "affine readout of the latent")
    found: dict[str, Any] = {"e_map_raw": _error(raw, judged), "e_map": None, "map": raw.name}
    psi = normalizer(law, analysis, parameters, np.concatenate([latent, _joined(judged)[1]]))
    if psi is None:
        return found | {"note": "the latents leave the chart of the normalizer"}
    slope, level = (float(x) for x in np.polyfit(reference, psi(latent), 1))
    name = "affine readout of the canonical coordinate"
    frozen = Frozen(name, lambda z: (psi(z) - level) / slope, affine=(slope, level))
    found |= {"e_map": _error(frozen, judged), "map": name}
    if real is not None:
        grid = np.linspace(float(reference.min()), float(reference.max()), _GRID)
        at = psi.inverse(slope * grid + level)
        own = compiled(law.acceleration.subs(law.velocity, 0), law.state, *law.parameters)
        told = psi.derivative(at) * np.asarray(own(at, *parameters), dtype=float) / slope
        wanted = real(grid)
        good = np.isfinite(told) & np.isfinite(wanted)
        found["e_dyn"] = _relative((told - wanted)[good], wanted[good]) if good.any() else None
    return found


def _known_coefficients(law: Law, analysis: Analysis, parameters: Array, truth: Truth) -> dict[str, float]:
    """Relative errors of the identified parameters whose true values are given."""
    each: dict[str, float] = {}
    for p, estimate in zip(law.parameters, parameters, strict=True):
        verdict = analysis.parameters.get(p.name)
        true = truth.parameters.get(p.name)
        if verdict is not None and verdict.status == "identified" and true:
            each[p.name] = 100 * abs(float(estimate) - true) / abs(true)
    return each
